"""Talking with a bot in Slack: a mention or a direct message starts a session, its thread is the chat, its author is the owner.

The session's id is made of the message that starts it, and the thread is bound to it before it is started: told again after a
crash, the same message finds both. What the bot says is taken from the ledger, after it was committed, and written down as
notes in the order of its events; how far that has come stands in the thread's anchor.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import structlog

from ...actors.answers import Received
from ...actors.errors import EffectConflictError, SessionUnknownError
from ...actors.hook_notices import EndNotice, RestNotice
from ...actors.reception import Reception
from ...actors.spoken import Spoken
from ...store.rows import AnchorRow
from .authority import Authority, Stranger
from .events import DirectMessage, Mention, ThreadReply
from .heard import at_ms
from .messages import Message
from .notes import ended, failed, refused, spoken_words
from .places import Chat, Spot, chat_body, chat_in, thread_anchor
from .telling import Cause, Teller
from .threads import Threads

_log = structlog.get_logger("overwinter.slack")

_TRIES = 5
_PARTS = 1000
"""More messages than this no single thing that a bot says is cut into."""


class Conversing:
    """Starts sessions, and tells in their threads what their bots say.

    Args:
        agent: the bot that is talked with; None if there is none.
        tenant: the one whose sessions they are.
    """

    def __init__(
        self,
        *,
        name: str,
        agent: str | None,
        tenant: str,
        authority: Authority,
        threads: Threads,
        teller: Teller,
        reception: Reception,
    ) -> None:
        self._name = name
        self._agent = agent
        self._tenant = tenant
        self._authority = authority
        self._threads = threads
        self._teller = teller
        self._reception = reception

    async def begin(self, event: Mention | DirectMessage | ThreadReply) -> None:
        """Start a session in the thread of a message; its first words are the message's.

        Raises:
            ChannelUnreachableError: (channel.unreachable) Slack could not be asked who wrote it.
        """
        thread_ts = event.thread_ts if isinstance(event, ThreadReply) else event.ts
        spot = Spot(channel_id=event.channel_id, thread_ts=thread_ts)
        cause = Cause(name=event.external_id, tenant=self._tenant, session_id=None)
        member = await self._authority.member(event.author, team_id=event.team_id)
        if isinstance(member, Stranger):
            await self._teller.whisper(cause, spot, event.author.user_id, refused(member.why))
            return
        fired = await self._reception.triggers.message(
            tenant=self._tenant,
            channel=self._name,
            place=event.channel_id,
            external_id=event.external_id,
            text=event.text,
            sender=member.name,
        )
        if fired:
            return  # a trigger's: a message is for one
        if self._agent is None:
            nobody = ended("Nobody is set up to talk here. I only ask questions.")
            await self._teller.whisper(cause, spot, event.author.user_id, nobody)
            return
        if not event.text.strip():
            silent = ended("What can I do for you? Mention me together with what you want.")
            await self._teller.whisper(cause, spot, event.author.user_id, silent)
            return
        session_id = session_id_of(event.team_id or "", event.channel_id, event.ts)
        row = AnchorRow(
            channel=self._name,
            anchor=thread_anchor(spot),
            session_id=session_id,
            pause_id=None,
            body_json=chat_body(Chat(owner_id=member.user_id, read_ts=event.ts)),
            created_at_ms=self._reception.clock.now_ms(),
        )
        standing = await self._reception.anchors.bind(row)
        if standing.session_id != session_id:
            _log.info("slack.thread-taken")  # somebody else has begun there in the same moment
            return
        try:
            await self._reception.sessions.start(
                program=self._agent,
                owner=member.name,
                message=event.text,
                tenant=self._tenant,
                session_id=session_id,
                received=Received(channel=self._name, external_id=event.external_id),
            )
        except EffectConflictError:
            _log.debug("slack.started-before")  # the message is told again
        except SessionUnknownError as error:
            _log.error("slack.no-such-agent", error=str(error), remedy="set agent in the table [slack]")
            await self._reception.anchors.release_if(row)
            missing = ended("The bot that talks here is not deployed. Please tell whoever runs it.")
            await self._teller.whisper(cause, spot, event.author.user_id, missing)

    async def follow(self, notice: RestNotice | EndNotice) -> None:
        """A session has come to rest, or ended: write down what it has said since the last time."""
        for _ in range(_TRIES):
            found = await self._chat(notice.session_id)
            if found is None:
                return
            spot, row = found
            chat = chat_in(row)
            words = await self._reception.words.since(notice.session_id, chat.said_seq)
            if not words:
                return
            for each in words:
                await self._say(each, spot, notice)
            if await self._reception.anchors.replace_if(row, chat_body(replace(chat, said_seq=words[-1].seq))):
                return

    async def _chat(self, session_id: str) -> tuple[Spot, AnchorRow] | None:
        found = await self._threads.chat_of(session_id)
        row = None if found is None else await self._reception.anchors.find(self._name, thread_anchor(found[0]))
        return None if found is None or row is None else (found[0], row)

    async def _say(self, spoken: Spoken, spot: Spot, notice: RestNotice | EndNotice) -> None:
        for part, message in enumerate(_messages(spoken)[:_PARTS]):
            cause = Cause(
                name=f"{notice.session_id} {spoken.seq} {part}", tenant=notice.tenant, session_id=notice.session_id
            )
            lane = f"said:{notice.session_id}"
            await self._teller.say(cause, spot, message, lane=lane, position=spoken.seq * _PARTS + part)


def _messages(spoken: Spoken) -> tuple[Message, ...]:
    match spoken.what:
        case "said" | "asked":
            return spoken_words(spoken.text)
        case "failed":
            return (failed(spoken.text),)


def session_id_of(team_id: str, channel_id: str, ts: str) -> str:
    """The id of the session that a message starts; it sorts by time as others do."""
    named = hashlib.sha256("\n".join(("slack", team_id, channel_id, ts)).encode()).hexdigest()
    return f"s{at_ms(ts):011x}{named[:12]}"
