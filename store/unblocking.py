"""The verb on a session that waits for an operator: let it go on. Pure: a view in, a result out."""

from __future__ import annotations

from dataclasses import replace

from .blocks import UnblockResult, UnblockSession, code_of
from .rows import ExecutionStatus, Priority, SessionStatus
from .view import View


def unblock(view: View, change: UnblockSession) -> UnblockResult:
    session = view.sessions.get(change.session_id)
    if session is None or session.tenant != change.tenant:
        return UnblockResult.UNKNOWN_SESSION
    if session.status != SessionStatus.BLOCKED or code_of(session.reason) != change.code:
        return UnblockResult.NOT_BLOCKED
    if not _are_executions_as_believed(view, change):
        return UnblockResult.STALE
    for accepted in change.accepted:
        row = view.executions[change.session_id, accepted.execution_id]
        view.write_execution(replace(row, version=accepted.version, fingerprint=accepted.fingerprint))
        view.note(
            session,
            "definition_accepted",
            execution_id=accepted.execution_id,
            body_json=accepted.ledger_json,
            now_ms=change.now_ms,
        )
    session.status = SessionStatus.READY.value
    session.reason = None
    session.priority = Priority.RESUME
    session.due_at_ms = change.now_ms
    session.attempts = 0
    session.updated_at_ms = change.now_ms
    session.is_changed = True
    view.has_news = True
    return UnblockResult.UNBLOCKED


def _are_executions_as_believed(view: View, change: UnblockSession) -> bool:
    for accepted in change.accepted:
        row = view.executions.get((change.session_id, accepted.execution_id))
        if row is None or row.status != ExecutionStatus.RUNNING or row.fingerprint != accepted.old_fingerprint:
            return False
    return True
