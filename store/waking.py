"""How something that arrives for a session makes it ready: the one table of it.

status            becomes     why
----------------- ----------- --------------------------------------------------------------
waiting, idle     ready       there is something to do now
ready             ready       its back-off stands; its priority becomes the more urgent one
running           running     its actor sees the count of wakes before it rests; should it be dead, the more urgent
                              priority is the one by which it is claimed again
blocked           blocked     an operator has to act first
terminal          the same    nothing wakes it
"""

from __future__ import annotations

from .drafts import SessionDraft
from .rows import SessionStatus

_RESTING = (SessionStatus.WAITING.value, SessionStatus.IDLE.value)
_READY = SessionStatus.READY.value
_UNDER_WAY = (_READY, SessionStatus.RUNNING.value)


def wake(session: SessionDraft, *, priority: int, now_ms: int) -> None:
    """Count one more thing that arrived, and make a resting session ready."""
    session.wakes += 1
    if is_due_at_once(session):
        session.due_at_ms = min(session.due_at_ms, now_ms)
    session.updated_at_ms = now_ms
    session.is_changed = True
    if session.status in _RESTING:
        session.status = _READY
        session.reason = None
        session.priority = priority
        session.due_at_ms = now_ms
    elif session.status in _UNDER_WAY:
        session.priority = min(session.priority, priority)


def is_due_at_once(session: SessionDraft) -> bool:
    """It was due when it was last written, so it is due now, whatever the clock says: that may have been set back."""
    return session.due_at_ms <= session.updated_at_ms
