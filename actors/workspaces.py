"""Workspaces: a folder for each session, in which its tools work."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from .confinement import Seen, check_path, look

_RACY_MS = 2000
"""File systems keep times to a few milliseconds, to a second, or to two."""
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Workspaces:
    """The workspaces of one service.

    Args:
        root: the folder that they are in; made when it is needed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    def folder(self, session_id: str) -> Path:
        """The session's folder; made if it is not there."""
        folder = self.root / self.name_of(session_id)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def name_of(self, session_id: str) -> str:
        """Of the folder: the session's id, or what stands for one that is no plain name."""
        if _PLAIN.fullmatch(session_id):
            return session_id
        return "id." + hashlib.blake2b(session_id.encode(errors="surrogatepass"), digest_size=16).hexdigest()

    def path(self, session_id: str, relative: str) -> Path:
        """A path in the session's folder.

        Raises:
            WorkspacePathError: (workspace.path) it could lead out.
        """
        check_path(relative)
        return self.folder(session_id) / relative

    def look(
        self, session_id: str, paths: tuple[str, ...], *, now_ms: int, known: dict[str, Seen] | None = None
    ) -> dict[str, Seen]:
        """The files at these paths, as they are; raises as ``confinement.look``. It reads the disk."""
        return look_at(self.root / self.name_of(session_id), paths, now_ms=now_ms, known=known)


def look_at(
    folder: Path, paths: tuple[str, ...], *, now_ms: int, known: dict[str, Seen] | None = None
) -> dict[str, Seen]:
    return look(folder, paths, racy_ns=(now_ms - _RACY_MS) * 1_000_000, known=known)
