"""What a writer knows is not read again, and is never older than what the database has."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from overwinter.store.changes import CancelSession, Sweep
from overwinter.store.drafts import PauseDraft, SessionDraft
from overwinter.store.errors import StoreRefusedError
from overwinter.store.known import LONGEST, MOST_ROWS, Known
from overwinter.store.resolutions import CancelPause
from overwinter.store.rows import AnchorRow
from overwinter.store.store import Store
from overwinter.store.view import View

from .examples import (
    T0,
    advance,
    asleep,
    claim,
    claim_deliveries,
    event,
    post,
    question,
    resolve,
    rest,
    running,
    session,
    settle,
)
from .test_writer import statements

CANCEL = CancelSession(tenant="acme", session_id="s1", reason="r", responder=None, ledger_json="{}", now_ms=T0)


def tables_read(heard: list[str]) -> list[str]:
    return [text.partition("FROM ")[2].split()[0] for text in heard if text.startswith("SELECT")]


async def test_what_was_just_written_is_not_read_again(store: Store) -> None:
    await running(store)
    with statements() as heard:
        await store.advance(advance(ledger=(event(0),)))
        await store.advance(
            advance(ledger=(event(1),), open=(question(),), deliveries=(post(holder="d1"),), rest=rest())
        )
        await store.settle_delivery(settle())
        assert (await store.resolve_pause(resolve())).outcome == "resolved"
    assert tables_read(heard) == ["audit"]  # where the chain of the audit ends, the first time
    with statements() as heard:
        await store.claim(claim())
        assert (await store.advance(advance(epoch=2, take=("p1",)))).outcome == "done"
    assert tables_read(heard) == ["sessions", "sessions"]  # the claim


async def test_a_row_that_is_not_known_is_read(store: Store, database: Path) -> None:
    await asleep(store, question())
    other = await Store.open(database)
    try:
        with statements() as heard:
            assert (await other.resolve_pause(resolve())).outcome == "resolved"
        assert {"pauses", "deliveries", "sessions"} <= set(tables_read(heard))
    finally:
        await other.aclose()


async def test_nothing_is_known_any_more_once_another_process_has_written(store: Store, database: Path) -> None:
    await running(store)
    await store.advance(advance(open=(question(),), deliveries=(post(),)))
    other = await Store.open(database)
    try:
        assert (await other.resolve_pause(resolve(responder="otto"))).outcome == "resolved"
        lost = await store.resolve_pause(resolve(responder="mara"))
        assert (lost.outcome, lost.pause and lost.pause.responder) == ("not_pending", "otto")
        await other.cancel_session(CANCEL)
        assert (await store.advance(advance(ledger=(event(0),)))).outcome == "lease_lost"
        assert (await store.sessions(tenant=None, statuses=None, limit=9))[0].status == "cancelled"
    finally:
        await other.aclose()


async def test_what_was_rolled_back_is_not_known(store: Store) -> None:
    await running(store)
    with pytest.raises(StoreRefusedError):
        await store.advance(advance(ledger=(event(0, body_json=None),)))
    result = await store.advance(advance(ledger=(event(0),), rest=rest()))
    assert (result.outcome, result.rested) == ("done", True)
    loaded = await store.load("s1")
    assert loaded is not None
    assert (loaded.session.next_seq, loaded.session.status) == (1, "waiting")


async def test_a_pause_that_was_swept_is_not_known(store: Store) -> None:
    await running(store)
    await store.advance(advance(open=(question(execution_id="gone"),)))
    await store.cancel_pause(CancelPause(pause_id="p1", answer_json="{}", responder=None, now_ms=T0))
    assert (await store.sweep(Sweep(closed_before_ms=T0 + 1, limit=9))).pauses == 1
    assert (await store.resolve_pause(resolve())).outcome == "unknown"


async def test_every_delivery_of_a_pause_is_known_or_none(store: Store) -> None:
    """A claim sees single deliveries; what closes a question must see all of them."""
    await asleep(store, question(), is_sent=True)
    assert (await store.resolve_pause(resolve())).outcome == "resolved"
    claimed = await store.claim_deliveries(claim_deliveries())
    assert [delivery.kind for delivery, _ in claimed.deliveries] == ["withdraw"]


def test_memory_does_not_grow_with_sessions() -> None:
    known = Known()
    known.check(1)
    for start in range(0, 3 * MOST_ROWS, 100):
        view = View()
        for number in range(start, start + 100):
            name = f"s{number}"
            view.sessions[name] = SessionDraft.of(session(name))
            view.pauses[name] = PauseDraft.of(question(name, name))
        known.keep(view)
    assert len(known.sessions) == len(known.pauses) == len(known.deliveries) == MOST_ROWS
    assert f"s{3 * MOST_ROWS - 1}" in known.sessions


def test_a_long_text_is_not_kept_in_memory() -> None:
    known = Known()
    known.check(1)
    view = View()
    view.pauses["p1"] = PauseDraft.of(question(ask_json="x" * (LONGEST + 1)))
    known.keep(view)
    assert known.pauses == {}


def test_where_the_database_cannot_tell_nothing_is_known() -> None:
    known = Known()
    known.check(None)
    view = View()
    view.sessions["s1"] = SessionDraft.of(session())
    known.keep(view)
    assert known.sessions == {}


async def test_what_one_part_of_a_transaction_has_read_for_itself_another_does_not_find_as_it_was_before(
    store: Store,
) -> None:
    await asleep(store, question())
    assert (await store.resolve_pause(resolve())).outcome == "resolved"  # the session is known, as ready
    busy = [
        asyncio.create_task(store.advance(advance("nobody"))) for _ in range(2)
    ]  # the others come together meanwhile
    bound = AnchorRow(channel="slack", anchor="a", session_id=None, pause_id=None, body_json="1", created_at_ms=T0)
    claiming = asyncio.create_task(store.claim(claim()))
    binding = asyncio.create_task(store.anchors.bind(bound))
    advancing = asyncio.create_task(store.advance(advance(epoch=2, take=("p1",))))
    await asyncio.wait({*busy, binding, claiming, advancing})
    assert [each.session_id for each in (await claiming).sessions] == ["s1"]
    assert (await advancing).outcome == "done"
