"""How a database comes by its tables: a new one, an old one, a newer one, several processes at once."""

from __future__ import annotations

import asyncio
import hashlib
import re
import sqlite3
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from overwinter.store.errors import StoreCorruptError, StoreNewerError
from overwinter.store.rows import (
    AnchorRow,
    AuditRow,
    DeliveryRow,
    ExecutionRow,
    InboundRow,
    LedgerRow,
    NoteRow,
    PauseRow,
    QuarantineRow,
    SessionRow,
)
from overwinter.store.schema import metadata
from overwinter.store.store import Store

from .children import start_child


async def opened(path: Path) -> None:
    await (await Store.open(path)).aclose()


def described(connection: sqlite3.Connection) -> dict[str, str]:
    """The text of every table and index but Alembic's own, spaces aside."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name != 'schema_version'")
    return {name: re.sub(r"\s+", " ", sql) for name, sql in rows}


async def test_the_revisions_make_what_the_schema_says(database: Path) -> None:
    await opened(database)
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection, closing(sqlite3.connect(database)) as migrated:
        metadata.create_all(connection)
        made = connection.connection.driver_connection
        assert isinstance(made, sqlite3.Connection)
        assert described(migrated) == described(made)
    engine.dispose()


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("sessions", SessionRow),
        ("executions", ExecutionRow),
        ("ledger", LedgerRow),
        ("pauses", PauseRow),
        ("deliveries", DeliveryRow),
        ("inbound", InboundRow),
        ("audit", AuditRow),
        ("anchors", AnchorRow),
        ("notes", NoteRow),
        ("quarantine", QuarantineRow),
    ],
)
def test_a_row_has_the_fields_of_its_table_in_their_order(table: str, row: Any) -> None:
    columns = metadata.tables[table].columns
    assert [field.name for field in fields(row)] == columns.keys()
    assert {field.name: "None" in str(field.type) for field in fields(row)} == {
        column.name: bool(column.nullable) for column in columns
    }


async def test_every_table_is_strict(database: Path) -> None:
    await opened(database)
    with closing(sqlite3.connect(database)) as connection:
        listed = connection.execute(
            "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        )
        lax = {name for name, is_strict in listed if not is_strict}
    assert lax <= {"schema_version", "sqlite_schema"}


def test_an_empty_file_is_brought_up_to_date(database: Path) -> None:
    database.touch()
    asyncio.run(opened(database))
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (0,)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", ["shop.db", "100% Olga's #1 shop?.db", "bücher 本.db"])
def test_any_name_will_do(tmp_path: Path, name: str) -> None:
    asyncio.run(opened(tmp_path / name))
    assert {path.name for path in tmp_path.iterdir()} == {name}


async def test_a_newer_database_is_refused_and_left_as_it_is(database: Path) -> None:
    await opened(database)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE schema_version SET version_num = '9999'")
    before = digest(database)
    with pytest.raises(StoreNewerError) as raised:
        await Store.open(database)
    assert raised.value.code == "store.newer"
    assert str(database) in str(raised.value)
    assert "9999" in str(raised.value)
    assert "Upgrade Overwinter" in str(raised.value)
    assert digest(database) == before


async def test_another_programs_database_is_refused_and_gets_no_tables(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreCorruptError) as raised:
        await Store.open(database)
    assert raised.value.code == "store.corrupt"
    assert "another program's" in str(raised.value)
    with closing(sqlite3.connect(database)) as connection:
        assert list(described(connection)) == ["recipes"]


@pytest.mark.behaviour("A15")
async def test_one_process_may_open_a_new_file_many_times_at_once(database: Path) -> None:
    stores = await asyncio.gather(*(Store.open(database) for _ in range(8)))
    for store in stores:
        await store.aclose()
    assert versions(database) == 1


def versions(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM schema_version").fetchone()
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    return count


@pytest.mark.case("st12")
def test_eight_processes_may_be_the_first_to_start(database: Path) -> None:
    children = [start_child("start", database, f"s{n}") for n in range(8)]
    ended = [(child.communicate(timeout=60), child.returncode) for child in children]
    assert [(said, code) for (said, _), code in ended] == [("started\n", 0)] * 8, ended
    assert versions(database) == 1
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (8,)
