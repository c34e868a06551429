"""The writing side of one pass: events and rows are noted here and committed under the session's lease."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from ..store.changes import Advance, Rest
from ..store.rows import ExecutionRow, SessionRow, SessionStatus
from .draft import Draft
from .errors import LeaseLostError
from .surroundings import Lease, Surroundings


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
        self.draft = Draft(
            session_id=session.session_id,
            holder=lease.holder,
            epoch=lease.epoch,
            next_seq=session.next_seq,
            wakes=session.wakes,
        )

    def note(self, execution: ExecutionRow, kind: str, body_json: str, key: str = "") -> None:
        self.draft.add(
            execution_id=execution.execution_id,
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
        """Write what is noted, in one transaction.

        Raises:
            LeaseLostError: (lease.lost) nothing was written.
        """
        change = self.draft.advance(now_ms=self._around.clock.now_ms(), rest=rest)
        result = await self._around.store.advance(change)
        match result.outcome:
            case "lease_lost":
                raise LeaseLostError
            case "stale":
                await self.salvage()
                return Written.STALE
            case "done":
                self.draft.written(result, change)
                self._tell(change)
                return Written.RESTED if result.rested else Written.KEPT

    async def salvage(self) -> None:
        """Write the results of steps only: what has happened, whatever is decided of the rest.

        Raises:
            LeaseLostError: (lease.lost)
        """
        change = self.draft.salvage(now_ms=self._around.clock.now_ms())
        result = await self._around.store.advance(change)
        if result.outcome != "done":
            raise LeaseLostError
        self.draft.written(result, change)

    async def release(self) -> None:
        """Save what has happened and give the lease back, so that anybody may go on.

        Raises:
            LeaseLostError: (lease.lost)
        """
        await self.salvage()
        rest = self.rest(SessionStatus.READY)
        while await self.flush(replace(rest, wakes=self.draft.wakes)) is Written.KEPT:
            pass

    def _tell(self, change: Advance) -> None:
        """What was opened is durable now: hand it to those who act on it."""
        posts = {delivery.pause_id: delivery for delivery in change.deliveries}
        for pause in change.open:
            if pause.deadline_at_ms is not None:
                self._around.note_deadline(pause.deadline_at_ms)
            if (delivery := posts.get(pause.pause_id)) is not None and delivery.holder is not None:
                self._around.outbox.offer(delivery, pause)
