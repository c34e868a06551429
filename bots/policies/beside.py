"""Runs plain functions beside the event loop, so that one that takes its time keeps nobody waiting but its own caller.

A thread cannot be stopped: one whose caller has given up goes on until its function returns, and what that returns is nobody's
any more. So only so many run at once, others wait for one of them to end, and the threads hold no process back from ending.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future
from contextvars import copy_context
from typing import Generic, TypeVar, cast

T = TypeVar("T")

MOST_AT_ONCE = 32


class Beside(Generic[T]):
    """The threads of one gate, whichever event loop asks it."""

    def __init__(self, *, most: int = MOST_AT_ONCE) -> None:
        self._most = most
        self._running: set[Future[tuple[T | None, BaseException | None]]] = set()

    async def run(self, work: Callable[[], T]) -> T:
        """Run a function in a thread of its own, in this context; raises what it does."""
        while True:
            self._running = {each for each in self._running if not each.done()}
            if len(self._running) < self._most:
                break
            await asyncio.wait(map(asyncio.wrap_future, self._running), return_when=FIRST_COMPLETED)
        ending: Future[tuple[T | None, BaseException | None]] = Future()
        ending.set_running_or_notify_cancel()
        context = copy_context()

        def in_thread() -> None:
            # Told as a result, since a future takes no StopIteration as a failure.
            try:
                ending.set_result((context.run(work), None))
            except BaseException as error:
                ending.set_result((None, error))

        threading.Thread(target=in_thread, name="overwinter-gate", daemon=True).start()
        self._running.add(ending)
        result, failure = await asyncio.wrap_future(ending)
        if failure is not None:
            raise failure
        return cast("T", result)
