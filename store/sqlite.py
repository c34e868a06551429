"""All that is peculiar to SQLite: its connections and their threads, its PRAGMAs, its words in SQL.

A connection lives in a thread of its own and does one job at a time; a job is a whole transaction. So a transaction costs
one hop between threads, however many statements it has, and nothing that is cancelled outside can interrupt one: there is
no ``await`` between its BEGIN and its COMMIT. (Through SQLAlchemy's asyncio extension and aiosqlite each statement is three
to four hops: a small commit took three times the processor time.)

What the PRAGMAs promise: write-ahead log, so that readers and the writer do not wait for each other; ``synchronous=FULL``, so
that a commit that has returned survives a power cut; a log that is written back every 16 MB and kept no larger than 64 MB.
Writing transactions begin with BEGIN IMMEDIATE: one that began as a reader could find the database changed when it
comes to write, and no waiting helps then. Reading ones never do: they would take the write lock.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import orjson
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import Insert

from .engine import UNREADABLE
from .errors import StoreBusyError, StoreClosedError, StoreError
from .sqlite_errors import LOG_KEPT_BYTES, explained, is_busy

T = TypeVar("T")

_WAL_PAGES = 4096
"""How many pages the log may have before a commit writes it back to the file."""
_RETRY_S = 0.02
_SOON_S = 0.0002
"""Between two tries for the write lock at first: another process that writes has it for a millisecond at a time."""
_SOON_FOR_S = 0.1


class Use(StrEnum):
    """What a connection is for."""

    WRITING = "writing"
    READING = "reading"


# -- SQL ---------------------------------------------------------------------------------------------------------------
class SqliteDialect:
    """A list of keys is one parameter, a JSON array: the statement's text, and so its prepared form, stays the same."""

    def __init__(self) -> None:
        self._dialect = SQLiteDialect_pysqlite(paramstyle="qmark")

    def compiled(self, statement: sa.UpdateBase, column_keys: list[str]) -> tuple[str, tuple[str, ...]]:
        compiled = statement.compile(dialect=self._dialect, column_keys=column_keys)
        assert isinstance(compiled, SQLCompiler)
        return compiled.string, tuple(compiled.positiontup or ())

    def for_rows(self, text: str, count: int) -> str:
        insert, values, rest = text.partition(" VALUES ")
        if values:
            row, closed, rest = rest.partition(")")
            return f"{insert} VALUES {', '.join([row + closed] * count)}{rest}"
        numbers = itertools.count(1)
        assigned, _, where = (re.sub(r"\?", lambda _: f"v.column{next(numbers)}", text)).partition(" WHERE ")
        row = f"({', '.join('?' * (next(numbers) - 1))})"
        return f"{assigned} FROM (VALUES {', '.join([row] * count)}) AS v WHERE {where}"

    def keys(self, name: str, *, arity: int = 1) -> sa.Select[Any]:
        each = sa.func.json_each(sa.bindparam(name, type_=sa.Text())).table_valued("value")
        if arity == 1:
            return sa.select(each.c.value.label("k0"))
        return sa.select(
            *(
                sa.func.json_extract(each.c.value, sa.literal_column(f"'$[{index}]'")).label(f"k{index}")
                for index in range(arity)
            )
        )

    def bound(self, keys: Iterable[object]) -> object:
        return orjson.dumps(list(keys)).decode()

    def insert_if_absent(self, table: sa.Table) -> Insert:
        return sqlite_insert(table).on_conflict_do_nothing(index_elements=list(table.primary_key))

    def version(self, connection: sa.Connection) -> int | None:
        return connection.exec_driver_sql("PRAGMA data_version").scalar_one()

    def upsert(self, table: sa.Table, *, updated: tuple[str, ...]) -> Insert:
        statement = sqlite_insert(table)
        return statement.on_conflict_do_update(
            index_elements=list(table.primary_key), set_={name: statement.excluded[name] for name in updated}
        )


# -- connections -------------------------------------------------------------------------------------------------------
class SqliteLane:
    """One connection to the file, in the one thread that may touch it."""

    failures: tuple[type[Exception], ...] = (
        DBAPIError,
        sqlite3.Error,
        OverflowError,  # a whole number of more than 64 bits
        UnicodeError,  # half a surrogate pair
        orjson.JSONEncodeError,  # the same in a key
    )

    def __init__(self, *, path: Path, use: Use, busy_timeout_s: float) -> None:
        self._path = path
        self._use = use
        self._busy_timeout_s = busy_timeout_s
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"overwinter-store-{use}")
        self._connection: sa.Connection | None = None
        self._is_closed = False

    async def open(self) -> None:
        """Open the file, creating it for ``Use.WRITING``.

        Raises:
            StoreError: naming the file and the remedy.
        """
        loop = asyncio.get_running_loop()
        for left in range(max(1, int(self._busy_timeout_s / _RETRY_S)), 0, -1):
            try:
                await loop.run_in_executor(self._thread, self._open)
                return
            except self.failures as error:
                explanation = self.explained(error)
                if left == 1 or not isinstance(explanation, StoreBusyError):
                    raise explanation from error
            # The first to open a new file changes how it is journaled, and for that SQLite does not wait by itself.
            await asyncio.wait({loop.create_future()}, timeout=_RETRY_S)

    def _open(self) -> None:
        mode = "rwc" if self._use is Use.WRITING else "rw"
        raw = sqlite3.connect(
            f"{self._path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=self._busy_timeout_s,
            isolation_level=None,
            cached_statements=256,
        )
        try:
            self._set_up(raw)
            # An error's text must not carry the row: an id of a pause is the right to answer it.
            engine = sa.create_engine("sqlite://", creator=lambda: raw, poolclass=sa.StaticPool, hide_parameters=True)
            begin = partial(_begin_writing, self._busy_timeout_s) if self._use is Use.WRITING else _begin_reading
            event.listen(engine, "begin", begin)
            self._connection = engine.connect()
        except BaseException:
            raw.close()
            raise

    def _set_up(self, raw: sqlite3.Connection) -> None:
        raw.text_factory = _readable
        if self._use is Use.READING:
            raw.execute("PRAGMA query_only=ON")
            return
        raw.execute("PRAGMA journal_mode=WAL")
        raw.execute("PRAGMA synchronous=FULL")
        raw.execute(f"PRAGMA wal_autocheckpoint={_WAL_PAGES}")
        raw.execute(f"PRAGMA journal_size_limit={LOG_KEPT_BYTES}")

    def submit(self, work: Callable[[sa.Connection], T]) -> asyncio.Future[T]:
        if self._is_closed or self._connection is None:
            raise StoreClosedError
        return asyncio.get_running_loop().run_in_executor(self._thread, work, self._connection)

    async def run(self, work: Callable[[sa.Connection], T], *, is_exact: bool = False) -> T:
        return await self.inspect(partial(_exactly if is_exact else _in_transaction, work))

    async def inspect(self, work: Callable[[sa.Connection], T]) -> T:
        """As ``run``, but outside of a transaction: for what SQLite does not do inside one."""
        try:
            return await self.submit(work)
        except self.failures as error:
            raise self.explained(error) from error

    def explained(self, error: Exception) -> StoreError:
        return explained(error, self._path)

    async def aclose(self) -> None:
        """Close the connection after the jobs that are queued."""
        if not self._is_closed:
            self._is_closed = True
            await asyncio.wait({asyncio.get_running_loop().run_in_executor(self._thread, self._close)})
        self.close()

    def close(self) -> None:
        """The same without a loop: return when the thread is gone."""
        if not self._is_closed:
            self._is_closed = True
            self._thread.submit(self._close)
        self._thread.shutdown(wait=True)

    def _close(self) -> None:
        if self._connection is not None:
            engine = self._connection.engine
            self._connection.close()
            engine.dispose()
            self._connection = None


def _begin_reading(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _begin_writing(busy_timeout_s: float, connection: sa.Connection) -> None:
    """Take the write lock, trying often: SQLite itself sleeps ever longer, while others give it back and take it again.

    Raises:
        DBAPIError, sqlite3.Error: another process has had it all the time, or something else is wrong.
    """
    raw = _raw(connection)
    raw.execute("PRAGMA busy_timeout=0")
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    except DBAPIError as error:
        if not is_busy(error.orig):
            raise
        _wait_for_lock(raw, busy_timeout_s)
    finally:
        raw.execute(f"PRAGMA busy_timeout={int(busy_timeout_s * 1000)}")


def _wait_for_lock(raw: sqlite3.Connection, busy_timeout_s: float) -> None:
    busy: sqlite3.OperationalError | None = None
    for wait_s in _waits(busy_timeout_s):
        threading.Event().wait(wait_s)
        try:
            raw.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
            busy = error
    assert busy is not None
    raise busy


def _waits(in_all_s: float) -> Iterator[float]:
    """How long to wait before each further try; there is one at least."""
    waited_s = 0.0
    while waited_s == 0.0 or waited_s < in_all_s:
        wait_s = _SOON_S if waited_s < _SOON_FOR_S else _RETRY_S
        yield wait_s
        waited_s += wait_s


def _in_transaction(work: Callable[[sa.Connection], T], connection: sa.Connection) -> T:
    with connection.begin():
        return work(connection)


def _exactly(work: Callable[[sa.Connection], T], connection: sa.Connection) -> T:
    raw = _raw(connection)
    raw.text_factory = str
    try:
        return _in_transaction(work, connection)
    finally:
        raw.text_factory = _readable


def _readable(text: bytes) -> str:
    """The text; of one that is damaged, what is left of it."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return UNREADABLE + text.decode(errors="replace")


def data_version(connection: sa.Connection) -> int:
    """A number that changes whenever another connection, of any process, has committed."""
    (version,) = _raw(connection).execute("PRAGMA data_version").fetchone()
    return version


def checkpoint(connection: sa.Connection) -> int:
    """Write the log back to the file and empty it; the size of the file in bytes. Outside of a transaction."""
    raw = _raw(connection)
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    (pages,) = raw.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = raw.execute("PRAGMA page_size").fetchone()
    return pages * page_bytes


def _raw(connection: sa.Connection) -> sqlite3.Connection:
    """For PRAGMAs: asked through SQLAlchemy they would begin a transaction."""
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw
