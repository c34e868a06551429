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

LOOK_MS = 1_000


class SlowDisk:
    """A store without waits; each look takes a second, and something changes in the middle of it."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.looks = 0
        self.watching_files: FileWatching | None = None

    async def watching(self, *, limit: int, after_pause_id: str = "") -> tuple[PauseRow, ...]:
        self.looks += 1
        await self.clock.advance(ms=LOOK_MS)
        assert self.watching_files is not None
        self.watching_files.look_now()
        return ()

    async def of_kind(self, kind: str) -> tuple[TriggerRow, ...]:
        return ()

    async def set_state(self, trigger_id: str, *, was: str | None, state_json: str) -> bool:
        return False


async def test_files_that_change_without_end_keep_it_busy_for_a_part_of_its_time(tmp_path: Path) -> None:
    clock = ManualClock()
    disk = SlowDisk(clock)
    nothing: Any = None
    disk.watching_files = FileWatching(
        waits=disk,
        stored_triggers=disk,
        triggers=cast("Triggers", nothing),
        workspaces=Workspaces(tmp_path),
        hints=nothing,
        answering=cast("Answering", nothing),
        clock=clock,
        poll_s=2.0,
    )
    work = asyncio.create_task(disk.watching_files.run())
    began_s = clock.monotonic_s()
    for _ in range(100):
        await clock.advance(ms=100)
        for _ in range(10):
            await asyncio.sleep(0)  # noqa: TID251  no time passes: what is ready runs
    work.cancel()
    await asyncio.wait({work})
    assert 2 <= disk.looks <= 1 + (clock.monotonic_s() - began_s) / 5
