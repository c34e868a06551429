"""The verbs on deliveries: claim them, settle one. Pure: a view in, a result out."""

from __future__ import annotations

from operator import attrgetter
from typing import assert_never

from .changes import ClaimDeliveries, ClaimDeliveriesResult, SettleDelivery, SettleResult
from .closing import withdraw
from .drafts import DeliveryDraft, PauseDraft
from .rows import DeliveryKind, DeliveryRow, DeliveryStatus, PauseRow, PauseStatus
from .view import View

_PENDING = PauseStatus.PENDING.value
_POST = DeliveryKind.POST.value
_WITHDRAW = DeliveryKind.WITHDRAW.value
_DUE = DeliveryStatus.DUE.value
_SENT = DeliveryStatus.SENT.value
_FAILED = DeliveryStatus.FAILED.value
_DROPPED = DeliveryStatus.DROPPED.value

_due_order = attrgetter("due_at_ms", "delivery_id")


def claim(view: View, change: ClaimDeliveries) -> ClaimDeliveriesResult:
    claimable = [delivery for delivery in view.deliveries.values() if _is_claimable(view, delivery, change.now_ms)]
    claimable.sort(key=_due_order)
    claimed: list[tuple[DeliveryRow, PauseRow]] = []
    for delivery in claimable[: change.limit]:
        pause = view.pauses.get(delivery.pause_id)
        delivery.is_changed = True
        if pause is None or (delivery.kind == _POST and pause.status != _PENDING):
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
    if delivery.kind == _WITHDRAW:
        post = view.post_of(delivery.pause_id)
        return post is None or post.status != _DUE
    return True


def settle(view: View, change: SettleDelivery) -> SettleResult:
    delivery = view.deliveries.get(change.delivery_id)
    if delivery is None or delivery.holder != change.holder or not _may_settle(delivery, change):
        return SettleResult.LOST
    delivery.is_changed = True
    match change.outcome:
        case "sent":
            delivery.last_error = None
            _end(delivery, _SENT, now_ms=change.now_ms)
            pause = view.pauses.get(delivery.pause_id)
            if delivery.kind == _POST and pause is not None:
                _mark_sent(view, pause, channel_ref=change.channel_ref, now_ms=change.now_ms)
        case "decided":
            delivery.last_error = None
            _end(delivery, _SENT, now_ms=change.now_ms)
        case "retry":
            delivery.last_error = change.error
            delivery.attempts += 1
            delivery.due_at_ms = change.due_at_ms
            delivery.holder = None
            delivery.held_until_ms = 0
            view.has_news = True
        case "failed":
            delivery.last_error = change.error
            _end(delivery, _FAILED, now_ms=change.now_ms)
        case _:
            assert_never(change.outcome)
    return SettleResult.SETTLED


def _may_settle(delivery: DeliveryDraft, change: SettleDelivery) -> bool:
    if delivery.status == _DUE:
        return True
    # Its hold had run out when the question closed, so it was taken for unsent; but the people have seen it.
    return delivery.status == _DROPPED and delivery.kind == _POST and change.outcome == "sent"


def _mark_sent(view: View, pause: PauseDraft, *, channel_ref: str | None, now_ms: int) -> None:
    pause.is_sent = True
    pause.channel_ref = channel_ref
    pause.is_changed = True
    if pause.status != _PENDING:
        withdraw(view, pause, now_ms=now_ms)


def _end(delivery: DeliveryDraft, status: str, *, now_ms: int) -> None:
    delivery.status = status
    delivery.settled_at_ms = now_ms
