"""The pieces of Block Kit that our messages and modals are made of: https://docs.slack.dev/reference/block-kit

Every text given to these functions is shown as it is written, whoever wrote it: none of them makes mrkdwn.
"""

from __future__ import annotations

from ...actors.asks import JsonValue
from ...actors.moments import in_utc, to_the_minute
from .escaping import shown
from .limits import BUTTON_TEXT, CONFIRM_BUTTON, CONFIRM_TEXT, CONFIRM_TITLE, clipped

Element = dict[str, JsonValue]
Block = dict[str, JsonValue]

_DATE_FORMAT = "{date_short_pretty} at {time}"


def plain(text: str, longest: int) -> Element:
    """A plain text object of at most ``longest`` units."""
    return {"type": "plain_text", "text": clipped(shown(text), longest), "emoji": False}


def words(text: str, *, bold: bool = False, italic: bool = False, code: bool = False) -> Element:
    """Text inside rich text."""
    style = {name: True for name, is_on in (("bold", bold), ("italic", italic), ("code", code)) if is_on}
    element: Element = {"type": "text", "text": shown(text) if text != " " else text}
    return {**element, "style": style} if style else element


def emoji(name: str) -> Element:
    return {"type": "emoji", "name": name}


def moment(at_ms: int) -> Element:
    """A time, shown to each reader in their own zone.

    Args:
        at_ms: UTC epoch milliseconds.
    """
    at_s = int(in_utc(at_ms).timestamp())
    return {"type": "date", "timestamp": at_s, "format": _DATE_FORMAT, "fallback": to_the_minute(at_ms)}


def line(*elements: Element) -> Element:
    return {"type": "rich_text_section", "elements": list(elements)}


def preformatted(text: str) -> Element:
    return {"type": "rich_text_preformatted", "elements": [words(text)]}


def quote(text: str) -> Element:
    """A text in the words of somebody else, set apart from ours."""
    return {"type": "rich_text_quote", "elements": [words(text)]}


def rich(*parts: Element, block_id: str) -> Block:
    return {"type": "rich_text", "block_id": block_id, "elements": list(parts)}


def section(text: str, *, longest: int, block_id: str) -> Block:
    return {"type": "section", "block_id": block_id, "text": plain(text, longest)}


def actions(*elements: Element, block_id: str) -> Block:
    return {"type": "actions", "block_id": block_id, "elements": list(elements)}


def button(
    text: str, *, action_id: str, value: str, style: str | None = None, confirm: Element | None = None
) -> Element:
    """A button. ``style`` is ``primary`` or ``danger``; None for a plain one."""
    made: Element = {"type": "button", "action_id": str(action_id), "text": plain(text, BUTTON_TEXT), "value": value}
    if style is not None:
        made["style"] = style
    if confirm is not None:
        made["confirm"] = confirm
    return made


def confirmation(title: str, text: str, *, confirm: str, deny: str) -> Element:
    """Asks once more before a button counts."""
    return {
        "title": plain(title, CONFIRM_TITLE),
        "text": plain(text, CONFIRM_TEXT),
        "confirm": plain(confirm, CONFIRM_BUTTON),
        "deny": plain(deny, CONFIRM_BUTTON),
    }
