"""A process of its own for a policy in Rego, which is ended if the policy does not come to an end.

The engine holds Python's lock while it evaluates, so in this process nothing else would go on meanwhile: no lease would be
renewed, no answer taken. And what it cannot survive itself, such as a stack that overflows, ends the other process alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...actors.asks import JsonValue
from ..errors import PolicyInvalidError

_CHILD = Path(__file__).with_name("rego_child.py")


class RegoProcess:
    """The process of one policy; it is there from its first use until it is ended, and then again from the next.

    Its methods block, and only one of them may be at work at a time; but for ``interrupt``. Those that ask raise ``EOFError``
    where the process ends before it has answered.
    """

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._end: weakref.finalize[[subprocess.Popen[bytes]], RegoProcess] | None = None
        self._loaded: object = None

    def load(self, version: object, sources: Sequence[tuple[str, str]], data: str) -> None:
        """Have it use a policy from now on.

        Args:
            version: tells this one from others.

        Raises:
            PolicyInvalidError: (policy.invalid) it does not compile, or its data cannot be used.
        """
        self._loaded = None
        self._ask({"sources": list(sources), "data": data})
        self._loaded = version

    def has(self, version: object) -> bool:
        return self._child is not None and self._child.poll() is None and self._loaded == version

    def value(self, rule: str, asked: str) -> JsonValue:
        """The value of a rule for an input; None if it is undefined.

        Raises:
            PolicyInvalidError: (policy.invalid) it cannot be evaluated, or has a value that is no JSON.
        """
        answer = self._ask({"rule": rule, "input": asked})
        if "odd" in answer:
            raise PolicyInvalidError(f"{rule} is {answer['odd']}, which is no verdict")
        return answer["found"]

    def end(self) -> None:
        """End it where it does nothing; the next use begins another one."""
        self._clear()

    def interrupt(self) -> None:
        """End it in whatever it is doing: whoever waits for that is told so. To be called from any thread."""
        if self._child is not None:
            self._child.kill()

    def _ask(self, asked: JsonValue) -> dict[str, Any]:
        child = self._running()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(json.dumps(asked).encode() + b"\n")
            child.stdin.flush()
            line = child.stdout.readline()
        except (OSError, ValueError):  # its pipes are closed
            line = b""
        if not line.endswith(b"\n"):
            self._clear()
            raise EOFError("the process that evaluates the policy has ended")
        answer: dict[str, Any] = json.loads(line)
        if "fault" in answer:
            raise PolicyInvalidError(answer["fault"])
        return answer

    def _clear(self) -> None:
        if self._end is not None:
            self._end()
        self._child = self._end = self._loaded = None

    def _running(self) -> subprocess.Popen[bytes]:
        child = self._child
        if child is None or child.poll() is not None:
            self._clear()
            # In a session of its own, so that Ctrl-C at a terminal is for this process alone.
            child = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_CHILD), json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            self._child = child
            self._end = weakref.finalize(self, _end, child)
        return child


def _end(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        assert pipe is not None
        with suppress(OSError):  # what was written to it was not read any more
            pipe.close()
