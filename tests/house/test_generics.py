"""A generic class may be made by its subscripted name: ``QuestionRole[str](...)``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic

from .folders import FOLDERS
from .test_errors import all_errors

OURS = tuple(f"overwinter.{folder}." for folder in FOLDERS)


def generic_classes(parent: Any = Generic) -> Iterator[type[Any]]:
    """Every generic class of the product that is loaded."""
    for child in parent.__subclasses__():
        if child.__module__.startswith(OURS) and child.__parameters__:
            yield child
        yield from generic_classes(child)


def test_what_is_made_by_a_subscripted_name_may_be_told_so() -> None:
    all_errors()  # loads the whole product
    found = {each.__name__: each for each in generic_classes()}
    assert {"QuestionRole", "Joined", "Codec", "ToolCall", "Workflow", "Alone"} <= found.keys()
    for name, each in found.items():
        # What typing does after it has called the class; on Python 3.11 it forgives an AttributeError and nothing else.
        try:
            object.__new__(each).__orig_class__ = "the subscripted name"
        except AttributeError:
            continue
        except TypeError as error:
            raise AssertionError(f"{name}[...](...) fails on Python 3.11: make it a value, or without slots") from error
