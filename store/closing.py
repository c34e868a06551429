"""How a pause closes, whoever closes it: its new state, its audit entry, and what becomes of its deliveries.

A question that the channel has is withdrawn by a delivery of its own. One that is still to be sent is dropped. One that is
being sent right now is left alone: whoever settles that delivery finds the pause closed and adds the withdrawal then.
"""

from __future__ import annotations

from .audit import AuditDraft
from .drafts import DeliveryDraft, PauseDraft
from .rows import AnswererKind, DeliveryKind, DeliveryStatus, PauseKind, Resolution
from .view import View

# An enum's member costs a call each time it is looked up.
_CHANNEL = AnswererKind.CHANNEL.value
_TIMER = PauseKind.TIMER.value
_FIRED = Resolution.FIRED.value
_WITHDRAW = DeliveryKind.WITHDRAW.value
_DUE = DeliveryStatus.DUE.value
_DROPPED = DeliveryStatus.DROPPED.value


def close(
    view: View,
    pause: PauseDraft,
    *,
    status: str,
    resolution: str,
    answer_json: str | None,
    responder: str | None,
    decision_json: str | None,
    now_ms: int,
) -> None:
    """Close a pending pause, with all that belongs to it."""
    pause.status = status
    pause.resolution = resolution
    pause.answer_json = answer_json
    pause.responder = responder
    pause.resolved_at_ms = now_ms
    pause.is_changed = True
    if not (pause.kind == _TIMER and resolution == _FIRED):
        record(view, pause, resolution=resolution, responder=responder, decision_json=decision_json, now_ms=now_ms)
    if pause.is_sent:
        withdraw(view, pause, now_ms=now_ms)
    drop_post(view, pause, now_ms=now_ms)


def record(
    view: View, pause: PauseDraft, *, resolution: str, responder: str | None, decision_json: str | None, now_ms: int
) -> None:
    """Add the audit entry. Where the channel authenticates the answerer, the pause's id is a right and is left out."""
    view.audit.append(
        AuditDraft(
            tenant=pause.tenant,
            session_id=pause.session_id,
            execution_id=pause.execution_id,
            key=pause.key,
            pause_id=None if pause.answerer == _CHANNEL else pause.pause_id,
            role=pause.role,
            answerer=pause.answerer,
            responder=responder,
            resolution=resolution,
            decision_json=decision_json,
            asked_at_ms=pause.asked_at_ms,
            resolved_at_ms=now_ms,
        )
    )


def withdraw(view: View, pause: PauseDraft, *, now_ms: int) -> None:
    """Add the delivery that tells the channel that the question is closed; there is at most one."""
    delivery_id = f"{pause.pause_id}:{_WITHDRAW}"
    view.deliveries[delivery_id] = DeliveryDraft(
        delivery_id=delivery_id,
        pause_id=pause.pause_id,
        session_id=pause.session_id,
        channel=pause.channel,
        kind=_WITHDRAW,
        status=_DUE,
        due_at_ms=now_ms,
        attempts=0,
        last_error=None,
        holder=None,
        held_until_ms=0,
        created_at_ms=now_ms,
        settled_at_ms=None,
    )
    view.has_news = True


def drop_post(view: View, pause: PauseDraft, *, now_ms: int) -> None:
    """Drop the question if it is still to be sent and nobody is sending it.

    A holder whose time has run out keeps its name on the row: if it lives after all and says that the question was sent,
    ``SettleDelivery`` believes it.
    """
    post = view.post_of(pause.pause_id)
    if post is not None and post.status == _DUE and (post.holder is None or post.held_until_ms <= now_ms):
        post.status = _DROPPED
        post.settled_at_ms = now_ms
        post.is_changed = True
