"""Mails for the tests: headers as they arrive at our border server, and around an answer what a client puts there."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import yaml

from overwinter.channels.mail.reading import read_mail
from overwinter.channels.mail.results import MailReadingResult
from overwinter.channels.mail.settings import MailReading

CASES = Path(__file__).parents[2] / "cases"
TOKEN = "7f3k9w2hx4dm5c8t1r6pjv0znb"
OTHER_TOKEN = "0z3k9w2hx4dm5c8t1r6pjv0zna"
REPLY_TO = f"agent+{TOKEN}@ask.example.net"
QUESTION_ID = f"<q.{TOKEN}.1@ask.example.net>"
SUBJECT = "[Q-1042] Approve refund for order 4471?"
MARA = "mara.lind@corp.example"

QUESTION = (
    'Agent "billing-bot" wants to run',
    'refund(order=4471, amount="1234.56 EUR").',
    "",
    "Approve or reject? Reply APPROVE or REJECT, or answer in your own words.",
    "",
    "Question Q-1042, open until 2026-03-06 17:00 UTC.",
)
"""The lines of the question as it was sent."""

SETTINGS = MailReading(
    reply_address="agent@ask.example.net",
    authserv_id="mx.ask.example.net",
    answerers=(MARA,),
    display_name="Ops Agent",
)

PROVEN = (
    "mx.ask.example.net; dkim=pass header.d=corp.example; spf=pass smtp.mailfrom=corp.example; "
    "dmarc=pass header.from=corp.example"
)


def cases() -> list[dict[str, Any]]:
    return yaml.safe_load((CASES / "email_replies.yaml").read_text())


def case(short: str) -> dict[str, Any]:
    return next(each for each in cases() if each["id"].startswith(f"{short}_"))


def quoted(prefix: str = "> ", lines: tuple[str, ...] = QUESTION) -> str:
    """The question as a client quotes it in plain text."""
    return "\n".join((prefix + line).rstrip() for line in lines)


def mail(
    text: str = "",
    *,
    html: str | None = None,
    headers: dict[str, str | None] | None = None,
    content_type: str | None = None,
    results: str | None = PROVEN,
    charset: str = "utf-8",
    more: tuple[tuple[str, str], ...] = (),
) -> bytes:
    """An answer by Mara as it lies in our mailbox.

    Args:
        text: the plain part; with ``html`` given, and empty, there is none.
        headers: in place of what an answer has; None leaves one out.
        content_type: of ``text``, in place of ``text/plain``.
        results: our border server's ``Authentication-Results``; None for none.
        more: headers below all others, which may repeat a name.
    """
    fields: dict[str, str | None] = {
        "Return-Path": f"<{MARA}>",
        "Delivered-To": REPLY_TO,
        "Authentication-Results": results,
        "Received": "from mail.corp.example (mail.corp.example [192.0.2.11]) by mx.ask.example.net with ESMTPS id rx1",
        "From": f"Mara Lind <{MARA}>",
        "To": f"Ops Agent <{REPLY_TO}>",
        "Subject": f"Re: {SUBJECT}",
        "Date": "Tue, 3 Mar 2026 10:41:02 +0100",
        "Message-ID": "<answer-1@corp.example>",
        "In-Reply-To": QUESTION_ID,
        "References": QUESTION_ID,
        "MIME-Version": "1.0",
    } | (headers or {})
    head = "".join(f"{name}: {value}\r\n" for name, value in (*fields.items(), *more) if value is not None)
    parts = [] if html is not None and not text else [leaf(text, content_type or "text/plain", charset)]
    parts += [] if html is None else [leaf(html, "text/html", charset)]
    body = parts[0] if len(parts) == 1 else multipart("alternative", *parts)
    return head.encode("utf-8", "surrogateescape") + body


def leaf(text: str, content_type: str = "text/plain", charset: str = "utf-8", *, extra: str = "") -> bytes:
    """A text part, in base64."""
    data = base64.encodebytes(text.replace("\n", "\r\n").encode(charset)).replace(b"\n", b"\r\n")
    kind = content_type if "charset" in content_type else f"{content_type}; charset={charset}"
    return f"Content-Type: {kind}\r\nContent-Transfer-Encoding: base64\r\n{extra}\r\n".encode() + data


def multipart(kind: str, *parts: bytes, boundary: str = "=_b1", parameters: str = "") -> bytes:
    """A multipart of parts with their headers."""
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"{parameters}\r\n\r\n'.encode()
    joined = b"".join(f"--{boundary}\r\n".encode() + part + b"\r\n" for part in parts)
    return head + joined + f"--{boundary}--\r\n".encode()


def with_body(body: bytes, *, headers: dict[str, str | None] | None = None) -> bytes:
    """An answer by Mara whose content headers and body are given."""
    return mail(headers=headers).partition(b"Content-Type:")[0] + body


def read(raw: bytes, settings: MailReading = SETTINGS) -> MailReadingResult:
    return read_mail(raw, settings=settings)


OWN = "own1 words"
_BLOCK = f"From: Ops Agent <{REPLY_TO}>\nSent: Tuesday, 3 March 2026 10:12\nTo: Mara\nSubject: {SUBJECT}"
FORWARD = (
    f"---------- Forwarded message ---------\n{_BLOCK}",
    f"-------- Weitergeleitete Nachricht --------\n{_BLOCK}",
    "Begin forwarded message:",
)
WROTE = (
    *FORWARD,
    _BLOCK,
    f"-----Original Message-----\n{_BLOCK}",
    f"________________________________\n{_BLOCK}",
    f"On Tue, 3 Mar 2026 at 10:12, Ops Agent <{REPLY_TO}> wrote:",
    f"Am Di., 3. März 2026 um 10:12 Uhr schrieb Ops Agent <\n{REPLY_TO}>:",
    f"W dniu wtorek, 3 marca 2026 10:12:44 CET użytkownik Ops Agent <{REPLY_TO}> napisał:",
)
"""Ways to announce an original that is not marked line by line."""
