"""Waiting for a mailbox: what the server has said already is not waited for, whichever way it came."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from overwinter.channels.mail.mailbox import FAILURES, Mailbox
from overwinter.channels.mail.servers import Tls

from ...fakes.certificates import offered, trusting
from ...fakes.imap_server import ImapFake, imap_fake

SOON_S = 5.0
LONG_S = 20.0
IDLING = b"+ idling\r\n"
NEWS = b"* 1 EXISTS\r\n"


@asynccontextmanager
async def connected(certificate: Path | None, *, idling: bytes | None) -> AsyncGenerator[tuple[ImapFake, Mailbox]]:
    context = None if certificate is None else offered(certificate)
    async with imap_fake(context=context) as fake:
        fake.idling = idling
        named = fake.server()
        if certificate is not None:
            named = replace(named, tls=Tls.TLS, tls_context=trusting(certificate))
        box = Mailbox(named)
        await asyncio.to_thread(box.connect)
        try:
            yield fake, box
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
    async with connected(shown, idling=IDLING + NEWS) as (_, box):
        assert await waited_s(box, LONG_S) < SOON_S
        # And the connection is as it was.
        assert await asyncio.to_thread(box.search, "ALL") == []


async def test_without_news_it_waits_as_long_as_it_is_told(shown: Path | None) -> None:
    async with connected(shown, idling=IDLING) as (fake, box):
        assert await waited_s(box, 0.3) >= 0.3
        assert await asyncio.to_thread(box.search, "ALL") == []
    assert fake.asked.count("IDLE") == 1


async def test_a_server_that_cannot_idle_is_asked(shown: Path | None) -> None:
    async with connected(shown, idling=None) as (fake, box):
        assert not box.can_idle
        assert await waited_s(box, 0.2) >= 0.2
    assert "NOOP" in fake.asked


async def test_a_server_that_hangs_up_is_found_out_at_once(shown: Path | None) -> None:
    async with connected(shown, idling=None) as (fake, box):
        fake.hang_up()
        began_s = time.perf_counter()
        with pytest.raises(FAILURES):
            await asyncio.to_thread(box.wait, LONG_S)
        assert time.perf_counter() - began_s < SOON_S
