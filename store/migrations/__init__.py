"""How a database gets its tables: Alembic revisions, applied at start, in one transaction, without any ini file.

A new revision is a file ``versions/NNNN_what_it_does.py`` with ``revision``, ``down_revision`` and ``upgrade``; there is no
way back. It writes its tables out by hand: it must still mean the same when ``schema`` has moved on. A test compares what
all revisions make with what ``schema`` says.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from ..errors import StoreCorruptError, StoreNewerError

VERSION_TABLE = "schema_version"


def is_current(connection: sa.Connection) -> bool:
    """Whether the database has the tables that this code reads and writes. Reads only."""
    return _stored(connection) == _scripts().get_current_head()


def migrate(connection: sa.Connection, *, name: str, to: str = "head") -> None:
    """Bring a database up to date, inside the caller's transaction, which must hold the write lock.

    Args:
        name: how to call the database in an error.
        to: the revision to stop at.

    Raises:
        StoreNewerError: ``store.newer``: it has a revision that this code does not know.
        StoreCorruptError: ``store.corrupt``: it holds another program's tables.
    """
    scripts = _scripts()
    stored = _stored(connection)
    if stored is None and sa.inspect(connection).get_table_names():
        raise StoreCorruptError(f"{name} is another program's database. Name another file.")
    if stored is not None and stored not in {script.revision for script in scripts.walk_revisions()}:
        raise StoreNewerError(
            f"{name} was written by a newer Overwinter: its tables are of revision {stored}, this one knows them up to "
            f"{scripts.get_current_head()}. Upgrade Overwinter; nothing was changed."
        )
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _stored(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.scalar(sa.text(f"SELECT version_num FROM {VERSION_TABLE}"))


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
