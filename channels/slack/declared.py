"""What an author writes down: where in Slack a role is asked, and who may answer there. No secret is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from ...actors.asks import JsonValue
from ...store.values import value
from .wording import emoji_name

APPROVED: JsonValue = {"approved": True, "reason": None, "override_arguments": None}
REJECTED: JsonValue = {"approved": False, "reason": None, "override_arguments": None}

_PLACE = re.compile(r"#[^\s#,@A-Z]{1,80}|[CG][A-Z0-9]{2,30}")
_USER = re.compile(r"[UW][A-Z0-9]{2,30}")
_GROUP_ID = re.compile(r"S[A-Z0-9]{2,30}")
_HANDLE = re.compile(r"@[^\s@#,]{1,80}")
_ADDRESS = re.compile(r"[^\s@,<>]+@[^\s@,<>]+")


@value
class OneUser:
    """A user by their id."""

    user_id: str


@value
class OfAddress:
    """The user who has a mail address."""

    address: str


@value
class OfGroup:
    """The members of a user group, by its id or its handle, which is without ``@``."""

    group: str
    is_handle: bool


@value
class OfChannel:
    """The members of a channel, by its id, or ``#`` and its name."""

    channel: str


Answerers = OneUser | OfAddress | OfGroup | OfChannel


@dataclass(frozen=True, slots=True, eq=False)
class SlackChannel:
    """A place in Slack where a role is asked.

        SlackChannel("#refunds", answerers=["@finance", "mara@corp.example"], not_requester=True)

    Attributes:
        place: the channel, as ``#refunds`` or by its id. A session that began in Slack asks in its own thread instead, unless
            nobody who may answer can be there.
        answerers: who may answer: user groups (``@finance`` or an id ``S…``), people (a mail address or an id ``U…``), the
            members of a channel (``#finance`` or an id ``C…``). They are looked up when somebody answers. Guests, people of
            other organisations and bots may not, whatever they belong to.
        not_requester: the session's owner may not answer, whatever they belong to.
        reactions: what an emoji on the question decides, by its name: ``approve``, ``reject``, or a decision as JSON. Nothing,
            if it is not there.
        name: of this channel in the app; None makes it of the place.
        via: the name of the connection to Slack.
    """

    place: str
    answerers: Sequence[str] = ()
    not_requester: bool = False
    reactions: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    name: str = ""
    via: str = "slack"

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", f"{self.via}:{self.place.replace(',', ' ')}")

    def decides(self, emoji: str) -> JsonValue:
        """What an emoji decides, in whatever spelling; None if nothing."""
        meanings = {emoji_name(name): decision for name, decision in self.reactions.items()}
        match meanings.get(emoji_name(emoji)):
            case "approve":
                return APPROVED
            case "reject":
                return REJECTED
            case decision:
                return decision

    def faults(self) -> Iterator[str]:
        """What is wrong with it, each as a sentence that says what to write instead."""
        if not _PLACE.fullmatch(self.place):
            yield f"{self.place!r} is no channel of Slack; write it as '#refunds', or its id"
        if isinstance(self.answerers, str):
            yield f"answerers of {self.place} are one text; give a list: [{self.answerers!r}]"
            return
        if not self.answerers:
            yield f"nobody may answer in {self.place}; name them: answerers=['@finance', 'mara@corp.example']"
        for each in self.answerers:
            if read_answerer(each) is None:
                yield (
                    f"{each!r} in answerers of {self.place} is nobody; write a user group (@finance), a mail address, "
                    "a channel (#finance), or an id of one of these or of a user"
                )


def read_answerer(written: str) -> Answerers | None:
    """Who is meant; None if nobody can be."""
    if _USER.fullmatch(written):
        return OneUser(user_id=written)
    if _GROUP_ID.fullmatch(written):
        return OfGroup(group=written, is_handle=False)
    if _PLACE.fullmatch(written):
        return OfChannel(channel=written)
    if _HANDLE.fullmatch(written):
        return OfGroup(group=written[1:], is_handle=True)
    if _ADDRESS.fullmatch(written):
        return OfAddress(address=written)
    return None


def answerers_of(declared: SlackChannel) -> tuple[Answerers, ...]:
    """Who may answer; whoever cannot be read is nobody."""
    return tuple(found for each in declared.answerers if (found := read_answerer(each)) is not None)


def spoken(answerers: Sequence[Answerers]) -> str:
    """Who may answer, for people."""
    return ", ".join(_spoken(each) for each in answerers) or "nobody"


def _spoken(who: Answerers) -> str:
    match who:
        case OneUser(user_id=user_id):
            return user_id
        case OfAddress(address=address):
            return address
        case OfGroup(group=group, is_handle=is_handle):
            return f"@{group}" if is_handle else f"the user group {group}"
        case OfChannel(channel=channel):
            return f"the members of {channel}"
        case _:
            assert_never(who)
