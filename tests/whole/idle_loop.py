"""An event loop that tells when nothing can move any more but by the clock, so that a clock moved by hand can go on at once."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from typing import Any


class IdleLoop(asyncio.SelectorEventLoop):
    """Idle is a loop that has no callback to call, and for which no thread of an executor has work in hand."""

    def __init__(self) -> None:
        self._jobs = 0
        self._told: asyncio.Future[None] | None = None
        super().__init__(_Selector(is_awaited=self._is_awaited, tell=self._tell))

    async def idle(self) -> None:
        """Return when it is. One at a time may wait for that."""
        assert self._told is None
        self._told = self.create_future()
        await self._told

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> asyncio.Future[Any]:
        job = super().run_in_executor(executor, func, *args)
        self._jobs += 1
        job.add_done_callback(self._done)
        return job

    def _done(self, _job: asyncio.Future[Any]) -> None:
        self._jobs -= 1

    def _is_awaited(self) -> bool:
        return self._told is not None and not self._jobs

    def _tell(self) -> None:
        if self._told is not None:
            self._told.set_result(None)
            self._told = None


class _Selector(selectors.DefaultSelector):
    """Where somebody wants to know that nothing happens, it says so instead of waiting for something to happen."""

    def __init__(self, *, is_awaited: Callable[[], bool], tell: Callable[[], None]) -> None:
        super().__init__()
        self._is_awaited = is_awaited
        self._tell = tell

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if (timeout is not None and timeout <= 0) or not self._is_awaited():
            return super().select(timeout)
        happened = super().select(0)
        if not happened:
            self._tell()
        return happened
