"""Modals: what they show and carry, and what becomes of what is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.actors.asks import ApprovalForm, Ask, ChoiceForm
from overwinter.actors.errors import PauseInvalidDecisionError
from overwinter.channels.decisions import validate_decision
from overwinter.channels.slack.carried import Action, ModalKind, Pressed, QuestionRef, pressed, question_in
from overwinter.channels.slack.fields import MISSING, answer_fields, argument_fields
from overwinter.channels.slack.modals import (
    View,
    answer_modal,
    changes_modal,
    choice_modal,
    full_text_modal,
    reason_modal,
)
from overwinter.channels.slack.submissions import FieldErrors, ToDecide, ToOpen, on_press, on_submit
from overwinter.channels.visible import visible

from ...fakes.block_kit import buttons_in, check_errors, check_view, texts_in, units
from .asking import PAUSE, answer, approval, ask, choice, refund
from .strategies import approvals, asks, texts, unhurried

FULL: dict[str, Any] = {
    "order_id": "4471",
    "amount": "80.00",
    "urgent": True,
    "reason": "late",
    "due": "2026-03-09",
    "copies": 2,
    "customer": {"name": "Kim"},
}


def prefilled(view: View) -> dict[str, str | None]:
    """What a person sends who opens a modal and touches nothing."""
    values: dict[str, str | None] = {}
    for block in view["blocks"]:
        if block["type"] == "input":
            element = block["element"]
            option = element.get("initial_option", {}).get("value")
            values[block["block_id"]] = element.get("initial_value") or element.get("initial_date") or option
    return values


def block_of(view: View, label: str) -> str:
    (found,) = [
        each["block_id"] for each in view["blocks"] if each["type"] == "input" and each["label"]["text"] == label
    ]
    return found


def edited(arguments: dict[str, Any], changes: Mapping[str, str | None], **more: Any) -> ToDecide | FieldErrors:
    """What becomes of an edit: by the label of each input what is typed instead."""
    form = approval(arguments, **more)
    view = changes_modal(ask(form))
    check_view(view)
    values = prefilled(view) | {block_of(view, label): typed for label, typed in changes.items()}
    found = on_submit(form, ModalKind.CHANGES, values)
    assert isinstance(found, ToDecide | FieldErrors)
    if isinstance(found, FieldErrors):
        check_errors(view, found.as_response())
    else:
        validate_decision(ask(form), found.decision)
    return found


def override(found: ToDecide | FieldErrors) -> Any:
    assert isinstance(found, ToDecide), found
    return found.decision["override_arguments"]


def error(found: ToDecide | FieldErrors) -> str:
    assert isinstance(found, FieldErrors), found
    (text,) = found.errors.values()
    return text


@unhurried
@given(asks, st.integers(min_value=0, max_value=999))
def test_whatever_is_asked_slack_takes_its_modals(found: Ask, page: int) -> None:
    views = [full_text_modal(found), full_text_modal(found, page=page)]
    if isinstance(found.form, ApprovalForm):
        views.append(reason_modal(found))
    for action, make in ((Action.CHANGE, changes_modal), (Action.CHOOSE, choice_modal), (Action.ANSWER, answer_modal)):
        press = Pressed(action=action, question=QuestionRef(tenant=found.tenant, pause_id=found.pause_id))
        if on_press(found.form, press) is None:
            with pytest.raises(ValueError, match=r"to (edit|choose|fill in)"):
                make(found)
        elif not isinstance(found.form, ChoiceForm) or len(found.form.choices) <= 100:
            views.append(make(found))
    for view in views:
        check_view(view)
        assert not view["title"]["text"].endswith("…")
        assert question_in(view["private_metadata"]) == QuestionRef(tenant=found.tenant, pause_id=found.pause_id)


@unhurried
@given(approvals)
def test_a_modal_that_is_not_touched_changes_nothing(form: ApprovalForm) -> None:
    fields = argument_fields(form)
    if fields and all(field.now is not MISSING or not field.is_required for field in fields):
        values = prefilled(changes_modal(ask(form)))
        assert on_submit(form, ModalKind.CHANGES, values) == ToDecide(
            decision={"approved": True, "reason": None, "override_arguments": None}
        )


@unhurried
@given(approvals, st.data())
def test_whatever_is_sent_gives_a_decision_that_fits_or_says_what_is_wrong(
    form: ApprovalForm, data: st.DataObject
) -> None:
    fields = argument_fields(form)
    if not fields:
        return
    view = changes_modal(ask(form))
    changed = data.draw(st.sampled_from(fields))
    typed: str | None = data.draw(st.none() | texts)
    values = prefilled(view) | {changed.block_id: typed}
    match on_submit(form, ModalKind.CHANGES, values):
        case FieldErrors() as errors:
            check_errors(view, errors.as_response())
        case ToDecide(decision=decision):
            if decision["override_arguments"] is not None:
                arguments: dict[str, Any] = decision["override_arguments"]
                for name, each in form.arguments.items():
                    assert name == changed.name or arguments[name] is each
            try:
                validate_decision(ask(form), decision)
            except PauseInvalidDecisionError:
                # What was at fault before still is.
                with pytest.raises(PauseInvalidDecisionError):
                    validate_decision(
                        ask(form), {"approved": True, "reason": None, "override_arguments": form.arguments}
                    )
        case other:
            pytest.fail(f"{other} is nothing to answer with")


def test_a_modal_shows_every_kind_of_field_as_it_is_now() -> None:
    view = changes_modal(ask(approval(FULL)))
    check_view(view)
    inputs = {block["label"]["text"]: block for block in view["blocks"] if block["type"] == "input"}
    assert list(inputs) == [*FULL, "Reason"]
    found = prefilled(view)
    assert [found[inputs[name]["block_id"]] for name in FULL] == [
        *("4471", "80.00", "0", "1", "2026-03-09", "2"),
        '{\n  "name": "Kim"\n}',
    ]
    assert inputs["due"]["element"]["type"] == "datepicker"
    assert inputs["order_id"]["hint"]["text"] == "As printed on the receipt."
    assert [name for name, block in inputs.items() if not block["optional"]] == ["order_id", "amount"]


@pytest.mark.parametrize(
    ("label", "typed", "value"),
    [
        ("order_id", "4472", "4472"),
        ("order_id", "true", "true"),
        ("amount", "75.50", "75.50"),
        ("urgent", "1", False),
        ("reason", "0", "broken"),
        ("due", "2026-04-01", "2026-04-01"),
        ("due", None, None),
        ("copies", "3", 3),
        ("customer", '{"name": "Lee"}', {"name": "Lee"}),
    ],
)
def test_an_edit_is_read_as_the_type_of_its_field(label: str, typed: str | None, value: Any) -> None:
    found = override(edited(FULL, {label: typed}))
    assert found == {**FULL, label: value}
    assert type(found[label]) is type(value)


@pytest.mark.parametrize("label", ["urgent", "reason", "copies", "customer"])
def test_an_argument_that_may_be_left_out_is_left_out_when_it_is_emptied(label: str) -> None:
    assert override(edited(FULL, {label: ""})) == {name: each for name, each in FULL.items() if name != label}


@pytest.mark.parametrize(
    ("label", "typed", "text"),
    [
        ("order_id", "  ", "A value is needed"),
        ("amount", "80 €", "not valid"),
        ("amount", "-3", "not valid"),
        ("copies", "many", "A number is wanted"),
        ("copies", "1e999", "A number is wanted"),
        ("copies", "10", "greater than the maximum"),
        ("copies", "2.5", "not of type 'integer'"),
        ("copies", "9" * 5_000, "A number is wanted"),
        ("reason", "7", "choose from the list"),
        ("reason", "late", "choose from the list"),
        ("reason", "٣", "choose from the list"),
        ("due", "2026-02-30", "not a 'date'"),
        ("customer", "{", "no JSON"),
        ("customer", "“name”", "no JSON"),
        ("customer", "NaN", "no JSON"),
        ("customer", '{"name": "a", "name": "b"}', "no JSON"),
        ("customer", "[" * 3_000, "no JSON"),
        ("customer", "[" * 80 + "]" * 80, "nested too deeply"),
        ("customer", '{"name": 3}', "not of type 'string'"),
        ("customer", '{"name": "a", "age": 3}', "'age'"),
    ],
)
def test_what_does_not_fit_is_told_at_its_input(label: str, typed: str, text: str) -> None:
    found = edited(FULL, {label: typed})
    assert text in error(found)
    assert isinstance(found, FieldErrors)
    assert list(found.errors) == [block_of(changes_modal(ask(approval(FULL))), label)]


def test_every_input_that_does_not_fit_is_told_at_once() -> None:
    found = edited(FULL, {"copies": "x", "customer": "x", "order_id": None})
    assert isinstance(found, FieldErrors)
    assert len(found.errors) == 3


def test_what_is_wrong_with_the_whole_is_told_at_the_first_input() -> None:
    schema = {
        "type": "object",
        "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        "dependentRequired": {"street": ["city"]},
    }
    found = edited({"street": "a", "city": "b"}, {"city": ""}, schema=schema)
    assert "'city' is a dependency of 'street'" in error(found)


def test_null_can_be_typed_where_it_is_allowed() -> None:
    parts = {"anyOf": [{"type": "object"}, {"type": "null"}]}
    for schema, allowed in ((parts, True), ({"type": "object"}, False)):
        found = edited({"a": {"b": 1}}, {"a": "null"}, schema={"type": "object", "properties": {"a": schema}})
        assert isinstance(found, ToDecide) == allowed
        assert not allowed or override(found) == {"a": None}


def test_a_blank_value_may_stay_blank() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "required": ["a", "b"],
    }
    for blank in ("", "  ", "\n"):
        first, second, _ = (
            each for each in changes_modal(ask(approval({"a": blank, "b": "x"}, schema=schema)))["blocks"][1:]
        )
        assert (first["optional"], second["optional"]) == (True, False)
        assert override(edited({"a": blank, "b": "x"}, {"b": "y"}, schema=schema)) == {"a": blank, "b": "y"}


def test_digits_that_were_not_touched_stay_digit_for_digit() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}
    found = override(edited({"a": 0.1 + 0.2, "b": 10**30}, {"b": "2"}, schema=schema))
    assert found == {"a": 0.1 + 0.2, "b": 2}


def test_a_placeholder_stays_where_it_is_not_touched() -> None:
    """It stands for a value that the editor may not see, and need not fit the schema that the value fits."""
    schema = {
        "type": "object",
        "properties": {
            "card": {"type": "string", "pattern": "^[0-9]+$"},
            "limit": {"type": "integer"},
            "note": {"type": "string"},
        },
    }
    arguments = {"card": "‹card:1›", "limit": "‹limit:1›", "note": "a"}
    form = approval(arguments, schema=schema)
    view = changes_modal(ask(form))
    found = on_submit(form, ModalKind.CHANGES, prefilled(view) | {block_of(view, "note"): "b"})
    assert isinstance(found, ToDecide)
    assert found.decision["override_arguments"] == {**arguments, "note": "b"}


def test_what_cannot_be_edited_is_named_and_stays_as_it_is() -> None:
    text = {"type": "string"}
    schema = {"type": "object", "properties": {"long": text, "hidden": text, "note": text}}
    arguments = {"long": "x" * 3_001, "hidden": "fdp\u202e.exe", "note": "a", "more": 1}
    view = changes_modal(ask(approval(arguments, schema=schema)))
    assert "Cannot be edited here, and stay as they are: long, hidden, more" in list(texts_in(view))
    assert override(edited(arguments, {"note": "b"}, schema=schema)) == {**arguments, "note": "b"}


def test_a_list_of_values_that_holds_numbers_and_booleans_tells_them_apart() -> None:
    schema = {"type": "object", "properties": {"a": {"enum": [1, True, "1"]}}}
    for value, at in ((1, "0"), (True, "1"), ("1", "2")):
        assert prefilled(changes_modal(ask(approval({"a": value}, schema=schema))))["field:0"] == at
    assert override(edited({"a": 1}, {"a": "1"}, schema=schema)) == {"a": True}
    assert override(edited({"a": True}, {"a": "2"}, schema=schema)) == {"a": "1"}


@pytest.mark.parametrize(("typed", "reason"), [("  too dear\n", "too dear"), ("", None), (None, None)])
def test_a_rejection_has_the_reason_that_was_given(typed: str | None, reason: str | None) -> None:
    check_view(reason_modal(ask()))
    assert on_submit(refund(), ModalKind.REASON, {"reason": typed}) == ToDecide(
        decision={"approved": False, "reason": reason, "override_arguments": None}
    )


def test_an_edit_may_have_a_reason() -> None:
    found = edited(FULL, {"copies": "3", "Reason": "one for the files"})
    assert isinstance(found, ToDecide)
    assert found.decision["reason"] == "one for the files"


def test_one_of_many_choices_is_chosen_from_a_list() -> None:
    form = choice(*(f"choice {at} " + "x" * 80 for at in range(100)))
    view = choice_modal(ask(form))
    check_view(view)
    assert on_submit(form, ModalKind.CHOICE, {"choice": "99"}) == ToDecide(decision=form.choices[99])
    for typed in (None, "", "100", "-1", "1.0", "x"):
        found = on_submit(form, ModalKind.CHOICE, {"choice": typed})
        assert isinstance(found, FieldErrors)
        check_errors(view, found.as_response())


def test_an_answer_with_parts_is_filled_in() -> None:
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": "integer", "minimum": 1},
            "note": {"type": "string"},
        },
        "required": ["city", "nights"],
    }
    form = answer(schema)
    view = answer_modal(ask(form))
    check_view(view)
    city, nights = block_of(view, "city"), block_of(view, "nights")
    assert on_submit(form, ModalKind.ANSWER, {city: "Oslo", nights: "2"}) == ToDecide(
        decision={"city": "Oslo", "nights": 2}
    )
    found = on_submit(form, ModalKind.ANSWER, {city: None, nights: "0"})
    assert isinstance(found, FieldErrors)
    assert set(found.errors) == {city, nights}


def test_what_is_wrong_with_a_whole_answer_is_told_at_its_first_input() -> None:
    properties = {"street": {"type": "string"}, "city": {"type": "string"}}
    form = answer({"type": "object", "properties": properties, "dependentRequired": {"street": ["city"]}})
    found = on_submit(form, ModalKind.ANSWER, {"field:0": "Main Street", "field:1": None})
    assert isinstance(found, FieldErrors)
    assert list(found.errors) == ["field:0"]


def test_an_answer_that_does_not_fit_into_one_modal_is_not_asked_for_there() -> None:
    many = answer({"type": "object", "properties": {f"p{at}": {"type": "string"} for at in range(61)}})
    assert answer_fields(many) == ()


def test_a_modal_of_another_form_decides_nothing() -> None:
    for kind in (ModalKind.REASON, ModalKind.CHANGES, ModalKind.ANSWER):
        assert on_submit(choice("a", "b"), kind, {"reason": "x"}) is None
    for kind in (ModalKind.ANSWER, ModalKind.FULL_TEXT):
        assert on_submit(refund(), kind, {}) is None
    assert on_submit(refund(), ModalKind.CHOICE, {"choice": "0"}) is None


@pytest.mark.parametrize(
    ("action_id", "opened"),
    [
        ("q:reject", ToOpen(modal=ModalKind.REASON)),
        ("q:change", ToOpen(modal=ModalKind.CHANGES)),
        ("q:show", ToOpen(modal=ModalKind.FULL_TEXT)),
        ("q:page:3", ToOpen(modal=ModalKind.FULL_TEXT, page=3)),
        ("q:choice:0", None),
        ("q:choose", None),
        ("q:answer", None),
    ],
)
def test_a_button_opens_the_modal_of_its_question(action_id: str, opened: ToOpen | None) -> None:
    press = pressed(action_id, f'{{"t":"acme","p":"{PAUSE}"}}')
    assert press is not None
    assert on_press(refund(), press) == opened


@pytest.mark.parametrize(
    ("action_id", "carried"),
    [
        ("q:approve", None),
        ("q:approve", ""),
        ("q:approve", "Q-1042"),
        ("q:approve", "[]"),
        ("q:approve", '{"t":"acme"}'),
        ("q:approve", '{"t":"acme","p":"0"}'),
        ("q:approve", f'{{"t":3,"p":"{PAUSE}"}}'),
        ("q:approve", "[" * 2_900),
        ("q:approve", "{" * 100_000),
        ("q:approved", f'{{"t":"acme","p":"{PAUSE}"}}'),
        ("q:choice", f'{{"t":"acme","p":"{PAUSE}"}}'),
        ("q:choice:-1", f'{{"t":"acme","p":"{PAUSE}"}}'),
        ("q:choice:99999", f'{{"t":"acme","p":"{PAUSE}"}}'),
        ("q:approve:1", f'{{"t":"acme","p":"{PAUSE}"}}'),
    ],
)
def test_what_is_no_button_of_ours_is_not_taken_for_one(action_id: str, carried: str | None) -> None:
    assert pressed(action_id, carried) is None


@pytest.mark.case("sl17")
def test_everything_that_is_asked_can_be_read_in_full() -> None:
    long = "echo " + "x" * 250_000 + " ; rm -rf /srv/data\n" * 3
    found = ask(approval({"cmd": long, "note": "line\n" * 2_000}), prompt="p" * 5_000)
    first = full_text_modal(found)
    (turn,) = buttons_in(first)
    assert turn["text"]["text"] == "Next page"
    texts_seen: list[str] = []
    view, page = first, 0
    while True:
        check_view(view)
        parts = [part for block in view["blocks"] if block["type"] == "rich_text" for part in block["elements"]]
        texts_seen += [part["elements"][0]["text"] for part in parts if part["type"] == "rich_text_preformatted"]
        turns = [button for button in buttons_in(view) if button["text"]["text"] == "Next page"]
        if not turns:
            break
        press = pressed(str(turns[0]["action_id"]), str(turns[0]["value"]))
        assert press is not None
        opened = on_press(found.form, press)
        assert opened == ToOpen(modal=ModalKind.FULL_TEXT, page=page + 1)
        page += 1
        view = full_text_modal(found, page=page)
    assert page >= 4
    assert "".join(texts_seen) == found.prompt + long + "line\n" * 2_000
    assert full_text_modal(found, page=page + 50) == view


def test_a_name_is_shown_in_full_too() -> None:
    name = "a" * 200 + " rm -rf /"
    view = full_text_modal(ask(approval({name: "b"})))
    check_view(view)
    assert name in list(texts_in(view))


@unhurried
@given(asks)
def test_no_text_is_lost_in_the_full_text(found: Ask) -> None:
    view = full_text_modal(found)
    prompt = visible(found.prompt)
    if prompt.strip() and units(prompt) < 2_000 and "\n" not in prompt:
        assert prompt in list(texts_in(view))
