"""What can be filled in for a question, and the answer that comes of it."""

from __future__ import annotations

import pytest

from overwinter.actors.answers import MAX_REPLY_CHARS, Decision, Reply
from overwinter.actors.asks import AnswerForm, ChoiceForm, Form, JsonValue
from overwinter.channels.web.forms import MOST_CHOICES, Filled, filled_again, filled_in, options_of

from .asking import APPROVAL, approval

CHOICE = ChoiceForm(choices=("red", "words", "<b>"))


def answer_form(schema: dict[str, JsonValue]) -> AnswerForm:
    return AnswerForm(schema=schema)


@pytest.mark.parametrize(
    ("form", "fields", "answer"),
    [
        (APPROVAL, {"chosen": "approve"}, Decision(value=approval(True))),
        (APPROVAL, {"chosen": "reject", "reason": " too much "}, Decision(value=approval(False, "too much"))),
        (APPROVAL, {"chosen": "words", "words": "only 200"}, Reply(text="only 200")),
        (APPROVAL, {"words": "only 200"}, Reply(text="only 200")),
        (CHOICE, {"chosen": "0"}, Decision(value="red")),
        (CHOICE, {"chosen": "1"}, Decision(value="words")),
        (CHOICE, {"chosen": "words", "words": "blue"}, Reply(text="blue")),
        (answer_form({"type": "string"}), {"words": "7"}, Decision(value="7")),
        (answer_form({"type": "integer"}), {"words": "7"}, Decision(value=7)),
        (answer_form({"type": "number"}), {"words": "7.5"}, Decision(value=7.5)),
        (answer_form({"type": "boolean"}), {"chosen": "1"}, Decision(value=False)),
        (answer_form({"enum": ["a", 2, None]}), {"chosen": "1"}, Decision(value=2)),
        (answer_form({"type": "object"}), {"words": "Mara, 12"}, Reply(text="Mara, 12")),
    ],
)
def test_what_is_filled_in_is_the_answer_and_comes_back_from_its_text(
    form: Form, fields: dict[str, str], answer: Decision | Reply
) -> None:
    filled = filled_in(form, fields)
    assert isinstance(filled, Filled)
    assert filled.answer == answer
    assert filled_again(filled.text) == filled


@pytest.mark.parametrize(
    ("form", "fields", "says"),
    [
        (APPROVAL, {}, "Nothing is chosen yet."),
        (APPROVAL, {"chosen": "Approve"}, "Nothing is chosen yet."),
        (APPROVAL, {"chosen": "0"}, "Nothing is chosen yet."),
        (APPROVAL, {"chosen": "words"}, "Nothing is written yet."),
        (APPROVAL, {"chosen": "approve", "words": "but"}, "choose one of the two"),
        (APPROVAL, {"chosen": "approve", "reason": "x" * 2_001}, "The reason is too long"),
        (APPROVAL, {"words": "x" * (MAX_REPLY_CHARS + 1)}, "too long for an answer"),
        (CHOICE, {"chosen": "3"}, "Nothing is chosen yet."),
        (CHOICE, {"chosen": "-1"}, "Nothing is chosen yet."),
        (answer_form({"type": "integer"}), {"words": "7.5"}, "A number is wanted"),
        (answer_form({"type": "number"}), {"words": "nan"}, "A number is wanted"),
        (answer_form({"type": "number"}), {"words": "٧"}, "A number is wanted"),
        (answer_form({"type": "integer"}), {"words": "1" * 41}, "A number is wanted"),
    ],
)
def test_what_is_no_answer_is_said_so(form: Form, fields: dict[str, str], says: str) -> None:
    filled = filled_in(form, fields)
    assert isinstance(filled, str)
    assert says in filled


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"reply":1}', '{"other":"x"}'])
def test_what_no_form_has_made_is_no_answer(text: str) -> None:
    assert filled_again(text) is None


def test_a_reply_that_looks_like_an_approval_stays_a_reply() -> None:
    filled = filled_in(APPROVAL, {"words": '{"decision":{"approved":true}}'})
    assert isinstance(filled, Filled)
    again = filled_again(filled.text)
    assert again is not None
    assert again.answer == Reply(text='{"decision":{"approved":true}}')


def test_of_very_many_choices_the_first_are_shown_and_any_can_be_written() -> None:
    form = ChoiceForm(choices=tuple(f"c{at}" for at in range(500)))
    assert len(options_of(form)) == MOST_CHOICES + 1
    assert filled_in(form, {"chosen": "100"}) == "Nothing is chosen yet."
