"""Waiting for a mailbox: what the server has said already is not waited for, whichever way it came."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from overwinter.channels.mail.mailbox import FAILURES, Mailbox
from overwinter.channels.mail.servers import ImapServer, Tls

from ...fakes.certificates import offered, trusting

SOON_S = 5.0
LONG_S = 20.0
NEWS = b"* 1 EXISTS\r\n"


class Script:
    """A server that answers by the book, and when told to wait says what the test wants.

    Attributes:
        idling: what it sends in one piece when a client idles; None where it cannot.
        asked: what the client asked, in order.
    """

    def __init__(self, idling: bytes | None) -> None:
        self.idling = idling
        self.asked: list[str] = []
        self.hang_up: Callable[[], None] | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.hang_up = writer.close
        writer.write(b"* OK ready\r\n")
        tag = b""
        while line := (await reader.readline()).strip():
            if line == b"DONE":
                writer.write(tag + b" OK done\r\n")
                continue
            tag, name = line.split()[:2]
            self.asked.append(name.decode())
            writer.write(self._answer(name) + (b"" if name == b"IDLE" else tag + b" OK done\r\n"))
        writer.close()

    def _answer(self, name: bytes) -> bytes:
        match name:
            case b"CAPABILITY":
                return b"* CAPABILITY IMAP4rev1" + (b"" if self.idling is None else b" IDLE") + b"\r\n"
            case b"SELECT":
                return b"* 0 EXISTS\r\n* OK [UIDVALIDITY 7]\r\n* OK [UIDNEXT 1]\r\n"
            case b"IDLE":
                return self.idling or b""
            case _:
                return b""


@asynccontextmanager
async def connected(script: Script, certificate: Path | None) -> AsyncGenerator[Mailbox]:
    context: ssl.SSLContext | None = None if certificate is None else offered(certificate)
    async with await asyncio.start_server(script.serve, "127.0.0.1", 0, ssl=context) as server:
        port: int = server.sockets[0].getsockname()[1]
        named = ImapServer(host="127.0.0.1", port=port, user="bot", password="secret", tls=Tls.NONE)
        if certificate is not None:
            named = replace(named, tls=Tls.TLS, tls_context=trusting(certificate))
        box = Mailbox(named)
        await asyncio.to_thread(box.connect)
        try:
            yield box
        finally:
            await asyncio.to_thread(box.close)


async def waited_s(box: Mailbox, at_most_s: float) -> float:
    began_s = time.perf_counter()
    await asyncio.to_thread(box.wait, at_most_s)
    return time.perf_counter() - began_s


@pytest.fixture(params=["plain", "tls"])
def shown(request: pytest.FixtureRequest, certificate: Path) -> Path | None:
    return certificate if request.param == "tls" else None


async def test_news_in_one_piece_with_the_word_that_it_idles_is_not_waited_for(shown: Path | None) -> None:
    async with connected(Script(b"+ idling\r\n" + NEWS), shown) as box:
        assert await waited_s(box, LONG_S) < SOON_S
        # And the connection is as it was.
        assert await asyncio.to_thread(box.search, "ALL") == []


async def test_without_news_it_waits_as_long_as_it_is_told(shown: Path | None) -> None:
    script = Script(b"+ idling\r\n")
    async with connected(script, shown) as box:
        assert await waited_s(box, 0.3) >= 0.3
        assert await asyncio.to_thread(box.search, "ALL") == []
    assert script.asked.count("IDLE") == 1


async def test_a_server_that_cannot_idle_is_asked(shown: Path | None) -> None:
    script = Script(None)
    async with connected(script, shown) as box:
        assert not box.can_idle
        assert await waited_s(box, 0.2) >= 0.2
    assert "NOOP" in script.asked


async def test_a_server_that_hangs_up_is_found_out_at_once(shown: Path | None) -> None:
    script = Script(None)
    async with connected(script, shown) as box:
        assert script.hang_up is not None
        script.hang_up()
        began_s = time.perf_counter()
        with pytest.raises(FAILURES):
            await asyncio.to_thread(box.wait, LONG_S)
        assert time.perf_counter() - began_s < SOON_S
