"""What goes wrong with a database: each time a clear error that names the file and the remedy, and nothing half-written."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from overwinter.store.changes import StartResult, StartSession
from overwinter.store.errors import (
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreMissingError,
    StoreReadOnlyError,
)
from overwinter.store.sqlite_errors import explained
from overwinter.store.store import Store

from .children import run_child
from .examples import advance, answer, asleep, claim, question, resolve, session, started
from .examples import event as ledger_event


async def open_and_close(path: Path, *, must_exist: bool = False) -> None:
    await (await Store.open(path, must_exist=must_exist)).aclose()


def refused(path: Path, *, must_exist: bool = False) -> StoreError:
    with pytest.raises(StoreError) as raised:
        asyncio.run(open_and_close(path, must_exist=must_exist))
    assert str(path) in str(raised.value)
    return raised.value


# -- before it is open -------------------------------------------------------------------------------------------------
def test_a_missing_database_is_not_made_where_it_must_exist(database: Path) -> None:
    error = refused(database, must_exist=True)
    assert (type(error), error.code) == (StoreMissingError, "store.missing")
    assert not database.exists()


def test_a_missing_folder_is_named_with_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError) as raised:
        asyncio.run(open_and_close(tmp_path / "no" / "such.db"))
    assert f"mkdir -p {tmp_path / 'no'}" in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    error = refused(tmp_path)
    assert isinstance(error, StoreMissingError)
    assert "is a folder" in str(error)


@pytest.mark.parametrize("content", [b"# Notes\n" * 600, b"SQLite format 3\0" + b"\xff" * 5000, b"x"])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(database: Path, content: bytes) -> None:
    database.write_bytes(content)
    error = refused(database)
    assert (type(error), error.code) == (StoreCorruptError, "store.corrupt")
    assert database.read_bytes() == content


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may look into, which those of pytest are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_file_of_another_user_cannot_be_written(open_folder: Path) -> None:
    database = open_folder / "w.db"
    asyncio.run(open_and_close(database))
    database.chmod(0o444)
    _, said, errors = run_child("as-nobody", database)
    assert said.startswith("store.read-only: "), errors
    assert str(database) in said
    assert "ls -ld" in said


def test_a_folder_of_another_user_cannot_be_written(open_folder: Path) -> None:
    database = open_folder / "w.db"
    asyncio.run(open_and_close(database))
    database.chmod(0o666)
    open_folder.chmod(0o555)
    _, said, errors = run_child("as-nobody", database)
    assert said.startswith("store.read-only: "), errors
    assert f"The folder {open_folder} cannot be written" in said


# -- while it is open --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("retried", [False, True])
async def test_a_lock_held_by_another_process_is_an_error_only_after_the_wait(database: Path, retried: bool) -> None:
    store = await Store.open(database, busy_timeout_s=0.05)
    try:
        with closing(sqlite3.connect(database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreBusyError) as raised:
                await started(store)
            assert raised.value.code == "store.busy"
            assert raised.value.retryable
            assert str(database) in str(raised.value)
            assert await store.load("s1") is None, "reads go on"
            other.execute("ROLLBACK" if retried else "COMMIT")
        await started(store)
    finally:
        await store.aclose()


async def test_everyone_in_a_batch_hears_of_the_lock(database: Path) -> None:
    store = await Store.open(database, busy_timeout_s=0.05)
    try:
        with closing(sqlite3.connect(database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            changes = [StartSession(session=session(f"s{n}"), message=None) for n in range(5)]
            results = await asyncio.gather(*(store.start_session(one) for one in changes), return_exceptions=True)
            other.execute("COMMIT")
        assert {type(result) for result in results} == {StoreBusyError}
        assert len({id(result) for result in results}) == 5
        assert await store.sessions(tenant=None, statuses=None, limit=9) == ()
    finally:
        await store.aclose()


class Disk:
    """A disk that can be full: SQLite may add no page to its file.

    Attributes:
        statements: what was executed, by every connection, since the disk became full.
    """

    def __init__(self) -> None:
        self.is_full = False
        self.statements: list[str] = []

    def executing(self, connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        self.statements.append(statement)
        if statement.startswith("BEGIN"):
            # Below the present size it means the present size.
            cursor.connection.execute(f"PRAGMA max_page_count = {1 if self.is_full else 1_000_000}")

    @contextmanager
    def in_use(self) -> Generator[None]:
        event.listen(Engine, "before_cursor_execute", self.executing)
        try:
            yield
        finally:
            event.remove(Engine, "before_cursor_execute", self.executing)


LARGE = '"' + "x" * 200_000 + '"'


@pytest.mark.case("st05")
async def test_a_full_disk_is_an_error_of_everyone_in_the_transaction_and_work_goes_on_by_itself(store: Store) -> None:
    disk = Disk()
    await asleep(store, question("p1"), question("p2"))
    await store.claim(claim())
    with disk.in_use():
        disk.is_full = True
        acknowledged = asyncio.gather(
            store.resolve_pause(resolve("p1", inbound=answer())),
            store.advance(advance("s1", ledger=(ledger_event(0, body_json=LARGE),))),
            store.resolve_pause(resolve("p2", inbound=answer(external_id="a2", body_json=LARGE))),
            return_exceptions=True,
        )
        results = await acknowledged
        assert [type(result) for result in (results[0], results[2])] == [StoreFullError] * 2
        error = results[0]
        assert isinstance(error, StoreFullError)
        assert (error.code, error.retryable) == ("store.full", True)
        assert "disk" in str(error)
        assert "overwinter.db" in str(error)

        loaded = await store.load("s1")
        assert loaded is not None
        assert [pause.status for pause in loaded.pauses] == ["pending", "pending"]
        assert loaded.session.wakes == 0
        assert await store.audit(tenant="acme", limit=9) == ()
        writes = [text for text in disk.statements if text.startswith(("INSERT", "UPDATE", "DELETE"))]
        assert writes, "it had begun to write"
        assert disk.statements.index(writes[0]) > disk.statements.index("BEGIN IMMEDIATE")

        disk.is_full = False
        disk.statements.clear()
        assert (await store.resolve_pause(resolve("p1", inbound=answer()))).outcome == "resolved"
        assert disk.statements[0] == "BEGIN IMMEDIATE", "the full one was over: this one has its own"
    assert len(await store.audit(tenant="acme", limit=9)) == 1


@pytest.mark.case("st05")
async def test_after_a_full_disk_nothing_is_written_outside_a_transaction(store: Store) -> None:
    disk = Disk()
    with disk.in_use():
        disk.is_full = True
        for n in range(20):
            change = StartSession(session=session(f"s{n}", reason=LARGE), message=None)
            with pytest.raises(StoreFullError):
                await store.start_session(change)
        is_inside = False
        for text in disk.statements:
            is_inside = text == "BEGIN IMMEDIATE" or (is_inside and not text.startswith("BEGIN"))
            assert is_inside, text
        disk.is_full = False
        assert await store.start_session(StartSession(session=session("after"), message=None)) is StartResult.STARTED
    assert [one.session_id for one in await store.sessions(tenant=None, statuses=None, limit=99)] == ["after"]


async def test_a_damaged_database_says_so(database: Path) -> None:
    store = await Store.open(database)
    for n in range(40):
        await started(store, f"s{n}")
    await store.aclose()
    damage(database)
    store = await Store.open(database)
    try:
        with pytest.raises(StoreCorruptError) as raised:
            await store.load("s1")
        with pytest.raises(StoreCorruptError):
            await started(store, "new")
        assert str(database) in str(raised.value)
        assert "restore it from a copy" in str(raised.value)
    finally:
        await store.aclose()


def damage(database: Path) -> None:
    """Overwrite the root of a table."""
    with closing(sqlite3.connect(database)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sessions'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with database.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xde\xad\xbe\xef" * (size // 4))


# -- the words ---------------------------------------------------------------------------------------------------------
def vendor_error(make: Callable[[], object]) -> sqlite3.Error:
    with pytest.raises(sqlite3.Error) as raised:
        make()
    return raised.value


def test_a_database_that_may_only_be_read_says_so(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE t (c)")
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        error = vendor_error(lambda: connection.execute("INSERT INTO t VALUES (1)"))
    assert isinstance(explained(error, database), StoreReadOnlyError)


def test_a_database_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    error = vendor_error(lambda: sqlite3.connect(f"{(tmp_path / 'none.db').as_uri()}?mode=rw", uri=True))
    told = explained(error, tmp_path / "none.db")
    assert isinstance(told, StoreMissingError)
    assert str(tmp_path / "none.db") in str(told)


def test_any_other_failure_names_the_file_too(database: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        error = vendor_error(lambda: connection.execute("SELECT * FROM nothing"))
    told = explained(error, database)
    assert (type(told), told.code) == (StoreError, "store.error")
    assert str(database) in str(told)
    assert "nothing" in str(told)
