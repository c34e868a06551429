"""Takes mails from our own mail server by LMTP (RFC 2033), and answers for each recipient by itself.

The server keeps whatever we do not answer 250 for, and offers it again after 4xx. So 250 is said after the commit alone, and a
store that is busy is a 4xx.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import Envelope, Session

from ...store.errors import StoreError

TAKEN = "250 2.0.0 taken"
LATER = "451 4.3.0 not now, please keep it and try again"
UNKNOWN = "550 5.1.1 there is no such address here"
_LONGEST_LINE = 1024 * 1024
"""Longer than RFC 5321 allows, because mails come that break it, and whoever wrote one waits for an answer."""

Take = Callable[[bytes, str], Awaitable[None]]
"""Records a mail for one recipient. Raises ``StoreError`` if it could not."""


class _Listener(LMTP):
    """The protocol's server, with one reply for each recipient where the library gives one for all."""

    line_length_limit = _LONGEST_LINE

    def __init__(self, handler: _Handler, *, open_now: set[_Listener], hostname: str, most_bytes: int) -> None:
        super().__init__(
            handler, hostname=hostname, ident="Overwinter", data_size_limit=most_bytes, enable_SMTPUTF8=True
        )
        self._open_now = open_now
        self._is_receiving = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._open_now.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._open_now.discard(self)
        super().connection_lost(error)

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802  the library's name
        self._is_receiving = True
        try:
            await super().smtp_DATA(arg)
        finally:
            self._is_receiving = False

    async def push(self, status: Any) -> None:
        text = str(status)
        if self._is_receiving and self.envelope is not None and not text.startswith("354"):
            missing = len(self.envelope.rcpt_tos) - text.count("\r\n") - 1
            text = "\r\n".join([text, *([text] * missing)])
        await super().push(text)

    async def end(self) -> None:
        """Hang up, and return when what was being recorded is."""
        working = self._handler_coroutine
        if self.transport is not None:
            self.transport.close()
        if working is not None:
            await asyncio.wait({working})


class _Handler:
    """Decides what is taken, and gives it on."""

    def __init__(self, *, take: Take, is_ours: Callable[[str], bool]) -> None:
        self._take = take
        self._is_ours = is_ours

    async def handle_RCPT(  # noqa: N802  the library's name
        self, server: LMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not self._is_ours(address):
            return UNKNOWN
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: LMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802  as above
        # Whoever delivers a mail says on top who sent it (RFC 5321, 4.4); nobody at all means that a program did.
        sender = (envelope.mail_from or "").removeprefix("<").removesuffix(">")
        raw = f"Return-Path: <{sender}>\r\n".encode("utf-8", "surrogateescape") + (envelope.original_content or b"")
        return "\r\n".join([await self._taken(raw, each) for each in envelope.rcpt_tos])

    async def handle_exception(self, error: Exception) -> str:
        """A fault of ours is no reason to send a mail back."""
        return LATER

    async def _taken(self, raw: bytes, recipient: str) -> str:
        try:
            await self._take(raw, recipient)
        except StoreError:
            return LATER
        return TAKEN


@asynccontextmanager
async def listening(
    *, host: str, port: int, hostname: str, most_bytes: int, take: Take, is_ours: Callable[[str], bool]
) -> AsyncGenerator[asyncio.Server]:
    """Listen until the block ends; then finish what is being recorded.

    Args:
        hostname: what we call ourselves.
        most_bytes: larger mails are refused.
        is_ours: whether we take mails for an address.
    """
    open_now: set[_Listener] = set()
    handler = _Handler(take=take, is_ours=is_ours)

    def served() -> _Listener:
        return _Listener(handler, open_now=open_now, hostname=hostname, most_bytes=most_bytes)

    server = await asyncio.get_running_loop().create_server(served, host, port)
    try:
        yield server
    finally:
        server.close()
        await asyncio.gather(*(each.end() for each in tuple(open_now)))
        await server.wait_closed()
