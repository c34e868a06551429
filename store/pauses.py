"""The verbs on one pause from outside its session: resolve it, cancel it. Pure: a view in, a result out."""

from __future__ import annotations

from .closing import close
from .deliveries import update
from .drafts import DeliveryDraft, PauseDraft
from .errors import StoreRefusedError
from .pause_states import PauseEvent, after
from .resolutions import CancelPause, CastVote, ResolvePause, ResolveResult, Vote
from .rows import DeliveryStatus, InboundRow, Priority, Resolution, VoteRow
from .sessions import grant
from .view import View, check_ids
from .waking import wake

_CANCELLED = Resolution.CANCELLED.value
_SENT = DeliveryStatus.SENT.value


def resolve(view: View, change: ResolvePause) -> ResolveResult:
    pause = view.pauses.get(change.pause_id)
    if pause is None:
        return ResolveResult(outcome="unknown", pause=None)
    status = after(pause.status, PauseEvent.RESOLVE)
    if (refused := _refused(view, pause, change, is_open=status is not None)) is not None:
        return refused
    assert status is not None
    _take_in(view, pause, change.inbound, change.vote, now_ms=change.now_ms)
    withdrawals = close(
        view,
        pause,
        status=status,
        resolution=change.resolution,
        answer_json=change.answer_json,
        responder=change.responder,
        decision_json=change.decision_json,
        now_ms=change.now_ms,
        hold=change.hold,
    )
    session = view.session_of(pause)
    wake(session, priority=change.priority, now_ms=change.now_ms)
    claimed = grant(session, change.grant, now_ms=change.now_ms)
    view.has_news = view.has_news or claimed is None
    return ResolveResult(
        outcome="resolved",
        pause=pause.frozen(),
        claimed=claimed,
        withdrawals=tuple(each.frozen() for each in withdrawals if each.holder is not None),
    )


def cast(view: View, change: CastVote) -> ResolveResult:
    pause = view.pauses.get(change.pause_id)
    if pause is None:
        return ResolveResult(outcome="unknown", pause=None)
    is_open = after(pause.status, PauseEvent.RESOLVE) is not None
    if (refused := _refused(view, pause, change, is_open=is_open)) is not None:
        return refused
    _take_in(view, pause, change.inbound, change.vote, now_ms=change.now_ms)
    for row in change.posts:
        if (row.pause_id, row.kind, row.channel) not in view.deliveries:
            view.add_delivery(DeliveryDraft.of(row))
            view.has_news = True
    for channel in change.updates:
        post = view.post_of(pause.pause_id, channel)
        if post is not None and post.status == _SENT:
            update(view, post, now_ms=change.now_ms)
    return ResolveResult(outcome="voted", pause=pause.frozen())


def _refused(view: View, pause: PauseDraft, change: ResolvePause | CastVote, *, is_open: bool) -> ResolveResult | None:
    """Why an answer is not taken; None if it is. The view is as it was."""
    inbound, vote = change.inbound, change.vote
    check_ids(pause.session_id, inbound)
    # Before the pause's state: an answer that is delivered again has been recorded, or refused, already.
    if inbound is not None and (received := view.received(inbound)) is not None:
        is_same = received.pause_id == inbound.pause_id
        return ResolveResult(outcome="duplicate" if is_same else "conflict", pause=pause.frozen())
    if not is_open:
        return ResolveResult(outcome="not_pending", pause=pause.frozen())
    if change.asked_in is not None and change.asked_in != pause.channel:
        return ResolveResult(outcome="moved", pause=pause.frozen())
    if vote is not None:
        votes = view.votes.get(pause.pause_id, ())
        if any(each.voter == vote.voter for each in votes):
            return ResolveResult(outcome="voted_already", pause=pause.frozen())
        if len(votes) != vote.counted:
            return ResolveResult(outcome="stale", pause=pause.frozen())
    if inbound is not None and inbound.session_id != pause.session_id:
        raise StoreRefusedError(f"the answer to a pause of session {pause.session_id} names another session")
    return None


def _take_in(view: View, pause: PauseDraft, inbound: InboundRow | None, vote: Vote | None, *, now_ms: int) -> None:
    if inbound is not None:
        view.receive(inbound)
    if vote is not None:
        row = VoteRow(pause_id=pause.pause_id, voter=vote.voter, decision_json=vote.decision_json, cast_at_ms=now_ms)
        view.votes.setdefault(pause.pause_id, []).append(row)
        view.new_votes.append(row)


def cancel(view: View, change: CancelPause) -> ResolveResult:
    pause = view.pauses.get(change.pause_id)
    if pause is None:
        return ResolveResult(outcome="unknown", pause=None)
    status = after(pause.status, PauseEvent.CLOSE)
    if status is None:
        return ResolveResult(outcome="not_pending", pause=pause.frozen())
    close(
        view,
        pause,
        status=status,
        resolution=_CANCELLED,
        answer_json=change.answer_json,
        responder=change.responder,
        decision_json=None,
        now_ms=change.now_ms,
    )
    wake(view.session_of(pause), priority=Priority.RESUME, now_ms=change.now_ms)
    view.has_news = True
    return ResolveResult(outcome="resolved", pause=pause.frozen())
