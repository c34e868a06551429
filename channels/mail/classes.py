"""Whether a mail is a person's at all, or a program's: an automatic reply, a bounce, a receipt, a calendar's answer, a list's.

Headers decide wherever there are any; subjects only where some servers write nothing else. Wherever a program is suspected,
it is one: a person asked again loses a minute, a program taken for a person decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .addresses import mailboxes
from .bounces import failed_delivery, failed_without_report, has_report
from .charsets import decoded_header
from .parts import Part
from .phrases import folded
from .results import FailedDelivery, MailClass
from .settings import MailReading
from .tokens import token_in_address, token_in_message_id
from .words_quotes import FORWARD_PREFIXES, REPLY_PREFIXES
from .words_robots import (
    AUTOMATIC_HEADERS,
    AUTOMATIC_SUBJECTS,
    BOUNCE_SUBJECTS,
    MAILERS,
    MEETING_SUBJECTS,
    NO_REPLY,
    RECALL_SUBJECTS,
    RECEIPT_SUBJECTS,
)

_METHOD = re.compile(rb"^METHOD:", re.IGNORECASE | re.MULTILINE)
_REACTION = "text/vnd.google.email-reaction+json"
"""https://developers.google.com/workspace/gmail/reactions/format"""
_LONGEST_CALENDAR = 64 * 1024
_PREFIX = re.compile(
    r"\s*(?:\[[^\]]{0,60}\]\s*)?([^\s:：\[\]]{1,20}(?: [^\s:：\[\]]{1,20})?)\s?(?:\[\d{1,3}\]|\(\d{1,3}\))?[:：]\s*"
)
_MOST_PREFIXES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What kind of program sent a mail, and from what that follows."""

    mail_class: MailClass
    reason: str
    failed_delivery: FailedDelivery | None = None


def machine_of(message: Part, settings: MailReading) -> Machine | None:
    """The program that sent a message; None if it seems to be a person."""
    return (
        _ourselves(message, settings)
        or _report(message)
        or _bounce(message)
        or _calendar(message)
        or _automatic(message)
        or _no_reply(message)
        or _mailing_list(message)
        or _by_subject(message)
    )


def subject_of(message: Part) -> str:
    """The subject, decoded and on one line."""
    return decoded_header(message.first("subject"))


def without_prefixes(subject: str) -> tuple[str, str]:
    """A folded subject without ``Re:`` and the like, and the outermost such prefix; an empty one if there is none."""
    rest, outermost = folded(subject), ""
    for _ in range(_MOST_PREFIXES):
        match = _PREFIX.match(rest)
        if match is None or len(match[1]) > 14:
            break
        outermost = outermost or match[1]
        rest = rest[match.end() :]
    return rest.strip(), outermost


def by_program(message: Part) -> str:
    """Why a mail seems to be what programs write in a person's name, as its parts and its subject say; empty if it does not."""
    subject = folded(subject_of(message))
    if any(part.content_type == _REACTION for part in message.walk()):
        return "it is a reaction"
    if subject.startswith(MEETING_SUBJECTS):
        return "its subject is that of an answer to an invitation"
    if subject.startswith(RECALL_SUBJECTS):
        return "its subject is that of a recall"
    prefix = without_prefixes(subject)[1]
    is_known = not prefix or prefix in REPLY_PREFIXES or prefix in FORWARD_PREFIXES
    return "" if is_known else f"its subject begins with {prefix}:, which is no sign of an answer"


def is_forward(message: Part) -> str:
    """Why a message is somebody else's handed on, as its headers say; empty if they do not."""
    for name in ("resent-from", "resent-to", "resent-sender"):
        if message.first(name):
            return f"it has the header {name}"
    prefix = without_prefixes(subject_of(message))[1]
    return f"its subject begins with {prefix}:" if prefix in FORWARD_PREFIXES else ""


def _ourselves(message: Part, settings: MailReading) -> Machine | None:
    ours = settings.reply_address.lower()
    for box in (box for value in message.all("from") for box in mailboxes(value)):
        address = box.address or ""
        if address == ours or token_in_address(address, ours, separator=settings.separator) is not None:
            return Machine(mail_class=MailClass.OWN_MAIL, reason=f"it is from {ours}")
    if token_in_message_id(message.first("message-id"), settings.domain) is not None:
        return Machine(mail_class=MailClass.OWN_MAIL, reason="its Message-ID is one of ours")
    return None


def _report(message: Part) -> Machine | None:
    if message.content_type != "multipart/report":
        kinds = {message.content_type}
    else:
        kinds = {part.content_type for part in message.walk()} | {f"report/{message.parameter('report-type').lower()}"}
    if kinds & {
        "message/disposition-notification",
        "message/global-disposition-notification",
        "report/disposition-notification",
    }:
        return Machine(mail_class=MailClass.READ_RECEIPT, reason="it is a disposition notification")
    if kinds & {"message/delivery-status", "message/global-delivery-status", "report/delivery-status"}:
        failed = failed_delivery(message)
        if failed is None and has_report(message):
            return Machine(mail_class=MailClass.DELIVERY_RECEIPT, reason="it reports a delivery")
        failed = failed or failed_without_report(message)
        return Machine(mail_class=MailClass.BOUNCE, reason="it is a delivery report", failed_delivery=failed)
    if message.content_type == "multipart/report":
        return Machine(mail_class=MailClass.AUTO_REPLY, reason="it is a report")
    return None


def _bounce(message: Part) -> Machine | None:
    senders = [box.address or "" for value in message.all("from") for box in mailboxes(value)]
    is_mailer = any(_MAILER.fullmatch(address) or address.rpartition("@")[0] in MAILERS for address in senders)
    subject = folded(subject_of(message))
    if message.first("x-failed-recipients"):
        reason = "it has the header x-failed-recipients"
    elif is_mailer or _RAW_MAILER.search(message.first("from").lower()):
        reason = "it is from a mail server"
    elif _is_from_nobody(message) and subject.startswith(BOUNCE_SUBJECTS):
        reason = "it is from nobody, and its subject is that of a bounce"
    else:
        return None
    return Machine(mail_class=MailClass.BOUNCE, reason=reason, failed_delivery=failed_without_report(message))


_MAILER = re.compile(r"microsoftexchange[0-9a-f]{20,40}@.+")
"""Exchange's own, one for each organisation."""
_RAW_MAILER = re.compile(r"(?:^|[<\s])mailer-daemon(?:@|>|$|\s)")


def _calendar(message: Part) -> Machine | None:
    for part in message.walk():
        if part.content_type not in ("text/calendar", "application/ics"):
            continue
        if part.parameter("method") or (not part.is_attachment and _METHOD.search(part.beginning(_LONGEST_CALENDAR))):
            return Machine(mail_class=MailClass.CALENDAR_REPLY, reason="it is a calendar's message")
    if "calendarmessage" in message.first("content-class").lower():
        return Machine(mail_class=MailClass.CALENDAR_REPLY, reason="its content class is a calendar's message")
    return None


def _automatic(message: Part) -> Machine | None:
    reason = ""
    for name in ("auto-submitted", "x-auto-submitted"):
        value = message.first(name).partition(";")[0].partition("(")[0].strip().lower()
        if value not in ("", "no"):
            reason = f"{name}: {value}"
    precedence = message.first("precedence").strip().lower() or message.first("x-precedence").strip().lower()
    if precedence in ("bulk", "junk", "auto_reply", "auto-reply"):
        reason = f"precedence: {precedence}"
    present = {name.lower() for name in message.headers.keys()} & AUTOMATIC_HEADERS  # noqa: SIM118 - keys() of a Message
    if present:
        reason = f"it has the header {min(present)}"
    if not reason and "autoresponder" in message.first("x-post-messageclass").lower():
        reason = "its message class is an autoresponder's"
    return Machine(mail_class=MailClass.AUTO_REPLY, reason=reason) if reason else None


def _no_reply(message: Part) -> Machine | None:
    for box in (box for value in message.all("from") for box in mailboxes(value)):
        local = (box.address or "").rpartition("@")[0]
        if re.sub(r"[._\-]", "", local).partition("+")[0] in NO_REPLY:
            return Machine(mail_class=MailClass.AUTO_REPLY, reason=f"nobody writes from {box.address}")
    return None


def _mailing_list(message: Part) -> Machine | None:
    for name in ("list-id", "list-post", "list-unsubscribe", "list-help", "mailing-list"):
        if message.first(name):
            return Machine(mail_class=MailClass.LIST_MAIL, reason=f"it has the header {name}")
    if message.first("precedence").strip().lower() == "list":
        return Machine(mail_class=MailClass.LIST_MAIL, reason="precedence: list")
    return None


def _by_subject(message: Part) -> Machine | None:
    subject = folded(subject_of(message))
    if subject.startswith(AUTOMATIC_SUBJECTS):
        return Machine(mail_class=MailClass.AUTO_REPLY, reason="its subject is that of an automatic reply")
    if subject.startswith(RECEIPT_SUBJECTS):
        return Machine(mail_class=MailClass.READ_RECEIPT, reason="its subject is that of a receipt")
    if _is_from_nobody(message):
        return Machine(mail_class=MailClass.AUTO_REPLY, reason="its return path is empty, as only programs send")
    return None


def _is_from_nobody(message: Part) -> bool:
    return message.first("return-path").replace(" ", "") == "<>"
