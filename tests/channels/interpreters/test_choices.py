"""Which of a few words a reply picks."""

from __future__ import annotations

import pytest

from overwinter.actors.asks import ChoiceForm, Understood
from overwinter.channels.interpreters.choices import YesAndNo, yes_and_no_of
from overwinter.channels.interpreters.rules import read_by_rules

PLACES = ("staging", "production", "Both of them")


def pick(choices: tuple[str, ...], reply: str, prompt: str = "Approve?") -> str | None:
    reading = read_by_rules(ChoiceForm(choices=choices), prompt, reply)
    return reading.decision if isinstance(reading, Understood) else None


@pytest.mark.parametrize(
    ("choices", "reply", "expected"),
    [
        (PLACES, "staging", "staging"),
        (PLACES, "Staging!", "staging"),
        (PLACES, "staging please, thanks", "staging"),
        (PLACES, "BOTH OF THEM", "Both of them"),
        (PLACES, "2", "production"),
        (PLACES, "2.", "production"),
        (PLACES, "option 2", "production"),
        (PLACES, "#3", "Both of them"),
        (PLACES, "production\nBest regards\nMara", "production"),
        (("A/B", "C"), "a/b", "A/B"),
        (("10 EUR", "20 EUR"), "10 EUR", "10 EUR"),
        (("Q1", "Q2"), "q2", "Q2"),
        (("approve", "approve half", "reject"), "approve half", "approve half"),
        (("approve", "approve half", "reject"), "approve", "approve"),
        (("approve", "approve half", "reject"), "reject", "reject"),
        (("yes", "no", "later"), "later", "later"),
        (("yes", "no", "later"), "yep", "yes"),
        (("Genehmigen", "Ablehnen"), "ja", "Genehmigen"),
        (("Genehmigen", "Ablehnen"), "no", "Ablehnen"),
        (("reject", "approve"), "👍", "approve"),
        (("Refund", "Do not refund"), "do not refund", "Do not refund"),
        (("Refund", "Do not refund"), "refund", "Refund"),
    ],
)
def test_a_choice_is_picked_by_its_words_its_number_or_a_plain_yes_or_no(
    choices: tuple[str, ...], reply: str, expected: str
) -> None:
    assert pick(choices, reply) == expected


@pytest.mark.parametrize(
    ("choices", "reply"),
    [
        (PLACES, "not production"),
        (PLACES, "staging or production"),
        (PLACES, "staging, production"),
        (PLACES, "staging?"),
        (PLACES, "stagin"),
        (PLACES, "prestaging"),
        (PLACES, "staging tomorrow"),
        (PLACES, "anything but staging"),
        (PLACES, '"staging"'),
        (PLACES, "stag\u200bing"),
        (PLACES, "yes"),
        (PLACES, "4"),
        (PLACES, "0"),
        (PLACES, "-1"),
        (PLACES, "1 or 2"),
        (PLACES, "system: staging"),
        (PLACES, ""),
        (("2 EUR", "10 EUR"), "2"),
        (("2", "1"), "2"),
        (("approve", "reject"), "1"),
        (("approve", "reject"), "option 1"),
        (("reject", "approve"), "2"),
        (("approve", "approve half", "reject"), "ok"),
        (("approve", "approve half", "reject"), "approve the half"),
        (("approve", "approve half", "reject"), "do not reject"),
        (("yes", "no", "later"), "yes, later"),
        (("yes", "no", "later"), "not later"),
        (("yes", "yep", "no"), "ok"),
        (("Refund", "Do not refund"), "don't refund"),
        (("Refund", "Do not refund"), "refund not"),
        (("Refund", "Do not refund"), "never refund"),
        (("Refund", "refund"), "refund"),
    ],
)
def test_anything_else_picks_nothing(choices: tuple[str, ...], reply: str) -> None:
    assert pick(choices, reply) is None


def test_a_number_that_the_question_names_picks_nothing() -> None:
    assert pick(PLACES, "2", "Which of the 2?") is None
    assert pick(PLACES, "option 2", "Which of the 2?") == "production"


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        (("approve", "reject"), YesAndNo(yes="approve", no="reject")),
        (("No", "Yes"), YesAndNo(yes="Yes", no="No")),
        (("oui", "non", "plus tard"), YesAndNo(yes="oui", no="non")),
        (("approve", "approve all", "reject"), None),
        (("approve", "later"), None),
        (("reject", "decline", "ok"), None),
        (("ship", "hold"), None),
    ],
)
def test_yes_and_no_are_found_only_where_there_is_one_of_each(
    choices: tuple[str, ...], expected: YesAndNo | None
) -> None:
    assert yes_and_no_of(choices) == expected


@pytest.mark.parametrize("prompt", ["Ada, may we spend 5000?", "Is anything wrong with it?", "Your move", ""])
@pytest.mark.parametrize(("reply", "picked"), [("yes", "yes"), ("No.", "no"), ("YES!", "yes")])
def test_the_very_words_of_a_choice_pick_it_whatever_is_asked(prompt: str, reply: str, picked: str) -> None:
    reading = read_by_rules(ChoiceForm(choices=("yes", "no")), prompt, reply)
    assert isinstance(reading, Understood)
    assert reading.decision == picked


COLOURS = ("blue", "dark blue", "light green")
COURIERS = ("Globex Air", "Initech Road", "Collect from depot")
DAYS = ("Monday 9:30", "Friday 14:00")


@pytest.mark.parametrize(
    ("choices", "reply", "expected"),
    [
        (COURIERS, "Globex", "Globex Air"),
        (COURIERS, "the Globex one, please", "Globex Air"),
        (COURIERS, "depot", "Collect from depot"),
        (("Pick up in store", "Take to the office"), "pick up", "Pick up in store"),
        (COURIERS, "from depot", "Collect from depot"),
        (COURIERS, "I'd go with Initech", "Initech Road"),
        (COURIERS, "Wir nehmen Initech Road", "Initech Road"),
        (COURIERS, "ok, Globex Air", "Globex Air"),
        (COURIERS, "Globex Air looks good to me", "Globex Air"),
        (("IBM hosting", "SAP hosting"), "IBM", "IBM hosting"),
        (COLOURS, "the dark one", "dark blue"),
        (COLOURS, "green", "light green"),
        (COLOURS, "the blue one", "blue"),
        (DAYS, "Friday works for me", "Friday 14:00"),
        (DAYS, "Friday at 14:00", "Friday 14:00"),
        (DAYS, "9:30", "Monday 9:30"),
    ],
)
def test_a_part_that_names_one_choice_alone_picks_it(choices: tuple[str, ...], reply: str, expected: str) -> None:
    assert pick(choices, reply, "Which one?") == expected


@pytest.mark.parametrize(
    ("choices", "reply"),
    [
        (COURIERS, "Globex Road"),
        (COURIERS, "Air Globex"),
        (COURIERS, "from"),
        (("Pick up", "Take away"), "pick one"),
        (("Pick up", "Take away"), "take"),
        (COURIERS, "Globex is late again"),
        (COURIERS, "not Globex"),
        (COURIERS, "Globex or depot"),
        (COURIERS, "Globex, depot"),
        (COURIERS, "Globex later"),
        (COURIERS, "depot only"),
        (("IBM hosting", "SAP hosting"), "hosting"),
        (("A/B", "C/D"), "a"),
        (COLOURS, "light blue"),
        (COLOURS, "dark green"),
        (DAYS, "Friday 9:30"),
        (DAYS, "Friday at 9"),
        (DAYS, "Friday evening"),
        (DAYS, "until Friday"),
        (DAYS, "next Friday"),
        (("Refund Anna", "Do not refund Tom"), "Tom"),
        (("Wait for Anna", "Ship it"), "Anna"),
        (("Pay if Anna agrees", "Pay at once"), "Anna"),
        (("Send the long reminder with the new bank details", "Send nothing yet"), "reminder"),
        (("approve", "approve quickly", "reject"), "quickly"),
    ],
)
def test_a_part_that_may_be_said_otherwise_picks_nothing(choices: tuple[str, ...], reply: str) -> None:
    assert pick(choices, reply, "Which one?") is None


@pytest.mark.parametrize(
    ("reply", "at"),
    [
        ("the first", 0),
        ("first one please", 0),
        ("1)", 0),
        ("#1, thanks", 0),
        ("option one", 0),
        ("le premier", 0),
        ("the second option", 1),
        ("2nd", 1),
        ("2, please", 1),
        ("die zweite", 1),
        ("la segunda opción, por favor", 1),
        ("nr 2", 1),
        ("let's go with number three", 2),
        ("het derde", 2),
        ("terza opzione", 2),
    ],
)
def test_a_place_in_the_list_picks_what_stands_there(reply: str, at: int) -> None:
    assert pick(COURIERS, reply, "Which one?") == COURIERS[at]


@pytest.mark.parametrize(
    "reply",
    [
        "that one first",
        "first Globex",
        "first ask Tom",
        "a second please",
        "one second",
        "the first two",
        "first and second",
        "not the first",
        "the first?",
        "den andra",
        "drugi",
        "the second one later",
        "2 parcels",
        "2 or 3",
        "fourth",
        "option four",
        "22",
        "1/",
    ],
)
def test_what_may_be_no_place_picks_nothing(reply: str) -> None:
    assert pick(COURIERS, reply, "Which one?") is None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [("2", "2 weeks"), ("4 weeks", "4 weeks"), ("option 3", "4 weeks"), ("3", None), ("3 please", None)],
)
def test_of_choices_with_numbers_a_bare_number_names_only_its_own(reply: str, expected: str | None) -> None:
    assert pick(("1 week", "2 weeks", "4 weeks"), reply, "How long?") == expected
    assert pick(("Full refund", "50% refund", "Voucher"), "3", "How to compensate?") is None


@pytest.mark.parametrize("reply", ["1", "option 1", "1, please", "the first", "first one"])
def test_no_number_and_no_place_picks_a_yes(reply: str) -> None:
    assert pick(("Accept", "Accept with changes", "Decline"), reply, "The offer?") is None
    assert pick(("Accept with changes", "Accept", "Decline"), reply, "The offer?") == "Accept with changes"


def test_an_ordinal_of_the_question_or_of_a_choice_is_no_place() -> None:
    assert pick(COURIERS, "the first", "Which courier for the first parcel?") is None
    assert pick(("second floor", "first floor"), "the first", "Where?") is None
    assert pick(("approve", "reject"), "the first", "Approve?") is None
