"""What buttons, modals and message metadata take along, so that a click is understood after a restart, by any process.

A button and a modal carry the question itself: tenant and pause id. Who presses is checked all the same, so the id gives
nobody a right here. Metadata is read by every app in the channel and never comes back with a click: it carries a key made
of the pause id, from which the id cannot be told. Before a message is posted again, its key is looked for in the thread.
"""

from __future__ import annotations

import hashlib
import json
import re
from enum import StrEnum
from typing import cast

from ...actors.asks import Ask, JsonValue
from ...actors.errors import ChannelRejectedError
from ...store.values import value
from .limits import PRIVATE_METADATA

_LONGEST = 400
_PAUSE_ID = re.compile(r"[0-9a-f]{32}")
_NUMBERED = re.compile(r"(q:choice|q:page):(0|[1-9][0-9]{0,3})")
_QUESTION_EVENT = "overwinter_question"
_SESSION_EVENT = "overwinter_session"


class Action(StrEnum):
    """What a button does; the ``action_id`` of those without a number."""

    APPROVE = "q:approve"
    REJECT = "q:reject"
    """Opens the modal that asks for the reason."""
    CHANGE = "q:change"
    """Opens the modal with the arguments."""
    CHOICE = "q:choice"
    """Decides for one of the choices; the ``action_id`` goes on with its number."""
    CHOOSE = "q:choose"
    """Opens the modal with all choices."""
    ANSWER = "q:answer"
    """Opens the modal with the fields of the answer."""
    SHOW_ALL = "q:show"
    """Opens the modal with the full text."""
    PAGE = "q:page"
    """Turns to another page of it; the ``action_id`` goes on with its number."""


class ModalKind(StrEnum):
    """What a modal asks for; its ``callback_id``."""

    REASON = "q:reason"
    CHANGES = "q:changes"
    CHOICE = "q:choose"
    ANSWER = "q:answer"
    FULL_TEXT = "q:full"


class PostKind(StrEnum):
    """What a message of ours is; each is posted once for a question."""

    QUESTION = "question"
    REMINDER = "reminder"
    ESCALATION = "escalation"
    FOLLOW_UP = "follow-up"
    NOTE = "note"
    """What asks nothing; its key is made of what caused it."""


@value
class QuestionRef:
    """Names a question as ``Answering`` does."""

    tenant: str
    pause_id: str


@value
class Pressed:
    """A button of ours that was pressed.

    Attributes:
        number: of the choice or of the page, from 0; None for the other buttons.
    """

    action: Action
    question: QuestionRef
    number: int | None = None


def carried_by(ask: Ask) -> str:
    """What the buttons and modals of a question carry: far less than Slack allows, for a message has several of them.

    Raises:
        ChannelRejectedError: (channel.rejected) the tenant's name is too long to be carried.
    """
    carried = json.dumps({"t": ask.tenant, "p": ask.pause_id}, separators=(",", ":"))
    for char in "&<>":  # Slack gives these back as entities, in some payloads.
        carried = carried.replace(char, f"\\u{ord(char):04x}")
    if len(carried) > _LONGEST:
        raise ChannelRejectedError(f"the name of tenant {ask.tenant[:40]}… is too long for a Slack button")
    return carried


def question_in(carried: str | None) -> QuestionRef | None:
    """The question that ``carried_by`` wrote down; None for whatever else stands there."""
    if not carried or len(carried) > PRIVATE_METADATA:
        return None
    try:
        found = json.loads(carried)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    members = cast("dict[str, JsonValue]", found)
    tenant, pause_id = members.get("t"), members.get("p")
    if not isinstance(tenant, str) or not isinstance(pause_id, str) or not _PAUSE_ID.fullmatch(pause_id):
        return None
    return QuestionRef(tenant=tenant, pause_id=pause_id)


def numbered(action: Action, number: int) -> str:
    """The ``action_id`` of one of several buttons."""
    return f"{action}:{number}"


def pressed(action_id: str, carried: str | None) -> Pressed | None:
    """The button that was pressed; None if it is not one of ours, or carries nothing that can be read."""
    question = question_in(carried)
    if question is None:
        return None
    if (found := _NUMBERED.fullmatch(action_id)) is not None:
        return Pressed(action=Action(found[1]), question=question, number=int(found[2]))
    if action_id in (Action.CHOICE, Action.PAGE) or action_id not in list(Action):
        return None
    return Pressed(action=Action(action_id), question=question)


def delivery_key(kind: PostKind, *, channel: str, pause_id: str) -> str:
    """The key of one message about a question: the same for every attempt at posting it.

    Args:
        channel: the channel's name in the app.
    """
    return _key(kind, channel, pause_id)


def session_key(*, channel: str, session_id: str) -> str:
    """The key of the message whose thread a session's questions are asked in."""
    return _key("session", channel, session_id)


def question_metadata(key: str) -> JsonValue:
    """https://docs.slack.dev/messaging/message-metadata"""
    return {"event_type": _QUESTION_EVENT, "event_payload": {"key": key}}


def session_metadata(key: str) -> JsonValue:
    return {"event_type": _SESSION_EVENT, "event_payload": {"key": key}}


def key_in(metadata: object) -> str | None:
    """The key in the metadata of a message read back from Slack; None if it is not one of ours."""
    match metadata:
        case {"event_type": str() as kind, "event_payload": {"key": str() as key}} if kind in (
            _QUESTION_EVENT,
            _SESSION_EVENT,
        ):
            return key
        case _:
            return None


def _key(*fields: str) -> str:
    parts = (b"overwinter slack", *(field.encode("utf-8", "surrogatepass") for field in fields))
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hashlib.sha256(message).hexdigest()[:32]
