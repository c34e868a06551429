"""The rows of reminders and escalations, and which delivery waits for which."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from overwinter.store import migrations
from overwinter.store.precedence import BEFORE
from overwinter.store.resolutions import CastVote, Hold, Vote
from overwinter.store.rows import DeliveryKey, DeliveryKind, DeliveryRow, DeliveryStatus
from overwinter.store.store import Store

from .examples import (
    MINUTE,
    T0,
    advance,
    asleep,
    claim_deliveries,
    key_of,
    post,
    question,
    resolve,
    rest,
    running,
    settle,
)


async def rows(store: Store) -> dict[tuple[str, str], DeliveryRow]:
    timeline = await store.timeline("s1")
    assert timeline is not None
    return {(row.channel, row.kind): row for row in timeline.deliveries}


async def claimed(store: Store, *, now_ms: int = T0, holder: str = "d1") -> list[tuple[str, str]]:
    found = await store.claim_deliveries(claim_deliveries(now_ms=now_ms, holder=holder))
    return [(row.channel, row.kind) for row, _ in found.deliveries]


def vote(name: str, *, asked_in: str | None = None, counted: int = 0) -> CastVote:
    return CastVote(
        pause_id="p1",
        vote=Vote(voter=name, decision_json="{}", counted=counted),
        inbound=None,
        now_ms=T0,
        updates=("slack",),
        asked_in=asked_in,
    )


async def escalating(store: Store) -> None:
    """A question sent to slack, with mail to be asked a minute later."""
    await running(store)
    later = replace(post(channel="mail"), due_at_ms=T0 + MINUTE)
    await store.advance(advance(open=(question(),), deliveries=(post(), later), rest=rest()))
    assert await claimed(store) == [("slack", "post")]
    await store.settle_delivery(settle(remind_at_ms=T0 + 2 * MINUTE))


async def escalated(store: Store) -> None:
    await escalating(store)
    assert await claimed(store, now_ms=T0 + MINUTE) == [("mail", "post")]
    sent = settle(now_ms=T0 + MINUTE, escalates=True, ref="m1")
    await store.settle_delivery(replace(sent, delivery=DeliveryKey("p1", "post", "mail")))


# -- reminders ---------------------------------------------------------------------------------------------------------
async def test_a_reminder_is_written_with_the_word_that_the_question_was_sent(store: Store) -> None:
    await asleep(store, question())
    await claimed(store)
    await store.settle_delivery(settle(remind_at_ms=T0 + MINUTE))
    reminder = (await rows(store))["slack", "remind"]
    assert (reminder.status, reminder.due_at_ms, reminder.ref) == ("due", T0 + MINUTE, "C1/17.4")
    assert await claimed(store, now_ms=T0 + MINUTE - 1) == []
    assert await claimed(store, now_ms=T0 + MINUTE) == [("slack", "remind")]


async def test_a_question_that_closed_while_it_was_sent_is_reminded_of_by_nobody(store: Store) -> None:
    await asleep(store, question())
    await claimed(store)
    await store.resolve_pause(resolve())
    await store.settle_delivery(settle(remind_at_ms=T0 + MINUTE))
    assert ("slack", "remind") not in await rows(store)


@pytest.mark.parametrize("outcome", ["sent", "failed"])
async def test_a_reminder_that_has_ended_is_the_next_one(store: Store, outcome: str) -> None:
    await asleep(store, question())
    await claimed(store)
    await store.settle_delivery(settle(remind_at_ms=T0 + MINUTE))
    await claimed(store, now_ms=T0 + MINUTE)
    await store.settle_delivery(settle("p1:remind", outcome, remind_at_ms=T0 + 5 * MINUTE))
    reminder = (await rows(store))["slack", "remind"]
    assert (reminder.status, reminder.due_at_ms, reminder.holder) == ("due", T0 + 5 * MINUTE, None)
    await claimed(store, now_ms=T0 + 5 * MINUTE)
    await store.settle_delivery(settle("p1:remind", outcome))
    assert (await rows(store))["slack", "remind"].status == outcome


async def test_a_reminder_that_ends_after_its_question_is_the_last(store: Store) -> None:
    await asleep(store, question())
    await claimed(store)
    await store.settle_delivery(settle(remind_at_ms=T0 + MINUTE))
    await claimed(store, now_ms=T0 + MINUTE)
    await store.resolve_pause(resolve(now_ms=T0 + MINUTE))
    await store.settle_delivery(settle("p1:remind", remind_at_ms=T0 + 5 * MINUTE))
    assert (await rows(store))["slack", "remind"].status == "sent"


async def test_whoever_claims_it_learns_that_a_reminder_was_under_way_before(store: Store) -> None:
    await asleep(store, question())
    await claimed(store)
    await store.settle_delivery(settle(remind_at_ms=T0))
    first = await store.claim_deliveries(claim_deliveries())
    assert first.abandoned == frozenset()
    second = await store.claim_deliveries(claim_deliveries(now_ms=T0 + MINUTE, holder="d2"))
    assert second.abandoned == {key_of("p1:remind")}


# -- escalation --------------------------------------------------------------------------------------------------------
async def test_an_escalation_moves_the_question_in_one_transaction(store: Store) -> None:
    await escalated(store)
    pause = await store.pause("p1")
    assert pause is not None
    assert (pause.channel, pause.status) == ("mail", "pending")
    found = await rows(store)
    assert found["slack", "remind"].status == "dropped"
    assert (found["slack", "relieve"].status, found["slack", "relieve"].ref) == ("due", "C1/17.4")
    assert await claimed(store, now_ms=T0 + 3 * MINUTE) == [("slack", "relieve")]


async def test_an_answer_judged_before_an_escalation_is_not_written_after_it(store: Store) -> None:
    await escalated(store)
    moved = await store.resolve_pause(resolve(asked_in="slack"))
    assert moved.outcome == "moved"
    assert moved.pause is not None
    assert (moved.pause.channel, moved.pause.status) == ("mail", "pending")
    assert (await store.cast_vote(vote("mara", asked_in="slack"))).outcome == "moved"
    assert await store.votes("p1") == ()
    assert await store.audit(tenant="acme", limit=10) == ()
    assert (await store.resolve_pause(resolve(asked_in="mail"))).outcome == "resolved"


async def test_a_closed_question_is_taken_back_from_those_asked_first_too(store: Store) -> None:
    await escalated(store)
    await store.resolve_pause(resolve(now_ms=T0 + MINUTE))
    assert (await rows(store))["slack", "relieve"].status == "dropped", "that it is closed says more"
    assert await claimed(store, now_ms=T0 + MINUTE) == [("mail", "withdraw"), ("slack", "withdraw")]


async def test_one_that_is_to_be_escalated_later_is_not_stranded_and_comes_at_once(store: Store) -> None:
    await running(store)
    later = replace(post(channel="mail"), due_at_ms=T0 + MINUTE)
    await store.advance(advance(open=(question(),), deliveries=(post(), later), rest=rest()))
    await claimed(store)
    await store.settle_delivery(settle(outcome="failed", stranded_json="{}"))
    pause = await store.pause("p1")
    assert pause is not None
    assert pause.status == "pending"
    assert await claimed(store) == [("mail", "post")]


async def test_an_escalation_that_was_tried_already_keeps_its_time(store: Store) -> None:
    await escalating(store)
    await claimed(store, now_ms=T0 + MINUTE)
    retry = settle(outcome="retry", due_at_ms=T0 + 9 * MINUTE)
    await store.settle_delivery(replace(retry, delivery=DeliveryKey("p1", "post", "mail")))
    assert await claimed(store, now_ms=T0 + 9 * MINUTE - 1) == [("slack", "remind")]
    assert await claimed(store, now_ms=T0 + 9 * MINUTE) == [("mail", "post")]


# -- order -------------------------------------------------------------------------------------------------------------
def test_every_kind_has_its_place() -> None:
    assert set(BEFORE) == set(DeliveryKind)
    for kind, before in BEFORE.items():
        assert all(set(BEFORE[each]) <= set(before) for each in before), kind


async def test_a_closing_waits_for_what_is_under_way_and_no_longer(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    await store.cast_vote(vote("mara"))
    assert await claimed(store) == [("slack", "update")]
    held = await store.resolve_pause(resolve(hold=Hold(holder="d9", until_ms=T0 + MINUTE)))
    assert held.withdrawals == (), "it cannot be sent at once"
    assert await claimed(store) == []
    await store.settle_delivery(settle("p1:update"))
    assert await claimed(store) == [("slack", "withdraw")]


async def test_a_closing_does_not_wait_for_what_is_to_be_tried_again(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    await store.cast_vote(vote("mara"))
    await claimed(store)
    await store.resolve_pause(resolve())
    await store.settle_delivery(settle("p1:update", "retry", due_at_ms=T0 + 9 * MINUTE))
    assert (await rows(store))["slack", "update"].status == "dropped"
    assert await claimed(store) == [("slack", "withdraw")]


async def test_a_closing_waits_for_no_holder_that_has_died(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    await store.cast_vote(vote("mara"))
    await claimed(store)
    await store.resolve_pause(resolve())
    assert await claimed(store, now_ms=T0 + MINUTE) == []
    assert (await rows(store))["slack", "update"].status == "dropped"
    assert await claimed(store, now_ms=T0 + MINUTE) == [("slack", "withdraw")]


# -- databases of before -----------------------------------------------------------------------------------------------
async def test_deliveries_of_an_older_database_are_kept(database: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{database}")
    with engine.begin() as connection:
        migrations.migrate(connection, name="old", to="0004")
        connection.exec_driver_sql(
            "INSERT INTO deliveries VALUES ('p1', 'withdraw', 'slack', 's1', 'due', 'ref', 5, 2, 'why', 'd1', 9, 4, NULL)"
        )
    engine.dispose()
    store = await Store.open(database)
    await store.aclose()
    with closing(sqlite3.connect(database)) as migrated:
        kept = migrated.execute("SELECT * FROM deliveries").fetchall()
        assert kept == [("p1", "withdraw", "slack", "s1", "due", "ref", 5, 2, "why", "d1", 9, 4, None)]
        with pytest.raises(sqlite3.IntegrityError, match="kind_known"):
            migrated.execute("UPDATE deliveries SET kind = 'nudge'")
        for status in DeliveryStatus:
            migrated.execute("UPDATE deliveries SET status = ?, settled_at_ms = ?", (status, status != "due" or None))
