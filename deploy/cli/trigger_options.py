"""Reads the options of `overwinter triggers add`: texts as they are typed into values."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from ...actors.asks import JsonValue
from ...actors.jsontext import from_json
from ...actors.trigger_kinds import CatchUp, Overlap
from ..errors import InputInvalidError

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|d)")
_UNITS_S = {"s": 1, "min": 60, "h": 3600, "d": 86_400}


def message_of(text: str | None) -> JsonValue:
    """An object for a workflow, if it is one; else a text."""
    try:
        found = None if text is None else from_json(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else text  # pyright: ignore[reportUnknownVariableType]


def span_of(text: str) -> timedelta:
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise InputInvalidError(f"--after {text!r} is no span of time; give 30s, 5min, 2h or 1d")
    return timedelta(seconds=float(found[1]) * _UNITS_S[found[2]])


def moment_of(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise InputInvalidError(f"--at {text!r} is no time; give one such as 2026-12-01T09:00:00+01:00") from error


def catch_up_of(text: str) -> CatchUp:
    match text:
        case "one" | "all" | "none":
            return text
        case _:
            raise InputInvalidError(f"--catch-up {text!r}: one, all or none is expected")


def overlap_of(text: str) -> Overlap:
    match text:
        case "skip" | "queue":
            return text
        case _:
            raise InputInvalidError(f"--overlap {text!r}: skip or queue is expected")
