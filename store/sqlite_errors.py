"""SQLite's errors in Overwinter's words."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from .errors import (
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreMissingError,
    StoreReadOnlyError,
    StoreRefusedError,
)

LOG_KEPT_BYTES = 64 * 1024 * 1024
"""How large the write-ahead log may stay."""


_UNDECODABLE = re.compile(r"Could not decode to UTF-8 column '(\w+)'")
"""Python's sqlite3 has no code for it, and says what it found there, which is for nobody to see."""


def is_busy(error: BaseException | None) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def inspect_path(path: Path, *, must_exist: bool) -> None:
    """Refuse what SQLite would refuse with fewer words.

    Raises:
        StoreMissingError: ``store.missing``: no such folder; no such file and ``must_exist``; a folder.
        StoreCorruptError: ``store.corrupt``: a file of another kind.
        StoreReadOnlyError: ``store.read-only``: the file or its folder cannot be written by this user.
    """
    folder = path.absolute().parent
    if path.is_dir():
        raise StoreMissingError(f"{path} is a folder. Name a file in it, such as {path / 'overwinter.db'}.")
    if not folder.is_dir():
        raise StoreMissingError(f"There is no folder {folder} for the database {path.name}. Make it: mkdir -p {folder}")
    if must_exist and not path.exists():
        raise StoreMissingError(f"There is no database {path}. Check the name, or start a service on it first.")
    if path.exists() and not os.access(path, os.R_OK | os.W_OK):
        raise StoreReadOnlyError(f"The database {path} cannot be written. {_OWNERS.format(path=path)}")
    if path.exists() and not _is_database(path):
        raise StoreCorruptError(f"{path} is no SQLite database. {_ANOTHER}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreReadOnlyError(
            f"The folder {folder} cannot be written, and the database keeps its log there. {_OWNERS.format(path=folder)}"
        )


def _is_database(path: Path) -> bool:
    """Whether the file is empty or begins as a database does: SQLite itself would make one of any other small file."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) in (b"", _MAGIC)


_MAGIC = b"SQLite format 3\0"
_ANOTHER = "Name another file, or restore it from a copy."
_OWNERS = "Give it to the user that runs this: check the owner and the mode (ls -ld {path})."


def explained(error: Exception, path: Path) -> StoreError:
    """What went wrong, in words that name the file and the remedy."""
    vendor = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(vendor, sqlite3.Error):
        return StoreRefusedError(f"A value cannot be stored: {vendor}")
    if isinstance(
        vendor, sqlite3.IntegrityError | sqlite3.DataError | sqlite3.InterfaceError | sqlite3.ProgrammingError
    ):
        return StoreRefusedError(f"The database refused a row: {vendor}")
    if (damaged := _UNDECODABLE.match(str(vendor))) is not None:
        return StoreCorruptError(f"A row in {path} is damaged: {damaged[1]} is no text. Restore it from a copy.")
    # Errors made by Python's sqlite3 module itself have no code.
    code: int = getattr(vendor, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code & 0xFF == sqlite3.SQLITE_IOERR and _is_disk_full(path):
        code = sqlite3.SQLITE_FULL
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return StoreFullError(
                f"The disk that holds {path} is full; nothing was written. Free some space: work goes on by itself."
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusyError(
                f"Another process holds the write lock of {path}. Try again; if it stays so, find it: fuser {path}"
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return StoreReadOnlyError(f"The database {path} cannot be written ({vendor}). {_OWNERS.format(path=path)}")
        case sqlite3.SQLITE_CANTOPEN:
            return StoreMissingError(
                f"The database {path} cannot be opened ({vendor}). Check that it and its folder are there and are yours."
            )
        case sqlite3.SQLITE_NOTADB:
            return StoreCorruptError(f"{path} is no SQLite database. {_ANOTHER}")
        case sqlite3.SQLITE_CORRUPT:
            return StoreCorruptError(
                f"The database {path} is damaged ({vendor}). Stop all that use it and restore it from a copy."
            )
        case _:
            return StoreError(f"The database {path} failed: {vendor}")


def _is_disk_full(path: Path) -> bool:
    """Whether an input/output error is a full disk by another name."""
    disk = os.statvfs(path.absolute().parent)
    return disk.f_bavail * disk.f_frsize < LOG_KEPT_BYTES // 1024
