"""Sameness: whether a value that was stored came back the same, which is more than equal.

``1 == True``, ``[1] == [1.0]``, ``Decimal("0.1") == Decimal("0.10")`` and ``0.0 == -0.0`` hold in Python; none of them is
the same here. Types must be identical at every depth, ``nan`` is the same as ``nan``, a datetime keeps its zone and its
fold, a model its private attributes and a dataclass its ``init=False`` fields. Not looked at: the order of plain dicts
and of sets, which fields of a model were set, cached properties, and whether two parts were one object.

A type unknown here is believed if it defines ``__eq__``.
"""

from __future__ import annotations

import dataclasses
import math
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from enum import Enum
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import BaseModel
from pydantic_core import TzInfo

_ABSENT: Final = object()
_CHANGED: Final = "its value changes"
_EQUAL_IS_SAME: Final = frozenset({str, int, bool, type(None), bytes, date, timedelta, UUID})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first place where two values are not the same.

    Attributes:
        path: from the value to the place: ``.items[3]``; empty for the value itself.
        why: a clause that says what differs, with no part of the value in it.
    """

    path: str
    why: str

    def inside(self, segment: str) -> Difference:
        return Difference(path=segment + self.path, why=self.why)


def difference(given: object, loaded: object) -> Difference | None:
    """Return the first difference between a value and what came back for it; None if they are the same."""
    kind = type(given)
    if type(loaded) is not kind:
        return _differs(f"{_type_of(given)} comes back as {_type_of(loaded)}")
    if kind in _EQUAL_IS_SAME:
        return None if given == loaded else _differs(_CHANGED)
    for types, compare in _COMPARISONS:
        if isinstance(given, types):
            return compare(given, loaded)
    if isinstance(given, type) or not dataclasses.is_dataclass(given):
        if given is loaded or (kind.__eq__ is not object.__eq__ and given == loaded):
            return None
        return _differs(f"{_type_of(given)} does not come back equal")
    return _dataclass_difference(given, loaded)


def segment_of(key: object) -> str:
    """Return how a path goes into a mapping: ``.name`` where that is a name, else ``['a key']``."""
    if isinstance(key, str) and key.isidentifier() and len(key) <= 80:
        return f".{key}"
    shown = ascii(key)
    return f"[{shown}]" if len(shown) <= 80 else f"[{shown[:80]}…]"


def _type_of(value: object) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _differs(why: str) -> Difference:
    return Difference(path="", why=why)


def _changed_unless(is_same: bool, why: str = _CHANGED) -> Difference | None:
    return None if is_same else _differs(why)


def _floats_are_same(given: float, loaded: float) -> bool:
    if math.isnan(given) or math.isnan(loaded):
        return math.isnan(given) and math.isnan(loaded)
    return given == loaded and math.copysign(1.0, given) == math.copysign(1.0, loaded)


def _float_difference(given: float, loaded: float) -> Difference | None:
    return _changed_unless(_floats_are_same(given, loaded))


def _complex_difference(given: complex, loaded: complex) -> Difference | None:
    return _changed_unless(_floats_are_same(given.real, loaded.real) and _floats_are_same(given.imag, loaded.imag))


def _decimal_difference(given: Decimal, loaded: Decimal) -> Difference | None:
    return _changed_unless(given.as_tuple() == loaded.as_tuple())


def _enum_difference(given: Enum, loaded: Enum) -> Difference | None:
    return _changed_unless(given is loaded)


def _clock_difference(given: datetime | time, loaded: datetime | time) -> Difference | None:
    if not _zones_are_same(given.tzinfo, loaded.tzinfo):
        return _differs(f"its time zone changes from {given.tzinfo!r} to {loaded.tzinfo!r}")
    return _changed_unless(given.fold == loaded.fold and given.replace(tzinfo=None) == loaded.replace(tzinfo=None))


def _zones_are_same(given: tzinfo | None, loaded: tzinfo | None) -> bool:
    if given is loaded:
        return True
    if type(given) is not type(loaded):
        return False
    match given:
        case ZoneInfo():
            return isinstance(loaded, ZoneInfo) and given.key == loaded.key and bool(given.key)
        case timezone() | TzInfo():
            return given == loaded and loaded is not None and given.tzname(None) == loaded.tzname(None)
        case _:
            return False


def _model_difference(given: BaseModel, loaded: BaseModel) -> Difference | None:
    fields, other = given.__dict__, loaded.__dict__
    for name in type(given).__pydantic_fields__:
        if found := difference(fields.get(name, _ABSENT), other.get(name, _ABSENT)):
            return found.inside(f".{name}")
    return _mapping_difference(given.__pydantic_extra__ or {}, loaded.__pydantic_extra__ or {}) or _mapping_difference(
        given.__pydantic_private__ or {}, loaded.__pydantic_private__ or {}
    )


def _dataclass_difference(given: Any, loaded: Any) -> Difference | None:
    for field in dataclasses.fields(given):
        if found := difference(getattr(given, field.name, _ABSENT), getattr(loaded, field.name, _ABSENT)):
            return found.inside(f".{field.name}")
    return None


def _mapping_difference(given: Mapping[Any, Any], loaded: Mapping[Any, Any]) -> Difference | None:
    if len(given) != len(loaded):
        return _differs(f"{len(given)} entries come back as {len(loaded)}")
    if isinstance(given, OrderedDict) and list(given) != list(loaded):
        return _differs("its order changes")
    if isinstance(given, defaultdict) and given.default_factory is not getattr(loaded, "default_factory", _ABSENT):
        return _differs("its default factory changes")
    keys = {key: key for key in loaded}
    for key, value in given.items():
        back = keys.get(key, _ABSENT)
        if back is _ABSENT:
            return Difference(path=segment_of(key), why=f"its {_type_of(key)} key does not come back")
        if found := difference(key, back):
            return Difference(path=segment_of(key), why=f"its key changes: {found.why}")
        if found := difference(value, loaded[back]):
            return found.inside(segment_of(key))
    return None


def _set_difference(given: Set[Any], loaded: Set[Any]) -> Difference | None:
    if len(given) != len(loaded):
        return _differs(f"{len(given)} members come back as {len(loaded)}")
    members = {member: member for member in loaded}
    for member in given:
        # A nan is equal to nothing, so it is looked for among all.
        back = members.get(member, _ABSENT)
        found = difference(member, back)
        if found and (back is not _ABSENT or all(difference(member, other) for other in loaded)):
            return _differs(f"one of its {_type_of(member)} members does not come back the same")
    return None


def _sequence_difference(given: Sequence[Any], loaded: Sequence[Any]) -> Difference | None:
    if len(given) != len(loaded):
        return _differs(f"{len(given)} items come back as {len(loaded)}")
    if isinstance(given, deque) and given.maxlen != getattr(loaded, "maxlen", _ABSENT):
        return _differs("its greatest length changes")
    for index, (item, back) in enumerate(zip(given, loaded, strict=True)):
        if found := difference(item, back):
            return found.inside(f"[{index}]")
    return None


_COMPARISONS: Final[tuple[tuple[type | tuple[type, ...], Callable[[Any, Any], Difference | None]], ...]] = (
    (BaseModel, _model_difference),
    (Enum, _enum_difference),
    (Decimal, _decimal_difference),
    (float, _float_difference),
    (complex, _complex_difference),
    ((datetime, time), _clock_difference),
    (Mapping, _mapping_difference),
    (Set, _set_difference),
    ((list, tuple, deque), _sequence_difference),
)
"""In this order: an ``IntEnum`` is an int, a ``namedtuple`` a tuple. Subclasses of str, bytes and int are left to ``==``."""
