"""One writing transaction over many changes: read what they may touch, judge them in order, write what came of it.

Plain functions of a connection that is inside a transaction; they neither begin nor commit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

import sqlalchemy as sa

from .alone import Alone, AloneResult
from .audit import EMPTY, AuditDraft, AuditHead, chain
from .blocks import UnblockSession
from .changes import (
    Advance,
    CancelSession,
    Change,
    Claim,
    ClaimDeliveries,
    PostMessage,
    RenewLeases,
    SettleDelivery,
    StartSession,
    Sweep,
    SweepResult,
)
from .costs import CountCall, CountCallResult, CountTokens, CountTokensResult
from .counting import count_call, count_tokens
from .deliveries import depends_on_others
from .drafts import DeliveryDraft, InboundDraft, PauseDraft, SessionDraft
from .engine import is_key_lost
from .errors import StoreRefusedError
from .fires import tell_again
from .judging import JudgedChange, JudgedResult, judge
from .known import Known, take
from .resolutions import CancelPause, CastVote, ResolvePause
from .rows import ExecutionRow, InboundRow, PauseKind, VoteRow
from .statements import Select, Statements, Write
from .view import View

Result = JudgedResult | SweepResult | CountCallResult | CountTokensResult | AloneResult[Any]

_TRIGGER = PauseKind.TRIGGER.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What came of a batch: a result or a refusal for each change, in their order.

    Attributes:
        has_news: something was written that a supervisor may have to act on.
        views: what the transaction has read and written, for ``Known`` once it is committed.
    """

    results: list[Result | Exception]
    has_news: bool
    views: tuple[View, ...] = ()


@dataclass(slots=True)
class _Wanted:
    """The keys of all rows that some changes may touch."""

    sessions: set[str] = field(default_factory=set[str])
    pauses: set[str] = field(default_factory=set[str])
    deliveries_of: set[str] = field(default_factory=set[str])
    """Pauses whose deliveries are wanted."""
    votes_of: set[str] = field(default_factory=set[str])
    inbound: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    cancelled: set[str] = field(default_factory=set[str])
    executions_of: set[str] = field(default_factory=set[str])
    """Sessions whose running executions are wanted."""
    claims: list[Claim] = field(default_factory=list[Claim])
    delivery_claims: list[ClaimDeliveries] = field(default_factory=list[ClaimDeliveries])

    def add(self, change: JudgedChange) -> None:
        match change:
            case Advance():
                self.sessions.add(change.session_id)
                self.pauses.update(change.take)
                for closing in change.close:
                    self._add_pause(closing.pause_id)
                for pause_id in change.end:
                    self._add_pause(pause_id)
                self.inbound.update(change.consume)
                for pause_id in {row.pause_id for row in change.deliveries} - {row.pause_id for row in change.open}:
                    self._add_pause(pause_id)
            case ResolvePause():
                self._add_pause(change.pause_id)
                self._add_message(change.inbound)
                if change.vote is not None:
                    self.votes_of.add(change.pause_id)
            case CancelPause():
                self._add_pause(change.pause_id)
            case CastVote():
                self._add_pause(change.pause_id)
                self._add_message(change.inbound)
                self.votes_of.add(change.pause_id)
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
                self.executions_of.add(change.session_id)
            case UnblockSession():
                self.sessions.add(change.session_id)
                if change.accepted:
                    self.executions_of.add(change.session_id)
            case SettleDelivery():
                self._add_pause(change.delivery.pause_id)
            case Claim():
                self.claims.append(change)
            case ClaimDeliveries():
                self.delivery_claims.append(change)
            case _:
                assert_never(change)

    def _add_pause(self, pause_id: str) -> None:
        self.pauses.add(pause_id)
        self.deliveries_of.add(pause_id)

    def _add_message(self, message: InboundRow | None) -> None:
        if message is not None:
            self.inbound.add((message.channel, message.external_id))


def apply(
    connection: sa.Connection, statements: Statements, known: Known, changes: Sequence[Change | Alone[Any]]
) -> Applied:
    """Judge and write ``changes`` in their order.

    A change that contradicts itself is refused alone. What the database itself refuses is raised, and nothing holds then.
    """
    results: list[Result | Exception] = []
    has_news = False
    views: list[View] = []
    run: list[JudgedChange] = []
    for change in changes:
        if isinstance(change, Sweep | CountCall | CountTokens | Alone):
            views += _apply_judged(connection, statements, known, run, results)
            run = []
            has_news |= isinstance(change, Alone) and change.is_news
            results.append(result := _apply_alone(connection, statements, known, change))
            if isinstance(result, AloneResult) and isinstance(change, Alone) and change.then is not None:
                views += _apply_judged(connection, statements, known, [*change.then(result.found)], [])
        else:
            run.append(change)
    views += _apply_judged(connection, statements, known, run, results)
    has_news |= any(view.has_news for view in views)
    return Applied(results=results, has_news=has_news, views=tuple(views))


def _apply_alone(
    connection: sa.Connection,
    statements: Statements,
    known: Known,
    change: Sweep | CountCall | CountTokens | Alone[Any],
) -> SweepResult | CountCallResult | CountTokensResult | AloneResult[Any]:
    """Apply a change that touches no row which another one is judged by."""
    match change:
        case Sweep():
            return _sweep(connection, statements, known, change)
        case CountCall():
            return count_call(connection, change)
        case CountTokens():
            return count_tokens(connection, change)
        case Alone():
            return AloneResult(found=change.work(connection))
        case _:
            assert_never(change)


def _apply_judged(
    connection: sa.Connection,
    statements: Statements,
    known: Known,
    changes: Sequence[JudgedChange],
    results: list[Result | Exception],
) -> list[View]:
    if not changes:
        return []
    known.check(statements.dialect.version(connection))
    view = _read(connection, statements, known, changes)
    for change in changes:
        try:
            results.append(judge(view, change))
        except StoreRefusedError as refusal:
            results.append(refusal)
    _write(connection, statements, known, view)
    return [view]


# -- reading -----------------------------------------------------------------------------------------------------------
def _read(connection: sa.Connection, statements: Statements, known: Known, changes: Sequence[JudgedChange]) -> View:
    wanted = _Wanted()
    for change in changes:
        wanted.add(change)
    view = View()
    bound = statements.dialect.bound

    def rows(statement: Select, keys: Iterable[object]) -> Iterable[Any]:
        return connection.execute(statement, {"ids": bound(keys)}).all()

    if wanted.cancelled:
        _add_pauses(view, rows(statements.open_pauses, wanted.cancelled))
        wanted.deliveries_of.update(view.pauses)
    if wanted.executions_of:
        for row in rows(statements.running_executions, wanted.executions_of):
            execution = ExecutionRow(**row._mapping)
            view.executions[execution.session_id, execution.execution_id] = execution
    if pause_ids := take(known.pauses, wanted.pauses - view.pauses.keys(), view.pauses):
        _add_pauses(view, rows(statements.pauses, pause_ids))
    if pause_ids := known.take_deliveries(wanted.deliveries_of, view):
        _add_deliveries(view, rows(statements.deliveries, pause_ids))
    view.whole.update(wanted.deliveries_of)
    if wanted.votes_of:
        for row in rows(statements.votes, wanted.votes_of):
            vote = VoteRow(**row._mapping)
            view.votes.setdefault(vote.pause_id, []).append(vote)
    if keys := take(known.inbound, wanted.inbound, view.inbound):
        for row in rows(statements.inbound, keys):
            message = InboundDraft(*row)
            view.inbound[message.channel, message.external_id] = message
    wanted.sessions.update(pause.session_id for pause in view.pauses.values())
    if session_ids := take(known.sessions, wanted.sessions, view.sessions):
        _add_sessions(view, rows(statements.sessions, session_ids))
    _read_claimable(connection, statements, view, wanted)
    known.leave_to(view)
    return view


def _read_claimable(connection: sa.Connection, statements: Statements, view: View, wanted: _Wanted) -> None:
    """Read what the claims of a batch may take, beside what the view has: as many rows as they may take together."""
    bound = statements.dialect.bound
    left = sum(claim.limit for claim in wanted.claims)
    for claim in wanted.claims:
        parameters = {"now_ms": claim.now_ms, "limit": left, "known": bound(view.sessions)}
        for statement in (statements.ready_sessions, statements.abandoned_sessions):
            found = connection.execute(statement, parameters).all()
            _add_sessions(view, (row for row in found if not is_key_lost(row.session_id)))
    left = sum(claim.limit for claim in wanted.delivery_claims)
    for claim in wanted.delivery_claims:
        parameters = {"now_ms": claim.now_ms, "limit": left, "known": bound(view.deliveries)}
        for statement in (statements.free_deliveries, statements.abandoned_deliveries):
            found = connection.execute(statement, parameters).all()
            _add_deliveries(view, (row for row in found if not is_key_lost(row.pause_id, row.kind, row.channel)))
    # Whether they are needed depends on others of their pause, which are over and so not among what may be claimed.
    dependent = {delivery.pause_id for delivery in view.deliveries.values() if depends_on_others(delivery)}
    if dependent := dependent - view.whole:
        found = connection.execute(statements.deliveries, {"ids": bound(dependent)}).all()
        _add_deliveries(view, (row for row in found if (row.pause_id, row.kind, row.channel) not in view.deliveries))
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
        view.add_delivery(delivery)


# -- writing -----------------------------------------------------------------------------------------------------------
def _write(connection: sa.Connection, statements: Statements, known: Known, view: View) -> None:
    sessions = view.sessions.values()
    pauses = view.pauses.values()
    deliveries = view.deliveries.values()
    messages = view.inbound.values()
    _insert(connection, statements.insert_sessions, [row for row in sessions if row.old_status is None])
    _update(connection, statements.update_sessions, [row for row in sessions if row.old_status and row.is_changed])
    _insert(connection, statements.insert_ledger, view.ledger)
    _insert(connection, statements.write_executions, [view.executions[key] for key in view.written_executions])
    opened = [row for row in pauses if row.old_status is None]
    _insert(connection, statements.insert_pauses, opened)
    for row in opened:
        if row.kind == _TRIGGER:
            tell_again(connection, tenant=row.tenant, slug=row.role, since_ms=row.asked_at_ms)
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
    _insert(connection, statements.insert_votes, view.new_votes)
    _write_audit(connection, statements, known, view)


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


def _write_audit(connection: sa.Connection, statements: Statements, known: Known, view: View) -> None:
    if not view.audit:
        return
    by_tenant: defaultdict[str, list[AuditDraft]] = defaultdict(list)
    for draft in view.audit:
        by_tenant[draft.tenant].append(draft)
    if tenants := take(known.audit_heads, by_tenant, view.audit_heads):
        heads = connection.execute(statements.audit_heads, {"ids": statements.dialect.bound(tenants)}).all()
        for tenant, seq, last_hash in heads:
            view.audit_heads[tenant] = EMPTY if seq is None else AuditHead(seq=seq, hash=last_hash)
    for tenant, drafts in by_tenant.items():
        rows = chain(view.audit_heads[tenant], drafts)
        _insert(connection, statements.insert_audit, rows)
        view.audit_heads[tenant] = AuditHead(seq=rows[-1].seq, hash=rows[-1].hash)


def _sweep(connection: sa.Connection, statements: Statements, known: Known, change: Sweep) -> SweepResult:
    pause_ids = connection.scalars(
        statements.forgettable_pauses, {"before_ms": change.closed_before_ms, "limit": change.limit}
    ).all()
    if pause_ids:
        known.forget(pause_ids)
        bound = statements.dialect.bound
        connection.execute(statements.delete_deliveries, {"ids": bound(pause_ids)})
        connection.execute(statements.delete_votes, {"ids": bound(pause_ids)})
        connection.execute(statements.delete_anchors, {"ids": bound(pause_ids)})
        connection.execute(statements.delete_pauses, {"ids": bound(pause_ids)})
    return SweepResult(pauses=len(pause_ids))
