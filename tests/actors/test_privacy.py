"""The views of a question: for those who are asked, for listings, and the way back from an edit."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.actors.asks import (
    AnswerForm,
    ApprovalForm,
    Ask,
    AskedCall,
    ChoiceForm,
    JsonValue,
    form_from_json,
    form_to_json,
)
from overwinter.actors.errors import PauseInvalidDecisionError, PiiRefusedError
from overwinter.actors.jsontext import to_json
from overwinter.actors.marks import KEYWORD, Secret, mark, marks_of
from overwinter.actors.privacy import (
    arguments_in_prompt,
    as_asked,
    check_may_leave,
    check_prompt,
    listed_decision,
    listed_prompt,
    restored,
    secrets_of,
    told_to_asked,
    with_private,
)
from overwinter.actors.redaction import MASK

from .sensitive_values import CALLS, MARKED, Marked, leaks_in, unhurried

CARD = "4111 1111"
SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "card": {"type": "string", KEYWORD: mark("mask", is_shown=False)},
        "iban": {"type": "string", KEYWORD: mark("token", is_shown=True)},
        "amount": {"type": "number"},
        "note": {"type": "string"},
    },
}
ARGUMENTS = {"card": CARD, "iban": "DE89 3704", "amount": 80, "note": f"of {CARD}"}


def approval_of(arguments: dict[str, JsonValue], schema: dict[str, JsonValue]) -> ApprovalForm:
    return ApprovalForm(tool="t", arguments=arguments, schema=schema, marks=marks_of(schema))


def ask_of(form: Any, prompt: str = "?") -> Ask:
    return Ask(
        pause_id="0" * 32,
        role="r",
        prompt=prompt,
        form=form,
        session_id="s",
        tenant="t",
        owner="o",
        bot="b",
        asked_at_ms=0,
    )


FORM = approval_of(ARGUMENTS, SCHEMA)


def override(**changed: JsonValue) -> JsonValue:
    asked = as_asked(ask_of(FORM)).form
    assert isinstance(asked, ApprovalForm)
    return {"approved": True, "override_arguments": {**asked.arguments, **changed}}


def hidden_from_asked(form: Any) -> list[Secret]:
    return [secret for secret in secrets_of(form) if not secret.is_shown]


@unhurried
@given(CALLS)
def test_those_who_are_asked_see_no_value_that_is_not_shown_to_them(call: Marked) -> None:
    schema, arguments = call
    form = approval_of(arguments, schema)
    prompt = f"run t({to_json(arguments_in_prompt(form))}) or, all in all, {to_json(arguments)}?"
    asked = as_asked(ask_of(form, prompt))
    assert isinstance(asked.form, ApprovalForm)
    assert leaks_in([asked.form.arguments, asked.prompt], hidden_from_asked(form)) == []
    assert asked.form.schema == schema


@unhurried
@given(CALLS)
def test_no_listing_of_a_question_holds_a_value(call: Marked) -> None:
    schema, arguments = call
    form = approval_of(arguments, schema)
    prompt = f"run t({to_json(arguments_in_prompt(form))})?"
    assert leaks_in(listed_prompt(prompt, form), secrets_of(form)) == []


@pytest.mark.behaviour("G29")
@unhurried
@given(CALLS, st.text(max_size=8))
def test_no_listing_of_an_edit_holds_a_value(call: Marked, words: str) -> None:
    schema, arguments = call
    form = approval_of(arguments, schema)
    decision = {"approved": True, "reason": f"{words}{to_json(arguments)}", "override_arguments": arguments}
    listed = listed_decision(form, decision)
    assert leaks_in(listed, secrets_of(form)) == []
    assert listed["approved"] is True
    voted = listed_decision(form, {**decision, "votes": [{"by": "mara", **decision}]})
    assert leaks_in(voted, secrets_of(form)) == []


@pytest.mark.behaviour("G29")
@unhurried
@given(MARKED)
def test_no_listing_of_an_answer_holds_a_value(answer: Marked) -> None:
    schema, value = answer
    form = AnswerForm(schema=schema, marks=marks_of(schema))
    from_answer = secrets_of(ApprovalForm(tool="t", arguments={"x": value}, schema={}, marks=_under("x", schema)))
    assert leaks_in(listed_decision(form, value), from_answer) == []


def _under(name: str, schema: dict[str, JsonValue]) -> dict[str, JsonValue] | None:
    return marks_of({"type": "object", "properties": {name: schema}})


@pytest.mark.behaviour("G8")
@unhurried
@given(CALLS)
def test_what_was_asked_and_not_edited_comes_back_as_it_was(call: Marked) -> None:
    schema, arguments = call
    form = approval_of(arguments, schema)
    asked = as_asked(ask_of(form)).form
    assert isinstance(asked, ApprovalForm)
    back = restored(form, {"approved": True, "override_arguments": asked.arguments})
    assert to_json(back["override_arguments"]) == to_json(arguments)


def test_a_field_that_is_shown_stands_in_the_question_and_in_no_listing() -> None:
    asked = as_asked(ask_of(FORM, f"run t(card={CARD}, iban=DE89 3704)?"))
    assert isinstance(asked.form, ApprovalForm)
    assert asked.form.arguments == {"card": "‹card:1›", "iban": "DE89 3704", "amount": 80, "note": "of ‹card:1›"}
    assert asked.prompt == "run t(card=‹card:1›, iban=DE89 3704)?"
    assert listed_prompt(asked.prompt, FORM) == f"run t(card=‹card:1›, iban={MASK})?"


def test_an_edit_may_move_a_token_to_another_field_for_such_values_only() -> None:
    assert restored(FORM, override(iban="‹card:1›"))["override_arguments"]["iban"] == CARD
    apart = approval_of({**ARGUMENTS, "note": ""}, SCHEMA)
    with pytest.raises(PauseInvalidDecisionError, match="‹card:1›"):
        restored(apart, {"approved": True, "override_arguments": {"amount": 80, "note": "‹card:1›"}})


@pytest.mark.parametrize(
    ("changed", "named"),
    [({"card": "‹card:5›"}, "‹card:5›"), ({"note": "‹nobody:1›"}, "‹nobody:1›"), ({"card": MASK}, "card")],
)
def test_an_edit_with_a_token_that_says_nothing_is_refused(changed: dict[str, JsonValue], named: str) -> None:
    with pytest.raises(PauseInvalidDecisionError, match=named):
        restored(FORM, override(**changed))


@pytest.mark.parametrize("decision", [None, "yes", [], {}, {"approved": False}, {"override_arguments": "none"}])
def test_what_is_no_edit_is_left_for_the_validator(decision: JsonValue) -> None:
    assert restored(FORM, decision) == decision


def test_a_question_without_marks_is_the_same_for_everybody() -> None:
    form = ApprovalForm(tool="t", arguments={"note": "‹card:1› and •••"}, schema={"type": "object"})
    ask = ask_of(form, "run t(‹card:1›)?")
    assert as_asked(ask) is ask
    assert arguments_in_prompt(form) is form.arguments
    assert listed_prompt(ask.prompt, form) == ask.prompt
    edit = {"approved": True, "override_arguments": {"note": "‹card:7›"}}
    assert restored(form, edit) is edit
    assert listed_decision(form, edit) is edit


def test_the_call_behind_a_question_of_another_kind_is_hidden_too() -> None:
    call = AskedCall(call_id="c", tool="t", arguments=ARGUMENTS, marks=marks_of(SCHEMA))
    for form in (ChoiceForm(choices=("a", "b"), call=call), AnswerForm(schema={}, call=call)):
        asked = as_asked(ask_of(form, f"for {CARD}?"))
        assert isinstance(asked.form, ChoiceForm | AnswerForm)
        assert asked.form.call is not None
        assert asked.form.call.arguments["card"] == "‹card:1›"
        assert asked.prompt == "for ‹card:1›?"
        assert listed_decision(form, f"charge {CARD}") == f"charge {MASK}"
        assert told_to_asked(form, f"what of {CARD}, DE89 3704?") == f"what of {MASK}, DE89 3704?"


def test_marks_survive_the_row_that_a_question_waits_in() -> None:
    call = AskedCall(call_id="c", tool="t", arguments=ARGUMENTS, marks=marks_of(SCHEMA))
    for form in (
        FORM,
        ChoiceForm(choices=("a",), call=call),
        AnswerForm(schema={"type": "string"}, marks={KEYWORD: mark("mask", is_shown=False)}),
    ):
        assert form_from_json(form_to_json(form)) == form
    plain = ApprovalForm(tool="t", arguments={}, schema={})
    assert "marks" not in to_json(form_to_json(plain))


def test_what_may_not_leave_is_named_and_its_value_is_not() -> None:
    blocked = Secret(name="pin", level="block", is_shown=False, value="9317")
    with pytest.raises(PiiRefusedError, match="pin") as caught:
        check_may_leave([blocked], what="the question")
    assert "9317" not in str(caught.value)
    assert caught.value.code == "pii.refused"
    check_may_leave([Secret(name="card", level="token", is_shown=False, value=CARD)], what="the question")


@pytest.mark.parametrize(
    ("value", "prompt"),
    [
        ("line\nfeed", 'pay {"to": "line\\nfeed"}'),
        (1e22, "pay 10000000000000000000000"),
        (0.0000001, "pay 0.0000001"),
        ("\u0301\u0302\u0303\u0304a", "pay \u0301\u0302\u0303\u0304a"),
    ],
)
def test_a_value_in_a_prompt_is_known_however_it_is_written_there(value: JsonValue, prompt: str) -> None:
    secrets = [Secret(name="to", level="mask", is_shown=False, value=value)]
    form = with_private(ChoiceForm(choices=("yes",)), prompt, secrets)
    assert [secret.value for secret in secrets_of(form)] == [value]
    assert listed_prompt(prompt, form) != prompt
    assert MASK in listed_prompt(prompt, form)


@pytest.mark.parametrize("value", ["--", "...", "- - -"])
def test_what_says_nothing_is_no_value_that_stands_in_a_prompt(value: str) -> None:
    secrets = [Secret(name="to", level="block", is_shown=False, value=value)]
    check_prompt(f"pay {value} now", secrets)
    assert secrets_of(with_private(ChoiceForm(choices=("yes",)), f"pay {value} now", secrets)) == ()


def test_a_prompt_with_thousands_of_values_is_gone_through_once() -> None:
    cards = [f"{10**15 + 7919 * index}" for index in range(2000)]
    secrets = [Secret(name="card", level="mask", is_shown=False, value=card) for card in cards]
    begun_s = time.perf_counter()
    form = with_private(ChoiceForm(choices=("yes",)), " ".join(cards), secrets)
    assert time.perf_counter() - begun_s < 3.0
    assert [secret.value for secret in secrets_of(form)] == cards
