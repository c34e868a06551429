"""Looks for replies that nobody was told of: after each time without a connection, and while one is silent.

Read are the threads with open questions, each from the newest reply on that was heard there. What is read is taken as if Slack
had told it, so what was told as well counts once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import structlog

from ...actors.clock import Clock
from ...actors.errors import ChannelError, ChannelUnreachableError
from ...actors.reception import Reception
from .client import SlackClient
from .objects import Refused
from .payloads import Payload
from .places import Ref, chat_in, ref_in, thread_anchor
from .refusals import GONE

_log = structlog.get_logger("overwinter.slack")

_MOST = 2_000
_UNREADABLE = GONE | frozenset(("channel_not_found", "not_in_channel", "is_archived"))
_SHORTEST_WAIT_S = 1.0


class CatchingUp:
    """Reads threads again.

    Args:
        channels: the names of the app's channels that lead to Slack.
        take: deals with a payload, as when Slack tells it.
    """

    def __init__(
        self,
        *,
        name: str,
        client: SlackClient,
        team_id: str,
        channels: Callable[[], Iterable[str]],
        take: Callable[[object], Awaitable[object]],
        reception: Reception,
    ) -> None:
        self._name = name
        self._client = client
        self._team_id = team_id
        self._channels = channels
        self._take = take
        self._reception = reception
        self._clock: Clock = reception.clock
        self._wanted = asyncio.Event()

    def want(self) -> None:
        """Something may have been missed."""
        self._wanted.set()

    async def run(self) -> None:
        """Catch up whenever it is wanted, until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            for ref in await self._open():
                await self._read(ref)

    async def _open(self) -> list[Ref]:
        """One message in each thread with open questions: the oldest."""
        found: dict[object, Ref] = {}
        for channel in self._channels():
            for asked in await self._reception.questions.open_through(channel, limit=_MOST):
                if (ref := ref_in(asked.refs.get(channel))) is not None:
                    found.setdefault(ref.spot, ref)
        return list(found.values())

    async def _read(self, ref: Ref) -> None:
        row = await self._reception.anchors.find(self._name, thread_anchor(ref.spot))
        if row is None:
            return
        after_ts = chat_in(row).read_ts or ref.ts
        while True:
            try:
                replies = await self._client.replies(
                    ref.channel_id, ref.thread_ts, after_ts=after_ts, expecting=_UNREADABLE
                )
                if not isinstance(replies, Refused):
                    for reply in replies:
                        await self._take(self._told(reply, ref))
                return
            except ChannelUnreachableError as error:
                wait_s = max(_SHORTEST_WAIT_S, error.retry_after_s or 0)
                await self._clock.sleep_until_ms(self._clock.now_ms() + int(wait_s * 1000))
            except ChannelError as error:
                _log.warning("slack.not-caught-up", code=error.code, error=str(error))
                return

    def _told(self, reply: Payload, ref: Ref) -> object:
        """What Slack tells of a reply."""
        event = {**reply.whole(), "type": "message", "channel": ref.channel_id}
        return {"type": "event_callback", "team_id": self._team_id, "event": event}
