"""Says which code keeps the event loop from going on.

One piece of bot code that blocks (``requests.get`` in an ``async def``, a loop without an ``await``) makes every session, channel
and page of its process stand still, and no log line of theirs says so. So a thread beside the loop asks it for a sign of life.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import traceback
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import structlog

from ..actors.clock import Clock

PATIENCE_S = 2.0
"""A loop that gives no sign of life for so long is said to be blocked: leases last many times longer."""

_EVERY_S = 1.0
_FRAMES = 12

_log = structlog.get_logger("overwinter.loop")


@contextmanager
def watched_loop(*, clock: Clock, patience_s: float = PATIENCE_S, every_s: float = _EVERY_S) -> Generator[None]:
    """Watch the running event loop, which is this thread's, while the block runs.

    Each time that it is blocked, ``loop.blocked`` is logged (task, stack, the innermost frame last), again whenever that has lasted
    twice as long, and ``loop.unblocked`` at its end (seconds). Of what stops this thread as well (a process that is suspended, C
    code that keeps the interpreter's lock) only the end is told.
    """
    watch = _Watch(asyncio.get_running_loop(), clock=clock, patience_s=patience_s, every_s=every_s)
    watch.start()
    try:
        yield
    finally:
        watch.end()


class _Watch(threading.Thread):
    """The thread that asks."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, clock: Clock, patience_s: float, every_s: float) -> None:
        super().__init__(name="overwinter-loop-watch", daemon=True)
        self._loop = loop
        self._loops_thread = threading.get_ident()
        self._clock = clock
        self._patience_s = patience_s
        self._every_s = every_s
        self._is_over = threading.Event()
        self._sign = threading.Event()

    def end(self) -> None:
        """From the loop's own thread, which gives no sign any more."""
        self._is_over.set()
        self._sign.set()
        self.join()

    def run(self) -> None:
        while not self._is_over.wait(self._every_s):
            self._sign.clear()
            if self._is_over.is_set():
                return
            asked_s = self._clock.monotonic_s()
            self._loop.call_soon_threadsafe(self._sign.set)
            self._await_sign(asked_s)

    def _await_sign(self, asked_s: float) -> None:
        """Wait for the sign of life, and tell for how long it has been waited and for whom."""
        patience_s = self._patience_s
        while not self._sign.wait(max(0.0, asked_s + patience_s - self._clock.monotonic_s())):
            is_late = self._clock.monotonic_s() - asked_s > patience_s + self._patience_s
            if is_late and self._sign.wait(self._patience_s):
                break  # the whole process stood still, and this thread with it
            task, stack = self._at_work()
            _log.error(
                "loop.blocked",
                seconds=round(self._clock.monotonic_s() - asked_s, 1),
                task=task,
                stack=stack,
                remedy="everything in this process waits for this code: let it await, or run it with asyncio.to_thread",
            )
            patience_s *= 2
        blocked_s = self._clock.monotonic_s() - asked_s
        if blocked_s >= self._patience_s:
            _log.warning("loop.unblocked", seconds=round(blocked_s, 1))

    def _at_work(self) -> tuple[str | None, Sequence[str]]:
        """Which task the loop is at, and where in its code."""
        task = asyncio.current_task(self._loop)
        frame = sys._current_frames().get(self._loops_thread)  # pyright: ignore[reportPrivateUsage]  it is documented
        stack = traceback.extract_stack(frame)[-_FRAMES:] if frame is not None else []
        places = [f"{each.filename}:{each.lineno} in {each.name}" for each in stack]
        return None if task is None else task.get_name(), places
