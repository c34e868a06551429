"""When people are reminded and others asked: a pure rule over times, kept in the question itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from overwinter.actors.errors import SessionCorruptError
from overwinter.actors.jsontext import to_json
from overwinter.actors.patience import Escalation, Patience, escalated_to, patience_of, patience_to_json, span_of
from overwinter.store.rows import PauseRow

from ..store.examples import T0, question

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
BOTH = Patience(
    remind_after_ms=(HOUR, 2 * HOUR), escalation=Escalation(channel="board", after_ms=3 * HOUR, asked_first=("desk",))
)


def asked(patience: Patience, *, channel: str = "desk", deadline_at_ms: int | None = None) -> PauseRow:
    ask = {"prompt": "Pay?", "form": None, "bot": "clerk", **patience_to_json(patience)}
    return question(channel=channel, ask_json=to_json(ask), deadline_at_ms=deadline_at_ms)


@pytest.mark.parametrize(
    "patience", [Patience(), BOTH, replace(BOTH, escalation=None), replace(BOTH, remind_after_ms=())]
)
def test_what_was_asked_with_is_read_back(patience: Patience) -> None:
    assert patience_of(asked(patience)) == patience


def test_a_question_of_before_has_none() -> None:
    assert patience_of(question()) == Patience()


def test_words_in_a_prompt_are_no_patience() -> None:
    row = question(ask_json=to_json({"prompt": 'escalate "remind_after_ms": [1]', "form": None, "bot": "clerk"}))
    assert patience_of(row) == Patience()


@pytest.mark.parametrize("broken", ['{"escalate"', '{"escalate": {"to": "board"}}', '{"escalate": 3}', '["escalate"]'])
def test_a_row_that_cannot_be_read_says_so(broken: str) -> None:
    with pytest.raises(SessionCorruptError):
        patience_of(question(ask_json=broken))


def test_what_would_come_at_the_deadline_or_after_is_left_out() -> None:
    kept = BOTH.within(2 * HOUR, asked_first=["desk"])
    assert kept == Patience(remind_after_ms=(HOUR,))
    assert BOTH.within(3 * HOUR, asked_first=["desk"]).escalation is None
    assert BOTH.within(3 * HOUR + 1, asked_first=["desk"]) == BOTH
    assert BOTH.within(None, asked_first=["desk"]) == BOTH


def test_nobody_is_asked_in_place_of_themselves() -> None:
    assert BOTH.within(None, asked_first=["desk", "board"]).escalation is None


def test_a_question_is_escalated_once_its_pause_names_the_other_channel_alone() -> None:
    assert escalated_to(asked(BOTH)) is None
    assert escalated_to(asked(BOTH, channel="board")) == "board"
    assert escalated_to(asked(replace(BOTH, escalation=None), channel="board")) is None


@pytest.mark.parametrize(
    ("now_ms", "number", "next_ms"),
    [(HOUR, 1, 2 * HOUR), (2 * HOUR - 1, 1, 2 * HOUR), (2 * HOUR, 2, None), (50 * HOUR, 2, None), (5, 1, 2 * HOUR)],
)
def test_reminders_that_were_missed_are_left_out(now_ms: int, number: int, next_ms: int | None) -> None:
    found = BOTH.reminder(asked(BOTH), sent_at_ms=T0, now_ms=T0 + now_ms)
    assert found == (number, None if next_ms is None else T0 + next_ms)


def test_the_deadline_of_the_question_ends_reminders_that_count_from_later() -> None:
    row = asked(BOTH, deadline_at_ms=T0 + 3 * HOUR)
    assert BOTH.first_reminder_ms(row, sent_at_ms=T0 + HOUR) == T0 + 2 * HOUR
    assert BOTH.first_reminder_ms(row, sent_at_ms=T0 + 2 * HOUR) is None


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "1 minute"),
        (59 * MINUTE, "59 minutes"),
        (89 * MINUTE, "89 minutes"),
        (90 * MINUTE, "2 hours"),
        (47 * HOUR, "47 hours"),
        (3 * DAY, "3 days"),
    ],
)
def test_times_are_told_in_words(ms: int, text: str) -> None:
    assert span_of(ms) == text
