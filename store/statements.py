"""The statements of a writing transaction, made once for a store.

Reads are Core selects, whose compiled form SQLAlchemy caches; their keys are one parameter. Writes are text compiled from Core
once, with the order of their parameters: for ``executemany`` that costs half of what Core's own way does.

Every UPDATE names in its WHERE what the row was when the change was judged (``old_status``, ``old_epoch``, ``old_holder``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any

import sqlalchemy as sa

from .engine import Dialect
from .precedence import BEFORE
from .rows import DeliveryKind, DeliveryStatus, ExecutionStatus, PauseStatus, SessionStatus
from .schema import anchors, audit, deliveries, executions, inbound, ledger, pauses, sessions, votes

Select = sa.Select[*tuple[Any, ...]]


GROUPS = (128, 32, 8)
"""How many rows one statement may write. SQLite lets go of the interpreter's lock at every statement and may wait for it
again while the event loop works, so a thousand statements of one row take much longer than ten of a hundred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One statement for many rows.

    Attributes:
        text: of one row.
        texts: of as many rows as each of ``GROUPS`` says.
        values: takes the parameters of a row, in their order, out of an object that has them.
    """

    text: str
    texts: tuple[tuple[int, str], ...]
    values: Callable[[Any], tuple[Any, ...]]

    def run(self, connection: sa.Connection, rows: Sequence[object]) -> int:
        """Write the rows; returns how many the database has found or made."""
        parameters = [self.values(row) for row in rows]
        done = written = 0
        for count, text in self.texts:
            while len(parameters) - done >= count:
                group = tuple(chain.from_iterable(parameters[done : done + count]))
                written += connection.exec_driver_sql(text, group).rowcount
                done += count
        if done < len(parameters):
            written += connection.exec_driver_sql(self.text, parameters[done:]).rowcount
        return written


def text(name: str) -> sa.BindParameter[str]:
    """A parameter."""
    return sa.bindparam(name, type_=sa.Text())


def number(name: str) -> sa.BindParameter[int]:
    """A parameter: a whole number of up to 64 bits, as moments are."""
    return sa.bindparam(name, type_=sa.BigInteger())


def literal(word: str) -> sa.ColumnElement[str]:
    """A word in the text of a statement, not bound to it: a partial index is used only if its condition can be seen."""
    return sa.literal_column(f"'{word}'", sa.Text())


class Statements:
    """All of them, for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._make_reads(dialect)
        self._make_claims(dialect)
        self._make_sweep(dialect)
        self._make_writes()

    def _make_reads(self, dialect: Dialect) -> None:
        ids = dialect.keys("ids")
        self.sessions: Select = sa.select(sessions).where(sessions.c.session_id.in_(ids))
        self.pauses: Select = sa.select(pauses).where(pauses.c.pause_id.in_(ids))
        self.deliveries: Select = sa.select(deliveries).where(deliveries.c.pause_id.in_(ids))
        self.votes: Select = (
            sa.select(votes).where(votes.c.pause_id.in_(ids)).order_by(votes.c.cast_at_ms, votes.c.voter)
        )
        self.inbound: Select = sa.select(
            inbound.c.channel,
            inbound.c.external_id,
            inbound.c.session_id,
            inbound.c.pause_id,
            inbound.c.consumed_at_ms,
            inbound.c.body_json,
        ).where(sa.tuple_(inbound.c.channel, inbound.c.external_id).in_(dialect.keys("ids", arity=2)))
        self.open_pauses: Select = sa.select(pauses).where(
            pauses.c.session_id.in_(ids), pauses.c.status.in_((PauseStatus.PENDING.value, PauseStatus.RESOLVED.value))
        )
        self.running_executions: Select = sa.select(executions).where(
            executions.c.session_id.in_(ids), executions.c.status == literal(ExecutionStatus.RUNNING)
        )
        tenants = ids.subquery("tenants")
        last = sa.select(audit).where(audit.c.tenant == tenants.c.k0).order_by(audit.c.seq.desc()).limit(1)
        self.audit_heads: Select = sa.select(
            tenants.c.k0,
            last.with_only_columns(audit.c.seq).scalar_subquery(),
            last.with_only_columns(audit.c.hash).scalar_subquery(),
        )

    def _make_claims(self, dialect: Dialect) -> None:
        now_ms = number("now_ms")
        limit = number("limit")
        known = dialect.keys("known")
        order = (sessions.c.priority, sessions.c.due_at_ms, sessions.c.session_id)
        others = sa.select(sessions).where(sessions.c.session_id.not_in(known)).order_by(*order).limit(limit)
        self.ready_sessions: Select = others.where(
            sessions.c.status == literal(SessionStatus.READY),
            sa.or_(sessions.c.due_at_ms <= now_ms, sessions.c.due_at_ms <= sessions.c.updated_at_ms),
        )
        self.abandoned_sessions: Select = others.where(
            sessions.c.status == literal(SessionStatus.RUNNING), sessions.c.lease_until_ms <= now_ms
        )
        other = deliveries.alias("other")
        comes_before = sa.or_(
            *(
                sa.and_(deliveries.c.kind == literal(kind), other.c.kind.in_([literal(each) for each in before]))
                for kind, before in BEFORE.items()
                if before
            )
        )
        has_to_wait = sa.exists().where(
            other.c.pause_id == deliveries.c.pause_id,
            other.c.channel == deliveries.c.channel,
            other.c.status == literal(DeliveryStatus.DUE),
            comes_before,
        )
        due = (
            sa.select(deliveries)
            .where(
                deliveries.c.status == literal(DeliveryStatus.DUE),
                deliveries.c.due_at_ms <= now_ms,
                sa.tuple_(deliveries.c.pause_id, deliveries.c.kind, deliveries.c.channel).not_in(
                    dialect.keys("known", arity=3)
                ),
                sa.or_(deliveries.c.kind == literal(DeliveryKind.POST), ~has_to_wait),
            )
            .order_by(deliveries.c.due_at_ms, deliveries.c.pause_id, deliveries.c.kind, deliveries.c.channel)
            .limit(limit)
        )
        self.free_deliveries: Select = due.where(deliveries.c.holder.is_(None))
        self.abandoned_deliveries: Select = due.where(
            deliveries.c.holder.is_not(None), deliveries.c.held_until_ms <= now_ms
        )

    def _make_sweep(self, dialect: Dialect) -> None:
        is_closed = pauses.c.status.in_((literal(PauseStatus.TAKEN), literal(PauseStatus.CANCELLED)))
        is_still_read = sa.exists().where(
            executions.c.session_id == pauses.c.session_id,
            executions.c.execution_id == pauses.c.execution_id,
            executions.c.status == literal(ExecutionStatus.RUNNING),
        )
        is_still_told = sa.exists().where(
            deliveries.c.pause_id == pauses.c.pause_id,
            deliveries.c.status == literal(DeliveryStatus.DUE),
        )
        self.forgettable_pauses: Select = (
            sa.select(pauses.c.pause_id)
            .where(
                is_closed,
                pauses.c.resolved_at_ms < number("before_ms"),
                ~is_still_read,
                ~is_still_told,
            )
            .order_by(pauses.c.resolved_at_ms)
            .limit(number("limit"))
        )
        ids = dialect.keys("ids")
        self.delete_pauses = sa.delete(pauses).where(pauses.c.pause_id.in_(ids), is_closed)
        self.delete_deliveries = sa.delete(deliveries).where(deliveries.c.pause_id.in_(ids))
        self.delete_votes = sa.delete(votes).where(votes.c.pause_id.in_(ids))
        self.delete_anchors = sa.delete(anchors).where(anchors.c.pause_id.in_(ids))

    def _make_writes(self) -> None:
        self.insert_sessions = self._insert(sessions)
        self.insert_ledger = self._insert(ledger)
        self.insert_pauses = self._insert(pauses)
        self.insert_deliveries = self._insert(deliveries)
        self.insert_votes = self._insert(votes)
        self.insert_inbound = self._insert(inbound)
        self.insert_audit = self._insert(audit)
        self.write_executions = self._write(
            self.dialect.upsert(
                executions, updated=("version", "fingerprint", "status", "outcome_json", "ended_at_ms")
            ),
            _names(executions),
        )
        self.update_sessions = self._update(
            sessions,
            _key(sessions.c.session_id),
            sessions.c.status == sa.bindparam("old_status"),
            sessions.c.lease_epoch == sa.bindparam("old_epoch"),
            columns=[
                *(
                    "status",
                    "reason",
                    "priority",
                    "due_at_ms",
                    "lease_holder",
                    "lease_epoch",
                    "lease_until_ms",
                    "wakes",
                ),
                *("attempts", "next_seq", "is_cancel_requested", "updated_at_ms"),
            ],
        )
        self.update_pauses = self._update(
            pauses,
            _key(pauses.c.pause_id),
            pauses.c.status == sa.bindparam("old_status"),
            columns=["status", "channel", "is_sent", "resolution", "answer_json", "responder", "resolved_at_ms"],
        )
        # Apart from the one above because it leaves the status, and so every partial index on it, alone.
        self.mark_pauses = self._update(
            pauses,
            _key(pauses.c.pause_id),
            pauses.c.status == sa.bindparam("old_status"),
            columns=["channel", "is_sent"],
        )
        self.update_deliveries = self._update(
            deliveries,
            _key(deliveries.c.pause_id),
            _key(deliveries.c.kind),
            _key(deliveries.c.channel),
            deliveries.c.status == sa.bindparam("old_status"),
            deliveries.c.holder.is_not_distinct_from(sa.bindparam("old_holder")),
            columns=[
                *("status", "ref", "due_at_ms", "attempts", "last_error", "holder", "held_until_ms"),
                *("created_at_ms", "settled_at_ms"),
            ],
        )
        self.update_inbound = self._update(
            inbound,
            _key(inbound.c.channel),
            _key(inbound.c.external_id),
            inbound.c.consumed_at_ms.is_(None),
            columns=["consumed_at_ms"],
        )

    def _insert(self, table: sa.Table) -> Write:
        return self._write(sa.insert(table), _names(table))

    def _update(self, table: sa.Table, *where: sa.ColumnElement[bool], columns: list[str]) -> Write:
        return self._write(sa.update(table).where(*where), columns)

    def _write(self, statement: sa.UpdateBase, columns: Sequence[str]) -> Write:
        text, parameters = self.dialect.compiled(statement, list(columns))
        names = [name.removeprefix("key_") for name in parameters]
        return Write(
            text=text,
            texts=tuple((count, self.dialect.for_rows(text, count)) for count in GROUPS),
            values=attrgetter(*names),
        )


def _names(table: sa.Table) -> list[str]:
    return [column.name for column in table.columns]


def _key(column: sa.Column[Any]) -> sa.ColumnElement[bool]:
    return column == sa.bindparam(f"key_{column.name}")
