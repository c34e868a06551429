"""Lines that a person types, for code that has other things to do meanwhile."""

from __future__ import annotations

import asyncio
import os
import select
import threading


class TypedLines:
    """Lines from a file descriptor, read in a thread of its own.

    Whoever waits for one can be cancelled, and the process ends without it: nothing but ``read(2)`` is held, where Python's
    own stdin would be locked by the waiting thread and could not be closed.

    Args:
        fd: read as UTF-8; bytes that are none are shown as the replacement character.
    """

    def __init__(self, *, fd: int) -> None:
        self._fd = fd
        self._left = b""

    async def next(self) -> str | None:
        """The next line that is not empty, without its end; None at the end of input."""
        while (line := await self.read()) is not None:
            if text := line.strip():
                return text
        return None

    async def read(self) -> str | None:
        """The next line, empty or not, without its end; None at the end of input."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[str | None] = loop.create_future()

        def give(line: str | None) -> None:
            if not found.done():
                found.set_result(line)

        def wait() -> None:
            line = self._read_line()
            if not loop.is_closed():
                loop.call_soon_threadsafe(give, line)

        threading.Thread(target=wait, name="typed lines", daemon=True).start()
        return await found

    def count_left(self) -> int:
        """How many lines that are not empty are there already, without waiting for any; they are read and gone.

        Only while nobody waits for a line.
        """
        while select.select([self._fd], [], [], 0)[0] and (chunk := os.read(self._fd, 65_536)):
            self._left += chunk
        left, self._left = self._left, b""
        return sum(1 for line in left.splitlines() if line.strip())

    def _read_line(self) -> str | None:
        while b"\n" not in self._left:
            chunk = os.read(self._fd, 65_536)
            if not chunk:
                break
            self._left += chunk
        line, end, self._left = self._left.partition(b"\n")
        return line.decode(errors="replace") if line or end else None
