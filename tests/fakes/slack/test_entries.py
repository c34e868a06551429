"""What people enter, and how Slack tells it."""

from __future__ import annotations

from typing import Any

import pytest

from .blocks import Element
from .entries import Entry, action, entered, refuse_bad_entry
from .refusals import ImpossibleError

OPTIONS = [{"text": {"type": "plain_text", "text": name}, "value": name.lower()} for name in ("A", "B", "C")]


def field(kind: str, **more: Any) -> Element:
    element = {"type": kind, "action_id": "a", **more}
    return Element({"type": "input", "block_id": "b", "element": element}, element)


@pytest.mark.parametrize(
    ("element", "entry", "told"),
    [
        (field("plain_text_input"), "x", {"value": "x"}),
        (field("plain_text_input"), "", {"value": None}),
        (field("number_input"), "4", {"value": "4"}),
        (field("static_select", options=OPTIONS), "b", {"selected_option": OPTIONS[1]}),
        (field("static_select", option_groups=[{"options": OPTIONS}]), "c", {"selected_option": OPTIONS[2]}),
        (field("radio_buttons", options=OPTIONS), None, {"selected_option": None}),
        (field("checkboxes", options=OPTIONS), ["a", "c"], {"selected_options": [OPTIONS[0], OPTIONS[2]]}),
        (field("multi_static_select", options=OPTIONS), None, {"selected_options": []}),
        (field("datepicker"), "2026-03-01", {"selected_date": "2026-03-01"}),
        (field("timepicker"), "09:30", {"selected_time": "09:30"}),
        (field("users_select"), "U0MARA", {"selected_user": "U0MARA"}),
        (field("multi_users_select"), ["U0MARA"], {"selected_users": ["U0MARA"]}),
    ],
)
def test_an_entry_is_told_by_its_kind(element: Element, entry: Entry, told: dict[str, Any]) -> None:
    assert entered(element, entry, is_touched=True) == {"type": element.kind, **told}


@pytest.mark.parametrize(
    ("element", "told"),
    [
        (field("plain_text_input", initial_value="x"), {"value": "x"}),
        (field("plain_text_input"), {"value": None}),
        (field("static_select", options=OPTIONS, initial_option=OPTIONS[0]), {"selected_option": OPTIONS[0]}),
        (field("checkboxes", options=OPTIONS, initial_options=OPTIONS[:1]), {"selected_options": OPTIONS[:1]}),
        (field("datepicker", initial_date="2026-03-01"), {"selected_date": "2026-03-01"}),
    ],
)
def test_what_is_not_touched_stays_as_it_stands(element: Element, told: dict[str, Any]) -> None:
    assert entered(element, None, is_touched=False) == {"type": element.kind, **told}


@pytest.mark.parametrize(
    ("element", "entry", "why"),
    [
        (field("plain_text_input"), "", "must be filled in"),
        (field("plain_text_input", min_length=3), "ab", "too short"),
        (field("plain_text_input", max_length=3), "abcd", "too long"),
        (field("number_input"), "four", "is no number"),
        (field("number_input", is_decimal_allowed=False), "4.5", "whole numbers"),
        (field("number_input", min_value="5"), "4", "out of the range"),
        (field("number_input", max_value="3"), "4", "out of the range"),
        (field("datepicker"), None, "must be filled in"),
    ],
)
def test_slacks_client_holds_a_bad_entry_back(element: Element, entry: Entry, why: str) -> None:
    with pytest.raises(ImpossibleError, match=why):
        refuse_bad_entry(element, entered(element, entry, is_touched=True))


def test_what_may_be_left_out_may_be_empty() -> None:
    element = field("plain_text_input")
    optional = Element({**element.block, "optional": True}, element.element)
    refuse_bad_entry(optional, entered(optional, None, is_touched=True))


def test_nothing_is_entered_into_what_takes_nothing() -> None:
    with pytest.raises(ImpossibleError, match="nothing can be entered"):
        entered(field("image"), "x", is_touched=True)
    with pytest.raises(ImpossibleError, match="has no option 'd'"):
        entered(field("static_select", options=OPTIONS), "d", is_touched=True)


def test_a_button_tells_its_value_and_a_menu_what_was_chosen() -> None:
    button = field("button", text={"type": "plain_text", "text": "Yes"}, value="Q-1", style="primary")
    told = action(button, None, action_ts="1.1")
    assert (told["action_id"], told["block_id"], told["value"], told["style"]) == ("a", "b", "Q-1", "primary")
    chosen = action(field("overflow", options=OPTIONS), "a", action_ts="1.1")
    assert (chosen["type"], chosen["selected_option"]) == ("overflow", OPTIONS[0])
