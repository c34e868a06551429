"""What every Web API method is made of: its arguments, scopes and limits, and the world in which it acts.

See https://docs.slack.dev/reference/methods
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from .checks import Checks
from .messages import Message
from .people import App, Channel
from .rates import Tier
from .refusals import Refusal, invalid_arguments
from .shapes import JsonObject
from .views import Triggers, Views
from .workspace import Workspace

COMMON = ("token", "team_id")
"""Arguments that every method takes, whatever it makes of them."""


@dataclass(slots=True, kw_only=True)
class World:
    """What methods act upon."""

    workspace: Workspace
    views: Views
    triggers: Triggers
    checks: Checks
    open_socket: Callable[[], str]
    uploads: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    """Files whose upload was begun, by id."""

    base_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a method, with its arguments as they came."""

    method: str
    arguments: JsonObject
    world: World

    @property
    def app(self) -> App:
        return self.world.workspace.app

    @property
    def workspace(self) -> Workspace:
        return self.world.workspace

    def text(self, name: str, default: str = "") -> str:
        value = self.arguments.get(name, default)
        if value is None:
            return default
        if not isinstance(value, str):
            raise invalid_arguments(f"must be a string [json-pointer:/{name}]")
        return value

    def number(self, name: str, default: int, *, most: int) -> int:
        value = self.arguments.get(name, default)
        try:
            number = int(value)
        except (TypeError, ValueError):
            raise Refusal("invalid_limit") from None
        if not 0 < number <= most:
            raise Refusal("invalid_limit")
        return number

    def flag(self, name: str) -> bool:
        return self.arguments.get(name) in (True, "true", "True", "1", 1)

    def names(self, name: str) -> list[str]:
        """A list of ids: an array, or a text with commas between them."""
        value = self.arguments.get(name)
        if isinstance(value, str):
            return [part.strip() for part in value.split(",") if part.strip()]
        return [str(part) for part in cast("list[object]", value or [])]

    def json(self, name: str, *, error: str) -> Any:
        """A structured argument, which may come as JSON or as its text; None where there is none."""
        value = self.arguments.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            return json.loads(value)
        except ValueError:
            raise Refusal(error) from None

    def need(self, *scopes: str) -> None:
        """Refuse unless the app holds one of the scopes. See https://docs.slack.dev/reference/scopes"""
        if not set(scopes) & set(self.app.scopes):
            raise Refusal("missing_scope", needed=scopes[0], provided=",".join(self.app.scopes))

    def channel(self, name: str = "channel") -> Channel:
        """A conversation that the app can see; a private one it is not in does not exist for it."""
        channel = self.workspace.channels.get(self.text(name))
        if channel is None or (channel.kind != "channel" and self.app.user_id not in channel.members):
            raise Refusal("channel_not_found")
        return channel

    def own_channel(self, name: str = "channel") -> Channel:
        """A conversation that the app is in."""
        channel = self.channel(name)
        if self.app.user_id not in channel.members:
            raise Refusal("not_in_channel")
        return channel

    def message(self, channel: Channel, ts: str) -> Message:
        message = self.workspace.find(channel.id, ts)
        if message is None or message.is_tombstone:
            raise Refusal("message_not_found")
        return message


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method of the table.

    Attributes:
        scopes: One of them must be held; none for a method that checks by what it is asked for, or needs none.
        token: What kind of token it takes.
        takes_json: Accepts ``application/json``, not only a form or a query.
    """

    name: str
    do: Callable[[Call], JsonObject]
    tier: Tier
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    token: Literal["bot", "app"] = "bot"
    takes_json: bool = False

    def check(self, arguments: JsonObject) -> None:
        """Refuse a call without what it needs, or with what the documentation does not know."""
        missing = [name for name in self.required if arguments.get(name) in (None, "")]
        if missing:
            raise invalid_arguments(*(f"missing required field: {name}" for name in missing))
        unknown = set(arguments) - {*self.required, *self.optional, *COMMON}
        if unknown:
            raise Refusal("invalid_arg_name", response_metadata={"messages": sorted(unknown)})


def page(entries: Sequence[JsonObject], call: Call, *, default: int, most: int = 1000) -> tuple[list[JsonObject], str]:
    """One page, and the cursor of the next or an empty text. See https://docs.slack.dev/apis/web-api/pagination"""
    size = call.number("limit", default, most=most)
    cursor = call.text("cursor")
    begin = 0
    if cursor:
        if not cursor.startswith("page:") or not cursor[5:].isdigit():
            raise Refusal("invalid_cursor")
        begin = int(cursor[5:])
    end = begin + size
    return list(entries[begin:end]), f"page:{end}" if end < len(entries) else ""
