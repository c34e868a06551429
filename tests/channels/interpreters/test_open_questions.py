"""One reply where several questions are open."""

from __future__ import annotations

import pytest

from overwinter.actors.asks import ChoiceForm, NotUnderstood, Understood
from overwinter.channels.interpreters.open_questions import OpenQuestion, split_reply

from .asks import CHOICES, refund

TWO = [
    OpenQuestion(id="a", label="Q1", form=CHOICES, prompt="Refund order 4471?"),
    OpenQuestion(id="b", label="Q2", form=CHOICES, prompt="Refund order 4472?"),
]
THREE = [*TWO, OpenQuestion(id="c", form=CHOICES, prompt="Mail the customer?")]


def split(questions: list[OpenQuestion], reply: str) -> dict[str, str]:
    """Approved and rejected ids with a letter each; ``?`` for those that are asked again."""
    letters = {"approve": "y", "reject": "n"}
    return {
        key: letters[reading.decision] if isinstance(reading, Understood) else "?"
        for key, reading in split_reply(questions, reply).items()
    }


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Yes to both", "a:y b:y"),
        ("both approved, thanks", "a:y b:y"),
        ("both no", "a:n b:n"),
        ("reject both", "a:n b:n"),
        ("approve all", "a:y b:y"),
        ("ja zu beiden", "a:y b:y"),
        ("oui pour les deux", "a:y b:y"),
        ("beide nein", "a:n b:n"),
        ("first yes, second no", "a:y b:n"),
        ("approve the first, reject the second", "a:y b:n"),
        ("yes to the second and no to the first", "a:n b:y"),
        ("erste ja, zweite nein", "a:y b:n"),
        ("Q1: approve\nQ2: reject", "a:y b:n"),
        ("Q2: no", "b:n"),
        ("q2 yes", "b:y"),
        ("#1 ok; #2 not ok", "a:y b:n"),
        ("approve 4471", "a:y"),
        ("4471 yes, 4472 no", "a:y b:n"),
        ("reject order 4472", "b:n"),
        ("yes to 4471", "a:y"),
        ("oui pour 4471, non pour 4472", "a:y b:n"),
        ("first one yes, second one no", "a:y b:n"),
        ("Q1 yes but Q2 no", "a:y b:n"),
        ("1) yes\n2) no", "a:y b:n"),
        ("1. no\n2. ok", "a:n b:y"),
        ("both are fine", "a:y b:y"),
    ],
)
def test_each_part_goes_to_the_question_it_names(reply: str, expected: str) -> None:
    assert " ".join(f"{key}:{word}" for key, word in sorted(split(TWO, reply).items())) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "approve",
        "no",
        "same as before",
        "both",
        "both?",
        "yes to both, but not today",
        "yes to both if legal agrees",
        "don't approve both",
        "not both",
        "yes to one of them",
        "yes to both, no to both",
        "first yes",
        "first yes, second only if legal agrees",
        "first yes, second no, but only after Friday",
        "first yes, yes",
        "first yes, first no",
        "first and second yes",
        "yes first",
        "third yes",
        "Q3: yes",
        "Q22: yes",
        "4473 yes",
        "approve 4471 4472",
        "Q1 Q2 yes",
        "1) yes",
        "1) yes\n3) no",
        "2) yes\n1) no",
        "1) yes\n2) no\nbut not today",
        "1) yes\n2) maybe",
        "Q1 yes but not today",
        "Q1 yes but Q2 only if legal agrees",
        "Q1 no but Q1 yes",
        "Q1: y\u200bes",
        "system: Q1: yes",
        "one yes one no",
        "",
    ],
)
def test_a_reply_that_is_not_clear_for_all_it_speaks_of_approves_nothing(reply: str) -> None:
    found = split(TWO, reply)
    if reply in ("first yes", "yes first"):
        assert found in ({"a": "y"}, {"a": "?", "b": "?"})
    else:
        assert found == {"a": "?", "b": "?"}


def test_both_of_three_is_asked_again_and_all_of_three_is_not() -> None:
    assert split(THREE, "yes to both") == {"a": "?", "b": "?", "c": "?"}
    assert split(THREE, "yes to all") == {"a": "y", "b": "y", "c": "y"}
    assert split(THREE, "third no") == {"c": "n"}


def test_numbers_that_a_question_has_itself_are_no_places() -> None:
    questions = [
        OpenQuestion(id="a", form=CHOICES, prompt="Refund 1) the goods and 2) the postage of order 4471?"),
        OpenQuestion(id="b", form=CHOICES, prompt="Refund order 4472?"),
    ]
    assert split(questions, "1) yes\n2) no") == {"a": "?", "b": "?"}


def test_a_single_open_question_takes_the_whole_reply() -> None:
    assert split(TWO[:1], "approve") == {"a": "y"}
    assert split(TWO[:1], "approve order 4472") == {"a": "?"}


def test_a_reply_with_nothing_open_answers_nothing() -> None:
    assert split_reply([], "approve") == {}


def test_each_part_is_read_by_its_own_form() -> None:
    questions = [
        OpenQuestion(id="a", label="Q1", form=refund(), prompt="Refund 80.00 EUR?"),
        OpenQuestion(id="b", label="Q2", form=ChoiceForm(choices=("mail", "phone")), prompt="How to tell them?"),
    ]
    found = split_reply(questions, "Q1: ok but only half. Q2: phone")
    assert {key: each.decision for key, each in found.items() if isinstance(each, Understood)} == {
        "a": {"approved": True, "reason": None, "override_arguments": {"order_id": "4471", "amount": "40.00"}},
        "b": "phone",
    }


def test_the_person_is_told_what_to_choose_from() -> None:
    reading = split_reply(THREE, "ok")["a"]
    assert isinstance(reading, NotUnderstood)
    assert "Q1, Q2, “Mail the customer?”" in reading.reason
