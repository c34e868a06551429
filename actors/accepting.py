"""What lets a session go on that is blocked because its code has changed: that code deployed again, or an operator's word.

A blocked session is written by nobody but the two here, and by a cancel: each is one guarded transaction, so of several one
finds it blocked. Answers and messages are recorded meanwhile and wait with it.

Accepting changes what a running execution is said to run, and nothing of what is recorded. The new code is fed the ledger by
its keys: steps that it still takes have their results, new ones run, and an open question that it does not ask any more is
withdrawn when the execution ends. What it cannot do is take one question's answer for another's: where the code asks other
people, or for another kind of answer, accepting is refused unless that question is cancelled with it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

import structlog

from ..store.blocks import AcceptedExecution, UnblockResult, UnblockSession, code_of
from ..store.errors import StoreError
from ..store.resolutions import CancelPause, ResolveResult
from ..store.rows import ExecutionRow, PauseRow, PauseStatus, SessionRow, SessionStatus
from ..store.snapshots import LoadedSession
from .answers import check_name
from .clock import Clock
from .errors import (
    SessionDefinitionChangedError,
    SessionNotBlockedError,
    SessionNotDeployedError,
    SessionQuestionChangedError,
    SessionUnknownError,
)
from .events import EventKind
from .jsontext import from_json, to_json
from .keys import place_of
from .program import Program, Programs
from .surroundings import Reviver

_log = structlog.get_logger("overwinter.accepting")

PAGE = 200
"""So many blocked sessions are looked at together."""

_CHANGED = SessionDefinitionChangedError.code


class AcceptingStore(Protocol):
    """What accepting needs of the store."""

    async def load(self, session_id: str) -> LoadedSession | None: ...

    async def blocked(self, *, limit: int, after_session_id: str = "") -> tuple[SessionRow, ...]: ...

    async def unblock_session(self, change: UnblockSession) -> UnblockResult: ...

    async def cancel_pause(self, change: CancelPause) -> ResolveResult: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """An execution that goes on under the deployed code.

    Attributes:
        stored, accepted: version and fingerprint, before and now.
    """

    execution_id: str
    program: str
    stored: tuple[str, str]
    accepted: tuple[str, str]


class Accepting:
    """Lets sessions go on whose code has changed."""

    def __init__(self, *, store: AcceptingStore, clock: Clock, programs: Programs, reviver: Reviver) -> None:
        self._store = store
        self._clock = clock
        self._programs = programs
        self._reviver = reviver
        self.is_busy = False

    async def run(self, *, retry_s: float) -> None:
        """Unblock what can go on under the code that is deployed here: once, when a supervisor starts.

        Args:
            retry_s: when to try again where the store was busy.

        Raises:
            StoreError: the store failed for good.
        """
        self.is_busy = True
        try:
            while True:
                try:
                    for session_id in await self.unblock_deployed():
                        _log.info("session.unblocked", session_id=session_id)
                    return
                except StoreError as error:
                    if not error.retryable:
                        raise
                    _log.warning(error.code, error=str(error))
                await self._clock.sleep_until_ms(self._clock.now_ms() + int(retry_s * 1000))
        finally:
            self.is_busy = False

    async def accept(
        self, *, tenant: str, session_id: str, by: str, cancels_question: bool = False
    ) -> tuple[Accepted, ...]:
        """Let a session go on with the deployed code: each of its running executions, children too, gets its fingerprint.

        An execution goes on in its own version where that is deployed, else in the newest. One whose program is not
        deployed any more is left as it is, unless it is the root.

        Args:
            by: who says so; kept in the ledger.
            cancels_question: an open question that the deployed code asks otherwise is cancelled; its step reads that.

        Returns: what was changed, the root first; nothing where the session's own code is deployed again. Where that asks no more
        for an answer that is recorded, it is accepted as it is.

        Raises:
            SessionUnknownError: (session.unknown) no such session, or another tenant's.
            SessionNotBlockedError: (session.not-blocked) it is not blocked, or for another reason.
            SessionQuestionChangedError: (session.question-changed) the deployed code asks otherwise than the session has asked.
            SessionNotDeployedError: (session.not-deployed)
            PauseInvalidAnswerError: (pause.invalid-answer) it does not say who accepts.
        """
        check_name(by, "whoever accepts code must be named")
        while True:
            loaded = await self._store.load(session_id)
            if loaded is None or loaded.session.tenant != tenant:
                raise SessionUnknownError
            _check_blocked(loaded.session)
            changes = self._changes_of(loaded) or _unasked_in(loaded)
            if not changes and (question := _changed_question(loaded)) is not None:
                if question.status != PauseStatus.PENDING or not cancels_question:
                    raise SessionQuestionChangedError(_refusal(loaded, question))
                await self._cancel(question, by=by)
                continue
            change = UnblockSession(
                tenant=tenant,
                session_id=session_id,
                code=_CHANGED,
                now_ms=self._clock.now_ms(),
                accepted=tuple(_row_of(accepted, by=by) for accepted in changes),
            )
            match await self._store.unblock_session(change):
                case UnblockResult.UNBLOCKED:
                    self._reviver.wake(session_id)
                    return changes
                case UnblockResult.UNKNOWN_SESSION:
                    raise SessionUnknownError
                case UnblockResult.NOT_BLOCKED | UnblockResult.STALE:
                    continue  # somebody was faster: look again at what it is now

    async def _cancel(self, question: PauseRow, *, by: str) -> None:
        """Close a question; one that somebody else has closed meanwhile is looked at again."""
        reason = "the deployed code asks otherwise"
        change = CancelPause(
            pause_id=question.pause_id,
            answer_json=to_json({"reason": reason, "code": "pause.cancelled"}),
            responder=by,
            now_ms=self._clock.now_ms(),
        )
        await self._store.cancel_pause(change)

    async def unblock_deployed(self) -> tuple[str, ...]:
        """Let every session go on that was blocked under other code and whose own is deployed here; returns their ids."""
        unblocked: list[str] = []
        after = ""
        while page := await self._store.blocked(limit=PAGE, after_session_id=after):
            after = page[-1].session_id
            changed = [row for row in page if code_of(row.reason) == _CHANGED]
            went_on = await asyncio.gather(*(self._unblock_if_deployed(row) for row in changed))
            unblocked += [row.session_id for row, is_on in zip(changed, went_on, strict=True) if is_on]
        return tuple(unblocked)

    async def _unblock_if_deployed(self, session: SessionRow) -> bool:
        try:
            loaded = await self._store.load(session.session_id)
        except StoreError as error:
            if error.retryable:
                raise
            # Its rows cannot be read. That is its own trouble, and it stays blocked.
            _log.error(error.code, session_id=session.session_id, error=str(error))
            return False
        if loaded is None or not self._is_deployed(loaded):
            return False
        change = UnblockSession(
            tenant=session.tenant, session_id=session.session_id, code=_CHANGED, now_ms=self._clock.now_ms()
        )
        return await self._store.unblock_session(change) is UnblockResult.UNBLOCKED

    def _is_deployed(self, loaded: LoadedSession) -> bool:
        """Whether all that the session runs is deployed as it was; one that had not begun takes whatever has its name."""
        if not loaded.executions:
            return self._programs.newest(loaded.session.program) is not None
        try:
            for execution in loaded.executions:
                self._programs.of(execution)
        except SessionDefinitionChangedError:
            return False
        return True

    def _changes_of(self, loaded: LoadedSession) -> tuple[Accepted, ...]:
        if not loaded.executions and self._programs.newest(loaded.session.program) is None:
            raise SessionNotDeployedError(f"{loaded.session.program} is not deployed; name the app that has it")
        changes: list[Accepted] = []
        for execution in loaded.executions:
            program = self._programs.version(execution.program, execution.version)
            program = program or self._programs.newest(execution.program)
            if program is not None and program.fingerprint != execution.fingerprint:
                changes.append(_accepted(execution, program))
            elif program is None and execution.parent_id is None:
                raise SessionNotDeployedError(f"{execution.program} is not deployed; name the app that has it")
        return tuple(changes)


def _check_blocked(session: SessionRow) -> None:
    if session.status != SessionStatus.BLOCKED:
        raise SessionNotBlockedError(f"session {session.session_id} is {session.status}: there is nothing to accept")
    if code_of(session.reason) != _CHANGED:
        raise SessionNotBlockedError(
            f"session {session.session_id} is not blocked by changed code, and accepting code does not help it; "
            f"it is blocked for {session.reason}"
        )


def _unasked_in(loaded: LoadedSession) -> tuple[Accepted, ...]:
    """The execution whose code does not come to an answer that is recorded, if that is why the session is blocked."""
    if not (key := _why_blocked(loaded).get("unasked")):
        return ()
    execution_id, _ = place_of(key, loaded.executions[0].execution_id)
    return tuple(
        Accepted(
            execution_id=row.execution_id,
            program=row.program,
            stored=(row.version, row.fingerprint),
            accepted=(row.version, row.fingerprint),
        )
        for row in loaded.executions
        if row.execution_id == execution_id
    )


def _changed_question(loaded: LoadedSession) -> PauseRow | None:
    """The question that blocks the session because the code asks otherwise now; None if none does, or it was cancelled since.

    Raises:
        SessionQuestionChangedError: (session.question-changed) its answer has been taken, and more was done on it.
    """
    if not (key := _why_blocked(loaded).get("question")):
        return None
    place = place_of(key, loaded.executions[0].execution_id)
    question = next((row for row in loaded.pauses if (row.execution_id, row.key) == place), None)
    if question is None:
        raise SessionQuestionChangedError(_refusal(loaded, question))
    return None if question.status == PauseStatus.CANCELLED else question


def _refusal(loaded: LoadedSession, question: PauseRow | None) -> str:
    """Why accepting does not help, and what does."""
    session_id = loaded.session.session_id
    remedy = f"deploy the code as it was, or end the session (overwinter cancel {session_id})"
    if question is not None and question.status == PauseStatus.PENDING:
        remedy = f"cancel that question with it (overwinter accept {session_id} --cancel-question), or {remedy}"
    what = _why_blocked(loaded)["detail"].partition("; ")[0]
    return f"{what}. Accepting that would take one answer for another: {remedy}"


def _why_blocked(loaded: LoadedSession) -> dict[str, str]:
    """The body of the event that blocked the session."""
    bodies = [event.body_json for event in loaded.events if event.kind == EventKind.SESSION_BLOCKED]
    return from_json(bodies[-1]) if bodies else {}


def _accepted(execution: ExecutionRow, program: Program) -> Accepted:
    return Accepted(
        execution_id=execution.execution_id,
        program=execution.program,
        stored=(execution.version, execution.fingerprint),
        accepted=(program.version, program.fingerprint),
    )


def _row_of(accepted: Accepted, *, by: str) -> AcceptedExecution:
    version, fingerprint = accepted.accepted
    body = {
        "by": by,
        "stored": dict(zip(("version", "fingerprint"), accepted.stored, strict=True)),
        "accepted": {"version": version, "fingerprint": fingerprint},
    }
    return AcceptedExecution(
        execution_id=accepted.execution_id,
        old_fingerprint=accepted.stored[1],
        version=version,
        fingerprint=fingerprint,
        ledger_json=to_json(body),
    )
