"""Whether somebody may answer, found out at the moment in which they do, and by what name their answer is recorded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import assert_never

from ...store.values import value
from .declared import Answerers, OfAddress, OfChannel, OfGroup, OneUser, read_answerer
from .directory import Directory
from .events import Author
from .objects import SlackUser

_MOST_IDS = 10_000


@value
class Member:
    """A full member of our workspace, whichever other workspaces of the same organisation they belong to.

    Attributes:
        name: what their answers are recorded under: their mail address, which other channels know them by as well, or their
            user id where Slack does not show it to us. Display names are anybody's to choose.
    """

    user_id: str
    name: str
    shown: str


@value
class Stranger:
    """Somebody who may do nothing here; ``why`` may be told to them."""

    why: str


class Authority:
    """Decides who may answer, in one workspace.

    Args:
        team_id: the workspace's.
        enterprise_id: the id of the organisation that it belongs to with other workspaces, by which Slack then calls it at times;
            None if it belongs to none. https://docs.slack.dev/reference/objects/user-object
        person_of: who somebody is, by one name, whatever a channel calls them.
    """

    def __init__(
        self, *, directory: Directory, team_id: str, person_of: Callable[[str], str], enterprise_id: str | None = None
    ) -> None:
        self._directory = directory
        self._team_id = team_id
        self._enterprise_id = enterprise_id
        self._person_of = person_of
        self._ids: OrderedDict[str, str] = OrderedDict()
        """The users behind the names of those who were here last."""

    async def member(self, author: Author, *, team_id: str | None) -> Member | Stranger:
        """Who did it, if they are one of us.

        Args:
            author: as a payload that is Slack's names them.
            team_id: the workspace that Slack says it happened in.

        Raises:
            ChannelUnreachableError: (channel.unreachable) Slack could not be asked.
        """
        if team_id is not None and team_id not in (self._team_id, self._enterprise_id):
            return Stranger(why="this happened in another workspace.")
        if self._enterprise_id is None and author.team_id is not None and author.team_id != self._team_id:
            return Stranger(why="people of other organisations may not answer here.")
        user = await self._directory.user(author.user_id)
        if user is None or user.is_gone:
            return Stranger(why="Slack does not know you any more.")
        if user.is_bot:
            return Stranger(why="apps may not answer.")
        if user.is_stranger or not self._belongs_to_us(user):
            return Stranger(why="people of other organisations may not answer here.")
        if user.is_guest:
            return Stranger(why="guests may not answer.")
        name = user.email.strip().lower() if user.email and user.email.strip() else user.user_id
        self._ids[name] = user.user_id
        self._ids.move_to_end(name)
        if len(self._ids) > _MOST_IDS:
            self._ids.popitem(last=False)
        return Member(user_id=user.user_id, name=name, shown=user.name or name)

    async def is_one_of(self, member: Member, answerers: Sequence[Answerers]) -> bool:
        """Whether somebody is among those who are named.

        Raises:
            ChannelUnreachableError: (channel.unreachable) Slack could not be asked about all of them.
        """
        # Cheap questions first: who is named by id needs none.
        for each in sorted(answerers, key=lambda who: not isinstance(who, OneUser)):
            if await self._is(member, each):
                return True
        return False

    def is_same_person(self, member: Member, name: str) -> bool:
        """Whether a name, of whatever channel, is this member's."""
        named = self._person_of(name)
        return named in {self._person_of(each) for each in (member.name, member.user_id)}

    async def user_id_of(self, name: str) -> str | None:
        """The user whose answers are recorded under a name; None if Slack knows nobody of that name.

        Raises:
            ChannelUnreachableError: (channel.unreachable) Slack could not be asked.
        """
        if (known := self._ids.get(name)) is not None:
            return known
        match read_answerer(name):
            case OneUser(user_id=user_id):
                return user_id
            case OfAddress(address=address):
                user = await self._directory.user_of_address(address)
                return None if user is None else user.user_id
            case _:
                return None

    def _belongs_to_us(self, user: SlackUser) -> bool:
        if user.team_id == self._team_id:
            return True
        is_in_ours = self._enterprise_id is not None and user.enterprise_id == self._enterprise_id
        return is_in_ours and self._team_id in user.enterprise_teams

    async def _is(self, member: Member, who: Answerers) -> bool:
        match who:
            case OneUser(user_id=user_id):
                return member.user_id == user_id
            case OfAddress(address=address):
                user = await self._directory.user_of_address(address)
                return user is not None and user.user_id == member.user_id
            case OfGroup(group=group, is_handle=is_handle):
                return member.user_id in await self._directory.members_of_group(group, is_handle=is_handle)
            case OfChannel(channel=channel):
                return member.user_id in await self._directory.members_of_channel(channel)
            case _:
                assert_never(who)
