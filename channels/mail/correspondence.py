"""What is known of each mail that asks, under its token, for as long as its question is kept.

A token is bound before its mail is sent. So whatever comes back finds its question, and a mail that is sent again after a
crash, or after the keys were changed, is the same mail under the same token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import cast

from ...actors.asks import Ask, JsonValue
from ...actors.clock import Clock
from ...actors.jsontext import from_json, to_json
from ...actors.reception import Anchors
from ...store.rows import AnchorRow
from .tokens import is_reply_token, message_id, reply_token

QUESTION = 1
"""The number of the mail that asks, among those about a question."""
CLOSING = 2
"""Of the one that says how it ended."""
RELIEF = 3
"""Of the one that says that others are asked now."""
REMINDER = 100
"""Before the first reminder; what answers a person's mail has higher numbers (``replying``)."""

_MOST_TEXTS = 30
_LONGEST_TEXTS = 60_000
"""Characters of what was said in a thread, beside the question itself: beyond them the oldest are forgotten."""


class Standing(StrEnum):
    """What became of the mail that asks."""

    UNSENT = "unsent"
    SENT = "sent"
    REFUSED = "refused"
    """Its server, or a bounce, said that it never arrives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correspondence:
    """One question to one person.

    Attributes:
        token: in the address that its answers go to.
        channel: the name of the declared channel.
        references: Message-IDs of the session's mails to this person before it, the oldest first.
        texts: what was said in the thread so far, as text: the question first.
        told: the numbers of the mails that followed it.
        replies: what else was written to anybody about it: the id of each note, and when it may go out.
    """

    token: str
    tenant: str
    session_id: str
    pause_id: str
    channel: str
    recipient: str
    subject: str
    references: tuple[str, ...]
    texts: tuple[str, ...]
    standing: Standing
    told: frozenset[int]
    created_at_ms: int
    replies: Mapping[str, int] = field(default_factory=dict[str, int])

    def with_text(self, text: str) -> Correspondence:
        """The same, with one more thing said; what is said twice is kept once."""
        if text in self.texts:
            return self
        first, *rest = self.texts
        kept = [*rest, text][-_MOST_TEXTS:]
        while len(kept) > 1 and sum(map(len, kept)) > _LONGEST_TEXTS:
            kept.pop(0)
        return replace(self, texts=(first, *kept))


class Register:
    """The correspondences of one connection.

    Args:
        connection: its name.
        keys: for tokens; the first makes new ones, those after it are still taken.
        domain: of Message-IDs.
    """

    def __init__(self, *, anchors: Anchors, clock: Clock, connection: str, keys: Sequence[bytes], domain: str) -> None:
        self._anchors = anchors
        self._clock = clock
        self._connection = connection
        self._keys = tuple(keys)
        self._domain = domain

    @property
    def domain(self) -> str:
        """Of the Message-IDs."""
        return self._domain

    def message_id(self, token: str, number: int = QUESTION) -> str:
        return message_id(token, number, self._domain)

    async def open(
        self, ask: Ask, *, recipient: str, channel: str, subject: str, text: Callable[[str], str]
    ) -> Correspondence:
        """The correspondence about a question with a person of a channel; a new one if there is none yet.

        Args:
            text: the question's mail as text, by its token.
        """
        for row in await self._anchors.of_pause(self._connection, ask.pause_id):
            known = _read(row)
            if known.recipient == recipient and known.channel == channel:
                return known
        earlier = [
            each
            for each in map(_read, await self._anchors.of_session(self._connection, ask.session_id))
            if each.recipient == recipient and each.standing is not Standing.UNSENT
        ]
        token = reply_token(
            self._keys[0], tenant=ask.tenant, pause_id=ask.pause_id, recipient=_asked(recipient, channel)
        )
        new = Correspondence(
            token=token,
            tenant=ask.tenant,
            session_id=ask.session_id,
            pause_id=ask.pause_id,
            channel=channel,
            recipient=recipient,
            subject=subject,
            references=tuple(self.message_id(each.token) for each in earlier),
            texts=(text(token),),
            standing=Standing.UNSENT,
            told=frozenset(),
            created_at_ms=self._clock.now_ms(),
        )
        return _read(await self._anchors.bind(self._row(new)))

    async def find(self, token: str) -> Correspondence | None:
        """The correspondence of a token; None if there is none, or its key is no longer one of ours."""
        row = await self._anchors.find(self._connection, token)
        if row is None or row.pause_id is None:
            return None
        found = _read(row)
        recipient = _asked(found.recipient, found.channel)
        is_ours = is_reply_token(token, self._keys, tenant=found.tenant, pause_id=found.pause_id, recipient=recipient)
        return found if is_ours else None

    async def of_question(self, pause_id: str, *, channel: str) -> tuple[Correspondence, ...]:
        """Everybody who was asked a question by a channel, in the order in which they were."""
        rows = await self._anchors.of_pause(self._connection, pause_id)
        return tuple(each for each in map(_read, rows) if each.channel == channel)

    async def change(self, token: str, change: Callable[[Correspondence], Correspondence]) -> Correspondence | None:
        """Write down what has changed, over whatever others write meanwhile; None if its question was swept."""
        while (row := await self._anchors.find(self._connection, token)) is not None:
            before = _read(row)
            after = change(before)
            if after == before or await self._anchors.replace_if(row, _body(after)):
                return after
        return None

    def _row(self, new: Correspondence) -> AnchorRow:
        return AnchorRow(
            channel=self._connection,
            anchor=new.token,
            session_id=new.session_id,
            pause_id=new.pause_id,
            body_json=_body(new),
            created_at_ms=new.created_at_ms,
        )


def _asked(recipient: str, channel: str) -> str:
    """Whom a token is for: who is asked once more in another channel answers for that one."""
    return f"{recipient} {channel}"


def _body(each: Correspondence) -> str:
    return to_json(
        {
            "tenant": each.tenant,
            "channel": each.channel,
            "recipient": each.recipient,
            "subject": each.subject,
            "references": list(each.references),
            "texts": list(each.texts),
            "standing": each.standing.value,
            "told": sorted(each.told),
            "replies": dict(each.replies),
        }
    )


def _read(row: AnchorRow) -> Correspondence:
    body = cast("dict[str, JsonValue]", from_json(row.body_json))
    return Correspondence(
        token=row.anchor,
        tenant=body["tenant"],
        session_id=row.session_id or "",
        pause_id=row.pause_id or "",
        channel=body["channel"],
        recipient=body["recipient"],
        subject=body["subject"],
        references=tuple(body["references"]),
        texts=tuple(body["texts"]),
        standing=Standing(body["standing"]),
        told=frozenset(body["told"]),
        created_at_ms=row.created_at_ms,
        replies=body["replies"],
    )
