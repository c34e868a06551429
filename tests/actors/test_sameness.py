"""Equal is not enough: what ``difference`` tells apart, and what it does not."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, ConfigDict, PrivateAttr, TypeAdapter

from overwinter.actors.sameness import Difference, difference

BERLIN = ZoneInfo("Europe/Berlin")
SUMMER = timezone(timedelta(hours=2))
AT = datetime(2026, 10, 25, 2, 30)  # noqa: DTZ001
NAN = float("nan")


class Level(IntEnum):
    LOW = 1


class Word(StrEnum):
    LOW = "low"
    ALSO_LOW = "also"


class Point(NamedTuple):
    x: int
    y: float


class Shout(str):
    pass


@dataclasses.dataclass
class Box:
    name: str
    size: int = dataclasses.field(init=False)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int | float = 1
    _seen: list[int] = PrivateAttr(default_factory=list[int])


class Handle:
    """Compared by identity, as plain objects are."""


class Odd(tzinfo):
    pass


class UtcLike(tzinfo):
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


def opened(*seen: int, **fields: Any) -> Open:
    model = Open(**fields)
    model._seen.extend(seen)  # pyright: ignore[reportPrivateUsage]
    return model


def box(name: str, size: int | None = None) -> Box:
    value = Box(name)
    if size is not None:
        value.size = size
    return value


SAME: list[Callable[[], Any]] = [
    lambda: None,
    lambda: True,
    lambda: 10**30,
    lambda: -0.0,
    lambda: float("nan"),
    lambda: complex(float("nan"), -0.0),
    lambda: "text",
    lambda: Shout("text"),
    lambda: b"\x00",
    lambda: Decimal("0.10"),
    lambda: Decimal("NaN"),
    lambda: Fraction(1, 3),
    lambda: UUID(int=1),
    lambda: Path("/x"),
    lambda: AT,
    lambda: AT.replace(tzinfo=SUMMER),
    lambda: AT.replace(tzinfo=BERLIN, fold=1),
    lambda: AT.replace(tzinfo=ZoneInfo.no_cache("Europe/Berlin")),
    lambda: TypeAdapter(datetime).validate_python("2026-01-01T00:00:00+02:00"),
    lambda: time(1, 2, tzinfo=SUMMER),
    lambda: date(2026, 1, 1),
    lambda: timedelta(microseconds=-1),
    lambda: Level.LOW,
    lambda: [1, [2.0, {"a": (3,)}]],
    lambda: Point(1, 2.0),
    lambda: {"a": 1, 2: "b", (1, 2): None},
    lambda: {1, 2.5, float("nan")},
    lambda: frozenset({(1, 2)}),
    lambda: defaultdict(list, a=[1]),
    lambda: Counter("aab"),
    lambda: OrderedDict[str, int](a=1, b=2),
    lambda: deque([1, 2], maxlen=3),
    lambda: box("a"),
    lambda: box("a", 3),
    lambda: opened(1, a=2.0, b=[3]),
]


@pytest.mark.parametrize("make", SAME)
def test_value_is_the_same_as_its_like(make: Callable[[], Any]) -> None:
    assert difference(make(), make()) is None


DIFFERENT: list[tuple[Any, Any]] = [
    (1, True),
    (1, 1.0),
    (0, None),
    (0.0, -0.0),
    (NAN, 1.0),
    (1.0, NAN),
    (complex(0.0, 0.0), complex(0.0, -0.0)),
    (1.5, Decimal("1.5")),
    (Decimal("0.10"), Decimal("0.1")),
    (Decimal("0"), Decimal("-0")),
    (Decimal("NaN"), Decimal("sNaN")),
    ("text", Shout("text")),
    ("low", Word.LOW),
    (Word.LOW, Word.ALSO_LOW),
    (1, Level.LOW),
    (b"x", bytearray(b"x")),
    (b"x", "x"),
    ([1], (1,)),
    ((1, 2.0), Point(1, 2.0)),
    (Point(1, 2.0), Point(1, 3.0)),
    ([1, 2], [1]),
    ({1}, frozenset({1})),
    ({1}, {True}),
    ({1}, {2}),
    ({1, 2}, {1}),
    ({NAN}, {1.0}),
    ({"a": 1}, {"a": True}),
    ({1: "a"}, {"1": "a"}),
    ({1: "a"}, {True: "a"}),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": 1}, OrderedDict(a=1)),
    ({"a": 1}, Counter("a")),
    (defaultdict(list), defaultdict(set)),
    (defaultdict(list), {}),
    (OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)),
    (deque([1], maxlen=2), deque([1])),
    (Path("/x"), PurePosixPath("/x")),
    (Path("/x"), Path("/y")),
    (date(2026, 10, 25), datetime(2026, 10, 25)),  # noqa: DTZ001
    (AT, AT.replace(fold=1)),
    (AT, AT.replace(tzinfo=BERLIN)),
    (AT.replace(tzinfo=BERLIN), AT.replace(tzinfo=BERLIN, fold=1)),
    (AT.replace(tzinfo=BERLIN), AT.replace(tzinfo=ZoneInfo("Europe/Paris"))),
    (AT.replace(tzinfo=BERLIN), AT.replace(tzinfo=SUMMER)),
    (AT.replace(tzinfo=SUMMER), AT.replace(tzinfo=timezone(timedelta(hours=2), "CEST"))),
    (AT.replace(tzinfo=SUMMER), TypeAdapter(datetime).validate_python("2026-10-25T02:30:00+02:00")),
    (AT.replace(tzinfo=Odd()), AT.replace(tzinfo=Odd())),
    (AT.replace(tzinfo=UtcLike()), AT.replace(tzinfo=UtcLike())),
    (time(1, 2), time(1, 2, fold=1)),
    (time(1, 2), time(1, 2, tzinfo=SUMMER)),
    (box("a", 3), box("a", 4)),
    (box("a", 3), box("a")),
    (opened(a=1), opened(a=1.0)),
    (opened(1), opened(2)),
    (opened(b=1), opened(b=2)),
    (opened(b=1), opened()),
    (Handle(), Handle()),
    (Fraction(1, 3), Fraction(1, 2)),
]


@pytest.mark.parametrize(("given", "loaded"), DIFFERENT)
def test_value_is_told_apart_from_what_is_only_like_it(given: Any, loaded: Any) -> None:
    assert difference(given, loaded) is not None
    assert difference(loaded, given) is not None
    assert difference([given], [loaded]) is not None


def test_one_object_is_the_same_as_itself() -> None:
    handle = Handle()
    assert difference(handle, handle) is None
    assert difference(Box, Box) is None
    zoned = AT.replace(tzinfo=Odd())
    assert difference([zoned], [zoned]) is None


def test_order_of_dicts_and_sets_does_not_count() -> None:
    assert difference({"a": 1, "b": 2}, {"b": 2, "a": 1}) is None
    assert difference({8, 0}, {0, 8}) is None


def test_fields_set_do_not_count() -> None:
    assert difference(Open(a=1), Open()) is None


@pytest.mark.parametrize(
    ("given", "loaded", "path"),
    [
        (1, 2, ""),
        ([[0, 1]], [[0, 2]], "[0][1]"),
        ({"items": [1, 2, 3, 4]}, {"items": [1, 2, 3, "4"]}, ".items[3]"),
        ({"two words": 1}, {"two words": 2}, "['two words']"),
        ({"größe": 1}, {"größe": 2}, ".größe"),
        ({3: "a"}, {3: "b"}, "[3]"),
        ({3: "a"}, {"3": "a"}, "[3]"),
        ({"\ud800": 1}, {"\ud800": 2}, "['\\ud800']"),
        ({"x" * 200: 1}, {"x" * 200: 2}, f"['{'x' * 79}…]"),
        (box("a", 3), box("a", 4), ".size"),
        ({"box": [box("a", 3)]}, {"box": [box("b", 3)]}, ".box[0].name"),
        (opened(1), opened(2), "._seen[0]"),
        (opened(b={"c": 1}), opened(b={"c": 2}), ".b.c"),
        (Point(1, 2.0), Point(1, 3.0), "[1]"),
        ([{1}], [{2}], "[0]"),
    ],
)
def test_difference_names_its_place(given: Any, loaded: Any, path: str) -> None:
    found = difference(given, loaded)
    assert found is not None
    assert found.path == path


def test_difference_says_types_and_no_values() -> None:
    assert difference([Word.LOW], ["low"]) == Difference(path="[0]", why=f"{__name__}.Word comes back as str")
    found = difference({"s3cret"}, {"other"})
    assert found is not None
    assert "s3cret" not in found.why


def test_infinity_is_no_nan() -> None:
    assert difference(math.inf, math.inf) is None
    assert difference(math.inf, -math.inf) is not None
    assert difference(math.inf, math.nan) is not None


def test_member_of_an_enum_made_again_is_another() -> None:
    class Other(Enum):
        LOW = 1

    class Same(Enum):
        LOW = 1

    assert difference(Other.LOW, Same.LOW) is not None
