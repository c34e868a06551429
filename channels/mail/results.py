"""What comes of reading a mail: the words are those an operator sees.

``MailReadingResult.as_json`` is what ``overwinter mail read --json`` prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ...actors.asks import JsonValue


class MailClass(Enum):
    """What kind of thing arrived. All but ``HUMAN_REPLY`` decide nothing."""

    HUMAN_REPLY = "human_reply"
    EMPTY = "empty"
    """A person's, with nothing new in it."""
    FORWARDED = "forwarded"
    """Somebody else's words handed on."""
    UNAUTHENTICATED = "unauthenticated"
    """Our border server did not find that it comes from where it says."""
    AUTO_REPLY = "auto_reply"
    BOUNCE = "bounce"
    DELIVERY_RECEIPT = "delivery_receipt"
    READ_RECEIPT = "read_receipt"
    CALENDAR_REPLY = "calendar_reply"
    LIST_MAIL = "list_mail"
    OWN_MAIL = "own_mail"
    """Our own question come back."""
    UNREADABLE = "unreadable"
    """Encrypted, or of a format that is not read."""
    OVERSIZE = "oversize"
    """Larger or more deeply nested than anybody's answer."""


class MatchedBy(Enum):
    """Where the question's token was found."""

    PLUS_ADDRESS = "plus_address"
    """In an address the mail is written to."""
    ENVELOPE = "envelope"
    """Only where it was delivered to: the writer's own headers do not name us."""
    REFERENCES = "references"
    """In ``In-Reply-To`` or ``References``."""


class Doubt(Enum):
    """Why new text, though it is there, must not be read as an answer: the question has to be asked again."""

    HIDDEN_TEXT = "hidden_text"
    """Part of the mail cannot be seen by whoever wrote or reads it."""
    RESTYLED_TEXT = "restyled_text"
    """Part of it is struck out, or its style adds words: it does not say what its letters say."""
    PARTS_DIFFER = "parts_differ"
    """Its plain and its HTML part say different things."""
    ANSWERS_BETWEEN_QUOTES = "answers_between_quotes"
    """Several answers stand among the lines they answer, and cannot be told apart from them."""
    WRITTEN_INTO_QUOTE = "written_into_quote"
    """Something stands in the quoted original that was not in it."""
    SEVERAL_QUESTIONS = "several_questions"
    """It is written to several questions at once."""
    NOT_WRITTEN_TO_US = "not_written_to_us"
    """It was delivered to a question but neither addresses nor answers it, as when somebody redirects another mail."""
    ANSWERS_OTHERS = "answers_others"
    """It is written to others and answers their mail; the question has a copy of it."""
    AWAY_NOTICE = "away_notice"
    """It says that its writer is away, as automatic notices do."""
    BY_PROGRAM = "by_program"
    """It reads as what mail programs write in a person's name: a reaction, a recall, an answer to an invitation."""
    TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the reading, with what was found and from what."""

    step: str
    found: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedDelivery:
    """What a bounce reports.

    Attributes:
        recipient: the address, in lower case; None if the report does not say.
        is_permanent: False while the sending server goes on trying.
        status: the enhanced status code, as ``5.1.1``; empty if the report has none.
    """

    recipient: str | None
    is_permanent: bool
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailReadingResult:
    """A mail, read.

    Attributes:
        mail_class: what it is.
        question: the token of the question it belongs to; None if it belongs to none that can be told.
        matched_by: every place in which that token was found.
        text: the new text, without what was quoted, hidden or signed; empty unless a person wrote some.
        left_out: what was taken for quoted, as text; see ``originals.with_originals``.
        sender: the one address in ``From``, in lower case; None if there is not exactly one.
        sender_name: the name beside it, which anybody can choose; for showing only.
        sender_allowed: the sender is proven and one of the answerers.
        question_stays_open: nothing in this mail may close the question; False if ``text`` may be read as its answer.
        doubts: why the text, though it is there, must be asked for again.
        hidden_text_found: text that a reader cannot see was left out of ``text``.
        is_automatic: a program sent it, or it may have: nothing is ever mailed back.
        is_forgery_suspected: it names an answerer whom it could not be proven to come from.
        failed_delivery: of a bounce.
        message_id: as the sender gave it, without angle brackets; None if there is none.
        dedupe_key: the same for two deliveries of one mail.
        subject: decoded, on one line; for showing only.
        why: how all this came out, step by step.
    """

    mail_class: MailClass
    question: str | None
    matched_by: tuple[MatchedBy, ...]
    text: str
    left_out: str
    sender: str | None
    sender_name: str
    sender_allowed: bool
    question_stays_open: bool
    doubts: tuple[Doubt, ...]
    hidden_text_found: bool
    is_automatic: bool
    is_forgery_suspected: bool
    failed_delivery: FailedDelivery | None
    message_id: str | None
    dedupe_key: str
    subject: str
    why: tuple[Step, ...]

    def as_json(self) -> dict[str, JsonValue]:
        """The result in the words operators know."""
        failed = self.failed_delivery
        return {
            "class": self.mail_class.value,
            "question": self.question,
            "matched_by": [each.value for each in self.matched_by],
            "text": self.text,
            "sender": self.sender,
            "sender_allowed": self.sender_allowed,
            "question_stays_open": self.question_stays_open,
            "doubts": [each.value for each in self.doubts],
            "hidden_text_found": self.hidden_text_found,
            "send_no_mail_back": self.is_automatic,
            "security_event": "sender_not_authenticated" if self.is_forgery_suspected else None,
            "failed_recipient": None if failed is None else failed.recipient,
            "permanent": None if failed is None else failed.is_permanent,
            "message_id": self.message_id,
            "why": [{"step": each.step, "found": each.found, "reason": each.reason} for each in self.why],
        }
