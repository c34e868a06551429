"""What all passes of one supervisor share, and what each of them needs of the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..store.changes import Advance, AdvanceResult, LoadedSession
from ..store.rows import DeliveryRow, PauseRow
from .clock import Clock
from .ids import Ids
from .opening import Hold
from .program import Programs


class SessionStore(Protocol):
    """What a pass needs of the store."""

    async def load(self, session_id: str) -> LoadedSession | None: ...

    async def advance(self, change: Advance) -> AdvanceResult: ...


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
