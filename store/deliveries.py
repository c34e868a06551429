"""The verbs on deliveries: claim them, settle one. Pure: a view in, a result out."""

from __future__ import annotations

from operator import attrgetter
from typing import assert_never

from .changes import ClaimDeliveries, ClaimDeliveriesResult, SettleDelivery, SettleResult
from .closing import close, escalate, follow_up, withdraw
from .drafts import DeliveryDraft, PauseDraft
from .pause_states import PauseEvent, after
from .precedence import has_to_wait
from .rows import (
    DeliveryKey,
    DeliveryKind,
    DeliveryRow,
    DeliveryStatus,
    PauseRow,
    PauseStatus,
    Priority,
    Resolution,
    channels_in,
)
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
_REMIND = DeliveryKind.REMIND.value
_RELIEVE = DeliveryKind.RELIEVE.value
_WITHDRAW = DeliveryKind.WITHDRAW.value
_UNDELIVERABLE = Resolution.UNDELIVERABLE.value

_due_order = attrgetter("due_at_ms", "pause_id", "kind", "channel")


def depends_on_others(delivery: DeliveryDraft) -> bool:
    """Whether others of its pause say if it is still needed; so they have to be read before it is claimed."""
    if delivery.kind == _POST:
        return delivery.holder is not None
    return delivery.kind != _WITHDRAW


def claim(view: View, change: ClaimDeliveries) -> ClaimDeliveriesResult:
    claimable = [delivery for delivery in view.deliveries.values() if _is_claimable(view, delivery, change.now_ms)]
    claimable.sort(key=_due_order)
    claimed: list[tuple[DeliveryRow, PauseRow]] = []
    abandoned: set[DeliveryKey] = set()
    for delivery in claimable[: change.limit]:
        pause = view.pauses.get(delivery.pause_id)
        delivery.is_changed = True
        if pause is None or not _is_needed(view, delivery, pause):
            _end(view, delivery, _DROPPED, now_ms=change.now_ms)
            continue
        if delivery.holder is not None:
            abandoned.add(DeliveryKey(delivery.pause_id, delivery.kind, delivery.channel))
        delivery.holder = change.holder
        delivery.held_until_ms = change.until_ms
        claimed.append((delivery.frozen(), pause.frozen()))
    return ClaimDeliveriesResult(deliveries=tuple(claimed), abandoned=frozenset(abandoned))


def _is_claimable(view: View, delivery: DeliveryDraft, now_ms: int) -> bool:
    if delivery.status != _DUE or delivery.due_at_ms > now_ms:
        return False
    if delivery.holder is not None and delivery.held_until_ms > now_ms:
        return False
    return not has_to_wait(view, delivery.pause_id, delivery.kind, delivery.channel)


def _is_needed(view: View, delivery: DeliveryDraft, pause: PauseDraft) -> bool:
    if delivery.kind == _WITHDRAW:
        return True
    if pause.status != _PENDING:
        return False
    is_relieved = (delivery.pause_id, _RELIEVE, delivery.channel) in view.deliveries
    if delivery.kind == _POST:
        return not is_relieved
    post = view.post_of(delivery.pause_id, delivery.channel)
    return post is not None and post.status == _SENT and is_relieved == (delivery.kind == _RELIEVE)


def settle(view: View, change: SettleDelivery) -> SettleResult:
    delivery = view.deliveries.get(change.delivery)
    if delivery is not None and change.outcome == "returned":
        return _return(view, delivery, change)
    if delivery is None or delivery.holder != change.holder or not _may_settle(delivery, change):
        return SettleResult.LOST
    delivery.is_changed = True
    pause = view.pauses.get(delivery.pause_id)
    match change.outcome:
        case "sent":
            delivery.last_error = None
            if delivery.kind == _UPDATE and delivery.created_at_ms != change.created_at_ms:
                _make_due(view, delivery, due_at_ms=change.now_ms)
            elif not _reminds_again(view, delivery, pause, change):
                _end(view, delivery, _SENT, now_ms=change.now_ms)
                if delivery.kind == _POST and pause is not None:
                    delivery.ref = change.ref
                    _mark_sent(view, pause, delivery, change)
        case "decided":
            delivery.last_error = None
            _end(view, delivery, _DECIDED, now_ms=change.now_ms)
            return _strand(view, delivery, change)
        case "retry" | "passed_on":
            delivery.last_error = change.error
            delivery.attempts += change.outcome == "retry"
            if pause is not None and _is_needed(view, delivery, pause):
                _make_due(view, delivery, due_at_ms=change.due_at_ms)
            else:
                _end(view, delivery, _DROPPED, now_ms=change.now_ms)
        case "failed" | "returned":
            delivery.last_error = change.error
            if not _reminds_again(view, delivery, pause, change):
                _end(view, delivery, _FAILED, now_ms=change.now_ms)
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
    _end(view, delivery, _FAILED, now_ms=change.now_ms)
    return _strand(view, delivery, change)


def _reminds_again(view: View, delivery: DeliveryDraft, pause: PauseDraft | None, change: SettleDelivery) -> bool:
    """Have a reminder that has ended be the next one, if there is a next one and anybody to be reminded."""
    if delivery.kind != _REMIND or change.remind_at_ms is None or pause is None:
        return False
    if not _is_needed(view, delivery, pause):
        return False
    delivery.attempts = 0
    _make_due(view, delivery, due_at_ms=change.remind_at_ms)
    return True


def _strand(view: View, post: DeliveryDraft, change: SettleDelivery) -> SettleResult:
    """Close the pause of a post that has come to its end, if no other post of it is out or on its way."""
    pause = view.pauses.get(post.pause_id)
    if change.stranded_json is None or pause is None:
        return SettleResult.SETTLED
    status = after(pause.status, PauseEvent.CLOSE)
    others = [
        each
        for each in view.deliveries_of(pause.pause_id)
        if each.kind == _POST and (each.pause_id, _RELIEVE, each.channel) not in view.deliveries
    ]
    if status is None or any(other.status == _SENT for other in others):
        return SettleResult.SETTLED
    if left := [other for other in others if other.status == _DUE]:
        _escalate_now(view, pause, left, now_ms=change.now_ms)
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
    wake(view.session_of(pause), priority=Priority.RESUME, now_ms=change.now_ms)
    view.has_news = True
    return SettleResult.STRANDED


def _escalate_now(view: View, pause: PauseDraft, posts: list[DeliveryDraft], *, now_ms: int) -> None:
    """Where nobody can be asked first, those who are to be asked later are asked at once."""
    first = channels_in(pause.channel)
    if any(post.channel in first for post in posts):
        return
    for post in posts:
        if post.holder is None and post.attempts == 0 and post.due_at_ms > now_ms:
            post.is_changed = True
            _make_due(view, post, due_at_ms=now_ms)


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


def _mark_sent(view: View, pause: PauseDraft, post: DeliveryDraft, change: SettleDelivery) -> None:
    pause.is_sent = True
    pause.is_changed = True
    if pause.status != _PENDING:
        withdraw(view, post, now_ms=change.now_ms)
    elif (relief := view.deliveries.get((post.pause_id, _RELIEVE, post.channel))) is not None:
        # Others were asked in their place while it was being sent.
        relief.ref = post.ref
        relief.is_changed = True
        relief.status = _DUE
        relief.settled_at_ms = None
        _make_due(view, relief, due_at_ms=change.now_ms)
    else:
        if change.escalates:
            escalate(view, pause, post, now_ms=change.now_ms)
        if change.remind_at_ms is not None:
            follow_up(view, post, _REMIND, now_ms=change.now_ms).due_at_ms = change.remind_at_ms


def _end(view: View, delivery: DeliveryDraft, status: str, *, now_ms: int) -> None:
    delivery.status = status
    delivery.settled_at_ms = now_ms
    # Another one may have waited for this.
    view.has_news = view.has_news or any(
        other.status == _DUE and other.channel == delivery.channel for other in view.deliveries_of(delivery.pause_id)
    )
