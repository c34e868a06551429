"""A question that goes to several channels, and one that needs several people."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from overwinter.store import migrations
from overwinter.store.changes import (
    CancelResult,
    CancelSession,
    ClaimDeliveriesResult,
    SettleDelivery,
    SettleResult,
    Sweep,
)
from overwinter.store.resolutions import CastVote, Hold, Vote
from overwinter.store.rows import DeliveryRow
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
    post,
    question,
    resolve,
    rest,
    running,
)

BOTH = question(channel="slack,mail")


async def asked_in_both(store: Store) -> None:
    """A session asleep on one question that slack and mail are to put to people."""
    await running(store)
    posts = (post(), post(channel="mail"))
    assert (await store.advance(advance(open=(BOTH,), deliveries=posts, rest=rest()))).rested


async def carried(
    store: Store, outcome: Any = "sent", *, only: str | None = None, now_ms: int = T0, **changed: Any
) -> list[tuple[str, str]]:
    """Claim what is due and settle it; the channel and kind of each. ``only`` leaves others held."""
    found: ClaimDeliveriesResult = await store.claim_deliveries(claim_deliveries(now_ms=now_ms))
    for delivery, _ in found.deliveries:
        if only in (None, delivery.channel):
            change = settled(delivery, outcome, now_ms=now_ms)
            await store.settle_delivery(replace(change, **changed))
    return [(delivery.channel, delivery.kind) for delivery, _ in found.deliveries]


def settled(delivery: DeliveryRow, outcome: Any, *, now_ms: int) -> SettleDelivery:
    return SettleDelivery(
        delivery=delivery.key,
        holder="d1",
        created_at_ms=delivery.created_at_ms,
        outcome=outcome,
        ref=f"ref in {delivery.channel}" if outcome == "sent" else None,
        error=None if outcome == "sent" else "channel_not_found",
        due_at_ms=0,
        now_ms=now_ms,
    )


async def by_name(store: Store) -> dict[tuple[str, str], DeliveryRow]:
    timeline = await store.timeline("s1")
    assert timeline is not None
    return {(row.channel, row.kind): row for row in timeline.deliveries}


async def opened(path: Path) -> None:
    await (await Store.open(path)).aclose()


async def status_of(store: Store) -> tuple[str, str | None]:
    pause = await store.pause("p1")
    assert pause is not None
    return pause.status, pause.resolution


def vote(voter: str, *, counted: int = 0, approved: bool = True, **changed: Any) -> CastVote:
    text = f'{{"approved":{str(approved).lower()}}}'
    change = CastVote(
        pause_id="p1", vote=Vote(voter=voter, decision_json=text, counted=counted), inbound=None, now_ms=T0
    )
    return replace(change, **changed)


# -- several channels --------------------------------------------------------------------------------------------------
async def test_a_closed_question_is_taken_back_in_every_channel_that_has_it(store: Store) -> None:
    await asked_in_both(store)
    assert await carried(store) == [("mail", "post"), ("slack", "post")]
    await store.resolve_pause(resolve())
    assert await carried(store) == [("mail", "withdraw"), ("slack", "withdraw")]
    refs = {name: row.ref for name, row in (await by_name(store)).items()}
    assert refs[("mail", "withdraw")] == "ref in mail"
    assert refs[("slack", "withdraw")] == "ref in slack"


async def test_a_channel_that_is_sending_is_told_when_it_has_sent(store: Store) -> None:
    await asked_in_both(store)
    await carried(store, only="slack")
    await store.resolve_pause(resolve())
    assert await carried(store) == [("slack", "withdraw")]
    mail = settled((await by_name(store))["mail", "post"], "sent", now_ms=T0)
    assert await store.settle_delivery(mail) is SettleResult.SETTLED
    assert await carried(store) == [("mail", "withdraw")]


async def test_a_question_that_one_channel_refuses_still_waits_in_the_other(store: Store) -> None:
    await asked_in_both(store)
    await store.claim_deliveries(claim_deliveries())
    rows = await by_name(store)
    refusal = replace(settled(rows["mail", "post"], "failed", now_ms=T0), stranded_json='{"reason":"no such address"}')
    assert await store.settle_delivery(refusal) is SettleResult.SETTLED
    assert await status_of(store) == ("pending", None)
    refusal = replace(settled(rows["slack", "post"], "failed", now_ms=T0), stranded_json='{"reason":"archived"}')
    assert await store.settle_delivery(refusal) is SettleResult.STRANDED
    assert await status_of(store) == ("cancelled", "undeliverable")
    pause = await store.pause("p1")
    found = await store.session("s1")
    assert pause is not None
    assert found is not None
    assert (pause.answer_json, found.status) == ('{"reason":"archived"}', "ready")
    (entry,) = await store.audit(tenant="acme", limit=10)
    assert entry.resolution == "undeliverable"


async def test_a_channel_that_decided_a_part_leaves_the_question_to_the_others(store: Store) -> None:
    await asked_in_both(store)
    await store.claim_deliveries(claim_deliveries())
    rows = await by_name(store)
    partly = replace(settled(rows["mail", "post"], "decided", now_ms=T0), stranded_json="{}")
    assert await store.settle_delivery(partly) is SettleResult.SETTLED
    assert await status_of(store) == ("pending", None)


async def test_withdrawals_may_be_born_held(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    result = await store.resolve_pause(resolve(hold=Hold(holder="d9", until_ms=T0 + MINUTE)))
    assert [(row.kind, row.channel, row.holder) for row in result.withdrawals] == [("withdraw", "slack", "d9")]
    assert (await store.claim_deliveries(claim_deliveries())).deliveries == ()
    ((late, _),) = (await store.claim_deliveries(claim_deliveries(now_ms=T0 + MINUTE))).deliveries
    assert late.kind == "withdraw", "whoever holds it and dies loses nothing"


async def test_a_question_that_closes_twice_over_is_taken_back_once(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    await store.resolve_pause(resolve())
    await carried(store)
    cancel = CancelSession(
        tenant="acme", session_id="s1", reason="r", responder=None, ledger_json="{}", now_ms=T0 + MINUTE
    )
    assert await store.cancel_session(cancel) is CancelResult.CANCELLED
    assert await status_of(store) == ("cancelled", "replied")
    assert await carried(store, now_ms=T0 + MINUTE) == []
    assert (await by_name(store))["slack", "withdraw"].status == "sent"


# -- several people ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("first", ["cast", "resolve"])
async def test_a_person_votes_once(store: Store, first: str) -> None:
    await asleep(store, question(), is_sent=True)
    assert (await store.cast_vote(vote("mara"))).outcome == "voted"
    if first == "cast":
        again = await store.cast_vote(vote("mara", counted=1))
    else:
        again = await store.resolve_pause(resolve(vote=vote("mara", counted=1).vote))
    assert again.outcome == "voted_already"
    assert [row.voter for row in await store.votes("p1")] == ["mara"]
    assert await status_of(store) == ("pending", None)


async def test_of_two_last_votes_at_once_one_is_judged_again(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    results = await asyncio.gather(*(store.cast_vote(vote(name)) for name in ("mara", "otto")))
    assert [result.outcome for result in results] == ["voted", "stale"]
    decided = await store.resolve_pause(resolve(vote=vote("otto", counted=1).vote))
    assert decided.outcome == "resolved"
    assert [row.voter for row in await store.votes("p1")] == ["mara", "otto"]
    late = await store.cast_vote(vote("olga", counted=2))
    assert late.outcome == "not_pending"
    assert len(await store.votes("p1")) == 2


async def test_the_message_of_a_vote_counts_once(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    cast = vote("mara", inbound=answer(pause_id="p1"))
    assert (await store.cast_vote(cast)).outcome == "voted"
    assert (await store.cast_vote(cast)).outcome == "duplicate"
    assert len(await store.votes("p1")) == 1


async def test_a_vote_wakes_nobody_and_shows_in_the_channels_that_have_the_question(store: Store) -> None:
    await asked_in_both(store)
    await carried(store, only="slack")
    await store.cast_vote(vote("mara", updates=("slack", "mail")))
    found = await store.session("s1")
    assert found is not None
    assert found.status == "waiting"
    assert await carried(store) == [("slack", "update")]


async def test_an_update_asked_for_while_one_is_under_way_goes_out_again(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    await store.cast_vote(vote("mara", updates=("slack",)))
    ((update, _),) = (await store.claim_deliveries(claim_deliveries())).deliveries
    await store.cast_vote(vote("otto", counted=1, updates=("slack",)))
    assert await store.settle_delivery(settled(update, "sent", now_ms=T0)) is SettleResult.SETTLED
    assert await carried(store) == [("slack", "update")]
    assert await carried(store) == []


async def test_the_question_may_go_to_the_next_channel_with_a_vote(store: Store) -> None:
    await running(store)
    await store.advance(advance(open=(BOTH,), deliveries=(post(),), rest=rest()))
    assert await carried(store) == [("slack", "post")]
    await store.cast_vote(vote("mara", posts=(post(channel="mail"),)))
    assert await carried(store) == [("mail", "post")]
    await store.resolve_pause(resolve(vote=vote("otto", counted=1).vote))
    assert await carried(store) == [("mail", "withdraw"), ("slack", "withdraw")]


async def test_an_update_that_closing_has_overtaken_is_dropped(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    await store.cast_vote(vote("mara", updates=("slack",)))
    await store.resolve_pause(resolve(vote=vote("otto", counted=1).vote))
    assert await carried(store) == [("slack", "withdraw")]
    assert (await by_name(store))["slack", "update"].status == "dropped"


async def test_votes_are_forgotten_with_their_question(store: Store) -> None:
    await asleep(store, question(), is_sent=True)
    await store.cast_vote(vote("mara"))
    await store.resolve_pause(resolve(vote=vote("otto", counted=1).vote))
    await carried(store)
    (claimed,) = (await store.claim(claim())).sessions
    ended = execution(status="ended", ended_at_ms=T0)
    await store.advance(
        advance(epoch=claimed.lease_epoch, take=("p1",), executions=(ended,), rest=rest("idle", wakes=1))
    )
    assert (await store.sweep(Sweep(closed_before_ms=T0 + 1, limit=10))).pauses == 1
    assert await store.votes("p1") == ()
    assert await store.pause("p1") is None


# -- from before -------------------------------------------------------------------------------------------------------
def test_a_database_of_one_channel_keeps_its_messages(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        migrations.migrate(connection, name="old.db", to="0001")
        for pause_id, status, is_sent in (("p1", "pending", 1), ("p2", "taken", 0), ("p3", "pending", 0)):
            closed = "NULL, NULL" if status == "pending" else "'decided', 1"
            connection.exec_driver_sql(
                "INSERT INTO pauses (pause_id, tenant, session_id, execution_id, key, kind, role, channel, answerer, owner, "
                "status, is_sent, channel_ref, ask_json, asked_at_ms, resolution, resolved_at_ms) VALUES "
                f"('{pause_id}', 'acme', 's1', 'x1', '{pause_id}', 'ask', 'r', 'slack', 'channel', 'olga', "
                f"'{status}', {is_sent}, {'NULL' if not is_sent else repr('C1/17.4')}, '{{}}', 1, {closed})"
            )
            delivered = "'due', NULL" if pause_id == "p3" else "'sent', 2"
            connection.exec_driver_sql(
                "INSERT INTO deliveries (delivery_id, pause_id, session_id, channel, kind, due_at_ms, attempts, "
                "held_until_ms, created_at_ms, status, settled_at_ms) VALUES "
                f"('{pause_id}:post', '{pause_id}', 's1', 'slack', 'post', 1, 0, 0, 1, {delivered})"
            )
    engine.dispose()
    asyncio.run(opened(path))
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT pause_id, kind, channel, status, ref FROM deliveries ORDER BY pause_id")
        assert list(found) == [
            ("p1", "post", "slack", "sent", "C1/17.4"),
            ("p2", "post", "slack", "decided", None),
            ("p3", "post", "slack", "due", None),
        ]
        assert connection.execute("SELECT count(*) FROM pauses").fetchone() == (3,)
