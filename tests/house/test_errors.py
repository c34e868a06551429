"""The rules for errors: one tree a folder, drawn at its top, each with a code of its own that some test has seen."""

from __future__ import annotations

import importlib
import re
import sys
from collections import Counter
from collections.abc import Iterator

from overwinter.store.errors import OverwinterError

from .folders import ROOT, product_files

CODE = re.compile(r"[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*")

NOT_IMPORTED = {"store/migrations/env.py"}
"""Alembic's own entry point: it runs migrations when it is imported."""


def all_errors() -> list[type[OverwinterError]]:
    """Every error class of the product, found by importing all of it."""
    for path in product_files():
        if str(path) not in NOT_IMPORTED and path.name != "__main__.py":
            importlib.import_module(".".join(("overwinter", *path.with_suffix("").parts)).removesuffix(".__init__"))
    return [OverwinterError, *subclasses(OverwinterError)]


def subclasses(parent: type[OverwinterError]) -> Iterator[type[OverwinterError]]:
    for child in parent.__subclasses__():
        if re.match(r"overwinter\.(?!tests\.)", child.__module__):
            yield child
            yield from subclasses(child)


def test_every_error_has_a_code_and_a_message_of_its_own() -> None:
    for error in all_errors():
        name = f"{error.__module__}.{error.__name__}"
        assert error.__name__.endswith("Error"), name
        assert CODE.fullmatch(vars(error).get("code", "")), f"{name}: code is noun.condition"
        assert (vars(error).get("__doc__") or "").strip(), f"{name}: its docstring is its default message"


def test_no_two_errors_share_a_code() -> None:
    counts = Counter(error.code for error in all_errors())
    assert [code for code, count in counts.items() if count > 1] == []


def test_every_error_is_drawn_in_the_tree_of_its_folder() -> None:
    for error in all_errors():
        assert re.fullmatch(r"overwinter\.[a-z]+\.([a-z]+_)?errors", error.__module__), (
            f"{error}: belongs into errors.py"
        )
        drawing = sys.modules[error.__module__].__doc__ or ""
        assert re.search(rf"\b{error.__name__}\b", drawing), f"{error}: is not in the tree at the top of its file"
        if not error.__subclasses__():
            assert re.search(rf"\b{error.__name__} +{re.escape(error.code)}\b", drawing), f"{error}: drawn without code"


def test_every_error_is_raised_by_some_test() -> None:
    tests = "\n".join(
        path.read_text() for path in (ROOT / "tests").rglob("*.py") if path.relative_to(ROOT).parts[1] != "house"
    )
    unseen = [
        error.code
        for error in all_errors()
        if not error.__subclasses__() and error.code not in tests and error.__name__ not in tests
    ]
    assert unseen == []
