"""What an operator can do to a database without the app that runs on it: cancel, settle, see what is put off."""

from __future__ import annotations

from dataclasses import dataclass

from ..actors.actions import Actions
from ..actors.answering import Answering
from ..actors.clock import Clock
from ..actors.ids import Ids
from ..actors.program import Programs
from ..actors.roles import Roles
from ..actors.sessions import Sessions
from ..actors.settling import Settling
from ..store.resolutions import Grant, Hold
from ..store.rows import DeliveryRow, PauseRow, SessionRow
from ..store.snapshots import LoadedSession
from ..store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The services that need no bots; a supervisor elsewhere learns from the database what they did."""

    sessions: Sessions
    answering: Answering
    settling: Settling
    actions: Actions


def desk_over(store: Store, *, clock: Clock, ids: Ids) -> Desk:
    nobody, programs = _Nobody(), Programs(())
    answering = Answering(store=store, clock=clock, roles=Roles(()), reviver=nobody, outbox=nobody, person_of=str)
    sessions = Sessions(store=store, clock=clock, ids=ids, programs=programs, answering=answering, reviver=nobody)
    settling = Settling(store=store, clock=clock, reviver=nobody)
    actions = Actions(store=store, clock=clock, programs=programs, answering=answering)
    return Desk(sessions=sessions, answering=answering, settling=settling, actions=actions)


class _Nobody:
    """The reviver and the outbox of a process without a supervisor."""

    def grant(self) -> Grant | None:
        return None

    def settle(self, granted: Grant | None, claimed: LoadedSession | SessionRow | None) -> None:
        """Nothing was granted."""

    def wake(self, session_id: str) -> None:
        """Supervisors of other processes learn it from the database."""

    def drop(self, session_id: str) -> None:
        """Nothing runs here; who runs it learns it when its lease is renewed."""

    def hold(self, channel: str, *, session_id: str) -> Hold | None:
        return None

    def offer(self, delivery: DeliveryRow, pause: PauseRow) -> None:
        """Nothing was held."""
