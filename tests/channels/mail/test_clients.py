"""What people answer from the clients of the world is read as they wrote it, and nothing else is."""

from __future__ import annotations

import pytest

from overwinter.actors.asks import Understood
from overwinter.channels.interpreters.rules import read_by_rules

from ..interpreters.asks import CHOICES, PROMPT
from .clients import Letter, letters
from .letters import TOKEN, read

ALL = [pytest.param(letter, id=letter.name) for letter in letters()]


@pytest.mark.parametrize("letter", ALL)
def test_the_new_text_is_what_was_written(letter: Letter) -> None:
    result = read(letter.raw)
    assert result.text == letter.answer
    assert result.doubts == ()
    assert (result.question, result.question_stays_open) == (TOKEN, False)


@pytest.mark.parametrize("letter", ALL)
def test_rules_approve_none_but_those_who_said_yes(letter: Letter) -> None:
    reading = read_by_rules(CHOICES, PROMPT, read(letter.raw).text)
    assert letter.is_yes or not isinstance(reading, Understood) or reading.decision == "reject"


def test_there_are_many_of_them() -> None:
    names = [letter.name for letter in letters()]
    assert len(names) == len(set(names)) >= 60
