"""What hooks are told: values of one moment of a session, made after it is committed."""

from __future__ import annotations

from dataclasses import dataclass

from .asks import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingWait:
    """One thing that a session waits for.

    Attributes:
        pause_id: by which the session's owner answers; None where a channel or the clock does, for there it is no
            business of anybody else.
        execution_id: the execution that waits, which may be a child of the session's own.
        is_child: whether it is one.
        key: the step that waits, inside its execution.
        item: which item of the innermost ``map`` it is about, from 0; None outside any.
        kind: ``ask``; or ``timer``, which nobody answers.
        agent: the bot that asks.
        answerer: who may answer: ``owner``, ``channel``, ``nobody``.
        question: the words that were asked; empty for a timer.
    """

    pause_id: str | None
    execution_id: str
    is_child: bool
    key: str
    item: int | None
    kind: str
    agent: str
    role: str
    channel: str
    answerer: str
    question: str
    asked_at_ms: int
    deadline_at_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenWait:
    """A wait that has ended, and whose execution goes on with it.

    Attributes:
        resolution: ``decided``, ``replied``, ``fired``, ``timed_out``, ``cancelled``, ``undeliverable``.
        responder: who answered or closed it; None for the clock.
        waited_ms: from when it was asked to when it was taken.
    """

    execution_id: str
    key: str
    resolution: str
    responder: str | None
    waited_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Notice:
    """Of whom it is: ``execution_id`` is the session's own execution, the root of its tree."""

    session_id: str
    tenant: str
    owner: str
    bot: str
    execution_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseNotice(_Notice):
    """A session has come to rest with open waits: for the first time, or again with some of them answered.

    Attributes:
        status: the session's: ``waiting``.
        pending: every open wait of the whole tree, the oldest first; never empty.
    """

    status: str
    pending: tuple[PendingWait, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeNotice(_Notice):
    """A session goes on with what it has waited for.

    Attributes:
        waited_ms: the longest of the waits.
    """

    taken: tuple[TakenWait, ...]
    waited_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndNotice(_Notice):
    """An execution has ended. Its session may take more messages.

    Attributes:
        status: ``ended`` or ``failed``.
        result: what it came to, as JSON, with masks for what is sensitive; None where it failed.
        error: a code and a sentence, masked likewise; None where it did not fail.
    """

    status: str
    result: JsonValue
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RestNotice(_Notice):
    """A session has come to rest in the middle of an execution: it waits, if only for its owner's next words."""
