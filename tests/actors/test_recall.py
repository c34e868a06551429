"""Which waits are open, from the events alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.actors.errors import PauseStillOpenError
from overwinter.actors.events import EventKind
from overwinter.actors.recall import check_ready, open_waits
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.kit import Kit
from overwinter.bots.toolsets.system import ask_user
from overwinter.store.rows import LedgerRow

pytestmark = pytest.mark.behaviour("A5")

OPENED, TAKEN, CLOSED = EventKind.PAUSE_OPENED, EventKind.PAUSE_TAKEN, EventKind.PAUSE_CLOSED
ENDED, FAILED, CANCELLED = EventKind.EXECUTION_ENDED, EventKind.EXECUTION_FAILED, EventKind.SESSION_CANCELLED


def ledger(*events: tuple[str, str] | tuple[str, str, str]) -> list[LedgerRow]:
    """Rows of (kind, key) or (kind, key, execution)."""
    return [
        LedgerRow(
            session_id="s1",
            seq=seq,
            execution_id=event[2] if len(event) == 3 else "x1",
            kind=event[0],
            key=event[1],
            body_json="{}",
            at_ms=0,
        )
        for seq, event in enumerate(events)
    ]


@pytest.mark.parametrize(
    ("events", "waits"),
    [
        ([], ()),
        ([(OPENED, "/a")], ("/a",)),
        ([(OPENED, "/b"), (OPENED, "/a")], ("/b", "/a")),
        ([(OPENED, "/a"), (TAKEN, "/a")], ()),
        ([(OPENED, "/a"), (CLOSED, "/a")], ()),
        ([(OPENED, "/a"), (OPENED, "/b"), (TAKEN, "/a"), (OPENED, "/c"), (CLOSED, "/b")], ("/c",)),
        ([(OPENED, "/a"), (EventKind.STEP_RETURNED, "/a"), (EventKind.SESSION_BLOCKED, "")], ("/a",)),
        ([(OPENED, "/a", "x1"), (OPENED, "/a", "x2"), (TAKEN, "/a", "x1")], ("/a",)),
        ([(OPENED, "/a", "x1"), (OPENED, "/b", "x2"), (ENDED, "", "x1")], ("/b",)),
        ([(OPENED, "/a", "x1"), (OPENED, "/b", "x2"), (FAILED, "", "x2")], ("/a",)),
        ([(OPENED, "/a", "x1"), (OPENED, "/b", "x2"), (CANCELLED, "", "")], ()),
    ],
)
def test_open_is_what_was_reached_and_neither_taken_nor_closed(
    events: list[tuple[str, str]], waits: tuple[str, ...]
) -> None:
    assert open_waits(ledger(*events)) == waits
    if waits:
        with pytest.raises(PauseStillOpenError, match=waits[0]) as caught:
            check_ready(ledger(*events))
        assert caught.value.code == "pause.still-open"
        assert all(key in str(caught.value) for key in waits)
    else:
        check_ready(ledger(*events))


@given(
    st.permutations(["/a", "/b", "/c", "/d", "/e"]),
    st.lists(st.sampled_from([None, TAKEN, CLOSED]), min_size=5, max_size=5),
)
def test_what_is_open_is_what_was_opened_less_what_has_ended(opened: list[str], ends: list[str | None]) -> None:
    ended = [(kind, key) for key, kind in zip(opened, ends, strict=True) if kind is not None]
    events = ledger(*((OPENED, key) for key in opened), *reversed(ended))
    gone = {key for _, key in ended}
    assert open_waits(events) == tuple(key for key in opened if key not in gone)
    assert open_waits(events[: len(opened)]) == tuple(opened)


async def test_a_sessions_own_events_say_what_it_waits_for(tmp_path: Path) -> None:
    both = calls_all(
        calls("ask_user", {"prompt": "One?"}, call_id="c1"), calls("ask_user", {"prompt": "Two?"}, call_id="c2")
    )
    script = ScriptedModel.by_turn([both, says("Done.")])
    app = App(name="a", agents=[Agent(name="b", tools=[ask_user], model=script)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go", surface="workspace")
        for answered in range(3):
            events = (await kit.timeline(session_id)).events
            assert set(open_waits(events)) == {pause.key for pause in await kit.pending(session_id)}
            assert len(open_waits(events)) == 2 - answered
            if answered < 2:
                with pytest.raises(PauseStillOpenError):
                    check_ready(events)
                await kit.say(session_id, "yes")
        check_ready((await kit.timeline(session_id)).events)
