"""Sessions that earlier versions have put away go on with today's code, and nothing that was recorded happens again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.bots.testing.kit import Kit
from overwinter.store.audit import verify
from overwinter.store.snapshots import Timeline
from overwinter.store.store import Store

from .office import Office
from .stories import STORIES

FOLDER = Path(__file__).parent
RECORDED = sorted(FOLDER.glob("*/*.sql"))
LATER_MS = 60 * 60 * 1000
"""How long after its last event a recorded session is found; every lease of its time has run out."""


def restore(recording: Path, path: Path) -> None:
    """Make the database that was recorded."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(recording.read_text())


async def restored(recording: Path, path: Path) -> Timeline:
    """Make the database that was recorded; returns what is in it of its only session."""
    restore(recording, path)
    store = await Store.open(path)
    try:
        (session,) = await store.sessions(tenant=None, statuses=None, limit=2)
        timeline = await store.timeline(session.session_id)
    finally:
        await store.aclose()
    assert timeline is not None
    return timeline


def test_every_story_is_recorded() -> None:
    assert {path.stem for path in RECORDED} == set(STORIES)


@pytest.mark.behaviour("A17")
@pytest.mark.parametrize("recording", RECORDED, ids=lambda path: f"{path.parent.name}/{path.stem}")
async def test_a_recorded_session_goes_on_and_repeats_nothing(recording: Path, tmp_path: Path) -> None:
    story = STORIES[recording.stem]
    office = Office()
    path = tmp_path / "w.db"
    before = await restored(recording, path)
    session_id = before.session.session_id
    clock = ManualClock(before.events[-1].at_ms + LATER_MS)
    async with Kit(build=office.app, path=path, clock=clock).running() as kit:
        await kit.settle()
        await story.go_on(kit, session_id)
        after = await kit.timeline(session_id)
        entries = await kit.store.audit(tenant=kit.tenant, limit=1000)
        assert await kit.outcome(session_id) == story.outcome
        assert await kit.pending() == ()
    assert after.session.status == story.status
    assert office.ran == story.ran_after
    assert office.model_calls == story.model_calls_after
    assert after.events[: len(before.events)] == before.events
    assert entries[: len(before.audit)] == before.audit
    assert verify(entries) is None


async def test_what_a_model_is_told_begins_before_the_recording(tmp_path: Path) -> None:
    office = Office()
    path = tmp_path / "w.db"
    before = await restored(FOLDER / "0.1" / "agent_waits_for_a_message.sql", path)
    clock = ManualClock(before.events[-1].at_ms + LATER_MS)
    async with Kit(build=office.app, path=path, clock=clock).running() as kit:
        await kit.say(before.session.session_id, "bye")
    assert [content for role, content in office.last_model_saw if role != "system"] == [
        "hello",
        "Hello.",
        "are you there?",
        "Still here.",
        "bye",
    ]


async def test_a_step_that_died_waits_for_an_operator_and_the_model_reads_what_they_found(tmp_path: Path) -> None:
    office = Office()
    path = tmp_path / "w.db"
    before = await restored(FOLDER / "0.1" / "died_in_a_step_that_runs_once.sql", path)
    clock = ManualClock(before.events[-1].at_ms + LATER_MS)
    async with Kit(build=office.app, path=path, clock=clock).running() as kit:
        await kit.settle()
        session = await kit.session(before.session.session_id)
        assert (session.status, office.model_calls) == ("waiting", 0)
        await STORIES["died_in_a_step_that_runs_once"].go_on(kit, session.session_id)
    assert office.ran == []
    assert "op has found that it failed: not paid" in office.last_model_saw[-1][1]
