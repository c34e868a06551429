"""The servers that mail goes to and comes from, as an operator names them."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from enum import StrEnum


class Tls(StrEnum):
    """How a connection to a mail server is kept from others."""

    TLS = "tls"
    """From the first byte on."""
    STARTTLS = "starttls"
    """From the server's first words on; a server that does not offer it is refused."""
    NONE = "none"
    """Not at all: for a server on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmtpServer:
    """The server that takes our mails.

    Attributes:
        user, password: None where nobody logs in.
        timeout_s: how long it may take to answer; each mail needs several answers.
        concurrency: connections at once.
        tls_context: what certificates are trusted; None for those that the system trusts.
    """

    host: str
    port: int
    tls: Tls = Tls.STARTTLS
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    timeout_s: float = 10.0
    concurrency: int = 4
    tls_context: ssl.SSLContext | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImapServer:
    """The mailbox in which answers arrive.

    Attributes:
        idle_s: how long the server is listened to before it is asked again. A connection that died unnoticed (a router forgot
            it) is found out then, so it is far less than the 29 minutes after which servers may hang up (RFC 2177).
        timeout_s: how long it may take to answer.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    tls: Tls = Tls.TLS
    mailbox: str = "INBOX"
    idle_s: float = 240.0
    timeout_s: float = 20.0
    tls_context: ssl.SSLContext | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LmtpListener:
    """Where our own mail server hands over what arrives. Whoever can connect here is believed: it is on no public address."""

    host: str = "127.0.0.1"
    port: int = 2424
