"""The whole way with real servers: a question goes out, a person reads it and answers, and their answer decides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from overwinter.channels.mail.servers import LmtpListener
from overwinter.channels.mail.settings import Authentication

from ..fakes.mail_client import reply_to
from ..fakes.smtp_server import SmtpFake
from ..whole.mail_office import READING, MailOffice
from .mailboxes import Mailbox
from .post_office import PostOffice
from .waiting import until

LISTS = {"Authentication-Results": None, "Received": None, "Return-Path": None, "Delivered-To": None}
"""What the servers put on top by themselves."""


@pytest.mark.parametrize("way", ["imap", "lmtp"])
async def test_a_reply_in_a_mail_program_decides(way: str, post: PostOffice, tmp_path: Path) -> None:
    address = "agent@ask.example.net" if way == "imap" else "agent@lmtp.example.net"
    office = MailOffice(
        path=tmp_path / "office.db",
        smtp=SmtpFake(),
        people=(f"mara.{way}@corp.example",),
        reading=replace(READING, reply_address=address, authentication=Authentication.NONE),
        servers={
            "smtp": post.smtp,
            "imap": post.imap(address) if way == "imap" else None,
            "lmtp": LmtpListener(port=post.ours) if way == "lmtp" else None,
        },
    )
    mara = Mailbox(post, office.people[0])
    async with office.kit.running():
        office.session_id = await office.kit.start("support", "refund 4471")
        (mailed,) = await until(mara.mails, "the question is in the mailbox")
        assert mailed.header("From") == f"Ops Agent <{address}>"

        unclear = reply_to(mailed, "Hm, which one?", message_id="<1@corp.example>", headers=dict(LISTS))
        await mara.send(unclear, to=mailed.header("Reply-To"))

        async def asked_again() -> bool:
            return len(await mara.mails()) == 2

        await until(asked_again, "an unclear answer is asked again")
        again = (await mara.mails())[1]
        assert again.header("In-Reply-To") == "<1@corp.example>"

        answer = reply_to(again, "Yes, go ahead.", message_id="<2@corp.example>", headers=dict(LISTS))
        await mara.send(answer, to=again.header("Reply-To"))

        async def told_the_end() -> bool:
            return len(await mara.mails()) == 3

        await until(told_the_end, "the thread says how it ended")
        assert office.refunds == [{"order": 4471, "amount": "1234.56 EUR"}]
        assert (await mara.mails())[2].text.startswith(f"Approved by {office.people[0]}.")
        if way == "imap":
            assert await Mailbox(post, address).unseen() == 0


async def test_a_question_to_nobody_comes_back_and_its_step_fails(post: PostOffice, tmp_path: Path) -> None:
    address = "agent@ask.example.net"
    office = MailOffice(
        path=tmp_path / "office.db",
        smtp=SmtpFake(),
        people=("nobody@elsewhere.example",),
        reading=replace(READING, reply_address=address, authentication=Authentication.NONE),
        servers={"smtp": post.smtp, "imap": post.imap(address), "lmtp": None},
    )
    async with office.kit.running():
        office.session_id = await office.kit.start("support", "refund 4471")

        async def is_closed() -> bool:
            return not await office.is_open()

        await until(is_closed, "the bounce has come back")
        assert office.refunds == []
        assert "nobody@elsewhere.example" in str(await office.kit.outcome(office.session_id))
