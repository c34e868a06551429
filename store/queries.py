"""The reading queries, made once for a store; over many keys at once where many callers ask for the same kind of thing.

Each takes a connection that is inside a transaction, so what it returns is of one moment.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

from .engine import Dialect, is_key_lost
from .freezing import maker
from .rows import (
    AuditRow,
    DeliveryRow,
    DeliveryStatus,
    ExecutionRow,
    ExecutionStatus,
    InboundKind,
    InboundRow,
    LedgerRow,
    PauseRow,
    PauseStatus,
    SessionRow,
    SessionStatus,
    VoteRow,
)
from .schema import audit, deliveries, executions, inbound, ledger, pauses, sessions, votes
from .snapshots import Due, LoadedSession, Overdue, Timeline
from .statements import Select, literal, number, text

R = TypeVar("R", SessionRow, ExecutionRow, LedgerRow, PauseRow, DeliveryRow, InboundRow, AuditRow)


def _maker(kind: type[R]) -> Callable[[Iterable[Any]], list[R]]:
    make = maker(kind)
    return lambda rows: [make(row) for row in rows]


class Queries:
    """All of them, for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._sessions_of = _maker(SessionRow)
        self._executions_of = _maker(ExecutionRow)
        self._ledger_of = _maker(LedgerRow)
        self._pauses_of = _maker(PauseRow)
        self._deliveries_of = _maker(DeliveryRow)
        self._inbound_of = _maker(InboundRow)
        self._audit_of = _maker(AuditRow)
        self._make_loads(dialect)
        self._make_lists(dialect)
        self._make_due()
        self._make_timeline()

    # -- revival -------------------------------------------------------------------------------------------------------
    def _make_loads(self, dialect: Dialect) -> None:
        ids = dialect.keys("ids")
        is_running = executions.c.status == literal(ExecutionStatus.RUNNING)
        of_same = sa.and_(
            ledger.c.session_id == executions.c.session_id, ledger.c.execution_id == executions.c.execution_id
        )
        of_same_pause = sa.and_(
            pauses.c.session_id == executions.c.session_id, pauses.c.execution_id == executions.c.execution_id
        )
        self._session: Select = sa.select(sessions).where(sessions.c.session_id.in_(ids))
        self._open_executions: Select = (
            sa.select(executions)
            .where(executions.c.session_id.in_(ids), is_running)
            .order_by(executions.c.parent_id.is_not(None), executions.c.started_at_ms, executions.c.execution_id)
        )
        self._open_events: Select = (
            sa.select(ledger)
            .select_from(executions.join(ledger, of_same))
            .where(executions.c.session_id.in_(ids), is_running, ledger.c.kind.not_in(dialect.keys("without")))
            .order_by(ledger.c.session_id, ledger.c.seq)
        )
        self._open_pauses: Select = (
            sa.select(pauses)
            .select_from(executions.join(pauses, of_same_pause))
            .where(executions.c.session_id.in_(ids), is_running, pauses.c.status != literal(PauseStatus.TAKEN))
            .order_by(pauses.c.asked_at_ms, pauses.c.key)
        )
        self._unread: Select = (
            sa.select(inbound)
            .where(
                inbound.c.session_id.in_(ids),
                inbound.c.kind == literal(InboundKind.MESSAGE),
                inbound.c.consumed_at_ms.is_(None),
            )
            .order_by(inbound.c.received_at_ms, inbound.c.channel, inbound.c.external_id)
        )
        self._votes: Select = (
            sa.select(votes)
            .where(votes.c.pause_id == sa.bindparam("pause_id"))
            .order_by(votes.c.cast_at_ms, votes.c.voter)
        )
        self._pause: Select = sa.select(pauses).where(pauses.c.pause_id.in_(ids))

    def load(
        self, session_ids: Sequence[str], connection: sa.Connection, *, without: frozenset[str]
    ) -> list[LoadedSession | None]:
        """Sessions with what is open in them; without the events of some kinds."""
        parameters = {"ids": self._dialect.bound(set(session_ids))}
        of_events = {**parameters, "without": self._dialect.bound(sorted(without))}

        def read(statement: Select, bound: Mapping[str, object] = parameters) -> Sequence[Any]:
            return connection.execute(statement, bound).all()

        found = {row.session_id: row for row in self._sessions_of(read(self._session))}
        open_executions = _by_session(self._executions_of(read(self._open_executions)))
        events = _by_session(self._ledger_of(read(self._open_events, of_events)))
        open_pauses = _by_session(self._pauses_of(read(self._open_pauses)))
        unread = _by_session(self._inbound_of(read(self._unread)))
        return [
            None
            if (session := found.get(session_id)) is None
            else LoadedSession(
                session=session,
                executions=tuple(open_executions.get(session_id, ())),
                events=tuple(events.get(session_id, ())),
                pauses=tuple(open_pauses.get(session_id, ())),
                inbound=tuple(unread.get(session_id, ())),
            )
            for session_id in session_ids
        ]

    def session(self, connection: sa.Connection, *, session_id: str) -> SessionRow | None:
        found = self._sessions_of(connection.execute(self._session, {"ids": self._dialect.bound([session_id])}).all())
        return found[0] if found else None

    def sessions_named(self, connection: sa.Connection, *, session_ids: frozenset[str]) -> tuple[SessionRow, ...]:
        found = connection.execute(self._session, {"ids": self._dialect.bound(sorted(session_ids))})
        return tuple(self._sessions_of(found.all()))

    def pauses(self, pause_ids: Sequence[str], connection: sa.Connection) -> list[PauseRow | None]:
        rows = connection.execute(self._pause, {"ids": self._dialect.bound(set(pause_ids))}).all()
        found = {row.pause_id: row for row in self._pauses_of(rows)}
        return [found.get(pause_id) for pause_id in pause_ids]

    def votes(self, connection: sa.Connection, *, pause_id: str) -> tuple[VoteRow, ...]:
        return tuple(
            VoteRow(pause_id=of, voter=voter, decision_json=decision, cast_at_ms=at_ms)
            for of, voter, decision, at_ms in connection.execute(self._votes, {"pause_id": pause_id})
        )

    # -- lists ---------------------------------------------------------------------------------------------------------
    def _make_lists(self, dialect: Dialect) -> None:
        self._updated: Select = sa.select(sessions).order_by(
            sessions.c.updated_at_ms.desc(), sessions.c.session_id.desc()
        )
        is_pending = pauses.c.status == literal(PauseStatus.PENDING)
        self._pending: Select = (
            sa.select(pauses).where(is_pending).order_by(pauses.c.asked_at_ms, pauses.c.session_id, pauses.c.key)
        )
        # By session, whose ids lie as they were made: what is fired together is written to pages that lie together.
        by_deadline = (pauses.c.deadline_at_ms, pauses.c.session_id, pauses.c.pause_id)
        self._overdue: Select = (
            sa.select(pauses)
            .where(
                is_pending,
                pauses.c.deadline_at_ms <= number("now_ms"),
                sa.tuple_(*by_deadline) > sa.tuple_(number("after_ms"), text("after_session"), text("after_id")),
            )
            .order_by(*by_deadline)
            .limit(number("limit"))
        )
        self._next_deadline: Select = (
            sa.select(pauses.c.deadline_at_ms)
            .where(is_pending, pauses.c.deadline_at_ms > number("now_ms"))
            .order_by(pauses.c.deadline_at_ms)
            .limit(1)
        )
        earlier = executions.alias("earlier")
        self._events_before: Select = (
            sa.select(ledger)
            .join(
                earlier,
                sa.and_(earlier.c.session_id == ledger.c.session_id, earlier.c.execution_id == ledger.c.execution_id),
            )
            .where(
                ledger.c.session_id == sa.bindparam("session_id"),
                ledger.c.kind.in_(dialect.keys("kinds")),
                ledger.c.execution_id != sa.bindparam("execution_id"),
                earlier.c.status != literal(ExecutionStatus.RUNNING),
                earlier.c.parent_id.is_(None),
            )
            .order_by(ledger.c.seq)
        )
        self._audit: Select = (
            sa.select(audit)
            .where(audit.c.tenant == sa.bindparam("tenant"), audit.c.seq > sa.bindparam("after_seq"))
            .order_by(audit.c.seq)
            .limit(number("limit"))
        )
        has_entry = sa.exists().where(
            audit.c.tenant == sessions.c.tenant,
            audit.c.session_id == ledger.c.session_id,
            audit.c.execution_id == ledger.c.execution_id,
            audit.c.key == ledger.c.key,
        )
        self._events_unaudited: Select = (
            sa.select(ledger)
            .join(sessions, sessions.c.session_id == ledger.c.session_id)
            .where(
                sessions.c.tenant == sa.bindparam("tenant"),
                ledger.c.kind.in_(dialect.keys("kinds")),
                sa.tuple_(ledger.c.session_id, ledger.c.execution_id, ledger.c.seq)
                > sa.tuple_(sa.bindparam("session_id"), sa.bindparam("execution_id"), sa.bindparam("seq")),
                ~has_entry,
            )
            .order_by(ledger.c.session_id, ledger.c.execution_id, ledger.c.seq)
            .limit(number("limit"))
        )
        self._last_ended: Select = (
            sa.select(executions)
            .where(
                executions.c.session_id == sa.bindparam("session_id"),
                executions.c.parent_id.is_(None),
                executions.c.ended_at_ms.is_not(None),
            )
            .order_by(executions.c.ended_at_ms.desc(), executions.c.started_at_ms.desc())
            .limit(1)
        )
        self._blocked: Select = (
            sa.select(sessions)
            .where(
                sessions.c.status == literal(SessionStatus.BLOCKED),
                sessions.c.session_id > sa.bindparam("after_session_id"),
            )
            .order_by(sessions.c.session_id)
            .limit(number("limit"))
        )

    def sessions(
        self,
        connection: sa.Connection,
        *,
        tenant: str | None,
        statuses: frozenset[str] | None,
        limit: int,
        offset: int,
    ) -> tuple[SessionRow, ...]:
        query = self._updated.limit(limit).offset(offset)
        if tenant is not None:
            query = query.where(sessions.c.tenant == tenant)
        if statuses is not None:
            query = query.where(sessions.c.status.in_(sorted(statuses)))
        return tuple(self._sessions_of(connection.execute(query).all()))

    def pending_pauses(
        self,
        connection: sa.Connection,
        *,
        tenant: str | None,
        session_id: str | None,
        channel: str | None,
        limit: int,
    ) -> tuple[PauseRow, ...]:
        query = self._pending.limit(limit)
        if channel is not None:
            query = query.where(pauses.c.channel == channel)
        if tenant is not None:
            query = query.where(pauses.c.tenant == tenant)
        if session_id is not None:
            query = query.where(pauses.c.session_id == session_id)
        return tuple(self._pauses_of(connection.execute(query).all()))

    def overdue(self, connection: sa.Connection, *, now_ms: int, limit: int, after: PauseRow | None) -> Overdue:
        last = (-1, "", "") if after is None else (after.deadline_at_ms, after.session_id, after.pause_id)
        place = dict(zip(("after_ms", "after_session", "after_id"), last, strict=True))
        rows = connection.execute(self._overdue, {"now_ms": now_ms, "limit": limit, **place}).all()
        found = self._pauses_of(row for row in rows if not is_key_lost(row.session_id, row.pause_id))
        return Overdue(pauses=tuple(found), next_ms=connection.scalar(self._next_deadline, {"now_ms": now_ms}))

    def events_before(
        self, connection: sa.Connection, *, session_id: str, execution_id: str, kinds: frozenset[str]
    ) -> tuple[LedgerRow, ...]:
        parameters = {
            "session_id": session_id,
            "execution_id": execution_id,
            "kinds": self._dialect.bound(sorted(str(kind) for kind in kinds)),
        }
        return tuple(self._ledger_of(connection.execute(self._events_before, parameters).all()))

    def audit(
        self,
        connection: sa.Connection,
        *,
        tenant: str,
        limit: int,
        after_seq: int,
        session_id: str | None,
        execution_id: str | None,
    ) -> tuple[AuditRow, ...]:
        query = self._audit
        if session_id is not None:
            query = query.where(audit.c.session_id == session_id)
        if execution_id is not None:
            query = query.where(audit.c.execution_id == execution_id)
        parameters = {"tenant": tenant, "limit": limit, "after_seq": after_seq}
        return tuple(self._audit_of(connection.execute(query, parameters).all()))

    def events_unaudited(
        self, connection: sa.Connection, *, tenant: str, kinds: frozenset[str], limit: int, after: LedgerRow | None
    ) -> tuple[LedgerRow, ...]:
        parameters = {
            "tenant": tenant,
            "kinds": self._dialect.bound(sorted(str(kind) for kind in kinds)),
            "limit": limit,
            "session_id": "" if after is None else after.session_id,
            "execution_id": "" if after is None else after.execution_id,
            "seq": -1 if after is None else after.seq,
        }
        return tuple(self._ledger_of(connection.execute(self._events_unaudited, parameters).all()))

    def last_ended(self, connection: sa.Connection, *, session_id: str) -> ExecutionRow | None:
        found = self._executions_of(connection.execute(self._last_ended, {"session_id": session_id}).all())
        return found[0] if found else None

    def blocked(self, connection: sa.Connection, *, limit: int, after_session_id: str) -> tuple[SessionRow, ...]:
        parameters = {"limit": limit, "after_session_id": after_session_id}
        return tuple(self._sessions_of(connection.execute(self._blocked, parameters).all()))

    # -- the clock -----------------------------------------------------------------------------------------------------
    def _make_due(self) -> None:
        is_due = deliveries.c.status == literal(DeliveryStatus.DUE)
        self._due: Select = sa.select(
            _first(sessions.c.due_at_ms, sessions.c.status == literal(SessionStatus.READY)),
            _first(sessions.c.lease_until_ms, sessions.c.status == literal(SessionStatus.RUNNING)),
            _first(
                pauses.c.deadline_at_ms,
                sa.and_(pauses.c.status == literal(PauseStatus.PENDING), pauses.c.deadline_at_ms.is_not(None)),
            ),
            _first(deliveries.c.due_at_ms, sa.and_(is_due, deliveries.c.holder.is_(None))),
            _first(deliveries.c.held_until_ms, sa.and_(is_due, deliveries.c.holder.is_not(None))),
        )

    def due(self, connection: sa.Connection) -> Due:
        ready, leased, deadline, free, held = connection.execute(self._due).one()
        return Due(session_ms=_earlier(ready, leased), deadline_ms=deadline, delivery_ms=_earlier(free, held))

    # -- people --------------------------------------------------------------------------------------------------------
    def _make_timeline(self) -> None:
        of_session = text("session_id")
        of_its_pauses = sa.select(pauses.c.pause_id).where(pauses.c.session_id == of_session)
        self._of_session: Mapping[str, Select] = {
            "session": sa.select(sessions).where(sessions.c.session_id == of_session),
            "executions": sa.select(executions)
            .where(executions.c.session_id == of_session)
            .order_by(executions.c.started_at_ms, executions.c.parent_id.is_not(None), executions.c.execution_id),
            "events": sa.select(ledger).where(ledger.c.session_id == of_session).order_by(ledger.c.seq),
            "pauses": sa.select(pauses)
            .where(pauses.c.session_id == of_session)
            .order_by(pauses.c.asked_at_ms, pauses.c.key),
            "deliveries": sa.select(deliveries)
            .where(deliveries.c.pause_id.in_(of_its_pauses))
            .order_by(deliveries.c.created_at_ms, deliveries.c.pause_id, deliveries.c.kind, deliveries.c.channel),
            "audit": sa.select(audit).where(audit.c.session_id == of_session).order_by(audit.c.seq),
        }

    def timeline(self, connection: sa.Connection, *, session_id: str) -> Timeline | None:
        def read(name: str) -> Sequence[Any]:
            return connection.execute(self._of_session[name], {"session_id": session_id}).all()

        found = self._sessions_of(read("session"))
        if not found:
            return None
        return Timeline(
            session=found[0],
            executions=tuple(self._executions_of(read("executions"))),
            events=tuple(self._ledger_of(read("events"))),
            pauses=tuple(self._pauses_of(read("pauses"))),
            deliveries=tuple(self._deliveries_of(read("deliveries"))),
            audit=tuple(self._audit_of(read("audit"))),
        )


def _by_session(rows: list[R]) -> dict[str, list[R]]:
    grouped: defaultdict[str, list[R]] = defaultdict(list)
    for row in rows:
        grouped[row.session_id].append(row)
    return grouped


def _first(column: sa.Column[Any], condition: sa.ColumnElement[bool]) -> sa.ScalarSelect[Any]:
    """The smallest value; asked so that it is the first entry of a partial index."""
    return sa.select(column).where(condition).order_by(column).limit(1).scalar_subquery()


def _earlier(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
