"""``value``: a frozen, slotted, keyword-only dataclass that is made quickly.

The ``__init__`` that ``dataclass`` writes for a frozen class sets each field through ``object.__setattr__``, by name. The one
written here sets the slots through their descriptors, found once: the same values, made in about half of the time. A cycle
of a session makes some fifty of them, so it shows (``overwinter bench``).
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(kw_only_default=True, frozen_default=True)
def value(cls: type[T]) -> type[T]:
    """Decorator: the class as a frozen, slotted, keyword-only dataclass."""
    made: Any = dataclass(frozen=True, slots=True, kw_only=True)(cls)
    names: dict[str, Any] = {}
    parameters: list[str] = []
    body: list[str] = []
    for field in fields(made):
        if field.default_factory is not MISSING:
            raise TypeError(f"{cls.__qualname__}.{field.name}: a value's default is a value")
        names[f"set_{field.name}"] = getattr(made, field.name).__set__
        names[f"default_{field.name}"] = field.default
        has_default = field.default is not MISSING
        parameters.append(f"{field.name}=default_{field.name}" if has_default else field.name)
        body.append(f"    set_{field.name}(self, {field.name})")
    exec(f"def __init__(self, *, {', '.join(parameters)}):\n" + "\n".join(body), names)
    names["__init__"].__qualname__ = f"{made.__qualname__}.__init__"
    made.__init__ = names["__init__"]
    made.__setattr__ = _refuse_to_set
    return made


def _refuse_to_set(self: object, name: str, _value: object) -> NoReturn:
    # The one of ``dataclass`` stumbles, on Python 3.11, over slots and a name that is no field: then a generic class cannot be
    # made by its subscripted name, since typing notes that on what was made, and forgives an AttributeError alone.
    raise FrozenInstanceError(f"cannot assign to field {name!r} of {type(self).__qualname__}")
