"""What has changed between two looks at the same files: pure functions of what was seen."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from ..store.values import value
from .asks import JsonValue
from .confinement import Seen
from .jsontext import to_json

_FIRST_MS, _LAST_MS = -62_135_596_800_000, 253_402_300_799_999
"""The years 1 to 9999."""


@value
class FileChanged:
    """One file that is not as it was.

    Attributes:
        event: ``created``, ``modified`` or ``deleted``; however often it was written in between, one of them.
        is_replaced: another file stands in its place: it was made anew, or renamed to there.
    """

    path: str
    event: str
    mtime_ns: int
    is_replaced: bool = False

    def is_one_of(self, events: Sequence[str]) -> bool:
        return self.event in events or (self.is_replaced and "created" in events)

    def to_json(self) -> JsonValue:
        return {"path": self.path, "event": self.event, "mtime": _moment(self.mtime_ns // 1_000_000)}


def _moment(at_ms: int) -> str:
    """ISO 8601. Whoever writes a file may give it any time, and some file systems keep times that no calendar has."""
    within_ms = max(_FIRST_MS, min(at_ms, _LAST_MS))
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=within_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def changes(
    before: Mapping[str, Seen], after: Mapping[str, Seen], *, gone: Container[str] = ()
) -> tuple[FileChanged, ...]:
    """By path; of a deleted file the time is the one it had.

    Args:
        gone: paths where nothing was seen in between: what is there now was made anew, whatever the file system calls it.
    """
    found: list[FileChanged] = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old is None and new is not None:
            found.append(FileChanged(path=path, event="created", mtime_ns=new.mtime_ns))
        elif new is None and old is not None:
            found.append(FileChanged(path=path, event="deleted", mtime_ns=old.mtime_ns))
        elif old is not None and new is not None and not new.is_as(old):
            replaced = old.inode != new.inode or path in gone
            found.append(FileChanged(path=path, event="modified", mtime_ns=new.mtime_ns, is_replaced=replaced))
    return tuple(found)


def look_to_json(seen: Mapping[str, Seen]) -> JsonValue:
    return {path: [each.mtime_ns, each.size, each.inode, each.digest] for path, each in sorted(seen.items())}


def look_of(stored: JsonValue) -> dict[str, Seen]:
    return {
        path: Seen(mtime_ns=mtime_ns, size=size, inode=inode, digest=digest)
        for path, (mtime_ns, size, inode, digest) in stored.items()
    }


def mark_of(seen: Mapping[str, Seen]) -> str:
    """The same for the same look."""
    return hashlib.blake2b(to_json(look_to_json(seen)).encode(), digest_size=12).hexdigest()
