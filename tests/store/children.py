"""How to start another process that uses a store; see ``child``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def start_child(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.store.child", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1)


def run_child(*arguments: str | Path) -> tuple[int, str, str]:
    """Its exit code, what it said, and its errors; it must end by itself within five seconds of its last word."""
    with start_child(*arguments) as process:
        said, errors = process.communicate(timeout=20)
        return process.returncode, said, errors
