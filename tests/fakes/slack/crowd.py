"""The crowd: who is in the workspace, and what they do there. No one does what Slack's clients would not let them do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .entries import Entry
from .interactions import Interaction, Interactions
from .messages import Message
from .people import FOREIGN_TEAM_ID, Channel, User, UserGroup
from .refusals import ImpossibleError
from .shapes import JsonObject
from .views import View
from .workspace import Workspace


class Crowd:
    """People, by name or by id, in channels, by name or by id."""

    def __init__(self, *, workspace: Workspace, interactions: Interactions) -> None:
        self._workspace = workspace
        self._interactions = interactions

    # Who and what is there.

    def add_user(self, name: str, *, email: str | None = None) -> User:
        """A member; their id is ``U0`` and the name in capitals."""
        return self._add(User(id=f"U0{name.upper()}", name=name, email=email or f"{name}@home.example"))

    def add_guest(self, name: str, *, is_single_channel: bool = False) -> User:
        """See https://slack.com/help/articles/202518103; a single-channel guest is ultra restricted."""
        guest = User(id=f"U0{name.upper()}", name=name, email=f"{name}@guest.example", is_restricted=True)
        return self._add(replace(guest, is_ultra_restricted=is_single_channel))

    def add_stranger(self, name: str, *, team_id: str = FOREIGN_TEAM_ID) -> User:
        """Somebody of another organisation, met by Slack Connect. See https://docs.slack.dev/apis/slack-connect"""
        email = f"{name}@elsewhere.example"
        return self._add(User(id=f"U0{name.upper()}", name=name, team_id=team_id, email=email, is_stranger=True))

    def add_bot(self, name: str, *, is_workflow_bot: bool = False, is_classic_bot: bool = False) -> User:
        """Another app's bot, a workflow's, or one that posts as incoming webhooks do: without a user."""
        bot = User(
            id=f"U0{name.upper()}", name=name, is_bot=True, bot_id=f"B0{name.upper()}", app_id=f"A0{name.upper()}"
        )
        return self._add(replace(bot, is_workflow_bot=is_workflow_bot, is_classic_bot=is_classic_bot))

    def _add(self, user: User) -> User:
        self._workspace.users[user.id] = user
        return user

    def deactivate(self, name: str) -> None:
        self._workspace.user(name).is_deleted = True

    def add_group(self, handle: str, *members: str) -> UserGroup:
        """A user group; its id is ``S0`` and the handle in capitals."""
        group = UserGroup(
            id=f"S0{handle.upper()}", handle=handle, users=[self._workspace.user(name).id for name in members]
        )
        self._workspace.groups[group.id] = group
        return group

    def add_channel(
        self, name: str, *members: str, is_private: bool = False, is_shared: bool = False, has_bot: bool = True
    ) -> Channel:
        """A channel; its id is ``C0`` and the name in capitals. The app's bot is in it. A stranger makes it shared."""
        people = [self._workspace.user(member) for member in members]
        users = [user.id for user in people]
        channel = Channel(
            id=f"C0{name.upper().replace('-', '')}",
            name=name,
            members=[*users, self._workspace.app.user_id] if has_bot else users,
            is_private=is_private,
            is_shared=is_shared or any(user.is_stranger for user in people),
        )
        self._workspace.channels[channel.id] = channel
        return channel

    def dm(self, name: str) -> Channel:
        """The direct message of a person with the app's bot."""
        return self._workspace.direct(self._workspace.app.user_id, self._workspace.user(name).id)

    def archives(self, user: str, channel: str, *, is_archived: bool = True) -> None:
        by = self._workspace.user(user).id
        self._workspace.archive(self._workspace.channel(channel), by=by, is_archived=is_archived)

    def joins(self, user: str, channel: str) -> None:
        self._workspace.join(self._workspace.channel(channel), self._workspace.user(user).id)

    def removes(self, channel: str, member: str | None = None) -> None:
        """Take somebody out of the channel: by default the app's bot."""
        user_id = self._workspace.user(member).id if member else self._workspace.app.user_id
        self._workspace.leave(self._workspace.channel(channel), user_id)

    # What people do.

    def says(
        self, user: str, channel: str, text: str, *, thread_ts: str | None = None, is_broadcast: bool = False
    ) -> Message:
        """Write a message. The text is as Slack passes it on: ``&``, ``<``, ``>`` escaped, mentions as ``<@U0…>``.

        Args:
            is_broadcast: A reply that is "also sent to the channel".
        """
        who, where = self._there(user, channel)
        if where.is_archived:
            raise ImpossibleError(f"#{where.name} is archived")
        if thread_ts is not None and self._workspace.find(where.id, thread_ts) is None:
            raise ImpossibleError(f"there is no thread {thread_ts} in #{where.name}")
        spoken: JsonObject = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
        return self._workspace.post(
            Message(
                channel=where.id,
                ts=self._workspace.new_ts(),
                user=who.id,
                text=text,
                blocks=[]
                if who.is_bot or "<" in text
                else [{"type": "rich_text", "block_id": f"block-{self._workspace.number()}", "elements": [spoken]}],
                thread_ts=thread_ts,
                team_id=who.team_id,
                bot_id=who.bot_id,
                app_id=who.app_id,
                is_workflow_bot=who.is_workflow_bot,
                subtype="thread_broadcast" if is_broadcast else "bot_message" if who.is_classic_bot else None,
            )
        )

    def edits(self, message: Message, text: str) -> Message:
        """Its author edits it."""
        now = self._now(message)
        edited: JsonObject = {"user": now.user, "ts": self._workspace.new_ts()}
        return self._workspace.replace(now, replace(now, text=text, blocks=[], edited=edited))

    def unfurls(self, message: Message, url: str) -> Message:
        """Slack adds a preview of a link: a change of the message without an edit."""
        now = self._now(message)
        return self._workspace.replace(now, replace(now, attachments=[{"from_url": url, "id": 1, "fallback": url}]))

    def touches(self, message: Message) -> None:
        """Slack tells a change in which nothing changed, as it does for the root of a thread."""
        now = self._now(message)
        self._workspace.replace(now, replace(now))

    def deletes(self, message: Message) -> None:
        """Its author, or an admin, deletes it."""
        self._workspace.delete(self._now(message))

    def reacts(self, user: str, message: Message, name: str) -> None:
        """Add an emoji by its name, such as ``+1`` or ``+1::skin-tone-4``."""
        who, _ = self._there(user, message.channel)
        self._workspace.react(self._now(message), who.id, name, is_added=True)

    def unreacts(self, user: str, message: Message, name: str) -> None:
        who, _ = self._there(user, message.channel)
        self._workspace.react(self._now(message), who.id, name, is_added=False)

    def clicks(self, user: str, target: Message | View, action_id: str, entry: Entry = None) -> Interaction:
        """Press a button, or choose ``entry`` in an element, of a message or a view as the person's client shows it.

        A message that was kept from before an edit is what a client shows that has not heard of the edit yet.
        """
        if isinstance(target, View):
            return self._interactions.click_in_view(self._workspace.user(user), target, action_id, entry)
        who, _ = self._there(user, target.channel)
        if target.only_for not in (None, who.id):
            raise ImpossibleError(f"{who.name} does not see this message")
        return self._interactions.click(who, target, action_id, entry)

    def submits(self, user: str, view: View, values: Mapping[str, Entry] | None = None) -> Interaction:
        """Submit a modal; ``values`` by block id or action id, what is not named stays as it stands."""
        return self._interactions.submit(self._workspace.user(user), view, values or {})

    def closes(self, user: str, view: View) -> Interaction | None:
        """Close a modal with its cross; None where the app is not told."""
        return self._interactions.close(self._workspace.user(user), view)

    def _there(self, user: str, channel: str) -> tuple[User, Channel]:
        who, where = self._workspace.user(user), self._workspace.channel(channel)
        if who.id not in where.members:
            raise ImpossibleError(f"{who.name} is not in {where.name or where.id}")
        if who.is_deleted:
            raise ImpossibleError(f"{who.name} is deactivated")
        return who, where

    def _now(self, message: Message) -> Message:
        now = self._workspace.find(message.channel, message.ts)
        if now is None:
            raise ImpossibleError(f"the message {message.ts} is gone")
        return now
