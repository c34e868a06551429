"""A store on each engine: the contract is the same."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from overwinter.store.store import Store

OpenStore = Callable[[], Awaitable[Store]]


async def open_sqlite(database: Path, empty: Path) -> Store:
    if not database.is_file():  # noqa: ASYNC240
        shutil.copy(empty, database)
    return await Store.open(database)


ENGINES: dict[str, Callable[[Path, Path], Awaitable[Store]]] = {"sqlite": open_sqlite}
"""How a test gets the store of its own on each engine: empty the first time, as it was left after that."""


@pytest.fixture(params=ENGINES)
async def open_store(request: pytest.FixtureRequest, database: Path, empty: Path) -> AsyncIterator[OpenStore]:
    """Opens the test's store, and opens it again; whatever is open after the test is closed."""
    opened: list[Store] = []

    async def open_it() -> Store:
        opened.append(await ENGINES[request.param](database, empty))
        return opened[-1]

    yield open_it
    for each in opened:
        await each.aclose()


@pytest.fixture
async def store(open_store: OpenStore) -> Store:
    """An empty store, closed after the test."""
    return await open_store()


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
