"""What every store does with a question, its answer and its deliveries."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence

import pytest

from overwinter.store.audit import verify
from overwinter.store.changes import SettleResult, Sweep
from overwinter.store.errors import StoreRefusedError
from overwinter.store.resolutions import CancelPause
from overwinter.store.rows import DeliveryRow, PauseRow, Priority
from overwinter.store.store import Store

from .examples import (
    MINUTE,
    T0,
    advance,
    answer,
    asleep,
    claim,
    claim_deliveries,
    execution,
    named,
    post,
    question,
    resolve,
    rest,
    running,
    settle,
    timer,
)


async def pause_of(store: Store, pause_id: str = "p1") -> PauseRow:
    found = await store.pause(pause_id)
    assert found is not None
    return found


async def deliveries(store: Store, session_id: str = "s1") -> dict[str, DeliveryRow]:
    timeline = await store.timeline(session_id)
    assert timeline is not None
    return {named(row): row for row in timeline.deliveries}


# -- answers -----------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("P13")
@pytest.mark.behaviour("P4")
async def test_an_answer_is_recorded_with_its_audit_entry_and_wakes_the_session(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    change = resolve(now_ms=T0 + 5, inbound=answer())
    result = await store.resolve_pause(change)
    pause = await pause_of(store)
    assert (result.outcome, result.pause) == ("resolved", pause)
    assert (pause.status, pause.resolution, pause.responder) == ("resolved", "replied", "mara")
    assert (pause.answer_json, pause.resolved_at_ms) == ('{"approved":true}', T0 + 5)
    session = await store.session("s1")
    assert session is not None
    assert (session.status, session.priority, session.due_at_ms) == ("ready", Priority.RESUME, T0 + 5)
    assert session.wakes == 1
    (entry,) = await store.audit(tenant="acme", limit=10)
    assert (entry.resolution, entry.responder, entry.decision_json) == ("replied", "mara", '{"approved":true}')
    assert (entry.asked_at_ms, entry.resolved_at_ms, entry.key) == (T0, T0 + 5, "/ask p1#0")
    withdrawal = (await deliveries(store))["p1:withdraw"]
    assert (withdrawal.status, withdrawal.due_at_ms, withdrawal.channel) == ("due", T0 + 5, "slack")


@pytest.mark.behaviour("G26")
@pytest.mark.behaviour("P14")
async def test_of_two_answers_one_wins_and_the_loser_is_told_who(store: Store) -> None:
    await asleep(store, question())
    changes = [resolve(responder=f"r{n}", answer_json=f'"{n}"') for n in range(10)]
    results = await asyncio.gather(*(store.resolve_pause(change) for change in changes))
    assert sorted(result.outcome for result in results) == ["not_pending"] * 9 + ["resolved"]
    recorded = await pause_of(store)
    assert {result.pause for result in results} == {recorded}
    (won,) = [n for n, result in enumerate(results) if result.outcome == "resolved"]
    assert (recorded.responder, recorded.answer_json) == (f"r{won}", f'"{won}"')
    late = CancelPause(pause_id="p1", answer_json="{}", responder="op", now_ms=T0)
    for result in (await store.resolve_pause(resolve(responder="late")), await store.cancel_pause(late)):
        assert (result.outcome, result.pause) == ("not_pending", recorded)
    assert len(await store.audit(tenant="acme", limit=99)) == 1
    session = await store.session("s1")
    assert session is not None
    assert session.wakes == 1
    await store.claim(claim())
    await store.advance(advance(epoch=2, take=("p1",)))
    assert (await store.resolve_pause(resolve(responder="later"))).outcome == "not_pending"
    taken = await pause_of(store)
    assert (taken.status, taken.responder, taken.answer_json) == ("taken", f"r{won}", f'"{won}"')


@pytest.mark.parametrize("order", list(itertools.permutations(("timed_out", "replied", "cancelled"))))
async def test_of_an_answer_a_deadline_and_a_cancel_one_wins(store: Store, order: Sequence[str]) -> None:
    await asleep(store, question())
    ends = {
        "timed_out": store.resolve_pause(resolve(resolution="timed_out")),
        "replied": store.resolve_pause(resolve()),
        "cancelled": store.cancel_pause(CancelPause(pause_id="p1", answer_json="{}", responder="op", now_ms=T0)),
    }
    results = await asyncio.gather(*(ends[end] for end in order))
    outcomes = {end: result.outcome for end, result in zip(order, results, strict=True)}
    recorded = await pause_of(store)
    winner = "cancelled" if recorded.status == "cancelled" else recorded.resolution
    assert winner in ends
    assert [end for end, outcome in outcomes.items() if outcome != "not_pending"] == [winner]
    assert {result.pause for result in results} == {recorded}


@pytest.mark.behaviour("G32")
async def test_an_answer_delivered_again_is_a_duplicate_and_writes_nothing(store: Store) -> None:
    await asleep(store, question("p1"), question("p2"))
    await store.resolve_pause(resolve("p1", inbound=answer()))
    again = await store.resolve_pause(resolve("p1", inbound=answer()))
    assert (again.outcome, again.pause) == ("duplicate", await pause_of(store, "p1"))
    elsewhere = await store.resolve_pause(resolve("p2", inbound=answer()))
    assert elsewhere.outcome == "duplicate"
    assert (await pause_of(store, "p2")).status == "pending"


async def test_a_lost_answers_message_is_not_kept(store: Store) -> None:
    await asleep(store, question("p1"), question("p2"))
    await store.resolve_pause(resolve("p1"))
    lost = await store.resolve_pause(resolve("p1", inbound=answer()))
    assert lost.outcome == "not_pending"
    assert (await store.resolve_pause(resolve("p2", inbound=answer()))).outcome == "resolved"


async def test_there_is_no_answer_to_a_question_that_is_not_there(store: Store) -> None:
    result = await store.resolve_pause(resolve("nowhere"))
    assert (result.outcome, result.pause) == ("unknown", None)
    cancel = CancelPause(pause_id="nowhere", answer_json="{}", responder=None, now_ms=T0)
    assert (await store.cancel_pause(cancel)).outcome == "unknown"


async def test_an_answer_that_names_another_session_is_refused(store: Store) -> None:
    await asleep(store, question())
    with pytest.raises(StoreRefusedError):
        await store.resolve_pause(resolve(inbound=answer("s2")))
    assert (await pause_of(store)).status == "pending"


@pytest.mark.parametrize("status", ["running", "blocked"])
async def test_an_answer_to_a_busy_or_blocked_session_is_recorded_and_leaves_its_status(
    store: Store, status: str
) -> None:
    await running(store)
    await store.advance(advance(open=(question(),)))
    if status == "blocked":
        await store.advance(advance(rest=rest("blocked", reason="session.definition-changed")))
    assert (await store.resolve_pause(resolve())).outcome == "resolved"
    session = await store.session("s1")
    assert session is not None
    assert (session.status, session.wakes) == (status, 1)
    assert (session.reason is None) == (status == "running")


async def test_an_answer_during_a_pass_keeps_its_session_from_resting(store: Store) -> None:
    await running(store)
    await store.advance(advance(open=(question(),), deliveries=(post(),)))
    _, rested = await asyncio.gather(
        store.resolve_pause(resolve()), store.advance(advance(rest=rest("waiting", wakes=0)))
    )
    assert not rested.rested
    assert (await store.advance(advance(take=("p1",), rest=rest("idle", wakes=1)))).rested


async def test_operators_are_served_first(store: Store) -> None:
    await asleep(store, question())
    await store.resolve_pause(resolve(priority=Priority.OPERATOR))
    session = await store.session("s1")
    assert session is not None
    assert session.priority == Priority.OPERATOR


async def test_a_pause_cancelled_from_outside_tells_its_step_why(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    cancel = CancelPause(pause_id="p1", answer_json='{"code":"channel.rejected"}', responder=None, now_ms=T0)
    assert (await store.cancel_pause(cancel)).outcome == "resolved"
    pause = await pause_of(store)
    assert (pause.status, pause.resolution, pause.answer_json) == (
        "cancelled",
        "cancelled",
        '{"code":"channel.rejected"}',
    )
    session = await store.session("s1")
    assert session is not None
    assert (session.status, session.priority, session.wakes) == ("ready", Priority.RESUME, 1)
    assert "p1:withdraw" in await deliveries(store)


# -- audit -------------------------------------------------------------------------------------------------------------
async def test_a_fired_timer_is_not_audited(store: Store) -> None:
    await asleep(store, timer())
    await store.resolve_pause(resolve("t1", resolution="fired", responder=None, decision_json=None))
    assert await store.audit(tenant="acme", limit=10) == ()
    assert await deliveries(store) == {}


async def test_an_entry_names_the_pause_only_where_its_id_is_no_right(store: Store) -> None:
    await asleep(store, question("secret"), question("known", answerer="owner"))
    await store.resolve_pause(resolve("secret"))
    await store.resolve_pause(resolve("known"))
    entries = await store.audit(tenant="acme", limit=10)
    assert [entry.pause_id for entry in entries] == [None, "known"]


async def test_entries_are_chained_for_each_tenant_however_they_were_batched(store: Store) -> None:
    for n in range(6):
        tenant = ("acme", "globex")[n % 2]
        await asleep(store, question(f"p{n}", f"s{n}", tenant=tenant), session_id=f"s{n}")
    await store.resolve_pause(resolve("p0"))
    await asyncio.gather(*(store.resolve_pause(resolve(f"p{n}")) for n in range(1, 6)))
    for tenant in ("acme", "globex"):
        entries = await store.audit(tenant=tenant, limit=99)
        assert [entry.seq for entry in entries] == [1, 2, 3]
        assert verify(entries) is None
        assert await store.audit(tenant=tenant, limit=1, after_seq=1) == entries[1:2]


# -- deliveries --------------------------------------------------------------------------------------------------------
async def test_a_due_delivery_is_claimed_once_with_its_pause(store: Store) -> None:
    await asleep(store, question())
    first, second = await asyncio.gather(
        store.claim_deliveries(claim_deliveries(holder="d1")), store.claim_deliveries(claim_deliveries(holder="d2"))
    )
    ((delivery, pause),) = first.deliveries
    assert (delivery.holder, delivery.held_until_ms, delivery.attempts) == ("d1", T0 + MINUTE, 0)
    assert pause == question()
    assert second.deliveries == ()


async def test_a_delivery_whose_holder_died_is_claimed_again(store: Store) -> None:
    await asleep(store, question())
    await store.claim_deliveries(claim_deliveries(holder="dead"))
    assert (await store.claim_deliveries(claim_deliveries(now_ms=T0 + MINUTE - 1))).deliveries == ()
    ((again, _),) = (await store.claim_deliveries(claim_deliveries(now_ms=T0 + MINUTE))).deliveries
    assert again.holder == "d1"
    assert await store.settle_delivery(settle(holder="dead")) is SettleResult.LOST
    assert not (await pause_of(store)).is_sent


async def test_deliveries_are_claimed_earliest_first_up_to_the_limit(store: Store) -> None:
    await running(store)
    pauses = tuple(question(f"p{n}") for n in range(4))
    posts = tuple(post(f"p{n}", due_at_ms=T0 - n) for n in range(4))
    await store.advance(advance(open=pauses, deliveries=posts))
    claimed = await store.claim_deliveries(claim_deliveries(limit=3))
    assert [delivery.pause_id for delivery, _ in claimed.deliveries] == ["p3", "p2", "p1"]


async def test_a_claim_knows_a_pause_opened_long_before_its_delivery(store: Store) -> None:
    await running(store)
    await store.advance(advance(open=(question(),)))
    _, claimed = await asyncio.gather(
        store.advance(advance(deliveries=(post(),))), store.claim_deliveries(claim_deliveries())
    )
    assert [named(delivery) for delivery, _ in claimed.deliveries] == ["p1:post"]


async def test_a_sent_question_is_marked_with_where_it_is(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    pause = await pause_of(store)
    assert (pause.is_sent, pause.status) == (True, "pending")
    delivery = (await deliveries(store))["p1:post"]
    assert (delivery.status, delivery.ref, delivery.settled_at_ms) == ("sent", "C1/17.4", T0)


async def test_a_retried_delivery_comes_back_when_it_is_due(store: Store) -> None:
    await asleep(store, question())
    await store.claim_deliveries(claim_deliveries())
    await store.settle_delivery(settle(outcome="retry", error="503", due_at_ms=T0 + 30))
    assert (await store.claim_deliveries(claim_deliveries(now_ms=T0 + 29))).deliveries == ()
    ((again, _),) = (await store.claim_deliveries(claim_deliveries(now_ms=T0 + 30))).deliveries
    assert (again.attempts, again.last_error) == (1, "503")


async def test_a_delivery_that_is_passed_on_has_not_been_tried(store: Store) -> None:
    await asleep(store, question())
    await store.claim_deliveries(claim_deliveries())
    await store.settle_delivery(settle(outcome="passed_on", error="elsewhere", due_at_ms=T0 + 30))
    ((again, _),) = (await store.claim_deliveries(claim_deliveries(now_ms=T0 + 30))).deliveries
    assert (again.attempts, again.last_error) == (0, "elsewhere")


async def test_a_failed_delivery_is_over(store: Store) -> None:
    await asleep(store, question())
    await store.claim_deliveries(claim_deliveries())
    await store.settle_delivery(settle(outcome="failed", error="channel_not_found"))
    assert (await store.claim_deliveries(claim_deliveries(now_ms=T0 + 10 * MINUTE))).deliveries == ()
    delivery = (await deliveries(store))["p1:post"]
    assert (delivery.status, delivery.last_error) == ("failed", "channel_not_found")


async def test_an_answer_before_the_question_was_sent_drops_the_question(store: Store) -> None:
    await asleep(store, question())
    await store.resolve_pause(resolve())
    assert (await store.claim_deliveries(claim_deliveries())).deliveries == ()
    assert {key: row.status for key, row in (await deliveries(store)).items()} == {"p1:post": "dropped"}


async def test_an_answer_while_the_question_is_being_sent_withdraws_it_after(store: Store) -> None:
    await asleep(store, question())
    await store.claim_deliveries(claim_deliveries())
    await store.resolve_pause(resolve())
    assert set(await deliveries(store)) == {"p1:post"}
    assert await store.settle_delivery(settle(now_ms=T0 + 3)) is SettleResult.SETTLED
    ((withdrawal, pause),) = (await store.claim_deliveries(claim_deliveries(now_ms=T0 + 3))).deliveries
    assert (named(withdrawal), pause.is_sent, withdrawal.ref) == ("p1:withdraw", True, "C1/17.4")
    assert pause.status == "resolved"


async def test_a_question_dropped_under_a_slow_holder_is_withdrawn_if_it_was_sent_after_all(store: Store) -> None:
    await asleep(store, question())
    await store.claim_deliveries(claim_deliveries())
    await store.resolve_pause(resolve(now_ms=T0 + MINUTE))
    assert (await deliveries(store))["p1:post"].status == "dropped"
    assert await store.settle_delivery(settle(holder="d2", now_ms=T0 + MINUTE)) is SettleResult.LOST
    assert await store.settle_delivery(settle(now_ms=T0 + MINUTE + 1)) is SettleResult.SETTLED
    ((withdrawal, _),) = (await store.claim_deliveries(claim_deliveries(now_ms=T0 + 2 * MINUTE))).deliveries
    assert named(withdrawal) == "p1:withdraw"


@pytest.mark.parametrize("outcome", ["retry", "failed"])
async def test_a_question_that_failed_to_go_out_and_was_closed_meanwhile_is_never_sent(
    store: Store, outcome: str
) -> None:
    await asleep(store, question())
    await store.claim_deliveries(claim_deliveries())
    await store.resolve_pause(resolve())
    await store.settle_delivery(settle(outcome=outcome, error="503", due_at_ms=T0))
    assert (await store.claim_deliveries(claim_deliveries())).deliveries == ()
    assert set(await deliveries(store)) == {"p1:post"}


async def test_a_question_decided_at_once_is_neither_sent_nor_withdrawn(store: Store) -> None:
    await asleep(store, question())
    await store.claim_deliveries(claim_deliveries())
    await store.resolve_pause(resolve(resolution="decided"))
    assert await store.settle_delivery(settle(outcome="decided")) is SettleResult.SETTLED
    assert not (await pause_of(store)).is_sent
    assert {key: row.status for key, row in (await deliveries(store)).items()} == {"p1:post": "decided"}


async def test_a_withdrawal_goes_out_once_and_after_its_post(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    await store.resolve_pause(resolve())
    ((withdrawal, _),) = (await store.claim_deliveries(claim_deliveries())).deliveries
    assert await store.settle_delivery(settle(named(withdrawal))) is SettleResult.SETTLED
    assert await store.settle_delivery(settle(named(withdrawal))) is SettleResult.LOST
    assert (await store.claim_deliveries(claim_deliveries(now_ms=T0 + 10 * MINUTE))).deliveries == ()


# -- retention ---------------------------------------------------------------------------------------------------------
async def closed_session(store: Store, session_id: str, pause_id: str, *, at_ms: int) -> None:
    """A session whose one question was answered and taken, and whose execution has ended."""
    await asleep(store, question(pause_id, session_id), session_id=session_id)
    await store.resolve_pause(resolve(pause_id, now_ms=at_ms))
    await store.claim(claim(now_ms=at_ms))
    ended = execution(session_id, status="ended", ended_at_ms=at_ms)
    await store.advance(advance(session_id, epoch=2, take=(pause_id,), executions=(ended,), rest=rest("idle", wakes=1)))


@pytest.mark.behaviour("G28")
async def test_the_sweep_forgets_old_closed_pauses_but_no_entry_and_no_event(store: Store) -> None:
    await closed_session(store, "s1", "old", at_ms=T0 + 1)
    await closed_session(store, "s2", "new", at_ms=T0 + 2)
    swept = await store.sweep(Sweep(closed_before_ms=T0 + 2, limit=100))
    assert swept.pauses == 1
    assert await store.pause("old") is None
    assert await deliveries(store, "s1") == {}
    assert (await pause_of(store, "new")).status == "taken"
    assert set(await deliveries(store, "s2")) == {"new:post"}
    assert len(await store.audit(tenant="acme", limit=10)) == 2


@pytest.mark.behaviour("G28")
async def test_the_sweep_never_forgets_what_is_open_or_may_still_be_read(store: Store) -> None:
    await asleep(store, question("pending"), question("resolved"), question("running"))
    await store.resolve_pause(resolve("resolved"))
    await store.resolve_pause(resolve("running"))
    await store.claim(claim())
    await store.advance(advance(epoch=2, take=("running",)))
    assert (await store.sweep(Sweep(closed_before_ms=T0 + 10 * MINUTE, limit=100))).pauses == 0


async def test_the_sweep_waits_for_a_withdrawal_that_is_still_to_be_told(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    await store.resolve_pause(resolve())
    await store.claim(claim())
    ended = execution(status="ended", ended_at_ms=T0)
    await store.advance(advance(epoch=2, take=("p1",), executions=(ended,), rest=rest("idle", wakes=1)))
    sweep = Sweep(closed_before_ms=T0 + MINUTE, limit=100)
    assert (await store.sweep(sweep)).pauses == 0
    ((withdrawal, _),) = (await store.claim_deliveries(claim_deliveries())).deliveries
    await store.settle_delivery(settle(named(withdrawal)))
    assert (await store.sweep(sweep)).pauses == 1


async def test_the_sweep_takes_the_oldest_up_to_its_limit_in_the_midst_of_other_changes(store: Store) -> None:
    for n in range(3):
        await closed_session(store, f"s{n}", f"p{n}", at_ms=T0 + n)
    await asleep(store, question("q", "s9"), session_id="s9")
    sweep = Sweep(closed_before_ms=T0 + MINUTE, limit=2)
    answered, swept, _, last = await asyncio.gather(
        store.resolve_pause(resolve("q")), store.sweep(sweep), store.resolve_pause(resolve("q")), store.sweep(sweep)
    )
    assert (answered.outcome, swept.pauses, last.pauses) == ("resolved", 2, 1)
