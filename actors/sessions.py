"""The way in for conversations: start a session, say something to it, cancel it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from ..store.changes import CancelResult, CancelSession, PostMessage, PostResult, StartResult, StartSession
from ..store.rows import AnswererKind, InboundKind, InboundRow, PauseRow, Priority, SessionRow, SessionStatus
from ..store.snapshots import LoadedSession
from .answering import Answering
from .answers import OwnerCredential, Received, Reply, check_cancel
from .asks import JsonValue
from .clock import Clock
from .errors import EffectConflictError, PauseNotPendingError, SessionEndedError, SessionUnknownError
from .ids import Ids
from .jsontext import to_json
from .opening import CONVERSATION
from .payloads import JSON
from .program import Program, Programs
from .surroundings import Reviver


class ConversationStore(Protocol):
    """What conversations need of the store."""

    async def start_session(self, change: StartSession) -> StartResult: ...

    async def post_message(self, change: PostMessage) -> PostResult: ...

    async def cancel_session(self, change: CancelSession) -> CancelResult: ...

    async def session(self, session_id: str) -> SessionRow | None: ...

    async def pending_pauses(
        self, *, tenant: str | None, session_id: str | None, limit: int, channel: str | None
    ) -> tuple[PauseRow, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Where a message went: into the session's ``inbox``, to an open ``question``, or nowhere, being a ``duplicate``."""

    to: Literal["inbox", "question", "duplicate"]


class Sessions:
    """Starts, feeds and cancels sessions."""

    def __init__(
        self,
        *,
        store: ConversationStore,
        clock: Clock,
        ids: Ids,
        programs: Programs,
        answering: Answering,
        reviver: Reviver,
    ) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._programs = programs
        self._answering = answering
        self._reviver = reviver

    def takes(self, program: str, name: str) -> bool:
        """Whether what the program begins with may have a field of that name; False if it is not deployed."""
        newest = self._programs.newest(program)
        return newest is not None and newest.takes(name)

    def check_start(self, *, program: str, message: JsonValue) -> None:
        """See whether a session could begin so, before one is there that can only fail.

        Raises:
            SessionUnknownError: (session.unknown) nothing of that name is deployed.
            OverwinterError: what the program says of the message: of a workflow, tool.invalid-arguments.
        """
        self._deployed(program).check(message)

    def _deployed(self, name: str) -> Program:
        program = self._programs.newest(name)
        if program is None:
            known = ", ".join(sorted(self._programs.names())) or "none"
            raise SessionUnknownError(f"there is no bot {name!r}; deployed here: {known}")
        return program

    async def start(
        self,
        *,
        program: str,
        owner: str,
        message: JsonValue,
        tenant: str = "default",
        surface: Literal["chat", "workspace"] = "chat",
        received: Received | None = None,
        session_id: str | None = None,
    ) -> str:
        """Start a session with its first message; returns its id as soon as both are durable.

        Args:
            message: the words of a person, or the JSON input of a workflow.
            received: where the message came from; the same one again starts nothing new.
            session_id: one of the caller's own, for starting the same session twice without harm.

        Raises:
            SessionUnknownError: (session.unknown) nothing of that name is deployed.
            EffectConflictError: (effect.conflict) that session id, or that message, was there already.
            StepUnserializableError, StepTooLargeError: (step.unserializable, step.too-large) the message cannot be stored.
        """
        self._deployed(program)
        now_ms = self._clock.now_ms()
        session_id = session_id or self._ids.session_id(now_ms)
        session = SessionRow(
            session_id=session_id,
            tenant=tenant,
            owner=owner,
            surface=surface,
            program=program,
            status=SessionStatus.READY,
            reason=None,
            priority=Priority.FRESH,
            due_at_ms=now_ms,
            lease_holder=None,
            lease_epoch=0,
            lease_until_ms=0,
            wakes=1,
            attempts=0,
            next_seq=0,
            is_cancel_requested=False,
            created_at_ms=now_ms,
            updated_at_ms=now_ms,
        )
        first = self._message(session, message, received, now_ms)
        if not await self._start(session, first):
            raise EffectConflictError(f"session {session_id}, or the message it starts with, was there before")
        return session_id

    async def _start(self, session: SessionRow, first: InboundRow) -> bool:
        """Write a session and its first message, and let it run in the same breath if there is room for it here."""
        granted = self._reviver.grant()
        claimed = None
        try:
            if granted is not None:
                session = replace(
                    session,
                    status=SessionStatus.RUNNING,
                    lease_holder=granted.holder,
                    lease_epoch=1,
                    lease_until_ms=granted.until_ms,
                    attempts=1,
                )
            result = await self._store.start_session(StartSession(session=session, message=first))
            if result is StartResult.STARTED and granted is not None:
                claimed = LoadedSession(session=session, executions=(), events=(), pauses=(), inbound=(first,))
        finally:
            self._reviver.settle(granted, claimed)
        return result is StartResult.STARTED

    async def say(self, *, tenant: str, session_id: str, text: str, received: Received | None = None) -> Said:
        """Give a session its owner's next message. If it asks its owner something in the conversation, that is the answer.

        Raises:
            SessionUnknownError: (session.unknown)
            SessionEndedError: (session.ended)
            PauseUninterpretableReplyError: (pause.uninterpretable-reply) it asks for something else; ask them again.
            EffectConflictError: (effect.conflict) another message of that id has been received before.
        """
        session = await self._store.session(session_id)
        if session is None or session.tenant != tenant:
            raise SessionUnknownError
        asked = await self._store.pending_pauses(tenant=tenant, session_id=session_id, channel=CONVERSATION, limit=100)
        for pause in asked:
            if pause.answerer == AnswererKind.OWNER:
                try:
                    answered = await self._answering.answer(
                        tenant=tenant,
                        pause_id=pause.pause_id,
                        answer=Reply(text=text),
                        credential=OwnerCredential(owner=session.owner),
                        received=received,
                    )
                except (PauseNotPendingError, EffectConflictError):
                    # Closed meanwhile; or this message has been received before, and there it is known as what.
                    continue
                return Said(to="duplicate" if answered.is_duplicate else "question")
        now_ms = self._clock.now_ms()
        change = PostMessage(message=self._message(session, text, received, now_ms), now_ms=now_ms)
        match await self._store.post_message(change):
            case PostResult.POSTED:
                self._reviver.wake(session_id)
                return Said(to="inbox")
            case PostResult.DUPLICATE:
                return Said(to="duplicate")
            case PostResult.CONFLICT:
                raise EffectConflictError("another message of this id has been received before")
            case PostResult.UNKNOWN_SESSION:
                raise SessionUnknownError
            case PostResult.ENDED_SESSION:
                raise SessionEndedError

    async def cancel(self, *, tenant: str, session_id: str, by: str, reason: str) -> None:
        """End a session for good: its questions are withdrawn and nothing that it still does is written.

        Raises:
            PauseInvalidAnswerError: (pause.invalid-answer) nobody is named, or the reason is overlong.
            SessionUnknownError: (session.unknown)
            SessionEndedError: (session.ended)
        """
        check_cancel(by, reason)
        change = CancelSession(
            tenant=tenant,
            session_id=session_id,
            reason=reason,
            responder=by,
            ledger_json=to_json({"reason": reason, "by": by}),
            now_ms=self._clock.now_ms(),
        )
        match await self._store.cancel_session(change):
            case CancelResult.CANCELLED:
                self._reviver.drop(session_id)
            case CancelResult.UNKNOWN_SESSION:
                raise SessionUnknownError
            case CancelResult.ALREADY_ENDED:
                raise SessionEndedError

    def _message(self, session: SessionRow, content: JsonValue, received: Received | None, now_ms: int) -> InboundRow:
        received = received or Received(channel="api", external_id=self._ids.message_id(now_ms))
        return InboundRow(
            channel=received.channel,
            external_id=received.external_id,
            kind=InboundKind.MESSAGE,
            tenant=session.tenant,
            session_id=session.session_id,
            pause_id=None,
            body_json=JSON.dump({"content": content, "from": session.owner}, where="message"),
            received_at_ms=now_ms,
            consumed_at_ms=None,
        )
