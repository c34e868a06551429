"""Reading a mailbox over everything that mailboxes do: nothing is lost, and nothing is marked that is not recorded."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.channels.mail.imap import ImapReader
from overwinter.channels.mail.mailbox import Fetched
from overwinter.channels.mail.servers import ImapServer
from overwinter.store.errors import StoreBusyError, StoreCorruptError
from overwinter.store.store import Store

from .mailboxes import Mailbox
from .post_office import PostOffice
from .waiting import until

NUMBERS = itertools.count()


def mail(word: str) -> bytes:
    return f"Subject: {word}\r\nFrom: m@corp.example\r\n\r\n{word}\r\n".encode()


class Reading:
    """A reader at work on a mailbox of its own.

    Attributes:
        words: the subjects of the mails that were recorded.
        errors: what recording raises next.
        on_take: called with each mail before it is recorded.
    """

    def __init__(self, store: Store, server: ImapServer) -> None:
        self.clock = ManualClock()
        self.store = store
        self.server = server
        self.words: list[str] = []
        self.whole: list[bool] = []
        self.errors: list[Exception] = []
        self.most_bytes = 10_000
        self._work: asyncio.Task[None] | None = None

    async def _take(self, fetched: Fetched) -> None:
        if self.errors:
            raise self.errors.pop(0)
        head = fetched.raw.decode().partition("\r\n")[0]
        self.words.append(head.removeprefix("Subject: "))
        self.whole.append(fetched.is_whole)

    @property
    def work(self) -> asyncio.Task[None]:
        assert self._work is not None
        return self._work

    def begin(self) -> None:
        reader = ImapReader(
            server=self.server,
            take=self._take,
            anchors=self.store.anchors,
            clock=self.clock,
            connection="mail",
            most_bytes=self.most_bytes,
        )
        self._work = asyncio.create_task(reader.run())

    async def end(self) -> None:
        self.work.cancel()
        await asyncio.wait({self.work})

    async def has(self, *words: str) -> None:
        await self._until(words, lambda: self.words == list(words))

    async def has_all(self, *words: str) -> None:
        """As ``has``, where some may be read again: the reader was ended before it had written down how far it was."""
        await self._until(words, lambda: list(dict.fromkeys(self.words)) == list(words))

    async def _until(self, words: Sequence[str], is_so: Callable[[], bool]) -> None:
        async def are_there() -> bool:
            await self.clock.advance(ms=1000)  # a connection that broke is made anew
            if self.work.done():
                self.work.result()
            return is_so()

        await until(are_there, f"{words} are read")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store]:
    store = await Store.open(tmp_path / "a.db")
    yield store
    await store.aclose()


@pytest.fixture
def user() -> str:
    return f"reader{next(NUMBERS)}@ask.example.net"


@asynccontextmanager
async def reading(post: PostOffice, store: Store, user: str) -> AsyncGenerator[tuple[Reading, Mailbox]]:
    there = Reading(store, post.imap(user))
    there.begin()
    try:
        yield there, Mailbox(post, user)
    finally:
        await there.end()


async def all_marked(box: Mailbox) -> None:
    """Return once the reader has marked all that it has read."""

    async def are_marked() -> bool:
        return await box.unseen() == 0

    await until(are_marked, "all are marked as seen")


async def test_what_arrives_is_read_at_once_and_marked(post: PostOffice, store: Store, user: str) -> None:
    async with reading(post, store, user) as (there, box):
        await box.put(mail("one"))
        await there.has("one")
        await box.put(mail("two"))
        await there.has("one", "two")
        await all_marked(box)


async def test_what_arrives_while_the_mailbox_is_looked_through_is_not_left_lying(
    post: PostOffice, store: Store, user: str
) -> None:
    async with reading(post, store, user) as (there, box):
        words = [f"word {number}" for number in range(25)]
        for word in words:
            await box.put(mail(word))
        await there.has(*words)


async def test_what_came_while_nobody_read_is_read_though_somebody_else_has_opened_it(
    post: PostOffice, store: Store, user: str
) -> None:
    async with reading(post, store, user) as (there, box):
        await box.put(mail("one"))
        await there.has("one")
        await there.end()
        await box.put(mail("two"))
        await box.put(mail("three"), is_seen=True)
        there.begin()
        await there.has_all("one", "two", "three")


async def test_nothing_is_marked_that_could_not_be_recorded(post: PostOffice, store: Store, user: str) -> None:
    async with reading(post, store, user) as (there, box):
        there.errors.append(StoreBusyError())
        await box.put(mail("one"))

        async def has_failed() -> bool:
            return not there.errors

        await until(has_failed, "recording fails")
        assert await box.unseen() == 1
        await there.has("one")


async def test_a_store_that_fails_for_good_ends_the_reading_and_the_mail_waits(
    post: PostOffice, store: Store, user: str
) -> None:
    async with reading(post, store, user) as (there, box):
        there.errors.append(StoreCorruptError())
        await box.put(mail("one"))
        with pytest.raises(StoreCorruptError):
            await there.has("one")
        assert await box.unseen() == 1


async def test_a_mail_that_is_marked_as_unread_is_read_again(post: PostOffice, store: Store, user: str) -> None:
    async with reading(post, store, user) as (there, box):
        await box.put(mail("one"))
        await there.has("one")
        await all_marked(box)
        await box.mark(r"(\Seen)", sign="-")
        await box.put(mail("two"))  # which wakes the reader
        await there.has("one", "one", "two")


async def test_a_mail_that_is_deleted_before_it_is_read_is_left_out(post: PostOffice, store: Store, user: str) -> None:
    async with reading(post, store, user) as (there, box):
        await there.has()
        await there.end()
        await box.put(mail("gone"))
        await box.mark(r"(\Deleted)")
        await box.expunge()
        await box.put(mail("one"))
        there.begin()
        await there.has("one")
        await box.mark(r"(\Deleted)")
        await box.expunge()
        await box.put(mail("two"))
        await there.has("one", "two")


async def test_what_others_have_marked_as_deleted_is_not_deleted_by_us(
    post: PostOffice, store: Store, user: str
) -> None:
    async with reading(post, store, user) as (there, box):
        await box.put(mail("one"))
        await there.has("one")
        await box.mark(r"(\Deleted)")
        await box.put(mail("two"))
        await there.has("one", "two")
        assert len(await box.mails()) == 2


async def test_a_mailbox_that_is_numbered_anew_loses_nothing(post: PostOffice, store: Store, user: str) -> None:
    box = Mailbox(post, user, folder="Answers")
    await box.make_anew()
    there = Reading(store, replace(post.imap(user), mailbox="Answers"))
    there.begin()
    for word in ("one", "two", "three"):
        await box.put(mail(word))
    await there.has("one", "two", "three")
    await there.end()
    await box.make_anew()
    await box.put(mail("four"), is_seen=True)
    await box.put(mail("five"))
    there.begin()
    await there.has_all("one", "two", "three", "four", "five")
    await there.end()
    await box.put(mail("six"), is_seen=True)
    there.begin()
    await there.has_all("one", "two", "three", "four", "five", "six")
    await there.end()


async def test_of_a_mail_that_is_too_large_the_beginning_alone_is_fetched(
    post: PostOffice, store: Store, user: str
) -> None:
    async with reading(post, store, user) as (there, box):
        await box.put(mail("large") + b"x" * 70 * 998 + b"\r\n")
        await box.put(mail("small"))
        await there.has("large", "small")
        assert there.whole == [False, True]


# -- connections that break --------------------------------------------------------------------------------------------
class Line:
    """A line to the server that can be cut, or go dead without a word."""

    def __init__(self, port: int) -> None:
        self._to = port
        self.is_dead = False
        self.opened = 0
        self._writers: list[asyncio.StreamWriter] = []

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
        self._writers += [writer, far_writer]
        is_silent = self._is_silent(self.opened)
        await asyncio.gather(self._pump(reader, far_writer, is_silent), self._pump(far_reader, writer, is_silent))

    def _is_silent(self, number: int) -> Callable[[], bool]:
        return lambda: self.is_dead and number == 1

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_silent: Callable[[], bool]
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if not is_silent():
                    writer.write(data)
                    await writer.drain()
        writer.close()

    def cut(self) -> None:
        for writer in self._writers:
            writer.close()

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[int]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            self.cut()
            await server.wait_closed()


@pytest.fixture
def line(post: PostOffice) -> Line:
    return Line(post.imap_port)


async def test_a_connection_that_is_cut_is_made_anew(post: PostOffice, store: Store, user: str, line: Line) -> None:
    box = Mailbox(post, user)
    async with line.listening() as port:
        there = Reading(store, replace(post.imap(user), port=port))
        there.begin()
        await box.put(mail("one"))
        await there.has("one")
        line.cut()
        await box.put(mail("two"))
        await there.has_all("one", "two")
        assert line.opened == 2
        await there.end()


async def test_a_line_that_goes_dead_is_noticed_and_made_anew(
    post: PostOffice, store: Store, user: str, line: Line
) -> None:
    box = Mailbox(post, user)
    async with line.listening() as port:
        there = Reading(store, replace(post.imap(user), port=port, idle_s=0.3, timeout_s=0.5))
        there.begin()
        await box.put(mail("one"))
        await there.has("one")
        line.is_dead = True
        await box.put(mail("two"))
        await there.has_all("one", "two")
        await there.end()


async def test_a_server_that_is_away_for_an_hour_is_asked_ever_more_rarely_and_then_read(
    post: PostOffice, store: Store, user: str, line: Line
) -> None:
    box = Mailbox(post, user)
    async with line.listening() as port:
        there = Reading(store, replace(post.imap(user), port=port))
        there.begin()
        await box.put(mail("one"))
        await there.has("one")
    await box.put(mail("two"))
    for _ in range(60):
        await there.clock.advance(ms=60_000)
        await asyncio.sleep(0.01)  # noqa: TID251  the thread's attempts are real
    assert set(there.words) == {"one"}
    assert not there.work.done()
    await there.end()
    there.server = post.imap(user)
    there.begin()
    await there.has_all("one", "two")
    await there.end()


async def test_a_wrong_password_keeps_nobody_waiting_for_ever(post: PostOffice, store: Store, user: str) -> None:
    there = Reading(store, replace(post.imap(user), password="wrong"))
    there.begin()
    await Mailbox(post, user).put(mail("one"))
    for _ in range(3):
        await there.clock.advance(ms=300_000)
        await asyncio.sleep(0.05)  # noqa: TID251  the thread's attempts are real
    assert not there.work.done()
    await there.end()
    there.server = post.imap(user)
    there.begin()
    await there.has("one")
    await there.end()
