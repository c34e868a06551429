"""One app in one workspace: what all channels of an Overwinter app that lead there share.

It asks Slack who it is when it is first needed, and again until it is told. Everything else is made of that.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import structlog

from ...actors.clock import Clock
from ...actors.errors import ChannelHeldUpError, ChannelRejectedError, ChannelUnreachableError
from ...actors.hook_notices import EndNotice, RestNotice
from ...actors.hooks import Hooks
from ...actors.notes import Note
from ...actors.ports import Channel
from ...actors.reception import DeclaredChannel, Reception
from .answers import Answers
from .asking import STRAY, TIDY, SlackQuestions
from .authority import Authority
from .catching_up import CatchingUp
from .client import SlackClient
from .conversing import Conversing
from .declared import SlackChannel
from .directory import Directory
from .heard import HEARD
from .intake import Intake
from .listening import SocketListener
from .objects import Identity
from .places import CHANGED, ref_in
from .pressing import Pressing
from .receiving import HttpAddress, HttpReceiver, bolt_app
from .replying import Replying
from .telling import SAID, WHISPER, Teller
from .threads import Threads
from .unheard import Unheard

_log = structlog.get_logger("overwinter.slack")

HOOK_TIMEOUT_S = 10.0
CATCH_UP_EVERY_MS = 240_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketMode:
    """Events come over a WebSocket that we open.

    Attributes:
        app_token: ``xapp-…``, with the scope ``connections:write``.
        ping_interval_s: how often it is looked whether the connection lives.
    """

    app_token: str
    ping_interval_s: float = 10.0


Way = SocketMode | HttpAddress
"""How events come in."""


READ_WITHIN_S = 25.0
CHANGES_KEPT_MS = 30 * 86_400_000
"""Far longer than Slack tells a message again, or than its words are kept to be dealt with while Slack refuses us."""
_SWEEP_EVERY_MS = 3_600_000
_SWEEP = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is made of who we are."""

    identity: Identity
    authority: Authority
    answers: Answers
    conversing: Conversing
    replying: Replying
    intake: Intake


class SlackConnection:
    """A Slack app at work.

    Args:
        client: with the bot's token.
        way: how events come in; None where another process takes them.
        agent: the bot that a mention or a direct message begins to talk with; None if there is none.
        tenant: the one whose sessions these are.
        name: what ``SlackChannel.via`` names.
        read_within_s: a reply that takes longer to be read is asked for again; less than a channel's call may take.
    """

    def __init__(
        self,
        *,
        client: SlackClient,
        way: Way | None,
        clock: Clock,
        agent: str | None = None,
        tenant: str = "default",
        name: str = "slack",
        read_within_s: float = READ_WITHIN_S,
    ) -> None:
        self.name = name
        self.client = client
        self._way = way
        self._clock = clock
        self._agent = agent
        self._read_within_s = read_within_s
        self._tenant = tenant
        self._channels: dict[str, SlackQuestions] = {}
        self._reception: Reception | None = None
        self._directory = Directory(client=client, clock=clock)
        self._known: _Known | None = None
        self._knowing = asyncio.Lock()
        self.receiver: HttpReceiver | None = None
        """What listens at the request URL, while it does."""

    # -- the runtime's side --------------------------------------------------------------------------------------------
    @property
    def hooks(self) -> Hooks | None:
        """Whoever talks with a bot in a thread is told there what it says."""
        if self._agent is None:
            return None
        return Hooks(
            on_pause=None,
            on_resume=None,
            on_end=self._follow,
            on_rest=self._follow,
            timeout_s=HOOK_TIMEOUT_S,
        )

    def open(self, reception: Reception) -> None:
        self._reception = reception
        self._threads = Threads(name=self.name, client=self.client, directory=self._directory, reception=reception)
        self._teller = Teller(name=self.name, client=self.client, notes=reception.notes)

    def channel_for(self, declared: DeclaredChannel) -> Channel:
        """Raises ``ValueError`` for what is no ``SlackChannel``, or cannot work."""
        if not isinstance(declared, SlackChannel):
            raise ValueError(f"the connection {self.name} leads to Slack; declare the channel as SlackChannel(...)")
        if faults := list(declared.faults()):
            raise ValueError("; ".join(faults))
        return self._channels.setdefault(
            declared.name,
            SlackQuestions(
                connection=self.name,
                declared=declared,
                client=self.client,
                threads=lambda: self._threads,
                authority=self._authority,
                reception=lambda: self._received,
            ),
        )

    async def tell(self, note: Note) -> None:
        if note.kind == HEARD:
            await self._deal_with(note)
        elif note.kind in (WHISPER, SAID):
            await self._teller.tell(note)
        elif note.kind in (TIDY, STRAY):
            await self._tidy(note)
        else:
            raise ChannelRejectedError(f"a note of kind {note.kind} was written by another version")

    async def run(self) -> None:
        """Take in what people do, until it is cancelled."""
        if (way := self._way) is None:
            await asyncio.Event().wait()
            return
        known = await self._known_as()
        _log.info("slack.connected", team=known.identity.team, bot=known.identity.bot)
        catching_up = CatchingUp(
            name=self.name,
            client=self.client,
            team_id=known.identity.team_id,
            channels=lambda: {name: channel.declared for name, channel in self._channels.items()},
            take=known.intake.take,
            unheard=Unheard(
                client=self.client,
                team_id=known.identity.team_id,
                us=known.identity.us,
                take=known.intake.take,
                clock=self._clock,
            ),
            reception=self._received,
        )
        app = bolt_app(client=self.client, identity=known.identity, take=known.intake.take)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(catching_up.run(), name="slack catching up")
                group.create_task(self._forget(), name="slack forgetting")
                match way:
                    case SocketMode(app_token=app_token, ping_interval_s=ping_interval_s):
                        listener = SocketListener(
                            app=app,
                            client=self.client,
                            app_token=app_token,
                            clock=self._clock,
                            connected=catching_up.want,
                            ping_interval_s=ping_interval_s,
                        )
                        group.create_task(listener.run(), name="slack listening")
                    case HttpAddress() as address:
                        group.create_task(
                            self._listen(HttpReceiver(app=app, address=address, clock=self._clock), catching_up)
                        )
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from group

    async def aclose(self) -> None:
        """Close the connections to Slack's Web API; nothing is sent after this."""
        await self.client.aclose()

    async def _listen(self, receiver: HttpReceiver, catching_up: CatchingUp) -> None:
        await receiver.open()
        self.receiver = receiver
        try:
            while True:
                catching_up.want()
                await self._clock.sleep_until_ms(self._clock.now_ms() + CATCH_UP_EVERY_MS)
        finally:
            self.receiver = None
            await receiver.close()

    async def _forget(self) -> None:
        """Forget that people's messages were changed, once nobody can come any more with the words from before."""
        anchors = self._received.anchors
        while True:
            before_ms = self._clock.now_ms() - CHANGES_KEPT_MS
            while await anchors.sweep(self.name, prefix=CHANGED, before_ms=before_ms, limit=_SWEEP) == _SWEEP:
                pass
            await self._clock.sleep_until_ms(self._clock.now_ms() + _SWEEP_EVERY_MS)

    # -- inside --------------------------------------------------------------------------------------------------------
    @property
    def _received(self) -> Reception:
        if self._reception is None:
            raise RuntimeError("the connection is not open; give it to a runtime")
        return self._reception

    async def _known_as(self) -> _Known:
        """Raises as a call of Slack does."""
        async with self._knowing:
            if self._known is None:
                self._known = self._made(await self.client.identify())
            return self._known

    async def _authority(self) -> Authority:
        return (await self._known_as()).authority

    def _made(self, identity: Identity) -> _Known:
        reception = self._received
        authority = Authority(
            directory=self._directory,
            team_id=identity.team_id,
            enterprise_id=identity.enterprise_id,
            person_of=reception.person_of,
        )
        answers = Answers(
            name=self.name,
            channels=lambda: {name: channel.declared for name, channel in self._channels.items()},
            authority=authority,
            threads=self._threads,
            reception=reception,
            read_within_s=self._read_within_s,
        )
        conversing = Conversing(
            name=self.name,
            agent=self._agent,
            tenant=self._tenant,
            authority=authority,
            threads=self._threads,
            teller=self._teller,
            reception=reception,
        )
        pressing = Pressing(
            name=self.name,
            client=self.client,
            authority=authority,
            answers=answers,
            teller=self._teller,
            reception=reception,
        )
        replying = Replying(
            name=self.name, authority=authority, answers=answers, teller=self._teller, reception=reception
        )
        intake = Intake(
            name=self.name,
            us=identity.us,
            tenant=self._tenant,
            pressing=pressing,
            conversing=conversing,
            answers=answers,
            reception=reception,
        )
        return _Known(
            identity=identity,
            authority=authority,
            answers=answers,
            conversing=conversing,
            replying=replying,
            intake=intake,
        )

    async def _follow(self, notice: RestNotice | EndNotice) -> None:
        if await self._threads.chat_of(notice.session_id) is not None:
            await (await self._known_as()).conversing.follow(notice)

    async def _deal_with(self, note: Note) -> None:
        """What somebody has written is dealt with in the end, whatever keeps us from it: Slack does not tell it again.

        Raises:
            ChannelHeldUpError: (channel.held-up)
        """
        try:
            await (await self._known_as()).replying.deal_with(note)
        except ChannelUnreachableError as error:
            raise ChannelHeldUpError(str(error), retry_after_s=error.retry_after_s) from error
        except ChannelRejectedError as error:
            _log.error("slack.words-held-up", session_id=note.session_id, code=error.code, error=str(error))
            raise ChannelHeldUpError(str(error)) from error

    async def _tidy(self, note: Note) -> None:
        body: dict[str, Any] = note.body
        channel = self._channels.get(body["channel"])
        asked = await self._received.questions.find(tenant=body["tenant"], pause_id=body["pause_id"])
        if channel is None or asked is None:
            return
        ref = ref_in(body.get("ref"))
        if note.kind == STRAY and ref is not None:
            await channel.close_stray(asked, ref)
        elif note.kind == TIDY:
            await channel.tidy(asked)
