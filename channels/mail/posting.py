"""The channel itself: puts a question to each of its people by a mail of their own, and says how it ended.

Which mails are out is written down one by one. After a crash only those are sent again of which nobody knows, and under the
Message-ID that they had; so is a question that reached some and not yet others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import structlog

from ...actors.asks import Ask, AwaitReply, Outcome, Progress, Relief, Reminder, Withdrawal
from ...actors.clock import Clock
from ...actors.errors import ChannelRejectedError, ChannelUnreachableError
from .correspondence import CLOSING, RELIEF, REMINDER, Correspondence, Register, Standing
from .letters import Letter, composed
from .tokens import reply_address
from .writing import Written, closing, question, relieving, reminding, subject_of_session

_log = structlog.get_logger("overwinter.mail")

_PATIENCE_MS = 30 * 60_000
"""How long somebody who cannot be reached is tried while others have the question; then it is asked of those alone."""

Send = Callable[..., Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Whose mails they are, and how they go out.

    Attributes:
        send: ``SmtpSender.send``.
        address: where answers go, without a token; mails come from there.
        page_of: the address of the page for a token; None where there is no page.
    """

    send: Send
    address: str
    name: str
    separator: str
    page_of: Callable[[str], str] | None = None

    async def deliver(
        self,
        each: Correspondence,
        written: Written,
        *,
        message_id: str,
        references: Sequence[str],
        at_ms: int,
        is_reply: bool = False,
    ) -> None:
        """Send one mail of a correspondence.

        Raises:
            ChannelError: as ``SmtpSender.send``.
        """
        answers_to = reply_address(self.address, each.token, separator=self.separator)
        letter = Letter(
            sender=self.address,
            sender_name=self.name,
            recipient=each.recipient,
            reply_to=answers_to,
            subject=f"Re: {each.subject}" if references else each.subject,
            message_id=message_id,
            references=tuple(references),
            at_ms=at_ms,
            text=written.text,
            html=written.html,
            attachment=written.attachment,
            auto_submitted="auto-replied" if is_reply else "auto-generated",
        )
        # A bounce goes where the answer would: so it is known whose question never arrived.
        await self.send(composed(letter), sender=answers_to, recipient=each.recipient)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a channel works with."""

    register: Register
    sender: Sender
    clock: Clock


class MailPosts:
    """One declared channel, bound to its connection.

    Args:
        desk: of the connection, which is opened after its channels are made.
    """

    def __init__(self, *, name: str, answerers: Sequence[str], desk: Callable[[], Desk]) -> None:
        self.name = name
        self.answerers = tuple(answerers)
        self._desk = desk

    @property
    def _register(self) -> Register:
        return self._desk().register

    @property
    def _sender(self) -> Sender:
        return self._desk().sender

    async def send(self, ask: Ask) -> Outcome:
        """Mail the question to everybody who does not have it yet.

        Raises:
            ChannelUnreachableError: (channel.unreachable) somebody does not have it yet and may get it later.
            ChannelRejectedError: (channel.rejected) nobody can ever be reached.
        """
        opened = [await self._open(ask, each) for each in self.answerers]
        waiting = [each for each in opened if each.standing is Standing.UNSENT]
        results = await asyncio.gather(*(self._ask(ask, each) for each in waiting), return_exceptions=True)
        unreached: list[ChannelUnreachableError] = []
        refusals: list[ChannelRejectedError] = []
        for each, result in zip(waiting, results, strict=True):
            match result:
                case None:
                    pass
                case ChannelUnreachableError():
                    unreached.append(result)
                case ChannelRejectedError():
                    refusals.append(result)
                    _log.error("mail.refused", channel=self.name, recipient=each.recipient, error=str(result))
                    await self._register.change(each.token, _refused)
                case BaseException():
                    raise result
        have_it = len(opened) - len(unreached) - len(refusals)
        have_it -= sum(each.standing is Standing.REFUSED for each in opened)
        if unreached and not (have_it and self._is_out_of_patience(opened)):
            raise unreached[0]
        if unreached:
            _log.error("mail.given-up", channel=self.name, people=len(unreached), error=str(unreached[0]))
        if not have_it:
            raise refusals[0] if refusals else ChannelRejectedError(f"nobody of {self.name} can be reached by mail")
        return AwaitReply()

    async def update(self, progress: Progress) -> None:
        """Nothing: a mail cannot be changed, and one for every vote would bury the question. The last one tells it all."""

    async def remind(self, reminder: Reminder) -> None:
        """Say once more that the question waits, to everybody who was not told so by this reminder.

        Raises:
            ChannelError: not everybody could be told.
        """
        written = reminding(reminder)
        await self._follow_up(reminder.ask, written, number=REMINDER + reminder.number)

    async def relieve(self, relief: Relief) -> None:
        """Say that others are asked now, to everybody who has the question.

        Raises:
            ChannelError: not everybody could be told.
        """
        await self._follow_up(relief.ask, relieving(relief), number=RELIEF)

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        """Say how the question ended, to everybody who has it.

        Raises:
            ChannelError: not everybody could be told.
        """
        await self._follow_up(withdrawal.ask, closing(withdrawal), number=CLOSING)

    async def _follow_up(self, ask: Ask, written: Written, *, number: int) -> None:
        """Send one more mail to everybody who has the question and not this mail."""
        asked = await self._register.of_question(ask.pause_id, channel=self.name)
        untold = [each for each in asked if each.standing is Standing.SENT and number not in each.told]
        sending = (self._tell(each, written, number) for each in untold)
        failed = [
            result
            for result in await asyncio.gather(*sending, return_exceptions=True)
            if isinstance(result, BaseException)
        ]
        # What may pass comes first: then it is tried again, and those who were told are not told twice.
        for error in sorted(failed, key=lambda each: not isinstance(each, ChannelUnreachableError)):
            raise error

    async def _open(self, ask: Ask, recipient: str) -> Correspondence:
        return await self._register.open(
            ask,
            recipient=recipient,
            channel=self.name,
            subject=subject_of_session(ask),
            text=lambda token: self._question(ask, token).text,
        )

    def _question(self, ask: Ask, token: str) -> Written:
        return question(ask, page=None if self._sender.page_of is None else self._sender.page_of(token))

    async def _ask(self, ask: Ask, each: Correspondence) -> None:
        written = self._question(ask, each.token)
        await self._sender.deliver(
            each,
            written,
            message_id=self._register.message_id(each.token),
            references=each.references,
            at_ms=ask.asked_at_ms,
        )
        await self._register.change(each.token, lambda known: _sent(known, written.text))

    async def _tell(self, each: Correspondence, written: Written, number: int) -> None:
        asked_in = self._register.message_id(each.token)
        await self._sender.deliver(
            each,
            written,
            message_id=self._register.message_id(each.token, number),
            references=(*each.references, asked_in),
            at_ms=self._desk().clock.now_ms(),
        )
        await self._register.change(
            each.token, lambda known: replace(known.with_text(written.text), told=known.told | {number})
        )

    def _is_out_of_patience(self, opened: Sequence[Correspondence]) -> bool:
        return self._desk().clock.now_ms() - min(each.created_at_ms for each in opened) >= _PATIENCE_MS


def _sent(known: Correspondence, text: str) -> Correspondence:
    """What went out last is what stands in the thread, should the code have changed since it was opened."""
    return replace(known, standing=Standing.SENT, texts=(text, *known.texts[1:]))


def _refused(known: Correspondence) -> Correspondence:
    return replace(known, standing=Standing.REFUSED)
