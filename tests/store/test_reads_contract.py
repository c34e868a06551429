"""What every store gives back: lists for people, times for the clock, all that a revival needs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from overwinter.store.resolutions import CancelPause
from overwinter.store.rows import PauseRow
from overwinter.store.snapshots import Due
from overwinter.store.store import Store

from .conftest import OpenStore
from .examples import (
    HOLDER,
    MINUTE,
    T0,
    advance,
    asleep,
    claim,
    claim_deliveries,
    event,
    execution,
    post,
    question,
    resolve,
    rest,
    running,
    settle,
    started,
    timer,
)


async def test_an_unknown_session_is_none_everywhere(store: Store) -> None:
    assert await store.load("nobody") is None
    assert await store.session("nobody") is None
    assert await store.pause("nobody") is None
    assert await store.timeline("nobody") is None
    assert await store.pending_pauses(tenant=None, session_id="nobody", limit=9) == ()


# -- revival -----------------------------------------------------------------------------------------------------------
async def test_a_revival_gets_the_open_executions_root_first_with_their_events_in_order(store: Store) -> None:
    await started(store)
    await store.claim(claim())
    root = execution(execution_id="x5", started_at_ms=T0 + 5)
    children = (
        execution(execution_id="x1", parent_id="x5", started_at_ms=T0 + 6),
        execution(execution_id="x2", parent_id="x5", started_at_ms=T0 + 6, status="ended", ended_at_ms=T0 + 7),
    )
    events = tuple(event(seq, execution_id=f"x{(5, 1, 2)[seq % 3]}") for seq in range(9))
    of_session = event(9, execution_id="", kind="session_note")
    await store.advance(advance(executions=(*children, root), ledger=(*events, of_session)))
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.executions == (root, children[0])
    assert loaded.events == tuple(one for one in events if one.execution_id != "x2")
    timeline = await store.timeline("s1")
    assert timeline is not None
    assert timeline.events == (*events, of_session)


async def test_a_revival_gets_the_pauses_of_the_open_executions_that_are_not_taken(store: Store) -> None:
    await running(store)
    ended = execution(execution_id="x0", status="ended", ended_at_ms=T0)
    pauses = tuple(question(name) for name in ("pending", "resolved", "cancelled", "taken"))
    await store.advance(advance(executions=(ended,), open=(*pauses, question("of another", execution_id="x0"))))
    await store.resolve_pause(resolve("resolved"))
    await store.resolve_pause(resolve("taken"))
    await store.cancel_pause(CancelPause(pause_id="cancelled", answer_json="{}", responder=None, now_ms=T0))
    await store.advance(advance(take=("taken",)))
    loaded = await store.load("s1")
    assert loaded is not None
    assert {(pause.pause_id, pause.status) for pause in loaded.pauses} == {
        ("pending", "pending"),
        ("resolved", "resolved"),
        ("cancelled", "cancelled"),
    }


async def test_flags_come_back_as_flags(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    pause, session = await store.pause("p1"), await store.session("s1")
    assert pause is not None
    assert session is not None
    assert pause.is_sent is True
    assert session.is_cancel_requested is False


async def test_history_is_the_events_of_some_kinds_of_the_executions_before(store: Store) -> None:
    await started(store)
    await store.claim(claim())
    ended = execution(execution_id="x1", status="ended", ended_at_ms=T0)
    child = execution(execution_id="x2", parent_id="x3")
    events = (
        event(0, execution_id="x1", kind="message"),
        event(1, execution_id="x1", kind="step_returned"),
        event(2, execution_id="x1", kind="reply"),
        event(3, execution_id="x2", kind="message"),
        event(4, execution_id="x3", kind="message"),
    )
    await store.advance(advance(executions=(ended, child, execution(execution_id="x3")), ledger=events))
    kinds = frozenset({"message", "reply"})
    assert await store.events_before("s1", "x3", kinds=kinds) == (events[0], events[2])
    assert await store.events_before("s1", "x1", kinds=kinds) == ()
    assert await store.events_before("s1", "x3", kinds=frozenset()) == ()


# -- lists -------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("A14")
async def test_sessions_are_listed_newest_updated_first(store: Store) -> None:
    for n, tenant in enumerate(["acme", "globex", "acme", "acme"]):
        await started(store, f"s{n}", tenant=tenant, updated_at_ms=T0 + (3, 9, 1, 5)[n])
    await store.claim(claim(limit=1, now_ms=T0 + 20))

    async def listed(tenant: str | None, *statuses: str, limit: int = 9, offset: int = 0) -> list[str]:
        found = await store.sessions(
            tenant=tenant, statuses=frozenset(statuses) if statuses else None, limit=limit, offset=offset
        )
        return [one.session_id for one in found]

    assert await listed(None) == ["s0", "s1", "s3", "s2"]
    assert await listed("acme") == ["s0", "s3", "s2"]
    assert await listed("acme", "ready") == ["s3", "s2"]
    assert await listed(None, "running", "blocked") == ["s0"]
    assert await listed(None, limit=2, offset=1) == ["s1", "s3"]
    assert await listed("nobody") == []


async def test_sessions_are_found_by_their_ids(store: Store) -> None:
    for session_id in ("s1", "s2", "s3"):
        await started(store, session_id)
    found = await store.sessions_named(frozenset({"s3", "s1", "nobody"}))
    assert {one.session_id for one in found} == {"s1", "s3"}
    assert await store.session("s1") in found
    assert await store.sessions_named(frozenset()) == ()


async def test_pending_pauses_are_listed_oldest_first(store: Store) -> None:
    await asleep(store, question("new", asked_at_ms=T0 + 9), question("old", asked_at_ms=T0 + 1), question("answered"))
    await store.resolve_pause(resolve("answered"))
    await store.claim(claim())
    await asleep(store, question("other", "s2", tenant="globex", asked_at_ms=T0 + 5), session_id="s2")

    async def listed(tenant: str | None = None, session_id: str | None = None, limit: int = 9) -> list[str]:
        found = await store.pending_pauses(tenant=tenant, session_id=session_id, limit=limit)
        return [one.pause_id for one in found]

    assert await listed() == ["old", "other", "new"]
    assert await listed(limit=1) == ["old"]
    assert await listed(tenant="globex") == ["other"]
    assert await listed(session_id="s1") == ["old", "new"]
    assert await listed(tenant="globex", session_id="s1") == []


async def test_overdue_pauses_are_listed_by_their_deadline(store: Store) -> None:
    pauses = [question(f"p{n}", deadline_at_ms=T0 + n) for n in (3, 1, 2)]
    await asleep(store, *pauses, question("never"), replace(timer("answered"), deadline_at_ms=T0))
    await store.resolve_pause(resolve("answered"))

    async def listed(now_ms: int, limit: int = 9, after: str | None = None) -> tuple[list[str], int | None]:
        last = None if after is None else await store.pause(after)
        overdue = await store.overdue(now_ms=now_ms, limit=limit, after=last)
        return [one.pause_id for one in overdue.pauses], overdue.next_ms

    assert await listed(T0) == ([], T0 + 1)
    assert await listed(T0 + 2) == (["p1", "p2"], T0 + 3)
    assert await listed(T0 + 99, limit=2) == (["p1", "p2"], None)
    assert await listed(T0 + 99, limit=2, after="p1") == (["p2", "p3"], None)
    assert await listed(T0 + 99, after="p3") == ([], None)


async def test_pauses_that_are_overdue_since_one_moment_are_listed_session_by_session(store: Store) -> None:
    for pause_id, session_id in (("p3", "s1"), ("p1", "s2"), ("p0", "s3")):
        await running(store, session_id)
        await store.advance(advance(session_id, open=(question(pause_id, session_id, deadline_at_ms=T0),)))
    seen: list[str] = []
    last: PauseRow | None = None
    while page := (await store.overdue(now_ms=T0, limit=1, after=last)).pauses:
        [last] = page
        seen.append(last.pause_id)
    assert seen == ["p3", "p1", "p0"]


# -- the clock ---------------------------------------------------------------------------------------------------------
async def test_nothing_is_due_in_an_empty_store(store: Store) -> None:
    assert await store.due() == Due(session_ms=None, deadline_ms=None, delivery_ms=None)


async def test_what_is_due_next_is_the_earliest_of_each_kind(store: Store) -> None:
    await started(store, "later", due_at_ms=T0 + 50)
    assert (await store.due()).session_ms == T0 + 50
    await started(store, "sooner", due_at_ms=T0 + 20)
    assert (await store.due()).session_ms == T0 + 20
    await store.claim(claim(now_ms=T0 + 20, until_ms=T0 + 40))
    assert (await store.due()).session_ms == T0 + 40, "the end of a lease"
    pauses = (timer("t", "sooner"), question("q", "sooner", deadline_at_ms=T0 + 7))
    posts = (post("q", "sooner", due_at_ms=T0 + 3),)
    await store.advance(advance("sooner", open=pauses, deliveries=posts, rest=rest()))
    assert await store.due() == Due(session_ms=T0 + 50, deadline_ms=T0 + 7, delivery_ms=T0 + 3)
    await store.claim_deliveries(claim_deliveries(now_ms=T0 + 3))
    assert (await store.due()).delivery_ms == T0 + 3 + MINUTE, "the end of a hold"
    await store.settle_delivery(settle("q:post", now_ms=T0 + 4))
    assert (await store.due()).delivery_ms is None
    await store.resolve_pause(resolve("q", now_ms=T0 + 5))
    assert await store.due() == Due(session_ms=T0 + 5, deadline_ms=T0 + MINUTE, delivery_ms=T0 + 5)


async def test_a_session_at_rest_is_never_due(store: Store) -> None:
    await asleep(store, question())
    await store.claim_deliveries(claim_deliveries())
    await store.settle_delivery(settle())
    assert await store.due() == Due(session_ms=None, deadline_ms=None, delivery_ms=None)


# -- a restart ---------------------------------------------------------------------------------------------------------
async def test_what_was_written_is_there_after_a_restart(store: Store, open_store: OpenStore) -> None:
    await asleep(store, question(), is_sent=True)
    before = await store.timeline("s1"), await store.load("s1"), await store.due()
    await store.aclose()
    again = await open_store()
    assert (await again.timeline("s1"), await again.load("s1"), await again.due()) == before
    assert before[0] is not None
    assert before[0].executions[0].execution_id == "x1"
    assert before[0].session.lease_holder != HOLDER


async def test_actions_that_wait_are_listed_oldest_first_and_by_kind(store: Store) -> None:
    one = replace(timer("t1"), kind="action", role="a", asked_at_ms=T0 + 2, key="/1")
    two = replace(timer("t2"), kind="action", role="b", asked_at_ms=T0 + 1, key="/2")
    await asleep(store, question("p1"), timer("t3"), one, two)

    async def listed(**wanted: str | None) -> list[str]:
        settings = {"tenant": "acme", "session_id": None, "action_kind": None, **wanted}
        return [row.pause_id for row in await store.actions(limit=9, **settings)]

    assert await listed() == ["t2", "t1"]
    assert await listed(action_kind="a") == ["t1"]
    assert await listed(session_id="nobody") == await listed(tenant="other") == []
    assert len(await store.actions(tenant=None, session_id=None, action_kind=None, limit=1)) == 1
    await store.resolve_pause(resolve("t2", resolution="fired"))
    assert await listed() == ["t1"]


async def test_what_gates_said_is_listed_newest_first(store: Store) -> None:
    await running(store)
    events = [event(seq, kind="gates_judged" if seq % 2 else "value_recorded", at_ms=T0 + seq) for seq in range(5)]
    await store.advance(advance(ledger=tuple(events)))
    assert [row.seq for row in await store.judged(tenant="acme", session_id="s1", limit=9)] == [3, 1]
    assert [row.seq for row in await store.judged(tenant=None, session_id=None, limit=1)] == [3]
    assert await store.judged(tenant="other", session_id=None, limit=9) == ()
    assert await store.judged(tenant=None, session_id="nobody", limit=9) == ()


async def test_a_call_that_was_performed_has_an_audit_entry_and_a_timer_has_none(store: Store) -> None:
    await asleep(store, timer("t1"), replace(timer("t2"), kind="action", key="/2"))
    for pause_id in ("t1", "t2"):
        await store.resolve_pause(resolve(pause_id, resolution="fired", responder="host"))
    entries = await store.audit(tenant="acme", limit=9)
    assert [(entry.key, entry.resolution, entry.responder) for entry in entries] == [("/2", "fired", "host")]
