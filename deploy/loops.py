"""The event loop under what runs for long: uvloop, which does what asyncio's own does in less processor time."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

if sys.platform != "win32":
    import uvloop

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """As ``asyncio.run``. There is no uvloop for Windows; there it is asyncio's own."""
    if sys.platform == "win32":
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)
