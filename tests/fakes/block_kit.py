"""What Slack accepts as a message or a modal, as far as our product uses it, and stricter where its documentation is silent.

Written from https://docs.slack.dev/reference/block-kit alone, and knows nothing of what makes the blocks. Refused is what is
too long (counted in UTF-16 units), empty, unknown, twice there, or in a place where it may not be. Bolder than Slack: a key or
type that is not listed here is refused, so whoever begins to use one says so here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, cast

Json = Mapping[str, Any]


class BlockKitError(Exception):
    """Slack would answer ``invalid_blocks``, ``invalid_arguments`` or ``msg_blocks_too_long``; says where and why."""


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def check_message(arguments: Json) -> None:
    """The arguments of ``chat.postMessage`` or ``chat.update``, without channel and thread."""
    known = ("text", "blocks", "metadata", "mrkdwn", "unfurl_links", "unfurl_media", "parse", "link_names")
    _keys(arguments, "message", needed=("text", "blocks"), known=known)
    _text(arguments["text"], "text", most=40_000)
    _check_mrkdwn(arguments["text"], "text")
    if arguments.get("parse") != "none" or arguments.get("link_names") is not False:
        raise BlockKitError("message: names in its text would be linked")
    blocks = _list(arguments["blocks"], "blocks", least=1, most=50)
    for at, block in enumerate(blocks):
        _block(block, f"blocks[{at}]", _IN_MESSAGES)
    _distinct(blocks, "block_id", "blocks")
    if units(json.dumps(blocks, ensure_ascii=False)) > 12_000:
        raise BlockKitError("blocks: msg_blocks_too_long")
    if "metadata" in arguments:
        _metadata(arguments["metadata"], "metadata")
    _whole(arguments, "message")


def check_view(view: Json) -> None:
    """A modal for ``views.open`` and ``views.update``."""
    known = ("type", "callback_id", "title", "close", "submit", "private_metadata", "blocks")
    _keys(view, "view", needed=("type", "callback_id", "title", "blocks"), known=known)
    if view["type"] != "modal":
        raise BlockKitError("view.type: modal is wanted")
    _text(view["callback_id"], "view.callback_id", most=255)
    for name in ("title", "close", "submit"):
        if name in view:
            _plain(view[name], f"view.{name}", most=24)
    _text(view.get("private_metadata", "-"), "view.private_metadata", most=3_000)
    blocks = _list(view["blocks"], "view.blocks", least=1, most=100)
    for at, block in enumerate(blocks):
        _block(block, f"view.blocks[{at}]", _IN_MODALS)
    _distinct(blocks, "block_id", "view.blocks")
    _distinct([block["element"] for block in blocks if block["type"] == "input"], "action_id", "view.blocks")
    if any(block["type"] == "input" for block in blocks) and "submit" not in view:
        raise BlockKitError("view.submit: a modal with inputs needs it")
    if len(json.dumps(view)) > 250_000:
        raise BlockKitError("view: view_too_large")
    _whole(view, "view")


def check_errors(view: Json, response: Json) -> None:
    """An acknowledgement of a modal with ``response_action`` ``errors``."""
    _keys(response, "response", needed=("response_action", "errors"), known=())
    if response["response_action"] != "errors" or not response["errors"]:
        raise BlockKitError("response: errors are wanted")
    inputs = {block["block_id"] for block in view["blocks"] if block["type"] == "input"}
    for block_id, text in response["errors"].items():
        if block_id not in inputs:
            raise BlockKitError(f"response.errors: {block_id!r} is no input of the modal")
        _text(text, f"response.errors.{block_id}", most=2_000)


def texts_with_markup(found: object) -> Iterator[str]:
    """All texts in which Slack looks for markup: mrkdwn objects, and the text beside the blocks."""
    match found:
        case {"type": "mrkdwn", "text": str() as text}:
            yield text
        case dict():
            for name, each in cast("dict[str, object]", found).items():
                if name == "text" and isinstance(each, str) and "blocks" in found:
                    yield each
                yield from texts_with_markup(each)
        case list():
            for each in cast("list[object]", found):
                yield from texts_with_markup(each)
        case _:
            pass


def texts_in(found: object) -> Iterator[str]:
    """All texts that people read in blocks, in their order."""
    match found:
        case dict():
            members = cast("dict[str, object]", found)
            text = members.get("text")
            if isinstance(text, str) and members.get("type") in ("text", "plain_text", "mrkdwn"):
                yield text
            for each in members.values():
                yield from texts_in(each)
        case list() | tuple():
            for each in cast("list[object]", found):
                yield from texts_in(each)
        case _:
            pass


def buttons_in(arguments: Json) -> list[Json]:
    """All buttons of a message or a modal."""
    blocks = [block for block in arguments["blocks"] if block["type"] == "actions"]
    return [element for block in blocks for element in block["elements"] if element["type"] == "button"]


def _block(block: Any, at: str, allowed: Mapping[str, Callable[[Json, str], None]]) -> None:
    if not isinstance(block, Mapping):
        raise BlockKitError(f"{at}: an object is wanted")
    found = cast("Json", block)
    kind = found.get("type")
    if not isinstance(kind, str) or kind not in allowed:
        raise BlockKitError(f"{at}.type: {kind!r} is not for this surface")
    _text(found.get("block_id", "-"), f"{at}.block_id", most=255)
    allowed[kind](found, at)


def _section(block: Json, at: str) -> None:
    _keys(block, at, needed=("type",), known=("block_id", "text", "fields"))
    if "text" not in block and "fields" not in block:
        raise BlockKitError(f"{at}: a section has text or fields")
    if "text" in block:
        _text_object(block["text"], f"{at}.text", most=3_000)
    for number, field in enumerate(_list(block.get("fields", [{}]), f"{at}.fields", least=1, most=10)):
        if "fields" in block:
            _text_object(field, f"{at}.fields[{number}]", most=2_000)


def _actions(block: Json, at: str) -> None:
    _keys(block, at, needed=("type", "elements"), known=("block_id",))
    elements = _list(block["elements"], f"{at}.elements", least=1, most=25)
    for number, element in enumerate(elements):
        _button(element, f"{at}.elements[{number}]")
    _distinct(elements, "action_id", f"{at}.elements")


def _button(button: Json, at: str) -> None:
    _keys(button, at, needed=("type", "text", "action_id"), known=("value", "style", "confirm"))
    if button["type"] != "button":
        raise BlockKitError(f"{at}.type: a button is wanted")
    _plain(button["text"], f"{at}.text", most=75)
    _text(button["action_id"], f"{at}.action_id", most=255)
    _text(button.get("value", "-"), f"{at}.value", most=2_000)
    if button.get("style", "primary") not in ("primary", "danger"):
        raise BlockKitError(f"{at}.style: primary or danger is wanted")
    if "confirm" in button:
        confirm, where = button["confirm"], f"{at}.confirm"
        _keys(confirm, where, needed=("title", "text", "confirm", "deny"), known=())
        for name, most in (("title", 100), ("text", 300), ("confirm", 30), ("deny", 30)):
            _plain(confirm[name], f"{where}.{name}", most=most)


def _input(block: Json, at: str) -> None:
    _keys(block, at, needed=("type", "label", "element"), known=("block_id", "optional", "hint"))
    _plain(block["label"], f"{at}.label", most=2_000)
    if "hint" in block:
        _plain(block["hint"], f"{at}.hint", most=2_000)
    element, where = block["element"], f"{at}.element"
    _text(element.get("action_id"), f"{where}.action_id", most=255)
    match element.get("type"):
        case "plain_text_input":
            _keys(
                element,
                where,
                needed=("type", "action_id"),
                known=("initial_value", "multiline", "max_length"),
            )
            most = element.get("max_length", 3_000)
            if not 1 <= most <= 3_000:
                raise BlockKitError(f"{where}.max_length: 1 to 3,000")
            if "initial_value" in element:
                _text(element["initial_value"], f"{where}.initial_value", most=most)
        case "static_select":
            _keys(element, where, needed=("type", "action_id", "options"), known=("initial_option",))
            options = _list(element["options"], f"{where}.options", least=1, most=100)
            for number, option in enumerate(options):
                _keys(option, f"{where}.options[{number}]", needed=("text", "value"), known=())
                _plain(option["text"], f"{where}.options[{number}].text", most=75)
                _text(option["value"], f"{where}.options[{number}].value", most=150)
            _distinct(options, "value", f"{where}.options")
            if element.get("initial_option", options[0]) not in options:
                raise BlockKitError(f"{where}.initial_option: none of the options")
        case "datepicker":
            _keys(element, where, needed=("type", "action_id"), known=("initial_date",))
            if "initial_date" in element and not _is_day(element["initial_date"]):
                raise BlockKitError(f"{where}.initial_date: a day as YYYY-MM-DD is wanted")
        case other:
            raise BlockKitError(f"{where}.type: {other!r} is no input")


def _rich_text(block: Json, at: str) -> None:
    _keys(block, at, needed=("type", "elements"), known=("block_id",))
    for number, part in enumerate(_list(block["elements"], f"{at}.elements", least=1, most=200)):
        where = f"{at}.elements[{number}]"
        _keys(part, where, needed=("type", "elements"), known=())
        match part["type"]:
            case "rich_text_section":
                kinds = ("text", "user", "emoji", "date")
            case "rich_text_preformatted" | "rich_text_quote":
                kinds = ("text",)
            case other:
                raise BlockKitError(f"{where}.type: {other!r}")
        for place, element in enumerate(_list(part["elements"], f"{where}.elements", least=1, most=200)):
            _rich_element(element, f"{where}.elements[{place}]", kinds)


def _rich_element(element: Json, at: str, kinds: tuple[str, ...]) -> None:
    if element.get("type") not in kinds:
        raise BlockKitError(f"{at}.type: {element.get('type')!r}")
    match element["type"]:
        case "text":
            _keys(element, at, needed=("type", "text"), known=("style",))
            _text(element["text"], f"{at}.text", most=12_000, may_be_blank=True)
            style = element.get("style", {"bold": True})
            if not style or set(style) - {"bold", "italic", "strike", "code"} or set(style.values()) != {True}:
                raise BlockKitError(f"{at}.style")
        case "user":
            _keys(element, at, needed=("type", "user_id"), known=())
            if not re.fullmatch("[UW][A-Z0-9]{1,30}", element["user_id"]):
                raise BlockKitError(f"{at}.user_id")
        case "emoji":
            _keys(element, at, needed=("type", "name"), known=())
            if not re.fullmatch("[a-z0-9_+-]{1,100}", element["name"]):
                raise BlockKitError(f"{at}.name")
        case _:
            _keys(element, at, needed=("type", "timestamp", "format"), known=("fallback",))
            if not isinstance(element["timestamp"], int) or not 0 <= element["timestamp"] < 10**12:
                raise BlockKitError(f"{at}.timestamp: seconds are wanted")
            if not re.search(r"\{(date|time)", element["format"]):
                raise BlockKitError(f"{at}.format")
            _text(element.get("fallback", "-"), f"{at}.fallback", most=200)


_IN_MESSAGES: Mapping[str, Callable[[Json, str], None]] = {
    "section": _section,
    "actions": _actions,
    "rich_text": _rich_text,
}
_IN_MODALS: Mapping[str, Callable[[Json, str], None]] = {**_IN_MESSAGES, "input": _input}


def _metadata(metadata: Json, at: str) -> None:
    """https://docs.slack.dev/messaging/message-metadata"""
    _keys(metadata, at, needed=("event_type", "event_payload"), known=())
    if not re.fullmatch("[A-Za-z0-9_.]{1,255}", metadata["event_type"]):
        raise BlockKitError(f"{at}.event_type")
    payload = metadata["event_payload"]
    if not all(isinstance(each, str | int | bool) for each in payload.values()):
        raise BlockKitError(f"{at}.event_payload: flat values are wanted")
    if len(json.dumps(metadata).encode()) > 8_000:
        raise BlockKitError(f"{at}: metadata_too_large")


def _text_object(found: Json, at: str, *, most: int) -> None:
    if found.get("type") == "plain_text":
        _plain(found, at, most=most)
        return
    _keys(found, at, needed=("type", "text", "verbatim"), known=())
    if found["type"] != "mrkdwn" or found["verbatim"] is not True:
        raise BlockKitError(f"{at}: plain text, or mrkdwn taken as it is")
    _text(found["text"], f"{at}.text", most=most)
    _check_mrkdwn(found["text"], f"{at}.text")


def _plain(found: Json, at: str, *, most: int) -> None:
    _keys(found, at, needed=("type", "text"), known=("emoji",))
    if found["type"] != "plain_text" or found.get("emoji") is not False:
        raise BlockKitError(f"{at}: plain text is wanted, without emoji made of colons")
    _text(found["text"], f"{at}.text", most=most)


def _text(found: Any, at: str, *, most: int, may_be_blank: bool = False) -> None:
    if not isinstance(found, str):
        raise BlockKitError(f"{at}: text is wanted")
    if not found or not (may_be_blank or found.strip()):
        raise BlockKitError(f"{at}: it is empty")
    if units(found) > most:
        raise BlockKitError(f"{at}: {units(found)} of {most} units")


def _check_mrkdwn(text: str, at: str) -> None:
    """Nothing that acts: no control sequence, no bare ``&``, no name, address or code block that Slack would make of it."""
    if re.search(r"[<>]|&(?!(?:amp|lt|gt);)", text):
        raise BlockKitError(f"{at}: an unescaped control character")
    if re.search(
        r"@(?:here|channel|everyone|group)|[a-z]://|mailto:(?!\u200b)|```|:[a-z0-9_+-]+:", text, re.IGNORECASE
    ):
        raise BlockKitError(f"{at}: something that Slack would act upon")


def _keys(found: Any, at: str, *, needed: tuple[str, ...], known: tuple[str, ...]) -> None:
    if not isinstance(found, Mapping):
        raise BlockKitError(f"{at}: an object is wanted")
    names = set(cast("Json", found))
    if missing := set(needed) - names:
        raise BlockKitError(f"{at}: {sorted(missing)} are missing")
    if unknown := names - set(needed) - set(known):
        raise BlockKitError(f"{at}: {sorted(unknown)} are unknown")


def _list(found: Any, at: str, *, least: int, most: int) -> list[Any]:
    if not isinstance(found, list):
        raise BlockKitError(f"{at}: a list is wanted")
    items = cast("list[Any]", found)
    if not least <= len(items) <= most:
        raise BlockKitError(f"{at}: {len(items)} items, {least} to {most} are wanted")
    return items


def _distinct(items: list[Json], name: str, at: str) -> None:
    found = [item[name] for item in items if name in item]
    if len(set(found)) < len(found):
        raise BlockKitError(f"{at}: the same {name} twice")


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _whole(found: Json, at: str) -> None:
    """Nothing invisible or broken: no half characters, no bidirectional controls, no control characters."""
    text = json.dumps(found, ensure_ascii=False)
    unescaped = "".join(texts_in(found)) if "blocks" in found else text
    if re.search("[\ud800-\udfff\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f\x7f]", unescaped):
        raise BlockKitError(f"{at}: characters that are not seen")
