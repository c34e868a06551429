"""Moments as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from overwinter.actors.moments import in_utc, iso, to_the_minute, to_the_second

AT_MS = 1_777_915_809_125
NEVER_MS = AT_MS + timedelta.max // timedelta(milliseconds=1)


def test_a_moment_is_written_in_utc() -> None:
    assert in_utc(AT_MS) == datetime(2026, 5, 4, 17, 30, 9, 125_000, tzinfo=UTC)
    assert to_the_minute(AT_MS) == "2026-05-04 17:30 UTC"
    assert to_the_second(AT_MS) == "2026-05-04 17:30:09Z"
    assert iso(AT_MS) == "2026-05-04T17:30:09.125Z"


@pytest.mark.parametrize(("at_ms", "shown"), [(NEVER_MS, "9999-12-31 23:59 UTC"), (-1, "1970-01-01 00:00 UTC")])
def test_what_no_calendar_has_is_the_nearest_that_it_has(at_ms: int, shown: str) -> None:
    assert to_the_minute(at_ms) == shown
    assert to_the_second(at_ms).startswith(shown[:16])
    assert iso(at_ms).startswith(shown[:10])
