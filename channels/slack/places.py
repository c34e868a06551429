"""Where in Slack a session's questions stand, as it is kept: anchors and what is in them.

    anchor                        bound to      body
    ----------------------------- ------------- -----------------------------------------------------------------
    root:CHANNEL:SESSION          the session   the session's thread in a channel of the app; or who is making it, since when
    thread:C…:TS                  the session   whose chat it is, if it began there; what has been read and said in it
    asked:CHANNEL:PAUSE           the question  the thread in which it was first tried to be asked
    message:C…:TS                 the question  a message that asks it: of which channel of the app, in which thread
    voter:PAUSE:USER              the question  the name under which somebody's vote counts
    changed:C…:TS                 the session   the last change of a person's message: no words from before it count
    caught-up                     nothing       until when all that was missed has been looked for; UTC epoch milliseconds

``CHANNEL`` is the declared channel's name, and every row is kept under the connection's.
"""

from __future__ import annotations

from typing import Any

from ...actors.asks import JsonValue
from ...actors.jsontext import from_json, to_json
from ...store.rows import AnchorRow
from ...store.values import value

_VOTER = "voter:"
CHANGED = "changed:"
CAUGHT_UP = "caught-up"
"""The anchor of a connection itself."""


@value
class Spot:
    """A thread, by its channel and its first message."""

    channel_id: str
    thread_ts: str


@value
class Ref:
    """Where a question's message stands; what a delivery keeps of it is ``as_text``."""

    channel_id: str
    ts: str
    thread_ts: str

    @property
    def as_text(self) -> str:
        return f"{self.channel_id}:{self.ts}:{self.thread_ts}"

    @property
    def spot(self) -> Spot:
        return Spot(channel_id=self.channel_id, thread_ts=self.thread_ts)


def ref_in(text: str | None) -> Ref | None:
    """The place that ``Ref.as_text`` wrote down; None for whatever else stands there."""
    parts = (text or "").split(":")
    return Ref(channel_id=parts[0], ts=parts[1], thread_ts=parts[2]) if len(parts) == 3 and all(parts) else None


@value
class Claim:
    """Somebody makes the session's thread.

    Attributes:
        by: their mark.
        at_ms: since when; 0 if they have given up.
        first_ms: when it was tried first: what may have come of it is not older.
    """

    by: str
    at_ms: int
    first_ms: int


@value
class Chat:
    """What a thread is to its session.

    Attributes:
        owner_id: the Slack user whose chat it is; None for a thread in which questions are asked and nothing else.
        read_ts: the newest message in it that has been heard; empty for none.
        said_seq: the last event of the ledger whose words stand in it.
    """

    owner_id: str | None = None
    read_ts: str = ""
    said_seq: int = -1


def root_anchor(channel: str, session_id: str) -> str:
    return f"root:{channel}:{session_id}"


def thread_anchor(spot: Spot) -> str:
    return f"thread:{spot.channel_id}:{spot.thread_ts}"


def asked_anchor(channel: str, pause_id: str) -> str:
    return f"asked:{channel}:{pause_id}"


def message_anchor(channel_id: str, ts: str) -> str:
    return f"message:{channel_id}:{ts}"


def voter_anchor(pause_id: str, user_id: str) -> str:
    return f"{_VOTER}{pause_id}:{user_id}"


def voter_in(row: AnchorRow) -> str | None:
    """The user whose vote an anchor keeps; None if it is of another kind."""
    return row.anchor.rpartition(":")[2] if row.anchor.startswith(_VOTER) else None


def changed_anchor(original_id: str) -> str:
    """
    Args:
        original_id: of the message: its channel and its ts.
    """
    return f"{CHANGED}{original_id}"


def changed_body(external_id: str) -> str:
    return to_json(external_id)


def change_in(row: AnchorRow) -> str:
    """The name of the event that told of the last change."""
    return from_json(row.body_json)


def caught_up_body(at_ms: int) -> str:
    return to_json(at_ms)


def caught_up_ms(row: AnchorRow) -> int:
    return from_json(row.body_json)


def root_body(found: Claim | Spot) -> str:
    match found:
        case Claim(by=by, at_ms=at_ms, first_ms=first_ms):
            return to_json({"by": by, "at_ms": at_ms, "first_ms": first_ms})
        case Spot():
            return spot_body(found)


def root_in(row: AnchorRow) -> Claim | Spot:
    body: Any = from_json(row.body_json)
    if "by" in body:
        return Claim(by=body["by"], at_ms=body["at_ms"], first_ms=body["first_ms"])
    return spot_in(row)


def spot_body(spot: Spot, **more: JsonValue) -> str:
    return to_json({"channel_id": spot.channel_id, "thread_ts": spot.thread_ts, **more})


def spot_in(row: AnchorRow) -> Spot:
    body: Any = from_json(row.body_json)
    return Spot(channel_id=body["channel_id"], thread_ts=body["thread_ts"])


def chat_body(chat: Chat) -> str:
    return to_json({"owner_id": chat.owner_id, "read_ts": chat.read_ts, "said_seq": chat.said_seq})


def chat_in(row: AnchorRow) -> Chat:
    body: Any = from_json(row.body_json)
    return Chat(owner_id=body["owner_id"], read_ts=body["read_ts"], said_seq=body["said_seq"])


def spot_of_thread(row: AnchorRow) -> Spot:
    """The thread that a ``thread:`` anchor names."""
    _, channel_id, thread_ts = row.anchor.split(":")
    return Spot(channel_id=channel_id, thread_ts=thread_ts)


def ref_of_message(row: AnchorRow) -> Ref:
    """The message that a ``message:`` anchor names."""
    _, channel_id, ts = row.anchor.split(":")
    return Ref(channel_id=channel_id, ts=ts, thread_ts=from_json(row.body_json)["thread_ts"])


def channel_of_message(row: AnchorRow) -> str | None:
    """The name of the app's channel that a question was put through; None if the anchor is of something else."""
    return from_json(row.body_json)["channel"] if row.anchor.startswith("message:") else None


def tenant_of_message(row: AnchorRow) -> str | None:
    """Whose question it is; None if the anchor is of something else."""
    return from_json(row.body_json)["tenant"] if row.anchor.startswith("message:") else None


def message_body(*, channel: str, thread_ts: str, tenant: str) -> str:
    return to_json({"channel": channel, "thread_ts": thread_ts, "tenant": tenant})
