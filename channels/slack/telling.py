"""What is said in Slack without being a question: written down first, told as often as it takes, and seen once.

A note that may have been told before is looked for in its thread, by the key in its metadata, before it is told again. What one
person alone sees can be looked for nowhere, so it may come twice after a crash.
"""

from __future__ import annotations

import hashlib
from typing import Any, cast

import structlog

from ...actors.asks import JsonValue
from ...actors.errors import ChannelRejectedError
from ...actors.notes import Note, Notes
from ...store.values import value
from .carried import PostKind, delivery_key, key_in, question_metadata
from .client import SlackClient
from .elements import Block
from .heard import is_after
from .messages import Message
from .notes import REMINDER
from .objects import Refused
from .payloads import Payload
from .places import Spot
from .questions import PROMPT
from .refusals import GONE

_log = structlog.get_logger("overwinter.slack")

WHISPER = "whisper"
"""For one person's eyes."""
SAID = "said"
"""In a thread, for all."""

_COUNTED_MS = 366 * 24 * 3_600_000

_LEFT = frozenset(("user_not_in_channel", "channel_not_found", "not_in_channel", "is_archived", "user_not_found"))
"""Whoever was to be told is not there any more."""


@value
class Cause:
    """What is said about: makes the note's id, and says whose it is.

    Attributes:
        name: the same for the same cause, so that it is told once.
    """

    name: str
    tenant: str
    session_id: str | None
    pause_id: str | None = None


class Teller:
    """Writes and tells the notes of one connection."""

    def __init__(self, *, name: str, client: SlackClient, notes: Notes) -> None:
        self._name = name
        self._client = client
        self._notes = notes

    async def whisper(self, cause: Cause, spot: Spot, user_id: str, message: Message) -> None:
        """Tell somebody alone; the same words for the same cause once."""
        await self._write(cause, WHISPER, spot, message, user_id=user_id)

    async def say(
        self,
        cause: Cause,
        spot: Spot,
        message: Message,
        *,
        lane: str | None = None,
        position: int = 0,
        counted_as: str | None = None,
    ) -> None:
        """Tell a thread, once for its cause.

        Args:
            lane: what is said in one lane comes in the order of ``position``.
            counted_as: under which ``times_said`` counts it.
        """
        await self._write(cause, SAID, spot, message, lane=lane, position=position, counted_as=counted_as)

    async def times_said(self, counted_as: str) -> int:
        """How often something of that kind was said, as long as it is kept."""
        return await self._notes.count_to(self._name, counted_as, within_ms=_COUNTED_MS)

    async def others_spoke(self, spot: Spot, *, after_ts: str, before_ts: str, but: frozenset[str]) -> bool:
        """Whether somebody has said something in a thread between two messages, an app or we ourselves included.

        What only asks or reminds says nothing. Where Slack will not show the thread, somebody may have.

        Args:
            but: the users whose words do not matter.

        Raises:
            ChannelUnreachableError: (channel.unreachable)
        """
        try:
            replies = await self._client.replies(spot.channel_id, spot.thread_ts, after_ts=after_ts, expecting=GONE)
        except ChannelRejectedError as error:
            _log.warning("slack.thread-unreadable", code=error.code, error=str(error))
            return True
        if isinstance(replies, Refused):
            return True
        return any(
            each.id("user") not in but and not _only_asks(each)
            for each in replies
            if (ts := each.ts("ts")) is not None and is_after(ts, after_ts) and is_after(before_ts, ts)
        )

    async def tell(self, note: Note) -> None:
        """Tell a note of these kinds; raises as ``Channel.send`` does."""
        body: dict[str, Any] = note.body
        spot = Spot(channel_id=body["channel_id"], thread_ts=body["thread_ts"])
        message = _message_in(body["message"])
        if note.kind == WHISPER:
            thread_ts = spot.thread_ts or None
            await self._client.whisper(
                spot.channel_id, body["user_id"], message, thread_ts=thread_ts, expecting=_LEFT | GONE
            )
            return
        key = delivery_key(PostKind.NOTE, channel=self._name, pause_id=note.note_id)
        if note.is_again:
            replies = await self._client.replies(spot.channel_id, spot.thread_ts, expecting=GONE)
            if isinstance(replies, Refused) or any(key_in(each.value("metadata")) == key for each in replies):
                return
        keyed = Message(text=message.text, blocks=message.blocks, metadata=question_metadata(key))
        await self._client.post(spot.channel_id, keyed, thread_ts=spot.thread_ts, expecting=GONE)

    async def _write(
        self,
        cause: Cause,
        kind: str,
        spot: Spot,
        message: Message,
        *,
        user_id: str | None = None,
        lane: str | None = None,
        position: int = 0,
        counted_as: str | None = None,
    ) -> None:
        body: JsonValue = {
            "channel_id": spot.channel_id,
            "thread_ts": spot.thread_ts,
            "message": {"text": message.text, "blocks": list(message.blocks)},
        }
        if user_id is not None:
            body["user_id"] = user_id
        parts = (kind, spot.channel_id, cause.name, message.text if kind == WHISPER else "")
        named = hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        note = Note(
            note_id=f"{self._name}:{kind}:{named[:32]}",
            channel=self._name,
            kind=kind,
            body=body,
            addressee=counted_as,
            lane=lane,
            position=position,
            tenant=cause.tenant,
            session_id=cause.session_id,
            pause_id=cause.pause_id,
        )
        await self._notes.write(note)


def _only_asks(reply: Payload) -> bool:
    is_ours = key_in(reply.value("metadata")) is not None
    return is_ours and any(block.text("block_id") in (PROMPT, REMINDER) for block in reply.parts("blocks"))


def _message_in(found: JsonValue) -> Message:
    body = cast("dict[str, Any]", found)
    return Message(text=body["text"], blocks=tuple(cast("list[Block]", body["blocks"])))
