"""What a person's mail program makes of a question: an answer above a quote of it, as it arrives at our border."""

from __future__ import annotations

from email.utils import parseaddr

from .smtp_server import Mailed

BORDER = "mx.ask.example.net"


def reply_to(
    mailed: Mailed,
    text: str,
    *,
    sender: str | None = None,
    message_id: str = "<answer-1@corp.example>",
    headers: dict[str, str | None] | None = None,
    results: str | None = None,
    below: str = "",
) -> bytes:
    """An answer to a mail.

    Args:
        sender: who answers; by default whoever it was sent to.
        headers: in place of what an answer has; None leaves one out.
        results: our border's ``Authentication-Results``; by default the sender is proven.
        below: what stands under the quote.
    """
    sender = sender or mailed.recipient
    domain = sender.rpartition("@")[2]
    answers_to = parseaddr(mailed.header("Reply-To"))[1]
    asked_in = mailed.header("Message-ID")
    subject = mailed.header("Subject")
    fields: dict[str, str | None] = {
        "Return-Path": f"<{sender}>",
        "Delivered-To": answers_to,
        "Authentication-Results": results or f"{BORDER}; dmarc=pass header.from={domain}",
        "Received": f"from mail.{domain} (mail.{domain} [192.0.2.11]) by {BORDER} with ESMTPS id rx1",
        "From": f"Somebody <{sender}>",
        "To": mailed.header("Reply-To"),
        "Subject": subject if subject.startswith("Re: ") else f"Re: {subject}",
        "Date": "Tue, 3 Mar 2026 10:41:02 +0100",
        "Message-ID": message_id,
        "In-Reply-To": asked_in,
        "References": f"{mailed.header('References')} {asked_in}".strip(),
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
    } | (headers or {})
    head = "".join(f"{name}: {value}\n" for name, value in fields.items() if value is not None)
    quote = "\n".join(f"> {line}".rstrip() for line in mailed.text.rstrip("\n").split("\n"))
    body = f"{text}\n\nOn Tue, 3 Mar 2026 at 10:12, {mailed.header('From')} wrote:\n\n{quote}\n{below}"
    return f"{head}\n{body}".replace("\n", "\r\n").encode()
