"""When it is looked: at once, when a moment is over, when something is due; and that no hint is lost in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from overwinter.actors.clock import ManualClock
from overwinter.actors.looking import Looking

POLL_MS = 2_000


class Looks:
    """Keeps when it was looked; ``tell`` is called in the middle of each look."""

    def __init__(self) -> None:
        self.clock = ManualClock(0)
        self.at_ms: list[int] = []
        self.due_ms: int | None = None
        self.hint_ms: int | None = None
        self.looking = Looking(clock=self.clock, look=self._look, poll_ms=lambda: POLL_MS)

    async def _look(self) -> int | None:
        self.at_ms.append(self.clock.now_ms())
        if self.hint_ms is not None:
            self.looking.tell_for(self.hint_ms)
            self.hint_ms = None
        return self.due_ms

    @asynccontextmanager
    async def at_work(self) -> AsyncGenerator[None]:
        work = asyncio.create_task(self.looking.run())
        try:
            await self.pass_ms(0)
            yield
        finally:
            work.cancel()
            await asyncio.wait({work})

    async def pass_ms(self, ms: int) -> None:
        await self.clock.advance(ms=ms)
        for _ in range(10):
            await asyncio.sleep(0)  # noqa: TID251  no time passes: what is ready runs


async def test_what_may_wait_a_moment_is_looked_at_when_that_is_over_and_once() -> None:
    looks = Looks()
    async with looks.at_work():
        await looks.pass_ms(100)
        for at_ms in (250, 300, 240, 260):
            looks.looking.tell_for(at_ms)
        assert not looks.looking.is_busy, "it waits for the clock"
        await looks.pass_ms(139)
        assert looks.at_ms == [0]
        await looks.pass_ms(1)
        assert looks.at_ms == [0, 240]
        await looks.pass_ms(POLL_MS - 1)
        assert looks.at_ms == [0, 240], "one look was for all of them"
        await looks.pass_ms(1)
        assert looks.at_ms == [0, 240, 240 + POLL_MS]


async def test_a_look_in_between_is_for_what_could_wait_as_well() -> None:
    looks = Looks()
    async with looks.at_work():
        looks.looking.tell_for(250)
        looks.looking.tell()
        await looks.pass_ms(10)
        assert looks.at_ms == [0, 10]
        await looks.pass_ms(300)
        assert looks.at_ms == [0, 10]


async def test_what_comes_during_a_look_and_may_wait_is_looked_at_later() -> None:
    looks = Looks()
    looks.hint_ms = 250
    async with looks.at_work():
        assert looks.at_ms == [0]
        await looks.pass_ms(250)
        assert looks.at_ms == [0, 250]


async def test_it_waits_for_no_hint_longer_than_for_what_is_due() -> None:
    looks = Looks()
    looks.due_ms = 50
    async with looks.at_work():
        looks.looking.tell_for(250)
        looks.due_ms = None
        await looks.pass_ms(50)
        assert looks.at_ms == [0, 50]


async def test_a_clock_set_back_meanwhile_holds_no_hint_up() -> None:
    looks = Looks()
    async with looks.at_work():
        looks.looking.tell_for(250)
        await looks.pass_ms(0)
        await looks.pass_ms(-3_600_000)
        await looks.pass_ms(249)
        assert looks.at_ms == [0]
        await looks.pass_ms(1)
        assert looks.at_ms == [0, 250 - 3_600_000]
