"""What becomes of a mail that arrived: one way for IMAP and LMTP, from its bytes to an answer, a note, or the quarantine.

    size -> which question -> is it a person's -> who -> the new text -> the common way in for answers
            none -> is it a person's, and proven -> the triggers that wait for it

Whatever is durable about a mail is committed when ``receive`` returns; only then may it be marked as seen, or its server be told
that we have it. A store that is busy raises, and the mail comes again. A mail that comes again changes nothing: answers
are known by the mail they came in, notes by their cause, what is kept for operators by its mail.

What a person who may answer wrote always leads to something for them: the question closes, or they are asked again, or told
that it was closed before, or that nobody can tell which one it is. Whoever may not is told nothing, and a program never;
operators find both in the quarantine.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import structlog

from ...actors.answers import ChannelCredential, Received, Reply
from ...actors.errors import (
    BudgetExceededError,
    EffectConflictError,
    PauseAlreadyVotedError,
    PauseInvalidAnswerError,
    PauseInvalidDecisionError,
    PauseNoReplyInterpreterError,
    PauseNotOwnerError,
    PauseNotPendingError,
    PauseUninterpretableReplyError,
    PauseUnknownError,
    PauseWrongAnswererError,
    PiiRefusedError,
)
from ...actors.failures import text_of
from ...actors.jsontext import to_json
from ...actors.moments import to_the_minute
from ...actors.questions import AskedQuestion
from ...actors.reception import Reception
from ...store.errors import StoreError
from ...store.rows import QuarantineRow
from ..sentences import as_sentence
from .addresses import domain_of, without_subaddress
from .bounded import AT_ONCE, question_in_bounded, read_mail_bounded
from .correspondence import Correspondence, Register, Standing
from .objections import TOO_LARGE, objection_to
from .people import is_one_of
from .replying import Addressee, Replies
from .results import MailClass, MailReadingResult
from .settings import MailReading
from .writing import not_understood, plainly, told

_KEPT_BYTES = 128 * 1024
"""Of a mail in the quarantine; of a larger one its beginning is kept."""
_LONGEST_SUBJECT = 300

_log = structlog.get_logger("overwinter.mail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """A mail as it came.

    Attributes:
        envelope: the addresses it was delivered to, where whoever handed it over knows them.
        is_whole: False if ``raw`` is only its head, because it is larger than what is read.
    """

    raw: bytes
    envelope: tuple[str, ...] = ()
    is_whole: bool = True


class Handled(StrEnum):
    """What became of a mail."""

    ANSWERED = "answered"
    REPEATED = "repeated"
    """It had answered before, and came again."""
    ASKED_AGAIN = "asked_again"
    TOLD = "told"
    """The question was closed, or this person's answer stands: they are told so."""
    FIRED = "fired"
    """It is about no question, and a trigger waited for such a mail."""
    IGNORED = "ignored"
    """Our own mail come back."""
    QUARANTINED = "quarantined"


class Receiver:
    """Takes in the mails of one connection.

    Args:
        reading: how mail is read, without answerers.
        tenant: the one whose triggers mails may set off.
        answerers_of: who may answer by a declared channel; None for one that is not declared here any more.
        answerers: who may answer by any.
    """

    def __init__(
        self,
        *,
        reception: Reception,
        register: Register,
        replies: Replies,
        reading: MailReading,
        connection: str,
        tenant: str,
        answerers_of: Callable[[str], Sequence[str] | None],
        answerers: Callable[[], Sequence[str]],
    ) -> None:
        self._reception = reception
        self._register = register
        self._replies = replies
        self._reading = reading
        self._connection = connection
        self._tenant = tenant
        self._answerers_of = answerers_of
        self._answerers = answerers
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def receive(self, mail: Arrived) -> Handled:
        """Make of a mail what it is.

        Raises:
            StoreError: nothing is known to be recorded; offer the mail again.
        """
        try:
            return await self._receive(mail)
        except StoreError:
            raise
        except Exception as error:  # one mail, or the code of one author: it must neither stop the others nor be lost
            _log.error("mail.crashed", error=text_of(error), exc_info=error)
            return await self._keep_unread(mail, f"could not be taken in: {type(error).__name__}")

    async def _receive(self, mail: Arrived) -> Handled:
        token = await question_in_bounded(mail.raw, settings=self._reading, slots=self._slots, envelope=mail.envelope)
        about = None if token is None else await self._register.find(token)
        answerers = self._answerers() if about is None else self._answerers_of(about.channel)
        reading = replace(self._reading, answerers=tuple(answerers or ()))
        originals = () if about is None else about.texts
        result = await read_mail_bounded(
            mail.raw, settings=reading, slots=self._slots, envelope=mail.envelope, originals=originals
        )
        if result.mail_class is MailClass.OWN_MAIL:
            return Handled.IGNORED
        if about is None and token is None and mail.is_whole and await self._sets_off(result):
            return Handled.FIRED
        if about is None:
            return await self._astray(mail, result, token)
        if answerers is None:
            return await self._keep(mail, result, about, "channel not deployed")
        if result.is_automatic:
            return await self._automatic(mail, result, about)
        if result.mail_class is MailClass.UNAUTHENTICATED:
            return await self._keep(mail, result, about, "sender not authenticated")
        if not result.sender_allowed:
            return await self._refused(mail, result, about)
        if not mail.is_whole or result.mail_class is MailClass.OVERSIZE:
            return await self._too_large(mail, result, about)
        return await self._of_answerer(mail, result, about)

    # -- about no question ---------------------------------------------------------------------------------------------
    async def _sets_off(self, result: MailReadingResult) -> bool:
        """Fire the triggers that wait for such a mail; one that a person wrote, and whose sender is proven."""
        if result.mail_class not in (MailClass.HUMAN_REPLY, MailClass.EMPTY) or result.sender is None:
            return False
        fired = await self._reception.triggers.message(
            tenant=self._tenant,
            channel=self._connection,
            place=self._reading.reply_address,
            external_id=result.dedupe_key,
            text=f"{result.subject}\n\n{result.text}".strip(),
            sender=result.sender,
        )
        return bool(fired)

    # -- who may answer -----------------------------------------------------------------------------------------------
    async def _of_answerer(self, mail: Arrived, result: MailReadingResult, about: Correspondence) -> Handled:
        assert result.sender is not None
        answerer = self._answerer(result.sender, about)
        asked = await self._reception.questions.find(tenant=about.tenant, pause_id=about.pause_id)
        if asked is None:
            return await self._astray(mail, result, about.token)
        if result.question_stays_open and not asked.is_open:
            return await self._late(mail, result, about, asked)
        if result.question_stays_open:
            return await self._ask_again(result, about, asked, objection_to(result))
        try:
            answered = await self._reception.answering.answer(
                tenant=about.tenant,
                pause_id=about.pause_id,
                answer=Reply(text=result.text),
                credential=ChannelCredential(answered_by=answerer, channel=about.channel),
                received=Received(channel=self._connection, external_id=result.dedupe_key),
            )
        except PauseUninterpretableReplyError as error:
            so_far = "" if error.so_far is None else f" I understood: {error.so_far}"
            return await self._ask_again(result, about, asked, f"{as_sentence(str(error))}{so_far}")
        except (PauseInvalidAnswerError, PauseInvalidDecisionError) as error:
            return await self._ask_again(result, about, asked, as_sentence(str(error)))
        except (BudgetExceededError, PiiRefusedError, PauseNoReplyInterpreterError) as error:
            await self._keep(mail, result, about, error.code)
            return await self._ask_again(result, about, asked, _UNREAD)
        except PauseAlreadyVotedError as error:
            return await self._tell(result, about, asked, as_sentence(str(error)))
        except PauseNotPendingError:
            closed = await self._reception.questions.find(tenant=about.tenant, pause_id=about.pause_id)
            return await self._late(mail, result, about, closed or asked)
        except PauseWrongAnswererError as error:
            await self._keep(mail, result, about, error.code)
            return await self._tell(result, about, asked, as_sentence(str(error)))
        except PauseUnknownError:
            return await self._astray(mail, result, about.token)
        except (EffectConflictError, PauseNotOwnerError) as error:
            return await self._keep(mail, result, about, error.code)
        if answered.is_duplicate:
            _log.info("mail.repeated", session_id=about.session_id)
            return Handled.REPEATED
        await self._register.change(about.token, lambda known: known.with_text(result.text))
        _log.info("mail.answered", session_id=about.session_id, by=answered.by)
        return Handled.ANSWERED

    async def _too_large(self, mail: Arrived, result: MailReadingResult, about: Correspondence) -> Handled:
        """Nobody reads it, whatever it says; who sent it is told so."""
        await self._keep(mail, result, about, "oversize")
        asked = await self._reception.questions.find(tenant=about.tenant, pause_id=about.pause_id)
        if asked is None or not asked.is_open:
            return Handled.QUARANTINED
        return await self._ask_again(replace(result, text="", doubts=()), about, asked, TOO_LARGE)

    async def _ask_again(
        self, result: MailReadingResult, about: Correspondence, asked: AskedQuestion, why: str
    ) -> Handled:
        doubts = [doubt.value for doubt in result.doubts]
        _log.info("mail.not-understood", session_id=about.session_id, mail=result.mail_class.value, doubts=doubts)
        written = not_understood(asked.ask, read=result.text, why=why)
        await self._replies.write(
            about, _writer_of(result), written, why="again", cause=result.dedupe_key, said=result.text
        )
        return Handled.ASKED_AGAIN

    async def _late(
        self, mail: Arrived, result: MailReadingResult, about: Correspondence, asked: AskedQuestion
    ) -> Handled:
        """Said once to each person; whatever else they write about a closed question is for the operators."""
        _log.warning("mail.late", session_id=about.session_id, resolution=asked.resolution)
        await self._keep(mail, result, about, "question closed")
        when = "" if asked.resolved_at_ms is None else f", {to_the_minute(asked.resolved_at_ms)}"
        ended = f"{asked.summary or 'It is closed'}{when}"
        what = f"Thank you, but this question was closed before your answer came: {ended}. Your mail changes nothing."
        await self._replies.write(
            about, _writer_of(result), told(asked.ask, what=what), why="late", cause="", said=result.text
        )
        return Handled.TOLD

    async def _tell(self, result: MailReadingResult, about: Correspondence, asked: AskedQuestion, what: str) -> Handled:
        await self._replies.write(
            about, _writer_of(result), told(asked.ask, what=what), why="told", cause=what, said=result.text
        )
        return Handled.TOLD

    # -- about what ---------------------------------------------------------------------------------------------------
    async def _astray(self, mail: Arrived, result: MailReadingResult, token: str | None) -> Handled:
        """A mail about a question that is not known: over for longer than is kept, of another service, or none at all."""
        none = "no question" if mail.is_whole else "oversize"  # it may stand in what was not read
        await self._keep(mail, result, None, none if token is None else "unknown question")
        if result.sender_allowed and not result.is_automatic:
            await self._replies.write_unasked(
                _writer_of(result), plainly(_NO_QUESTION if token is None else _OVER), subject=result.subject
            )
        return Handled.QUARANTINED

    # -- who may not --------------------------------------------------------------------------------------------------
    async def _refused(self, mail: Arrived, result: MailReadingResult, about: Correspondence) -> Handled:
        """A stranger learns nothing. A colleague, to whom the question was handed on, is told once whose it is to answer."""
        await self._keep(mail, result, about, "not an answerer")
        answerers = self._answerers_of(about.channel) or ()
        if result.sender is not None and domain_of(result.sender) in map(domain_of, answerers):
            addressee = replace(_writer_of(result), may_answer=False)
            await self._replies.write(about, addressee, plainly(_NOT_YOURS), why="stranger", cause="")
        return Handled.QUARANTINED

    async def _automatic(self, mail: Arrived, result: MailReadingResult, about: Correspondence) -> Handled:
        """Never answered; operators may want to know that somebody is away, and must know that a question came back."""
        failed = result.failed_delivery
        if result.mail_class is not MailClass.BOUNCE or failed is None or not failed.is_permanent:
            return await self._keep(mail, result, about, result.mail_class.value)
        _log.error("mail.bounced", session_id=about.session_id, channel=about.channel, status=failed.status)
        if failed.recipient in (None, about.recipient):
            await self._came_back(about, failed.status)
        return await self._keep(mail, result, about, "question bounced")

    async def _came_back(self, about: Correspondence, status: str) -> None:
        """Somebody never got the question. If nobody else of their channel has it either, it is not waited for."""
        await self._register.change(about.token, lambda known: replace(known, standing=Standing.REFUSED))
        others = await self._register.of_question(about.pause_id, channel=about.channel)
        if all(each.standing is Standing.REFUSED for each in others):
            reason = f"the question came back from {about.recipient}{f' ({status})' if status else ''}: nobody has it"
            await self._reception.answering.returned(
                tenant=about.tenant, pause_id=about.pause_id, channel=about.channel, reason=reason
            )

    async def _keep(
        self, mail: Arrived, result: MailReadingResult, about: Correspondence | None, reason: str
    ) -> Handled:
        """Put a mail aside for the operators, once."""
        forged = result.is_forgery_suspected
        (_log.warning if forged else _log.info)(
            "mail.quarantined",
            session_id=None if about is None else about.session_id,
            reason=reason,
            mail=result.mail_class.value,
            security_event="sender_not_authenticated" if forged else None,
        )
        await self._reception.quarantine.keep(
            QuarantineRow(
                quarantine_id=self._quarantine_id(result.dedupe_key),
                channel=self._connection,
                reason=reason,
                kind=result.mail_class.value,
                sender=result.sender,
                subject=result.subject[:_LONGEST_SUBJECT],
                session_id=None if about is None else about.session_id,
                why_json=to_json([{"step": each.step, "found": each.found, "why": each.reason} for each in result.why]),
                envelope_json=to_json(list(mail.envelope)),
                raw=mail.raw[:_KEPT_BYTES],
                is_whole=mail.is_whole and len(mail.raw) <= _KEPT_BYTES,
                received_at_ms=self._reception.clock.now_ms(),
            )
        )
        return Handled.QUARANTINED

    async def _keep_unread(self, mail: Arrived, reason: str) -> Handled:
        """Put a mail aside of which nothing is known but its bytes."""
        await self._reception.quarantine.keep(
            QuarantineRow(
                quarantine_id=self._quarantine_id(hashlib.sha256(mail.raw).hexdigest()),
                channel=self._connection,
                reason=reason,
                kind="unknown",
                sender=None,
                subject="",
                session_id=None,
                why_json="[]",
                envelope_json=to_json(list(mail.envelope)),
                raw=mail.raw[:_KEPT_BYTES],
                is_whole=mail.is_whole and len(mail.raw) <= _KEPT_BYTES,
                received_at_ms=self._reception.clock.now_ms(),
            )
        )
        return Handled.QUARANTINED

    def _answerer(self, sender: str, about: Correspondence) -> str:
        """The sender by the address that they are known by, so that one person is never two by a subaddress."""
        answerers = self._answerers_of(about.channel) or ()
        return sender if is_one_of(sender, answerers) else without_subaddress(sender)

    def _quarantine_id(self, key: str) -> str:
        return f"q{hashlib.sha256(f'{self._connection} {key}'.encode()).hexdigest()[:24]}"


_UNREAD = "It could not be read just now. An operator has been told; please answer on the page, or later."
_OVER = (
    "Thank you, but the question that your mail answers is not open here any more. It was closed some time ago, or asked by a "
    "service that was set up anew. Your mail changes nothing."
)
_NO_QUESTION = (
    "Thank you, but it cannot be told which question your mail answers. Please reply to the mail that asks it, to the address "
    "which that reply goes to by itself. Your mail changes nothing."
)
_NOT_YOURS = (
    "Thank you. Only the people to whom this question was sent may answer it, so your mail was not taken as an answer."
)


def _writer_of(result: MailReadingResult) -> Addressee:
    return Addressee(address=result.sender or "", message_id=result.message_id)
