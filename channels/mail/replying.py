"""What is written back to people who wrote: durable notes, few of them, and never to a program.

A note's id is made of what caused it, so a mail that is read twice is answered once. About one question at most three mails
an hour go to people, counting the question and the one that is kept for its end: what comes too soon waits, and whatever comes
while one waits is not answered by itself. The number to one address is limited besides, over all questions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import structlog

from ...actors.asks import JsonValue
from ...actors.clock import Clock
from ...actors.notes import Note, Notes
from ...actors.questions import Questions
from .correspondence import Correspondence, Register
from .letters import Letter, composed
from .posting import Sender
from .tokens import reply_address
from .writing import Written

HOUR_MS = 3_600_000
_MOST_ABOUT_A_QUESTION = 2
"""In an hour; the third is the one that says how it ended."""
_MOST_TO_AN_ADDRESS = 6
_FIRST_NUMBER, _NUMBERS = 1_000, 999_000_000
_LONGEST_ID = 250

_DAY_MS = 24 * HOUR_MS

_NUMBER_LIFE_MS = 2 * HOUR_MS
"""As long as a page takes it."""

Why = Literal["again", "late", "told", "stranger"]

_log = structlog.get_logger("overwinter.mail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressee:
    """Who is written to, and the mail that this answers.

    Attributes:
        message_id: of that mail, without angle brackets; None if it had none.
        may_answer: a stranger's answer leads nowhere.
    """

    address: str
    message_id: str | None
    may_answer: bool = True


class Replies:
    """Writes and tells the notes of one connection."""

    def __init__(
        self,
        *,
        register: Register,
        notes: Notes,
        questions: Questions,
        sender: Sender,
        clock: Clock,
        connection: str,
    ) -> None:
        self._register = register
        self._questions = questions
        self._notes = notes
        self._sender = sender
        self._clock = clock
        self._connection = connection

    async def write(
        self, about: Correspondence, to: Addressee, written: Written, *, why: Why, cause: str, said: str = ""
    ) -> bool:
        """Leave a note for somebody who wrote about a question; False if nothing new is told.

        Args:
            cause: what it is told for: the same cause is answered once.
            said: what the person wrote, which their next mail may quote.
        """
        note_id = "mail:" + hashlib.sha256(f"{why}\0{about.token}\0{to.address}\0{cause}".encode()).hexdigest()[:40]
        planned = await self._planned(about, to, note_id, (said, written.text) if to.may_answer else ())
        if planned is None:
            _log.warning("mail.not-answered", session_id=about.session_id, why=why, reason="too many mails an hour")
            return False
        return await self._write(about, to, written, note_id=note_id, kind=why, at_ms=planned.replies[note_id])

    async def write_number(self, about: Correspondence, written: Written, *, number: str) -> bool:
        """Send the number that confirms an answer on the page to whom the question was sent; False if too many were sent."""
        if await self._is_full(about.recipient):
            return False
        await self._register.change(about.token, lambda known: known.with_text(written.text))
        digest = hashlib.sha256(f"number\0{about.token}\0{number}".encode()).hexdigest()
        to = Addressee(address=about.recipient, message_id=None)
        at_ms = self._clock.now_ms()
        await self._write(about, to, written, note_id=f"mail:{digest[:40]}", kind="number", at_ms=at_ms)
        return True

    async def _write(
        self, about: Correspondence, to: Addressee, written: Written, *, note_id: str, kind: str, at_ms: int
    ) -> bool:
        """Leave a note in the thread of a question."""
        number = _FIRST_NUMBER + int.from_bytes(hashlib.sha256(note_id.encode()).digest()[:6], "big") % _NUMBERS
        references = [*about.references, self._register.message_id(about.token)]
        if to.message_id is not None and _is_plain_id(to.message_id):
            references.append(f"<{to.message_id}>")
        body: dict[str, JsonValue] = {
            "recipient": to.address,
            "reply_to": self._answers_to(about) if to.may_answer else self._sender.address,
            "subject": about.subject,
            "message_id": self._register.message_id(about.token, number),
            "references": references,
            "at_ms": at_ms,
            "text": written.text,
            "html": written.html,
        }
        note = Note(
            note_id=note_id,
            channel=self._connection,
            kind=kind,
            body=body,
            addressee=to.address,
            tenant=about.tenant,
            session_id=about.session_id,
            pause_id=about.pause_id,
        )
        return await self._notes.write(note, delay_ms=max(0, at_ms - self._clock.now_ms()))

    async def write_unasked(self, to: Addressee, written: Written, *, subject: str) -> bool:
        """Leave a note, at most one a day, for somebody whose mail belongs to no question that is known.

        Args:
            subject: of that mail.
        """
        day = self._clock.now_ms() // _DAY_MS
        digest = hashlib.sha256(f"unasked\0{to.address}\0{day}".encode()).hexdigest()
        if await self._is_full(to.address):
            _log.warning("mail.not-answered", why="unasked", reason="too many mails an hour")
            return False
        is_known = to.message_id is not None and _is_plain_id(to.message_id)
        body: dict[str, JsonValue] = {
            "recipient": to.address,
            "reply_to": self._sender.address,
            "subject": subject.removeprefix("Re: ").removeprefix("RE: "),
            "message_id": f"<n.{digest[:40]}@{self._register.domain}>",
            "references": [f"<{to.message_id}>"] if is_known else [],
            "at_ms": self._clock.now_ms(),
            "text": written.text,
            "html": written.html,
        }
        note_id = f"mail:{digest[:40]}"
        return await self._notes.write(
            Note(note_id=note_id, channel=self._connection, kind="unasked", body=body, addressee=to.address)
        )

    async def tell(self, note: Note) -> None:
        """Send a note; one that asks for an answer is left out if its question has closed while it waited.

        Raises:
            ChannelError: as ``SmtpSender.send``.
        """
        if note.kind in ("again", "number") and not await self._is_open(note):
            _log.info("mail.not-asked-again", session_id=note.session_id, reason="closed meanwhile")
            return
        body = cast("dict[str, Any]", note.body)
        if note.kind == "number" and self._clock.now_ms() - body["at_ms"] > _NUMBER_LIFE_MS:
            _log.warning("mail.number-too-old", session_id=note.session_id)
            return
        letter = Letter(
            sender=self._sender.address,
            sender_name=self._sender.name,
            recipient=body["recipient"],
            reply_to=body["reply_to"],
            subject=f"Re: {body['subject']}",
            message_id=body["message_id"],
            references=tuple(body["references"]),
            at_ms=body["at_ms"],
            text=body["text"],
            html=body["html"],
            auto_submitted="auto-replied",
        )
        await self._sender.send(composed(letter), sender=body["reply_to"], recipient=letter.recipient)

    async def _planned(
        self, about: Correspondence, to: Addressee, note_id: str, texts: Sequence[str]
    ) -> Correspondence | None:
        """The correspondence with the time at which the note may go out; None if it is one too many."""
        is_full = await self._is_full(to.address)

        def plan(known: Correspondence) -> Correspondence:
            for text in texts:
                known = known.with_text(text) if text else known
            now_ms = self._clock.now_ms()
            if note_id in known.replies or is_full or any(at_ms > now_ms for at_ms in known.replies.values()):
                return known
            return replace(known, replies={**known.replies, note_id: _free_at(known, now_ms)})

        planned = await self._register.change(about.token, plan)
        return planned if planned is not None and note_id in planned.replies else None

    async def _is_full(self, address: str) -> bool:
        return await self._notes.count_to(self._connection, address, within_ms=HOUR_MS) >= _MOST_TO_AN_ADDRESS

    async def _is_open(self, note: Note) -> bool:
        asked = await self._questions.find(tenant=note.tenant, pause_id=note.pause_id or "")
        return asked is not None and asked.is_open

    def _answers_to(self, about: Correspondence) -> str:
        return reply_address(self._sender.address, about.token, separator=self._sender.separator)


def _free_at(known: Correspondence, now_ms: int) -> int:
    """When one more mail may go out about a question."""
    last = sorted((known.created_at_ms, *known.replies.values()))[-_MOST_ABOUT_A_QUESTION:]
    return now_ms if len(last) < _MOST_ABOUT_A_QUESTION else max(now_ms, last[0] + HOUR_MS)


def _is_plain_id(message_id: str) -> bool:
    """Whether a stranger's Message-ID may stand in a header of ours."""
    return (
        len(message_id) <= _LONGEST_ID and message_id.isascii() and message_id.isprintable() and " " not in message_id
    )
