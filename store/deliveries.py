"""The verbs on deliveries: claim them, settle one. Pure: a view in, a result out."""

from __future__ import annotations

from operator import attrgetter
from typing import assert_never

from .changes import ClaimDeliveries, ClaimDeliveriesResult, SettleDelivery, SettleResult
from .closing import close, follow_up, withdraw
from .drafts import DeliveryDraft, PauseDraft
from .pause_states import PauseEvent, after
from .rows import DeliveryKind, DeliveryRow, DeliveryStatus, PauseRow, PauseStatus, Priority, Resolution, channels_in
from .view import View
from .waking import wake

_PENDING = PauseStatus.PENDING.value
_POST = DeliveryKind.POST.value
_DUE = DeliveryStatus.DUE.value
_SENT = DeliveryStatus.SENT.value
_DECIDED = DeliveryStatus.DECIDED.value
_FAILED = DeliveryStatus.FAILED.value
_DROPPED = DeliveryStatus.DROPPED.value

_UPDATE = DeliveryKind.UPDATE.value
_UNDELIVERABLE = Resolution.UNDELIVERABLE.value

_due_order = attrgetter("due_at_ms", "pause_id", "kind", "channel")


def claim(view: View, change: ClaimDeliveries) -> ClaimDeliveriesResult:
    claimable = [delivery for delivery in view.deliveries.values() if _is_claimable(view, delivery, change.now_ms)]
    claimable.sort(key=_due_order)
    claimed: list[tuple[DeliveryRow, PauseRow]] = []
    for delivery in claimable[: change.limit]:
        pause = view.pauses.get(delivery.pause_id)
        delivery.is_changed = True
        if pause is None or not _is_needed(view, delivery, pause):
            _end(delivery, _DROPPED, now_ms=change.now_ms)
            continue
        delivery.holder = change.holder
        delivery.held_until_ms = change.until_ms
        claimed.append((delivery.frozen(), pause.frozen()))
    return ClaimDeliveriesResult(deliveries=tuple(claimed))


def _is_claimable(view: View, delivery: DeliveryDraft, now_ms: int) -> bool:
    if delivery.status != _DUE or delivery.due_at_ms > now_ms:
        return False
    if delivery.holder is not None and delivery.held_until_ms > now_ms:
        return False
    if delivery.kind == _POST:
        return True
    post = view.post_of(delivery.pause_id, delivery.channel)
    return post is None or post.status != _DUE


def _is_needed(view: View, delivery: DeliveryDraft, pause: PauseDraft) -> bool:
    if delivery.kind == _POST:
        return pause.status == _PENDING
    if delivery.kind == _UPDATE:
        post = view.post_of(delivery.pause_id, delivery.channel)
        return pause.status == _PENDING and post is not None and post.status == _SENT
    return True


def settle(view: View, change: SettleDelivery) -> SettleResult:
    delivery = view.deliveries.get(change.delivery)
    if delivery is not None and change.outcome == "returned":
        return _return(view, delivery, change)
    if delivery is None or delivery.holder != change.holder or not _may_settle(delivery, change):
        return SettleResult.LOST
    delivery.is_changed = True
    match change.outcome:
        case "sent":
            delivery.last_error = None
            if delivery.kind == _UPDATE and delivery.created_at_ms != change.created_at_ms:
                _make_due(view, delivery, due_at_ms=change.now_ms)
                return SettleResult.SETTLED
            _end(delivery, _SENT, now_ms=change.now_ms)
            pause = view.pauses.get(delivery.pause_id)
            if delivery.kind == _POST and pause is not None:
                delivery.ref = change.ref
                _mark_sent(view, pause, delivery, now_ms=change.now_ms)
        case "decided":
            delivery.last_error = None
            _end(delivery, _DECIDED, now_ms=change.now_ms)
            return _strand(view, delivery, change)
        case "retry":
            delivery.last_error = change.error
            delivery.attempts += 1
            _make_due(view, delivery, due_at_ms=change.due_at_ms)
        case "failed" | "returned":
            delivery.last_error = change.error
            _end(delivery, _FAILED, now_ms=change.now_ms)
            return _strand(view, delivery, change)
        case _:
            assert_never(change.outcome)
    return SettleResult.SETTLED


def _return(view: View, delivery: DeliveryDraft, change: SettleDelivery) -> SettleResult:
    """A question that was sent has come back: nobody has it."""
    if delivery.kind != _POST or delivery.status != _SENT:
        return SettleResult.LOST
    delivery.is_changed = True
    delivery.last_error = change.error
    _end(delivery, _FAILED, now_ms=change.now_ms)
    return _strand(view, delivery, change)


def _strand(view: View, post: DeliveryDraft, change: SettleDelivery) -> SettleResult:
    """Close the pause of a post that has come to its end, if no other post of it is out or on its way."""
    pause = view.pauses.get(post.pause_id)
    if change.stranded_json is None or pause is None:
        return SettleResult.SETTLED
    status = after(pause.status, PauseEvent.CLOSE)
    others = (view.post_of(pause.pause_id, channel) for channel in channels_in(pause.channel))
    if status is None or any(other is not None and other.status in (_DUE, _SENT) for other in others):
        return SettleResult.SETTLED
    close(
        view,
        pause,
        status=status,
        resolution=_UNDELIVERABLE,
        answer_json=change.stranded_json,
        responder=None,
        decision_json=None,
        now_ms=change.now_ms,
    )
    wake(view.sessions[pause.session_id], priority=Priority.RESUME, now_ms=change.now_ms)
    view.has_news = True
    return SettleResult.STRANDED


def update(view: View, post: DeliveryDraft, *, now_ms: int) -> None:
    """Have a posted question show how far it is, once more if that is under way already."""
    if (known := view.deliveries.get((post.pause_id, _UPDATE, post.channel))) is None:
        follow_up(view, post, _UPDATE, now_ms=now_ms)
    else:
        known.is_changed = True
        known.created_at_ms = max(now_ms, known.created_at_ms + 1)
        known.ref = post.ref
        if known.status != _DUE:
            known.status = _DUE
            known.settled_at_ms = None
            known.attempts = 0
            known.holder = None
            known.held_until_ms = 0
            known.due_at_ms = now_ms
    view.has_news = True


def _make_due(view: View, delivery: DeliveryDraft, *, due_at_ms: int) -> None:
    delivery.due_at_ms = due_at_ms
    delivery.holder = None
    delivery.held_until_ms = 0
    view.has_news = True


def _may_settle(delivery: DeliveryDraft, change: SettleDelivery) -> bool:
    if delivery.status == _DUE:
        return True
    # Its hold had run out when the question closed, so it was taken for unsent; but the people have seen it.
    return delivery.status == _DROPPED and delivery.kind == _POST and change.outcome == "sent"


def _mark_sent(view: View, pause: PauseDraft, post: DeliveryDraft, *, now_ms: int) -> None:
    pause.is_sent = True
    pause.is_changed = True
    if pause.status != _PENDING:
        withdraw(view, post, now_ms=now_ms)


def _end(delivery: DeliveryDraft, status: str, *, now_ms: int) -> None:
    delivery.status = status
    delivery.settled_at_ms = now_ms
