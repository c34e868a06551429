"""For callers that want to know what came of it: wait until a session rests, whoever runs it, and read how it stands.

    answer recorded -> some supervisor's pass takes it, and all that came meanwhile -> rest -> the outcome

An answer is recorded before anybody waits for what it leads to, and the pass that holds the session is refused its rest until it
has looked at it. So the first rest that is seen after the answer has the answer in it. The pass may be another process's: a
caller looks when its own process says that a pass has ended, when the store hints at a commit, when the lease in the way
runs out, and every so often. If the holder has died, the lease is nobody's from then on and the supervisor of this process, if
one runs, is told to look: the caller gets the outcome of the pass that took over.

A caller is its own coroutine and one entry in a table. No sleeping session has either.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from ..store.rows import AnswererKind, LedgerRow, PauseRow, SessionRow, SessionStatus
from .asks import JsonValue
from .clock import Clock
from .errors import SessionNotRestedError, SessionUnknownError
from .events import EventKind
from .jsontext import from_json
from .surroundings import Hints, Reviver

LOOK_EVERY_S = 0.05
"""However many hints come, a caller asks the store no more often than this."""

MOST_WAITS = 10_000
"""So many open waits are listed, the oldest ones."""

_MOVING = frozenset({SessionStatus.READY, SessionStatus.RUNNING})
_UNDER_WAY = _MOVING | {SessionStatus.WAITING, SessionStatus.BLOCKED}
_ENDS = frozenset({EventKind.EXECUTION_ENDED, EventKind.EXECUTION_FAILED, EventKind.SESSION_CANCELLED})


class WaitingStore(Protocol):
    """What waiting callers need of the store."""

    async def session(self, session_id: str) -> SessionRow | None: ...

    async def pending_pauses(
        self, *, tenant: str | None, session_id: str | None, limit: int
    ) -> tuple[PauseRow, ...]: ...

    async def events_before(
        self, session_id: str, execution_id: str, *, kinds: frozenset[str]
    ) -> tuple[LedgerRow, ...]: ...

    def subscribe(self) -> Hints: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWait:
    """One thing that a session waits for.

    Attributes:
        key: the step that waits, inside its execution.
        answerer: who may answer: ``owner``, ``channel``; ``nobody`` for a timer.
        pause_id: None unless the owner answers: else it is the right to answer, and its channel alone has it.
    """

    execution_id: str
    key: str
    kind: str
    role: str
    channel: str
    answerer: str
    pause_id: str | None
    asked_at_ms: int
    deadline_at_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionReturned:
    """The code has come to its end."""

    result: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionFailed:
    """The code has raised, or the session can never go on."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionCancelled:
    """The session was cancelled while it was under way."""

    by: str | None
    reason: str


ExecutionEnd = ExecutionReturned | ExecutionFailed | ExecutionCancelled


@dataclass(frozen=True, slots=True, kw_only=True)
class PassOutcome:
    """How a session stands at rest.

    Attributes:
        status: never ``ready`` or ``running``.
        reason: why it is blocked, failed or cancelled: a code and a sentence.
        end: how its last execution ended; None while that is under way, or where there was none.
        pending: what it waits for, the oldest first; its owner's next message is not among it.
    """

    session_id: str
    status: str
    reason: str | None
    end: ExecutionEnd | None
    pending: tuple[OpenWait, ...]


class Waiting:
    """Lets callers wait for sessions.

    Args:
        poll_s: how often a caller looks without any hint.
    """

    def __init__(self, *, store: WaitingStore, clock: Clock, reviver: Reviver, poll_s: float) -> None:
        self._store = store
        self._clock = clock
        self._reviver = reviver
        self._poll_ms = int(poll_s * 1000)
        self._callers: dict[str, set[asyncio.Event]] = {}

    @property
    def callers(self) -> int:
        """How many callers wait now."""
        return sum(map(len, self._callers.values()))

    def notice(self, session_id: str) -> None:
        """A pass of the session has ended in this process."""
        for rested in self._callers.get(session_id, ()):
            rested.set()

    async def outcome_of(self, *, tenant: str, session_id: str, timeout_s: float | None = None) -> PassOutcome:
        """How the session stands once it rests; at once if it does.

        Called after an answer or a message was recorded, it is the outcome of the pass that has taken it.

        Args:
            timeout_s: how long to wait; None waits for as long as it takes.

        Raises:
            SessionUnknownError: (session.unknown) no such session, or another tenant's.
            SessionNotRestedError: (session.not-rested) it still moves; whatever was recorded stays recorded.
        """
        give_up_ms = None if timeout_s is None else self._clock.now_ms() + int(timeout_s * 1000)
        async with self._calling(session_id) as (rested, hints):
            while True:
                rested.clear()
                session = await self._store.session(session_id)
                if session is None or session.tenant != tenant:
                    raise SessionUnknownError
                if session.status not in _MOVING:
                    if (outcome := await self._read(session)) is not None:
                        return outcome
                    continue
                now_ms = self._clock.now_ms()
                if give_up_ms is not None and now_ms >= give_up_ms:
                    raise SessionNotRestedError(f"session {session_id} did not come to rest within {timeout_s:g} s")
                next_ms = self._next_look_ms(session, now_ms)
                await self._wait_for_news(rested, hints, next_ms if give_up_ms is None else min(next_ms, give_up_ms))

    def _next_look_ms(self, session: SessionRow, now_ms: int) -> int:
        """When to look without any hint. A lease that has run out is for this process's supervisor to take."""
        poll_ms = now_ms + self._poll_ms
        if session.status != SessionStatus.RUNNING:
            return poll_ms
        if session.lease_until_ms <= now_ms:
            self._reviver.wake(session.session_id)
            return poll_ms
        return min(poll_ms, session.lease_until_ms)

    async def _read(self, session: SessionRow) -> PassOutcome | None:
        """The outcome of a session at rest; None if it has moved on while it was read."""
        session_id = session.session_id
        pauses = await self._store.pending_pauses(tenant=session.tenant, session_id=session_id, limit=MOST_WAITS)
        ends: tuple[LedgerRow, ...] = ()
        if session.status not in _UNDER_WAY:
            ends = await self._store.events_before(session_id, "", kinds=_ENDS)
        again = await self._store.session(session_id)
        if again is None or _moment_of(again) != _moment_of(session):
            return None
        return PassOutcome(
            session_id=session_id,
            status=session.status,
            reason=session.reason,
            end=_end_of(ends[-1]) if ends else None,
            pending=tuple(_wait_of(pause) for pause in pauses),
        )

    @asynccontextmanager
    async def _calling(self, session_id: str) -> AsyncGenerator[tuple[asyncio.Event, Hints]]:
        """Be in the table of callers while the block runs."""
        rested = asyncio.Event()
        hints = self._store.subscribe()
        self._callers.setdefault(session_id, set()).add(rested)
        try:
            await hints.wait()  # set from the start: the first look is before it
            yield rested, hints
        finally:
            hints.close()
            self._callers[session_id].discard(rested)
            if not self._callers[session_id]:
                del self._callers[session_id]

    async def _wait_for_news(self, rested: asyncio.Event, hints: Hints, until_ms: int) -> None:
        """Return when a look may show something new: at once after a rest in this process, else not too often."""
        here = asyncio.create_task(rested.wait(), name="waiting: here")
        elsewhere = asyncio.create_task(hints.wait(), name="waiting: elsewhere")
        late = asyncio.create_task(self._clock.sleep_until_ms(until_ms), name="waiting: late")
        waits: set[asyncio.Task[Any]] = {here, elsewhere, late}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({here}, timeout=LOOK_EVERY_S)
        finally:
            for each in waits:
                each.cancel()
            await asyncio.gather(*waits, return_exceptions=True)


def _moment_of(session: SessionRow) -> tuple[str, int, int]:
    """Differs once anything has been done to the session."""
    return session.status, session.lease_epoch, session.wakes


def _wait_of(pause: PauseRow) -> OpenWait:
    return OpenWait(
        execution_id=pause.execution_id,
        key=pause.key,
        kind=pause.kind,
        role=pause.role,
        channel=pause.channel,
        answerer=pause.answerer,
        pause_id=pause.pause_id if pause.answerer == AnswererKind.OWNER else None,
        asked_at_ms=pause.asked_at_ms,
        deadline_at_ms=pause.deadline_at_ms,
    )


def _end_of(event: LedgerRow) -> ExecutionEnd:
    body: JsonValue = from_json(event.body_json)
    match event.kind:
        case EventKind.EXECUTION_ENDED:
            return ExecutionReturned(result=body["result"])
        case EventKind.EXECUTION_FAILED:
            return ExecutionFailed(code=body["code"], detail=body["detail"])
        case _:
            return ExecutionCancelled(by=body["by"], reason=body["reason"])
