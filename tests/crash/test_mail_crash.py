"""The whole story over mail, killed after every commit, and before and after every mail: one question, one decision, one end.

The process talks to a real SMTP server, which goes on while it is dead, and a mail server hands the answer over by LMTP and offers
it again until it is told that we have it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import smtplib
import socket
import sqlite3
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, closing, suppress
from email.utils import parseaddr
from pathlib import Path

import pytest

from ..fakes.mail_client import reply_to
from ..fakes.smtp_server import SmtpFake, smtp_fake
from .forks import Fork, forks_of

MOST_COMMITS = 30
SHIFT_S = 120


@pytest.fixture(scope="module")
def fork() -> Iterator[Fork]:
    with forks_of("mail_child") as fork:
        yield fork


class MailServer:
    """Hands Mara's answer over until it is taken, as a mail server does."""

    def __init__(self, smtp: SmtpFake) -> None:
        self.smtp = smtp
        self.taken = 0
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    async def deliver(self) -> None:
        """Offer the answer as soon as there is a question, until we say that we have it; then once more, as servers may."""
        while self.taken < 2:
            if self.smtp.mails and await asyncio.to_thread(self._offer):
                self.taken += 1
            await asyncio.sleep(0.01)  # noqa: TID251  another process listens, or not

    def _offer(self) -> bool:
        question = self.smtp.mails[0]
        answers_to = parseaddr(question.header("Reply-To"))[1]
        with suppress(OSError, smtplib.SMTPException), smtplib.LMTP("127.0.0.1", self.port, timeout=10) as client:
            return client.sendmail(question.recipient, [answers_to], reply_to(question, "Yes, go ahead.")) == {}
        return False


@asynccontextmanager
async def mail_server() -> AsyncGenerator[MailServer]:
    async with smtp_fake() as smtp:
        server = MailServer(smtp)
        delivering = asyncio.create_task(server.deliver())
        try:
            yield server
        finally:
            delivering.cancel()
            with suppress(asyncio.CancelledError):
                await delivering


async def play(fork: Fork, folder: Path, *, where: str, count: int) -> bool:
    """Play the story, killed once; False if it came to its end before that."""
    async with mail_server() as server:
        played = (str(folder / "w.db"), str(folder / "journal"), server.smtp.port, server.port)
        code = await asyncio.to_thread(fork, *played, 0, where, count)
        if code != 0:
            assert await asyncio.to_thread(fork, *played, SHIFT_S, "never", 1) == 0
        mails = server.smtp.mails
    told = f"killed at {where} {count}: {[mailed.header('Subject') for mailed in mails]}"
    # A mail that is sent again is the same mail: mailboxes show one.
    seen = {mailed.header("Message-ID"): mailed.text for mailed in mails}
    question, ending = seen.values()
    assert "To run: refund" in question, told
    assert ending.startswith("Approved by mara@corp.example."), told
    assert len(mails) <= 3, told
    assert len({mailed.raw for mailed in mails if mailed.text == question}) == 1, told
    runs = [json.loads(line) for line in (folder / "journal").read_text().splitlines()]
    assert 1 <= len(runs) <= 2, told
    assert len({run["key"] for run in runs}) == 1, told
    with closing(sqlite3.connect(folder / "w.db")) as db:
        assert db.execute("SELECT resolution, responder FROM audit").fetchall() == [("replied", "mara@corp.example")]
        assert db.execute("SELECT status FROM sessions").fetchall() == [("idle",)]
        assert db.execute("SELECT COUNT(*) FROM quarantine").fetchall() == [(0,)]
        assert db.execute("SELECT COUNT(*) FROM notes").fetchall() == [(0,)]
    return code != 0


@pytest.mark.case("em27")
@pytest.mark.parametrize(("where", "least"), [("after", 10), ("sending", 2), ("sent", 2)])
async def test_a_kill_at_any_point_leaves_one_question_one_decision_and_one_end(
    fork: Fork, empty: Path, tmp_path: Path, where: str, least: int
) -> None:
    for count in range(1, MOST_COMMITS):
        folder = tmp_path / f"{count}"
        folder.mkdir()
        shutil.copy(empty, folder / "w.db")
        if not await play(fork, folder, where=where, count=count):
            assert count > least
            return
    pytest.fail("the story never came to its end")
