"""What is read back: several rows as they were at one moment."""

from __future__ import annotations

from .rows import AuditRow, DeliveryRow, ExecutionRow, InboundRow, LedgerRow, PauseRow, SessionRow
from .values import value


@value
class LoadedSession:
    """All that a revival needs, from one read snapshot.

    Attributes:
        executions: the running ones, root first.
        events: the ledger of those executions, in order.
        pauses: their pauses that are not taken.
        inbound: messages not yet consumed, oldest first.
    """

    session: SessionRow
    executions: tuple[ExecutionRow, ...]
    events: tuple[LedgerRow, ...]
    pauses: tuple[PauseRow, ...]
    inbound: tuple[InboundRow, ...]


@value
class Due:
    """When the store next has something to do by the clock; None where nothing waits for it."""

    session_ms: int | None
    """Earliest ready session, or end of a lease."""
    deadline_ms: int | None
    """Earliest deadline of a pending pause."""
    delivery_ms: int | None


@value
class Overdue:
    """What has come due by the clock, and when more will."""

    pauses: tuple[PauseRow, ...]
    """Pending pauses whose deadline has come, earliest first; those of one moment by session."""
    next_ms: int | None
    """Earliest deadline of one whose has not; None where there is none."""


@value
class Timeline:
    """A session with all of its history, for people."""

    session: SessionRow
    executions: tuple[ExecutionRow, ...]
    events: tuple[LedgerRow, ...]
    pauses: tuple[PauseRow, ...]
    deliveries: tuple[DeliveryRow, ...]
    audit: tuple[AuditRow, ...]
