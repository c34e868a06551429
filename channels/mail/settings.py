"""What the reading of mail is told: our addresses, our border server, who may answer, and how much is read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Authentication(Enum):
    """What the border server must have found out before a sender counts as the one named in ``From``."""

    DMARC = "dmarc"
    """``dmarc=pass`` for the domain of ``From``."""
    ALIGNED = "aligned"
    """That, or, where the domain publishes no DMARC record, a passing DKIM signature or SPF of the same domain."""
    NONE = "none"
    """Nothing: every mail that arrives comes from servers that are ours and check their senders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes beyond which a mail is not read but kept for an operator. No person's answer comes near them."""

    message_bytes: int = 25 * 1024 * 1024
    header_bytes: int = 64 * 1024
    parts: int = 500
    depth: int = 20
    text_bytes: int = 2 * 1024 * 1024
    """Of one text part as it is transferred."""
    text_characters: int = 1_000_000
    """Of all text that is read."""
    line_characters: int = 50_000
    html_tags: int = 30_000
    html_depth: int = 500
    text_lines: int = 10_000
    reply_characters: int = 20_000
    """Of new text; more is no answer but a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailReading:
    """How incoming mail is read.

    Attributes:
        reply_address: where people's answers go, without the token, as ``agent@ask.example.net``.
        authserv_id: the name our border server gives itself in ``Authentication-Results``; that of any other server, and
            none at all, count for nothing.
        answerers: the addresses that may answer the question at hand.
        display_name: the name our questions come under, as mail clients repeat it above what they quote; empty if none.
        separator: what stands between ``agent`` and the token.
        message_id_domain: right-hand side of our Message-IDs; None if it is that of ``reply_address``.
        results_below_received: the border server's findings stand right below its own ``Received``, where milters put them
            under Postfix, and not above it. It must then take out, as RFC 8601 section 5 says, whatever arrives in its name.
        inner_hosts: servers of ours behind the border, whose ``Received`` may stand above the border's own.
        authentication: what proves a sender.
        takes_subaddresses: whether ``mara+x@corp.example`` may answer for ``mara@corp.example``.
    """

    reply_address: str
    authserv_id: str
    answerers: tuple[str, ...] = ()
    display_name: str = ""
    separator: str = "+"
    message_id_domain: str | None = None
    inner_hosts: tuple[str, ...] = ()
    results_below_received: bool = False
    authentication: Authentication = Authentication.DMARC
    takes_subaddresses: bool = False
    limits: Limits = Limits()

    @property
    def domain(self) -> str:
        """The domain of our Message-IDs, in lower case."""
        return (self.message_id_domain or self.reply_address.rpartition("@")[2]).lower()
