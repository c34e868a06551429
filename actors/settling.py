"""The way in for operators who have found out what became of a step that was started and left no result."""

from __future__ import annotations

from typing import Protocol

from ..store.resolutions import ResolvePause, ResolveResult
from ..store.rows import PauseKind, PauseRow, Priority, SessionRow
from ..store.values import value
from .answers import check_name
from .asks import JsonValue
from .clock import Clock
from .errors import SessionUnknownError, StepNotIndeterminateError
from .jsontext import from_json, to_json
from .surroundings import Reviver


class SettlingStore(Protocol):
    """What settling needs of the store."""

    async def pending_pauses(
        self, *, tenant: str | None, session_id: str | None, limit: int, channel: str | None = None
    ) -> tuple[PauseRow, ...]: ...

    async def session(self, session_id: str) -> SessionRow | None: ...

    async def resolve_pause(self, change: ResolvePause) -> ResolveResult: ...


@value
class Returned:
    """It took effect; this is its result, as JSON."""

    result: JsonValue


@value
class Failed:
    """It did not take effect, or not as it should; the detail is for whoever awaits it."""

    detail: str


@value
class Unsettled:
    """A step that an operator has to settle.

    Attributes:
        call_id: the model's id of the call that it is the body of; empty for other steps.
    """

    session_id: str
    execution_id: str
    step: str
    call_id: str
    since_ms: int


class Settling:
    """Takes what operators say."""

    def __init__(self, *, store: SettlingStore, clock: Clock, reviver: Reviver) -> None:
        self._store = store
        self._clock = clock
        self._reviver = reviver

    async def open(self, *, tenant: str, session_id: str | None = None, limit: int = 10_000) -> tuple[Unsettled, ...]:
        """What has to be settled, oldest first."""
        return tuple(_unsettled(row) for row in await self._pauses(tenant, session_id, limit))

    async def settle(
        self, *, tenant: str, session_id: str, call: str, outcome: Returned | Failed, by: str
    ) -> Unsettled:
        """Record what became of a step; its session goes on with that, and the audit says who said so.

        Args:
            call: the step's key, or the model's id of the call that it is the body of.

        Raises:
            SessionUnknownError: (session.unknown)
            StepNotIndeterminateError: (step.not-indeterminate) nothing of that name waits to be settled, or several do.
            PauseInvalidAnswerError: (pause.invalid-answer) it does not say who settles it.
        """
        check_name(by, "whoever settles a step must be named")
        waiting = await self._pauses(tenant, session_id, 10_000)
        if not waiting:
            session = await self._store.session(session_id)
            if session is None or session.tenant != tenant:
                raise SessionUnknownError
            raise StepNotIndeterminateError("nothing waits to be settled in that session")
        # A step that is no call's body has no id of one, and a name that was left empty must not be taken for that.
        named = [row for row in waiting if call and call in (row.key, _unsettled(row).call_id)]
        if len(named) != 1:
            known = ", ".join(row.key for row in waiting)
            what = "is not one of them" if not named else "names several of them; give the step's key"
            raise StepNotIndeterminateError(
                f"what waits to be settled in that session is {known}; {call or 'nothing'} {what}"
            )
        change = ResolvePause(
            pause_id=named[0].pause_id,
            resolution="decided",
            answer_json=to_json(_body_of(outcome)),
            responder=by,
            # Not what it returned: the audit is kept for good, and the result may be anybody's.
            decision_json=to_json({name: part for name, part in _body_of(outcome).items() if name != "result"}),
            inbound=None,
            now_ms=self._clock.now_ms(),
            priority=Priority.OPERATOR,
        )
        if (await self._store.resolve_pause(change)).outcome != "resolved":
            raise StepNotIndeterminateError("somebody else has settled it meanwhile")
        self._reviver.wake(session_id)
        return _unsettled(named[0])

    async def _pauses(self, tenant: str, session_id: str | None, limit: int) -> list[PauseRow]:
        rows = await self._store.pending_pauses(tenant=tenant, session_id=session_id, limit=limit)
        return [row for row in rows if row.kind == PauseKind.SETTLE]


def _unsettled(pause: PauseRow) -> Unsettled:
    return Unsettled(
        session_id=pause.session_id,
        execution_id=pause.execution_id,
        step=pause.key,
        call_id=from_json(pause.ask_json)["details"]["call_id"],
        since_ms=pause.asked_at_ms,
    )


def _body_of(outcome: Returned | Failed) -> dict[str, JsonValue]:
    match outcome:
        case Returned(result=result):
            return {"outcome": "returned", "result": result}
        case Failed(detail=detail):
            return {"outcome": "failed", "detail": detail}
