"""The store: everything that the rest of Overwinter may ask of its database.

A change is on the disk when its method returns. A method whose caller is cancelled has either not begun, and then never
does, or is carried out to its end before the caller goes on; what became of it can be read back.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from . import migrations
from .alone import Alone
from .anchors import Anchors
from .asked import Asked
from .blocks import UnblockResult, UnblockSession
from .changes import (
    Advance,
    AdvanceResult,
    CancelResult,
    CancelSession,
    Change,
    Claim,
    ClaimDeliveries,
    ClaimDeliveriesResult,
    ClaimResult,
    PostMessage,
    PostResult,
    RenewLeases,
    RenewResult,
    SettleDelivery,
    SettleResult,
    StartResult,
    StartSession,
    Sweep,
    SweepResult,
)
from .costs import CountCall, CountCallResult, CountTokens, CountTokensResult, Spent
from .counting import spent
from .fires import Fires
from .listing import actions, due_deliveries, judged
from .notes import Notes
from .quarantine import Quarantine
from .queries import Queries
from .reader import Reader
from .resolutions import CancelPause, CastVote, ResolvePause, ResolveResult
from .rows import AuditRow, ExecutionRow, LedgerRow, PauseRow, SessionRow, VoteRow
from .snapshots import Due, LoadedSession, Overdue, Timeline
from .sqlite import SqliteDialect, SqliteLane, Use, checkpoint, data_version
from .sqlite_errors import inspect_path
from .statements import Statements
from .triggers import Triggers
from .wakeups import Hints, Wakeups
from .writer import Writer

R = TypeVar("R")
T = TypeVar("T")


class Store:
    """One database file, opened by one event loop. Any number of processes may have it open.

    Attributes:
        anchors: what channels have out there.
        notes: what channels have to tell that asks nothing.
        asked: questions with what their channels have of them.
        triggers: what makes sessions begin or go on.
        fires: that triggers have fired, and who waits for it.
    """

    def __init__(self, *, writing: SqliteLane, reading: SqliteLane, polling: SqliteLane, poll_s: float) -> None:
        """Use ``open``."""
        dialect = SqliteDialect()
        self._writing = writing
        self._lanes = (polling, reading, writing)
        self._wakeups = Wakeups(version=partial(polling.inspect, data_version), poll_s=poll_s)
        self._writer = Writer(lane=writing, statements=Statements(dialect), on_news=self._wakeups.give)
        self._queries = Queries(dialect)
        self._reader = Reader(lane=reading, queries=self._queries)
        self.anchors = Anchors(dialect=dialect, write=self._write_alone, read=self._reader.read)
        self.notes = Notes(dialect=dialect, write=self._write_alone, read=self._reader.read)
        self.quarantine = Quarantine(dialect=dialect, write=self._write_alone, read=self._reader.read)
        self.asked = Asked(read=self._reader.read)
        self.fires = Fires(dialect=dialect, write=self._write_alone, read=self._reader.read)
        self.triggers = Triggers(dialect=dialect, write=self._write_alone, read=self._reader.read)
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls, path: Path | str, *, must_exist: bool = False, poll_s: float = 0.05, busy_timeout_s: float = 5.0
    ) -> Self:
        """Open a database, creating the file (never a folder) and bringing its tables up to date.

        Args:
            must_exist: refuse to create it.
            poll_s: how long a commit of another process may go unnoticed.
            busy_timeout_s: how long to wait for another process's write lock before ``store.busy``.

        Raises:
            StoreError: the file cannot be used; the text names it and the remedy.
        """
        path = Path(path)
        inspect_path(path, must_exist=must_exist)
        lanes: list[SqliteLane] = []
        try:
            for use in (Use.WRITING, Use.READING, Use.READING):
                lane = SqliteLane(path=path, use=use, busy_timeout_s=busy_timeout_s)
                lanes.append(lane)
                await lane.open()
            writing, reading, polling = lanes
            if not await reading.run(migrations.is_current):
                await writing.run(partial(migrations.migrate, name=str(path)))
            store = cls(writing=writing, reading=reading, polling=polling, poll_s=poll_s)
            await store._wakeups.start()
        except BaseException:
            for lane in lanes:
                lane.close()
            raise
        return store

    async def aclose(self) -> None:
        """Write what is waiting, then close every connection and end every thread.

        It may be called again, and its caller may be cancelled: everything is closed all the same.
        """
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        try:
            await self._writer.aclose()
            await self._reader.aclose()
            await self._wakeups.aclose()
            for lane in self._lanes:
                await lane.aclose()
        finally:
            for lane in self._lanes:
                lane.close()

    # -- changes -------------------------------------------------------------------------------------------------------
    async def start_session(self, change: StartSession) -> StartResult:
        return await self._write(change, StartResult)

    async def post_message(self, change: PostMessage) -> PostResult:
        return await self._write(change, PostResult)

    async def claim(self, change: Claim) -> ClaimResult:
        return await self._write(change, ClaimResult)

    async def renew_leases(self, change: RenewLeases) -> RenewResult:
        return await self._write(change, RenewResult)

    async def advance(self, change: Advance) -> AdvanceResult:
        return await self._write(change, AdvanceResult)

    async def resolve_pause(self, change: ResolvePause) -> ResolveResult:
        return await self._write(change, ResolveResult)

    async def cancel_pause(self, change: CancelPause) -> ResolveResult:
        return await self._write(change, ResolveResult)

    async def cast_vote(self, change: CastVote) -> ResolveResult:
        return await self._write(change, ResolveResult)

    async def cancel_session(self, change: CancelSession) -> CancelResult:
        return await self._write(change, CancelResult)

    async def unblock_session(self, change: UnblockSession) -> UnblockResult:
        return await self._write(change, UnblockResult)

    async def claim_deliveries(self, change: ClaimDeliveries) -> ClaimDeliveriesResult:
        return await self._write(change, ClaimDeliveriesResult)

    async def settle_delivery(self, change: SettleDelivery) -> SettleResult:
        return await self._write(change, SettleResult)

    async def sweep(self, change: Sweep) -> SweepResult:
        return await self._write(change, SweepResult)

    async def count_call(self, change: CountCall) -> CountCallResult:
        return await self._write(change, CountCallResult)

    async def count_tokens(self, change: CountTokens) -> CountTokensResult:
        return await self._write(change, CountTokensResult)

    async def _write(self, change: Change, kind: type[R]) -> R:
        result = await self._writer.write(change)
        assert isinstance(result, kind)
        return result

    async def _write_alone(self, change: Alone[T]) -> T:
        return await self._writer.write_alone(change)

    # -- reads ---------------------------------------------------------------------------------------------------------
    async def load(self, session_id: str, *, without: frozenset[str] = frozenset()) -> LoadedSession | None:
        """All that a revival needs; None if there is no such session.

        Args:
            without: kinds of events that it does not need.
        """
        return await self._reader.load(session_id, without=without)

    async def pause(self, pause_id: str) -> PauseRow | None:
        if not pause_id.isascii():
            # Ids come from outside. One that cannot be bound would fail those that are read together with it.
            return None
        return await self._reader.pause(pause_id)

    async def votes(self, pause_id: str) -> tuple[VoteRow, ...]:
        """What the people of a question have decided so far, in the order in which they did."""
        return await self._reader.read(partial(self._queries.votes, pause_id=pause_id))

    async def session(self, session_id: str) -> SessionRow | None:
        return await self._reader.read(partial(self._queries.session, session_id=session_id))

    async def sessions_named(self, session_ids: frozenset[str]) -> tuple[SessionRow, ...]:
        """Those of these ids that there are, in no order that means anything."""
        return await self._reader.read(partial(self._queries.sessions_named, session_ids=session_ids))

    async def sessions(
        self, *, tenant: str | None, statuses: frozenset[str] | None, limit: int, offset: int = 0
    ) -> tuple[SessionRow, ...]:
        """Newest updated first; None is every tenant, every status."""
        return await self._reader.read(
            partial(self._queries.sessions, tenant=tenant, statuses=statuses, limit=limit, offset=offset)
        )

    async def pending_pauses(
        self, *, tenant: str | None, session_id: str | None, limit: int, channel: str | None = None
    ) -> tuple[PauseRow, ...]:
        """Oldest first; None is every tenant, every session, every channel."""
        return await self._reader.read(
            partial(self._queries.pending_pauses, tenant=tenant, session_id=session_id, channel=channel, limit=limit)
        )

    async def actions(
        self, *, tenant: str | None, session_id: str | None, action_kind: str | None, limit: int
    ) -> tuple[PauseRow, ...]:
        """Pending actions, oldest first; None is every tenant, every session, every kind."""
        return await self._reader.read(
            partial(actions, tenant=tenant, session_id=session_id, action_kind=action_kind, limit=limit)
        )

    async def judged(self, *, tenant: str | None, session_id: str | None, limit: int) -> tuple[LedgerRow, ...]:
        """What gates said of calls, newest first; None is every tenant, every session."""
        return await self._reader.read(partial(judged, tenant=tenant, session_id=session_id, limit=limit))

    async def due_deliveries(self, *, now_ms: int) -> frozenset[tuple[str, str]]:
        """The channel and the session of each delivery that is due and that nobody holds."""
        return await self._reader.read(partial(due_deliveries, now_ms=now_ms))

    async def overdue(self, *, now_ms: int, limit: int, after: PauseRow | None = None) -> Overdue:
        """At most ``limit`` of the pauses whose deadline has come.

        Args:
            after: the last one seen.
        """
        return await self._reader.read(partial(self._queries.overdue, now_ms=now_ms, limit=limit, after=after))

    async def due(self) -> Due:
        return await self._reader.read(self._queries.due)

    async def events_before(
        self, session_id: str, execution_id: str, *, kinds: frozenset[str]
    ) -> tuple[LedgerRow, ...]:
        """The events of these kinds of the session's ended executions other than this one, in order."""
        return await self._reader.read(
            partial(self._queries.events_before, session_id=session_id, execution_id=execution_id, kinds=kinds)
        )

    async def timeline(self, session_id: str) -> Timeline | None:
        return await self._reader.read(partial(self._queries.timeline, session_id=session_id))

    async def audit(
        self,
        *,
        tenant: str,
        limit: int,
        after_seq: int = 0,
        session_id: str | None = None,
        execution_id: str | None = None,
    ) -> tuple[AuditRow, ...]:
        """A tenant's entries from the one after ``after_seq`` on, in order; ``audit.verify`` checks them.

        Args:
            session_id, execution_id: those of this session, of this execution alone; then they are no whole chain.
        """
        return await self._reader.read(
            partial(
                self._queries.audit,
                tenant=tenant,
                limit=limit,
                after_seq=after_seq,
                session_id=session_id,
                execution_id=execution_id,
            )
        )

    async def events_unaudited(
        self, *, tenant: str, kinds: frozenset[str], limit: int, after: LedgerRow | None = None
    ) -> tuple[LedgerRow, ...]:
        """Events of these kinds of whose step the audit has no entry, from the one after ``after`` on.

        It looks through the whole ledger.
        """
        return await self._reader.read(
            partial(self._queries.events_unaudited, tenant=tenant, kinds=kinds, limit=limit, after=after)
        )

    async def last_ended(self, session_id: str) -> ExecutionRow | None:
        """The session's own execution that ended last; None if none has."""
        return await self._reader.read(partial(self._queries.last_ended, session_id=session_id))

    async def blocked(self, *, limit: int, after_session_id: str = "") -> tuple[SessionRow, ...]:
        """Blocked sessions of every tenant, by id."""
        return await self._reader.read(partial(self._queries.blocked, limit=limit, after_session_id=after_session_id))

    async def spent(self, *, budget: str, subject: str, since_ms: int = 0) -> Spent:
        """What model calls have cost a budget since then; ``subject`` as in ``CountCall``."""
        return await self._reader.read(partial(spent, budget=budget, subject=subject, since_ms=since_ms))

    # -- beside the rows -----------------------------------------------------------------------------------------------
    async def checkpoint(self) -> int:
        """Write the log back into the file and return the file's size in bytes: for measuring."""
        return await self._writing.inspect(checkpoint)

    def subscribe(self) -> Hints:
        """Hints that sessions, deliveries or deadlines may be due; close them when done."""
        return self._wakeups.subscribe()
