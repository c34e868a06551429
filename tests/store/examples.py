"""Rows to write, and sessions brought to a certain point, for the tests of the store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from overwinter.store.changes import Advance, Claim, ClaimDeliveries, Rest, SettleDelivery, StartResult, StartSession
from overwinter.store.resolutions import ResolvePause
from overwinter.store.rows import (
    DeliveryKey,
    DeliveryRow,
    ExecutionRow,
    InboundRow,
    LedgerRow,
    PauseRow,
    Priority,
    SessionRow,
)
from overwinter.store.store import Store

T0 = 1_767_225_600_000
"""When everything here begins."""
MINUTE = 60_000
HOLDER = "w1"


def session(session_id: str = "s1", **changed: Any) -> SessionRow:
    row = SessionRow(
        session_id=session_id,
        tenant="acme",
        owner="olga",
        surface="chat",
        program="support",
        status="ready",
        reason=None,
        priority=Priority.FRESH,
        due_at_ms=T0,
        lease_holder=None,
        lease_epoch=0,
        lease_until_ms=0,
        wakes=0,
        attempts=0,
        next_seq=0,
        is_cancel_requested=False,
        created_at_ms=T0,
        updated_at_ms=T0,
    )
    return replace(row, **changed)


def message(session_id: str = "s1", external_id: str = "m1", **changed: Any) -> InboundRow:
    row = InboundRow(
        channel="api",
        external_id=external_id,
        kind="message",
        tenant="acme",
        session_id=session_id,
        pause_id=None,
        body_json='{"text":"refund 4471"}',
        received_at_ms=T0,
        consumed_at_ms=None,
    )
    return replace(row, **changed)


def answer(session_id: str = "s1", external_id: str = "a1", **changed: Any) -> InboundRow:
    row = message(session_id, external_id, kind="answer", channel="slack", body_json='{"text":"ok"}')
    return replace(row, consumed_at_ms=T0, **changed)


def execution(session_id: str = "s1", execution_id: str = "x1", **changed: Any) -> ExecutionRow:
    row = ExecutionRow(
        execution_id=execution_id,
        session_id=session_id,
        parent_id=None,
        program="support",
        version="1",
        fingerprint="f",
        status="running",
        input_json="{}",
        outcome_json=None,
        started_at_ms=T0,
        ended_at_ms=None,
    )
    return replace(row, **changed)


def event(seq: int, session_id: str = "s1", execution_id: str = "x1", **changed: Any) -> LedgerRow:
    row = LedgerRow(
        session_id=session_id,
        seq=seq,
        execution_id=execution_id,
        kind="step_returned",
        key=f"/step#{seq}",
        body_json="{}",
        at_ms=T0,
    )
    return replace(row, **changed)


def question(pause_id: str = "p1", session_id: str = "s1", **changed: Any) -> PauseRow:
    row = PauseRow(
        pause_id=pause_id,
        tenant="acme",
        session_id=session_id,
        execution_id="x1",
        key=f"/ask {pause_id}#0",
        kind="ask",
        role="refund-approval",
        channel="slack",
        answerer="channel",
        owner="olga",
        status="pending",
        is_sent=False,
        ask_json='{"prompt":"Refund 80.00?"}',
        asked_at_ms=T0,
        deadline_at_ms=None,
        resolution=None,
        answer_json=None,
        responder=None,
        resolved_at_ms=None,
    )
    return replace(row, **changed)


def timer(pause_id: str = "t1", session_id: str = "s1", **changed: Any) -> PauseRow:
    row = question(pause_id, session_id, kind="timer", answerer="nobody", channel="", role="sleep")
    return replace(row, deadline_at_ms=T0 + MINUTE, **changed)


def post(pause_id: str = "p1", session_id: str = "s1", **changed: Any) -> DeliveryRow:
    row = DeliveryRow(
        pause_id=pause_id,
        kind="post",
        channel="slack",
        session_id=session_id,
        status="due",
        ref=None,
        due_at_ms=T0,
        attempts=0,
        last_error=None,
        holder=None,
        held_until_ms=0,
        created_at_ms=T0,
        settled_at_ms=None,
    )
    return replace(row, **changed)


def claim(*, holder: str = HOLDER, limit: int = 100, now_ms: int = T0, until_ms: int = T0 + MINUTE) -> Claim:
    return Claim(holder=holder, limit=limit, now_ms=now_ms, until_ms=until_ms)


def advance(session_id: str = "s1", *, epoch: int = 1, **changed: Any) -> Advance:
    return replace(Advance(session_id=session_id, holder=HOLDER, epoch=epoch, now_ms=T0), **changed)


def rest(status: str = "waiting", *, wakes: int = 0, **changed: Any) -> Rest:
    return replace(Rest(status=status, reason=None, wakes=wakes, due_at_ms=0), **changed)


def resolve(pause_id: str = "p1", **changed: Any) -> ResolvePause:
    change = ResolvePause(
        pause_id=pause_id,
        resolution="replied",
        answer_json='{"approved":true}',
        responder="mara",
        decision_json='{"approved":true}',
        inbound=None,
        now_ms=T0,
        priority=Priority.RESUME,
    )
    return replace(change, **changed)


def claim_deliveries(*, holder: str = "d1", limit: int = 100, now_ms: int = T0) -> ClaimDeliveries:
    return ClaimDeliveries(holder=holder, limit=limit, now_ms=now_ms, until_ms=now_ms + MINUTE)


def named(delivery: DeliveryRow) -> str:
    """A delivery by its pause and kind; those of the one channel that most tests have."""
    return f"{delivery.pause_id}:{delivery.kind}"


def key_of(name: str) -> DeliveryKey:
    pause_id, _, kind = name.rpartition(":")
    return DeliveryKey(pause_id, kind, "slack")


def settle(name: str = "p1:post", outcome: Any = "sent", **changed: Any) -> SettleDelivery:
    change = SettleDelivery(
        delivery=key_of(name),
        holder="d1",
        created_at_ms=T0,
        outcome=outcome,
        ref="C1/17.4" if outcome == "sent" else None,
        error=None,
        due_at_ms=0,
        now_ms=T0,
    )
    return replace(change, **changed)


async def started(store: Store, session_id: str = "s1", **changed: Any) -> None:
    change = StartSession(session=session(session_id, **changed), message=message(session_id, f"first of {session_id}"))
    assert await store.start_session(change) is StartResult.STARTED


async def running(store: Store, session_id: str = "s1") -> SessionRow:
    """Start a session and claim it: RUNNING under ``HOLDER``, epoch 1, with one execution."""
    await started(store, session_id)
    (claimed,) = (await store.claim(claim())).sessions
    result = await store.advance(advance(session_id, executions=(execution(session_id),)))
    assert result.outcome == "done"
    return claimed


async def asleep(store: Store, *pauses: PauseRow, session_id: str = "s1", is_sent: bool = False) -> None:
    """Bring a session to rest on ``pauses``, their questions posted, or still to be posted."""
    await running(store, session_id)
    posts = tuple(post(pause.pause_id, session_id) for pause in pauses if pause.kind == "ask")
    result = await store.advance(advance(session_id, open=pauses, deliveries=posts, rest=rest()))
    assert result.rested
    if is_sent:
        claimed = await store.claim_deliveries(claim_deliveries())
        assert len(claimed.deliveries) == len(posts)
        for delivery, _ in claimed.deliveries:
            await store.settle_delivery(settle(named(delivery)))
