"""How a pause closes, whoever closes it: its new state, its audit entry, and what becomes of its deliveries.

A question that the channel has is withdrawn by a delivery of its own. One that is still to be sent is dropped. One that is
being sent right now is left alone: whoever settles that delivery finds the pause closed and adds the withdrawal then. It is the
same with a question that others are asked in place of those who were asked first, only that it is still open.
"""

from __future__ import annotations

from .audit import AuditDraft
from .drafts import DeliveryDraft, PauseDraft
from .precedence import has_to_wait
from .resolutions import Hold
from .rows import AnswererKind, DeliveryKind, DeliveryStatus, PauseKind, Resolution
from .view import View

# An enum's member costs a call each time it is looked up.
_CHANNEL = AnswererKind.CHANNEL.value
_ACTION = PauseKind.ACTION.value
_CANCELLED = Resolution.CANCELLED.value
_FIRED = Resolution.FIRED.value
_POST = DeliveryKind.POST.value
_RELIEVE = DeliveryKind.RELIEVE.value
_WITHDRAW = DeliveryKind.WITHDRAW.value
_DUE = DeliveryStatus.DUE.value
_SENT = DeliveryStatus.SENT.value
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
    hold: Hold | None = None,
) -> list[DeliveryDraft]:
    """Close a pending pause, with all that belongs to it; returns the withdrawals that are due now."""
    pause.status = status
    pause.resolution = resolution
    pause.answer_json = answer_json
    pause.responder = responder
    pause.resolved_at_ms = now_ms
    pause.is_changed = True
    if (
        resolution != _FIRED or pause.kind == _ACTION
    ):  # of all that fires, only a call that somebody has run is a decision
        record(view, pause, resolution=resolution, responder=responder, decision_json=decision_json, now_ms=now_ms)
    return end_deliveries(view, pause, now_ms=now_ms, hold=hold)


def end_answered(view: View, pause: PauseDraft, *, status: str, responder: str | None, now_ms: int) -> None:
    """Put away a resolved pause whose session is over.

    What was answered, by whom and when stays on the row; the audit says that it was never acted on.
    """
    pause.status = status
    pause.is_changed = True
    record(view, pause, resolution=_CANCELLED, responder=responder, decision_json=None, now_ms=now_ms)
    end_deliveries(view, pause, now_ms=now_ms)


def end_deliveries(view: View, pause: PauseDraft, *, now_ms: int, hold: Hold | None = None) -> list[DeliveryDraft]:
    """Take the question back where it has been put to people, and drop what is still to be sent of it."""
    posts: list[DeliveryDraft] = []
    for delivery in view.deliveries_of(pause.pause_id):
        if delivery.kind == _WITHDRAW:
            continue
        if delivery.kind == _POST and delivery.status == _SENT:
            posts.append(delivery)
        _drop(delivery, now_ms=now_ms)
    return [
        withdraw(view, post, now_ms=now_ms, hold=hold)
        for post in posts
        if (pause.pause_id, _WITHDRAW, post.channel) not in view.deliveries
    ]


def escalate(view: View, pause: PauseDraft, post: DeliveryDraft, *, now_ms: int) -> None:
    """Let those answer who have just been sent the question, and nobody else any more."""
    for other in view.deliveries_of(pause.pause_id):
        if other.channel == post.channel:
            continue
        if other.kind == _POST and (other.status == _SENT or (other.status == _DUE and other.holder is not None)):
            follow_up(view, other, _RELIEVE, now_ms=now_ms)
        _drop(other, now_ms=now_ms)
    pause.channel = post.channel
    pause.is_changed = True


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


def withdraw(view: View, post: DeliveryDraft, *, now_ms: int, hold: Hold | None = None) -> DeliveryDraft:
    """Add the delivery that tells the channel of a post that its question is closed; there is at most one."""
    return follow_up(view, post, _WITHDRAW, now_ms=now_ms, hold=hold)


def follow_up(view: View, post: DeliveryDraft, kind: str, *, now_ms: int, hold: Hold | None = None) -> DeliveryDraft:
    """Add a delivery that changes what a post shows, due at once; with a hold, whoever has it is at it already.

    Where something else has to be over first it is born free, whatever the hold.
    """
    if has_to_wait(view, post.pause_id, kind, post.channel):
        hold = None
    added = DeliveryDraft(
        pause_id=post.pause_id,
        kind=kind,
        channel=post.channel,
        session_id=post.session_id,
        status=_DUE,
        ref=post.ref,
        due_at_ms=now_ms,
        attempts=0,
        last_error=None,
        holder=None if hold is None else hold.holder,
        held_until_ms=0 if hold is None else hold.until_ms,
        created_at_ms=now_ms,
        settled_at_ms=None,
    )
    view.add_delivery(added)
    view.has_news = view.has_news or hold is None
    return added


def _drop(delivery: DeliveryDraft, *, now_ms: int) -> None:
    """Drop what is still to be sent and nobody is sending.

    A holder whose time has run out keeps its name on the row: if it lives after all and says that the question was sent,
    ``SettleDelivery`` believes it.
    """
    if delivery.status == _DUE and (delivery.holder is None or delivery.held_until_ms <= now_ms):
        delivery.status = _DROPPED
        delivery.settled_at_ms = now_ms
        delivery.is_changed = True
