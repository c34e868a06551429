"""A mailbox in which something is broken: whatever else is in it is read all the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from overwinter.actors.clock import ManualClock
from overwinter.channels.mail.imap import ImapReader
from overwinter.channels.mail.mailbox import Fetched
from overwinter.store.store import Store

from ...fakes.imap_server import ImapFake, imap_fake
from ...servers.waiting import until


class Reading:
    """A reader at work; ``taken`` are the bodies of the mails it handed on."""

    def __init__(self, fake: ImapFake, store: Store) -> None:
        self.clock = ManualClock()
        self.taken: list[bytes] = []
        self._reader = ImapReader(
            server=fake.server(),
            take=self._take,
            anchors=store.anchors,
            clock=self.clock,
            connection="mail",
            most_bytes=10_000,
        )
        self.work = asyncio.create_task(self._reader.run())

    async def _take(self, fetched: Fetched) -> None:
        self.taken.append(fetched.raw)

    async def has(self, *bodies: bytes) -> None:
        async def are_there() -> bool:
            return self.taken == list(bodies)

        await until(are_there, f"{bodies} are read, not {self.taken}")


@asynccontextmanager
async def reading(fake: ImapFake, folder: Path) -> AsyncGenerator[Reading]:
    store = await Store.open(folder / "a.db")
    there = Reading(fake, store)
    try:
        yield there
    finally:
        there.work.cancel()
        await asyncio.wait({there.work})
        await store.aclose()


async def test_a_mail_that_the_server_cannot_give_keeps_no_other_from_being_read(tmp_path: Path) -> None:
    async with imap_fake() as fake:
        fake.mails |= {1: b"one", 2: b"two", 3: b"three"}
        fake.unreadable.add(2)
        async with reading(fake, tmp_path) as there:
            await there.has(b"one", b"three")
            fake.mails[4] = b"four"
            await there.has(b"one", b"three", b"four")
            assert fake.fetched.count(2) == 1
            fake.unreadable.clear()
            await there.clock.advance(ms=300_000)
            await there.has(b"one", b"three", b"four", b"two")
        assert (fake.seen, fake.connections) == ({1, 2, 3, 4}, 1)


async def test_a_mail_that_could_not_be_given_is_read_by_the_next_process_though_somebody_has_opened_it(
    tmp_path: Path,
) -> None:
    async with imap_fake() as fake:
        fake.mails[1] = b"one"
        async with reading(fake, tmp_path) as there:
            await there.has(b"one")
            fake.unreadable.add(2)
            fake.mails |= {2: b"two", 3: b"three"}
            await there.has(b"one", b"three")
        fake.seen.add(2)
        fake.unreadable.clear()
        async with reading(fake, tmp_path) as there:
            await there.has(b"two", b"three")


async def test_a_mailbox_that_takes_no_marks_is_read_to_its_end_and_once(tmp_path: Path) -> None:
    async with imap_fake() as fake:
        fake.takes_marks = False
        fake.mails |= {1: b"one", 2: b"two"}
        async with reading(fake, tmp_path) as there:
            await there.has(b"one", b"two")
            fake.mails[3] = b"three"
            await there.has(b"one", b"two", b"three")
        assert (fake.seen, fake.connections) == (set(), 1)
