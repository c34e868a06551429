"""Looks at files below a folder, and never at anything outside of it.

Every step is taken from a folder that is held open, by a name in it that is not followed: so a link that is put in the way
between looking and opening leads nowhere. Links are followed by hand as far as they stay inside; one that leads out, or to
nothing, is seen as the link that it is. What may not be looked at, or not any more, is taken to be as it was: nobody knows that it
is gone.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..store.values import value
from .errors import WorkspacePathError

MAX_FILES = 10_000
MAX_DEPTH = 100
"""Of folders in folders: each of them is held open while what is in it is looked at."""
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EINVAL})
"""How it is told that nothing is there, or not any more what was there a moment ago; EINVAL is for a link that is none."""
_MAX_LINKS = 40
_HASHED_BYTES = 1024 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@value
class Seen:
    """What a file looks like: if any of it differs, the file has changed.

    Attributes:
        inode: with its device, so that a file put in the place of another is another one.
        digest: of the content, where its time alone would not show that it was written again: it was written just now, and the
            file system's clock may not have moved on since. None where it is not needed, or the file is large.
    """

    mtime_ns: int
    size: int
    inode: str
    digest: str | None = None

    def is_as(self, other: Seen) -> bool:
        same = (self.mtime_ns, self.size, self.inode) == (other.mtime_ns, other.size, other.inode)
        return same and (self.digest is None or other.digest is None or self.digest == other.digest)


def check_path(path: str) -> None:
    """Raises ``WorkspacePathError`` (workspace.path) for a path that could lead out of the folder it is meant to be in."""
    parts = path.split("/")
    if not path or "\0" in path or path.startswith("/") or ".." in parts:
        raise WorkspacePathError(f"{path!r} is no path inside the workspace; give one relative to it, without '..'")


def is_pattern(path: str) -> bool:
    """Whether a path was most likely meant for many files: as a name it would be waited for in vain."""
    return "*" in path


def look(root: Path, paths: tuple[str, ...], *, racy_ns: int, known: dict[str, Seen] | None = None) -> dict[str, Seen]:
    """Every file below a folder that is one of ``paths`` or in one of them, by its path.

    Args:
        racy_ns: what was written since then may be written again without its time showing it.
        known: how they were seen before; where a digest was kept then, it is made again.

    Raises:
        WorkspacePathError: (workspace.path) a path leads out of the folder, or there are too many files, or folders too deep in
            each other.
    """
    for path in paths:
        check_path(path)
    found: dict[str, Seen] = {}
    try:
        top = os.open(root, _FOLDER)
    except (FileNotFoundError, NotADirectoryError):
        return found
    try:
        for path in paths:
            for each, seen in _Looking(top, racy_ns=racy_ns, known=known or {}).at(path):
                found[each] = seen
                if len(found) > MAX_FILES:
                    raise WorkspacePathError(f"there are more than {MAX_FILES} files; watch a smaller folder")
    finally:
        os.close(top)
    return found


class _Looking:
    def __init__(self, top: int, *, racy_ns: int, known: dict[str, Seen]) -> None:
        self._top = top
        self._racy_ns = racy_ns
        self._known = known

    def at(self, path: str) -> Iterator[tuple[str, Seen]]:
        """A path as it was given: links in it are followed as long as they stay inside."""
        path = "/".join(part for part in path.split("/") if part not in ("", ".")) or "."
        try:
            with self._followed(path) as (folder, name, is_inside):
                if folder is None:
                    return
                if not is_inside:
                    raise WorkspacePathError(f"{path!r} leads out of the workspace")
                yield from self._entry(folder, name, path)
        except PermissionError:
            yield from self._as_before(path)

    def _entry(self, folder: int, name: str, path: str) -> Iterator[tuple[str, Seen]]:
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                yield from self._below(folder, name, path)
            elif stat.S_ISLNK(status.st_mode):
                yield path, self._link(path, status)
            else:
                yield path, self._file(folder, name, path, status)
        except PermissionError:
            yield from self._as_before(path)
        except OSError as error:
            # It went away while it was looked at.
            if error.errno not in _GONE:
                raise

    def _as_before(self, path: str) -> Iterator[tuple[str, Seen]]:
        """What is not ours to see now, as it was when it was."""
        for each, seen in self._known.items():
            if path in (".", each) or each.startswith(f"{path}/"):
                yield each, seen

    def _below(self, folder: int, name: str, path: str) -> Iterator[tuple[str, Seen]]:
        if path.count("/") >= MAX_DEPTH:
            raise WorkspacePathError(
                f"there are more than {MAX_DEPTH} folders in each other; watch one that is not so deep"
            )
        inner = os.open(name, _FOLDER, dir_fd=folder)
        try:
            for each in sorted(os.listdir(inner)):
                if _is_text(each):
                    yield from self._entry(inner, each, each if path == "." else f"{path}/{each}")
        finally:
            os.close(inner)

    def _link(self, path: str, status: os.stat_result) -> Seen:
        """A link that was come across: as what it leads to, if that is a file inside; else as what is written in it."""
        with self._followed(path) as (folder, name, is_inside):
            if folder is not None and is_inside:
                target = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if not stat.S_ISDIR(target.st_mode):
                    return self._file(folder, name, path, target)
                return Seen(mtime_ns=status.st_mtime_ns, size=status.st_size, inode=_inode(target))
        return Seen(mtime_ns=status.st_mtime_ns, size=status.st_size, inode=_inode(status))

    def _file(self, folder: int, name: str, path: str, status: os.stat_result) -> Seen:
        seen = Seen(mtime_ns=status.st_mtime_ns, size=status.st_size, inode=_inode(status))
        if not stat.S_ISREG(status.st_mode) or status.st_size > _HASHED_BYTES:
            return seen
        known = self._known.get(path)
        is_racy = status.st_mtime_ns >= self._racy_ns
        if not is_racy and (known is None or known.digest is None or not known.is_as(seen)):
            return seen
        return Seen(mtime_ns=seen.mtime_ns, size=seen.size, inode=seen.inode, digest=_digest(folder, name))

    @contextmanager
    def _followed(self, path: str) -> Generator[tuple[int | None, str, bool]]:
        """The folder, held open, and the name in it that a path comes to.

        Yields:
            The folder is None if there is nothing; the third is False if it leads out.
        """
        held = [os.dup(self._top)]
        try:
            try:
                name, is_inside = _follow(held, path)
                folder: int | None = held[-1]
            except OSError as error:
                if error.errno not in _GONE:
                    raise
                folder, name, is_inside = None, path, True
            yield folder, name, is_inside
        finally:
            for each in held:
                os.close(each)


def _follow(held: list[int], path: str) -> tuple[str, bool]:
    """Go along a path, holding each folder open that it leads through.

    Args:
        held: the folder where it begins; those that it comes to are added.

    Returns:
        The name in the last of them that it comes to, and False if it leads out of the first.

    Raises:
        OSError: there is nothing, or no more.
    """
    ahead = deque(path.split("/"))
    links = 0
    name = "."
    while ahead:
        name = ahead.popleft()
        if name in ("", "."):
            name = "."
            continue
        if name == "..":
            if len(held) == 1:
                return name, False
            os.close(held.pop())
            name = "."
            continue
        status = os.stat(name, dir_fd=held[-1], follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            links += 1
            target = os.readlink(name, dir_fd=held[-1])
            if target.startswith("/") or links > _MAX_LINKS:
                return name, False
            ahead.extendleft(reversed(target.split("/")))
        elif ahead:
            held.append(os.open(name, _FOLDER, dir_fd=held[-1]))
    return name, True


def _inode(status: os.stat_result) -> str:
    return f"{status.st_dev}:{status.st_ino}"


def _digest(folder: int, name: str) -> str | None:
    try:
        file = os.open(name, _FILE, dir_fd=folder)
    except OSError:
        return None
    with os.fdopen(file, "rb") as opened:
        return hashlib.blake2b(opened.read(_HASHED_BYTES + 1), digest_size=16).hexdigest()


def _is_text(name: str) -> bool:
    """Whether the name is UTF-8: another cannot be told of in JSON."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
