"""The way to people's mailboxes and back: one account of ours, with its servers, that all mail channels share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import structlog

from ...actors.errors import ChannelUnreachableError
from ...actors.jsontext import from_json
from ...actors.notes import Note
from ...actors.reception import DeclaredChannel, Reception
from ...store.errors import StoreError
from .channel import CONNECTION, MailChannel
from .correspondence import Correspondence, Register
from .imap import ImapReader
from .lmtp import listening
from .mailbox import Fetched
from .posting import Desk, MailPosts, Sender
from .receiving import Arrived, Handled, Receiver
from .replying import Replies
from .servers import ImapServer, LmtpListener, SmtpServer
from .settings import MailReading
from .smtp import SmtpSender
from .tokens import is_own_address
from .writing import confirming

_SWEEP_EVERY_MS = 3_600_000
_LISTEN_AGAIN_MS = 15_000
_KEPT_MS = 30 * 24 * 3_600_000
_MOST_KEPT = 2_000
"""Mails in the quarantine; beyond them the oldest go, or a flood would fill the disk."""

_log = structlog.get_logger("overwinter.mail")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailSettings:
    """What an operator gives.

    Attributes:
        reading: how mail is read, without answerers.
        keys: for reply tokens, each of at least 32 bytes: the present one, then those whose mails may still be answered.
        smtp, imap, lmtp: the servers; without ``smtp`` nothing can be asked, and one of the others takes the answers.
        page_of: the address of the page on which the question of a token can be answered; None where there is no page.
    """

    reading: MailReading
    keys: tuple[bytes, ...]
    smtp: SmtpServer | None
    imap: ImapServer | None = None
    lmtp: LmtpListener | None = None
    page_of: Callable[[str], str] | None = None


class MailConnection:
    """Sends questions and notes, and takes in what people answer.

    Args:
        tenant: the one whose triggers a mail may set off that is about no question.
    """

    def __init__(self, settings: MailSettings, *, name: str = CONNECTION, tenant: str = "default") -> None:
        self.name = name
        self._tenant = tenant
        self._settings = settings
        self._answerers: dict[str, tuple[str, ...]] = {}
        self._office: _Office | None = None
        self._smtp = None if settings.smtp is None else SmtpSender(settings.smtp)

    # -- the connection of a runtime ----------------------------------------------------------------------------------
    def open(self, reception: Reception) -> None:
        settings = self._settings
        register = Register(
            anchors=reception.anchors,
            clock=reception.clock,
            connection=self.name,
            keys=settings.keys,
            domain=settings.reading.domain,
        )
        sender = Sender(
            send=self._send,
            address=settings.reading.reply_address,
            name=settings.reading.display_name,
            separator=settings.reading.separator,
            page_of=settings.page_of,
        )
        replies = Replies(
            register=register,
            notes=reception.notes,
            questions=reception.questions,
            sender=sender,
            clock=reception.clock,
            connection=self.name,
        )
        receiver = Receiver(
            reception=reception,
            register=register,
            replies=replies,
            reading=settings.reading,
            connection=self.name,
            tenant=self._tenant,
            answerers_of=self._answerers.get,
            answerers=lambda: tuple({each for people in self._answerers.values() for each in people}),
        )
        desk = Desk(register=register, sender=sender, clock=reception.clock)
        self._office = _Office(reception=reception, register=register, desk=desk, replies=replies, receiver=receiver)

    def channel_for(self, declared: DeclaredChannel) -> MailPosts:
        if not isinstance(declared, MailChannel):
            raise ValueError(f"{type(declared).__name__} is no MailChannel, and nothing else goes by mail")
        if self._settings.smtp is None:
            raise ValueError("no server sends mail; give the service its table [mail.smtp]")
        if not self._settings.keys:
            raise ValueError("no key makes tokens for the reply addresses; set token_keys in [mail]")
        self._answerers[declared.name] = declared.answerers
        return MailPosts(name=declared.name, answerers=declared.answerers, desk=lambda: self._opened.desk)

    async def tell(self, note: Note) -> None:
        await self._opened.replies.tell(note)

    async def run(self) -> None:
        """Take in mails by what is configured, until it is cancelled."""
        async with asyncio.TaskGroup() as group:
            if self._settings.imap is not None:
                group.create_task(self._read(self._settings.imap), name="imap")
            if self._settings.lmtp is not None:
                group.create_task(self._listen(self._settings.lmtp), name="lmtp")
            group.create_task(self._sweep(), name="quarantine")

    async def receive(self, mail: Arrived) -> Handled:
        """Take in one mail, however it came.

        Raises:
            StoreError: it is not recorded; offer it again.
        """
        return await self._opened.receiver.receive(mail)

    async def release(self, quarantine_id: str) -> Handled | None:
        """Take in a mail of the quarantine once more, as if it came now: it passes the same checks. None if it is not there.

        It leaves the quarantine unless it leads nowhere again.

        Raises:
            StoreError: nothing is known to be recorded.
        """
        quarantine = self._opened.reception.quarantine
        row = await quarantine.find(quarantine_id)
        if row is None or row.channel != self.name:
            return None
        envelope = tuple(from_json(row.envelope_json))
        handled = await self.receive(Arrived(raw=row.raw, envelope=envelope, is_whole=row.is_whole))
        if handled is not Handled.QUARANTINED:
            await quarantine.drop(quarantine_id)
        return handled

    async def asked(self, token: str) -> Correspondence | None:
        """Whom a token was sent to, and what they were asked; None if they are no answerer any more, or nobody was."""
        about = await self._opened.register.find(token)
        answerers = () if about is None else self._answerers.get(about.channel, ())
        return about if about is not None and about.recipient in answerers else None

    async def send_number(self, token: str, number: str, *, shown: str) -> bool:
        """Mail the number that confirms an answer to whom a token was sent; False if too many were sent lately, or to nobody."""
        about = await self.asked(token)
        questions = self._opened.reception.questions
        asked = None if about is None else await questions.find(tenant=about.tenant, pause_id=about.pause_id)
        if about is None or asked is None:
            return False
        written = confirming(asked.ask, number=number, shown=shown)
        return await self._opened.replies.write_number(about, written, number=number)

    # -- what it is made of -------------------------------------------------------------------------------------------
    @property
    def _opened(self) -> _Office:
        if self._office is None:
            raise RuntimeError("the connection is not open; give it to a runtime")
        return self._office

    async def _send(self, message: bytes, *, sender: str, recipient: str) -> None:
        if self._smtp is None:
            raise ChannelUnreachableError("no server sends mail here; set [mail.smtp]")
        await self._smtp.send(message, sender=sender, recipient=recipient)

    async def _read(self, server: ImapServer) -> None:
        reception = self._opened.reception

        async def take(fetched: Fetched) -> None:
            await self.receive(Arrived(raw=fetched.raw, is_whole=fetched.is_whole))

        await ImapReader(
            server=server,
            take=take,
            anchors=reception.anchors,
            clock=reception.clock,
            connection=self.name,
            most_bytes=self._settings.reading.limits.message_bytes,
        ).run()

    async def _listen(self, listener: LmtpListener) -> None:
        async def take(raw: bytes, recipient: str) -> None:
            await self.receive(Arrived(raw=raw, envelope=(recipient,)))

        reading, clock = self._settings.reading, self._opened.reception.clock
        while True:
            try:
                async with listening(
                    host=listener.host,
                    port=listener.port,
                    hostname=reading.domain,
                    most_bytes=reading.limits.message_bytes,
                    take=take,
                    is_ours=partial(is_own_address, reply_to=reading.reply_address, separator=reading.separator),
                ):
                    _log.info("mail.lmtp-listening", host=listener.host, port=listener.port)
                    await asyncio.Event().wait()
            except OSError as error:
                # Another process has the port, as when one takes over from another: what comes by IMAP is read meanwhile.
                _log.error("mail.lmtp-not-listening", host=listener.host, port=listener.port, error=str(error))
            await clock.sleep_until_ms(clock.now_ms() + _LISTEN_AGAIN_MS)

    async def _sweep(self) -> None:
        """Forget what has lain in the quarantine for long, once an hour."""
        reception = self._opened.reception
        while True:
            now_ms = reception.clock.now_ms()
            try:
                gone = await reception.quarantine.sweep(self.name, before_ms=now_ms - _KEPT_MS, most=_MOST_KEPT)
                if gone:
                    _log.info("mail.quarantine-swept", mails=gone)
            except StoreError as error:
                if not error.retryable:
                    raise
            await reception.clock.sleep_until_ms(now_ms + _SWEEP_EVERY_MS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Office:
    """What is made of a reception."""

    reception: Reception
    register: Register
    desk: Desk
    replies: Replies
    receiver: Receiver
