"""Records the stories with the Overwinter that is imported; how to run it is said in the package's docstring."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import overwinter.store.store
from overwinter.bots.testing.kit import Kit

from .office import Office
from .stories import STORIES, Story


async def record(story: Story, path: Path) -> None:
    """Play a story up to its point, and leave its database behind as a process that is killed would."""
    office = Office()
    async with Kit(build=office.app, path=path).running() as kit:
        await story.record(kit, office)
    assert office.ran == story.ran_before, office.ran


def dump(path: Path) -> str:
    """The whole database as SQL text."""
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(connection.iterdump()) + "\n"


def main(version: str, *names: str) -> None:
    folder = Path(__file__).parent / version
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as passing:
        for name in names or STORIES:
            path = Path(passing, f"{name}.db")
            asyncio.run(record(STORIES[name], path))
            Path(folder, f"{name}.sql").write_text(dump(path))
    sys.stdout.write(f"recorded into {folder} with {Path(overwinter.store.store.__file__).parents[1]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
