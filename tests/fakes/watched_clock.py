"""A manual clock that tells its test when somebody begins to sleep, so that the test need not guess when to move it."""

from __future__ import annotations

import asyncio

from overwinter.actors.clock import ManualClock


class WatchedClock:
    """A ``Clock``; what it knows of time is a ``ManualClock``'s."""

    def __init__(self) -> None:
        self._clock = ManualClock()
        self._begun: asyncio.Queue[int] = asyncio.Queue()

    def now_ms(self) -> int:
        return self._clock.now_ms()

    def monotonic_s(self) -> float:
        return self._clock.monotonic_s()

    async def sleep_until_ms(self, due_ms: int) -> None:
        self._begun.put_nowait(due_ms - self.now_ms())
        await self._clock.sleep_until_ms(due_ms)

    async def advance(self, *, ms: int) -> None:
        await self._clock.advance(ms=ms)

    async def wait_for_sleep(self) -> int:
        """How long the next sleeper wants to sleep, in ms; each is told once, in the order in which they began."""
        return await self._begun.get()
