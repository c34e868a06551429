"""Handing mails to a server: what passes, what is final, and that nothing goes out unencrypted where it must not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from overwinter.actors.errors import ChannelRejectedError, ChannelUnreachableError
from overwinter.channels.mail.servers import SmtpServer, Tls
from overwinter.channels.mail.smtp import SmtpSender

from ...fakes.certificates import offered, trusting
from ...fakes.smtp_server import SmtpFake, smtp_fake

MAIL = b"From: a@ask.example.net\r\nTo: m@corp.example\r\n\r\nHello.\r\n"


async def give(server: SmtpServer, *, recipient: str = "m@corp.example") -> None:
    await SmtpSender(server).send(MAIL, sender="a+t@ask.example.net", recipient=recipient)


async def test_a_mail_is_given_to_the_server_as_it_is() -> None:
    async with smtp_fake() as fake:
        await give(fake.server())
    (mailed,) = fake.mails
    assert (mailed.sender, mailed.recipient, mailed.raw) == ("a+t@ask.example.net", "m@corp.example", MAIL)


@pytest.mark.parametrize("answer", ["421 shutting down", "450 mailbox busy", "451 greylisted", "452 full"])
async def test_what_is_temporary_is_tried_later(answer: str) -> None:
    async with smtp_fake() as fake:
        fake.refusals["m@corp.example"] = answer
        with pytest.raises(ChannelUnreachableError, match=answer[:3]) as raised:
            await give(fake.server())
        assert raised.value.retry_after_s is not None
        fake.refusals.clear()
        fake.data_answers.append(answer)
        with pytest.raises(ChannelUnreachableError, match=answer[:3]):
            await give(fake.server())
    assert fake.mails == []


@pytest.mark.parametrize("answer", ["550 5.1.1 no such user", "553 not allowed", "554 5.7.1 refused"])
async def test_what_is_refused_for_good_is_final(answer: str) -> None:
    async with smtp_fake() as fake:
        fake.refusals["m@corp.example"] = answer
        with pytest.raises(ChannelRejectedError, match=answer[:3]):
            await give(fake.server())
        fake.refusals.clear()
        fake.data_answers.append(answer)
        with pytest.raises(ChannelRejectedError, match=answer[:3]):
            await give(fake.server())
    assert fake.mails == []


@pytest.mark.parametrize(
    "answer",
    [
        "530 5.7.0 Authentication required",
        "530 5.7.0 Must issue a STARTTLS command first",
        "534 5.7.9 mechanism too weak",
        "538 5.7.11 encryption needed",
    ],
)
async def test_a_server_that_wants_a_login_first_says_nothing_of_the_mail(answer: str) -> None:
    async with smtp_fake() as fake:
        fake.refusals["m@corp.example"] = answer
        with pytest.raises(ChannelUnreachableError, match=answer[:3]) as raised:
            await give(fake.server())
    assert raised.value.retry_after_s == 120.0


async def test_a_server_that_is_away_is_tried_later() -> None:
    async with smtp_fake() as fake:
        server = fake.server()
    with pytest.raises(ChannelUnreachableError, match="cannot be used"):
        await give(server)


async def test_a_connection_that_breaks_before_the_answer_leaves_it_unknown() -> None:
    async with smtp_fake() as fake:
        fake.data_answers.append("")
        with pytest.raises(ChannelUnreachableError):
            await give(fake.server())
    assert len(fake.mails) == 1


async def test_a_login_that_is_refused_is_not_the_mail_s_fault() -> None:
    async with smtp_fake(wants_login=True) as fake:
        with pytest.raises(ChannelUnreachableError, match="login"):
            await give(fake.server(user="bot", password="wrong"))
        assert fake.mails == []
        await give(fake.server(user="bot", password="secret"))
    assert len(fake.mails) == 1


async def test_nothing_is_sent_where_the_server_offers_no_tls() -> None:
    async with smtp_fake(wants_login=True) as fake:
        with pytest.raises(ChannelUnreachableError, match="STARTTLS"):
            await give(fake.server(tls=Tls.STARTTLS, user="bot", password="secret"))
    assert fake.mails == []


async def test_a_certificate_that_nobody_vouches_for_is_not_trusted(certificate: Path) -> None:
    async with smtp_fake(context=offered(certificate)) as fake:
        with pytest.raises(ChannelUnreachableError, match="certificate"):
            await give(fake.server(tls=Tls.STARTTLS))
    assert fake.mails == []


async def test_mails_go_encrypted_to_a_server_that_is_trusted(certificate: Path) -> None:
    async with smtp_fake(context=offered(certificate)) as fake:
        await give(replace(fake.server(tls=Tls.STARTTLS), tls_context=trusting(certificate)))
    assert [mailed.is_encrypted for mailed in fake.mails] == [True]


def test_a_password_is_in_no_representation() -> None:
    assert "hunter2" not in repr(SmtpFake().server(user="bot", password="hunter2"))
