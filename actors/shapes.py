"""Shapes: what can be known of a value without storing and loading it.

A value of plain JSON types comes back the same, and a look at its types costs a fraction of loading it. A shape answers
only "surely the same"; where it says no, whoever asked finds out by loading.
"""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Callable
from typing import Any, Final, TypeAlias

Shape: TypeAlias = Callable[[Any, int], bool]
"""Whether a value surely comes back the same; the int is how many more levels of lists and dicts it may have."""

PROVEN_LEVELS: Final = 150
"""pydantic's parser stops at 200 levels."""

_HALF_A_PAIR: Final = re.compile("[\ud800-\udfff]")

_TOO_LONG: Final = 1 << 14_000
"""pydantic's parser stops at integers of 4,300 digits."""


def is_plain(value: Any, levels: int) -> bool:
    """The shape of plain JSON: None, bool, int, finite float, str, and lists and dicts of them with str keys."""
    kind = type(value)  # pyright: ignore[reportUnknownVariableType]  whatever it is
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return -_TOO_LONG < value < _TOO_LONG
    if kind is float:
        return math.isfinite(value)
    if kind is dict:
        return _is_dict_of(is_plain, value, levels)
    return _is_list_of(is_plain, value, levels)


def shape_of(annotation: object) -> Shape:
    """Return what proves values of the annotation; it proves none where only loading tells."""
    origin, arguments = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if _is_scalar(origin):
        return _SCALARS[origin]
    if origin is Any or origin is object:
        return is_plain
    if origin is list:
        item = shape_of(arguments[0]) if arguments else is_plain
        return lambda value, levels: _is_list_of(item, value, levels)
    if origin is dict and (not arguments or arguments[0] is str):
        item = shape_of(arguments[1]) if arguments else is_plain
        return lambda value, levels: _is_dict_of(item, value, levels)
    # Between two containers pydantic has to choose: an empty list tells nothing of its items.
    if origin in (typing.Union, types.UnionType) and sum(not _is_scalar(member) for member in arguments) <= 1:
        members = [shape_of(member) for member in arguments]
        return lambda value, levels: any(member(value, levels) for member in members)
    return _proves_nothing


def _is_scalar(annotation: object) -> bool:
    return isinstance(annotation, type | None) and annotation in _SCALARS


def _is_list_of(item: Shape, value: Any, levels: int) -> bool:
    if type(value) is not list or levels <= 0:
        return False
    parts = typing.cast("list[Any]", value)
    for part in parts:  # noqa: SIM110 - a third faster than all()
        if not item(part, levels - 1):
            return False
    return True


def _is_dict_of(item: Shape, value: Any, levels: int) -> bool:
    if type(value) is not dict or levels <= 0:
        return False
    members = typing.cast("dict[Any, Any]", value)
    for key, part in members.items():
        if type(key) is not str or not (key.isascii() or _is_text(key)) or not item(part, levels - 1):
            return False
    return True


def _is_text(key: str) -> bool:
    """Whether a key has bytes. Half a surrogate pair has none: pydantic refuses it in a value, but alters it in a key."""
    return _HALF_A_PAIR.search(key) is None


def _is_int(value: Any, _levels: int) -> bool:
    return type(value) is int and -_TOO_LONG < value < _TOO_LONG


def _is_none(value: Any, _levels: int) -> bool:
    return value is None


def _proves_nothing(_value: Any, _levels: int) -> bool:
    return False


_SCALARS: Final[dict[object, Shape]] = {
    None: _is_none,
    types.NoneType: _is_none,
    bool: lambda value, _levels: type(value) is bool,
    int: _is_int,
    float: lambda value, _levels: type(value) is float,
    str: lambda value, _levels: type(value) is str,
}
