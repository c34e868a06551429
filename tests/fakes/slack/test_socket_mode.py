"""Socket Mode, with the real slack-bolt at the other end."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from overwinter.actors.clock import ManualClock

from ..slack_server import SlackServer
from .bolted import Heard, bolt_of, client_of, socket_mode


class Ears:
    """A bare WebSocket of the app: hears envelopes, and acknowledges what it is told to."""

    def __init__(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        self.websocket = websocket

    async def hear(self) -> dict[str, Any]:
        return json.loads(await self.websocket.receive_str())

    async def ack(self, envelope: dict[str, Any]) -> None:
        await self.websocket.send_json({"envelope_id": envelope["envelope_id"]})


async def opened(slack: SlackServer, session: aiohttp.ClientSession) -> Ears:
    answer = await client_of(slack).apps_connections_open(app_token=slack.app.app_token)
    ears = Ears(await session.ws_connect(answer["url"]))
    assert (await ears.hear())["type"] == "hello"
    return ears


async def test_a_message_reaches_the_app_and_is_acknowledged(slack: SlackServer) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with socket_mode(slack, app):
        said = slack.says("mara", "#ops", "approve")
        await slack.wait_settled()
    assert [(event["user"], event["text"], event["ts"]) for event in heard.events] == [("U0MARA", "approve", said.ts)]
    assert heard.retries == ["0"]
    assert slack.deliveries[0].is_acked


async def test_hello_says_how_many_connections_there_are(slack: SlackServer) -> None:
    async with aiohttp.ClientSession() as session:
        ears: list[Ears] = []
        for count in (1, 2):
            answer = await client_of(slack).apps_connections_open(app_token=slack.app.app_token)
            ears.append(Ears(await session.ws_connect(answer["url"])))
            hello = await ears[-1].hear()
            assert (hello["num_connections"], hello["connection_info"]) == (count, {"app_id": "A0APP"})


async def test_a_ticket_is_good_for_one_connection(slack: SlackServer) -> None:
    answer = await client_of(slack).apps_connections_open(app_token=slack.app.app_token)
    async with aiohttp.ClientSession() as session:
        await session.ws_connect(answer["url"])
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(answer["url"])
    assert refused.value.status == 400


async def test_what_is_not_acknowledged_is_told_again_at_once_then_after_one_and_five_minutes(
    slack: SlackServer, clock: ManualClock
) -> None:
    async with aiohttp.ClientSession() as session:
        ears = await opened(slack, session)
        slack.says("mara", "#ops", "approve")
        first = await ears.hear()
        assert (first["retry_attempt"], first["retry_reason"]) == (0, "")
        await clock.advance(ms=3_000)
        second = await ears.hear()
        assert (second["retry_attempt"], second["retry_reason"]) == (1, "timeout")
        assert second["payload"] == first["payload"]
        assert second["envelope_id"] != first["envelope_id"]
        await clock.advance(ms=3_000)
        await slack.wait_settled()
        await clock.advance(ms=54_000)
        third = await ears.hear()
        assert third["retry_attempt"] == 2
        await clock.advance(ms=3_000)
        await slack.wait_settled()
        await clock.advance(ms=237_000)
        fourth = await ears.hear()
        assert fourth["retry_attempt"] == 3
        await clock.advance(ms=3_000)
        await slack.wait_settled()
    assert [outgoing.attempt for outgoing in slack.deliveries[0].attempts] == [0, 1, 2, 3]
    assert not slack.deliveries[0].is_acked


async def test_what_is_acknowledged_in_time_is_not_told_again(slack: SlackServer, clock: ManualClock) -> None:
    async with aiohttp.ClientSession() as session:
        ears = await opened(slack, session)
        slack.says("mara", "#ops", "approve")
        envelope = await ears.hear()
        await clock.advance(ms=2_999)
        await ears.ack(envelope)
        await slack.wait_settled()
        await clock.advance(ms=600_000)
        await slack.wait_settled()
    assert len(slack.deliveries[0].attempts) == 1


async def test_an_acknowledgement_of_nothing_is_a_fault_of_the_app(slack: SlackServer) -> None:
    async with aiohttp.ClientSession() as session:
        ears = await opened(slack, session)
        await ears.ack({"envelope_id": "envelope-x"})
        await slack.wait_until(lambda: bool(slack.complaints))
    assert slack.complaints == ["an acknowledgement of an envelope that was never sent: 'envelope-x'"]
    slack.complaints.clear()


async def test_an_event_while_nobody_listens_comes_with_its_retry(slack: SlackServer, clock: ManualClock) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    slack.says("mara", "#ops", "approve")
    await slack.wait_until(lambda: len(slack.deliveries[0].attempts) == 2)
    await slack.wait_settled()
    async with socket_mode(slack, app):
        await clock.advance(ms=60_000)
        await slack.wait_until(lambda: slack.deliveries[0].is_acked)
    assert (heard.texts, heard.retries) == (["approve"], ["2"])


async def test_two_connections_take_turns(slack: SlackServer) -> None:
    apps = [bolt_of(slack), bolt_of(slack)]
    heard = [Heard(app) for app in apps]
    async with socket_mode(slack, apps[0]), socket_mode(slack, apps[1]):
        await slack.wait_connected(2)
        for number in range(4):
            slack.says("mara", "#ops", str(number))
            await slack.wait_settled()
    assert sorted(heard[0].texts + heard[1].texts) == ["0", "1", "2", "3"]
    assert len(heard[0].texts) == len(heard[1].texts) == 2


async def test_a_connection_that_is_asked_to_leave_is_told_nothing_more_once_there_is_another(
    slack: SlackServer,
) -> None:
    async with aiohttp.ClientSession() as session:
        old = await opened(slack, session)
        await slack.refresh_connection("warning")
        assert (await old.hear())["reason"] == "warning"
        slack.says("mara", "#ops", "still by the old one")
        await old.ack(await old.hear())
        await slack.wait_settled()
        new = await opened(slack, session)
        for text in ("one", "two"):
            slack.says("mara", "#ops", text)
            envelope = await asyncio.wait_for(new.hear(), 5)
            assert envelope["payload"]["event"]["text"] == text
            await new.ack(envelope)
        await slack.wait_settled()


async def test_the_app_reconnects_when_it_is_asked_to(slack: SlackServer) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with socket_mode(slack, app):
        await slack.refresh_connection()
        await slack.wait_until(lambda: slack.sockets.opened == 2 and len(slack.sockets.connections) == 1)
        slack.says("mara", "#ops", "after")
        await slack.wait_settled()
    assert heard.texts == ["after"]


async def test_the_app_reconnects_when_its_connection_is_closed(slack: SlackServer) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with socket_mode(slack, app):
        await slack.drop_connection(is_clean=True)
        await slack.wait_until(lambda: slack.sockets.opened == 2)
        slack.says("mara", "#ops", "after")
        await slack.wait_settled()
    assert heard.texts == ["after"]


async def test_the_app_reconnects_when_the_cable_is_pulled(slack: SlackServer) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with socket_mode(slack, app, ping_interval_s=0.2):
        before = slack.sockets.opened
        await slack.drop_connection()
        await slack.wait_until(lambda: slack.sockets.opened > before and bool(slack.sockets.connections))
        slack.says("mara", "#ops", "after")
        await slack.wait_until(lambda: slack.deliveries[0].is_acked)
    assert "after" in heard.texts


async def test_an_event_on_a_lost_connection_comes_again_over_another(slack: SlackServer) -> None:
    async with aiohttp.ClientSession() as session:
        first, second = await opened(slack, session), await opened(slack, session)
        slack.says("mara", "#ops", "approve")
        hearing = {asyncio.ensure_future(ears.hear()): ears for ears in (first, second)}
        done, waiting = await asyncio.wait(hearing, return_when=asyncio.FIRST_COMPLETED)
        (told,) = done
        (other,) = waiting
        assert told.result()["retry_attempt"] == 0
        await hearing[told].websocket.close()
        envelope = await other
        assert envelope["retry_attempt"] == 1
        await hearing[other].ack(envelope)
        await slack.wait_settled()
    assert slack.deliveries[0].is_acked


async def test_a_deaf_connection_hears_nothing_until_another_is_opened(slack: SlackServer, clock: ManualClock) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with socket_mode(slack, app):
        slack.sockets.deafen()
        slack.says("mara", "#ops", "approve")
        await slack.wait_until(lambda: len(slack.deliveries) == 1 and bool(slack.deliveries[0].attempts))
        await clock.advance(ms=3_000)
        await slack.wait_until(lambda: len(slack.deliveries[0].attempts) == 2)
        await clock.advance(ms=3_000)
        await slack.wait_settled()
        assert heard.texts == []
    async with socket_mode(slack, app):
        await clock.advance(ms=60_000)
        await slack.wait_until(lambda: slack.deliveries[0].is_acked)
    assert heard.texts == ["approve"]


async def test_both_sides_answer_pings(slack: SlackServer) -> None:
    app = bolt_of(slack)
    async with socket_mode(slack, app):
        connection = slack.sockets.connections[0]
        await slack.sockets.ping()
        await slack.wait_until(lambda: connection.pongs == 1)
        assert connection.pings >= 1


async def test_an_eleventh_connection_is_one_too_many(slack: SlackServer) -> None:
    async with aiohttp.ClientSession() as session:
        ears = [await opened(slack, session) for _ in range(10)]
        answer = await client_of(slack).apps_connections_open(app_token=slack.app.app_token)
        ears.append(Ears(await session.ws_connect(answer["url"])))
        told = await ears[-1].hear()
    assert (told["type"], told["reason"]) == ("disconnect", "too_many_websockets")


async def test_a_redelivered_event_has_the_same_id(slack: SlackServer) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with socket_mode(slack, app):
        slack.says("mara", "#ops", "approve")
        await slack.wait_settled()
        slack.redeliver(slack.deliveries[0])
        await slack.wait_settled()
    assert heard.texts == ["approve", "approve"]
    assert heard.retries == ["0", "1"]
    assert heard.events[0] == heard.events[1]


async def test_withheld_events_come_in_the_order_in_which_they_are_let_go(slack: SlackServer) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with socket_mode(slack, app):
        slack.withhold()
        for text in ("one", "two", "three"):
            slack.says("mara", "#ops", text)
        one, two, three = slack.withheld
        slack.let_go([three, one, three, two])
        await slack.wait_settled()
    assert heard.texts == ["three", "one", "three", "two"]
