"""Looks for messages to the bot that nobody was told of: mentions and direct messages from a time in which no process ran.

Slack tells an event again for some minutes and then no more. What is found is taken as if Slack had told it, the oldest first,
so what was told as well counts once. Not found are mentions in the threads of others: a channel's history does not show them.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import structlog

from ...actors.clock import Clock
from ...actors.errors import ChannelError, ChannelUnreachableError
from .client import SlackClient
from .events import Ourselves
from .objects import SlackConversation
from .payloads import Payload

_log = structlog.get_logger("overwinter.slack")

T = TypeVar("T")

_SHORTEST_WAIT_S = 1.0
_CLOCKS_APART_S = 60


class Unheard:
    """Reads what was written in the channels that we are in, and to us alone.

    Args:
        us: whose mentions count.
        take: deals with a payload, as when Slack tells it.
    """

    def __init__(
        self,
        *,
        client: SlackClient,
        team_id: str,
        us: Ourselves,
        take: Callable[[object], Awaitable[object]],
        clock: Clock,
    ) -> None:
        self._client = client
        self._team_id = team_id
        self._take = take
        self._clock = clock
        self._mention = re.compile(rf"<@{re.escape(us.user_id)}[|>]")

    async def look(self, *, since_ms: int) -> None:
        """Take what was written since then; what Slack refuses to show is left out, and told to the operator."""
        after_ts = f"{since_ms // 1000 - _CLOCKS_APART_S}.000000"

        async def places() -> list[SlackConversation]:
            return [each async for each in self._client.own_conversations(with_direct=True)]

        for place in await self._patiently(places) or ():
            await self._patiently(partial(self._look_in, place, after_ts))

    async def _look_in(self, place: SlackConversation, after_ts: str) -> None:
        found = [each async for each in self._client.recent(place.channel_id, after_ts=after_ts)]
        for message in reversed(found):
            if place.is_direct or self._mention.search(message.text("text") or ""):
                await self._take(self._told(message, place))

    async def _patiently(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """Do it as soon as Slack lets us; None if it does not."""
        while True:
            try:
                return await work()
            except ChannelUnreachableError as error:
                wait_s = max(_SHORTEST_WAIT_S, error.retry_after_s or 0)
                await self._clock.sleep_until_ms(self._clock.now_ms() + int(wait_s * 1000))
            except ChannelError as error:
                _log.warning("slack.not-caught-up", code=error.code, error=str(error))
                return None

    def _told(self, message: Payload, place: SlackConversation) -> object:
        """What Slack tells of a message: where it is to us alone that it is a message, else that we are named in it."""
        kind = {"type": "message", "channel_type": "im"} if place.is_direct else {"type": "app_mention"}
        event = {**message.whole(), **kind, "channel": place.channel_id}
        return {"type": "event_callback", "team_id": self._team_id, "event": event}
