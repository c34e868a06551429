"""JSON text of the runtime's own bodies. Whole numbers of any size and non-finite floats go through unchanged."""

from __future__ import annotations

import math
from typing import Any, cast

import pydantic_core

from .asks import JsonValue
from .errors import SessionCorruptError

MOST_LEVELS = 100
"""Of lists and objects in each other, in what comes from outside: ``from_json`` reads some 200, and it is kept in others."""


def to_json(value: JsonValue) -> str:
    return pydantic_core.to_json(value, inf_nan_mode="constants").decode()


def from_json(text: str) -> Any:
    """Raises ``ValueError`` for what is not JSON."""
    return pydantic_core.from_json(text)


def read_back(text: str, *, what: str) -> Any:
    """What a row has.

    Args:
        what: names it, for operators.

    Raises:
        SessionCorruptError: (session.corrupt) it is no JSON.
    """
    try:
        return from_json(text)
    except ValueError as error:
        raise SessionCorruptError(f"{what} cannot be read: {error}") from error


def is_same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are the same JSON; of those that Python takes for equal ``1``, ``1.0`` and ``true`` are not."""
    match one, other:
        case dict(), dict():
            left, right = cast("dict[str, JsonValue]", one), cast("dict[str, JsonValue]", other)
            return left.keys() == right.keys() and all(is_same(part, right[key]) for key, part in left.items())
        case list(), list():
            first, second = cast("list[JsonValue]", one), cast("list[JsonValue]", other)
            return len(first) == len(second) and all(map(is_same, first, second))
        case float(), float():
            return repr(one) == repr(other)
        case _:
            return type(one) is type(other) and one == other


def is_finite(found: JsonValue) -> bool:
    """Whether there is no NaN and no infinity in it, which is no JSON, though many write it."""
    ahead: list[JsonValue] = [found]
    while ahead:
        match part := ahead.pop():
            case float() if not math.isfinite(part):
                return False
            case list():
                ahead.extend(cast("list[JsonValue]", part))
            case dict():
                ahead.extend(cast("dict[str, JsonValue]", part).values())
            case _:
                pass
    return True


def is_flat_enough(found: JsonValue) -> bool:
    """Whether no more than ``MOST_LEVELS`` lists and objects are in each other, so that it is read back wherever it is kept."""
    level: list[JsonValue] = [found]
    for _ in range(MOST_LEVELS + 1):
        below: list[JsonValue] = []
        for part in level:
            if isinstance(part, list):
                below.extend(cast("list[JsonValue]", part))
            elif isinstance(part, dict):
                below.extend(cast("dict[str, JsonValue]", part).values())
        if not any(isinstance(part, list | dict) for part in level):
            return True
        level = below
    return False
