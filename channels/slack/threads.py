"""One thread for each session and channel, made on first need, whoever makes it and whoever dies meanwhile.

Who wants to make it claims it first: a row that of several one can write. A claim that was given up, or whose holder has not
been heard of for a while, is taken over, and whoever takes it over looks in the channel for what the one before may have
posted, by the key in its metadata. So a session has one first message in a channel, and two processes never post one each.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from weakref import WeakValueDictionary

from ...actors.asks import Ask
from ...actors.errors import ChannelRejectedError, ChannelUnreachableError
from ...actors.reception import Reception
from ...store.rows import AnchorRow
from .carried import key_in, session_key
from .client import SlackClient
from .declared import SlackChannel
from .directory import Directory
from .notes import session_root
from .objects import Posted
from .people import Person
from .places import (
    Chat,
    Claim,
    Spot,
    chat_body,
    chat_in,
    root_anchor,
    root_body,
    root_in,
    spot_of_thread,
    thread_anchor,
)

CLAIM_MS = 60_000
"""A claim that is older belongs to a process that has died; no attempt takes so long."""
_LOOK_BACK_S = 120
"""Our clock and Slack's need not agree to the second."""


class Threads:
    """Finds and makes threads.

    Args:
        name: the connection's.
    """

    def __init__(self, *, name: str, client: SlackClient, directory: Directory, reception: Reception) -> None:
        self._name = name
        self._client = client
        self._directory = directory
        self._anchors = reception.anchors
        self._clock = reception.clock
        self._ids = reception.ids
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def chat_of(self, session_id: str) -> tuple[Spot, Chat] | None:
        """The thread in which a session began; None if it began elsewhere."""
        for row in await self._anchors.of_session(self._name, session_id):
            if row.anchor.startswith("thread:") and chat_in(row).owner_id is not None:
                return spot_of_thread(row), chat_in(row)
        return None

    async def root_of(self, ask: Ask, declared: SlackChannel) -> Spot:
        """The session's thread in the channel of a role, made if it is not there yet.

        Raises:
            ChannelUnreachableError: (channel.unreachable) not now, or somebody else is making it.
            ChannelRejectedError: (channel.rejected) it cannot be made.
        """
        async with self._alone(f"{declared.name} {ask.session_id}"):
            now_ms = self._clock.now_ms()
            mine = Claim(by=self._ids.uuid().hex, at_ms=now_ms, first_ms=now_ms)
            row = await self._anchors.bind(
                self._row(root_anchor(declared.name, ask.session_id), ask.session_id, root_body(mine))
            )
            standing = root_in(row)
            if isinstance(standing, Spot):
                return standing
            is_first = standing.by == mine.by
            if not is_first:
                row = await self._taken_over(row, standing, replace(mine, first_ms=standing.first_ms))
            try:
                return await self._made(row, ask, declared, since_ms=None if is_first else standing.first_ms)
            except BaseException:
                given_up = replace(mine, at_ms=0, first_ms=standing.first_ms)
                await self._anchors.replace_if(row, root_body(given_up))
                raise

    async def forget(self, ask: Ask, declared: SlackChannel, spot: Spot) -> None:
        """The thread's first message is gone: the next question makes another one."""
        row = await self._anchors.find(self._name, root_anchor(declared.name, ask.session_id))
        if row is not None and root_in(row) == spot:
            await self._anchors.release_if(row)

    async def _taken_over(self, row: AnchorRow, standing: Claim, mine: Claim) -> AnchorRow:
        age_ms = mine.at_ms - standing.at_ms
        if age_ms < CLAIM_MS:
            wait_s = min(5.0, max(1.0, (CLAIM_MS - age_ms) / 1000))
            raise ChannelUnreachableError("the session's thread is being made elsewhere", retry_after_s=wait_s)
        body_json = root_body(mine)
        if not await self._anchors.replace_if(row, body_json):
            raise ChannelUnreachableError("the session's thread is being made elsewhere", retry_after_s=1.0)
        return replace(row, body_json=body_json)

    async def _made(self, row: AnchorRow, ask: Ask, declared: SlackChannel, *, since_ms: int | None) -> Spot:
        """
        Args:
            since_ms: since when it may have been posted already; None if it cannot have been.
        """
        channel_id = await self._directory.channel_id(declared.place)
        if channel_id is None:
            raise ChannelRejectedError(
                f"there is no channel {declared.place} that the app is in; invite it there: /invite and its name"
            )
        key = session_key(channel=declared.name, session_id=ask.session_id)
        spot = None if since_ms is None else await self._posted(channel_id, key, since_ms)
        if spot is None:
            message = session_root(
                bot=ask.bot, owner=Person(name=ask.owner), channel=declared.name, session_id=ask.session_id
            )
            posted = await self._client.post(channel_id, message)
            if not isinstance(posted, Posted):
                raise AssertionError("a refusal that nobody expects is raised")
            spot = Spot(channel_id=posted.channel_id, thread_ts=posted.ts)
        await self._anchors.bind(self._row(thread_anchor(spot), ask.session_id, chat_body(Chat())))
        if not await self._anchors.replace_if(row, root_body(spot)):
            raise ChannelUnreachableError("the session's thread was made elsewhere meanwhile", retry_after_s=1.0)
        return spot

    async def _posted(self, channel_id: str, key: str, since_ms: int) -> Spot | None:
        """What an earlier attempt may have posted."""
        async for message in self._client.recent(channel_id, after_ts=f"{since_ms // 1000 - _LOOK_BACK_S}.000000"):
            ts = message.ts("ts")
            if ts is not None and key_in(message.value("metadata")) == key:
                return Spot(channel_id=channel_id, thread_ts=ts)
        return None

    def _row(self, anchor: str, session_id: str, body_json: str) -> AnchorRow:
        return AnchorRow(
            channel=self._name,
            anchor=anchor,
            session_id=session_id,
            pause_id=None,
            body_json=body_json,
            created_at_ms=self._clock.now_ms(),
        )

    @asynccontextmanager
    async def _alone(self, name: str) -> AsyncGenerator[None]:
        """One at a time in this process, so that its questions need not wait for one another's claims to end."""
        lock = self._locks.setdefault(name, asyncio.Lock())
        async with lock:
            yield
