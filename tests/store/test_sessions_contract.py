"""What every store does with whole sessions: start, message, claim, renew, cancel."""

from __future__ import annotations

import asyncio

import pytest

from overwinter.store.changes import (
    CancelResult,
    CancelSession,
    PostMessage,
    PostResult,
    RenewLeases,
    StartResult,
    StartSession,
)
from overwinter.store.rows import Priority, SessionRow
from overwinter.store.store import Store

from .examples import (
    HOLDER,
    MINUTE,
    T0,
    advance,
    answer,
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


async def row(store: Store, session_id: str = "s1") -> SessionRow:
    found = await store.session(session_id)
    assert found is not None
    return found


def cancel(session_id: str = "s1", *, tenant: str = "acme", now_ms: int = T0) -> CancelSession:
    return CancelSession(
        tenant=tenant,
        session_id=session_id,
        reason="by hand",
        responder="op",
        ledger_json='{"reason":"by hand"}',
        now_ms=now_ms,
    )


# -- start -------------------------------------------------------------------------------------------------------------
async def test_a_started_session_is_there_with_its_message(store: Store) -> None:
    assert await store.start_session(StartSession(session=session(), message=message())) is StartResult.STARTED
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.session == session()
    assert loaded.inbound == (message(),)
    assert (loaded.executions, loaded.events, loaded.pauses) == ((), (), ())


async def test_a_session_started_twice_is_a_duplicate_and_writes_nothing(store: Store) -> None:
    await store.start_session(StartSession(session=session(), message=message()))
    again = StartSession(session=session(owner="eve"), message=message(external_id="m2"))
    assert await store.start_session(again) is StartResult.DUPLICATE
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.session.owner == "olga"
    assert loaded.inbound == (message(),)


@pytest.mark.behaviour("A14")
async def test_a_message_that_was_received_starts_no_second_session(store: Store) -> None:
    await store.start_session(StartSession(session=session(), message=message()))
    again = StartSession(session=session("s2"), message=message("s2"))
    assert await store.start_session(again) is StartResult.DUPLICATE
    assert await store.session("s2") is None


async def test_of_many_concurrent_starts_one_wins(store: Store) -> None:
    starts = [StartSession(session=session(owner=f"o{n}"), message=message()) for n in range(20)]
    results = await asyncio.gather(*(store.start_session(change) for change in starts))
    assert results.count(StartResult.STARTED) == 1
    assert results.count(StartResult.DUPLICATE) == 19


# -- messages ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("status", ["waiting", "idle"])
async def test_a_message_makes_a_resting_session_ready(store: Store, status: str) -> None:
    await running(store)
    await store.advance(advance(rest=rest(status)))
    assert await store.post_message(PostMessage(message=message(), now_ms=T0 + 5)) is PostResult.POSTED
    found = await row(store)
    assert (found.status, found.priority, found.wakes, found.due_at_ms) == ("ready", Priority.RESUME, 1, T0 + 5)


@pytest.mark.parametrize("status", ["running", "blocked"])
async def test_a_message_leaves_a_busy_or_blocked_session_as_it_is(store: Store, status: str) -> None:
    await running(store)
    if status == "blocked":
        await store.advance(advance(rest=rest("blocked", reason="session.definition-changed")))
    before = await row(store)
    assert await store.post_message(PostMessage(message=message(), now_ms=T0 + 5)) is PostResult.POSTED
    found = await row(store)
    assert (found.status, found.reason, found.wakes) == (status, before.reason, 1)


async def test_a_message_hurries_a_ready_session_but_keeps_its_back_off(store: Store) -> None:
    await started(store, due_at_ms=T0 + MINUTE)
    await store.post_message(PostMessage(message=message(), now_ms=T0))
    found = await row(store)
    assert (found.status, found.priority, found.due_at_ms) == ("ready", Priority.RESUME, T0 + MINUTE)


async def test_a_message_delivered_again_is_a_duplicate(store: Store) -> None:
    await started(store)
    await store.post_message(PostMessage(message=message(), now_ms=T0))
    assert await store.post_message(PostMessage(message=message(), now_ms=T0)) is PostResult.DUPLICATE
    assert (await row(store)).wakes == 1


@pytest.mark.behaviour("G42")
async def test_another_message_of_the_same_id_is_a_conflict_and_is_not_kept(store: Store) -> None:
    await started(store)
    await started(store, "s2")
    await store.post_message(PostMessage(message=message(), now_ms=T0))
    for other in (message(body_json='{"text":"refund 9999"}'), message("s2")):
        assert await store.post_message(PostMessage(message=other, now_ms=T0)) is PostResult.CONFLICT
    loaded = await store.load("s1")
    assert loaded is not None
    assert loaded.inbound[-1] == message()
    assert loaded.session.wakes == 1


async def test_an_answers_message_is_a_duplicate_whatever_is_said_in_it(store: Store) -> None:
    await asleep(store, question())
    await store.resolve_pause(resolve(inbound=answer(pause_id="p1")))
    again = message(external_id="a1", channel="slack", body_json='{"text":"ok"}')
    assert await store.post_message(PostMessage(message=again, now_ms=T0)) is PostResult.DUPLICATE


async def test_a_message_for_nobody_is_refused_and_not_kept(store: Store) -> None:
    assert await store.post_message(PostMessage(message=message(), now_ms=T0)) is PostResult.UNKNOWN_SESSION
    await started(store)
    assert await store.post_message(PostMessage(message=message(), now_ms=T0)) is PostResult.POSTED


async def test_another_tenants_message_finds_no_session(store: Store) -> None:
    await started(store)
    foreign = PostMessage(message=message(tenant="evil"), now_ms=T0)
    assert await store.post_message(foreign) is PostResult.UNKNOWN_SESSION
    assert (await row(store)).wakes == 0


async def test_an_ended_session_takes_no_message_but_knows_what_it_took(store: Store) -> None:
    await running(store)
    await store.post_message(PostMessage(message=message(external_id="before"), now_ms=T0))
    await store.advance(advance(rest=rest("ended", wakes=1)))
    late = PostMessage(message=message(external_id="after"), now_ms=T0)
    assert await store.post_message(late) is PostResult.ENDED_SESSION
    again = PostMessage(message=message(external_id="before"), now_ms=T0)
    assert await store.post_message(again) is PostResult.DUPLICATE


async def test_messages_are_loaded_oldest_first_and_only_until_consumed(store: Store) -> None:
    await started(store)
    await store.claim(claim())
    for at in (3, 1, 2):
        change = PostMessage(message=message(external_id=f"m{at}", received_at_ms=T0 + at), now_ms=T0)
        await store.post_message(change)
    await store.advance(advance(consume=(("api", "first of s1"), ("api", "m2"))))
    loaded = await store.load("s1")
    assert loaded is not None
    assert [unread.external_id for unread in loaded.inbound] == ["m1", "m3"]


# -- claims ------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("P44")
async def test_sessions_are_claimed_by_priority_then_due_time_then_id(store: Store) -> None:
    await started(store, "late", due_at_ms=T0 - 1)
    await started(store, "early", due_at_ms=T0 - 9)
    await started(store, "twin b", due_at_ms=T0 - 5)
    await started(store, "twin a", due_at_ms=T0 - 5)
    await started(store, "answered", priority=Priority.RESUME)
    await started(store, "operator", priority=Priority.OPERATOR)
    first = await store.claim(claim(limit=4))
    second = await store.claim(claim(limit=4))
    assert [one.session_id for one in first.sessions] == ["operator", "answered", "early", "twin a"]
    assert [one.session_id for one in second.sessions] == ["twin b", "late"]


async def test_a_claim_gives_the_session_as_it_now_is(store: Store) -> None:
    await started(store)
    (claimed,) = (await store.claim(claim(until_ms=T0 + 7))).sessions
    assert claimed == await row(store)
    assert (claimed.status, claimed.lease_holder, claimed.lease_until_ms) == ("running", HOLDER, T0 + 7)
    assert (claimed.lease_epoch, claimed.attempts) == (1, 1)


async def test_a_session_in_back_off_is_not_claimed(store: Store) -> None:
    await started(store, due_at_ms=T0 + 1)
    assert (await store.claim(claim(now_ms=T0))).sessions == ()
    assert len((await store.claim(claim(now_ms=T0 + 1))).sessions) == 1


async def test_a_session_made_ready_before_the_clock_was_set_back_is_claimed(store: Store) -> None:
    await started(store, "begun", due_at_ms=T0)
    await started(store, "in back-off", due_at_ms=T0 + 1)
    earlier = T0 - 120 * MINUTE
    (claimed,) = (await store.claim(claim(now_ms=earlier, until_ms=earlier + MINUTE))).sessions
    assert claimed.session_id == "begun"


async def test_a_ready_session_to_which_something_comes_after_the_clock_was_set_back_stays_due(store: Store) -> None:
    await started(store, due_at_ms=T0)
    earlier = T0 - 120 * MINUTE
    await store.post_message(PostMessage(message=message(), now_ms=earlier))
    (claimed,) = (await store.claim(claim(now_ms=earlier + 1, until_ms=earlier + MINUTE))).sessions
    assert (claimed.session_id, claimed.wakes) == ("s1", 1)


@pytest.mark.behaviour("P43")
async def test_a_lease_past_its_time_may_be_taken_by_anyone(store: Store) -> None:
    await started(store)
    await store.claim(claim(until_ms=T0 + 10))
    assert (await store.claim(claim(holder="w2", now_ms=T0 + 9))).sessions == ()
    (taken,) = (await store.claim(claim(holder="w2", now_ms=T0 + 10))).sessions
    assert (taken.lease_holder, taken.lease_epoch, taken.attempts) == ("w2", 2, 2)


@pytest.mark.behaviour("G44")
@pytest.mark.behaviour("G44")
@pytest.mark.parametrize("status", ["waiting", "idle", "blocked", "ended", "failed", "cancelled"])
async def test_a_session_at_rest_is_not_claimed(store: Store, status: str) -> None:
    await running(store)
    await store.advance(advance(rest=rest(status)))
    assert (await store.claim(claim(now_ms=T0 + 10 * MINUTE))).sessions == ()


async def test_concurrent_claims_never_share_a_session(store: Store) -> None:
    for n in range(30):
        await started(store, f"s{n:02}")
    claims = await asyncio.gather(*(store.claim(claim(holder=f"w{n}", limit=7)) for n in range(6)))
    taken = [one.session_id for result in claims for one in result.sessions]
    assert sorted(taken) == [f"s{n:02}" for n in range(30)]


async def test_a_claim_sees_what_was_written_in_the_same_batch(store: Store) -> None:
    await started(store, "old", due_at_ms=T0 - 1)
    _, first, _, second = await asyncio.gather(
        store.start_session(StartSession(session=session("new", due_at_ms=T0 - 2), message=None)),
        store.claim(claim(limit=1)),
        store.start_session(StartSession(session=session("newer", due_at_ms=T0 - 3), message=None)),
        store.claim(claim(limit=5)),
    )
    assert [one.session_id for one in first.sessions] == ["new"]
    assert [one.session_id for one in second.sessions] == ["newer", "old"]


# -- leases ------------------------------------------------------------------------------------------------------------
def renew(
    epochs: dict[str, int], *, holder: str = HOLDER, now_ms: int = T0, until_ms: int = T0 + MINUTE
) -> RenewLeases:
    return RenewLeases(holder=holder, epochs=epochs, now_ms=now_ms, until_ms=until_ms)


@pytest.mark.behaviour("P45")
async def test_renewal_prolongs_what_is_held_and_names_what_is_lost(store: Store) -> None:
    await started(store, "mine")
    await started(store, "stolen")
    await store.claim(claim(until_ms=T0 + 10))
    await store.advance(advance("stolen", rest=rest("ready")))
    await store.claim(claim(holder="w2"))
    await store.post_message(PostMessage(message=message("mine"), now_ms=T0))
    result = await store.renew_leases(renew({"mine": 1, "stolen": 1, "never there": 1}, until_ms=T0 + 99))
    assert result.lost == {"stolen", "never there"}
    assert result.wakes == {"mine": 1}
    assert result.cancel_requested == frozenset()
    assert (await row(store, "mine")).lease_until_ms == T0 + 99
    assert (await row(store, "stolen")).lease_until_ms == T0 + MINUTE


async def test_a_lease_past_its_time_and_taken_by_nobody_is_renewed(store: Store) -> None:
    await started(store)
    await store.claim(claim(until_ms=T0 + 10))
    result = await store.renew_leases(renew({"s1": 1}, now_ms=T0 + 5000, until_ms=T0 + 6000))
    assert result.lost == frozenset()
    assert (await store.claim(claim(holder="w2", now_ms=T0 + 5500))).sessions == ()


@pytest.mark.parametrize(("holder", "epoch"), [("w2", 1), (HOLDER, 2), (HOLDER, 0)])
async def test_renewal_needs_both_holder_and_epoch(store: Store, holder: str, epoch: int) -> None:
    await started(store)
    await store.claim(claim(until_ms=T0 + 10))
    result = await store.renew_leases(renew({"s1": epoch}, holder=holder, until_ms=T0 + 99))
    assert result.lost == {"s1"}
    assert (await row(store)).lease_until_ms == T0 + 10


# -- cancel ------------------------------------------------------------------------------------------------------------
async def test_cancel_ends_a_session_with_all_that_belongs_to_it(store: Store) -> None:
    await asleep(store, question("sent"), is_sent=True)
    await store.post_message(PostMessage(message=message(), now_ms=T0))
    await store.claim(claim())
    await store.advance(
        advance(
            epoch=2,
            executions=(execution(execution_id="x2", parent_id="x1"),),
            open=(question("unsent"), question("answered"), timer()),
            deliveries=(post("unsent"), post("answered")),
        )
    )
    await store.resolve_pause(resolve("answered"))
    await store.advance(advance(epoch=2, rest=rest("blocked", wakes=2)))
    assert await store.cancel_session(cancel(now_ms=T0 + 9)) is CancelResult.CANCELLED

    timeline = await store.timeline("s1")
    assert timeline is not None
    assert (timeline.session.status, timeline.session.reason) == ("cancelled", "by hand")
    assert {(one.execution_id, one.status, one.ended_at_ms) for one in timeline.executions} == {
        ("x1", "cancelled", T0 + 9),
        ("x2", "cancelled", T0 + 9),
    }
    assert {(pause.pause_id, pause.status, pause.resolution) for pause in timeline.pauses} == {
        ("sent", "cancelled", "cancelled"),
        ("unsent", "cancelled", "cancelled"),
        ("answered", "cancelled", "replied"),
        ("t1", "cancelled", "cancelled"),
    }
    assert {(named(one), one.status) for one in timeline.deliveries} == {
        ("sent:post", "sent"),
        ("sent:withdraw", "due"),
        ("unsent:post", "dropped"),
        ("answered:post", "dropped"),
    }
    last = timeline.events[-1]
    assert (last.kind, last.execution_id, last.body_json) == ("session_cancelled", "x1", '{"reason":"by hand"}')
    assert last.seq + 1 == timeline.session.next_seq
    assert sorted((entry.resolution, entry.responder) for entry in timeline.audit) == [
        ("cancelled", "op"),
        ("cancelled", "op"),
        ("cancelled", "op"),
        ("cancelled", "op"),
        ("replied", "mara"),
    ]


async def test_a_cancelled_sessions_answer_is_kept(store: Store) -> None:
    await asleep(store, question())
    await store.resolve_pause(resolve(now_ms=T0 + 1))
    await store.cancel_session(cancel(now_ms=T0 + 2))
    pause = await store.pause("p1")
    assert pause is not None
    assert (pause.status, pause.answer_json, pause.responder) == ("cancelled", '{"approved":true}', "mara")


@pytest.mark.behaviour("G41")
async def test_nothing_that_a_cancelled_sessions_actor_still_writes_is_accepted(store: Store) -> None:
    await running(store)
    await store.cancel_session(cancel())
    result = await store.advance(advance(ledger=(event(0),), rest=rest()))
    assert result.outcome == "lease_lost"
    renewed = await store.renew_leases(renew({"s1": 1}))
    assert renewed.lost == {"s1"}
    assert renewed.cancel_requested == {"s1"}
    timeline = await store.timeline("s1")
    assert timeline is not None
    assert [one.kind for one in timeline.events] == ["session_cancelled"]


async def test_cancelling_a_session_at_rest_asks_nobody(store: Store) -> None:
    await asleep(store, question())
    await store.cancel_session(cancel())
    assert not (await row(store)).is_cancel_requested


async def test_a_question_being_sent_while_its_session_is_cancelled_is_withdrawn_after(store: Store) -> None:
    await asleep(store, question())
    await store.claim_deliveries(claim_deliveries())
    await store.cancel_session(cancel())
    assert (await store.claim_deliveries(claim_deliveries(holder="d2"))).deliveries == ()
    await store.settle_delivery(settle())
    ((withdrawal, pause),) = (await store.claim_deliveries(claim_deliveries())).deliveries
    assert (named(withdrawal), pause.status, withdrawal.ref) == ("p1:withdraw", "cancelled", "C1/17.4")


async def test_a_session_is_cancelled_once(store: Store) -> None:
    await started(store)
    results = await asyncio.gather(*(store.cancel_session(cancel()) for _ in range(3)))
    assert sorted(results) == ["already_ended", "already_ended", "cancelled"]
    assert (await row(store)).next_seq == 1


async def test_only_its_own_tenant_cancels_a_session(store: Store) -> None:
    await started(store)
    assert await store.cancel_session(cancel(tenant="evil")) is CancelResult.UNKNOWN_SESSION
    assert await store.cancel_session(cancel("nobody")) is CancelResult.UNKNOWN_SESSION
    assert (await row(store)).status == "ready"
