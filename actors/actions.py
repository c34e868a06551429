"""Calls that run later: who waits for being performed, and the way in for those who perform them.

    look up -> every part as it was committed -> still waiting -> in time -> its code deployed -> one conditional write

Nothing is written before the last. To perform a ticket is to close its pause as ``fired``; the session then goes on at that step
and runs the call there, as it runs any other: the same code, the same record, the same key towards the outside. So of a host, the
supervisor (which performs what is due), a cancel and a deadline one wins, and whoever comes again changes nothing.
"""

from __future__ import annotations

from typing import Protocol

from ..store.rows import PauseKind, PauseRow, PauseStatus, SessionStatus
from ..store.snapshots import LoadedSession
from ..store.values import value
from .answering import Answering
from .answers import check_name
from .clock import Clock
from .errors import (
    ActionExpiredError,
    ActionMismatchError,
    ActionNotDueError,
    ActionNotWaitingError,
    ActionUnknownError,
)
from .program import Programs
from .tickets import Ticket, differences, ticket_of

_ON_ITS_WAY = frozenset({SessionStatus.WAITING, SessionStatus.READY, SessionStatus.RUNNING})


class ActionStore(Protocol):
    """What actions need of the store."""

    async def pause(self, pause_id: str) -> PauseRow | None: ...

    async def load(self, session_id: str) -> LoadedSession | None: ...

    async def actions(
        self, *, tenant: str | None, session_id: str | None, action_kind: str | None, limit: int
    ) -> tuple[PauseRow, ...]: ...


@value
class Performed:
    """The call is on its way: its session goes on with it, and its result returns to its execution."""

    session_id: str
    execution_id: str


class Actions:
    """Tickets of one app."""

    def __init__(self, *, store: ActionStore, clock: Clock, programs: Programs, answering: Answering) -> None:
        self._store = store
        self._clock = clock
        self._programs = programs
        self._answering = answering

    async def waiting(
        self, *, tenant: str, session_id: str | None = None, action_kind: str | None = None, limit: int = 100
    ) -> tuple[Ticket, ...]:
        """Tickets that wait for being performed, oldest first; those of one session, or of one kind."""
        pauses = await self._store.actions(tenant=tenant, session_id=session_id, action_kind=action_kind, limit=limit)
        return tuple(map(ticket_of, pauses))

    async def perform(self, ticket: Ticket, *, by: str) -> Performed:
        """Have a committed call run now. What runs is what was committed; the ticket that is given is compared with it.

        Args:
            by: who performs it; kept in the audit.

        Raises:
            ActionUnknownError: (action.unknown) nothing of that id was ever committed, or it is another tenant's.
            ActionMismatchError: (action.mismatch) it is not the ticket that was committed; names what differs.
            ActionNotWaitingError: (action.not-waiting) it was performed, cancelled or has expired, or its session is over.
            ActionNotDueError: (action.not-due)
            ActionExpiredError: (action.expired)
            SessionDefinitionChangedError: (session.definition-changed) its code is not deployed here as it was.
            PauseInvalidAnswerError: (pause.invalid-answer) it does not say who performs it.
        """
        check_name(by, "an action must say who performs it")
        pause = await self._store.pause(ticket.ticket_id)
        if pause is None or pause.kind != PauseKind.ACTION or pause.tenant != ticket.tenant:
            raise ActionUnknownError
        committed = ticket_of(pause)
        if differing := differences(ticket, committed):
            raise ActionMismatchError(f"it was committed with another {', '.join(differing)}; nothing was performed")
        _check_pending(pause)
        now_ms = self._clock.now_ms()
        if committed.has_expired_at(now_ms):
            raise ActionExpiredError
        if committed.due_at_ms is not None and now_ms < committed.due_at_ms:
            raise ActionNotDueError
        await self._check_execution(committed)
        if not await self._answering.fire(pause, answer={"by": by}, by=by):
            _check_pending(await self._store.pause(pause.pause_id) or pause)
            raise ActionNotWaitingError
        return Performed(session_id=pause.session_id, execution_id=pause.execution_id)

    async def _check_execution(self, ticket: Ticket) -> None:
        loaded = await self._store.load(ticket.session_id)
        if loaded is None or loaded.session.status not in _ON_ITS_WAY:
            status = "gone" if loaded is None else loaded.session.status
            raise ActionNotWaitingError(f"its session is {status}, so nothing is performed for it")
        running = {execution.execution_id: execution for execution in loaded.executions}
        if ticket.execution_id not in running:
            raise ActionNotWaitingError("its execution is over, so nothing is performed for it")
        self._programs.of(running[ticket.execution_id])


def _check_pending(pause: PauseRow) -> None:
    if pause.status == PauseStatus.PENDING:
        return
    by = f" by {pause.responder}" if pause.responder else ""
    match pause.resolution:
        case "fired":
            raise ActionNotWaitingError(f"it has been performed{by} already")
        case "timed_out":
            raise ActionNotWaitingError("its deadline passed before it was performed")
        case "cancelled":
            raise ActionNotWaitingError(f"it was cancelled{by}")
        case _:
            raise ActionNotWaitingError
