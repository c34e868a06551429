"""Hands one mail to our SMTP server, and says what came of it.

A 4xx, a lost connection and a server that cannot be reached pass: ``ChannelUnreachableError``. A 5xx about the sender, the
recipient or the mail is final: ``ChannelRejectedError``. A login that is refused, and a server that offers no TLS where it is
required, are neither the mail's fault nor for ever: nothing is sent, and it is tried again until an operator has mended it.

A connection that breaks after the mail was given and before the server has said so leaves it unknown whether the server has
it. It is given again then, under the same Message-ID.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

import aiosmtplib

from ...actors.errors import ChannelRejectedError, ChannelUnreachableError
from .servers import SmtpServer, Tls

_BUSY_S = 60.0
"""How long to leave a server alone that has said it is busy; it will not say how long itself."""
_MISCONFIGURED_S = 120.0
_WANTS_LOGIN = frozenset({530, 534, 535, 538})
"""Said of a mail, and about the connection: there is no login, or not one that is good enough, or no TLS (RFC 3207, 4954)."""


class SmtpSender:
    """Sends by one server, with a few connections at once."""

    def __init__(self, server: SmtpServer) -> None:
        self._server = server
        self._free = asyncio.Semaphore(server.concurrency)

    async def send(self, message: bytes, *, sender: str, recipient: str) -> None:
        """Give one mail to the server.

        Args:
            sender: the address that bounces go to.

        Raises:
            ChannelUnreachableError: (channel.unreachable) it may work later.
            ChannelRejectedError: (channel.rejected) it never will.
        """
        async with self._free:
            with self._translated(recipient):
                await self._send(message, sender=sender, recipient=recipient)

    async def visit(self) -> None:
        """Connect, log in and hang up, with no mail: to see whether the server can be used.

        Raises:
            ChannelUnreachableError: (channel.unreachable) it cannot, as the text says.
        """
        async with self._free:
            with self._translated("nobody"):
                async with self._client():
                    pass

    @contextmanager
    def _translated(self, recipient: str) -> Generator[None]:
        """Whatever the library raises, as an error of ours."""
        try:
            yield
        except aiosmtplib.SMTPRecipientsRefused as error:
            first = error.recipients[0]
            raise self._answered(first.code, first.message, f"to {recipient}") from error
        except aiosmtplib.SMTPAuthenticationError as error:
            text = f"{self._named} does not take the login: {error.code} {_line(error.message)}"
            raise ChannelUnreachableError(text, retry_after_s=_MISCONFIGURED_S) from error
        except (aiosmtplib.SMTPConnectResponseError, aiosmtplib.SMTPHeloError) as error:
            # Of the connection, whatever its code: nothing was said about this mail yet.
            raise self._unreachable(f"it greets with {error.code} {_line(error.message)}") from error
        except aiosmtplib.SMTPResponseException as error:
            raise self._answered(error.code, error.message, f"for {recipient}") from error
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise self._unreachable(_line(str(error)) or type(error).__name__) from error

    async def _send(self, message: bytes, *, sender: str, recipient: str) -> None:
        async with self._client() as client:
            await client.sendmail(sender, [recipient], message)

    def _client(self) -> aiosmtplib.SMTP:
        server = self._server
        return aiosmtplib.SMTP(
            hostname=server.host,
            port=server.port,
            use_tls=server.tls is Tls.TLS,
            start_tls=server.tls is Tls.STARTTLS,
            username=server.user,
            password=server.password,
            timeout=server.timeout_s,
            tls_context=server.tls_context,
        )

    def _answered(self, code: int, message: str, about: str) -> ChannelUnreachableError | ChannelRejectedError:
        text = f"{self._named} answers {code} {about}: {_line(message)}"
        if code in _WANTS_LOGIN:
            return ChannelUnreachableError(text, retry_after_s=_MISCONFIGURED_S)
        if 500 <= code < 600:
            return ChannelRejectedError(text)
        return ChannelUnreachableError(text, retry_after_s=_BUSY_S if code in (421, 450, 451, 452) else None)

    def _unreachable(self, why: str) -> ChannelUnreachableError:
        return ChannelUnreachableError(f"{self._named} cannot be used: {why}")

    @property
    def _named(self) -> str:
        return f"the SMTP server {self._server.host}:{self._server.port}"


def _line(text: str) -> str:
    return " ".join(text.split())[:300]
