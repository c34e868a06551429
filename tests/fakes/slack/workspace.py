"""What the workspace holds, and each change of it with the event that it is told by.

Ids come from names and counters, times from the clock: the same test gives the same ids.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

from overwinter.actors.clock import Clock

from .events import changed, deleted, posted, reacted
from .messages import Message
from .people import TEAM_ID, App, Channel, User, UserGroup
from .refusals import ImpossibleError
from .shapes import JsonObject

TellEvent = Callable[[JsonObject, Channel], None]


class Workspace:
    """People, channels and messages. Names are given as ``mara`` or ``U0MARA``, ``ops``, ``#ops`` or ``C0OPS``."""

    def __init__(self, *, clock: Clock, app: App, tell_event: TellEvent) -> None:
        self.clock = clock
        self.app = app
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.groups: dict[str, UserGroup] = {}
        self.files: dict[str, JsonObject] = {}
        self._messages: dict[str, dict[str, Message]] = {}
        self._ephemerals: list[Message] = []
        self._tell_event = tell_event
        self._numbers = itertools.count(1)
        self._last_micros = 0
        self.users[app.user_id] = User(id=app.user_id, name=app.name, is_bot=True, bot_id=app.bot_id, app_id=app.id)

    def number(self) -> int:
        """The next number; whatever is unique is made of these."""
        return next(self._numbers)

    def new_ts(self) -> str:
        """A time by the clock that no other message has; later ones are greater."""
        second = self.clock.now_ms() // 1000 * 1_000_000
        self._last_micros = max(second, self._last_micros) + 100
        return f"{self._last_micros // 1_000_000}.{self._last_micros % 1_000_000:06d}"

    # People and places.

    def user(self, name: str) -> User:
        user = self.users.get(name) or next((user for user in self.users.values() if user.name == name), None)
        if user is None:
            raise ImpossibleError(f"nobody is called {name!r}")
        return user

    def channel(self, name: str) -> Channel:
        bare = name.removeprefix("#")
        channel = self.find_channel(name) or self.find_channel(f"#{bare}")
        if channel is None:
            raise ImpossibleError(f"there is no channel {name!r}")
        return channel

    def find_channel(self, name: str) -> Channel | None:
        """By its id, or by ``#`` and its name, as ``chat.postMessage`` takes them."""
        if name in self.channels:
            return self.channels[name]
        named = (channel for channel in self.channels.values() if not channel.is_im and f"#{channel.name}" == name)
        return next(named, None)

    def direct(self, *users: str) -> Channel:
        """The conversation of these alone; opened if it is not there yet."""
        members = list(dict.fromkeys(users))
        for channel in self.channels.values():
            if (channel.is_im or channel.is_mpim) and set(channel.members) == set(members):
                return channel
        is_im = len(members) <= 2
        tail = "".join(member.removeprefix("U0") for member in members if member != self.app.user_id)
        channel = Channel(
            id=f"{'D' if is_im else 'G'}0{tail or self.app.user_id}",
            name=f"mpdm-{tail.lower()}",
            members=members,
            is_im=is_im,
            is_mpim=not is_im,
        )
        self.channels[channel.id] = channel
        return channel

    def join(self, channel: Channel, user_id: str) -> None:
        if user_id not in channel.members:
            channel.members.append(user_id)
            channel.is_shared = channel.is_shared or self.users[user_id].is_stranger
            self._tell_member("member_joined_channel", channel, user_id)

    def leave(self, channel: Channel, user_id: str) -> None:
        if user_id in channel.members:
            self._tell_member("member_left_channel", channel, user_id)
            channel.members.remove(user_id)

    def _tell_member(self, kind: str, channel: Channel, user_id: str) -> None:
        event: JsonObject = {"type": kind, "user": user_id, "channel": channel.id, "channel_type": "C", "team": TEAM_ID}
        self._tell_event(event, channel)

    def archive(self, channel: Channel, *, by: str, is_archived: bool) -> None:
        channel.is_archived = is_archived
        kind = "channel_archive" if is_archived else "channel_unarchive"
        self._tell_event({"type": kind, "channel": channel.id, "user": by}, channel)

    # Messages.

    def find(self, channel: str, ts: str) -> Message | None:
        """The message as it is now; None if it never was, or is deleted and left no tombstone."""
        return self._messages.get(channel, {}).get(ts)

    def roots(self, channel: str) -> list[Message]:
        """What the channel itself shows, oldest first: roots, and replies that were sent to the channel too."""
        kept = self._messages.get(channel, {}).values()
        return [each for each in kept if each.thread_ts is None or each.subtype == "thread_broadcast"]

    def replies(self, channel: str, thread_ts: str) -> list[Message]:
        return [each for each in self._messages.get(channel, {}).values() if each.thread_ts == thread_ts]

    def ephemerals(self, channel: str, user_id: str) -> list[Message]:
        return [each for each in self._ephemerals if each.channel == channel and each.only_for == user_id]

    def find_ephemeral(self, channel: str, ts: str) -> Message | None:
        return next((each for each in self._ephemerals if (each.channel, each.ts) == (channel, ts)), None)

    def body(self, message: Message, *, has_metadata: bool = False) -> JsonObject:
        """The message with what its thread adds to it. See https://docs.slack.dev/messaging/retrieving-messages"""
        body = message.body(has_metadata=has_metadata)
        if message.thread_ts is not None:
            root = self.find(message.channel, message.thread_ts)
            return body | ({"parent_user_id": root.user} if root else {})
        replies = self.replies(message.channel, message.ts)
        if not replies:
            return body
        users = list(dict.fromkeys(reply.user for reply in replies))
        return body | {
            "thread_ts": message.ts,
            "reply_count": len(replies),
            "reply_users": users,
            "reply_users_count": len(users),
            "latest_reply": replies[-1].ts,
        }

    def post(self, message: Message) -> Message:
        self._messages.setdefault(message.channel, {})[message.ts] = message
        channel = self.channels[message.channel]
        root = self.find(channel.id, message.thread_ts) if message.thread_ts else None
        for event in posted(message, channel, app=self.app, root=root):
            self._tell_event(event, channel)
        return message

    def post_ephemeral(self, message: Message) -> Message:
        self._ephemerals.append(message)
        return message

    def drop_ephemeral(self, message: Message) -> None:
        self._ephemerals.remove(message)

    def replace(self, old: Message, new: Message) -> Message:
        """Keep ``new`` in the place of ``old``, and tell it as a change."""
        if old.only_for is not None:
            self._ephemerals[self._ephemerals.index(old)] = new
            return new
        self._messages[old.channel][old.ts] = new
        channel = self.channels[old.channel]
        self._tell_event(changed(old, new, channel, ts=self.new_ts()), channel)
        return new

    def delete(self, message: Message) -> None:
        """Take it away. A root with replies leaves a tombstone, which is told as a change."""
        if message.thread_ts is None and self.replies(message.channel, message.ts):
            stone = Message(
                channel=message.channel,
                ts=message.ts,
                user="USLACKBOT",
                text="This message was deleted.",
                subtype="tombstone",
            )
            self.replace(message, stone)
            return
        del self._messages[message.channel][message.ts]
        channel = self.channels[message.channel]
        self._tell_event(deleted(message, channel, ts=self.new_ts()), channel)

    def react(self, message: Message, user_id: str, name: str, *, is_added: bool) -> Message:
        reactions = dict(message.reactions)
        users = tuple(user for user in reactions.pop(name, ()) if user != user_id)
        if is_added:
            users = (*users, user_id)
        if users:
            reactions[name] = users
        new = replace(message, reactions=reactions)
        self._messages[message.channel][message.ts] = new
        event = reacted(message, user_id, name, is_added=is_added, ts=self.new_ts())
        self._tell_event(event, self.channels[message.channel])
        return new
