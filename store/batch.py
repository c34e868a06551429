"""One writing transaction over many changes: read what they may touch, judge them in order, write what came of it.

Plain functions of a connection that is inside a transaction; they neither begin nor commit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

import sqlalchemy as sa

from .audit import EMPTY, AuditDraft, AuditHead, chain
from .changes import (
    Advance,
    CancelPause,
    CancelSession,
    Change,
    Claim,
    ClaimDeliveries,
    PostMessage,
    RenewLeases,
    ResolvePause,
    SettleDelivery,
    StartSession,
    Sweep,
    SweepResult,
)
from .drafts import DeliveryDraft, InboundDraft, PauseDraft, SessionDraft
from .errors import StoreError, StoreRefusedError
from .judging import JudgedChange, JudgedResult, judge
from .rows import DeliveryKind, ExecutionRow, InboundRow
from .statements import Select, Statements, Write
from .view import View

Result = JudgedResult | SweepResult

_POST = DeliveryKind.POST.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What came of a batch: a result or a refusal for each change, in their order.

    Attributes:
        has_news: something was written that a supervisor may have to act on.
    """

    results: list[Result | StoreError]
    has_news: bool


@dataclass(slots=True)
class _Wanted:
    """The keys of all rows that some changes may touch."""

    sessions: set[str] = field(default_factory=set[str])
    pauses: set[str] = field(default_factory=set[str])
    deliveries: set[str] = field(default_factory=set[str])
    inbound: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    cancelled: set[str] = field(default_factory=set[str])
    claims: list[Claim] = field(default_factory=list[Claim])
    delivery_claims: list[ClaimDeliveries] = field(default_factory=list[ClaimDeliveries])

    def add(self, change: JudgedChange) -> None:
        match change:
            case Advance():
                self.sessions.add(change.session_id)
                self.pauses.update(change.take)
                for closing in change.close:
                    self._add_pause(closing.pause_id)
                self.inbound.update(change.consume)
                self.pauses.update({row.pause_id for row in change.deliveries} - {row.pause_id for row in change.open})
            case ResolvePause():
                self._add_pause(change.pause_id)
                self._add_message(change.inbound)
            case CancelPause():
                self._add_pause(change.pause_id)
            case StartSession():
                self.sessions.add(change.session.session_id)
                self._add_message(change.message)
            case PostMessage():
                self.sessions.add(change.message.session_id)
                self._add_message(change.message)
            case RenewLeases():
                self.sessions.update(change.epochs)
            case CancelSession():
                self.sessions.add(change.session_id)
                self.cancelled.add(change.session_id)
            case SettleDelivery():
                self.deliveries.add(change.delivery_id)
                self.pauses.add(change.delivery_id.rpartition(":")[0])
            case Claim():
                self.claims.append(change)
            case ClaimDeliveries():
                self.delivery_claims.append(change)
            case _:
                assert_never(change)

    def _add_pause(self, pause_id: str) -> None:
        self.pauses.add(pause_id)
        self.deliveries.add(_post_id(pause_id))

    def _add_message(self, message: InboundRow | None) -> None:
        if message is not None:
            self.inbound.add((message.channel, message.external_id))


def apply(connection: sa.Connection, statements: Statements, changes: Sequence[Change]) -> Applied:
    """Judge and write ``changes`` in their order.

    A change that contradicts itself is refused alone. What the database itself refuses is raised, and nothing holds then.
    """
    results: list[Result | StoreError] = []
    has_news = False
    run: list[JudgedChange] = []
    for change in changes:
        if isinstance(change, Sweep):
            has_news |= _apply_judged(connection, statements, run, results)
            run = []
            results.append(_sweep(connection, statements, change))
        else:
            run.append(change)
    has_news |= _apply_judged(connection, statements, run, results)
    return Applied(results=results, has_news=has_news)


def _apply_judged(
    connection: sa.Connection,
    statements: Statements,
    changes: Sequence[JudgedChange],
    results: list[Result | StoreError],
) -> bool:
    if not changes:
        return False
    view = _read(connection, statements, changes)
    for change in changes:
        try:
            results.append(judge(view, change))
        except StoreRefusedError as refusal:
            results.append(refusal)
    _write(connection, statements, view)
    return view.has_news


# -- reading -----------------------------------------------------------------------------------------------------------
def _read(connection: sa.Connection, statements: Statements, changes: Sequence[JudgedChange]) -> View:
    wanted = _Wanted()
    for change in changes:
        wanted.add(change)
    view = View()
    bound = statements.dialect.bound

    def rows(statement: Select, keys: Iterable[object]) -> Iterable[Any]:
        return connection.execute(statement, {"ids": bound(keys)}).all()

    if wanted.cancelled:
        _add_pauses(view, rows(statements.open_pauses, wanted.cancelled))
        wanted.deliveries.update(_post_id(pause_id) for pause_id in view.pauses)
        for row in rows(statements.running_executions, wanted.cancelled):
            execution = ExecutionRow(**row._mapping)
            view.executions[execution.session_id, execution.execution_id] = execution
    if pause_ids := wanted.pauses - view.pauses.keys():
        _add_pauses(view, rows(statements.pauses, pause_ids))
    if wanted.deliveries:
        _add_deliveries(view, rows(statements.deliveries, wanted.deliveries))
    if wanted.inbound:
        for row in rows(statements.inbound, wanted.inbound):
            message = InboundDraft(*row)
            view.inbound[message.channel, message.external_id] = message
    wanted.sessions.update(pause.session_id for pause in view.pauses.values())
    if wanted.sessions:
        _add_sessions(view, rows(statements.sessions, wanted.sessions))
    _read_claimable(connection, statements, view, wanted)
    return view


def _read_claimable(connection: sa.Connection, statements: Statements, view: View, wanted: _Wanted) -> None:
    """Read what the claims of a batch may take, beside what the view has: as many rows as they may take together."""
    bound = statements.dialect.bound
    left = sum(claim.limit for claim in wanted.claims)
    for claim in wanted.claims:
        parameters = {"now_ms": claim.now_ms, "limit": left, "known": bound(view.sessions)}
        for statement in (statements.ready_sessions, statements.abandoned_sessions):
            _add_sessions(view, connection.execute(statement, parameters).all())
    left = sum(claim.limit for claim in wanted.delivery_claims)
    for claim in wanted.delivery_claims:
        parameters = {"now_ms": claim.now_ms, "limit": left, "known": bound(view.deliveries)}
        for statement in (statements.free_deliveries, statements.abandoned_deliveries):
            _add_deliveries(view, connection.execute(statement, parameters).all())
    if wanted.delivery_claims:
        pause_ids = {delivery.pause_id for delivery in view.deliveries.values()} - view.pauses.keys()
        if pause_ids:
            _add_pauses(view, connection.execute(statements.pauses, {"ids": bound(pause_ids)}).all())


def _add_sessions(view: View, rows: Iterable[Any]) -> None:
    for row in rows:
        session = SessionDraft(*row)
        session.old_status = session.status
        session.old_epoch = session.lease_epoch
        view.sessions[session.session_id] = session


def _add_pauses(view: View, rows: Iterable[Any]) -> None:
    for row in rows:
        pause = PauseDraft(*row)
        pause.old_status = pause.status
        view.pauses[pause.pause_id] = pause


def _add_deliveries(view: View, rows: Iterable[Any]) -> None:
    for row in rows:
        delivery = DeliveryDraft(*row)
        delivery.old_status = delivery.status
        delivery.old_holder = delivery.holder
        view.deliveries[delivery.delivery_id] = delivery


def _post_id(pause_id: str) -> str:
    return f"{pause_id}:{_POST}"


# -- writing -----------------------------------------------------------------------------------------------------------
def _write(connection: sa.Connection, statements: Statements, view: View) -> None:
    sessions = view.sessions.values()
    pauses = view.pauses.values()
    deliveries = view.deliveries.values()
    messages = view.inbound.values()
    _insert(connection, statements.insert_sessions, [row for row in sessions if row.old_status is None])
    _update(connection, statements.update_sessions, [row for row in sessions if row.old_status and row.is_changed])
    _insert(connection, statements.insert_ledger, view.ledger)
    _insert(connection, statements.write_executions, [view.executions[key] for key in view.written_executions])
    _insert(connection, statements.insert_pauses, [row for row in pauses if row.old_status is None])
    changed = [row for row in pauses if row.old_status and row.is_changed]
    _update(connection, statements.update_pauses, [row for row in changed if row.status != row.old_status])
    _update(connection, statements.mark_pauses, [row for row in changed if row.status == row.old_status])
    _insert(connection, statements.insert_deliveries, [row for row in deliveries if row.old_status is None])
    _update(connection, statements.update_deliveries, [row for row in deliveries if row.old_status and row.is_changed])
    _insert(
        connection,
        statements.insert_inbound,
        [
            replace(row.row, consumed_at_ms=row.consumed_at_ms) if row.is_changed else row.row
            for row in messages
            if row.row is not None
        ],
    )
    _update(connection, statements.update_inbound, [row for row in messages if row.row is None and row.is_changed])
    _write_audit(connection, statements, view.audit)


def _insert(connection: sa.Connection, write: Write, rows: Sequence[object]) -> None:
    if rows:
        write.run(connection, rows)


def _update(connection: sa.Connection, write: Write, rows: Sequence[object]) -> None:
    if rows:
        found = write.run(connection, rows)
        if found != len(rows):
            raise RuntimeError(
                f"{found} of {len(rows)} rows were as they had been read in the same transaction: {write.text}"
            )


def _write_audit(connection: sa.Connection, statements: Statements, drafts: Sequence[AuditDraft]) -> None:
    if not drafts:
        return
    by_tenant: defaultdict[str, list[AuditDraft]] = defaultdict(list)
    for draft in drafts:
        by_tenant[draft.tenant].append(draft)
    heads = connection.execute(statements.audit_heads, {"ids": statements.dialect.bound(by_tenant)}).all()
    for tenant, seq, last_hash in heads:
        head = EMPTY if seq is None else AuditHead(seq=seq, hash=last_hash)
        _insert(connection, statements.insert_audit, chain(head, by_tenant[tenant]))


def _sweep(connection: sa.Connection, statements: Statements, change: Sweep) -> SweepResult:
    pause_ids = connection.scalars(
        statements.forgettable_pauses, {"before_ms": change.closed_before_ms, "limit": change.limit}
    ).all()
    if pause_ids:
        bound = statements.dialect.bound
        delivery_ids = [f"{pause_id}:{kind.value}" for pause_id in pause_ids for kind in DeliveryKind]
        connection.execute(statements.delete_deliveries, {"ids": bound(delivery_ids)})
        connection.execute(statements.delete_pauses, {"ids": bound(pause_ids)})
    return SweepResult(pauses=len(pause_ids))
