"""The one base of all errors of Overwinter, and those of the store.

OverwinterError
└── StoreError
    ├── StoreBusyError          store.busy          another process holds the write lock; try again
    ├── StoreFullError          store.full          the disk is full; free space, nothing was written
    ├── StoreReadOnlyError      store.read-only     the file or its folder cannot be written
    ├── StoreMissingError       store.missing       no file, or no folder, where the database should be
    ├── StoreCorruptError       store.corrupt       not a database, or a damaged one
    ├── StoreNewerError         store.newer         written by a newer Overwinter than this one
    ├── StoreRefusedError       store.refused       one change broke a constraint; its neighbours did not
    └── StoreClosedError        store.closed        the store was closed before the change was written
"""

from __future__ import annotations

from typing import ClassVar


class OverwinterError(Exception):
    """Something Overwinter can name. Match on ``code``, never on the text.

    Attributes:
        code: stable name, ``noun.condition``.
        retryable: the same call may succeed later with nothing changed.
        expose: the text may be shown to an outsider; it holds no secrets and no ids that are rights.
    """

    code: ClassVar[str] = "overwinter.error"
    retryable: ClassVar[bool] = False
    expose: ClassVar[bool] = False

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or type(self).__name__).strip().splitlines()[0])


class StoreError(OverwinterError):
    """The database could not do what was asked."""

    code = "store.error"


class StoreBusyError(StoreError):
    """Another process holds the database's write lock; try again."""

    code = "store.busy"
    retryable = True


class StoreFullError(StoreError):
    """The disk is full; nothing was written. Free some space: work goes on by itself."""

    code = "store.full"
    retryable = True


class StoreReadOnlyError(StoreError):
    """The database, or its folder, cannot be written. Check the owner and the mode of the file and its folder."""

    code = "store.read-only"


class StoreMissingError(StoreError):
    """There is no database, or no folder, at that place."""

    code = "store.missing"


class StoreCorruptError(StoreError):
    """The file is no SQLite database, or a damaged one. Restore it from a copy."""

    code = "store.corrupt"


class StoreNewerError(StoreError):
    """The database was written by a newer Overwinter. Upgrade this one; it changes nothing in it."""

    code = "store.newer"


class StoreRefusedError(StoreError):
    """The database refused one change; nothing of it was written."""

    code = "store.refused"


class StoreClosedError(StoreError):
    """The store was closed before the change was written; nothing of it was written."""

    code = "store.closed"
