"""What an operator may set about mail: the table ``[mail]`` and those below it.

How mail is read stands in ``[mail]`` itself, how it comes and goes in ``[mail.smtp]``, ``[mail.imap]`` and ``[mail.lmtp]``,
the page that a question's mail leads to in ``[mail.page]``. Defaults of reading are reading's own.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Any, cast

from pydantic import AfterValidator, Field, SecretStr, model_validator

from ..channels.mail.addresses import mailboxes
from ..channels.mail.servers import Tls
from ..channels.mail.settings import Authentication, Limits, MailReading
from .sections import BaseUrl, Count, Listed, Port, Section

SHORTEST_KEY = 32
"""Characters of a key for reply tokens."""

_LIMITS = Limits()
_READING = MailReading(reply_address="", authserv_id="")
_TLS = "how the connection is secured"
_TOKEN_PLACE = re.compile(r"(?P<local>[^<{]+?)(?P<separator>[+\-=._])[<{]token[>}](?P<domain>@.+)", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.\-]{0,252}[a-z0-9])?", re.IGNORECASE)


def plain_address(text: str) -> str:
    """An address in its one spelling, out of ``Mara <mara@corp.example>`` too.

    Raises:
        ValueError: it is none, or more than one.
    """
    boxes = mailboxes(text)
    if len(boxes) != 1 or boxes[0].address is None:
        raise ValueError("it is not one plain address")
    return boxes[0].address


def _host(text: str) -> str:
    if _HOST.fullmatch(text) is None:
        raise ValueError("it is no host's name")
    return text.lower()


def _check_keys(keys: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    if any(len(key.get_secret_value()) < SHORTEST_KEY for key in keys):
        raise ValueError(f"one of them has less than {SHORTEST_KEY} characters; `openssl rand -base64 32` makes one")
    return keys


Address = Annotated[str, AfterValidator(plain_address)]
Host = Annotated[str, AfterValidator(_host)]
Bytes = Annotated[int, Field(ge=1)]


class MailLimitsConfig(Section):
    """Sizes beyond which a mail is kept for an operator and not read."""

    message_bytes: Bytes = Field(default=_LIMITS.message_bytes, description="bytes of a message")
    header_bytes: Bytes = Field(default=_LIMITS.header_bytes, description="bytes of all its headers")
    parts: Count = Field(default=_LIMITS.parts, description="how many parts it has")
    depth: Annotated[int, Field(ge=0, le=50)] = Field(
        default=_LIMITS.depth, description="how deep they are nested: at most 50"
    )
    text_bytes: Bytes = Field(default=_LIMITS.text_bytes, description="bytes of one text part as it is transferred")
    text_characters: Bytes = Field(default=_LIMITS.text_characters, description="characters of all text")
    line_characters: Bytes = Field(default=_LIMITS.line_characters, description="characters of a line")
    html_tags: Count = Field(default=_LIMITS.html_tags, description="how many tags of HTML")
    html_depth: Count = Field(default=_LIMITS.html_depth, description="how many of them are open at once")
    text_lines: Count = Field(default=_LIMITS.text_lines, description="how many lines of text")
    reply_characters: Bytes = Field(default=_LIMITS.reply_characters, description="characters of new text")


class _Server(Section):
    """A server with whom somebody logs in, or nobody."""

    host: Host = Field(examples=["mail.example.com"], description="the server's name, as mail.example.com")
    user: str | None = Field(
        default=None, min_length=1, examples=["agent"], description="the name to log in with, together with password"
    )
    password: SecretStr | None = Field(default=None, description="the password of user")

    @model_validator(mode="after")
    def _check_login(self) -> _Server:
        if (self.user is None) != (self.password is None):
            raise ValueError("user and password go together: give both, or neither")
        return self


class SmtpConfig(_Server):
    """The server that takes the questions."""

    tls: Tls = Field(default=Tls.STARTTLS, title=_TLS, description="one of starttls, tls, none")
    port: Port | None = Field(
        default=None, examples=[587], description="a port; by default 587, with tls 465, with none 25"
    )

    @property
    def port_used(self) -> int:
        return self.port if self.port is not None else {Tls.STARTTLS: 587, Tls.TLS: 465, Tls.NONE: 25}[self.tls]


class ImapConfig(_Server):
    """The mailbox in which answers arrive."""

    tls: Tls = Field(default=Tls.TLS, title=_TLS, description="one of tls, starttls, none")
    port: Port | None = Field(default=None, examples=[993], description="a port; by default 993, else 143")
    mailbox: str = Field(default="INBOX", min_length=1, description="the mailbox's name")

    @property
    def port_used(self) -> int:
        return self.port if self.port is not None else {Tls.STARTTLS: 143, Tls.TLS: 993, Tls.NONE: 143}[self.tls]

    @model_validator(mode="after")
    def _check_user(self) -> ImapConfig:
        if self.user is None:
            raise ValueError("nobody reads a mailbox without a name: give user and password")
        return self


class LmtpConfig(Section):
    """Where our own mail server hands over what arrives."""

    host: str = Field(default="127.0.0.1", min_length=1, description="the address to listen on; never a public one")
    port: Port = Field(default=2424, description="the port to listen on")


class ConfirmBy(StrEnum):
    """How whoever answers on the page confirms it."""

    PAGE = "page"
    """By a number that the page shows: whoever bears the link can answer."""
    MAIL = "mail"
    """By one that is mailed to whom the question was sent."""


class PageConfig(Section):
    """The page on which a question can be answered in a browser."""

    base_url: BaseUrl = Field(
        examples=["https://ask.example.com"],
        description="the address people reach it under, as https://ask.example.com",
    )
    host: str = Field(default="127.0.0.1", min_length=1, description="the address to listen on")
    port: Port = Field(default=8425, description="the port to listen on")
    confirm_by: ConfirmBy = Field(
        default=ConfirmBy.PAGE,
        title="how an answer is confirmed",
        description="page (whoever bears the link answers) or mail (a number mailed to whom it was sent confirms the answer)",
    )


class MailConfig(Section):
    """Questions by mail, and how the answers are read."""

    reply_address: Address = Field(
        examples=["agent@ask.example.com"],
        description="where answers go, as agent@ask.example.com; every agent+<token>@ask.example.com must arrive too",
    )
    authserv_id: Host | None = Field(
        default=None,
        examples=["mx.ask.example.com"],
        description="the name that your border server gives itself in Authentication-Results",
    )
    authentication: Authentication = Field(
        default=_READING.authentication,
        title="what proves a sender",
        description="one of dmarc, aligned (where a domain publishes no DMARC: its DKIM or SPF), none (trust every sender)",
    )
    answerers: Annotated[tuple[Address, ...], Listed] = Field(
        default=(),
        description="who may answer, for `overwinter mail read` alone; bots name their own. A list of addresses",
    )
    display_name: str = Field(default=_READING.display_name, description="the name that questions come under")
    separator: Annotated[str, Field(pattern=r"^[+\-=._]$")] = Field(
        default=_READING.separator, description="what stands between the local part and the token: + - = . or _"
    )
    message_id_domain: Host | None = Field(
        default=None,
        examples=["ask.example.com"],
        description="the right side of Message-IDs; by default the domain of reply_address",
    )
    inner_hosts: Annotated[tuple[Host, ...], Listed] = Field(
        default=(), description="names of own servers behind the border, whose Received stand above the border's"
    )
    results_below_received: bool = Field(
        default=_READING.results_below_received,
        description="true where the border puts its findings below its own Received, as milters under Postfix do",
    )
    takes_subaddresses: bool = Field(
        default=_READING.takes_subaddresses, description="true if mara+x@ may answer for mara@"
    )
    limits: MailLimitsConfig = Field(default=MailLimitsConfig(), description="a table")
    token_keys: Annotated[tuple[SecretStr, ...], Listed, AfterValidator(_check_keys)] = Field(
        default=(),
        description=f"secrets of at least {SHORTEST_KEY} characters: the present one, then those whose mails may still be answered",
    )
    smtp: SmtpConfig | None = Field(default=None, description="a table with at least a host")
    imap: ImapConfig | None = Field(default=None, description="a table with host, user and password")
    lmtp: LmtpConfig | None = Field(default=None, description="an empty table will do")
    page: PageConfig | None = Field(default=None, description="a table with at least a base_url")

    @model_validator(mode="before")
    @classmethod
    def _take_other_spellings(cls, values: Any) -> Any:
        """Take ``agent+<token>@...`` for the address and the separator that it shows, and approvers for answerers."""
        if not isinstance(values, dict):
            return values
        given = cast("dict[str, Any]", values)
        if "approvers" in given and "answerers" not in given:
            given = {"answerers" if name == "approvers" else name: value for name, value in given.items()}
        shown = _TOKEN_PLACE.fullmatch(str(given.get("reply_address", "")).strip())
        if shown is not None:
            given = {"separator": shown["separator"]} | given | {"reply_address": shown["local"] + shown["domain"]}
        return given

    @model_validator(mode="after")
    def _check_border(self) -> MailConfig:
        if self.authserv_id is None and self.authentication is not Authentication.NONE:
            raise ValueError(
                "authserv_id is missing, so no sender could be proven: give the name that your border server writes first in "
                'Authentication-Results, or authentication = "none" where every mail comes through servers that check it'
            )
        return self

    @model_validator(mode="after")
    def _check_page(self) -> MailConfig:
        if self.page is not None and not self.token_keys:
            raise ValueError("page needs token_keys, which sign its links; `openssl rand -base64 32` makes one")
        return self

    @property
    def secret_keys(self) -> tuple[bytes, ...]:
        """The keys for reply tokens, the present one first."""
        return tuple(key.get_secret_value().encode() for key in self.token_keys)


def reading_of(mail: MailConfig, answerers: tuple[str, ...]) -> MailReading:
    """How mail is read, for a question that ``answerers`` may answer."""
    return MailReading(
        reply_address=mail.reply_address,
        authserv_id=mail.authserv_id or "",
        answerers=answerers,
        display_name=mail.display_name,
        separator=mail.separator,
        message_id_domain=mail.message_id_domain,
        inner_hosts=mail.inner_hosts,
        results_below_received=mail.results_below_received,
        authentication=mail.authentication,
        takes_subaddresses=mail.takes_subaddresses,
        limits=Limits(**mail.limits.model_dump()),
    )
