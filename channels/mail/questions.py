"""Which question a mail belongs to.

The token in an address it is written to comes first, then the one in ``In-Reply-To``, then the last of ours in
``References``: a session's mails are one thread, and its latest question stands last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .addresses import mailboxes
from .parts import Part, parse_message
from .results import Doubt, MatchedBy
from .settings import MailReading
from .tokens import is_own_address, token_in_address, token_in_message_id

_WRITTEN_TO = ("to", "cc")
_DELIVERED_TO = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "x-forwarded-to", "x-delivered-to")
_BETWEEN_IDS = re.compile(r"[\s<>,;]+")
"""Gateways join Message-IDs by commas, or leave the brackets out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The question found, or None for none; with every place that names it, and what is doubtful about that."""

    token: str | None
    matched_by: tuple[MatchedBy, ...]
    doubt: Doubt | None
    reason: str


def find_question(message: Part, settings: MailReading, envelope: Sequence[str] = ()) -> Question:
    """The question a message belongs to.

    Args:
        envelope: the addresses it was delivered to, where whoever received it knows them.
    """
    written = _in_addresses((value for name in _WRITTEN_TO for value in message.all(name)), settings)
    delivered = _in_addresses((*envelope, *(value for name in _DELIVERED_TO for value in message.all(name))), settings)
    threaded = _in_thread(message, settings)
    token = _choice(written, delivered, threaded)
    places = (
        (MatchedBy.PLUS_ADDRESS, written),
        (MatchedBy.ENVELOPE, delivered if token not in written else ()),
        (MatchedBy.REFERENCES, threaded),
    )
    matched = tuple(place for place, tokens in places if token is not None and token in tokens)
    doubt: Doubt | None = None
    if (
        len(set(written)) > 1
        or (delivered and written and not set(delivered) & set(written))
        or (token is not None and threaded and token not in threaded)
    ):
        doubt = Doubt.SEVERAL_QUESTIONS
    elif matched == (MatchedBy.ENVELOPE,):
        doubt = Doubt.NOT_WRITTEN_TO_US
    elif token is not None and _answers_others(message, settings):
        doubt = Doubt.ANSWERS_OTHERS
    reason = f"by {', '.join(each.value for each in matched)}" if matched else "no token of ours in it"
    return Question(token=token, matched_by=matched, doubt=doubt, reason=reason)


def in_returned_message(report: Part, settings: MailReading) -> str | None:
    """The question whose mail a report brings back, from that mail's own Message-ID."""
    for part in report.walk():
        if part.content_type not in ("message/rfc822", "text/rfc822-headers", "message/global"):
            continue
        returned = parse_message(part.content(), settings.limits)
        if isinstance(returned, Part):
            for token in _message_ids(returned.all("message-id"), settings):
                return token
    return None


def _answers_others(message: Part, settings: MailReading) -> bool:
    """Whether it is written to others, as an answer to a mail that is not ours: "yes" may be said to them then."""
    boxes = [box.address for value in message.all("to") for box in mailboxes(value) if box.address is not None]
    is_to_us = any(is_own_address(each, settings.reply_address, separator=settings.separator) for each in boxes)
    answered = message.all("in-reply-to")
    return bool(boxes) and not is_to_us and bool(answered) and not _message_ids(answered, settings)


def _choice(written: Sequence[str], delivered: Sequence[str], threaded: Sequence[str]) -> str | None:
    """Of several written to, the one that it was delivered for or that it answers."""
    if written:
        preferred = [token for token in (*delivered, *reversed(threaded)) if token in written]
        return (preferred or list(written))[0]
    if delivered:
        return delivered[0]
    return threaded[-1] if threaded else None


def _in_addresses(values: Iterable[str], settings: MailReading) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for value in values:
        for box in mailboxes(value):
            token = token_in_address(box.address or "", settings.reply_address, separator=settings.separator)
            if token is not None:
                found[token] = None
    return tuple(found)


def _in_thread(message: Part, settings: MailReading) -> tuple[str, ...]:
    """Tokens of ours in the thread, the nearest last."""
    return _message_ids((*message.all("references"), *message.all("in-reply-to")), settings)


def _message_ids(values: Iterable[str], settings: MailReading) -> tuple[str, ...]:
    ids = (found for value in values for found in _BETWEEN_IDS.split(value))
    return tuple(token for each in ids if (token := token_in_message_id(each, settings.domain)) is not None)
