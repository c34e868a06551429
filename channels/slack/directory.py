"""Who is who in the workspace, asked of Slack when it is needed and remembered briefly.

What Slack could not be asked is not remembered, and not guessed: whoever looks up gets the error.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from ...actors.clock import Clock
from .client import SlackClient
from .objects import SlackConversation, SlackGroup, SlackUser

PEOPLE_KEPT_MS = 60_000
"""Whoever is taken out of a group may answer for so long after; the price of not asking Slack at each click."""
PLACES_KEPT_MS = 600_000

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Directory:
    """Looks up people, groups and channels of one workspace."""

    def __init__(self, *, client: SlackClient, clock: Clock) -> None:
        self._users: Remembered[str, SlackUser | None] = Remembered(client.user, clock=clock, kept_ms=PEOPLE_KEPT_MS)
        self._addresses: Remembered[str, SlackUser | None] = Remembered(
            client.user_of_address, clock=clock, kept_ms=PEOPLE_KEPT_MS
        )
        self._groups: Remembered[None, tuple[SlackGroup, ...]] = Remembered(
            lambda _: client.groups(), clock=clock, kept_ms=PEOPLE_KEPT_MS
        )
        self._group_members: Remembered[str, frozenset[str]] = Remembered(
            client.members_of_group, clock=clock, kept_ms=PEOPLE_KEPT_MS
        )
        self._channel_members: Remembered[str, frozenset[str]] = Remembered(
            client.members_of_channel, clock=clock, kept_ms=PEOPLE_KEPT_MS
        )
        self._places: Remembered[None, dict[str, SlackConversation]] = Remembered(
            lambda _: self._own_places(), clock=clock, kept_ms=PLACES_KEPT_MS
        )
        self._client = client

    async def user(self, user_id: str) -> SlackUser | None:
        return await self._users.get(user_id)

    async def user_of_address(self, address: str) -> SlackUser | None:
        return await self._addresses.get(address)

    async def members_of_group(self, group: str, *, is_handle: bool) -> frozenset[str]:
        """User ids; none of a group that is not there, or is disabled."""
        found = [
            each
            for each in await self._groups.get(None)
            if not each.is_disabled and (each.handle if is_handle else each.group_id) == group
        ]
        return await self._group_members.get(found[0].group_id) if len(found) == 1 else frozenset()

    async def members_of_channel(self, channel: str) -> frozenset[str]:
        """User ids; none of a channel that we are not in."""
        channel_id = await self.channel_id(channel)
        return frozenset() if channel_id is None else await self._channel_members.get(channel_id)

    async def channel_id(self, place: str) -> str | None:
        """The id of a channel that is named by it, or by ``#`` and its name; None if we are in no channel of that name."""
        if not place.startswith("#"):
            return place
        if (found := (await self._places.get(None)).get(place[1:])) is None:
            self._places.forget(None)  # we may have been invited since
            found = (await self._places.get(None)).get(place[1:])
        return None if found is None else found.channel_id

    async def _own_places(self) -> dict[str, SlackConversation]:
        return {each.name: each async for each in self._client.own_conversations()}


class Remembered(Generic[K, V]):
    """Asks once for what several want to know at the same time, and again when the answer is old.

    Args:
        most: answers kept; the oldest go first.
    """

    def __init__(self, ask: Callable[[K], Awaitable[V]], *, clock: Clock, kept_ms: int, most: int = 10_000) -> None:
        self._ask = ask
        self._clock = clock
        self._kept_ms = kept_ms
        self._most = most
        self._known: OrderedDict[K, tuple[int, V]] = OrderedDict()
        self._asking: dict[K, asyncio.Task[V]] = {}

    async def get(self, key: K) -> V:
        """The answer; raises what asking raises."""
        known = self._known.get(key)
        if known is not None and self._clock.now_ms() < known[0]:
            return known[1]
        if (task := self._asking.get(key)) is None:
            task = self._asking[key] = asyncio.create_task(self._asked(key))
            task.add_done_callback(lambda done: self._settle(key, done))
        return await asyncio.shield(task)

    def forget(self, key: K) -> None:
        self._known.pop(key, None)

    async def _asked(self, key: K) -> V:
        return await self._ask(key)

    def _settle(self, key: K, done: asyncio.Task[V]) -> None:
        del self._asking[key]
        if done.cancelled() or done.exception() is not None:
            return
        self._known.pop(key, None)
        while len(self._known) >= self._most:
            self._known.popitem(last=False)
        self._known[key] = (self._clock.now_ms() + self._kept_ms, done.result())
