"""What an operator can do to a database without the app that runs on it: cancel sessions and questions."""

from __future__ import annotations

from dataclasses import dataclass

from ..actors.answering import Answering
from ..actors.clock import Clock
from ..actors.ids import Ids
from ..actors.program import Programs
from ..actors.roles import Roles
from ..actors.sessions import Sessions
from ..store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The services that need no bots; a supervisor elsewhere learns from the database what they did."""

    sessions: Sessions
    answering: Answering


def desk_over(store: Store, *, clock: Clock, ids: Ids) -> Desk:
    answering = Answering(store=store, clock=clock, roles=Roles(()), wake=_nobody)
    sessions = Sessions(store=store, clock=clock, ids=ids, programs=Programs(()), answering=answering, wake=_nobody)
    return Desk(sessions=sessions, answering=answering)


def _nobody(session_id: str) -> None:
    """There is no supervisor in this process to be told."""
