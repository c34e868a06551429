"""The processes of a crash story, as the test that has them killed sees them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from ..house.folders import ROOT

Fork = Callable[..., int]
"""Has a fork carry the story on with these arguments; returns its exit code."""


@contextmanager
def forks_of(module: str) -> Generator[Fork]:
    """A process of a module of stories (``forking``), which forks for each part."""
    command = [sys.executable, "-m", f"tests.crash.{module}"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ask, told = process.stdin, process.stdout

        def carry_on(*arguments: object) -> int:
            ask.write(json.dumps(arguments) + "\n")
            ask.flush()
            code = int(told.readline())
            assert code in (0, -signal.SIGKILL)
            return code

        yield carry_on
        ask.close()
