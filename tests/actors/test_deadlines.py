"""Deadlines are fired when they have come, however they became known; one that cannot be fired keeps nobody busy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import cast

import pytest
from structlog.testing import capture_logs

from overwinter.actors.answering import Answering
from overwinter.actors.clock import ManualClock
from overwinter.actors.deadlines import Deadlines
from overwinter.store.errors import StoreBusyError, StoreError, StoreRefusedError
from overwinter.store.rows import PauseRow
from overwinter.store.snapshots import Overdue

from ..store.examples import timer

POLL_S = 60.0


class Pauses:
    """A store with deadlines, and whoever is to fire them."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.open: dict[str, int] = {}
        self.fired: list[tuple[str, int]] = []
        self.broken: set[str] = set()
        self.error: Exception = ValueError("its row cannot be read")
        self.busy = 0
        self.looks = 0
        self.during_look = asyncio.Event()
        self.may_look = asyncio.Event()
        self.may_look.set()

    async def overdue(self, *, now_ms: int, limit: int, after: PauseRow | None = None) -> Overdue:
        self.looks += 1
        if self.busy:
            self.busy -= 1
            raise StoreBusyError
        seen = (-1, "") if after is None else (after.deadline_at_ms or 0, after.pause_id)
        due = sorted((ms, pause_id) for pause_id, ms in self.open.items() if ms <= now_ms and (ms, pause_id) > seen)
        later = [ms for ms in self.open.values() if ms > now_ms]
        self.during_look.set()
        await self.may_look.wait()
        rows = tuple(replace(timer(pause_id), deadline_at_ms=ms) for ms, pause_id in due[:limit])
        return Overdue(pauses=rows, next_ms=min(later, default=None))

    async def tell_before(self, pause: PauseRow) -> bool:
        raise NotImplementedError(f"{pause.kind}: these are timers, which wait for no trigger")

    async def pass_deadline(self, pause: PauseRow) -> bool:
        if pause.pause_id in self.broken:
            raise self.error
        self.fired.append((pause.pause_id, self.clock.now_ms()))
        return self.open.pop(pause.pause_id, None) is not None


@asynccontextmanager
async def at_work(pauses: Pauses) -> AsyncGenerator[Deadlines]:
    survived: list[StoreError] = []
    deadlines = Deadlines(
        store=pauses,
        clock=pauses.clock,
        answering=cast("Answering", pauses),
        poll_s=POLL_S,
        survive=survived.append,
        tell_before=pauses.tell_before,
    )
    work = asyncio.create_task(deadlines.run())
    await calm()
    try:
        yield deadlines
    finally:
        work.cancel()
        await asyncio.wait({work})


async def calm() -> None:
    for _ in range(50):
        await asyncio.sleep(0)  # noqa: TID251  no time passes: what is ready runs


async def test_one_that_cannot_be_fired_keeps_nobody_busy_and_the_others_on_time() -> None:
    clock = ManualClock(1_000_000)
    pauses = Pauses(clock)
    pauses.open = {"broken": 1_000_000, "good": 1_000_000, "later": 1_005_000}
    pauses.broken = {"broken"}
    async with at_work(pauses):
        assert pauses.fired == [("good", 1_000_000)]
        assert pauses.looks == 1
        await clock.advance(ms=5_000)
        await calm()
        assert pauses.fired[1:] == [("later", 1_005_000)]
        assert pauses.looks == 2
        pauses.broken.clear()
        await clock.advance(ms=int(POLL_S * 1000))
        await calm()
        assert [pause_id for pause_id, _ in pauses.fired] == ["good", "later", "broken"]


@pytest.mark.parametrize("error", [ValueError("its row cannot be read"), StoreRefusedError("it cannot be written")])
async def test_however_many_cannot_be_fired_the_others_are(error: Exception) -> None:
    clock = ManualClock(1_000_000)
    pauses = Pauses(clock)
    pauses.error = error
    pauses.broken = {f"broken {number:04}" for number in range(1100)}
    pauses.open = {**dict.fromkeys(pauses.broken, 1_000_000), "good": 1_000_000, "late": 1_000_000 - 1}
    with capture_logs() as logs:
        async with at_work(pauses):
            assert pauses.fired == [("late", 1_000_000), ("good", 1_000_000)]
            assert pauses.looks == 3, "each is tried once"
    assert [each["event"] for each in logs] == ["deadline.failed"] * 1100


async def test_one_that_is_noted_while_it_is_looked_for_others_is_fired_on_time() -> None:
    clock = ManualClock(1_000_000)
    pauses = Pauses(clock)
    pauses.open = {"far": 1_050_000}
    pauses.may_look.clear()
    async with at_work(pauses) as deadlines:
        await pauses.during_look.wait()
        pauses.open["near"] = 1_002_000
        deadlines.note(1_002_000)
        deadlines.note(1_030_000)
        pauses.may_look.set()
        await calm()
        assert pauses.looks == 1, "what was noted needs no look of its own"
        await clock.advance(ms=2_000)
        await calm()
        assert pauses.fired == [("near", 1_002_000)]
        pauses.open["nearest"] = 1_003_000
        deadlines.note(1_003_000)
        await calm()
        await clock.advance(ms=1_000)
        await calm()
        assert pauses.fired[1:] == [("nearest", 1_003_000)]


async def test_while_the_store_is_busy_what_was_noted_is_tried_at_its_time() -> None:
    clock = ManualClock(1_000_000)
    pauses = Pauses(clock)
    pauses.busy = 1
    async with at_work(pauses) as deadlines:
        pauses.open["noted"] = 1_004_000
        deadlines.note(1_004_000)
        await calm()
        await clock.advance(ms=4_000)
        await calm()
        assert pauses.fired == [("noted", 1_004_000)]


async def test_what_nobody_has_told_of_is_found_by_the_poll() -> None:
    clock = ManualClock(1_000_000)
    pauses = Pauses(clock)
    async with at_work(pauses):
        pauses.open["of another process"] = 1_010_000
        await clock.advance(ms=int(POLL_S * 1000))
        await calm()
        assert pauses.fired == [("of another process", 1_060_000)]
