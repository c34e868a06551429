"""An answer is stored, its question decided, its session woken, its withdrawal queued: all of it or nothing, whenever we die."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from overwinter.store.store import Store

from .children import start_child
from .examples import answer, asleep, question, resolve

MOST_BOUNDARIES = 80


async def prepare(database: Path) -> None:
    store = await Store.open(database)
    await asleep(store, question(), is_sent=True)
    await store.aclose()


async def check(database: Path, *, is_acknowledged: bool) -> bool:
    """Look at what a killed process left, then go on from there; return whether its answer was stored."""
    store = await Store.open(database)
    try:
        loaded, timeline = await store.load("s1"), await store.timeline("s1")
        assert loaded is not None
        assert timeline is not None
        (pause,) = loaded.pauses
        is_stored = pause.status == "resolved"
        assert is_stored or not is_acknowledged, "an acknowledged answer is lost"
        assert (pause.answer_json is not None) == is_stored, "decided without an answer"
        assert (loaded.session.status, loaded.session.wakes) == (("ready", 1) if is_stored else ("waiting", 0)), (
            "wake lost"
        )
        withdrawals = [row for row in timeline.deliveries if row.kind == "withdraw"]
        assert len(withdrawals) == int(is_stored), "withdrawn before it was decided, or never"
        assert len(timeline.audit) == int(is_stored)

        again = await store.resolve_pause(resolve(inbound=answer()))
        assert again.outcome == ("duplicate" if is_stored else "resolved")
        return is_stored
    finally:
        await store.aclose()


@pytest.mark.case("st14")
def test_an_answer_survives_a_kill_at_every_statement_boundary(tmp_path: Path) -> None:
    before = tmp_path / "before.db"
    asyncio.run(prepare(before))
    stored: list[bool] = []
    with start_child("answers") as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for count in range(1, MOST_BOUNDARIES):
            database = tmp_path / f"{count}.db"
            shutil.copy(before, database)
            child.stdin.write(f"{database} {count}\n")
            child.stdin.flush()
            said = child.stdout.readline()
            is_acknowledged = said.startswith("acknowledged")
            ended = child.stdout.readline() if is_acknowledged else said
            assert ended in ("exit: -9\n", "exit: 0\n")
            stored.append(asyncio.run(check(database, is_acknowledged=is_acknowledged)))
            if ended == "exit: 0\n":
                break
        else:
            pytest.fail("it never came to its end")
        child.stdin.close()
    boundaries = len(stored) - 1
    assert boundaries >= 20, "BEGIN, the reads, the writes and COMMIT, each from both sides"
    # The commit is the one boundary that matters: nothing before it, everything after it.
    assert stored == [False] * stored.index(True) + [True] * (len(stored) - stored.index(True))
    assert stored.index(True) > 15
