"""What every store does with what an actor writes: all of it under its lease, or nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from overwinter.store.changes import Advance, ClosePause, PostMessage, Rest
from overwinter.store.errors import StoreRefusedError
from overwinter.store.resolutions import CancelPause
from overwinter.store.rows import Priority
from overwinter.store.store import Store

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
    message,
    named,
    post,
    question,
    resolve,
    rest,
    running,
    session,
    settle,
    started,
    timer,
)


async def everything(store: Store) -> Any:
    return await store.timeline("s1"), await store.load("s1")


async def status_of(store: Store, pause_id: str) -> str:
    pause = await store.pause(pause_id)
    assert pause is not None
    return pause.status


@pytest.mark.behaviour("A13")
@pytest.mark.behaviour("P1")
async def test_an_advance_writes_all_of_its_rows_together(store: Store) -> None:
    await started(store)
    await store.claim(claim())
    change = advance(
        now_ms=T0 + 3,
        ledger=(event(0, kind="message"), event(1)),
        executions=(execution(),),
        open=(question(), timer()),
        deliveries=(post(),),
        consume=(("api", "first of s1"),),
        rest=rest(due_at_ms=T0 + 9, reason="for now"),
    )
    result = await store.advance(change)
    assert (result.outcome, result.rested, result.wakes) == ("done", True, 0)
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.session == session(
        status="waiting", reason="for now", due_at_ms=T0 + 9, lease_epoch=1, next_seq=2, updated_at_ms=T0 + 3
    )
    assert loaded.executions == (execution(),)
    assert loaded.events == (event(0, kind="message"), event(1))
    assert set(loaded.pauses) == {question(), timer()}
    assert loaded.inbound == ()
    ((delivery, _),) = (await store.claim_deliveries(claim_deliveries())).deliveries
    assert named(delivery) == "p1:post"


@pytest.mark.behaviour("A14")
async def test_many_events_in_one_advance(store: Store) -> None:
    await running(store)
    events = tuple(event(seq) for seq in range(300))
    await store.advance(advance(ledger=events))
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.events == events


@pytest.mark.behaviour("A13")
@pytest.mark.behaviour("G41")
@pytest.mark.behaviour("P46")
@pytest.mark.parametrize(("holder", "epoch"), [("w2", 1), (HOLDER, 0), (HOLDER, 2)])
async def test_an_advance_without_the_lease_writes_nothing(store: Store, holder: str, epoch: int) -> None:
    await running(store)
    before = await everything(store)
    change = advance(holder=holder, epoch=epoch, ledger=(event(0),), open=(question(),), rest=rest())
    result = await store.advance(change)
    assert (result.outcome, result.rested) == ("lease_lost", False)
    assert await everything(store) == before


async def test_a_session_that_is_not_there_has_no_lease(store: Store) -> None:
    result = await store.advance(advance("nobody", ledger=(event(0, "nobody"),)))
    assert result.outcome == "lease_lost"


@pytest.mark.behaviour("P1")
async def test_after_rest_the_lease_is_gone(store: Store) -> None:
    await running(store)
    await store.advance(advance(rest=rest()))
    before = await everything(store)
    assert (await store.advance(advance(ledger=(event(0),)))).outcome == "lease_lost"
    assert await everything(store) == before


async def test_a_lease_past_its_time_and_taken_by_nobody_still_writes(store: Store) -> None:
    await running(store)
    assert (await store.advance(advance(now_ms=T0 + 60 * MINUTE, ledger=(event(0),)))).outcome == "done"


async def test_a_lease_taken_by_another_writes_nothing(store: Store) -> None:
    await running(store)
    await store.claim(claim(holder="w2", now_ms=T0 + MINUTE, until_ms=T0 + 2 * MINUTE))
    assert (await store.advance(advance(now_ms=T0 + MINUTE, ledger=(event(0),)))).outcome == "lease_lost"
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.events == ()


# -- rest --------------------------------------------------------------------------------------------------------------
async def test_rest_keeps_the_lease_when_something_has_arrived_meanwhile(store: Store) -> None:
    await running(store)
    await store.post_message(PostMessage(message=message(), now_ms=T0))
    result = await store.advance(advance(ledger=(event(0),), rest=rest(wakes=0)))
    assert (result.outcome, result.rested, result.wakes) == ("done", False, 1)
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.session.status == "running"
    assert loaded.events == (event(0),)
    assert (await store.advance(advance(rest=rest(wakes=1)))).rested


async def test_rest_forgets_the_attempts(store: Store) -> None:
    await started(store)
    await store.claim(claim(until_ms=T0))
    await store.claim(claim(until_ms=T0 + MINUTE))
    await store.advance(advance(epoch=2, rest=rest()))
    found = await store.session("s1")
    assert found is not None
    assert (found.attempts, found.lease_holder, found.lease_until_ms) == (0, None, 0)


async def test_a_session_may_rest_ready_and_be_claimed_again_when_due(store: Store) -> None:
    await running(store)
    await store.advance(advance(rest=rest("ready", due_at_ms=T0 + 5)))
    assert (await store.claim(claim(now_ms=T0 + 4))).sessions == ()
    (again,) = (await store.claim(claim(now_ms=T0 + 5))).sessions
    assert (again.lease_epoch, again.attempts) == (2, 1)


# -- pauses ------------------------------------------------------------------------------------------------------------
async def test_a_resolved_pause_is_taken(store: Store) -> None:
    await asleep(store, question())
    await store.resolve_pause(resolve())
    await store.claim(claim())
    assert (await store.advance(advance(epoch=2, take=("p1",)))).outcome == "done"
    pause = await store.pause("p1")
    assert pause is not None
    assert (pause.status, pause.resolution, pause.answer_json) == ("taken", "replied", '{"approved":true}')
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.pauses == ()


async def test_a_pause_cancelled_from_outside_is_read_and_stays_cancelled(store: Store) -> None:
    await asleep(store, question())
    await store.cancel_pause(CancelPause(pause_id="p1", answer_json='{"reason":"no"}', responder="op", now_ms=T0))
    await store.claim(claim())
    assert (await store.advance(advance(epoch=2, take=("p1",)))).outcome == "done"
    assert await status_of(store, "p1") == "cancelled"


@pytest.mark.behaviour("A13")
@pytest.mark.behaviour("G26")
@pytest.mark.parametrize("pause_id", ["p1", "taken", "of another", "never there"])
async def test_taking_what_is_not_resolved_is_stale_and_writes_nothing(store: Store, pause_id: str) -> None:
    await asleep(store, question("p1"), question("taken"))
    await store.resolve_pause(resolve("taken"))
    await store.claim(claim())
    await store.advance(advance(epoch=2, take=("taken",)))
    await asleep(store, question("of another", "s2"), session_id="s2")
    await store.resolve_pause(resolve("of another"))
    before = await everything(store)
    result = await store.advance(advance(epoch=2, ledger=(event(0),), take=(pause_id,)))
    assert (result.outcome, result.rested, result.wakes) == ("stale", False, 1)
    assert await everything(store) == before


@pytest.mark.behaviour("G26")
@pytest.mark.behaviour("G29")
async def test_an_answer_that_a_session_did_not_live_to_take_is_put_away_and_the_audit_says_so(store: Store) -> None:
    await asleep(store, question(), timer(), is_sent=True)
    await store.resolve_pause(resolve())
    await store.claim(claim())
    before = await everything(store)
    for unanswered in ("t1", "never there"):
        early = advance(epoch=2, ledger=(event(0),), end=("p1", unanswered), rest=rest("failed", wakes=1))
        assert (await store.advance(early)).outcome == "stale"
    assert await everything(store) == before
    closing = (ClosePause(pause_id="t1", resolution="cancelled"),)
    change = advance(epoch=2, now_ms=T0 + 4, close=closing, end=("p1",), rest=rest("failed", wakes=1))
    assert (await store.advance(change)).rested
    pause = await store.pause("p1")
    assert pause is not None
    assert (pause.status, pause.resolution, pause.responder) == ("cancelled", "replied", "mara")
    assert pause.answer_json == '{"approved":true}'
    entries = [(entry.resolution, entry.responder) for entry in await store.audit(tenant="acme", limit=10)]
    assert sorted(entries, key=str) == [("cancelled", None), ("cancelled", None), ("replied", "mara")]


async def test_a_sent_question_closed_by_its_session_is_withdrawn_and_audited(store: Store) -> None:
    await asleep(store, question(), timer(), is_sent=True)
    await store.resolve_pause(resolve("t1", resolution="fired", responder=None, decision_json=None))
    await store.claim(claim())
    change = advance(epoch=2, now_ms=T0 + 4, take=("t1",), close=(ClosePause(pause_id="p1", resolution="withdrawn"),))
    assert (await store.advance(change)).outcome == "done"
    pause = await store.pause("p1")
    assert pause is not None
    assert (pause.status, pause.resolution, pause.responder, pause.answer_json) == (
        "cancelled",
        "withdrawn",
        None,
        None,
    )
    ((delivery, told),) = (await store.claim_deliveries(claim_deliveries(now_ms=T0 + 4))).deliveries
    assert (named(delivery), told.resolution) == ("p1:withdraw", "withdrawn")
    (entry,) = await store.audit(tenant="acme", limit=10)
    assert (entry.resolution, entry.responder, entry.resolved_at_ms) == ("withdrawn", None, T0 + 4)


async def test_a_question_not_yet_sent_and_closed_by_its_session_is_never_sent(store: Store) -> None:
    await running(store)
    await store.advance(advance(open=(question(),), deliveries=(post(),)))
    await store.advance(advance(close=(ClosePause(pause_id="p1", resolution="withdrawn"),)))
    assert (await store.claim_deliveries(claim_deliveries())).deliveries == ()
    timeline = await store.timeline("s1")
    assert timeline is not None
    assert [(named(one), one.status) for one in timeline.deliveries] == [("p1:post", "dropped")]


@pytest.mark.behaviour("A13")
async def test_closing_what_was_answered_meanwhile_is_stale(store: Store) -> None:
    await asleep(store, question(), timer())
    await store.resolve_pause(resolve("t1", resolution="fired"))
    await store.claim(claim())
    await store.resolve_pause(resolve("p1"))
    before = await everything(store)
    change = advance(epoch=2, take=("t1",), close=(ClosePause(pause_id="p1", resolution="withdrawn"),))
    assert (await store.advance(change)).outcome == "stale"
    assert await everything(store) == before


async def test_a_delivery_may_be_born_held(store: Store) -> None:
    await running(store)
    held = post(holder="w1", held_until_ms=T0 + MINUTE)
    await store.advance(advance(open=(question(),), deliveries=(held,), rest=rest()))
    assert (await store.claim_deliveries(claim_deliveries())).deliveries == ()
    ((late, _),) = (await store.claim_deliveries(claim_deliveries(now_ms=T0 + MINUTE))).deliveries
    assert late.holder == "d1"


async def test_a_question_answered_at_once_is_opened_taken(store: Store) -> None:
    await running(store)
    decided = question(status="taken", resolution="decided", answer_json="{}", responder="auto", resolved_at_ms=T0)
    await store.advance(advance(open=(decided,)))
    assert await store.pause("p1") == decided


async def test_an_ended_execution_is_loaded_no_more(store: Store) -> None:
    await running(store)
    child = execution(execution_id="x2", parent_id="x1")
    await store.advance(advance(ledger=(event(0), event(1, execution_id="x2")), executions=(child,)))
    ended = execution(execution_id="x2", parent_id="x1", status="ended", outcome_json="7", ended_at_ms=T0 + 8)
    await store.advance(advance(executions=(ended,)))
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.executions == (execution(),)
    assert loaded.events == (event(0),)
    timeline = await store.timeline("s1")
    assert timeline is not None
    assert ended in timeline.executions


# -- what no correct actor writes --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "wrong",
    [
        {"ledger": (event(1),)},
        {"ledger": (event(0), event(2))},
        {"ledger": (event(0, "s2"),)},
        {"executions": (execution("s2"),)},
        {"open": (question(session_id="s2"),)},
        {"open": (question("first"),)},
        {"open": (question("second", key="/ask first#0"),)},
        {"open": (question("third"), question("third", key="/other#0"))},
        {"deliveries": (post("third"), post("third"))},
        {"close": (ClosePause(pause_id="first", resolution="withdrawn"),) * 2},
        {"deliveries": (post("first"),)},
        {"deliveries": (post("first", "s2"),)},
        {"consume": (("api", "never received"),)},
        {"consume": (("api", "first of s2"),)},
        {"consume": (("api", "twice"), ("api", "twice"))},
        {"rest": Rest(status="running", reason=None, wakes=1, due_at_ms=0)},
        {"rest": Rest(status="asleep", reason=None, wakes=1, due_at_ms=0)},
        {"executions": (execution(execution_id="x9", status="paused"),)},
        {"open": (question("third", kind="guess"),)},
        {"open": (question("third", status="resolved"),)},
    ],
)
async def test_a_malformed_advance_is_refused_whole(store: Store, wrong: dict[str, Any]) -> None:
    await running(store)
    await started(store, "s2")
    await store.advance(advance(open=(question("first"),), deliveries=(post("first"),)))
    await store.post_message(PostMessage(message=message(external_id="twice"), now_ms=T0))
    before = await everything(store)
    sound = Advance(session_id="s1", holder=HOLDER, epoch=1, now_ms=T0 + 1, ledger=(event(0),))
    with pytest.raises(StoreRefusedError) as raised:
        await store.advance(replace(sound, **wrong))
    assert raised.value.code == "store.refused"
    assert await everything(store) == before
    assert (await store.advance(sound)).outcome == "done"


async def test_settled_questions_stay_settled_when_their_session_goes_on(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    await store.resolve_pause(resolve(priority=Priority.OPERATOR))
    (claimed,) = (await store.claim(claim())).sessions
    assert claimed.priority == Priority.OPERATOR
    await store.advance(advance(epoch=2, take=("p1",), rest=rest("idle", wakes=1)))
    ((withdrawal, _),) = (await store.claim_deliveries(claim_deliveries())).deliveries
    assert await store.settle_delivery(settle(named(withdrawal))) == "settled"
    assert await store.settle_delivery(settle(named(withdrawal))) == "lost"
