"""A person's mailbox, as their mail program sees it, and the odd things that happen to ours."""

from __future__ import annotations

import asyncio
import imaplib
import smtplib
import time
from collections.abc import Callable
from email.utils import parseaddr
from typing import Any, TypeVar

from ..fakes.smtp_server import Mailed
from .post_office import PASSWORD, PostOffice

PATIENCE_S = 20.0

T = TypeVar("T")


class Mailbox:
    """One mailbox at the post office."""

    def __init__(self, post: PostOffice, user: str, *, folder: str = "INBOX") -> None:
        self._post = post
        self.user = user
        self._folder = folder

    async def mails(self) -> list[Mailed]:
        """Everything in it, in the order in which it came."""
        return [Mailed(sender="", recipient=self.user, raw=raw, is_encrypted=False) for raw in await self._do(_fetch)]

    async def unseen(self) -> int:
        return len(await self._do(lambda client: client.search(None, "UNSEEN")[1][0].split()))

    async def put(self, raw: bytes, *, is_seen: bool = False) -> None:
        """Put a message into it, as a delivery does."""
        flags = r"(\Seen)" if is_seen else ""
        await self._do(lambda client: client.append(self._folder, flags, "", raw))

    async def mark(self, flags: str, *, sign: str = "+") -> None:
        """Mark everything in it."""
        await self._do(lambda client: client.store("1:*", f"{sign}FLAGS", flags))

    async def expunge(self) -> None:
        await self._do(lambda client: client.expunge())

    async def make_anew(self) -> None:
        """Delete it, if it is there, and make another of its name: every message gets another number."""

        def work(client: imaplib.IMAP4) -> None:
            client.delete(self._folder)
            status, told = client.create(self._folder)
            assert status == "OK", told

        await self._do(work, selects=False)

    async def send(self, raw: bytes, *, to: str) -> None:
        """Send a mail from here."""

        def work() -> None:
            with smtplib.SMTP("127.0.0.1", self._post.smtp_port) as client:
                client.sendmail(self.user, [parseaddr(to)[1]], raw)

        await asyncio.to_thread(work)

    async def _do(self, work: Callable[[imaplib.IMAP4], T], *, selects: bool = True) -> T:
        def run() -> T:
            with imaplib.IMAP4("127.0.0.1", self._post.imap_port) as client:
                client.login(self.user, PASSWORD)
                end_s = time.perf_counter() + PATIENCE_S
                while selects and (told := client.select(self._folder))[0] != "OK":
                    assert time.perf_counter() < end_s, f"{self.user} has no {self._folder}: {told}"
                    time.sleep(0.02)  # noqa: TID251  its first mail is just making it
                return work(client)

        return await asyncio.to_thread(run)


def _fetch(client: imaplib.IMAP4) -> list[bytes]:
    answer: list[Any] = client.fetch("1:*", "(BODY.PEEK[])")[1] if client.search(None, "ALL")[1][0] else []
    return [each[1] for each in answer if isinstance(each, tuple)]
