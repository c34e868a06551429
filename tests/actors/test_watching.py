"""How much of its time the watching of files takes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

from overwinter.actors.answering import Answering
from overwinter.actors.clock import ManualClock
from overwinter.actors.triggers import Triggers
from overwinter.actors.watching import FileWatching
from overwinter.actors.workspaces import Workspaces
from overwinter.store.rows import PauseRow
from overwinter.store.trigger_rows import TriggerRow

LOOK_MS = 400


class SlowDisk:
    """A store without waits; each look takes its time, and something changes in the middle of it."""

    def __init__(self, clock: ManualClock, *, look_ms: int) -> None:
        self.clock = clock
        self.look_ms = look_ms
        self.looks = 0
        self.watching_files: FileWatching | None = None

    async def watching(self, *, limit: int, after_pause_id: str = "") -> tuple[PauseRow, ...]:
        self.looks += 1
        await self.clock.advance(ms=self.look_ms)
        assert self.watching_files is not None
        self.watching_files.look_now()
        return ()

    async def of_kind(self, kind: str) -> tuple[TriggerRow, ...]:
        return ()

    async def set_state(self, trigger_id: str, *, was: str | None, state_json: str) -> bool:
        return False


def at_work(disk: SlowDisk, folder: Path) -> FileWatching:
    nothing: Any = None
    disk.watching_files = FileWatching(
        waits=disk,
        stored_triggers=disk,
        triggers=cast("Triggers", nothing),
        workspaces=Workspaces(folder),
        hints=nothing,
        answering=cast("Answering", nothing),
        clock=disk.clock,
        poll_s=2.0,
    )
    return disk.watching_files


async def calm() -> None:
    for _ in range(10):
        await asyncio.sleep(0)  # noqa: TID251  no time passes: what is ready runs


async def test_files_that_change_without_end_keep_it_busy_for_a_part_of_its_time(tmp_path: Path) -> None:
    clock = ManualClock()
    disk = SlowDisk(clock, look_ms=LOOK_MS)
    work = asyncio.create_task(at_work(disk, tmp_path).run())
    began_s = clock.monotonic_s()
    for _ in range(100):
        await clock.advance(ms=100)
        await calm()
    work.cancel()
    await asyncio.wait({work})
    assert disk.looks > 1
    assert disk.looks <= 1 + (clock.monotonic_s() - began_s) * 1000 / (5 * LOOK_MS)


async def test_a_process_that_stood_still_as_it_looked_rests_for_no_more_than_a_moment(tmp_path: Path) -> None:
    clock = ManualClock()
    disk = SlowDisk(clock, look_ms=3 * 24 * 3_600_000)
    watching = at_work(disk, tmp_path)
    work = asyncio.create_task(watching.run())
    await calm()
    assert (disk.looks, watching.is_busy) == (1, False), "whoever wants to see it at rest does"
    await clock.advance(ms=2_000)
    await calm()
    assert disk.looks == 2
    work.cancel()
    await asyncio.wait({work})
