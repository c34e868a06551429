"""Slack's Web API, as far as we call it: typed, paced, and with Slack's refusals as our two errors.

Each method is one attempt. What may pass raises ``ChannelUnreachableError``, with the time that Slack asks to wait; what will not,
``ChannelRejectedError``, with Slack's word for it, what to mend and a link. A refusal that a caller can do something about is
named in ``expecting`` and comes back as ``Refused``. No token is in any error.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any, cast

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from ...actors.asks import JsonValue
from ...actors.clock import Clock
from ...actors.errors import ChannelRejectedError, ChannelUnreachableError
from ...actors.failures import text_of
from ...store.values import value
from .messages import Message
from .objects import (
    Identity,
    Posted,
    Refused,
    SlackConversation,
    SlackGroup,
    SlackUser,
    conversation_of,
    group_of,
    identity_of,
    posted_of,
    scopes_in,
    user_of,
)
from .pacing import Pacer
from .payloads import Payload
from .redacting import Redactor, quiet_logger
from .refusals import refusal, status_refusal

_TAKE_JSON = frozenset(("chat.postMessage", "chat.update", "chat.postEphemeral", "views.open", "views.update"))
_PAGE = 200
_MOST_PAGES = 50
_NOBODY: frozenset[str] = frozenset()


@value
class _Answer:
    said: Payload
    headers: Mapping[str, str]


class SlackClient:
    """One app in one workspace.

    Args:
        token: the bot's, ``xoxb-…``.
        secrets: everything else that may be in no log: the app's token, the signing secret.
        name: of the connection, for logs.
        base_url: of the Web API; another one for tests alone.
        timeout_s: how long one call may take.
    """

    def __init__(
        self,
        *,
        token: str,
        clock: Clock,
        secrets: tuple[str, ...] = (),
        name: str = "slack",
        base_url: str = "https://slack.com/api/",
        timeout_s: float = 20.0,
    ) -> None:
        self._token = token
        self._clock = clock
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._pacer = Pacer()
        self._session: aiohttp.ClientSession | None = None
        self._web: AsyncWebClient | None = None
        self.redactor = Redactor((token, *secrets))
        self.logger = quiet_logger(self.redactor, name=name)

    @property
    def web(self) -> AsyncWebClient:
        """The SDK's client over the connections that all calls share; it never tries twice by itself."""
        if self._web is None or self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self._timeout_s))
            self._web = AsyncWebClient(
                token=self._token,
                base_url=self._base_url,
                session=self._session,
                retry_handlers=[],
                logger=self.logger,
            )
        return self._web

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
        self._session = self._web = None

    # -- any method ----------------------------------------------------------------------------------------------------
    async def call(
        self, method: str, *, expecting: frozenset[str] = _NOBODY, token: str | None = None, **arguments: JsonValue
    ) -> Payload | Refused:
        """Call a method once.

        Args:
            expecting: Slack's words for refusals that are returned.
            token: another one than the bot's.
            arguments: those that are None are left out.

        Raises:
            ChannelUnreachableError: (channel.unreachable) it is not its turn yet, or Slack cannot be reached, or is in trouble.
            ChannelRejectedError: (channel.rejected) Slack refused it for good.
        """
        response = await self._response(method, arguments, expecting=expecting, token=token)
        return response if isinstance(response, Refused) else response.said

    async def _response(
        self,
        method: str,
        arguments: Mapping[str, JsonValue],
        *,
        expecting: frozenset[str] = _NOBODY,
        token: str | None = None,
    ) -> _Answer | Refused:
        place = str(arguments.get("channel") or "")
        if wait_ms := self._pacer.wait_ms(method, place, now_ms=self._clock.now_ms()):
            why = f"{method} is called as often as Slack allows; this call's turn is in {wait_ms / 1000:g} s"
            raise ChannelUnreachableError(why, retry_after_s=wait_ms / 1000)
        given = {name: each for name, each in arguments.items() if each is not None}
        headers = None if token is None else {"Authorization": f"Bearer {token}"}
        sent: dict[str, Any] = {"json": given} if method in _TAKE_JSON else {"params": given}
        try:
            response = await cast("Any", self.web).api_call(method, headers=headers, **sent)
        except SlackApiError as error:
            return self._refused(method, place, error, expecting)
        except (aiohttp.ClientError, TimeoutError, OSError, SlackClientError) as error:
            told = self.redactor.text(text_of(error)) or type(error).__name__
            # The cause has the request in it, and the request the token.
            raise ChannelUnreachableError(f"Slack could not be reached for {method}: {told}") from None
        return _Answer(said=Payload(response.data), headers=response.headers)

    def _refused(self, method: str, place: str, error: SlackApiError, expecting: frozenset[str]) -> Refused:
        """What Slack's answer comes to; raises all that was not expected."""
        response = cast("Any", error).response
        status: int = getattr(response, "status_code", None) or getattr(response, "status", None) or 0
        headers: Mapping[str, str] = getattr(response, "headers", None) or {}
        said = Payload(getattr(response, "data", None))
        name = said.text("error")
        if name in expecting:
            return Refused(error=name)
        if name is None or status == 429:
            raised = status_refusal(method, status, headers)
        else:
            raised = refusal(method, name, needed=said.text("needed"))
        if status == 429 or name in ("ratelimited", "rate_limited"):
            wait_s = raised.retry_after_s if isinstance(raised, ChannelUnreachableError) else None
            self._pacer.close(method, place, now_ms=self._clock.now_ms(), wait_s=wait_s)
        raise raised from None

    async def _pages(self, method: str, **arguments: JsonValue) -> AsyncGenerator[Payload]:
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = _granted(await self.call(method, limit=_PAGE, cursor=cursor, **arguments))
            yield page
            cursor = page.part("response_metadata").text("next_cursor")
            if not cursor:
                return

    # -- who we are ----------------------------------------------------------------------------------------------------
    async def identify(self) -> Identity:
        """Who the token belongs to: https://docs.slack.dev/reference/methods/auth.test"""
        response = await self._response("auth.test", {})
        if isinstance(response, Refused):
            raise ChannelRejectedError(f"Slack refused auth.test: {response.error}")
        said = response.said
        bot = _granted(await self.call("bots.info", bot=said.id("bot_id"))).part("bot")
        return identity_of(said, bot, response.headers)

    async def scopes(self) -> frozenset[str]:
        """What the token may do; empty if Slack does not say."""
        response = await self._response("auth.test", {})
        return frozenset() if isinstance(response, Refused) else scopes_in(response.headers)

    # -- messages ------------------------------------------------------------------------------------------------------
    async def post(
        self,
        channel: str,
        message: Message,
        *,
        thread_ts: str | None = None,
        is_broadcast: bool = False,
        expecting: frozenset[str] = _NOBODY,
    ) -> Posted | Refused:
        """https://docs.slack.dev/reference/methods/chat.postMessage

        Args:
            channel: an id, or ``#`` and a name.
            is_broadcast: what is posted into a thread is shown in the channel around it, too.
        """
        said = await self.call(
            "chat.postMessage",
            expecting=expecting,
            channel=channel,
            thread_ts=thread_ts,
            reply_broadcast=True if is_broadcast else None,
            **message.as_post(),
        )
        return said if isinstance(said, Refused) else posted_of(said)

    async def update(
        self, channel_id: str, ts: str, message: Message, *, expecting: frozenset[str] = _NOBODY
    ) -> Refused | None:
        """https://docs.slack.dev/reference/methods/chat.update"""
        said = await self.call("chat.update", expecting=expecting, channel=channel_id, ts=ts, **message.as_update())
        return said if isinstance(said, Refused) else None

    async def whisper(
        self,
        channel_id: str,
        user_id: str,
        message: Message,
        *,
        thread_ts: str | None = None,
        expecting: frozenset[str] = _NOBODY,
    ) -> Refused | None:
        """Post what one person alone sees: https://docs.slack.dev/reference/methods/chat.postEphemeral"""
        said = await self.call(
            "chat.postEphemeral",
            expecting=expecting,
            channel=channel_id,
            user=user_id,
            thread_ts=thread_ts,
            **message.as_update(),
        )
        return said if isinstance(said, Refused) else None

    async def replies(
        self, channel_id: str, thread_ts: str, *, after_ts: str | None = None, expecting: frozenset[str] = _NOBODY
    ) -> tuple[Payload, ...] | Refused:
        """The messages of a thread with their metadata, the oldest first; its first message comes with them.

        https://docs.slack.dev/reference/methods/conversations.replies

        Args:
            after_ts: only what is newer; None for all.
        """
        found: list[Payload] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await self.call(
                "conversations.replies",
                expecting=expecting,
                channel=channel_id,
                ts=thread_ts,
                oldest=after_ts,
                include_all_metadata=True,
                limit=_PAGE,
                cursor=cursor,
            )
            if isinstance(page, Refused):
                return page
            found += page.parts("messages")
            cursor = page.part("response_metadata").text("next_cursor")
            if not cursor:
                break
        return tuple(found)

    async def recent(self, channel_id: str, *, after_ts: str) -> AsyncGenerator[Payload]:
        """The messages of a channel outside threads, with their metadata, the newest first.

        https://docs.slack.dev/reference/methods/conversations.history
        """
        pages = self._pages("conversations.history", channel=channel_id, oldest=after_ts, include_all_metadata=True)
        async for page in pages:
            for each in page.parts("messages"):
                yield each

    # -- modals --------------------------------------------------------------------------------------------------------
    async def open_view(
        self, trigger_id: str, view: dict[str, JsonValue], *, expecting: frozenset[str] = _NOBODY
    ) -> Refused | None:
        """https://docs.slack.dev/reference/methods/views.open"""
        said = await self.call("views.open", expecting=expecting, trigger_id=trigger_id, view=view)
        return said if isinstance(said, Refused) else None

    async def update_view(
        self, view_id: str, view: dict[str, JsonValue], *, expecting: frozenset[str] = _NOBODY
    ) -> Refused | None:
        """https://docs.slack.dev/reference/methods/views.update"""
        said = await self.call("views.update", expecting=expecting, view_id=view_id, view=view)
        return said if isinstance(said, Refused) else None

    # -- people and places ---------------------------------------------------------------------------------------------
    async def user(self, user_id: str) -> SlackUser | None:
        """None if there is none: https://docs.slack.dev/reference/methods/users.info"""
        unknown = frozenset(("user_not_found", "user_not_visible"))
        said = await self.call("users.info", expecting=unknown, user=user_id)
        return None if isinstance(said, Refused) else user_of(said.part("user"))

    async def user_of_address(self, email: str) -> SlackUser | None:
        """None if nobody has it: https://docs.slack.dev/reference/methods/users.lookupByEmail"""
        said = await self.call("users.lookupByEmail", expecting=frozenset(("users_not_found",)), email=email)
        return None if isinstance(said, Refused) else user_of(said.part("user"))

    async def groups(self) -> tuple[SlackGroup, ...]:
        """https://docs.slack.dev/reference/methods/usergroups.list"""
        said = _granted(await self.call("usergroups.list"))
        return tuple(map(group_of, said.parts("usergroups")))

    async def members_of_group(self, group_id: str) -> frozenset[str]:
        """User ids; none of a group that is not there: https://docs.slack.dev/reference/methods/usergroups.users.list"""
        unknown = frozenset(("no_such_subteam", "subteam_not_found"))
        said = await self.call("usergroups.users.list", expecting=unknown, usergroup=group_id)
        return frozenset() if isinstance(said, Refused) else frozenset(said.texts("users"))

    async def conversation(self, channel_id: str) -> SlackConversation | None:
        """None if there is none that we could see: https://docs.slack.dev/reference/methods/conversations.info"""
        said = await self.call("conversations.info", expecting=frozenset(("channel_not_found",)), channel=channel_id)
        return None if isinstance(said, Refused) else conversation_of(said.part("channel"))

    async def own_conversations(self, *, with_direct: bool = False) -> AsyncGenerator[SlackConversation]:
        """Those that we are in: https://docs.slack.dev/reference/methods/users.conversations

        Args:
            with_direct: direct messages, to us alone and to several, are given as well.
        """
        kinds = "public_channel,private_channel,im,mpim" if with_direct else "public_channel,private_channel"
        async for page in self._pages("users.conversations", types=kinds, exclude_archived=True):
            for each in page.parts("channels"):
                yield conversation_of(each)

    async def members_of_channel(self, channel_id: str) -> frozenset[str]:
        """User ids: https://docs.slack.dev/reference/methods/conversations.members"""
        found: set[str] = set()
        async for page in self._pages("conversations.members", channel=channel_id):
            found.update(page.texts("members"))
        return frozenset(found)


def _granted(said: Payload | Refused) -> Payload:
    if isinstance(said, Refused):
        raise ChannelRejectedError(f"Slack refused it: {said.error}")
    return said
