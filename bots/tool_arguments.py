"""Reads what a model wrote as a call's arguments, names what is wrong with it, and gives it one canonical form.

Pure and knows no tool: ``tool_schemas`` joins it with a function's types. The canonical form is JSON with sorted keys and no
spaces; two calls are the same call exactly when their digests are equal.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NoReturn, cast

from pydantic import ValidationError
from pydantic_core import to_json

from ..actors.asks import JsonValue
from .errors import ToolArgumentsError

_MOST_PROBLEMS = 10
_INPUT_LETTERS = 80
_PLAIN_DIGITS = 50
"""A number of at most so many digits before or after its point is written out; one with more keeps its exponent."""


class ExactNumber(float):
    """A JSON number that remembers its text.

    pydantic makes a Decimal of a float by way of ``str``, so this is how ``80.10`` arrives as ``Decimal("80.10")`` where the
    tool wants a Decimal, and as a plain float where it wants that. (Its own reading of JSON goes through a binary float:
    the scale is lost, and the digits after the seventeenth.)
    """

    def __new__(cls, text: str) -> ExactNumber:
        number = super().__new__(cls, text)
        if math.isinf(number):
            raise ValueError(f"the number {text} is too large")
        exact = Decimal(text)
        number._text = format(exact, "f") if abs(exact.adjusted()) <= _PLAIN_DIGITS else text
        return number

    _text: str

    def __str__(self) -> str:
        return self._text

    @property
    def is_lossy(self) -> bool:
        """A binary float cannot hold the number as written."""
        return Decimal(self._text) != Decimal(float.__repr__(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentsText:
    """The arguments object as a model wrote it.

    Attributes:
        text: JSON, fit for a parser: no duplicate keys, no NaN, no Infinity.
        values: the same, read; each number with a point or an exponent is an ``ExactNumber``.
        exact_numbers: those numbers, wherever they are.
    """

    text: str
    values: dict[str, Any]
    exact_numbers: tuple[ExactNumber, ...]


def read_arguments(text: str, *, tool: str) -> ArgumentsText:
    """Read the text a model wrote. A blank one means no arguments: that is how several vendors write it.

    Raises:
        ToolArgumentsError: ``tool.invalid-arguments``: no JSON, no object, a key twice, NaN or Infinity.
    """
    text = text if text.strip() else "{}"
    try:
        values = _STRICT.decode(text)
        exact_numbers = tuple(_exact_numbers_in(values))
    except json.JSONDecodeError as err:
        problem = f"they are not JSON: {err.msg} at line {err.lineno}, column {err.colno}; write one JSON object"
        raise ToolArgumentsError(tool=tool, problems=[problem]) from err
    except ValueError as err:
        raise ToolArgumentsError(tool=tool, problems=[str(err)]) from err
    except RecursionError as err:
        raise ToolArgumentsError(tool=tool, problems=["they are nested too deep"]) from err
    if not isinstance(values, dict):
        raise ToolArgumentsError(tool=tool, problems=[f"one JSON object is expected, got {_in_short(values)}"])
    return ArgumentsText(text=text, values=cast("dict[str, Any]", values), exact_numbers=exact_numbers)


def problems_of(err: ValidationError) -> list[str]:
    """One sentence for each thing that does not fit: where, what was expected, what came."""
    problems: list[str] = []
    errors = err.errors(include_url=False, include_context=False)
    for error in errors[:_MOST_PROBLEMS]:
        message = error["msg"][:1].lower() + error["msg"][1:]
        match error["type"]:
            case "missing" | "missing_argument" | "missing_keyword_only_argument":
                problem = "is required and missing"
            case "extra_forbidden" | "unexpected_keyword_argument":
                problem = f"there is no such argument; got {_in_short(error['input'])}"
            case "json_invalid":
                problem = message
            case _:
                problem = f"{message}; got {_in_short(error['input'])}"
        path = _path(error["loc"])
        problems.append(f"{path}: {problem}" if path else problem)
    if len(errors) > _MOST_PROBLEMS:
        problems.append(f"and {len(errors) - _MOST_PROBLEMS} more")
    return problems


def canonical_json(value: JsonValue) -> str:
    """The one way to write a JSON value: keys sorted at every depth, no spaces, letters as they are.

    Raises ValueError for NaN and Infinity, which are no JSON.
    """
    return to_json(_in_order(value)).decode()


def _in_order(value: Any) -> JsonValue:
    kind = type(value)  # pyright: ignore[reportUnknownVariableType]  whatever it is
    if kind is str:
        return value
    if kind is dict:
        # Most values are texts, and one call for each of them would be most of the work.
        return {key: part if type(part := value[key]) is str else _in_order(part) for key in sorted(value)}
    if isinstance(value, list):
        return [_in_order(part) for part in cast("list[JsonValue]", value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no JSON number")
    return value


def digest(tool: str, canonical: Mapping[str, JsonValue]) -> str:
    """What identifies a call: SHA-256, in hex, of the tool's name and its canonical arguments.

    The order of keys makes no difference; ``"100.0"`` and ``"100.00"`` do, as any two values do that are written apart.
    """
    text = canonical_json({"arguments": dict(canonical), "tool": tool})
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"the key {json.dumps(key, ensure_ascii=False)} is there twice")
        values[key] = value
    return values


_STRICT = json.JSONDecoder(
    parse_float=ExactNumber, parse_constant=_refuse_constant, object_pairs_hook=_without_duplicates
)


def _exact_numbers_in(value: object) -> list[ExactNumber]:
    if isinstance(value, ExactNumber):
        return [value]
    if isinstance(value, dict):
        parts: Iterable[object] = cast("dict[str, object]", value).values()
    elif isinstance(value, list):
        parts = cast("list[object]", value)
    else:
        return []
    return [number for part in parts if type(part) is not str for number in _exact_numbers_in(part)]


def _path(loc: tuple[int | str, ...]) -> str:
    path = ""
    for step in loc:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path


def _in_short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _INPUT_LETTERS else text[: _INPUT_LETTERS - 1] + "…"
