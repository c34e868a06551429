"""Looks for what nobody was told of: after each time without a connection, and while one is silent.

Read are the threads with open questions, each from somewhat before the newest reply that was heard there, for replies may be
told in any order; and the emoji on these questions, where emoji answer. If it was long ago that everything was looked for,
mentions and direct messages are looked for as well. What is found is taken as if Slack had told it, so what was told as well
counts once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import structlog

from ...actors.asks import JsonValue
from ...actors.clock import Clock
from ...actors.errors import ChannelError, ChannelUnreachableError
from ...actors.reception import Reception
from ...store.rows import AnchorRow
from ...store.values import value
from .client import SlackClient
from .declared import SlackChannel
from .heard import before, is_after, micros_of
from .objects import Refused
from .payloads import Payload
from .places import CAUGHT_UP, Spot, caught_up_body, caught_up_ms, chat_in, ref_in, thread_anchor
from .refusals import GONE
from .unheard import Unheard

_log = structlog.get_logger("overwinter.slack")

_MOST = 2_000
_OVERLAP_S = 600
UNTOLD_AFTER_MS = 300_000
"""Until then Slack tells by itself what it could not tell: https://docs.slack.dev/apis/events-api/#retries"""
_LOOK_BACK_MS = 86_400_000
_UNREADABLE = GONE | frozenset(("channel_not_found", "not_in_channel", "is_archived"))
_SHORTEST_WAIT_S = 1.0


@value
class _Asked:
    """The message of an open question."""

    ts: str
    declared: SlackChannel


class CatchingUp:
    """Reads threads again.

    Args:
        channels: the app's channels that lead to Slack, by name.
        take: deals with a payload, as when Slack tells it.
        unheard: looks for what was written outside the threads of questions.
    """

    def __init__(
        self,
        *,
        name: str,
        client: SlackClient,
        team_id: str,
        channels: Callable[[], Mapping[str, SlackChannel]],
        take: Callable[[object], Awaitable[object]],
        unheard: Unheard,
        reception: Reception,
    ) -> None:
        self._name = name
        self._client = client
        self._team_id = team_id
        self._channels = channels
        self._take = take
        self._unheard = unheard
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
            now_ms = self._clock.now_ms()
            row = await self._reception.anchors.bind(self._row(now_ms))
            for spot, asked in (await self._open()).items():
                await self._read(spot, asked)
            if now_ms - caught_up_ms(row) >= UNTOLD_AFTER_MS:
                await self._unheard.look(since_ms=max(caught_up_ms(row), now_ms - _LOOK_BACK_MS))
            await self._reception.anchors.replace_if(row, caught_up_body(now_ms))

    async def _open(self) -> dict[Spot, list[_Asked]]:
        """The messages of open questions in each thread."""
        found: dict[Spot, list[_Asked]] = {}
        for name, declared in self._channels().items():
            for asked in await self._reception.questions.open_through(name, limit=_MOST):
                if (ref := ref_in(asked.refs.get(name))) is not None:
                    found.setdefault(ref.spot, []).append(_Asked(ts=ref.ts, declared=declared))
        return found

    async def _read(self, spot: Spot, asked: Sequence[_Asked]) -> None:
        row = await self._reception.anchors.find(self._name, thread_anchor(spot))
        if row is None:
            return
        first_ts = min((each.ts for each in asked), key=micros_of)
        heard_ts = max(first_ts, before(chat_in(row).read_ts or first_ts, seconds=_OVERLAP_S), key=micros_of)
        with_emoji = {each.ts: each.declared for each in asked if each.declared.reactions}
        after_ts = before(min(with_emoji, key=micros_of), micros=1) if with_emoji else heard_ts
        while True:
            try:
                replies = await self._client.replies(
                    spot.channel_id, spot.thread_ts, after_ts=after_ts, expecting=_UNREADABLE
                )
                if not isinstance(replies, Refused):
                    for reply in replies:
                        await self._take_reply(reply, spot, heard_ts=heard_ts, with_emoji=with_emoji)
                return
            except ChannelUnreachableError as error:
                wait_s = max(_SHORTEST_WAIT_S, error.retry_after_s or 0)
                await self._clock.sleep_until_ms(self._clock.now_ms() + int(wait_s * 1000))
            except ChannelError as error:
                _log.warning("slack.not-caught-up", code=error.code, error=str(error))
                return

    async def _take_reply(
        self, reply: Payload, spot: Spot, *, heard_ts: str, with_emoji: Mapping[str, SlackChannel]
    ) -> None:
        ts = reply.ts("ts")
        if ts is None:
            return
        if is_after(ts, heard_ts):
            await self._take(self._told({**reply.whole(), "type": "message", "channel": spot.channel_id}))
        if (declared := with_emoji.get(ts)) is None:
            return
        item: JsonValue = {"type": "message", "channel": spot.channel_id, "ts": ts}
        for emoji in reply.parts("reactions"):
            name = emoji.text("name") or ""
            for user_id in emoji.texts("users") if declared.decides(name) is not None else ():
                await self._take(
                    self._told({"type": "reaction_added", "user": user_id, "reaction": name, "item": item})
                )

    def _told(self, event: dict[str, JsonValue]) -> object:
        """What Slack tells of an event."""
        return {"type": "event_callback", "team_id": self._team_id, "event": event}

    def _row(self, now_ms: int) -> AnchorRow:
        return AnchorRow(
            channel=self._name,
            anchor=CAUGHT_UP,
            session_id=None,
            pause_id=None,
            body_json=caught_up_body(now_ms),
            created_at_ms=now_ms,
        )
