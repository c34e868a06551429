"""Reads a mailbox by IMAP: what arrives is handed on within a second, and marked as seen when it is recorded.

What was read is known in two ways, and a mail is left out only where both say that it was: it is marked as seen, and a cursor
(the mailbox's UIDVALIDITY and the highest UID of all that came before) stands in the store. So a mail that somebody else
opened first is read all the same, and one that an operator marks as unread is read again. When the server has numbered its
mailbox anew, the cursor says nothing; then the mails of the days since it was written are read again. A mail that is read
twice changes nothing.

A message that the server will not give is tried again every few minutes, and keeps no other from being read.

One thread a mailbox, in which the library blocks; none while there is no connection. A connection that breaks, or a server
that does not answer, is made anew after a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Self, TypeVar

import structlog

from ...actors.clock import Clock
from ...actors.jsontext import from_json, to_json
from ...actors.reception import Anchors
from ...store.errors import StoreError
from ...store.rows import AnchorRow
from ...store.values import value
from .mailbox import FAILURES, Fetched, ImapRefusedError, Mailbox
from .servers import ImapServer

_FIRST_REST_S = 1.0
_LONGEST_REST_S = 300.0
_TRY_AGAIN_S = 300.0
"""A message that the server could not give."""
_SPARE = timedelta(days=2)
"""Servers count days in a time zone of their own."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

T = TypeVar("T")

_log = structlog.get_logger("overwinter.mail")


@value
class Cursor:
    """How far a mailbox is read.

    Attributes:
        uid: the highest of all messages up to which every one was read.
        at_ms: when that was.
    """

    uid_validity: int
    uid: int
    at_ms: int


class ImapReader:
    """Reads one mailbox.

    Args:
        take: records a mail; what it raises leaves the mail unread, and ends the connection.
        most_bytes: of a larger mail only the beginning is fetched.
    """

    def __init__(
        self,
        *,
        server: ImapServer,
        take: Callable[[Fetched], Awaitable[None]],
        anchors: Anchors,
        clock: Clock,
        connection: str,
        most_bytes: int,
    ) -> None:
        self._server = server
        self._take = take
        self._anchors = anchors
        self._clock = clock
        self._connection = connection
        self._anchor = f"imap:{server.user}@{server.host}:{server.port}/{server.mailbox}"
        self._most_bytes = most_bytes

    async def run(self) -> None:
        """Read until it is cancelled; a connection that fails is made anew, and a mail that could not be recorded read again.

        Raises:
            StoreError: the store failed for good.
        """
        rest_s = _FIRST_REST_S
        while True:
            began_s = self._clock.monotonic_s()
            try:
                await self._connected()
            except StoreError as error:
                if not error.retryable:
                    raise
                _log.warning(error.code, error=str(error), in_s=rest_s)
            except FAILURES as error:
                if self._clock.monotonic_s() - began_s > _LONGEST_REST_S:
                    rest_s = _FIRST_REST_S
                _log.warning("mail.imap-unreachable", host=self._server.host, error=_line(error), in_s=rest_s)
            await self._clock.sleep_until_ms(self._clock.now_ms() + int(rest_s * 1000))
            rest_s = min(2 * rest_s, _LONGEST_REST_S)

    async def _connected(self) -> None:
        """One connection, from its beginning to its end."""
        async with _Thread(self._server) as thread:
            box = thread.box
            _log.info("mail.imap-connected", host=self._server.host, mailbox=self._server.mailbox)
            cursor = await self._cursor(box)
            done: set[int] = set()
            refused: dict[int, float] = {}
            while True:
                uids = await thread.run(partial(_unread, box, cursor))
                # What is found though it was marked could not be marked: it is read once in a connection.
                done &= set(uids)
                new = [uid for uid in uids if uid not in done and refused.get(uid, 0.0) <= self._clock.monotonic_s()]
                for uid in new:
                    if await self._one(thread, box, uid):
                        refused.pop(uid, None)
                        done.add(uid)
                    else:
                        refused[uid] = self._clock.monotonic_s() + _TRY_AGAIN_S
                # What is refused now may be marked by somebody before it is given: the cursor waits before it.
                cursor = await self._moved(box, cursor, [uid for uid in done if uid < min(refused, default=uid + 1)])
                if not new and not await thread.run(box.has_news):
                    await thread.run(partial(box.wait, self._server.idle_s))

    async def _one(self, thread: _Thread, box: Mailbox, uid: int) -> bool:
        """Record one mail, then mark it; False if the server will not give it."""
        try:
            fetched = await thread.run(partial(box.fetch, uid, most_bytes=self._most_bytes))
        except ImapRefusedError as error:
            _log.error("mail.imap-unreadable", uid=uid, error=_line(error), in_s=_TRY_AGAIN_S)
            return False
        if fetched is None:
            return True  # somebody has deleted it since it was found
        await self._take(fetched)
        try:
            await thread.run(partial(box.mark_seen, uid))
        except ImapRefusedError as error:
            _log.warning("mail.imap-not-marked", uid=uid, error=_line(error))
        return True

    async def _cursor(self, box: Mailbox) -> Cursor:
        """How far the mailbox was read, by this process or another; from now on if it never was."""
        fresh = Cursor(uid_validity=box.uid_validity, uid=box.uid_next - 1, at_ms=self._clock.now_ms())
        return _read(await self._anchors.bind(self._row(fresh)))

    async def _moved(self, box: Mailbox, cursor: Cursor, uids: list[int]) -> Cursor:
        """Write down how far it is read now."""
        is_renumbered = cursor.uid_validity != box.uid_validity
        highest = max([*uids, box.uid_next - 1 if is_renumbered else cursor.uid])
        if not is_renumbered and highest == cursor.uid:
            return cursor
        moved = Cursor(uid_validity=box.uid_validity, uid=highest, at_ms=self._clock.now_ms())
        while (row := await self._anchors.find(self._connection, self._anchor)) is not None:
            known = _read(row)
            if known.uid_validity == moved.uid_validity and known.uid >= moved.uid:
                return known  # another process is further
            if await self._anchors.replace_if(row, self._row(moved).body_json):
                return moved
        return moved

    def _row(self, cursor: Cursor) -> AnchorRow:
        body = {"uid_validity": cursor.uid_validity, "uid": cursor.uid, "at_ms": cursor.at_ms}
        return AnchorRow(
            channel=self._connection,
            anchor=self._anchor,
            session_id=None,
            pause_id=None,
            body_json=to_json(body),
            created_at_ms=cursor.at_ms,
        )


class _Thread:
    """A connection in the thread in which all its calls block."""

    def __init__(self, server: ImapServer) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="overwinter-imap")
        self.box = Mailbox(server)

    async def __aenter__(self) -> Self:
        try:
            await self.run(self.box.connect)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Hang up, whatever the thread is doing, and let it end."""
        self.box.hang_up()
        # Behind whatever it is at: even a connection that is still being made is closed then.
        ending = asyncio.get_running_loop().run_in_executor(self._thread, self.box.close)
        self._thread.shutdown(wait=False)
        await asyncio.shield(ending)

    async def run(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)


def _unread(box: Mailbox, cursor: Cursor) -> list[int]:
    """The messages that nobody has read, in order."""
    box.has_news()  # what has arrived so far is found now
    unseen = box.search("UNSEEN")
    if cursor.uid_validity == box.uid_validity:
        # Of a range that is empty, the server names the last message all the same.
        later = [uid for uid in box.search(f"UID {cursor.uid + 1}:*") if uid > cursor.uid]
    else:
        day = datetime.fromtimestamp(cursor.at_ms / 1000, tz=UTC) - _SPARE
        later = box.search(f"SINCE {day.day}-{_MONTHS[day.month - 1]}-{day.year}")
    return sorted({*unseen, *later})


def _read(row: AnchorRow) -> Cursor:
    body = from_json(row.body_json)
    return Cursor(uid_validity=body["uid_validity"], uid=body["uid"], at_ms=body["at_ms"])


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
