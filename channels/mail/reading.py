"""One mail read, from its bytes to what may be put to the question's interpreter.

The order of the steps is that of trust: nothing is taken as an answer before it is known that a person sent it, that the
person is who they say, and that the words are their own and new. Each step writes down what it found; the first that
objects ends the matter, and the question stays open.

Pure: no clock, no network, no store, and no exception whatever the bytes are. It may take a second for the most hostile mail
that is read at all, so services read by way of ``bounded``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from .bodies import read_body
from .classes import by_program, is_forward, machine_of, subject_of, without_prefixes
from .header_blocks import Surroundings
from .new_text import Answer, read_answer
from .notices import says_automatic, says_away, says_by_program
from .originals import with_originals
from .parts import MailTooLargeError, Part, parse_message
from .people import Sender, read_sender
from .phrases import folded
from .questions import Question, find_question, in_returned_message
from .results import Doubt, FailedDelivery, MailClass, MailReadingResult, MatchedBy, Step
from .settings import MailReading

_MESSAGE_ID = re.compile(r"<?([^\s<>]{1,500})>?")
_REPORTS = (MailClass.BOUNCE, MailClass.DELIVERY_RECEIPT, MailClass.READ_RECEIPT)


def read_mail(
    raw: bytes, *, settings: MailReading, envelope: Sequence[str] = (), originals: Sequence[str] | None = None
) -> MailReadingResult:
    """Read one mail.

    Args:
        raw: the message as it arrived, with the headers that our own servers put on top.
        envelope: the addresses it was delivered to, where whoever received it knows them; else its headers tell.
        originals: what the thread holds so far, see ``with_originals``; None if it is not known, and then the result may
            decide only after it went through there.
    """
    message = parse_message(raw, settings.limits)
    if isinstance(message, str):
        return _Reading(raw, None).ended(MailClass.OVERSIZE, "size", message)
    reading = _Reading(raw, message)
    try:
        result = _read(reading, message, settings, envelope)
    except MailTooLargeError as error:
        return reading.ended(MailClass.OVERSIZE, "size", str(error))
    return result if originals is None else with_originals(result, originals)


def unread(raw: bytes, reason: str) -> MailReadingResult:
    """The result for a mail that nobody has the time or the room to read."""
    return _Reading(raw, None).ended(MailClass.OVERSIZE, "time", reason)


def question_in(raw: bytes, *, settings: MailReading, envelope: Sequence[str] = ()) -> str | None:
    """The token of the question a mail belongs to, and nothing more; None if there is none.

    Who may answer depends on the question, so callers look for it here first and then give ``read_mail`` its answerers.
    """
    message = parse_message(raw, settings.limits)
    if isinstance(message, str):
        return None
    return find_question(message, settings, envelope).token or in_returned_message(message, settings)


def _read(reading: _Reading, message: Part, settings: MailReading, envelope: Sequence[str]) -> MailReadingResult:
    reading.note("size", "within limits", f"{len(reading.raw)} bytes, {sum(1 for _ in message.walk())} parts")
    reading.question = find_question(message, settings, envelope)
    machine = machine_of(message, settings)
    if machine is not None and machine.mail_class in _REPORTS and reading.question.token is None:
        returned = in_returned_message(message, settings)
        by = (MatchedBy.REFERENCES,) if returned else ()
        reading.question = Question(token=returned, matched_by=by, doubt=None, reason="by the mail it returns")
    reading.note("question", reading.question.token or "none", reading.question.reason)
    reading.sender = sender = read_sender(message, settings)
    if machine is not None:
        reading.failed_delivery = machine.failed_delivery
        return reading.ended(machine.mail_class, "person", machine.reason)
    reading.is_of_person = True
    reading.note("person", "seems to be one", "no sign of a program")
    reading.note("authentication", "proven" if sender.is_proven else "not proven", sender.reason)
    if not sender.is_proven:
        return reading.ended(MailClass.UNAUTHENTICATED, "sender", sender.reason)
    reading.note(
        "sender", "allowed" if sender.is_allowed else "not allowed", sender.objection or "one of the answerers"
    )
    body = read_body(message, settings.limits)
    if body.problem:
        return reading.ended(MailClass.UNREADABLE, "body", body.problem)
    reading.names = _names(sender)
    answer = read_answer(body, _surroundings(message, settings), reading.names, settings.limits)
    reading.answer = answer
    if forwarded := is_forward(message) or (answer.is_forward and "it contains a forwarded mail"):
        return reading.ended(MailClass.FORWARDED, "forwarded", forwarded)
    if says_automatic(answer.text):
        return reading.ended(MailClass.AUTO_REPLY, "person", "it says of itself that it is automatic")
    if not answer.text:
        empty = MailClass.FORWARDED if body.has_attached_mail else MailClass.EMPTY
        return reading.ended(empty, "text", "nothing is new in it")
    reading.note("text", f"{len(answer.text)} characters", "what is left without quotes and signatures")
    return reading.ended(MailClass.HUMAN_REPLY, "class", "a person wrote something new")


class _Reading:
    """What is known of one mail so far."""

    def __init__(self, raw: bytes, message: Part | None) -> None:
        self.raw = raw
        self.message = message
        self.question = Question(token=None, matched_by=(), doubt=None, reason="not looked for")
        self.sender: Sender | None = None
        self.answer: Answer | None = None
        self.failed_delivery: FailedDelivery | None = None
        self.is_of_person = False
        """It is no program's, as far as its headers tell."""
        self.names: frozenset[str] = frozenset()
        self.is_by_program = message is not None and by_program(message) != ""
        self._why: list[Step] = []

    def note(self, step: str, found: str, reason: str) -> None:
        self._why.append(Step(step=step, found=found, reason=reason))

    def ended(self, mail_class: MailClass, step: str, reason: str) -> MailReadingResult:
        """The result, with the step that decided what the mail is."""
        self.note(step, mail_class.value, reason)
        is_human = mail_class is MailClass.HUMAN_REPLY
        answer, sender = self.answer, self.sender
        doubts = dict.fromkeys(answer.doubts if answer else ())
        if is_human and answer is not None and says_away(answer.text):
            doubts[Doubt.AWAY_NOTICE] = None
        if is_human and answer is not None and (self.is_by_program or says_by_program(answer.text, self.names)):
            doubts[Doubt.BY_PROGRAM] = None
        if self.question.doubt is not None:
            doubts[self.question.doubt] = None
        for doubt in doubts:
            self.note("doubt", doubt.value, _DOUBTS[doubt])
        is_automatic = mail_class in _MACHINES or (mail_class is MailClass.OVERSIZE and not self.is_of_person)
        allowed = sender is not None and sender.is_allowed and not is_automatic
        may_close = is_human and allowed and self.question.token is not None and not doubts
        self.note(
            "outcome", "may be read as an answer" if may_close else "the question stays open", _why_open(may_close)
        )
        return MailReadingResult(
            mail_class=mail_class,
            question=self.question.token,
            matched_by=self.question.matched_by,
            text=answer.text if answer and is_human else "",
            left_out=answer.left_out if answer and is_human else "",
            sender=sender.address if sender else None,
            sender_name=sender.name if sender else "",
            sender_allowed=allowed,
            question_stays_open=not may_close,
            doubts=tuple(doubts),
            hidden_text_found=answer is not None and answer.hidden_text_found,
            is_automatic=is_automatic,
            is_forgery_suspected=mail_class is MailClass.UNAUTHENTICATED and sender is not None and sender.is_answerer,
            failed_delivery=self.failed_delivery,
            message_id=self._message_id(),
            dedupe_key=self._dedupe_key(),
            subject=subject_of(self.message) if self.message else "",
            why=tuple(self._why),
        )

    def _message_id(self) -> str | None:
        match = _MESSAGE_ID.search(self.message.first("message-id")) if self.message else None
        return match[1] if match else None

    def _dedupe_key(self) -> str:
        """Of the Message-ID and the sender, so that nobody can use up another's; of the content where there is none."""
        message_id = self._message_id()
        if message_id is not None:
            sender = (self.sender.address if self.sender else None) or ""
            return "m" + hashlib.sha256(f"{message_id}\0{sender}".encode("utf-8", "surrogatepass")).hexdigest()
        if self.message is None:
            return "c" + hashlib.sha256(self.raw).hexdigest()
        content = hashlib.sha256()
        for name in ("from", "date", "subject", "in-reply-to", "references"):
            content.update(self.message.first(name).encode("utf-8", "surrogatepass") + b"\0")
        for part in self.message.walk():
            content.update(hashlib.sha256(part.body).digest())
        return "c" + content.hexdigest()


_MACHINES = frozenset(
    {
        MailClass.AUTO_REPLY,
        MailClass.BOUNCE,
        MailClass.DELIVERY_RECEIPT,
        MailClass.READ_RECEIPT,
        MailClass.CALENDAR_REPLY,
        MailClass.LIST_MAIL,
        MailClass.OWN_MAIL,
    }
)

_DOUBTS = {
    Doubt.HIDDEN_TEXT: "part of it cannot be seen",
    Doubt.RESTYLED_TEXT: "part of it is struck out, or its style adds words",
    Doubt.PARTS_DIFFER: "its plain and its HTML part say different things",
    Doubt.ANSWERS_BETWEEN_QUOTES: "several answers stand among the lines they answer",
    Doubt.WRITTEN_INTO_QUOTE: "something stands in the quoted original that was not in it",
    Doubt.SEVERAL_QUESTIONS: "it is about several questions",
    Doubt.NOT_WRITTEN_TO_US: "it was delivered to us but neither written to us nor an answer to our mail",
    Doubt.ANSWERS_OTHERS: "it is written to others, as an answer to a mail of theirs",
    Doubt.AWAY_NOTICE: "it says that its writer is away, as automatic notices do",
    Doubt.BY_PROGRAM: "it reads as what mail programs write in a person's name",
    Doubt.TOO_LONG: "it is too long for an answer",
}


def _why_open(may_close: bool) -> str:
    return "a person who may answer wrote it, and nothing about it is in doubt" if may_close else "see the steps above"


def _surroundings(message: Part, settings: MailReading) -> Surroundings:
    return Surroundings(
        address=settings.reply_address.lower(),
        name=folded(settings.display_name),
        subject=without_prefixes(subject_of(message))[0],
    )


def _names(sender: Sender) -> frozenset[str]:
    """The words that may stand as the sender's name below an answer."""
    local = (sender.address or "").partition("@")[0].partition("+")[0]
    words = re.split(r"[\s,.\"'()]+", folded(sender.name)) + re.split(r"[._\-0-9]+", local)
    return frozenset(word for word in words if len(word) > 1)
