"""Roles: how an answer is asked for and read."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, cast

from overwinter.channels.roles import QuestionRole

EARLIER = QuestionRole(name="earlier", answer=cast("type[Any]", datetime | date))
LATER = QuestionRole(name="later", answer=cast("type[Any]", date | datetime))


def test_equal_unions_are_asked_for_and_read_each_in_the_order_of_its_own_members() -> None:
    for _ in range(2):
        assert type(EARLIER.decode("2026-01-01")) is datetime
        assert type(LATER.decode("2026-01-01")) is date
        first = [cast("list[dict[str, str]]", role.answer_schema["anyOf"])[0]["format"] for role in (EARLIER, LATER)]
        assert first == ["date-time", "date"]
