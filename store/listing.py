"""The lists that operators and hosts ask for: plain functions of a connection that is inside a transaction."""

from __future__ import annotations

import sqlalchemy as sa

from .freezing import maker
from .rows import LedgerRow, PauseKind, PauseRow, PauseStatus
from .schema import ledger, pauses, sessions
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
