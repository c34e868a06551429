"""What a person enters into an element, as Slack tells it; and what Slack's clients would not let them enter.

See https://docs.slack.dev/reference/block-kit/block-elements and
https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload
"""

from __future__ import annotations

from collections.abc import Sequence

from .blocks import Element
from .refusals import ImpossibleError
from .shapes import JsonObject, object_of, objects

Entry = str | Sequence[str] | None
"""A text, the value of an option, an id, a date; several of them; or nothing."""

_PICKED = {
    "users_select": ("selected_user", "initial_user"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "channels_select": ("selected_channel", "initial_channel"),
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "datetimepicker": ("selected_date_time", "initial_date_time"),
    "multi_users_select": ("selected_users", "initial_users"),
    "multi_conversations_select": ("selected_conversations", "initial_conversations"),
    "multi_channels_select": ("selected_channels", "initial_channels"),
}
"""Where a picker tells what was picked, and where it says what was picked beforehand."""

_TYPED = ("plain_text_input", "email_text_input", "url_text_input", "number_input")
_ONE_OPTION = ("static_select", "radio_buttons", "overflow")
_MANY_OPTIONS = ("checkboxes", "multi_static_select")


def entered(field: Element, entry: Entry, *, is_touched: bool) -> JsonObject:
    """The element's part of ``state.values``: what was entered, or what stood there where it was not touched."""
    kind, element = field.kind, field.element
    if kind in _TYPED:
        return {"type": kind, "value": (entry or None) if is_touched else element.get("initial_value")}
    if kind in _ONE_OPTION:
        option = _option(field, entry) if is_touched else element.get("initial_option")
        return {"type": kind, "selected_option": option}
    if kind in _MANY_OPTIONS:
        chosen = [_option(field, each) for each in _many(entry)] if is_touched else element.get("initial_options", [])
        return {"type": kind, "selected_options": chosen}
    if kind in _PICKED:
        name, initial = _PICKED[kind]
        picked: object = (list(_many(entry)) if kind.startswith("multi_") else entry) if is_touched else None
        return {"type": kind, name: picked if is_touched else element.get(initial)}
    raise ImpossibleError(f"nothing can be entered into {kind!r}")


def is_empty(value: JsonObject) -> bool:
    return not any(part for name, part in value.items() if name != "type")


def refuse_bad_entry(field: Element, value: JsonObject) -> None:
    """Slack's clients check these before anything is sent."""
    if is_empty(value):
        if field.is_input and not field.block.get("optional"):
            raise ImpossibleError(f"{field.block_id!r} must be filled in")
        return
    text = value.get("value")
    if isinstance(text, str):
        if len(text) < int(field.element.get("min_length", 0)):
            raise ImpossibleError(f"{field.block_id!r} is too short")
        if len(text) > int(field.element.get("max_length", 3_000)):
            raise ImpossibleError(f"{field.block_id!r} is too long")
        if field.kind == "number_input":
            _refuse_bad_number(field, text)


def action(field: Element, entry: Entry, *, action_ts: str) -> JsonObject:
    """The element's part of ``actions``; see https://docs.slack.dev/reference/interaction-payloads/block_actions-payload"""
    told: JsonObject = {"action_id": field.action_id, "block_id": field.block_id, "action_ts": action_ts}
    if field.kind in ("button", "workflow_button"):
        kept = ("type", "text", "value", "style", "url")
        return told | {name: field.element[name] for name in kept if name in field.element}
    return told | entered(field, entry, is_touched=True)


def _many(entry: Entry) -> Sequence[str]:
    return () if entry is None else (entry,) if isinstance(entry, str) else entry


def _option(field: Element, value: Entry) -> JsonObject | None:
    if value is None:
        return None
    options = [*objects(field.element.get("options"))]
    for group in objects(field.element.get("option_groups")):
        options.extend(objects(group.get("options")))
    for option in options:
        if option.get("value") == value:
            return object_of(option)
    raise ImpossibleError(f"{field.action_id!r} has no option {value!r}; it has {[o.get('value') for o in options]}")


def _refuse_bad_number(field: Element, text: str) -> None:
    try:
        number = float(text)
    except ValueError:
        raise ImpossibleError(f"{text!r} is no number") from None
    if "." in text and not field.element.get("is_decimal_allowed"):
        raise ImpossibleError(f"{field.block_id!r} takes whole numbers")
    least, most = field.element.get("min_value"), field.element.get("max_value")
    if (least is not None and number < float(least)) or (most is not None and number > float(most)):
        raise ImpossibleError(f"{text} is out of the range of {field.block_id!r}")
