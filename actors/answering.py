"""The one way in for answers: Slack, mail, web, CLI, HTTP and code all come through here.

    shape -> look up -> status -> credential -> read the reply -> validate -> one conditional write

Nothing is written before the last, and whatever fails before it leaves the question waiting. An unknown id and another
tenant's give the same error, so that ids cannot be tried out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol, assert_never

from ..store.changes import CancelPause, ResolvePause, ResolveResult
from ..store.errors import OverwinterError
from ..store.rows import AnswererKind, InboundKind, InboundRow, PauseKind, PauseRow, PauseStatus, Priority
from .asks import Ask, JsonValue, NotUnderstood, Understood
from .clock import Clock
from .errors import (
    EffectConflictError,
    PauseInvalidAnswerError,
    PauseNoReplyInterpreterError,
    PauseNotOwnerError,
    PauseNotPendingError,
    PauseUninterpretableReplyError,
    PauseUnknownError,
    PauseWrongAnswererError,
)
from .jsontext import to_json
from .opening import ask_of
from .roles import RoleBinding, Roles
from .surroundings import Reviver

MAX_REPLY_CHARS = 20_000
"""Longer replies are refused unread: no answer is that long, and reading costs money."""


class AnswerStore(Protocol):
    """What answering needs of the store."""

    async def pause(self, pause_id: str) -> PauseRow | None: ...

    async def resolve_pause(self, change: ResolvePause) -> ResolveResult: ...

    async def cancel_pause(self, change: CancelPause) -> ResolveResult: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerCredential:
    """The caller has authenticated the owner of the session."""

    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelCredential:
    """A channel has authenticated this person and found that they may answer for the role."""

    answered_by: str


Credential = OwnerCredential | ChannelCredential


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A typed answer, as JSON."""

    value: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A person's own words."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """The message an answer came in: a Slack event id, a Message-ID. The same one again has no effect.

    One message that answers several questions is given once for each of them, under ids of its own: its id and the question's.
    """

    channel: str
    external_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer is recorded, or was by the same message before.

    Attributes:
        decision: what was recorded; None for a duplicate.
        by: what read it: ``decision`` as given, or ``rules``, ``model``, ``code``.
    """

    session_id: str
    execution_id: str
    decision: JsonValue
    by: Literal["decision", "rules", "model", "code"]
    is_duplicate: bool = False


class Answering:
    """Takes answers.

    Args:
        reviver: the supervisor of this process, which revives the session at once if it has room.
    """

    def __init__(self, *, store: AnswerStore, clock: Clock, roles: Roles, reviver: Reviver) -> None:
        self._store = store
        self._clock = clock
        self._roles = roles
        self._reviver = reviver

    async def answer(
        self,
        *,
        tenant: str,
        pause_id: str,
        answer: Decision | Reply,
        credential: Credential,
        received: Received | None = None,
        priority: int = Priority.RESUME,
    ) -> Answered:
        """Record an answer.

        Raises:
            PauseInvalidAnswerError: (pause.invalid-answer) an empty or overlong reply, an empty credential.
            PauseUnknownError: (pause.unknown) no such pause, or another tenant's.
            PauseNotPendingError: (pause.not-pending) it is closed; says who answered.
            EffectConflictError: (effect.conflict) the message it came in was received before as something else.
            PauseWrongAnswererError: (pause.wrong-answerer) the other kind of credential is wanted.
            PauseNotOwnerError: (pause.not-owner)
            PauseUninterpretableReplyError: (pause.uninterpretable-reply) still pending.
            PauseNoReplyInterpreterError: (pause.no-reply-interpreter) still pending.
            PauseInvalidDecisionError: (pause.invalid-decision) still pending.
        """
        _check_shape(answer, credential)
        pause = await self._store.pause(pause_id)
        if pause is None or pause.tenant != tenant or pause.kind != PauseKind.ASK:
            raise PauseUnknownError
        if pause.status != PauseStatus.PENDING:
            return await self._closed_already(pause, received)
        if pause.deadline_at_ms is not None and self._clock.now_ms() >= pause.deadline_at_ms:
            # Its time was up before any supervisor has said so.
            await self.pass_deadline(pause)
            raise _not_pending(await self._store.pause(pause_id) or pause)
        responder = _check_credential(pause, credential)
        ask = ask_of(pause)
        role = self._role_of(pause)
        by: Literal["decision", "rules", "model", "code"] = "decision"
        match answer:
            case Decision(value=value):
                resolution: Literal["decided", "replied"] = "decided"
            case Reply(text=text):
                understood = await _read(role, ask, text)
                value, by, resolution = understood.decision, understood.by, "replied"
        decision = role.validate(ask, value)
        change = ResolvePause(
            pause_id=pause_id,
            resolution=resolution,
            answer_json=to_json(decision),
            responder=responder,
            decision_json=to_json(decision),
            inbound=None if received is None else _inbound_of(received, pause, decision, self._clock.now_ms()),
            now_ms=self._clock.now_ms(),
            priority=priority,
        )
        result = await self._resolve(change, pause)
        return self._answered(result, pause, decision, by)

    async def decide_at_once(self, pause: PauseRow, *, decision: JsonValue, answered_by: str) -> None:
        """Record what a channel decided from within ``send``. Validated like any other; a bad one raises.

        Somebody may have answered while ``send`` was returning: then that answer stands, and this one is dropped.
        """
        ask = ask_of(pause)
        role = self._role_of(pause)
        valid = role.validate(ask, decision)
        change = ResolvePause(
            pause_id=pause.pause_id,
            resolution="decided",
            answer_json=to_json(valid),
            responder=answered_by,
            decision_json=to_json(valid),
            inbound=None,
            now_ms=self._clock.now_ms(),
            priority=Priority.RESUME,
        )
        await self._resolve(change, pause)

    async def cancel(self, *, tenant: str, pause_id: str, by: str, reason: str) -> None:
        """Close a pause without an answer, as an operator: its step reads ``cancelled``; the session goes on.

        Raises:
            PauseUnknownError: (pause.unknown)
            PauseNotPendingError: (pause.not-pending)
        """
        pause = await self._store.pause(pause_id)
        if pause is None or pause.tenant != tenant:
            raise PauseUnknownError
        await self.close(pause, resolution="cancelled", by=by, reason=reason, code="pause.cancelled")

    async def close(
        self,
        pause: PauseRow,
        *,
        resolution: Literal["cancelled", "undeliverable"],
        by: str | None,
        reason: str,
        code: str,
    ) -> None:
        """Close a pause from outside; raises ``PauseNotPendingError`` if it is closed already."""
        change = CancelPause(
            pause_id=pause.pause_id,
            resolution=resolution,
            answer_json=to_json({"reason": reason, "code": code}),
            responder=by,
            now_ms=self._clock.now_ms(),
        )
        result = await self._store.cancel_pause(change)
        if result.outcome != "resolved":
            raise _not_pending(result.pause or pause)
        self._reviver.wake(pause.session_id)

    async def pass_deadline(self, pause: PauseRow) -> bool:
        """The clock has reached the pause's deadline: a timer fires, a question times out. False if it was closed before."""
        is_timer = pause.kind == PauseKind.TIMER
        change = ResolvePause(
            pause_id=pause.pause_id,
            resolution="fired" if is_timer else "timed_out",
            answer_json=to_json({"due_at_ms": pause.deadline_at_ms} if is_timer else {"reason": "timed out"}),
            responder=None,
            decision_json=None,
            inbound=None,
            now_ms=self._clock.now_ms(),
            priority=Priority.RESUME,
        )
        return (await self._resolve(change, pause)).outcome == "resolved"

    async def _resolve(self, change: ResolvePause, pause: PauseRow) -> ResolveResult:
        """Write the answer, and revive the session in the same breath if there is room for it here."""
        granted = self._reviver.grant()
        claimed = None
        try:
            result = await self._store.resolve_pause(replace(change, grant=granted))
            claimed = result.claimed
        finally:
            self._reviver.settle(granted, claimed)
        if result.outcome == "resolved" and claimed is None:
            self._reviver.wake(pause.session_id)
        return result

    def _role_of(self, pause: PauseRow) -> RoleBinding:
        role = self._roles.get(pause.role)
        if role is None:
            raise PauseNoReplyInterpreterError(
                f"role {pause.role} is not deployed here, so its answers cannot be checked"
            )
        return role

    async def _closed_already(self, pause: PauseRow, received: Received | None) -> Answered:
        """Either this very message closed it, delivered again now; or somebody else did."""
        if received is not None:
            change = ResolvePause(
                pause_id=pause.pause_id,
                resolution="decided",
                answer_json="null",
                responder=None,
                decision_json=None,
                inbound=_inbound_of(received, pause, None, self._clock.now_ms()),
                now_ms=self._clock.now_ms(),
                priority=Priority.RESUME,
            )
            result = await self._store.resolve_pause(change)
            if result.outcome != "not_pending":
                return self._answered(result, pause, None, "decision")
        raise _not_pending(pause)

    def _answered(
        self,
        result: ResolveResult,
        pause: PauseRow,
        decision: JsonValue,
        by: Literal["decision", "rules", "model", "code"],
    ) -> Answered:
        match result.outcome:
            case "resolved":
                return Answered(session_id=pause.session_id, execution_id=pause.execution_id, decision=decision, by=by)
            case "duplicate":
                return Answered(
                    session_id=pause.session_id,
                    execution_id=pause.execution_id,
                    decision=None,
                    by=by,
                    is_duplicate=True,
                )
            case "not_pending":
                raise _not_pending(result.pause or pause)
            case "conflict":
                raise EffectConflictError(
                    "the message of this id has been received before, and not as an answer to this question"
                )
            case "unknown":
                raise PauseUnknownError
            case _:
                assert_never(result.outcome)


def _check_shape(answer: Decision | Reply, credential: Credential) -> None:
    match answer:
        case Reply(text=text):
            if not text.strip():
                raise PauseInvalidAnswerError("the reply is empty")
            if len(text) > MAX_REPLY_CHARS:
                raise PauseInvalidAnswerError(
                    f"the reply has {len(text)} characters; at most {MAX_REPLY_CHARS} are read"
                )
        case Decision():
            pass
    match credential:
        case OwnerCredential(owner=name) | ChannelCredential(answered_by=name):
            if not name.strip():
                raise PauseInvalidAnswerError("an answer must say who gives it")


def _check_credential(pause: PauseRow, credential: Credential) -> str:
    """The name of who answers."""
    match pause.answerer, credential:
        case AnswererKind.OWNER, OwnerCredential(owner=owner):
            if owner != pause.owner:
                raise PauseNotOwnerError
            return owner
        case AnswererKind.CHANNEL, ChannelCredential(answered_by=answered_by):
            return answered_by
        case AnswererKind.OWNER, _:
            raise PauseWrongAnswererError("this question is answered by the session's owner, not through a channel")
        case _:
            raise PauseWrongAnswererError(
                "this question is answered by people its channel knows, not by the session's owner"
            )


async def _read(role: RoleBinding, ask: Ask, text: str) -> Understood:
    if role.reader is None:
        raise PauseNoReplyInterpreterError
    try:
        reading = await role.reader.read(ask, text)
    except OverwinterError as error:
        raise PauseUninterpretableReplyError(f"the reply could not be read ({error.code}); answer again") from error
    match reading:
        case Understood():
            return reading
        case NotUnderstood(reason=reason):
            raise PauseUninterpretableReplyError(reason)


def _inbound_of(received: Received, pause: PauseRow, decision: JsonValue, now_ms: int) -> InboundRow:
    return InboundRow(
        channel=received.channel,
        external_id=received.external_id,
        kind=InboundKind.ANSWER,
        tenant=pause.tenant,
        session_id=pause.session_id,
        pause_id=pause.pause_id,
        body_json=to_json(decision),
        received_at_ms=now_ms,
        consumed_at_ms=now_ms,
    )


def _not_pending(pause: PauseRow) -> PauseNotPendingError:
    who = f" by {pause.responder}" if pause.responder else ""
    match pause.resolution:
        case "decided" | "replied":
            return PauseNotPendingError(f"this question has been answered{who} already")
        case "timed_out":
            return PauseNotPendingError("this question has timed out")
        case "cancelled":
            return PauseNotPendingError(f"this question was cancelled{who}")
        case "withdrawn":
            return PauseNotPendingError("this question was withdrawn: its answer is not needed any more")
        case _:
            return PauseNotPendingError("this question is closed already")
