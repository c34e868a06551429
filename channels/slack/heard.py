"""What was written in a thread, as it is kept from its acknowledgement until it is understood."""

from __future__ import annotations

from typing import Any, Literal

from ...actors.asks import JsonValue
from ...actors.notes import Note
from ...store.values import value
from .events import Author, Deleted, Edited, ThreadReply
from .places import Spot

HEARD = "heard"
"""The kind of a note to ourselves: it is told by being dealt with."""


@value
class Heard:
    """A person's words in a thread of ours.

    Attributes:
        what: they wrote them, changed what they had written to them, or took back a message.
        external_id: of this event; what it changes has ``original_id``.
        at_ts: when the message was written first.
    """

    what: Literal["wrote", "edited", "deleted"]
    external_id: str
    original_id: str
    author: Author
    team_id: str | None
    spot: Spot
    at_ts: str
    text: str
    raw_text: str


def heard_of(event: ThreadReply | Edited | Deleted, spot: Spot, author: Author) -> Heard:
    match event:
        case ThreadReply():
            what = "wrote"
        case Edited():
            what = "edited"
        case Deleted():
            what = "deleted"
    is_gone = isinstance(event, Deleted)
    return Heard(
        what=what,
        external_id=event.external_id,
        original_id=f"{event.channel_id}:{event.ts}",
        author=author,
        team_id=event.team_id,
        spot=spot,
        at_ts=event.ts,
        text="" if is_gone else event.text,
        raw_text="" if is_gone else event.raw_text,
    )


def note_of_heard(heard: Heard, *, name: str, tenant: str, session_id: str | None) -> Note:
    """The note that keeps it. What happens to one message is dealt with in the order in which it happened."""
    body: JsonValue = {
        "what": heard.what,
        "external_id": heard.external_id,
        "original_id": heard.original_id,
        "user_id": heard.author.user_id,
        "user_team_id": heard.author.team_id,
        "team_id": heard.team_id,
        "channel_id": heard.spot.channel_id,
        "thread_ts": heard.spot.thread_ts,
        "at_ts": heard.at_ts,
        "text": heard.text,
        "raw_text": heard.raw_text,
    }
    return Note(
        note_id=f"{name}:{HEARD}:{heard.external_id}",
        channel=name,
        kind=HEARD,
        body=body,
        lane=f"{HEARD}:{heard.original_id}",
        position=_position(heard),
        tenant=tenant,
        session_id=session_id,
    )


def heard_in(note: Note) -> Heard:
    body: dict[str, Any] = note.body
    return Heard(
        what=body["what"],
        external_id=body["external_id"],
        original_id=body["original_id"],
        author=Author(user_id=body["user_id"], team_id=body["user_team_id"]),
        team_id=body["team_id"],
        spot=Spot(channel_id=body["channel_id"], thread_ts=body["thread_ts"]),
        at_ts=body["at_ts"],
        text=body["text"],
        raw_text=body["raw_text"],
    )


def at_ms(ts: str) -> int:
    """When a message was written: UTC epoch milliseconds, by Slack's clock."""
    seconds, _, fraction = ts.partition(".")
    return int(seconds) * 1000 + int(fraction[:3].ljust(3, "0"))


def is_after(ts: str, other: str) -> bool:
    """Whether a message was written after another one."""
    return micros_of(ts) > micros_of(other)


def before(ts: str, *, seconds: int = 0, micros: int = 0) -> str:
    """The time so much before a message, in Slack's form."""
    at = max(0, micros_of(ts) - seconds * 1_000_000 - micros)
    return f"{at // 1_000_000}.{at % 1_000_000:06d}"


def is_later_change(external_id: str, other: str) -> bool:
    """Whether one change of a message came after another one of it; nothing comes after its deletion."""
    if other.endswith(":deleted"):
        return False
    return external_id.endswith(":deleted") or is_after(external_id.rpartition(":")[2], other.rpartition(":")[2])


def micros_of(ts: str) -> int:
    """When a message was written: UTC epoch microseconds, by Slack's clock."""
    seconds, _, fraction = ts.partition(".")
    return int(seconds) * 1_000_000 + int(fraction[:6].ljust(6, "0"))


def _position(heard: Heard) -> int:
    match heard.what:
        case "wrote":
            return 0
        case "edited":
            return micros_of(heard.external_id.rpartition(":")[2]) // 1_000_000
        case "deleted":
            return 2**31 - 1
