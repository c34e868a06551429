"""The lists that operators, hosts and commands ask for: plain functions of a connection that is inside a transaction."""

from __future__ import annotations

import sqlalchemy as sa

from .freezing import maker
from .rows import DeliveryStatus, LedgerRow, PauseKind, PauseRow, PauseStatus
from .schema import deliveries, ledger, pauses, sessions
from .statements import literal

_pause_of = maker(PauseRow)
_event_of = maker(LedgerRow)

_ACTIONS = (
    sa.select(pauses)
    .where(pauses.c.status == literal(PauseStatus.PENDING), pauses.c.kind == literal(PauseKind.ACTION))
    .order_by(pauses.c.asked_at_ms)
)
_JUDGED = (
    sa.select(ledger)
    .join(sessions, sessions.c.session_id == ledger.c.session_id)
    .where(ledger.c.kind == sa.literal_column("'gates_judged'"))
    .order_by(ledger.c.at_ms.desc())
)
_now_ms = sa.bindparam("now_ms", type_=sa.BigInteger())
_due = sa.select(deliveries.c.channel, deliveries.c.session_id).where(
    deliveries.c.status == literal(DeliveryStatus.DUE), deliveries.c.due_at_ms <= _now_ms
)
_DUE_DELIVERIES = sa.union(  # each part by the index that the claims have as well
    _due.where(deliveries.c.holder.is_(None)),
    _due.where(deliveries.c.holder.is_not(None), deliveries.c.held_until_ms <= _now_ms),
)


def actions(
    connection: sa.Connection, *, tenant: str | None, session_id: str | None, action_kind: str | None, limit: int
) -> tuple[PauseRow, ...]:
    """Pending actions, oldest first; None is every tenant, every session, every kind."""
    query = _ACTIONS.limit(limit)
    if tenant is not None:
        query = query.where(pauses.c.tenant == tenant)
    if session_id is not None:
        query = query.where(pauses.c.session_id == session_id)
    if action_kind is not None:
        query = query.where(pauses.c.role == action_kind)
    return tuple(map(_pause_of, connection.execute(query).all()))


def judged(
    connection: sa.Connection, *, tenant: str | None, session_id: str | None, limit: int
) -> tuple[LedgerRow, ...]:
    """What gates said of calls, newest first; None is every tenant, every session."""
    query = _JUDGED.limit(limit)
    if tenant is not None:
        query = query.where(sessions.c.tenant == tenant)
    if session_id is not None:
        query = query.where(ledger.c.session_id == session_id)
    return tuple(map(_event_of, connection.execute(query).all()))


def due_deliveries(connection: sa.Connection, *, now_ms: int) -> frozenset[tuple[str, str]]:
    """The channel and the session of each delivery that is due and that nobody holds."""
    return frozenset((channel, of) for channel, of in connection.execute(_DUE_DELIVERIES, {"now_ms": now_ms}))
