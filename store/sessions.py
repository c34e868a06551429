"""The verbs on whole sessions: start, post a message, claim, renew, cancel. Pure: a view in, a result out."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

from .changes import (
    CancelResult,
    CancelSession,
    Claim,
    ClaimResult,
    PostMessage,
    PostResult,
    RenewLeases,
    RenewResult,
    StartResult,
    StartSession,
)
from .closing import close, end_answered
from .drafts import InboundDraft, PauseDraft, SessionDraft
from .errors import StoreRefusedError
from .pause_states import PauseEvent, after
from .resolutions import Grant
from .rows import (
    TERMINAL_SESSION_STATUSES,
    ExecutionStatus,
    InboundRow,
    Priority,
    Resolution,
    SessionRow,
    SessionStatus,
)
from .view import View, check_ids
from .waking import is_due_at_once, wake

_READY = SessionStatus.READY.value
_RUNNING = SessionStatus.RUNNING.value

_claim_order = attrgetter("priority", "due_at_ms", "session_id")


def start(view: View, change: StartSession) -> StartResult:
    row, message = change.session, change.message
    check_ids(row.session_id, message)
    if message is not None and message.session_id != row.session_id:
        raise StoreRefusedError(f"the first message of session {row.session_id} names session {message.session_id}")
    if row.session_id in view.sessions or (message is not None and view.received(message) is not None):
        return StartResult.DUPLICATE
    view.sessions[row.session_id] = SessionDraft.of(row)
    if message is not None:
        view.receive(message)
    view.has_news = view.has_news or row.status == _READY
    return StartResult.STARTED


def post(view: View, change: PostMessage) -> PostResult:
    check_ids(change.message.session_id, change.message)
    session = view.sessions.get(change.message.session_id)
    if session is None or session.tenant != change.message.tenant:
        return PostResult.UNKNOWN_SESSION
    # Before the session's state: a message that came in time and is delivered again after the end was not refused.
    if (received := view.received(change.message)) is not None:
        return PostResult.DUPLICATE if _is_same(received, change.message) else PostResult.CONFLICT
    if session.status in TERMINAL_SESSION_STATUSES:
        return PostResult.ENDED_SESSION
    view.receive(change.message)
    wake(session, priority=Priority.RESUME, now_ms=change.now_ms)
    view.has_news = True
    return PostResult.POSTED


def _is_same(received: InboundDraft, message: InboundRow) -> bool:
    """Whether a message of the same id is this one again. Of an answer only what was read of it is kept, not its words."""
    if received.session_id != message.session_id:
        return False
    return received.pause_id is not None or received.body_json == message.body_json


def claim(view: View, change: Claim) -> ClaimResult:
    claimable = [session for session in view.sessions.values() if _is_claimable(session, now_ms=change.now_ms)]
    claimable.sort(key=_claim_order)
    claimed = claimable[: change.limit]
    for session in claimed:
        lease(session, holder=change.holder, until_ms=change.until_ms, now_ms=change.now_ms)
    return ClaimResult(sessions=tuple(session.frozen() for session in claimed))


def lease(session: SessionDraft, *, holder: str, until_ms: int, now_ms: int) -> None:
    """Give the session to a holder, under the next epoch."""
    session.status = _RUNNING
    session.lease_holder = holder
    session.lease_epoch += 1
    session.lease_until_ms = until_ms
    session.attempts += 1
    session.updated_at_ms = now_ms
    session.is_changed = True


def grant(session: SessionDraft, granted: Grant | None, *, now_ms: int) -> SessionRow | None:
    """Claim one session that has just become ready; None if nobody here has room for it, or it is not ready."""
    if granted is None or not (session.status == _READY and _is_claimable(session, now_ms=now_ms)):
        return None
    lease(session, holder=granted.holder, until_ms=granted.until_ms, now_ms=now_ms)
    return session.frozen()


def _is_claimable(session: SessionDraft, *, now_ms: int) -> bool:
    if session.status == _READY:
        return session.due_at_ms <= now_ms or is_due_at_once(session)
    return session.status == _RUNNING and session.lease_until_ms <= now_ms


def renew(view: View, change: RenewLeases) -> RenewResult:
    lost: set[str] = set()
    wakes: dict[str, int] = {}
    cancel_requested: set[str] = set()
    for session_id, epoch in change.epochs.items():
        session = view.sessions.get(session_id)
        if session is not None and session.is_cancel_requested:
            cancel_requested.add(session_id)
        if session is None or not is_held(session, holder=change.holder, epoch=epoch):
            lost.add(session_id)
            continue
        wakes[session_id] = session.wakes
        session.lease_until_ms = change.until_ms
        session.is_changed = True
    return RenewResult(lost=frozenset(lost), wakes=wakes, cancel_requested=frozenset(cancel_requested))


def is_held(session: SessionDraft, *, holder: str, epoch: int) -> bool:
    """Whether this holder's claim of that epoch still stands.

    The lease's time does not matter: past it anybody may claim the session, but until somebody does nothing has changed.
    """
    return session.status == _RUNNING and session.lease_holder == holder and session.lease_epoch == epoch


def cancel(view: View, change: CancelSession) -> CancelResult:
    session = view.sessions.get(change.session_id)
    if session is None or session.tenant != change.tenant:
        return CancelResult.UNKNOWN_SESSION
    if session.status in TERMINAL_SESSION_STATUSES:
        return CancelResult.ALREADY_ENDED
    root_id = _cancel_executions(view, session.session_id, now_ms=change.now_ms)
    for pause in view.pauses.values():
        if pause.session_id == session.session_id:
            _cancel_pause(view, pause, responder=change.responder, now_ms=change.now_ms)
    view.note(session, "session_cancelled", execution_id=root_id, body_json=change.ledger_json, now_ms=change.now_ms)
    if session.status == _RUNNING:
        # Its actor may live: it learns of the cancel when it renews, and whatever it still writes bears an old epoch.
        session.is_cancel_requested = session.lease_until_ms > change.now_ms
        session.lease_epoch += 1
        session.lease_holder = None
        session.lease_until_ms = 0
    session.status = SessionStatus.CANCELLED.value
    session.reason = change.reason
    wake(session, priority=session.priority, now_ms=change.now_ms)
    view.has_news = True
    return CancelResult.CANCELLED


def _cancel_executions(view: View, session_id: str, *, now_ms: int) -> str:
    """End what runs; return the id of the root among it, or an empty text."""
    root_id = ""
    for row in list(view.executions.values()):
        if row.session_id == session_id and row.status == ExecutionStatus.RUNNING:
            view.write_execution(replace(row, status=ExecutionStatus.CANCELLED.value, ended_at_ms=now_ms))
            if row.parent_id is None:
                root_id = row.execution_id
    return root_id


def _cancel_pause(view: View, pause: PauseDraft, *, responder: str | None, now_ms: int) -> None:
    status = after(pause.status, PauseEvent.END)
    if status is None:
        return
    if pause.resolution is None:
        close(
            view,
            pause,
            status=status,
            resolution=Resolution.CANCELLED.value,
            answer_json=None,
            responder=responder,
            decision_json=None,
            now_ms=now_ms,
        )
        return
    end_answered(view, pause, status=status, responder=responder, now_ms=now_ms)
