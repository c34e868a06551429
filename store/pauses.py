"""The verbs on one pause from outside its session: resolve it, cancel it. Pure: a view in, a result out."""

from __future__ import annotations

from .changes import CancelPause, ResolvePause, ResolveResult
from .closing import close
from .errors import StoreRefusedError
from .pause_states import PauseEvent, after
from .rows import Priority
from .sessions import grant
from .view import View
from .waking import wake


def resolve(view: View, change: ResolvePause) -> ResolveResult:
    pause = view.pauses.get(change.pause_id)
    if pause is None:
        return ResolveResult(outcome="unknown", pause=None)
    # Before the pause's state: an answer that is delivered again has been recorded, or refused, already.
    if change.inbound is not None and (received := view.received(change.inbound)) is not None:
        is_same = received.pause_id == change.inbound.pause_id
        return ResolveResult(outcome="duplicate" if is_same else "conflict", pause=pause.frozen())
    status = after(pause.status, PauseEvent.RESOLVE)
    if status is None:
        return ResolveResult(outcome="not_pending", pause=pause.frozen())
    if change.inbound is not None and change.inbound.session_id != pause.session_id:
        raise StoreRefusedError(f"the answer to a pause of session {pause.session_id} names another session")
    if change.inbound is not None:
        view.receive(change.inbound)
    close(
        view,
        pause,
        status=status,
        resolution=change.resolution,
        answer_json=change.answer_json,
        responder=change.responder,
        decision_json=change.decision_json,
        now_ms=change.now_ms,
    )
    session = view.sessions[pause.session_id]
    wake(session, priority=change.priority, now_ms=change.now_ms)
    claimed = grant(session, change.grant, now_ms=change.now_ms)
    view.has_news = view.has_news or claimed is None
    return ResolveResult(outcome="resolved", pause=pause.frozen(), claimed=claimed)


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
        resolution=change.resolution,
        answer_json=change.answer_json,
        responder=change.responder,
        decision_json=None,
        now_ms=change.now_ms,
    )
    wake(view.sessions[pause.session_id], priority=Priority.RESUME, now_ms=change.now_ms)
    view.has_news = True
    return ResolveResult(outcome="resolved", pause=pause.frozen())
