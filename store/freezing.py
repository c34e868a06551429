"""Frozen rows made fast: a revival makes a dozen of them.

The ``__init__`` that ``dataclass`` writes for a frozen class looks up every field's setter by name, one call each; here the
setters of the slots are looked up once, and called one after another without a loop. It takes a quarter of the time and makes
an equal row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import Field, fields
from typing import Any, TypeVar

R = TypeVar("R")


def names_of(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a row, which are the columns of its table, in the same order."""
    return tuple(field.name for field in _fields_of(kind))


def _fields_of(kind: type[Any]) -> tuple[Field[Any], ...]:
    return fields(kind)


def maker(kind: type[R]) -> Callable[[Iterable[Any]], R]:
    """How to make a row of its values, given in the order of its fields; whole numbers become what ``bool`` fields say."""
    names: dict[str, Any] = {"new_object": object.__new__, "row_class": kind}
    body: list[str] = []
    for field in _fields_of(kind):
        names[f"set_{field.name}"] = getattr(kind, field.name).__set__
        value = f"bool({field.name})" if field.type == "bool" else field.name
        body.append(f"    set_{field.name}(row, {value})")
    listed = ", ".join(names_of(kind))
    exec(
        "\n".join(
            ["def make(values):", f"    {listed}, = values", "    row = new_object(row_class)", *body, "    return row"]
        ),
        names,
    )
    return names["make"]
