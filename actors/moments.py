"""Moments, which are UTC epoch milliseconds here, as people and models read them: in UTC.

A deadline may lie beyond what a calendar has (``timedelta.max``); what is shown then is the calendar's last moment.
"""

from __future__ import annotations

from datetime import UTC, datetime

_LATEST_MS = 253_402_300_799_999
"""The last of the year 9999."""


def in_utc(at_ms: int) -> datetime:
    """As a date and time, the nearest one from 1970 to 9999."""
    return datetime.fromtimestamp(min(max(at_ms, 0), _LATEST_MS) / 1000, UTC)


def to_the_minute(at_ms: int) -> str:
    """As ``2026-05-04 17:30 UTC``: for those who are to answer."""
    return f"{in_utc(at_ms):%Y-%m-%d %H:%M} UTC"


def to_the_second(at_ms: int) -> str:
    """As ``2026-05-04 17:30:09Z``: for operators."""
    return f"{in_utc(at_ms):%Y-%m-%d %H:%M:%S}Z"


def iso(at_ms: int) -> str:
    """As ISO 8601 has it, to the millisecond: ``2026-05-04T17:30:09.125Z``."""
    return in_utc(at_ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")
