"""What the doctor says of mail: servers, senders, the domain and the page, each with its remedy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from overwinter.channels.mail.servers import ImapServer, SmtpServer, Tls
from overwinter.channels.web.markup import HEADERS
from overwinter.deploy.doctor import Finding, Verdict
from overwinter.deploy.doctor_mail import (
    BorderCheck,
    DkimCheck,
    DmarcCheck,
    ImapCheck,
    MxCheck,
    PageCheck,
    SmtpCheck,
    SpfCheck,
    mail_checks,
)
from overwinter.deploy.mail_settings import MailConfig, PageConfig

from ..fakes.smtp_server import smtp_fake
from .conftest import taken_port

DOMAIN = "ask.example.net"


class KnownNames:
    """Answers from a table; a name that is not in it has nothing, and ``None`` stands for nobody who answers."""

    def __init__(self, known: dict[str, tuple[str, ...] | None] | None = None) -> None:
        self._known = known or {}

    async def mail_servers(self, domain: str) -> tuple[str, ...]:
        return self._found(f"mx {domain}")

    async def texts(self, name: str) -> tuple[str, ...]:
        return self._found(name)

    def _found(self, name: str) -> tuple[str, ...]:
        if (found := self._known.get(name, ())) is None:
            raise OSError(f"the domain name system says nothing about {name}")
        return found


def check(finding: Finding, verdict: Verdict, says: str) -> None:
    assert finding.verdict is verdict, finding
    assert says in f"{finding.detail} {finding.remedy}"
    assert (finding.remedy is None) is (verdict in (Verdict.OK, Verdict.SKIPPED))


# -- servers -----------------------------------------------------------------------------------------------------------
async def test_a_server_that_takes_the_login_is_well_and_gets_no_mail() -> None:
    async with smtp_fake() as smtp:
        check(await SmtpCheck(smtp.server(), has_keys=True).run(), Verdict.OK, f"127.0.0.1:{smtp.port} answers")
        check(await SmtpCheck(smtp.server(), has_keys=False).run(), Verdict.FAILED, "set mail.token_keys")
        refused = smtp.server(tls=Tls.STARTTLS)
        check(await SmtpCheck(refused, has_keys=True).run(), Verdict.FAILED, "set mail.smtp.host")
        assert smtp.mails == []


async def test_a_server_that_is_not_there_fails_and_none_is_skipped() -> None:
    nobody = SmtpServer(host="127.0.0.1", port=1, tls=Tls.NONE, timeout_s=2)
    check(await SmtpCheck(nobody, has_keys=True).run(), Verdict.FAILED, "cannot be used")
    check(await SmtpCheck(None, has_keys=True).run(), Verdict.SKIPPED, "[mail.smtp]")


@asynccontextmanager
async def imap(*, capabilities: str = "IMAP4rev1 IDLE", password: str = "secret") -> AsyncGenerator[ImapServer]:
    """A mailbox with nothing in it."""
    said: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"* OK [CAPABILITY {capabilities}] ready\r\n".encode())
        while line := (await reader.readline()).decode():
            tag, command, *rest = line.split()
            said.append(command.upper())
            match command.upper():
                case "LOGIN" if rest[1].strip('"') != password:
                    writer.write(f"{tag} NO wrong password\r\n".encode())
                    continue
                case "CAPABILITY":
                    writer.write(f"* CAPABILITY {capabilities}\r\n".encode())
                case "SELECT" | "EXAMINE":
                    writer.write(b"* 0 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 1] ok\r\n")
                case "LOGOUT":
                    writer.write(b"* BYE\r\n")
                case _:
                    pass
            writer.write(f"{tag} OK done\r\n".encode())
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield ImapServer(host="127.0.0.1", port=port, user="agent", password="secret", tls=Tls.NONE, timeout_s=5)
    finally:
        server.close()
    assert not {"FETCH", "STORE", "UID", "EXPUNGE"} & set(said)


async def test_a_mailbox_that_can_be_opened_is_well_and_nothing_in_it_is_touched() -> None:
    async with imap() as server:
        check(
            await ImapCheck(server, has_lmtp=False).run(), Verdict.OK, "INBOX of agent can be opened; the server tells"
        )
    async with imap(capabilities="IMAP4rev1") as server:
        check(await ImapCheck(server, has_lmtp=False).run(), Verdict.OK, "has no IDLE")


async def test_a_mailbox_that_cannot_be_opened_fails_and_no_way_in_at_all_too() -> None:
    async with imap(password="other") as server:
        check(await ImapCheck(server, has_lmtp=False).run(), Verdict.FAILED, "wrong password")
    nobody = ImapServer(host="127.0.0.1", port=1, user="agent", password="x", tls=Tls.NONE, timeout_s=2)
    check(await ImapCheck(nobody, has_lmtp=True).run(), Verdict.FAILED, "cannot be used")
    check(await ImapCheck(None, has_lmtp=False).run(), Verdict.FAILED, "no answer could come back")
    check(await ImapCheck(None, has_lmtp=True).run(), Verdict.SKIPPED, "LMTP")


# -- the domain --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "known", "verdict", "says"),
    [
        (MxCheck, {f"mx {DOMAIN}": ("mx.ask.example.net",)}, Verdict.OK, "goes to mx.ask.example.net"),
        (MxCheck, {}, Verdict.FAILED, "no MX record"),
        (MxCheck, {f"mx {DOMAIN}": None}, Verdict.UNSEEN, "make sure"),
        (SpfCheck, {DOMAIN: ("other", "v=spf1 mx -all")}, Verdict.OK, "v=spf1 mx -all"),
        (SpfCheck, {DOMAIN: ("v=spf10 mx",)}, Verdict.FAILED, "does not say which servers"),
        (SpfCheck, {DOMAIN: ("v=spf1 a", "v=spf1 mx")}, Verdict.FAILED, "2 SPF records"),
        (SpfCheck, {DOMAIN: ("v=spf1 +all",)}, Verdict.FAILED, "lets every server"),
        (SpfCheck, {DOMAIN: None}, Verdict.UNSEEN, "add a TXT record"),
        (DmarcCheck, {f"_dmarc.{DOMAIN}": ("v=DMARC1; p=none",)}, Verdict.OK, "p=none"),
        (DmarcCheck, {"_dmarc.example.net": ("v=DMARC1; p=reject",)}, Verdict.OK, "example.net: v=DMARC1"),
        (DmarcCheck, {f"_dmarc.{DOMAIN}": ("v=DMARC1", "v=DMARC1")}, Verdict.FAILED, "2 records"),
        (DmarcCheck, {}, Verdict.FAILED, "says nothing about mail that is forged"),
        (DmarcCheck, {f"_dmarc.{DOMAIN}": None}, Verdict.UNSEEN, "_dmarc.ask.example.net"),
    ],
)
async def test_what_the_domain_says_is_told(
    kind: type[MxCheck | SpfCheck | DmarcCheck], known: dict[str, tuple[str, ...] | None], verdict: Verdict, says: str
) -> None:
    check(await kind(DOMAIN, KnownNames(known)).run(), verdict, says)


async def test_what_cannot_be_seen_from_here_says_how_to_make_sure() -> None:
    check(await DkimCheck(DOMAIN).run(), Verdict.UNSEEN, "dkim=pass")
    proven = MailConfig.model_validate({"reply_address": f"agent@{DOMAIN}", "authserv_id": "mx.example"})
    check(await BorderCheck(proven).run(), Verdict.UNSEEN, "overwinter mail read")
    believing = MailConfig.model_validate({"reply_address": f"agent@{DOMAIN}", "authentication": "none"})
    check(await BorderCheck(believing).run(), Verdict.UNSEEN, "every sender is believed")


# -- the page ----------------------------------------------------------------------------------------------------------
async def test_a_page_that_answers_as_ours_is_well() -> None:
    async def ours(_: web.Request) -> web.Response:
        return web.Response(status=404, headers=dict(HEADERS))

    async def another(_: web.Request) -> web.Response:
        return web.Response(status=200)

    app = web.Application()
    app.router.add_get("/x/a/none", ours)
    app.router.add_get("/y/a/none", another)
    async with TestServer(app) as server:
        base = str(server.make_url("")).rstrip("/")
        for path, verdict, says in (("/x", Verdict.OK, "leads to the page"), ("/y", Verdict.UNSEEN, "something else")):
            check(await PageCheck(PageConfig(base_url=base + path)).run(), verdict, says)


async def test_a_page_that_does_not_answer_is_unseen_and_one_without_tls_fails() -> None:
    check(await PageCheck(PageConfig(base_url="http://127.0.0.1:1")).run(), Verdict.UNSEEN, "while the service runs")
    check(await PageCheck(PageConfig(base_url="http://ask.example.net")).run(), Verdict.FAILED, "no https address")


def test_every_check_of_a_configuration_is_made() -> None:
    given = {"reply_address": f"agent@{DOMAIN}", "authserv_id": "mx.example", "token_keys": ["k" * 32]}
    page = {"page": {"base_url": "https://ask.example.net"}}
    names = [each.name for each in mail_checks(MailConfig.model_validate(given | page), names=KnownNames())]
    assert names == [f"mail: {each}" for each in ("smtp", "imap", "border", "mx", "spf", "dmarc", "dkim", "page")]
    assert len(mail_checks(MailConfig.model_validate(given), names=KnownNames())) == 7


async def test_where_a_mail_server_hands_over_is_listened_at_for_a_moment() -> None:
    with taken_port() as port:
        given = {"reply_address": f"agent@{DOMAIN}", "authserv_id": "mx.example.net", "lmtp": {"port": port}}
        mail = MailConfig.model_validate(given)
        (looked,) = [each for each in mail_checks(mail, names=KnownNames()) if each.name == "mail: lmtp"]
        check(await looked.run(), Verdict.UNSEEN, f"something listens at 127.0.0.1:{port}")
    check(await looked.run(), Verdict.OK, "the service listens there")
