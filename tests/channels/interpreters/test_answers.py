"""Data in a reply."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from overwinter.actors.asks import AnswerForm, NotUnderstood, Understood
from overwinter.channels.interpreters.dates import days_in
from overwinter.channels.interpreters.rules import RulesInterpreter, read_by_rules

from .asks import ASKED_AT_MS, ask

TODAY = date(2026, 3, 3)
CODE = {"type": "string", "pattern": "^[0-9]{4}$"}
DAY = {"type": "string", "format": "date"}
BOTH = {"type": "object", "properties": {"cost_centre": CODE, "start": DAY}, "required": ["cost_centre", "start"]}
AMOUNT = {"type": "object", "properties": {"amount": {"type": "number", "maximum": 100}}, "required": ["amount"]}
DECIMAL = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}]}


def answer(schema: dict[str, Any], reply: str, prompt: str = "Which?", locale: str | None = None) -> Any:
    """The answer; the word "asked" if the reply gives none beyond doubt."""
    reading = read_by_rules(AnswerForm(schema=schema), prompt, reply, today=TODAY, locale=locale)
    if isinstance(reading, NotUnderstood):
        assert reading.reason
        return "asked"
    return reading.decision


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "string", "title": "A"}, {}, {"type": ["string"]}])
def test_free_text_is_taken_as_it_stands(schema: dict[str, Any]) -> None:
    if schema.get("type") == ["string"]:
        assert answer(schema, "Blue") == "asked"
        return
    assert answer(schema, "  Well, “no” –\n what do you mean?  ") == "Well, “no” –\n what do you mean?"
    assert answer(schema, "a\u200bb\U000e0041") == "ab"
    assert answer(schema, " \u200b ") == "asked"


def test_free_text_fills_an_object_of_one_text_and_keeps_its_limits() -> None:
    schema = {"type": "object", "properties": {"note": {"type": "string", "maxLength": 5}}, "required": ["note"]}
    assert answer(schema, "short") == {"note": "short"}
    assert answer(schema, "too long") == "asked"


@pytest.mark.parametrize(
    ("schema", "reply", "expected"),
    [
        (CODE, "4711", "4711"),
        (CODE, "It's 4711, thanks", "4711"),
        (CODE, "4711.", "4711"),
        (BOTH, "cost centre is 4711, start 2026-04-03", {"cost_centre": "4711", "start": "2026-04-03"}),
        (BOTH, "cost_centre: 4711\nstart: 3 April 2026", {"cost_centre": "4711", "start": "2026-04-03"}),
        (BOTH, "4711 from 13/04/2026", {"cost_centre": "4711", "start": "2026-04-13"}),
        (BOTH, "Hi, 4711 from next Monday please.\nThanks,\nMara", {"cost_centre": "4711", "start": "2026-03-09"}),
        (DAY, "tomorrow", "2026-03-04"),
        (DAY, "am 3. April 2026", "2026-04-03"),
        ({"type": "integer"}, "5", 5),
        ({"type": "integer"}, "- 5", 5),
        (DAY, "from 15 April 2026", "2026-04-15"),
        (DAY, "od 15 kwietnia 2026", "2026-04-15"),
        ({"type": "integer"}, "It is 5, please", 5),
        ({"type": "number"}, "12,5", 12.5),
        (AMOUNT, "amount: 50", {"amount": 50}),
        (AMOUNT, "amount is 99.5", {"amount": 99.5}),
        (DECIMAL, "12.50", "12.50"),
        ({"enum": ["red", "dark red", 3]}, "Dark Red please", "dark red"),
        ({"enum": ["red", "dark red", 3]}, "3", 3),
        ({"const": "go"}, "go", "go"),
        ({"type": "string", "format": "email"}, "ana@corp.example, thanks", "ana@corp.example"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7),
        ({"type": "boolean"}, "yes please", True),
        ({"type": "boolean"}, "nein", False),
        ({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}, "no", {"ok": False}),
        (
            {
                "type": "object",
                "properties": {"low": {"type": "integer"}, "high": {"type": "integer"}},
                "required": ["low", "high"],
            },
            "low 3, high 7",
            {"low": 3, "high": 7},
        ),
        (
            {"type": "object", "properties": {"a": CODE, "n": {"type": "integer"}}, "required": ["a"]},
            "a 4711",
            {"a": "4711"},
        ),
    ],
)
def test_a_value_that_is_certain_is_read(schema: dict[str, Any], reply: str, expected: Any) -> None:
    found = answer(schema, reply)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("schema", "reply"),
    [
        (CODE, "47l1"),
        (CODE, "47111"),
        (CODE, "4711 or 4712"),
        (CODE, "not 4711"),
        (CODE, "4711?"),
        (CODE, "4711 maybe"),
        (CODE, '"4711"'),
        (CODE, "4711\u200b2"),
        (CODE, "see attachment"),
        (CODE, ""),
        (CODE, "system: 4711"),
        (BOTH, "cost centre is 4711, start 03/04/2026"),
        (BOTH, "4711"),
        (BOTH, "2026-04-03"),
        (BOTH, "4711 from next Friday"),
        (BOTH, "4711 from Monday"),
        (BOTH, "4711 before next Monday"),
        (BOTH, "4711 from 30 February 2026"),
        (BOTH, "4711 from 3/4/26"),
        (BOTH, "4711 from 2026-04-03 to 2026-05-03"),
        (BOTH, "same as last time"),
        (DAY, "morgen"),
        ({"type": "integer"}, "5 or 6"),
        ({"type": "integer"}, "5.5"),
        ({"type": "integer"}, "-5"),
        ({"type": "integer"}, "1.000"),
        ({"type": "integer"}, "five"),
        ({"type": "integer"}, "from 5"),
        ({"type": "integer"}, "starting at 5"),
        ({"type": "integer"}, "in 5"),
        ({"type": "integer"}, "ab 5"),
        ({"type": "integer"}, "à partir de 5"),
        ({"type": "integer"}, "od 5"),
        ({"type": "integer"}, "to 5"),
        ({"type": "integer"}, "–5"),
        ({"type": "integer"}, "5-"),
        ({"type": "number"}, "from 5 EUR"),
        (DAY, "to 15 April 2026"),
        (DAY, "do 15 kwietnia 2026"),
        (DAY, "until 15 April 2026"),
        (DAY, "bis 15. April 2026"),
        ({"type": "number"}, "1,234"),
        ({"type": "integer", "maximum": 3}, "5"),
        (AMOUNT, "150"),
        (AMOUNT, "50 EUR"),
        ({"enum": ["red", "blue"]}, "red or blue"),
        ({"enum": ["red", "blue"]}, "not red"),
        ({"enum": ["red", "blue"]}, "infrared"),
        ({"type": "boolean"}, "maybe"),
        ({"type": "boolean"}, "yes if it rains"),
        ({"type": "array", "items": {"type": "integer"}}, "1, 2"),
        ({"type": "string", "format": "date-time"}, "2026-04-03T10:00:00Z"),
        ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, "1"),
        ({"type": "object", "properties": {"a": CODE, "b": CODE}, "required": ["a", "b"]}, "4711 4712"),
        ({"type": "object", "properties": {"a": CODE, "b": {"type": "string"}}, "required": ["a", "b"]}, "4711 blue"),
        ({"type": "object", "properties": {"a": CODE, "n": {"type": "integer"}}, "required": ["a", "n"]}, "4711"),
        ({"type": "object", "properties": {"n": {"type": "integer"}}}, "7"),
    ],
)
def test_a_value_in_doubt_is_asked_again(schema: dict[str, Any], reply: str) -> None:
    assert answer(schema, reply) == "asked"


def test_a_currency_is_filling_where_the_question_names_it() -> None:
    assert answer(AMOUNT, "50 EUR", "How many EUR?") == {"amount": 50}
    assert answer(AMOUNT, "50 USD", "How many EUR?") == "asked"


def test_an_ambiguous_number_is_read_in_the_way_of_the_place() -> None:
    assert answer({"type": "integer"}, "1.000", locale="de") == 1000
    assert answer({"type": "number"}, "1.5", locale="en") == 1.5


@pytest.mark.parametrize(
    ("prompt", "reply", "expected"),
    [
        ("How many chairs do we need?", "12 chairs, please", 12),
        ("Wie viele Stühle brauchen wir?", "12 Stühle", 12),
        ("Combien de chaises ?", "12 chaises", 12),
        ("¿Cuántas sillas?", "12 sillas", 12),
        ("How many chairs do we need?", "we need 12", 12),
        ("How many chairs do we need?", "12 tables", "asked"),
        ("How many chairs do we need?", "12 chairs a week", "asked"),
        ("How many chairs do we need?", "12 dozen chairs", "asked"),
        ("How many chairs do we need?", "we don't need 12", "asked"),
        ("How many chairs do we need?", "we need 12 more", "asked"),
        ("How big is the order of chairs?", "12 chairs", "asked"),
    ],
)
def test_what_is_counted_may_stand_beside_its_number(prompt: str, reply: str, expected: int | str) -> None:
    assert answer({"type": "integer"}, reply, prompt) == expected


class StoppedClock:
    """Stands at one moment."""

    def __init__(self, now_ms: int) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic_s(self) -> float:
        return self._now_ms / 1000

    async def sleep_until_ms(self, due_ms: int) -> None:
        raise AssertionError(due_ms)


async def test_days_count_from_the_question_unless_the_reply_has_a_clock() -> None:
    asked = ask(AnswerForm(schema=DAY), "When?")
    later = StoppedClock(ASKED_AT_MS + int(timedelta(days=10).total_seconds() * 1000))
    by_question = await RulesInterpreter().read(asked, "tomorrow")
    by_clock = await RulesInterpreter(clock=later).read(asked, "tomorrow")
    assert isinstance(by_question, Understood)
    assert isinstance(by_clock, Understood)
    assert (by_question.decision, by_clock.decision) == ("2026-03-04", "2026-03-14")


async def test_the_day_is_that_of_the_time_zone() -> None:
    asked = ask(AnswerForm(schema=DAY), "When?")
    late = StoppedClock(int(datetime(2026, 3, 3, 23, 30, tzinfo=UTC).timestamp() * 1000))
    found = [
        await RulesInterpreter(tz=ZoneInfo(name), clock=late).read(asked, "today") for name in ("UTC", "Europe/Berlin")
    ]
    assert [each.decision for each in found if isinstance(each, Understood)] == ["2026-03-03", "2026-03-04"]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-04-03", "2026-04-03"),
        ("2026/4/3", "2026-04-03"),
        ("April 3rd, 2026", "2026-04-03"),
        ("3 de mayo de 2026", "2026-05-03"),
        ("3 mars 2026", "2026-03-03"),
        ("05/05/2026", "2026-05-05"),
        ("13.04.2026", "2026-04-13"),
        ("04/13/2026", "2026-04-13"),
        ("next Monday", "2026-03-09"),
        ("nächsten Montag", "2026-03-09"),
        ("lundi prochain", "2026-03-09"),
        ("next Tuesday", "2026-03-10"),
        ("demain", "2026-03-04"),
        ("Wed 15 April 2026", "2026-04-15"),
        ("Wednesday, the 15th of April 2026", "2026-04-15"),
        ("Mittwoch, den 15.04.2026", "2026-04-15"),
        ("mercredi 15 avril 2026", "2026-04-15"),
        ("Thursday 15 April 2026", None),
        ("Donnerstag, 15.04.2026", None),
        ("2026年4月15日", "2026-04-15"),
        ("2026년 4월 15일", "2026-04-15"),
        ("2026年13月15日", None),
        ("15 kwietnia 2026", "2026-04-15"),
        ("15 Nisan 2026", "2026-04-15"),
        ("15 апреля 2026", "2026-04-15"),
        ("03/04/2026", None),
        ("3.4.2026", None),
        ("next Wednesday", None),
        ("next Sunday", None),
        ("Monday", None),
        ("31 April 2026", None),
        ("3/4/26", None),
    ],
)
def test_a_day_is_read_if_it_can_be_one_day_only(text: str, day: str | None) -> None:
    (found,) = days_in(text, TODAY)
    assert (found.day and found.day.isoformat()) == day


@pytest.mark.parametrize(("today", "day"), [("2026-03-07", None), ("2026-03-08", None), ("2026-03-06", "2026-03-09")])
def test_next_monday_just_ahead_may_be_the_one_after(today: str, day: str | None) -> None:
    (found,) = days_in("next Monday", date.fromisoformat(today))
    assert (found.day and found.day.isoformat()) == day


def test_relative_days_need_a_today() -> None:
    assert [found.day for found in days_in("next Monday, tomorrow", None)] == [None, None]


@pytest.mark.parametrize("pattern", ["^(a|a)*$", "^(a|aa)+$"])
def test_words_that_are_slow_to_compare_leave_the_question_open_however_many_they_are(pattern: str) -> None:
    schema = {"type": "object", "properties": {"code": {"type": "string", "pattern": pattern}}, "required": ["code"]}
    assert answer(schema, "aaa") == {"code": "aaa"}
    begun_s = time.thread_time()
    reading = read_by_rules(
        AnswerForm(schema=schema), "Which?", "aaa " + ("a" * 60 + "1 ") * 30, today=TODAY, locale=None
    )
    assert time.thread_time() - begun_s < 2.0
    assert isinstance(reading, NotUnderstood)
    assert "Whether the reply gives code cannot be told" in reading.reason


@pytest.mark.parametrize("text", ["2026-04-031", "1.2.3", "12026-04-03", "may I", "2026-04-03T10:00", "1/2"])
def test_what_is_no_day_is_not_found(text: str) -> None:
    assert days_in(text, TODAY) == ()
