"""What a supervisor and its passes need of the store, and what all passes of one supervisor share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..store.changes import Advance, AdvanceResult, Claim, ClaimResult, RenewLeases, RenewResult, Sweep, SweepResult
from ..store.resolutions import Grant, Hold
from ..store.rows import DeliveryRow, ExecutionRow, PauseRow, SessionRow
from ..store.snapshots import LoadedSession, Overdue, Timeline
from .clock import Clock
from .hooks import Hooks
from .ids import Ids
from .program import Programs
from .roles import RoleBinding


class SessionStore(Protocol):
    """What a pass needs of the store."""

    async def load(self, session_id: str, *, without: frozenset[str]) -> LoadedSession | None: ...

    async def advance(self, change: Advance) -> AdvanceResult: ...

    async def last_ended(self, session_id: str) -> ExecutionRow | None: ...

    async def timeline(self, session_id: str) -> Timeline | None: ...


class Hints(Protocol):
    """Tells that something may have changed in the store."""

    async def wait(self) -> None: ...

    def close(self) -> None: ...


class SupervisorStore(SessionStore, Protocol):
    """What a supervisor needs of the store."""

    async def claim(self, change: Claim) -> ClaimResult: ...

    async def renew_leases(self, change: RenewLeases) -> RenewResult: ...

    async def overdue(self, *, now_ms: int, limit: int, after: PauseRow | None = None) -> Overdue: ...

    async def sweep(self, change: Sweep) -> SweepResult: ...

    def subscribe(self) -> Hints: ...


class Beside(Protocol):
    """Something that works as long as the supervisor does, and ends when that stops claiming."""

    @property
    def name(self) -> str: ...

    @property
    def is_busy(self) -> bool:
        """Whether anything is in its hands."""
        ...

    def look(self) -> None:
        """Something may have changed in the store: a hint."""
        ...

    async def run(self) -> None:
        """Work until it is cancelled."""
        ...


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

    def drop(self, session_id: str) -> None:
        """A session was ended from outside, which is durable already: whatever of it runs here is to stop."""
        ...


class Outbox(Protocol):
    """Where a pass leaves what has to be told, once it is committed."""

    def hold(self, channel: str, *, session_id: str) -> Hold | None:
        """Take what is about to be written for a channel, if this process can carry it at once."""
        ...

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
        role_of: a role by its name; None if the app has none of that name.
        note_deadline: told of each new deadline, so that the supervisor need not ask the store for the next one.
        note_wait: told of each new wait for a trigger or for files, once it is written.
        hooks: the app's; None where it has none.
    """

    store: SessionStore
    clock: Clock
    ids: Ids
    programs: Programs
    outbox: Outbox
    role_of: Callable[[str], RoleBinding | None]
    note_deadline: Callable[[int], None]
    note_wait: Callable[[PauseRow], None]
    hooks: Hooks | None
