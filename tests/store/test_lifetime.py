"""A process that used a store ends, however it comes to its end, and says nothing that it should not."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from overwinter.store.changes import StartResult, StartSession
from overwinter.store.errors import StoreClosedError, StoreCorruptError
from overwinter.store.store import Store

from .children import run_child, start_child
from .examples import message, session, started

LIMIT_S = 30


def lanes() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("overwinter-store")]


def sessions(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT count(*) FROM sessions").fetchone()[0]


@pytest.mark.case("st03")
def test_a_process_ends_by_itself(database: Path) -> None:
    assert run_child("start", database, "s1") == (0, "started\n", "")


@pytest.mark.case("st03")
def test_a_process_that_cannot_start_ends_with_its_error(database: Path) -> None:
    database.write_bytes(b"no database" * 1000)
    code, said, errors = run_child("start", database, "s1")
    assert (code, said) == (1, "")
    assert errors.splitlines()[-1].startswith("overwinter.store.errors.StoreCorruptError: ")
    assert "Event loop is closed" not in errors


@pytest.mark.case("st03")
def test_a_process_that_crashes_with_its_store_open_ends(database: Path) -> None:
    code, _, errors = run_child("crash", database)
    assert code == 1
    assert errors.splitlines()[-1] == "RuntimeError: crashed after the start"
    assert "Event loop is closed" not in errors


@pytest.mark.case("st03")
def test_a_parked_process_ends_on_sigterm(database: Path) -> None:
    with start_child("park", database) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "parked\n"
        child.send_signal(signal.SIGTERM)
        assert child.communicate(timeout=LIMIT_S) == ("threads left: 0\n", "")
        assert child.returncode == 0


@pytest.mark.case("st03")
def test_a_process_interrupted_while_connecting_ends(database: Path) -> None:
    code, _, errors = run_child("interrupt", database)
    assert code in (1, -signal.SIGINT)
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
    assert "Event loop is closed" not in errors


@pytest.mark.case("st03")
def test_a_process_whose_closing_was_cancelled_ends_with_its_change_written(database: Path) -> None:
    code, said, errors = run_child("cancel-closing", database)
    assert (code, said, errors) == (0, "closing was cancelled: True, change: started\n", "")
    assert sessions(database) == 1


async def test_closing_writes_what_is_waiting(database: Path) -> None:
    store = await Store.open(database)
    changes = [StartSession(session=session(f"s{n}"), message=None) for n in range(500)]
    writes = [asyncio.create_task(store.start_session(change)) for change in changes]
    await asyncio.wait({writes[0]})
    await store.aclose()
    results = await asyncio.gather(*writes)
    assert set(results) == {StartResult.STARTED}
    assert sessions(database) == 500
    assert lanes() == []


async def test_a_store_may_be_closed_again(database: Path) -> None:
    store = await Store.open(database)
    await asyncio.gather(store.aclose(), store.aclose())
    await store.aclose()
    assert lanes() == []


async def test_a_closed_store_refuses_everything(database: Path) -> None:
    store = await Store.open(database)
    await store.aclose()
    with pytest.raises(StoreClosedError):
        await store.start_session(StartSession(session=session(), message=message()))
    with pytest.raises(StoreClosedError):
        await store.load("s1")
    with pytest.raises(StoreClosedError) as raised:
        await store.due()
    assert raised.value.code == "store.closed"


def test_a_start_that_fails_leaves_no_thread_and_no_file(database: Path) -> None:
    database.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreCorruptError):
        asyncio.run(Store.open(database))
    assert lanes() == []
    assert [path.name for path in database.parent.iterdir()] == [database.name]


async def test_a_start_that_is_cancelled_leaves_no_thread(database: Path) -> None:
    for turns in range(60):
        opening = asyncio.create_task(Store.open(database))
        for _ in range(turns):
            await asyncio.wait({asyncio.get_running_loop().create_future()}, timeout=0)
        opening.cancel()
        (outcome,) = await asyncio.gather(opening, return_exceptions=True)
        if isinstance(outcome, Store):
            await outcome.aclose()
        else:
            assert isinstance(outcome, asyncio.CancelledError)
        assert lanes() == []
    store = await Store.open(database)
    await started(store)
    await store.aclose()


# -- the log -----------------------------------------------------------------------------------------------------------
async def test_a_checkpoint_empties_the_log_and_tells_the_size(store: Store, database: Path) -> None:
    for n in range(50):
        await started(store, f"s{n}")
    log = database.with_name(database.name + "-wal")
    assert size(log) > 0
    assert await store.checkpoint() == size(database)
    assert size(log) == 0


def size(path: Path) -> int:
    return path.stat().st_size
