"""Checks of a Slack app: its tokens, what it is allowed, where it is, whom it finds, and whether it can post and hear."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar, assert_never

from ..actors.asks import JsonValue
from ..actors.clock import Clock
from ..actors.errors import ChannelRejectedError, ChannelUnreachableError
from ..bots.app import App
from ..channels.slack.client import SlackClient
from ..channels.slack.declared import Answerers, OfAddress, OfChannel, OfGroup, OneUser, SlackChannel, read_answerer
from ..channels.slack.directory import Directory
from ..channels.slack.elements import line, rich, words
from ..channels.slack.listening import SocketListener
from ..channels.slack.messages import message
from ..channels.slack.objects import Identity, Refused
from ..channels.slack.payloads import Payload
from ..channels.slack.receiving import bolt_app
from .doctor import Check, Finding, failed, ok, skipped, unseen
from .slack_needs import APP_SCOPE, BOT_EVENTS, BOT_SCOPES
from .slack_settings import SlackConfig

T = TypeVar("T")

HEAR_WITHIN_MS = 15_000
LONGEST_TURN_S = 5.0
MOST_TURNS = 3

_APP_ID_IN_TOKEN = re.compile(r"xapp-\d+-(A[A-Z0-9]+)-")
_NOT_OURS = frozenset(("message_not_found", "cant_delete_message"))

_PAGE = "https://api.slack.com/apps, the app"
_INSTALL = f"{_PAGE}, Install App: install it, and set slack.bot_token to the Bot User OAuth Token"


class Patient:
    """The Slack app that is looked at, and what is known of it so far."""

    def __init__(self, config: SlackConfig, *, client: SlackClient, clock: Clock) -> None:
        self.config = config
        self.client = client
        self.clock = clock
        self.directory = Directory(client=client, clock=clock)
        self.scopes: frozenset[str] | None = None
        """None while the bot token has not been found to be good; empty where Slack does not say."""

    def lacks(self, *scopes: str) -> Finding | None:
        """Why a check that needs these cannot be made; None if it can."""
        if self.scopes is None:
            return skipped("waits for the bot token")
        if self.scopes and (missing := [scope for scope in scopes if scope not in self.scopes]):
            return skipped(f"waits for the scope {', '.join(missing)}")
        return None


def slack_checks(
    patient: Patient, app: App | None, *, posts: bool, hear_within_ms: int = HEAR_WITHIN_MS
) -> list[Check]:
    """All of them, in the order in which they are to be made.

    Args:
        posts: whether somebody has agreed to a message that is posted in each channel and deleted again.
        hear_within_ms: how long to wait for such a message to be heard.
    """
    channels = [] if app is None else declared_in(app)
    checks: list[Check] = [BotTokenCheck(patient), ScopesCheck(patient)]
    checks.append(AppTokenCheck(patient) if patient.config.way == "socket" else SigningSecretCheck(patient))
    for channel in channels:
        checks += [MembershipCheck(patient, channel), AnswerersCheck(patient, channel)]
        if posts:
            checks.append(PostingCheck(patient, channel.place))
    place = channels[0].place if posts and channels else None
    checks.append(EventsCheck(patient, place, within_ms=hear_within_ms))
    return checks


def declared_in(app: App) -> list[SlackChannel]:
    """The places in Slack where an app asks, each once."""
    return list({each.name: each for each in app.asked_channels() if isinstance(each, SlackChannel)}.values())


class BotTokenCheck:
    name = "slack: bot token"

    def __init__(self, patient: Patient) -> None:
        self._patient = patient

    async def run(self) -> Finding:
        client = self._patient.client
        try:
            said = await client.call("auth.test")
            self._patient.scopes = await client.scopes()
        except ChannelRejectedError as error:
            return failed(str(error), _INSTALL)
        team = "" if isinstance(said, Refused) else said.text("team")
        user = "" if isinstance(said, Refused) else said.text("user")
        return ok(f"it is {user}'s, in the workspace {team}")


class ScopesCheck:
    name = "slack: scopes"

    def __init__(self, patient: Patient) -> None:
        self._patient = patient

    async def run(self) -> Finding:
        if (held := self._patient.scopes) is None:
            return skipped("waits for the bot token")
        if not held:
            return unseen(
                "Slack does not say what the token may do", f"see {_PAGE}, OAuth & Permissions: {', '.join(BOT_SCOPES)}"
            )
        if not (missing := [scope for scope in BOT_SCOPES if scope not in held]):
            return ok(f"all {len(BOT_SCOPES)} are there")
        told = "; ".join(f"{scope} ({BOT_SCOPES[scope]})" for scope in missing)
        return failed(
            f"missing: {told}",
            f"{_PAGE}, OAuth & Permissions, Bot Token Scopes: add {', '.join(missing)}; then press reinstall at the top",
        )


class AppTokenCheck:
    name = "slack: app token"

    def __init__(self, patient: Patient) -> None:
        self._patient = patient

    async def run(self) -> Finding:
        make = f"{_PAGE}, Basic Information, App-Level Tokens: make one with {APP_SCOPE}, and set slack.app_token to it"
        if self._patient.config.app_token is None:
            return failed("there is none", make)
        token = self._patient.config.app_token.get_secret_value()
        try:
            await self._patient.client.call("apps.connections.open", token=token)
        except ChannelRejectedError as error:
            return failed(str(error), f"{make}; Socket Mode has to be on ({_PAGE}, Socket Mode)")
        named = _APP_ID_IN_TOKEN.match(token)
        if named is not None and self._patient.lacks("users:read") is None:
            app_id = (await self._patient.client.identify()).us.app_id
            if app_id and named[1] != app_id:
                return failed(f"it is of the app {named[1]}, and the bot token is of {app_id}", make)
        return ok("Socket Mode can connect")


class SigningSecretCheck:
    name = "slack: signing secret"

    def __init__(self, patient: Patient) -> None:
        self._patient = patient

    async def run(self) -> Finding:
        config = self._patient.config
        return unseen(
            "that it is the app's shows when Slack sends its first request",
            f"{_PAGE}, Event Subscriptions: with the service running, set the request URL to https://YOUR-HOST{config.path} and "
            "see that Slack says Verified; set the same under Interactivity & Shortcuts",
        )


class MembershipCheck:
    def __init__(self, patient: Patient, channel: SlackChannel) -> None:
        self.name = f"slack: {channel.place}"
        self._patient = patient
        self._channel = channel

    async def run(self) -> Finding:
        if (waits := self._patient.lacks("channels:read", "groups:read")) is not None:
            return waits
        place = self._channel.place
        invite = f"open {place} in Slack and send: /invite @Overwinter (the app's name, if it has another one)"
        channel_id = await self._patient.directory.channel_id(place)
        found = None if channel_id is None else await self._patient.client.conversation(channel_id)
        if found is None:
            return failed(f"the app is in no channel {place}", f"{invite}; or correct its name in the app")
        if found.is_archived:
            return failed(f"{place} is archived", "unarchive it, or name another channel in the app")
        if not found.is_member:
            return failed(f"the app is not in {place}, and could not read the answers there", invite)
        return ok(f"the app is in {place}")


class AnswerersCheck:
    def __init__(self, patient: Patient, channel: SlackChannel) -> None:
        self.name = f"slack: answerers of {channel.place}"
        self._patient = patient
        self._channel = channel

    async def run(self) -> Finding:
        waits = self._patient.lacks("usergroups:read", "users:read", "users:read.email", "channels:read", "groups:read")
        if waits is not None:
            return waits
        nobody = [
            each
            for each in self._channel.answerers
            if (who := read_answerer(each)) is not None
            and not await in_turn(partial(self._is_somebody, who), clock=self._patient.clock)
        ]
        if nobody:
            return failed(
                f"nobody is found for {', '.join(nobody)}, whose answers would be refused",
                "correct answerers in the app, or the user group, the channel or the profile in Slack",
            )
        return ok(f"all are found: {', '.join(self._channel.answerers)}")

    async def _is_somebody(self, who: Answerers) -> bool:
        directory = self._patient.directory
        match who:
            case OneUser(user_id=user_id):
                user = await directory.user(user_id)
                return user is not None and not user.is_gone
            case OfAddress(address=address):
                user = await directory.user_of_address(address)
                return user is not None and not user.is_gone
            case OfGroup(group=group, is_handle=is_handle):
                return bool(await directory.members_of_group(group, is_handle=is_handle))
            case OfChannel(channel=channel):
                return bool(await directory.members_of_channel(channel))
            case _:
                assert_never(who)


class PostingCheck:
    """Posts a message and deletes it."""

    def __init__(self, patient: Patient, place: str) -> None:
        self.name = f"slack: posting in {place}"
        self._patient = patient
        self._place = place

    async def run(self) -> Finding:
        if (waits := self._patient.lacks("chat:write")) is not None:
            return waits
        try:
            await post_and_delete(self._patient.client, self._place, clock=self._patient.clock)
        except ChannelRejectedError as error:
            return failed(
                str(error), f"invite the app to {self._place}, and see whether the workspace lets apps post there"
            )
        return ok("a message was posted and deleted")


class EventsCheck:
    """Hears a message of its own, if it may post one; else nobody can see from here whether events come."""

    name = "slack: events"

    def __init__(self, patient: Patient, place: str | None, *, within_ms: int) -> None:
        self._patient = patient
        self._place = place
        self._within_ms = within_ms

    async def run(self) -> Finding:
        names = ", ".join(BOT_EVENTS)
        subscribe = f"{_PAGE}, Event Subscriptions, Subscribe to bot events: {names}; then press reinstall at the top"
        config = self._patient.config
        if (waits := self._patient.lacks("chat:write", "users:read")) is not None:
            return waits
        if config.app_token is None:
            return unseen("Slack tells nobody to which events an app is subscribed", f"see that it is: {subscribe}")
        if self._place is None:
            return unseen(
                "Slack tells nobody to which events an app is subscribed; with --post it is heard whether messages come",
                f"see that it is: {subscribe}",
            )
        identity = await self._patient.client.identify()
        if not await self._hears_itself(identity, self._place, config.app_token.get_secret_value()):
            return failed(f"a message in {self._place} was not heard within {self._within_ms / 1000:g} s", subscribe)
        return ok(f"a message in {self._place} was heard; the other events cannot be seen from here")

    async def _hears_itself(self, identity: Identity, place: str, app_token: str) -> bool:
        """Connect, post, and wait for the event; what comes for others is not taken, so that Slack tells it again."""
        connected, heard = asyncio.Event(), asyncio.Event()
        client, clock = self._patient.client, self._patient.clock

        async def take(payload: object) -> JsonValue:
            event = Payload(payload).part("event")
            if event.text("type") == "message" and event.id("bot_id") == identity.us.bot_id:
                heard.set()
                return None
            raise ChannelUnreachableError("this process looks at the connection, and takes nothing")

        app = bolt_app(client=client, identity=identity, take=take)
        listener = SocketListener(app=app, client=client, app_token=app_token, clock=clock, connected=connected.set)
        listening = asyncio.create_task(listener.run(), name="doctor listening")
        try:
            async with asyncio.timeout(self._within_ms / 1000):
                await connected.wait()
                await post_and_delete(client, place, clock=clock)
                await heard.wait()
        except TimeoutError:
            return False
        finally:
            listening.cancel()
            await asyncio.wait({listening})
        return True


async def in_turn(ask: Callable[[], Awaitable[T]], *, clock: Clock) -> T:
    """Ask Slack, waiting for our turn where it has to be waited for: it limits how often it is asked, and how often we post.

    Raises:
        ChannelError: as ``ask``, where waiting does not help.
    """
    for _ in range(MOST_TURNS):
        try:
            return await ask()
        except ChannelUnreachableError as error:
            if error.retry_after_s is None or error.retry_after_s > LONGEST_TURN_S:
                raise
            await clock.sleep_until_ms(clock.now_ms() + int(error.retry_after_s * 1000) + 1)
    return await ask()


async def post_and_delete(client: SlackClient, place: str, *, clock: Clock) -> None:
    """Leave no trace but, for a moment, a message.

    Raises:
        ChannelError: it could not be posted, or not be deleted.
    """
    text = "Overwinter looks whether it can post here; this message goes at once."
    told = message(text, blocks=(rich(line(words(text)), block_id="q:doctor"),))
    posted = await in_turn(lambda: client.post(place, told), clock=clock)
    if isinstance(posted, Refused):
        raise ChannelRejectedError(f"Slack refused chat.postMessage: {posted.error}")
    await client.call("chat.delete", expecting=_NOT_OURS, channel=posted.channel_id, ts=posted.ts)
