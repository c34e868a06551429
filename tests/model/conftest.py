"""How the histories of this folder are chosen: the same ones in every run, unless another seed is asked for."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("model", "histories of the model-based tests (name tests/model on the command line)")
    group.addoption("--model-seed", type=int, default=0, help="begin the random histories at another seed")
    group.addoption("--model-examples", type=int, default=None, help="how many histories each part plays")
