"""A process that carries some of the deliveries that are due leaves the others as they are, for whoever carries those."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from overwinter.actors.carrying import CarriedDeliveries
from overwinter.store.changes import ClaimDeliveriesResult
from overwinter.store.store import Store

from ..store.examples import MINUTE, T0, asleep, claim_deliveries, question, settle

SECOND = 1_000


@asynccontextmanager
async def two_questions(tmp_path: Path) -> AsyncGenerator[tuple[Store, CarriedDeliveries]]:
    """Those of the sessions ``ours`` and ``theirs``, both due, for a process that carries the first alone."""
    store = await Store.open(tmp_path / "w.db")
    try:
        for session_id in ("ours", "theirs"):
            await asleep(store, question(f"of-{session_id}", session_id), session_id=session_id)
        yield store, CarriedDeliveries(store=store, carries=lambda _, session_id: session_id == "ours")
    finally:
        await store.aclose()


def sessions_in(result: ClaimDeliveriesResult) -> list[str]:
    return [delivery.session_id for delivery, _ in result.deliveries]


async def test_what_others_carry_is_given_back_where_it_was_claimed_with_ours(tmp_path: Path) -> None:
    async with two_questions(tmp_path) as (store, ours):
        assert sessions_in(await ours.claim_deliveries(claim_deliveries(holder="command"))) == ["ours"]
        assert sessions_in(await store.claim_deliveries(claim_deliveries(holder="service", now_ms=T0))) == []
        later = claim_deliveries(holder="service", now_ms=T0 + SECOND)
        assert sessions_in(await store.claim_deliveries(later)) == ["theirs"], "ours is held"


async def test_what_others_carry_is_not_touched_as_long_as_it_alone_is_due(tmp_path: Path) -> None:
    async with two_questions(tmp_path) as (store, ours):
        await ours.claim_deliveries(claim_deliveries(holder="command"))
        await ours.settle_delivery(settle("of-ours:post", holder="command"))
        for now_ms in range(T0, T0 + MINUTE, 10 * SECOND):
            assert sessions_in(await ours.claim_deliveries(claim_deliveries(holder="command", now_ms=now_ms))) == []
        timeline = await store.timeline("theirs")
        assert timeline is not None
        (delivery,) = timeline.deliveries
        assert (delivery.status, delivery.holder, delivery.attempts) == ("due", None, 0), "it was not tried"
        assert await store.due_deliveries(now_ms=T0 + MINUTE) == {("slack", "theirs")}


async def test_what_somebody_had_taken_before_is_known_to_be_so_by_whoever_takes_it_next(tmp_path: Path) -> None:
    async with two_questions(tmp_path) as (store, ours):
        await store.claim_deliveries(claim_deliveries(holder="dead"))
        late = claim_deliveries(holder="command", now_ms=T0 + MINUTE)
        assert sessions_in(await ours.claim_deliveries(late)) == ["ours"]
        service = claim_deliveries(holder="service", now_ms=T0 + MINUTE)
        assert sessions_in(await store.claim_deliveries(service)) == []
        result = await store.claim_deliveries(replace(service, now_ms=T0 + 2 * MINUTE, until_ms=T0 + 3 * MINUTE))
        assert sessions_in(result) == ["ours", "theirs"]
        assert {key.pause_id for key in result.abandoned} == {"of-ours", "of-theirs"}
