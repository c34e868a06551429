"""What people do reaches us once it is signed, fresh and new, and is acknowledged when it has been taken and not before."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from overwinter.actors.asks import JsonValue
from overwinter.actors.clock import ManualClock
from overwinter.actors.errors import ChannelUnreachableError
from overwinter.channels.slack.client import SlackClient
from overwinter.channels.slack.listening import LOOK_EVERY_MS, SILENT_FOR_MS, SocketListener
from overwinter.channels.slack.receiving import HttpAddress, HttpReceiver, bolt_app

from ...fakes.slack_server import SlackServer


class Taken:
    """Takes payloads as they come; fails as often as it is told to."""

    def __init__(self) -> None:
        self.payloads: list[Any] = []
        self.failures = 0
        self.answer: JsonValue = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def take(self, payload: object) -> JsonValue:
        await self.gate.wait()
        if self.failures:
            self.failures -= 1
            raise ChannelUnreachableError
        self.payloads.append(payload)
        return self.answer

    @property
    def texts(self) -> list[str]:
        return [each["event"]["text"] for each in self.payloads if each["type"] == "event_callback"]


@pytest.fixture
def taken() -> Taken:
    return Taken()


@contextlib.asynccontextmanager
async def at_a_url(slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken) -> AsyncGenerator[str]:
    app = bolt_app(client=client, identity=await client.identify(), take=taken.take)
    address = HttpAddress(signing_secrets=(slack.app.signing_secret,), port=0)
    receiver = HttpReceiver(app=app, address=address, clock=clock)
    await receiver.open()
    try:
        url = f"http://127.0.0.1:{receiver.port}/slack/events"
        await slack.set_request_url(url)
        yield url
    finally:
        await receiver.close()


class Listening:
    """A listener at work."""

    def __init__(self) -> None:
        self.connections = 0

    def connected(self) -> None:
        self.connections += 1


@contextlib.asynccontextmanager
async def over_a_socket(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> AsyncGenerator[Listening]:
    listening = Listening()
    listener = SocketListener(
        app=bolt_app(client=client, identity=await client.identify(), take=taken.take),
        client=client,
        app_token=slack.app.app_token,
        clock=clock,
        connected=listening.connected,
        ping_interval_s=0.05,
    )
    work = asyncio.create_task(listener.run())
    try:
        await slack.wait_connected()
        yield listening
    finally:
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work


async def moved_until(slack: SlackServer, clock: ManualClock, is_so: Callable[[], bool]) -> None:
    """Let time pass until it is so; what needs real time in between (a socket) has it."""
    async with asyncio.timeout(20):
        while not is_so():
            await clock.advance(ms=LOOK_EVERY_MS)
            await asyncio.wait({asyncio.create_task(slack.wait_settled())}, timeout=0.02)


async def until(slack: SlackServer, is_so: Callable[[], bool]) -> None:
    """Let sockets and tasks go on until it is so; no time passes by the clock."""
    async with asyncio.timeout(20):
        while not is_so():
            await asyncio.wait({asyncio.create_task(slack.wait_settled())}, timeout=0.02)


async def test_a_message_at_the_url_is_taken(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> None:
    async with at_a_url(slack, client, clock, taken):
        slack.says("mara", "#refunds", "approve")
        await slack.wait_settled()
        assert taken.texts == ["approve"]
        assert slack.deliveries[-1].is_acked


async def test_nothing_is_acknowledged_before_it_is_taken(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> None:
    async with at_a_url(slack, client, clock, taken):
        taken.gate.clear()
        slack.says("mara", "#refunds", "approve")
        await asyncio.wait({asyncio.create_task(slack.wait_settled())}, timeout=0.05)
        assert not slack.deliveries[-1].is_acked
        taken.gate.set()
        await slack.wait_settled()
        assert slack.deliveries[-1].is_acked


async def test_what_could_not_be_taken_is_told_again(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> None:
    taken.failures = 1
    async with at_a_url(slack, client, clock, taken):
        slack.says("mara", "#refunds", "approve")
        await until(slack, lambda: slack.deliveries[-1].is_acked)
        assert taken.texts == ["approve"]
        assert len(slack.deliveries[-1].attempts) == 2


@pytest.mark.case("se08")
@pytest.mark.parametrize(
    ("offset", "status"),
    [("0", 200), ("-299", 200), ("-301", 401), ("301", 401)],
)
async def test_a_signed_request_is_taken_within_five_minutes(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken, offset: str, status: int
) -> None:
    async with at_a_url(slack, client, clock, taken):
        answered = await slack.http.post(CLICK, at_s=clock.now_ms() // 1000 + int(offset))
    assert answered.status == status
    assert len(taken.payloads) == (status == 200)


CLICK = json.dumps({"type": "event_callback", "event": {"type": "message", "text": "approve"}}).encode()


@pytest.mark.case("se08")
@pytest.mark.parametrize("timestamp", ["", "abc", "nan", "-1", "1772529600.5"])
async def test_a_request_without_a_time_is_refused(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken, timestamp: str
) -> None:
    async with at_a_url(slack, client, clock, taken):
        assert (await slack.http.post(CLICK, at_s=timestamp)).status == 401
    assert taken.payloads == []


@pytest.mark.case("se08")
async def test_a_request_is_refused_that_was_signed_by_somebody_else_or_is_played_again(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> None:
    async with at_a_url(slack, client, clock, taken):
        assert (await slack.http.post(CLICK, secret="another")).status == 401
        assert (await slack.http.post(CLICK)).status == 200
        assert (await slack.http.post(CLICK)).status == 401
    assert len(taken.payloads) == 1


async def test_a_message_over_the_socket_is_taken(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> None:
    async with over_a_socket(slack, client, clock, taken) as listening:
        slack.says("mara", "#refunds", "approve")
        await slack.wait_settled()
        assert taken.texts == ["approve"]
        assert listening.connections == 1


async def test_what_happens_between_two_connections_is_told_over_the_second(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> None:
    async with over_a_socket(slack, client, clock, taken) as listening:
        await slack.drop_connection()
        slack.says("mara", "#refunds", "approve")
        await until(slack, lambda: listening.connections == 2)
        await clock.advance(ms=60_000)
        await until(slack, lambda: slack.deliveries[-1].is_acked)
    assert taken.texts == ["approve"]


async def test_a_connection_that_slack_takes_back_is_replaced(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> None:
    async with over_a_socket(slack, client, clock, taken) as listening:
        await slack.refresh_connection()
        await until(slack, lambda: listening.connections == 2)
        slack.says("mara", "#refunds", "approve")
        await slack.wait_settled()
    assert taken.texts == ["approve"]


@pytest.mark.case("sl22")
async def test_a_deaf_connection_is_replaced_within_five_minutes_whatever_it_says(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> None:
    async with over_a_socket(slack, client, clock, taken) as listening:
        slack.sockets.deafen()
        begun_ms = clock.now_ms()
        await moved_until(slack, clock, lambda: listening.connections == 2)
        assert clock.now_ms() - begun_ms <= 300_000
        await until(slack, lambda: len(slack.sockets.connections) == 1)
        slack.says("mara", "#refunds", "approve")
        await slack.wait_settled()
    assert taken.texts == ["approve"]


@pytest.mark.case("sl22")
async def test_a_second_deaf_connection_is_replaced_as_well(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> None:
    async with over_a_socket(slack, client, clock, taken) as listening:
        slack.sockets.deafen()
        slack.sockets.deafens_next = 1
        await moved_until(slack, clock, lambda: listening.connections == 3)
        slack.says("mara", "#refunds", "approve")
        await until(slack, lambda: slack.deliveries[-1].is_acked)
    assert taken.texts == ["approve"]
    assert SILENT_FOR_MS < 300_000


async def test_a_socket_that_slack_refuses_is_asked_for_again_and_again(
    slack: SlackServer, client: SlackClient, clock: ManualClock, taken: Taken
) -> None:
    slack.fail_next("apps.connections.open", "internal_error")
    slack.limit_next("apps.connections.open", 20)
    app = bolt_app(client=client, identity=await client.identify(), take=taken.take)
    listener = SocketListener(
        app=app, client=client, app_token=slack.app.app_token, clock=clock, connected=lambda: None
    )
    work = asyncio.create_task(listener.run())
    try:
        await moved_until(slack, clock, lambda: len(slack.sockets.connections) == 1)
    finally:
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work
    assert [call.outcome for call in slack.calls_of("apps.connections.open")][-1] == "ok"
