"""What is given as an answer: by whom, in which form, in which message; and whether it may be one at all.

And what may be said by whoever closes, performs, settles or accepts something: a name, and few words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..store.rows import AnswererKind, InboundKind, InboundRow, PauseRow
from .asks import JsonValue
from .errors import PauseInvalidAnswerError, PauseNotOwnerError, PauseWrongAnswererError
from .jsontext import to_json
from .patience import escalated_to
from .quorum import Standing

MAX_REPLY_CHARS = 20_000
"""Longer replies are refused unread: no answer is that long, and reading costs money."""

MAX_REASON_CHARS = 1024
"""Why something was cancelled is told to people, to models and in listings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerCredential:
    """The caller has authenticated the owner of the session."""

    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelCredential:
    """A channel has authenticated this person and found that they may answer for the role.

    Attributes:
        channel: that channel, by name; None where somebody answers for others, as on the command line. Once a question has been
            escalated, only an answer of the channel that asks it now is taken.
    """

    answered_by: str
    channel: str | None = None


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
        decision: what was recorded, as listings show it; None for a duplicate.
        by: what read it: ``decision`` as given, or ``rules``, ``model``, ``code``.
    """

    session_id: str
    execution_id: str
    decision: JsonValue
    by: Literal["decision", "rules", "model", "code"]
    is_duplicate: bool = False
    standing: Standing | None = None
    """How the question stands with it, where several people are needed: it may still wait for others."""


def check_shape(answer: Decision | Reply, credential: Credential) -> None:
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
            check_name(name, "an answer must say who gives it")


def check_name(name: str, refusal: str) -> None:
    """Whether this names somebody in the audit.

    Raises:
        PauseInvalidAnswerError: (pause.invalid-answer) it is empty, no text, or nothing that can be kept.
    """
    if not isinstance(name, str) or not name.strip():  # pyright: ignore[reportUnnecessaryIsInstance]  a channel's word
        raise PauseInvalidAnswerError(refusal)
    _check_storable(name, "the name")


def check_cancel(by: str, reason: str) -> None:
    """Whether a question or a session may be cancelled with these words.

    Raises:
        PauseInvalidAnswerError: (pause.invalid-answer) nobody is named, or the reason is overlong or cannot be kept.
    """
    check_name(by, "whoever cancels must be named")
    if len(reason) > MAX_REASON_CHARS:
        raise PauseInvalidAnswerError(f"the reason has {len(reason)} characters; at most {MAX_REASON_CHARS} are kept")
    _check_storable(reason, "the reason")


def _check_storable(text: str, what: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise PauseInvalidAnswerError(f"{what} has half a character in it (a lone surrogate)")


def responder_of(pause: PauseRow, credential: Credential) -> str:
    """The name of who answers."""
    match pause.answerer, credential:
        case AnswererKind.OWNER, OwnerCredential(owner=owner):
            if owner != pause.owner:
                raise PauseNotOwnerError
            return owner
        case AnswererKind.CHANNEL, ChannelCredential(answered_by=answered_by, channel=channel):
            _refuse_relieved(pause, channel)
            return answered_by
        case AnswererKind.OWNER, _:
            raise PauseWrongAnswererError("this question is answered by the session's owner, not through a channel")
        case _:
            raise PauseWrongAnswererError(
                "this question is answered by people its channel knows, not by the session's owner"
            )


def _refuse_relieved(pause: PauseRow, channel: str | None) -> None:
    asked_now = escalated_to(pause)
    if asked_now is None or channel == asked_now:
        return
    if channel is None:
        raise PauseWrongAnswererError(
            f"this question has been escalated to {asked_now}; an answer has to say that it is given there"
        )
    raise PauseWrongAnswererError(f"nobody answered in time, so this question has gone to {asked_now}; answer it there")


def inbound_of(received: Received, pause: PauseRow, decision: JsonValue, now_ms: int) -> InboundRow:
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
