"""An SMTP server that keeps what it is given, and refuses what it is told to: real sockets, in the test's own loop."""

from __future__ import annotations

import asyncio
import email
import email.policy
import ssl
import warnings
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import EmailMessage

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from overwinter.channels.mail.servers import SmtpServer, Tls


@dataclass(frozen=True)
class Mailed:
    """One mail as the server took it."""

    sender: str
    recipient: str
    raw: bytes
    is_encrypted: bool

    @property
    def message(self) -> EmailMessage:
        return email.message_from_bytes(self.raw, policy=email.policy.default)

    @property
    def text(self) -> str:
        part = self.message.get_body(("plain",))
        assert part is not None
        return part.get_content().replace("\r\n", "\n")

    @property
    def html(self) -> str:
        part = self.message.get_body(("html",))
        assert part is not None
        return part.get_content().replace("\r\n", "\n")

    def header(self, name: str) -> str:
        return str(self.message[name] or "")


class SmtpFake:
    """What the server has, and how it answers.

    Attributes:
        mails: every mail taken, in order.
        refusals: by recipient, what is answered to RCPT, as ``550 5.1.1 no such user``.
        data_answers: what the next mails are answered, before they are taken; ``""`` takes one and hangs up without a word.
        port: where it listens.
    """

    def __init__(self) -> None:
        self.mails: list[Mailed] = []
        self.refusals: dict[str, str] = {}
        self.data_answers: deque[str] = deque()
        self.port = 0
        self.password = "secret"
        self._context: ssl.SSLContext | None = None

    def server(self, *, tls: Tls = Tls.NONE, user: str | None = None, password: str | None = None) -> SmtpServer:
        return SmtpServer(host="127.0.0.1", port=self.port, tls=tls, user=user, password=password, timeout_s=5.0)

    def to(self, recipient: str) -> list[Mailed]:
        return [mailed for mailed in self.mails if mailed.recipient == recipient]

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if (refusal := self.refusals.get(address)) is not None:
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        answer = self.data_answers.popleft() if self.data_answers else "250 OK"
        if answer and not answer.startswith("250"):
            return answer
        for recipient in envelope.rcpt_tos:
            raw = envelope.original_content or b""
            self.mails.append(Mailed(envelope.mail_from or "", recipient, raw, session.ssl is not None))
        if not answer:
            assert server.transport is not None
            server.transport.close()
        return answer or "250 OK"

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object
    ) -> AuthResult:
        is_right = isinstance(data, LoginPassword) and data.password.decode() == self.password
        return AuthResult(success=is_right, handled=False)


@asynccontextmanager
async def smtp_fake(
    *, context: ssl.SSLContext | None = None, wants_login: bool = False, port: int = 0, fake: SmtpFake | None = None
) -> AsyncGenerator[SmtpFake]:
    """Listen on loopback until the block ends.

    Args:
        context: offers STARTTLS with it.
        port: where; by default where there is room.
        fake: one that listened before, with what it has.
    """
    fake = fake or SmtpFake()
    open_now: list[SMTP] = []

    def served() -> SMTP:
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # a login without TLS is discouraged
            server = SMTP(
                fake,
                hostname="smtp.fake.example",
                tls_context=context,
                authenticator=fake.authenticate if wants_login else None,
                auth_required=wants_login,
                auth_require_tls=False,
            )
        open_now.append(server)
        return server

    listening = await asyncio.get_running_loop().create_server(served, "127.0.0.1", port)
    fake.port = listening.sockets[0].getsockname()[1]
    try:
        yield fake
    finally:
        listening.close()
        for server in open_now:
            if server.transport is not None:
                server.transport.close()
        await listening.wait_closed()
        await asyncio.sleep(0)  # noqa: TID251  their ends are told in the next round of the loop
