"""A store on each engine: the contract is the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from overwinter.store.store import Store


@pytest.fixture(params=["sqlite"])
async def store(request: pytest.FixtureRequest, database: Path) -> AsyncIterator[Store]:
    """An empty store, closed after the test."""
    opened = await Store.open(database)
    yield opened
    await opened.aclose()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Where a database may be made."""
    return tmp_path / "overwinter.db"
