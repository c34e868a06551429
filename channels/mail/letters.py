"""One mail of ours before it is bytes, and how it becomes them.

The same letter gives the same bytes, whenever and wherever it is made: its date is that of what caused it, its Message-ID and
its boundary are derived. So a mail that is sent again after a crash is the same mail, and mailboxes show it once.

Whatever goes into a header is on one line and has nothing in it that another program takes for more headers, recipients or
encoded words.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Literal

from ..visible import visible
from .addresses import canonical_address

LONGEST_SUBJECT = 200
_LONGEST_NAME = 80
_MOST_REFERENCES = 12
"""RFC 5322 sets no limit, but a header line of a thousand characters does not come through everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One mail to one person.

    Attributes:
        sender: the address it comes from; ``sender_name`` stands beside it.
        reply_to: where its answer goes. Bounces go there too.
        message_id: in angle brackets.
        references: Message-IDs of its thread, the oldest first; the last is what it answers or follows. Empty for the first.
        attachment: text of a file beside it, ``question.txt``; None if there is none.
        auto_submitted: ``auto-generated``, or ``auto-replied`` for what answers a person's mail (RFC 3834).
    """

    sender: str
    sender_name: str
    recipient: str
    reply_to: str
    subject: str
    message_id: str
    references: tuple[str, ...]
    at_ms: int
    text: str
    html: str
    attachment: str | None = None
    auto_submitted: Literal["auto-generated", "auto-replied"] = "auto-generated"


def composed(letter: Letter) -> bytes:
    """The letter as it goes over the wire: CRLF, ASCII, multipart.

    Raises:
        ValueError: an address of it is none.
    """
    message = EmailMessage(policy=SMTP)
    message["From"] = _address(letter.sender, name=letter.sender_name)
    message["To"] = _address(letter.recipient)
    message["Reply-To"] = _address(letter.reply_to, name=letter.sender_name)
    message["Subject"] = header_text(letter.subject, longest=LONGEST_SUBJECT)
    message["Date"] = format_datetime(datetime.fromtimestamp(letter.at_ms / 1000, tz=UTC))
    message["Message-ID"] = letter.message_id
    if letter.references:
        message["In-Reply-To"] = letter.references[-1]
        message["References"] = " ".join(_kept(letter.references))
    message["Auto-Submitted"] = letter.auto_submitted
    message["X-Auto-Response-Suppress"] = "All"
    message.set_content(letter.text)
    message.add_alternative(letter.html, subtype="html")
    if letter.attachment is not None:
        message.add_attachment(letter.attachment, filename="question.txt")
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        part.set_boundary(_boundary(letter.message_id, number))
    return message.as_bytes()


def header_text(text: str, *, longest: int) -> str:
    """A text for a header: on one line, nothing unseen in it, nothing that would be decoded, not too long."""
    seen = " ".join(visible(text).split()).replace("=?", "= ?")
    return seen if len(seen) <= longest else seen[: longest - 1] + "…"


def plain_address(text: str) -> str | None:
    """An address that a mail can be sent to, in its one spelling; None if it is not plainly one.

    What is beyond ASCII left of the @ would need servers that speak SMTPUTF8 all the way, which nobody can promise.
    """
    address = canonical_address(text)
    return address if address is not None and address.isascii() else None


def _address(text: str, *, name: str = "") -> Address:
    address = plain_address(text)
    if address is None:
        raise ValueError(f"{visible(text)!r} is not one plain address")
    local, _, domain = address.rpartition("@")
    return Address(display_name=_name(name), username=local, domain=domain)


def _name(text: str) -> str:
    """A display name without what could pass for an address beside the real one."""
    return re.sub(r"[<>\"@,;:\\]+", " ", header_text(text, longest=_LONGEST_NAME)).strip()


def _kept(references: tuple[str, ...]) -> tuple[str, ...]:
    """The thread's first mail, by which it is known, and its latest."""
    return references if len(references) <= _MOST_REFERENCES else (references[0], *references[-_MOST_REFERENCES + 1 :])


def _boundary(message_id: str, number: int) -> str:
    return "=_" + hashlib.sha256(f"{number} {message_id}".encode()).hexdigest()[:32]
