"""What the tests of crashes share."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from overwinter.store.store import Store


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with its tables, which take longer to make than a story."""
    path = tmp_path_factory.mktemp("empty") / "w.db"

    async def make() -> None:
        await (await Store.open(path)).aclose()

    asyncio.run(make())
    return path
