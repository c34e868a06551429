"""Checks of mail: the servers it goes to and comes from, what is believed of senders, the domain it is sent for, and the page."""

from __future__ import annotations

import asyncio
import ipaddress
from functools import partial
from urllib.parse import urlsplit

import aiohttp

from ..actors.errors import ChannelUnreachableError
from ..channels.mail.mailbox import FAILURES, Mailbox
from ..channels.mail.servers import ImapServer, SmtpServer, Tls
from ..channels.mail.settings import Authentication
from ..channels.mail.smtp import SmtpSender
from ..channels.web.links import path_of
from ..channels.web.markup import HEADERS
from .doctor import Check, Finding, failed, ok, skipped, unseen
from .domain_names import Names
from .listening import ListeningCheck
from .mail_settings import MailConfig, PageConfig
from .mailing import imap_server_of, smtp_server_of

_PATIENCE_S = 10.0
_POLICY = "Content-Security-Policy"


def mail_checks(mail: MailConfig, *, names: Names) -> list[Check]:
    """All of them, in the order in which they are to be made."""
    domain = mail.reply_address.rpartition("@")[2]
    checks: list[Check] = [
        SmtpCheck(None if mail.smtp is None else smtp_server_of(mail.smtp), has_keys=bool(mail.token_keys))
    ]
    checks.append(ImapCheck(None if mail.imap is None else imap_server_of(mail.imap), has_lmtp=mail.lmtp is not None))
    if mail.lmtp is not None:
        checks.append(ListeningCheck("mail: lmtp", (mail.lmtp.host, mail.lmtp.port), table="mail.lmtp"))
    checks += [
        BorderCheck(mail),
        MxCheck(domain, names),
        SpfCheck(domain, names),
        DmarcCheck(domain, names),
        DkimCheck(domain),
    ]
    return checks if mail.page is None else [*checks, PageCheck(mail.page)]


class SmtpCheck:
    """Connects, logs in and hangs up."""

    name = "mail: smtp"

    def __init__(self, server: SmtpServer | None, *, has_keys: bool) -> None:
        self._server = server
        self._has_keys = has_keys

    async def run(self) -> Finding:
        server = self._server
        if server is None:
            return skipped("no server sends mail ([mail.smtp]), so nobody can be asked by mail")
        try:
            await SmtpSender(server).visit()
        except ChannelUnreachableError as error:
            return failed(
                str(error), "set mail.smtp.host, port, tls, user and password as your mail server's operator says"
            )
        if not self._has_keys:
            return failed(
                "no key makes tokens for the reply addresses",
                "set mail.token_keys; `openssl rand -base64 32` makes one",
            )
        if server.tls is Tls.NONE and not _is_here(server.host):
            return failed(
                f"{server.host} is spoken to without TLS: whoever is on the way can read the tokens",
                "set mail.smtp.tls",
            )
        login = "" if server.user is None else f", and takes the login of {server.user}"
        return ok(f"{server.host}:{server.port} answers{login}")


class ImapCheck:
    """Logs in and selects the mailbox; no mail is read or marked."""

    name = "mail: imap"

    def __init__(self, server: ImapServer | None, *, has_lmtp: bool) -> None:
        self._server = server
        self._has_lmtp = has_lmtp

    async def run(self) -> Finding:
        server = self._server
        if server is None and self._has_lmtp:
            return skipped("answers come by LMTP ([mail.lmtp]): your mail server hands them over")
        if server is None:
            return failed("no answer could come back: there is neither [mail.imap] nor [mail.lmtp]", "set one of them")
        box = Mailbox(server)
        try:
            await asyncio.to_thread(partial(_visited, box))
        except FAILURES as error:
            return failed(
                f"{server.host}:{server.port} cannot be used: {' '.join(str(error).split())[:300] or type(error).__name__}",
                "set mail.imap.host, port, tls, user, password and mailbox as your mail server's operator says",
            )
        if server.tls is Tls.NONE and not _is_here(server.host):
            return failed(
                f"{server.host} is spoken to without TLS: whoever is on the way can read the answers",
                "set mail.imap.tls",
            )
        idles = "tells of what arrives (IDLE)" if box.can_idle else "has no IDLE, so it is asked every half minute"
        return ok(f"{server.mailbox} of {server.user} can be opened; the server {idles}")


class BorderCheck:
    """What is believed of senders."""

    name = "mail: border"

    def __init__(self, mail: MailConfig) -> None:
        self._mail = mail

    async def run(self) -> Finding:
        if self._mail.authentication is Authentication.NONE:
            return unseen(
                'every sender is believed (authentication = "none")',
                "make sure that no mail from outside arrives that your servers have not checked; else set mail.authserv_id",
            )
        return unseen(
            f"only what {self._mail.authserv_id} says of a sender is believed",
            "give a mail of yours that has arrived to `overwinter mail read FILE.eml`: its authentication must be proven",
        )


class MxCheck:
    name = "mail: mx"

    def __init__(self, domain: str, names: Names) -> None:
        self._domain = domain
        self._names = names

    async def run(self) -> Finding:
        try:
            servers = await self._names.mail_servers(self._domain)
        except OSError as error:
            return unseen(str(error), f"make sure that {self._domain} has an MX record")
        if not servers:
            return failed(
                f"{self._domain} has no MX record, so answers do not arrive", "add one that names your mail server"
            )
        return ok(f"mail for {self._domain} goes to {', '.join(servers[:3])}")


class SpfCheck:
    name = "mail: spf"

    def __init__(self, domain: str, names: Names) -> None:
        self._domain = domain
        self._names = names

    async def run(self) -> Finding:
        add = f'add a TXT record to {self._domain}, as "v=spf1 mx -all"'
        try:
            texts = await self._names.texts(self._domain)
        except OSError as error:
            return unseen(str(error), add)
        records = [text for text in texts if text.lower().split()[:1] == ["v=spf1"]]
        if not records:
            return failed(f"{self._domain} does not say which servers send its mail (SPF): questions end as spam", add)
        if len(records) > 1:
            return failed(
                f"{self._domain} has {len(records)} SPF records, and so none that counts", "leave one of them"
            )
        if {"+all", "all"} & set(records[0].lower().split()):
            return failed(
                f"{self._domain} lets every server send its mail: {records[0]}", "end the record with -all or ~all"
            )
        return ok(records[0][:200])


class DmarcCheck:
    name = "mail: dmarc"

    def __init__(self, domain: str, names: Names) -> None:
        self._domain = domain
        self._names = names

    async def run(self) -> Finding:
        add = f'add a TXT record to _dmarc.{self._domain}, as "v=DMARC1; p=quarantine"'
        parts = self._domain.split(".")
        above = [".".join(parts[at:]) for at in range(len(parts) - 1)]
        try:
            for domain in above:
                found = [
                    text for text in await self._names.texts(f"_dmarc.{domain}") if text.lower().startswith("v=dmarc1")
                ]
                if len(found) == 1:
                    return ok(f"{domain}: {found[0][:200]}")
                if found:
                    return failed(
                        f"_dmarc.{domain} has {len(found)} records, and so none that counts", "leave one of them"
                    )
        except OSError as error:
            return unseen(str(error), add)
        return failed(f"{self._domain} says nothing about mail that is forged in its name (DMARC)", add)


class DkimCheck:
    name = "mail: dkim"

    def __init__(self, domain: str) -> None:
        self._domain = domain

    async def run(self) -> Finding:
        return unseen(
            f"whether your mail server signs for {self._domain} shows in a mail that it has sent",
            "have a question sent to a mailbox of yours elsewhere: its Authentication-Results must say dkim=pass and dmarc=pass",
        )


class PageCheck:
    """Asks the page for a link that is none."""

    name = "mail: page"

    def __init__(self, page: PageConfig) -> None:
        self._page = page

    async def run(self) -> Finding:
        url = self._page.base_url
        parts = urlsplit(url)
        if parts.scheme != "https" and not _is_here(parts.hostname or ""):
            return failed(
                f"{url} is no https address: whoever is on the way can answer", "set mail.page.base_url to an https one"
            )
        try:
            timeout = aiohttp.ClientTimeout(total=_PATIENCE_S)
            async with aiohttp.ClientSession(timeout=timeout) as session:
                root = f"{parts.scheme}://{parts.netloc}"
                async with session.get(f"{root}{path_of(url)}none", allow_redirects=False) as response:
                    is_ours = response.status == 404 and response.headers.get(_POLICY) == HEADERS[_POLICY]
        except (aiohttp.ClientError, TimeoutError) as error:
            return unseen(f"{url} does not answer: {str(error) or type(error).__name__}", self._remedy)
        return ok(f"{url} leads to the page") if is_ours else unseen(f"{url} leads to something else", self._remedy)

    @property
    def _remedy(self) -> str:
        return f"while the service runs, {self._page.base_url} has to lead to {self._page.host}:{self._page.port}; then look again"


def _visited(box: Mailbox) -> None:
    try:
        box.connect()
    finally:
        box.close()


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
