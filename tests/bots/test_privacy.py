"""How fields are marked, and what an agent's own model is told of their values."""

from __future__ import annotations

from typing import Annotated, Any, cast

import pytest
from hypothesis import given
from pydantic import BaseModel

from overwinter.actors.asks import JsonValue
from overwinter.actors.marks import Secret, marks_of, secrets_in
from overwinter.actors.privacy import noted, placeholder_in
from overwinter.actors.redaction import MASK
from overwinter.bots.errors import ToolArgumentsError
from overwinter.bots.privacy import Discretion, Sensitive, secrets_in_call
from overwinter.bots.tools import ToolCall, tool
from overwinter.channels.roles import Answerer, QuestionRole

from ..actors.sensitive_values import MARKED, Marked, leaks_in, unhurried

CARD = "4111 1111"


class Refund(BaseModel):
    card: Annotated[str, Sensitive("mask")]
    amount: int


@tool
async def refund(refund: Refund, call: ToolCall[Any]) -> Refund:
    """Refund."""
    return refund


@tool
async def whole(refund: Annotated[Refund, Sensitive("token")]) -> Annotated[str, Sensitive("mask")]:
    """Refund."""
    return refund.card


@tool
async def pay(iban: Annotated[str | None, Sensitive("block")] = None, note: str = "") -> str:
    """Pay."""
    return note


def test_marks_are_found_on_parameters_models_and_results() -> None:
    signature = refund.signature
    assert [secret.path for secret in secrets_in(signature.marks, {"card": CARD, "amount": 5})] == [("card",)]
    assert [secret.path for secret in secrets_in(signature.result_marks, {"card": CARD, "amount": 5})] == [("card",)]
    both = secrets_in(whole.signature.marks, {"card": CARD, "amount": 5})
    assert [(secret.path, secret.level) for secret in both] == [(("card",), "token"), (("amount",), "token")]
    assert [secret.path for secret in secrets_in(whole.signature.result_marks, CARD)] == [()]
    assert [secret.level for secret in secrets_in(pay.signature.marks, {"iban": "DE89", "note": "x"})] == ["block"]
    assert pay.signature.result_marks is None


@pytest.mark.parametrize("each", [refund, whole, pay])
def test_a_model_is_told_of_a_tool_without_its_marks(each: Any) -> None:
    assert "x-sensitive" not in str(each.signature.spec)


def test_an_answers_form_says_what_of_it_is_sensitive_and_its_schema_does_not() -> None:
    role = QuestionRole(name="r", answer=Refund, answered_by=Answerer.OWNER)
    assert "x-sensitive" not in str(role.answer_schema)
    assert "x-sensitive" in str(role.form)
    assert role.decode({"card": CARD, "amount": 5}) == Refund(card=CARD, amount=5)


@pytest.mark.parametrize(("level", "show"), [("hide", False), ("", True), ("block", True)])
def test_a_mark_that_says_nothing_sound_is_refused_where_it_is_written(level: Any, show: bool) -> None:
    with pytest.raises(ValueError, match="Sensitive"):
        Sensitive(level, show_to_asked=show)


def test_what_does_not_fit_is_told_without_what_came() -> None:
    with pytest.raises(ToolArgumentsError) as caught:
        refund.signature.read('{"card": ["4111 1111"], "amount": "4111 1111"}')
    assert "4111" not in str(caught.value)
    assert {problem.partition(":")[0] for problem in caught.value.problems} == {"card", "amount"}


@pytest.mark.behaviour("G23")
@unhurried
@given(MARKED)
def test_a_model_is_shown_no_value(marked: Marked) -> None:
    schema, value = marked
    marks = marks_of(schema)
    discretion = Discretion(seed="s")
    shown = discretion.shown(value, marks)
    assert leaks_in(shown, secrets_in(marks, value)) == []
    discretion.learn(secrets_in(marks, value))
    told = discretion.told(f"failed with {value!r}")
    texts = [secret for secret in secrets_in(marks, value) if isinstance(secret.value, str)]
    assert leaks_in(told, texts) == []


def test_levels_decide_what_stands_for_a_value() -> None:
    discretion = Discretion(seed="s")
    discretion.learn(
        [
            Secret(name="card", level="token", is_shown=False, value=CARD),
            Secret(name="ssn", level="mask", is_shown=False, value="078-05-1120"),
            Secret(name="pin", level="block", is_shown=False, value="9317"),
        ]
    )
    told = discretion.told(f"{CARD}, 078-05-1120, 9317, {CARD}").split(", ")
    assert told[0] == told[3]
    assert told[0].startswith("‹card:")
    assert told[1:3] == [MASK, MASK]


def test_calls_have_tokens_of_their_own() -> None:
    one, other = Discretion(seed="one"), Discretion(seed="two")
    for each in (one, other):
        each.learn([Secret(name="card", level="token", is_shown=False, value=CARD)])
    assert one.told(CARD) != other.told(CARD)


def test_nothing_known_changes_nothing() -> None:
    found: JsonValue = {"a": [1, "‹card:1›", MASK]}
    discretion = Discretion(seed="s")
    assert not discretion.is_needed
    assert discretion.shown(found) is found


def test_a_call_is_searched_as_it_was_read_and_as_it_was_written() -> None:
    marks = refund.signature.marks
    read = {"card": CARD, "amount": 5}
    [only] = secrets_in_call(marks, written='{"card": "4111 1111", "amount": 5}', read=read)
    assert only.value == CARD
    values = [each.value for each in secrets_in_call(marks, written='{"card": "4111-1111", "amount": 5}', read=read)]
    assert values == [CARD, "4111-1111"]
    for broken in ('{"card": "4111', "4111 1111", ""):
        found = secrets_in_call(marks, written=broken, read=None)
        assert [secret.value for secret in found] == [broken]
    assert secrets_in_call(None, written="{}", read={}) == ()
    assert cast("dict[str, Any]", noted([only])) == {"values": [["card", CARD]]}


@pytest.mark.parametrize(
    ("card", "place"), [(CARD, None), (MASK, "card"), ("‹card:12›", "card"), (f"a {MASK}", "card"), ("‹card›", None)]
)
def test_what_hides_a_value_is_no_value(card: str, place: str | None) -> None:
    assert placeholder_in(refund.signature.marks, {"card": card, "amount": 5}) == place
    assert placeholder_in(pay.signature.marks, {"iban": None, "note": card}) is None
