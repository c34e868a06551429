"""A store on each engine: the contract is the same."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from overwinter.store.store import Store


@pytest.fixture(params=["sqlite"])
async def store(request: pytest.FixtureRequest, database: Path, empty: Path) -> AsyncIterator[Store]:
    """An empty store, closed after the test."""
    shutil.copy(empty, database)
    opened = await Store.open(database)
    yield opened
    await opened.aclose()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Where a database may be made."""
    return tmp_path / "overwinter.db"


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with its tables and nothing in them, to be copied: making the tables takes longer than most tests."""
    path = tmp_path_factory.mktemp("empty") / "empty.db"

    async def make() -> None:
        await (await Store.open(path)).aclose()

    asyncio.run(make())
    return path
