"""Whether a decision fits its question."""

from __future__ import annotations

from typing import Any

import pytest

from overwinter.actors.asks import AnswerForm, ApprovalForm, Ask, ChoiceForm, Form
from overwinter.actors.errors import PauseInvalidDecisionError
from overwinter.actors.ports import Validator
from overwinter.channels.decisions import validate_decision

SCHEMA = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "amount": {"type": "number", "exclusiveMinimum": 0}},
    "required": ["order_id", "amount"],
    "additionalProperties": False,
}
APPROVAL = ApprovalForm(tool="refund", arguments={"order_id": "4471", "amount": 80}, schema=SCHEMA)
CHOICE = ChoiceForm(choices=("approve", "reject"))
ANSWER = AnswerForm(
    schema={"type": "object", "properties": {"start": {"type": "string", "format": "date"}}, "required": ["start"]}
)

validator: Validator = validate_decision
"""It is what the runtime's port asks for."""


def ask(form: Form) -> Ask:
    return Ask(
        pause_id="0" * 32,
        role="r",
        prompt="?",
        form=form,
        session_id="s",
        tenant="t",
        owner="o",
        bot="b",
        asked_at_ms=0,
    )


def fault(form: Form, decision: Any) -> str:
    with pytest.raises(PauseInvalidDecisionError) as caught:
        validate_decision(ask(form), decision)
    assert caught.value.code == "pause.invalid-decision"
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ({"approved": True}, {"approved": True, "reason": None, "override_arguments": None}),
        ({"approved": False, "reason": "no"}, {"approved": False, "reason": "no", "override_arguments": None}),
        (
            {"override_arguments": {"order_id": "4471", "amount": 40}, "approved": True},
            {"approved": True, "reason": None, "override_arguments": {"order_id": "4471", "amount": 40}},
        ),
        (
            {"approved": False, "reason": None, "override_arguments": None},
            {"approved": False, "reason": None, "override_arguments": None},
        ),
    ],
)
def test_an_approval_comes_back_in_canonical_form(given: Any, canonical: Any) -> None:
    assert list(validate_decision(ask(APPROVAL), given).items()) == list(canonical.items())


@pytest.mark.parametrize(
    ("decision", "place"),
    [
        (None, "$:"),
        (True, "$:"),
        ("approve", "$:"),
        ([], "$:"),
        ({}, "$.approved:"),
        ({"approved": "true"}, "$.approved:"),
        ({"approved": 1}, "$.approved:"),
        ({"approved": True, "extra": 1}, "$.extra:"),
        ({"approved": True, "reason": 5}, "$.reason:"),
        ({"approved": False, "override_arguments": {"order_id": "4471", "amount": 40}}, "$.override_arguments:"),
        ({"approved": True, "override_arguments": []}, "$.override_arguments:"),
        ({"approved": True, "override_arguments": {"order_id": "4471"}}, "$.override_arguments:"),
        ({"approved": True, "override_arguments": {"order_id": "4471", "amount": -1}}, "$.override_arguments.amount:"),
        (
            {"approved": True, "override_arguments": {"order_id": "4471", "amount": True}},
            "$.override_arguments.amount:",
        ),
        ({"approved": True, "override_arguments": {"order_id": "4471", "amount": 1, "x": 1}}, "$.override_arguments:"),
        ({"approved": True, "reason": "\ud800"}, "$.reason:"),
        ({"approved": True, "reason": float("nan")}, "$.reason:"),
        ({"approved": True, 5: 1}, "$:"),
        ({"approved": True, "override_arguments": {"order_id": ("a",), "amount": 1}}, "$.override_arguments.order_id:"),
    ],
)
def test_an_approval_that_does_not_fit_is_refused_by_its_place(decision: Any, place: str) -> None:
    assert fault(APPROVAL, decision).startswith(place)


@pytest.mark.parametrize("choice", ["Approve", "approve ", "", None, 0, ["approve"], "maybe"])
def test_only_a_choice_letter_for_letter_fits(choice: Any) -> None:
    assert validate_decision(ask(CHOICE), "reject") == "reject"
    assert "'approve', 'reject'" in fault(CHOICE, choice)


@pytest.mark.parametrize(
    ("decision", "place"),
    [
        ({}, "$:"),
        ({"start": "soon"}, "$.start:"),
        ({"start": "2026-02-30"}, "$.start:"),
        ({"start": 5}, "$.start:"),
        ("2026-03-09", "$:"),
    ],
)
def test_an_answer_must_be_valid_for_its_schema(decision: Any, place: str) -> None:
    assert validate_decision(ask(ANSWER), {"start": "2026-03-09"}) == {"start": "2026-03-09"}
    assert fault(ANSWER, decision).startswith(place)


def test_what_cannot_be_stored_is_no_answer() -> None:
    anything = AnswerForm(schema={})
    deep: Any = 0
    for _ in range(100):
        deep = [deep]
    assert "nested too deeply" in fault(anything, deep)
    assert fault(anything, {"a": [1, float("inf")]}) == "$.a[1]: a finite number is wanted"
    assert fault(anything, {"a": b"x"}) == "$.a: bytes is no JSON"
    assert fault(anything, {"\udc00": 1}).startswith("$:")
    assert validate_decision(ask(anything), [None, True, 1, 1.5, "ä", {"a": []}]) == [
        None,
        True,
        1,
        1.5,
        "ä",
        {"a": []},
    ]
