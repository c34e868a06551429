"""What a supervisor and its passes need of the store, and what all passes of one supervisor share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..store.changes import (
    Advance,
    AdvanceResult,
    Claim,
    ClaimResult,
    Due,
    Grant,
    LoadedSession,
    RenewLeases,
    RenewResult,
    Sweep,
    SweepResult,
)
from ..store.rows import DeliveryRow, PauseRow, SessionRow
from .clock import Clock
from .ids import Ids
from .opening import Hold
from .program import Programs


class SessionStore(Protocol):
    """What a pass needs of the store."""

    async def load(self, session_id: str) -> LoadedSession | None: ...

    async def advance(self, change: Advance) -> AdvanceResult: ...


class Hints(Protocol):
    """Tells that something may have changed in the store."""

    async def wait(self) -> None: ...

    def close(self) -> None: ...


class SupervisorStore(SessionStore, Protocol):
    """What a supervisor needs of the store."""

    async def claim(self, change: Claim) -> ClaimResult: ...

    async def renew_leases(self, change: RenewLeases) -> RenewResult: ...

    async def overdue(self, *, now_ms: int, limit: int) -> tuple[PauseRow, ...]: ...

    async def due(self) -> Due: ...

    async def sweep(self, change: Sweep) -> SweepResult: ...

    def subscribe(self) -> Hints: ...


class Reviver(Protocol):
    """The supervisor of this process, as those see it who make sessions ready.

    Every ``grant`` is followed by exactly one ``settle``.
    """

    def grant(self) -> Grant | None:
        """Room for one more session, reserved; None if there is none, or no supervisor runs here."""
        ...

    def settle(self, granted: Grant | None, claimed: LoadedSession | SessionRow | None) -> None:
        """Revive the session that was claimed under the grant, or give the room back."""
        ...

    def wake(self, session_id: str) -> None:
        """Something has arrived for a session: a hint to look."""
        ...


class Outbox(Protocol):
    """Where a pass leaves what has to be told, once it is committed."""

    def hold(self, channel: str) -> Hold: ...

    def offer(self, delivery: DeliveryRow, pause: PauseRow) -> None: ...


@dataclass(slots=True, kw_only=True)
class Lease:
    """The right to write one session; the supervisor prolongs it while the pass runs."""

    holder: str
    epoch: int
    until_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all passes of one supervisor share.

    Attributes:
        channel_of: the channel wired to a role; None if the app has none for it.
        note_deadline: told of each new deadline, so that the supervisor need not ask the store for the next one.
    """

    store: SessionStore
    clock: Clock
    ids: Ids
    programs: Programs
    outbox: Outbox
    channel_of: Callable[[str], str | None]
    note_deadline: Callable[[int], None]
