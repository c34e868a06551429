"""What a person sees: texts as Slack shows them, buttons, who is pinged, where links lead.

See https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .blocks import elements
from .messages import Message
from .shapes import JsonObject, object_of, objects, text_of

_CONTROL = re.compile(r"<([^<>\n]+)>")


@dataclass(frozen=True, slots=True)
class Button:
    """One element that a person can use."""

    label: str
    action_id: str
    value: str | None
    style: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One message as it stands on the screen now.

    Attributes:
        text: What is read, line by line; blocks where there are some, else the text.
        pings: Whom it notifies: user and group ids, ``!channel``, ``!here``, ``!everyone``.
        links: What is read and where it leads.
        replies: How many replies the thread has.
        is_edited: It is marked as edited, which Slack does not do to a message of blocks.
    """

    ts: str
    author: str
    text: str
    buttons: tuple[Button, ...]
    pings: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    reactions: tuple[str, ...]
    files: tuple[str, ...]
    replies: int
    is_ephemeral: bool
    is_edited: bool
    message: Message

    @property
    def line(self) -> str:
        """In one line: ``overwinter: Refund 40 €? [Approve] [Reject]``."""
        words = " / ".join(part for part in self.text.splitlines() if part)
        return " ".join([f"{self.author}: {words}", *(f"[{button.label}]" for button in self.buttons)]).strip()


@dataclass(slots=True)
class _Reading:
    """Reads mrkdwn, and notes whom it pings and where it leads."""

    name_of: Callable[[str], str]
    pings: list[str]
    links: list[tuple[str, str]]

    def mrkdwn(self, text: str) -> str:
        return unescaped(_CONTROL.sub(self._control, text))

    def _control(self, match: re.Match[str]) -> str:
        target, _, label = match[1].partition("|")
        if target.startswith(("@", "#")):
            if target.startswith("@"):
                self.pings.append(target[1:])
            return target[0] + (label or self.name_of(target[1:]))
        if target.startswith("!subteam^"):
            self.pings.append(target.removeprefix("!subteam^"))
            return label or f"@{self.name_of(target.removeprefix('!subteam^'))}"
        if target.startswith("!"):
            kind = target.split("^")[0]
            if kind in ("!channel", "!here", "!everyone"):
                self.pings.append(kind)
                return "@" + kind[1:]
            return label or target
        shown = label or target.removeprefix("mailto:")
        self.links.append((unescaped(shown), unescaped(target)))
        return shown

    def text(self, value: object) -> str:
        """A text object, or the text of a message."""
        is_plain = object_of(value).get("type") == "plain_text"
        return unescaped(text_of(value)) if is_plain else self.mrkdwn(text_of(value))

    def rich(self, element: JsonObject) -> str:
        match element.get("type"):
            case "text":
                return str(element.get("text", ""))
            case "emoji":
                return f":{element.get('name')}:"
            case "user":
                self.pings.append(str(element["user_id"]))
                return f"@{self.name_of(element['user_id'])}"
            case "usergroup":
                self.pings.append(str(element["usergroup_id"]))
                return f"@{self.name_of(element['usergroup_id'])}"
            case "broadcast":
                self.pings.append(f"!{element.get('range')}")
                return f"@{element.get('range')}"
            case "channel":
                return f"#{self.name_of(element['channel_id'])}"
            case "link":
                shown = str(element.get("text") or element.get("url"))
                self.links.append((shown, str(element.get("url"))))
                return shown
            case "rich_text_list":
                return "\n".join(f"• {self.rich(each)}" for each in objects(element.get("elements")))
            case _:
                return "".join(self.rich(each) for each in objects(element.get("elements")))

    def lines(self, block: JsonObject) -> Iterator[str]:
        match block.get("type"):
            case "section":
                if block.get("text"):
                    yield self.text(block["text"])
                for field in objects(block.get("fields")):
                    yield self.text(field)
            case "header":
                yield self.text(block.get("text"))
            case "context":
                yield " ".join(
                    self.text(each) for each in objects(block.get("elements")) if each.get("type") != "image"
                )
            case "rich_text":
                for each in objects(block.get("elements")):
                    yield self.rich(each)
            case "markdown":
                yield str(block.get("text", ""))
            case "image":
                yield str(block.get("alt_text", ""))
            case "input":
                yield self.text(block.get("label"))
            case _:
                pass


def unescaped(text: str) -> str:
    """The three characters that Slack escapes, once. See .../formatting-message-text#escaping"""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def seen(message: Message, *, name_of: Callable[[str], str], replies: int) -> Seen:
    """The message as it stands now; ``name_of`` names a user, a group or a channel by its id."""
    reading = _Reading(name_of, [], [])
    blocks = message.blocks
    lines = [line for block in blocks for line in reading.lines(block)] if blocks else [reading.text(message.text)]
    for attachment in message.attachments:
        inner = objects(attachment.get("blocks"))
        lines.extend(line for block in inner for line in reading.lines(block))
        if not inner:
            lines.append(reading.text(attachment.get("text") or attachment.get("fallback") or ""))
    inner_blocks = [block for attachment in message.attachments for block in objects(attachment.get("blocks"))]
    return Seen(
        ts=message.ts,
        author=name_of(message.user),
        text="\n".join(lines),
        buttons=tuple(
            Button(each.label, each.action_id, each.element.get("value"), each.element.get("style"))
            for each in elements([{"block_id": "", **block} for block in [*blocks, *inner_blocks]])
        ),
        pings=tuple(reading.pings),
        links=tuple(reading.links),
        reactions=tuple(message.reactions),
        files=tuple(str(file["name"]) for file in message.files),
        replies=replies,
        is_ephemeral=message.only_for is not None,
        is_edited=message.edited is not None and not blocks,
        message=message,
    )
