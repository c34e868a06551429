"""What a report about our own mail says: whom it did not reach, and whether for good (RFC 3464)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.parser import HeaderParser
from email.policy import compat32

from .addresses import canonical_address, mailboxes
from .parts import Part
from .results import FailedDelivery

_LONGEST_REPORT = 64 * 1024
_BLANK = re.compile(r"\r?\n[ \t]*\r?\n")
_STATUS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")
_ANY_STATUS = re.compile(r"(?<![\d.])([45])\.\d{1,3}\.\d{1,3}(?![\d.])|(?<!\d)([45])\d\d[ -]")


def failed_delivery(message: Part) -> FailedDelivery | None:
    """What a delivery report says; None if it reports no failure."""
    for fields in _recipients(message):
        action = fields.get("action", "").strip().lower()
        if action not in ("failed", "delayed"):
            continue
        status = _STATUS.match(fields.get("status", "").strip())
        address = fields.get("final-recipient") or fields.get("original-recipient") or ""
        return FailedDelivery(
            recipient=canonical_address(address.rpartition(";")[2]),
            is_permanent=action == "failed",
            status=status.group() if status else "",
        )
    return None


def failed_without_report(message: Part) -> FailedDelivery:
    """What can be told of a bounce that has no machine-readable part."""
    named = mailboxes(message.first("x-failed-recipients"))
    text = next(
        (part.text(most_bytes=_LONGEST_REPORT) for part in message.walk() if part.content_type == "text/plain"), ""
    )[:20_000]
    found = _ANY_STATUS.search(text)
    status = found.group().strip(" -") if found else ""
    return FailedDelivery(
        recipient=named[0].address if named else None,
        is_permanent=not status.startswith("4"),
        status=status if "." in status else "",
    )


def has_report(message: Part) -> bool:
    """Whether it has a machine-readable part about deliveries."""
    return any(True for _ in _recipients(message))


def _recipients(message: Part) -> Iterator[dict[str, str]]:
    """The fields of each recipient of a delivery report."""
    for part in message.walk():
        if part.content_type in ("message/delivery-status", "message/global-delivery-status"):
            text = part.beginning(_LONGEST_REPORT).decode("utf-8", "replace")
            for group in _BLANK.split(text):
                parsed = HeaderParser(policy=compat32).parsestr(group.strip() + "\n\n")
                fields = {name.lower(): str(value) for name, value in parsed.raw_items()}
                if "action" in fields:
                    yield fields
