"""The writing side of one pass: events and rows are noted here and committed under the session's lease."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import structlog

from ..store.blocks import code_of
from ..store.changes import Advance, Rest
from ..store.rows import ExecutionRow, PauseKind, SessionRow, SessionStatus
from .draft import Draft
from .errors import LeaseLostError
from .hooks import RELEASED, Telling
from .keys import place_of
from .surroundings import Lease, Surroundings

_log = structlog.get_logger("overwinter.session")

_UNWELL: dict[str, str] = {
    SessionStatus.FAILED: "session.failed",
    SessionStatus.BLOCKED: "session.blocked",
    SessionStatus.IDLE: "execution.failed",
    SessionStatus.WAITING: "step.unsettled",
}
"""What is logged of a session that rests with a reason, by the status that it rests in."""


class Written(Enum):
    """What became of a write."""

    KEPT = "kept"
    """Written; the lease is still ours."""
    RESTED = "rested"
    """Written, and the lease given back."""
    STALE = "stale"
    """Only results of steps were written; what is in memory must be built again."""


class Journal:
    """What a pass has noted and not yet written, and the writing of it."""

    def __init__(self, *, session: SessionRow, lease: Lease, around: Surroundings) -> None:
        self._lease = lease
        self._around = around
        self._program = session.program
        hooks = around.hooks
        self._telling = None if hooks is None else Telling(hooks=hooks, store=around.store, session=session)
        self.draft = Draft(
            session_id=session.session_id,
            holder=lease.holder,
            epoch=lease.epoch,
            next_seq=session.next_seq,
            wakes=session.wakes,
        )

    def note(self, execution: ExecutionRow, kind: str, body_json: str, key: str = "") -> None:
        """Args:
        execution: the root.
        key: of an operation anywhere in the root's tree; it says whose event it is.
        """
        execution_id, key = place_of(key, execution.execution_id)
        self.draft.add(
            execution_id=execution_id,
            kind=kind,
            key=key,
            body_json=body_json,
            at_ms=self._around.clock.now_ms(),
        )

    def rest(self, status: SessionStatus, reason: str | None = None) -> Rest:
        """Giving the lease back, unless something arrives first."""
        due_at_ms = self._around.clock.now_ms()
        return Rest(status=status, reason=reason, wakes=self.draft.wakes, due_at_ms=due_at_ms)

    def check_lease(self) -> None:
        """Before an outside effect: raises ``LeaseLostError`` once the lease may be somebody else's."""
        if self._around.clock.now_ms() >= self._lease.until_ms:
            raise LeaseLostError("the lease ran out before it was renewed; nothing more is started under it")

    async def flush(self, rest: Rest | None = None) -> Written:
        """Write what is noted, in one transaction; where the app has hooks, the lease is given back in another.

        Raises:
            LeaseLostError: (lease.lost) nothing was written.
        """
        if self._telling is None:
            return await self._write(rest)
        await self._telling.look(self.draft.events)
        if rest is None or not self.draft.is_empty:
            written = await self._write(None)
            if written is Written.STALE:
                return written
        await self._telling.tell(is_resting=rest is not None and rest.status == SessionStatus.WAITING)
        return Written.KEPT if rest is None else await self._write(rest)

    async def _write(self, rest: Rest | None) -> Written:
        change = self.draft.advance(now_ms=self._around.clock.now_ms(), rest=rest)
        result = await self._around.store.advance(change)
        match result.outcome:
            case "lease_lost":
                raise LeaseLostError
            case "stale":
                await self.salvage()
                return Written.STALE
            case "done":
                self.draft.written(change)
                if self._telling is not None:
                    self._telling.note(change)
                self._tell(change)
                if rest is None or not result.rested:
                    return Written.KEPT
                self._log(rest)
                return Written.RESTED

    async def salvage(self) -> None:
        """Write the results of steps only: what has happened, whatever is decided of the rest.

        Raises:
            LeaseLostError: (lease.lost)
        """
        change = self.draft.salvage(now_ms=self._around.clock.now_ms())
        result = await self._around.store.advance(change)
        if result.outcome != "done":
            raise LeaseLostError
        self.draft.written(change)

    async def release(self) -> None:
        """Save what has happened and give the lease back, so that anybody may go on.

        Raises:
            LeaseLostError: (lease.lost)
        """
        await self.salvage()
        # The next holder is to tell what this one may not have told.
        reason = None if self._telling is None else f"{RELEASED}: given back by a service that stopped"
        rest = self.rest(SessionStatus.READY, reason)
        while True:
            change = self.draft.advance(now_ms=self._around.clock.now_ms(), rest=rest)
            result = await self._around.store.advance(change)
            if result.outcome != "done":
                raise LeaseLostError
            if result.rested:
                return
            rest = replace(rest, wakes=result.wakes)  # whoever claims it next looks at everything

    def _log(self, rest: Rest) -> None:
        """Say that the session is not well. Its code alone: the rest of a reason may hold what must not be seen."""
        if rest.reason is not None and (event := _UNWELL.get(rest.status)) is not None:
            session_id = self.draft.session_id
            _log.warning(
                event,
                session_id=session_id,
                bot=self._program,
                code=code_of(rest.reason),
                remedy=f"overwinter show {session_id}",
            )

    def _tell(self, change: Advance) -> None:
        """What was opened is durable now: hand it to those who act on it."""
        opened = {pause.pause_id: pause for pause in change.open}
        for pause in change.open:
            if pause.deadline_at_ms is not None:
                self._around.note_deadline(pause.deadline_at_ms)
            if pause.kind in (PauseKind.TRIGGER, PauseKind.FILES):
                self._around.note_wait(pause)
        for delivery in change.deliveries:
            if delivery.holder is not None and (asked := opened.get(delivery.pause_id)) is not None:
                self._around.outbox.offer(delivery, asked)
