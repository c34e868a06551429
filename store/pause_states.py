"""The states of a pause and how it may go from one to another: one table, and nothing that is not in it happens.

    event     from        to          who
    --------- ----------- ----------- ------------------------------------------------------------
    RESOLVE   pending     resolved    an answer, a deadline, a timer
    CLOSE     pending     cancelled   a decided join, an operator, a question nobody could be sent
    TAKE      resolved    taken       the session, whose step goes on with the answer
    END       pending     cancelled   the session ended
    END       resolved    cancelled   the session ended before its step took the answer

A pause that a channel decides at once goes through ``resolved`` like any other. ``taken`` and ``cancelled`` are final. Adding a
state means the CHECK of its column, this table and a migration.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from .rows import PauseStatus


class PauseEvent(Enum):
    RESOLVE = auto()
    CLOSE = auto()
    TAKE = auto()
    END = auto()


TRANSITIONS: Mapping[tuple[str, PauseEvent], str] = {
    (PauseStatus.PENDING.value, PauseEvent.RESOLVE): PauseStatus.RESOLVED.value,
    (PauseStatus.PENDING.value, PauseEvent.CLOSE): PauseStatus.CANCELLED.value,
    (PauseStatus.RESOLVED.value, PauseEvent.TAKE): PauseStatus.TAKEN.value,
    (PauseStatus.PENDING.value, PauseEvent.END): PauseStatus.CANCELLED.value,
    (PauseStatus.RESOLVED.value, PauseEvent.END): PauseStatus.CANCELLED.value,
}


def after(status: str, event: PauseEvent) -> str | None:
    """The state that follows; None if the event cannot happen to a pause in this state."""
    return TRANSITIONS.get((status, event))
