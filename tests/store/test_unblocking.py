"""A blocked session goes on only for the reason it was blocked for, and only as its caller believed it to be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from overwinter.store.blocks import AcceptedExecution, UnblockResult, UnblockSession
from overwinter.store.changes import Rest, StartSession
from overwinter.store.store import Store

from .examples import T0, advance, claim, execution, session

CODE = "session.definition-changed"


def unblock(**changed: Any) -> UnblockSession:
    return replace(UnblockSession(tenant="acme", session_id="s1", code=CODE, now_ms=T0 + 5), **changed)


def accepted(**changed: Any) -> AcceptedExecution:
    row = AcceptedExecution(
        execution_id="x1", old_fingerprint="f", version="2", fingerprint="g", ledger_json='{"by":"mara"}'
    )
    return replace(row, **changed)


async def blocked(store: Store, *, reason: str = f"{CODE}: other tools") -> None:
    """A session that was blocked with one running execution and one that has ended."""
    await store.start_session(StartSession(session=session(), message=None))
    await store.claim(claim())
    ended = execution(execution_id="x0", status="ended", outcome_json="{}", ended_at_ms=T0)
    rest = Rest(status="blocked", reason=reason, wakes=0, due_at_ms=T0)
    result = await store.advance(advance(executions=(ended, execution()), rest=rest))
    assert result.rested


async def test_a_blocked_session_becomes_ready_and_its_reason_is_gone(store: Store) -> None:
    await blocked(store)
    assert await store.unblock_session(unblock()) is UnblockResult.UNBLOCKED
    row = await store.session("s1")
    assert row is not None
    assert (row.status, row.reason, row.attempts, row.due_at_ms) == ("ready", None, 0, T0 + 5)
    loaded = await store.load("s1")
    assert loaded is not None
    assert (loaded.executions, loaded.events) == ((execution(),), ())


async def test_an_accepted_execution_has_its_new_definition_and_an_event(store: Store) -> None:
    await blocked(store)
    assert await store.unblock_session(unblock(accepted=(accepted(),))) is UnblockResult.UNBLOCKED
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.executions == (execution(version="2", fingerprint="g"),)
    (event,) = loaded.events
    assert (event.seq, event.kind, event.body_json) == (0, "definition_accepted", '{"by":"mara"}')
    assert loaded.session.next_seq == 1


@pytest.mark.parametrize(
    ("change", "result"),
    [
        (unblock(tenant="other"), UnblockResult.UNKNOWN_SESSION),
        (unblock(session_id="s2"), UnblockResult.UNKNOWN_SESSION),
        (unblock(code="session.corrupt"), UnblockResult.NOT_BLOCKED),
        (unblock(code="session.definition"), UnblockResult.NOT_BLOCKED),
        (unblock(accepted=(accepted(old_fingerprint="h"),)), UnblockResult.STALE),
        (unblock(accepted=(accepted(execution_id="x0"),)), UnblockResult.STALE),
        (unblock(accepted=(accepted(), accepted(execution_id="x9"))), UnblockResult.STALE),
    ],
)
async def test_a_refused_change_has_written_nothing(
    store: Store, change: UnblockSession, result: UnblockResult
) -> None:
    await blocked(store)
    before = await store.timeline("s1")
    assert await store.unblock_session(change) is result
    assert await store.timeline("s1") == before


async def test_of_two_at_once_one_finds_it_blocked(store: Store) -> None:
    await blocked(store)
    assert await store.unblock_session(unblock()) is UnblockResult.UNBLOCKED
    assert await store.unblock_session(unblock(accepted=(accepted(),))) is UnblockResult.NOT_BLOCKED
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.executions == (execution(),)


async def test_blocked_sessions_are_listed_page_by_page(store: Store) -> None:
    for session_id in ("s3", "s1", "s2"):
        await store.start_session(
            StartSession(session=session(session_id, status="blocked", reason=f"{CODE}: x"), message=None)
        )
    await store.start_session(StartSession(session=session("s4"), message=None))
    first = await store.blocked(limit=2)
    assert [row.session_id for row in first] == ["s1", "s2"]
    assert [row.session_id for row in await store.blocked(limit=2, after_session_id="s2")] == ["s3"]
