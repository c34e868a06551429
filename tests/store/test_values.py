"""A value is a frozen, slotted, keyword-only dataclass, however it is made."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass, replace

import pytest

from overwinter.store.values import value


@value
class Point:
    x: int
    y: int = 2


def test_a_value_behaves_as_a_frozen_dataclass() -> None:
    point = Point(x=1)
    assert is_dataclass(Point)
    assert (point.x, point.y) == (1, 2)
    assert point == Point(x=1, y=2)
    assert hash(point) == hash(Point(x=1, y=2))
    assert repr(point) == "Point(x=1, y=2)"
    assert replace(point, y=3) == Point(x=1, y=3)
    assert [field.name for field in fields(Point)] == ["x", "y"]
    assert not hasattr(point, "__dict__")
    with pytest.raises(FrozenInstanceError):
        point.x = 5  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("arguments", [{}, {"y": 1}, {"x": 1, "z": 2}])
def test_missing_and_unknown_fields_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(TypeError):
        Point(**arguments)


def test_fields_are_given_by_name_only() -> None:
    with pytest.raises(TypeError):
        Point(1)  # type: ignore[misc]  # pyright: ignore[reportCallIssue]
