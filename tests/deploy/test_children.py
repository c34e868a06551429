"""Child processes: they say, they end, and they are gone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.deploy.bench_app import Cycles, Sight
from overwinter.deploy.children import children_in
from overwinter.deploy.errors import BenchFailedError, DemoFailedError

TALKS = "import sys\nprint('{\"a\": 1}', flush=True)\nprint('{\"b\": 2}', flush=True)\nsys.stdin.read()\n"
DIES = 'import sys\nprint(\'{"a": 1}\', flush=True)\nsys.exit("it is too cold")\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "talks.py").write_text(TALKS)
    (tmp_path / "dies.py").write_text(DIES)
    return tmp_path


def has(name: str) -> Callable[[dict[str, Any]], bool]:
    def is_in(said: dict[str, Any]) -> bool:
        return name in said

    return is_in


async def test_a_child_is_heard_and_gone_when_the_block_ends(folder: Path) -> None:
    async with children_in(folder) as children:
        child = await children.start("talks")
        assert await child.wait_said(has("b"), within_s=60) == {"b": 2}
        os.kill(child.pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)


async def test_a_child_is_gone_when_the_block_is_cancelled(folder: Path) -> None:
    pids: list[int] = []

    async def listen() -> None:
        async with children_in(folder) as children:
            child = await children.start("talks")
            await child.wait_said(has("a"), within_s=60)
            pids.append(child.pid)
            started.set()
            await child.wait_said(has("never"), within_s=60)

    started = asyncio.Event()
    task = asyncio.create_task(listen())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


async def test_a_child_that_ends_by_itself_is_told_with_its_last_words(folder: Path) -> None:
    async with children_in(folder) as children:
        child = await children.start("dies")
        with pytest.raises(DemoFailedError, match="ended by itself with code 1: it is too cold") as caught:
            await child.wait_said(has("b"), within_s=60)
    assert caught.value.code == "demo.failed"


async def test_a_silent_child_is_not_waited_for_longer_than_said(folder: Path) -> None:
    async with children_in(folder) as children:
        child = await children.start("talks")
        with pytest.raises(DemoFailedError, match="said nothing of it within"):
            await child.wait_said(has("never"), within_s=0.01)
        with pytest.raises(DemoFailedError, match="did not end within"):
            await children.run("talks", within_s=0.01)


async def test_a_measured_session_that_fails_ends_the_measurement() -> None:
    cycles = Cycles(clock=ManualClock())
    session_id, cycle = cycles.add()
    cycles.rests(session_id, "waiting", None)
    assert not cycle.finished.done()
    cycles.rests(session_id, "idle", "step.failed: boom")
    for future in (cycle.asked, cycle.ran, cycle.finished):
        with pytest.raises(BenchFailedError, match=f"{session_id} came to rest as idle: step"):
            await future


async def test_what_is_seen_of_the_session_of_another_process_is_told_to_that_one() -> None:
    theirs, ours = Cycles(clock=ManualClock(), process=3), Cycles(clock=ManualClock())
    session_id, cycle = theirs.add()
    told: list[tuple[int, Sight]] = []
    ours.tell_by(lambda process, sight: told.append((process, sight)))
    ours.runs(session_id)
    ours.rests(session_id, "idle", None)
    assert not cycle.ran.done()
    for process, sight in told:
        assert process == 3
        theirs.see(sight)
    assert cycle.ran.done()
    await cycle.finished
