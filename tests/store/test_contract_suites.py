"""The suites called ``*_contract`` hold for every store: each of their tests runs on every engine, and none knows which."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import ENGINES

SUITES = sorted(Path(__file__).parent.glob("test_*_contract.py"))

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions_of(suite: Path) -> Iterator[Function]:
    for node in ast.parse(suite.read_text()).body:
        if isinstance(node, Function) and node.name.startswith("test_"):
            yield node


def arguments_of(test: Function) -> set[str]:
    return {argument.arg for argument in test.args.args}


@pytest.mark.behaviour("G47")
@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.stem)
def test_each_test_of_a_contract_is_given_its_store_and_knows_of_no_engine(suite: Path) -> None:
    tests = list(functions_of(suite))
    assert tests
    assert [test.name for test in tests if "store" not in arguments_of(test) or "database" in arguments_of(test)] == []
    assert not re.search(r"sqlite|postgres|pragma", suite.read_text(), re.IGNORECASE)


@pytest.mark.behaviour("G47")
def test_the_contract_is_run_on_every_engine_that_there_is() -> None:
    assert {suite.stem for suite in SUITES} >= {
        "test_advance_contract",
        "test_pauses_contract",
        "test_reads_contract",
        "test_sessions_contract",
    }
    modules = {path.stem for path in (Path(__file__).parents[2] / "store").glob("*.py")}
    assert set(ENGINES) == modules & {"sqlite", "postgresql"}
