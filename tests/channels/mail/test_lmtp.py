"""Taking mails from a mail server: an answer for each recipient, 250 only for what is recorded, and 4xx for what is not yet."""

from __future__ import annotations

import asyncio
import smtplib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from overwinter.channels.mail.lmtp import listening
from overwinter.channels.mail.tokens import is_own_address
from overwinter.store.errors import StoreBusyError

US = "agent@ask.example.net"
ONE, TWO = "agent+one@ask.example.net", "Agent+TWO@Ask.Example.Net"
MAIL = b"From: m@corp.example\r\nSubject: hi\r\n\r\n.a line with a dot\r\nbytes \xff\xfe\r\n"


class Desk:
    """Records what is taken, and fails as it is told to."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, bytes]] = []
        self.errors: dict[str, Exception] = {}
        self.gate: asyncio.Event | None = None

    async def take(self, raw: bytes, recipient: str) -> None:
        if self.gate is not None:
            await self.gate.wait()
        if (error := self.errors.get(recipient)) is not None:
            raise error
        self.taken.append((recipient, raw))


@asynccontextmanager
async def desk(most_bytes: int = 100_000) -> AsyncGenerator[tuple[Desk, int]]:
    desk = Desk()

    def is_ours(address: str) -> bool:
        return is_own_address(address, US)

    async with listening(
        host="127.0.0.1", port=0, hostname="ask.example.net", most_bytes=most_bytes, take=desk.take, is_ours=is_ours
    ) as server:
        yield desk, server.sockets[0].getsockname()[1]


async def talk(port: int, work: Callable[[smtplib.LMTP], Any]) -> Any:
    def run() -> Any:
        with smtplib.LMTP("127.0.0.1", port) as client:
            return work(client)

    return await asyncio.to_thread(run)


def delivery(
    *recipients: str, sender: str = "m@corp.example", raw: bytes = MAIL
) -> Callable[[smtplib.LMTP], list[int]]:
    """Hand over one mail; what is answered for each recipient, in their order."""

    def deliver(client: smtplib.LMTP) -> list[int]:
        client.ehlo_or_helo_if_needed()
        client.mail(sender)
        for recipient in recipients:
            client.rcpt(recipient)
        return [client.data(raw)[0], *(client.getreply()[0] for _ in recipients[1:])]

    return deliver


async def test_a_mail_is_taken_to_the_byte_with_who_sent_it_on_top() -> None:
    async with desk() as (there, port):
        assert await talk(port, delivery(ONE)) == [250]
        assert await talk(port, delivery(ONE, sender="")) == [250]
    assert there.taken == [
        (ONE, b"Return-Path: <m@corp.example>\r\n" + MAIL),
        (ONE, b"Return-Path: <>\r\n" + MAIL),
    ]


async def test_each_recipient_has_an_answer_of_its_own() -> None:
    async with desk() as (there, port):
        there.errors[ONE] = StoreBusyError()
        assert await talk(port, delivery(ONE, TWO)) == [451, 250]
        assert [recipient for recipient, _ in there.taken] == [TWO]


async def test_what_could_not_be_recorded_comes_again_and_is_taken() -> None:
    async with desk() as (there, port):
        there.errors[ONE] = StoreBusyError()
        assert await talk(port, delivery(ONE)) == [451]
        del there.errors[ONE]
        assert await talk(port, delivery(ONE)) == [250]
    assert len(there.taken) == 1


async def test_a_fault_of_ours_sends_no_mail_back() -> None:
    async with desk() as (there, port):
        there.errors[ONE] = RuntimeError("a fault")
        assert await talk(port, delivery(ONE)) == [451]
    assert there.taken == []


async def test_nobody_else_s_mail_is_taken() -> None:
    async with desk() as (there, port):
        for address in ("mara@corp.example", "agentx@ask.example.net", "agent@evil.example"):
            code = (await talk(port, lambda client, to=address: _rcpt(client, to)))[0]
            assert code == 550
        for address in (US, ONE, TWO, "agent+@ask.example.net"):
            assert (await talk(port, lambda client, to=address: _rcpt(client, to)))[0] == 250
    assert there.taken == []


def _rcpt(client: smtplib.LMTP, address: str) -> tuple[int, bytes]:
    client.ehlo_or_helo_if_needed()
    client.mail("m@corp.example")
    return client.rcpt(address)


async def test_a_mail_that_is_too_large_is_refused_for_each_of_its_recipients_and_the_next_is_taken() -> None:
    async with desk(most_bytes=50_000) as (there, port):

        def deliver(client: smtplib.LMTP) -> list[int]:
            return [*delivery(ONE, TWO, raw=b"x\r\n" * 40_000)(client), *delivery(ONE)(client)]

        assert await talk(port, deliver) == [552, 552, 250]
    assert [recipient for recipient, _ in there.taken] == [ONE]


async def test_a_line_longer_than_is_allowed_is_taken_all_the_same() -> None:
    raw = b"From: m@corp.example\r\n\r\n" + b"> " * 30_000 + b"\r\n"
    async with desk() as (there, port):
        assert await talk(port, delivery(ONE, raw=raw)) == [250]
    assert there.taken[0][1].endswith(raw)


async def test_nothing_is_acknowledged_before_it_is_recorded() -> None:
    async with desk() as (there, port):
        there.gate = asyncio.Event()
        delivering = asyncio.create_task(talk(port, delivery(ONE)))
        done, _ = await asyncio.wait({delivering}, timeout=0.2)
        assert done == set()
        there.gate.set()
        assert await delivering == [250]
    assert len(there.taken) == 1


async def test_whoever_hangs_on_does_not_keep_us_from_ending() -> None:
    async with desk() as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert (await reader.readline()).startswith(b"220 ask.example.net")
    assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()
