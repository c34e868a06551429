"""Deliveries to a request URL whose app is slow, broken, gone, or asks to be left alone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest
from aiohttp import web

from overwinter.actors.clock import ManualClock

from ..slack_server import SlackServer
from .peers import Receiver

Handler = Callable[[web.Request], Awaitable[web.Response]]


@contextlib.asynccontextmanager
async def listening(slack: SlackServer, handler: Handler) -> AsyncGenerator[list[dict[str, str]]]:
    """Any handler at a request URL, unverified; gives the headers of all that came."""
    came: list[dict[str, str]] = []

    async def accept(request: web.Request) -> web.Response:
        came.append(dict(request.headers))
        return await handler(request)

    routes = web.Application()
    routes.router.add_post("/", accept)
    runner = web.AppRunner(routes, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address, port = runner.addresses[0][:2]
    slack.app.request_url = f"http://{address}:{port}/"
    try:
        yield came
    finally:
        await runner.cleanup()


async def fails(request: web.Request) -> web.Response:
    return web.Response(status=500)


async def test_a_slow_app_is_told_again_with_the_number_and_the_reason(slack: SlackServer, clock: ManualClock) -> None:
    may_answer = asyncio.Event()

    async def slow(request: web.Request) -> web.Response:
        await may_answer.wait()
        return web.Response()

    async with listening(slack, slow) as came:
        slack.says("mara", "#ops", "approve")
        await clock.advance(ms=3_000)
        may_answer.set()
        await slack.wait_until(lambda: slack.deliveries[0].is_acked)
    assert slack.deliveries[0].missed[0].reason == "http_timeout"
    assert came[-1]["X-Slack-Retry-Num"] == "1"
    assert came[-1]["X-Slack-Retry-Reason"] == "http_timeout"


async def test_a_broken_app_is_told_four_times_in_all(slack: SlackServer, clock: ManualClock) -> None:
    async with listening(slack, fails) as came:
        slack.says("mara", "#ops", "approve")
        for ms, count in ((0, 2), (60_000, 3), (240_000, 4)):
            await clock.advance(ms=ms)
            await slack.wait_until(lambda count=count: len(slack.deliveries[0].missed) == count)
        await clock.advance(ms=3_600_000)
        await slack.wait_settled()
    assert [headers.get("X-Slack-Retry-Num") for headers in came] == [None, "1", "2", "3"]
    assert {missed.reason for missed in slack.deliveries[0].missed} == {"http_error"}


async def test_an_app_may_ask_not_to_be_told_again(slack: SlackServer, clock: ManualClock) -> None:
    async def declines(request: web.Request) -> web.Response:
        return web.Response(status=503, headers={"X-Slack-No-Retry": "1"})

    async with listening(slack, declines) as came:
        slack.says("mara", "#ops", "approve")
        await slack.wait_settled()
        await clock.advance(ms=3_600_000)
        await slack.wait_settled()
    assert len(came) == 1


async def test_an_app_that_is_gone_is_a_failed_connection(slack: SlackServer) -> None:
    async with listening(slack, fails):
        pass
    slack.says("mara", "#ops", "approve")
    await slack.wait_until(lambda: len(slack.deliveries[0].missed) == 2)
    assert slack.deliveries[0].missed[0].reason == "connection_failed"


async def test_a_url_that_does_not_give_the_challenge_back_is_not_saved(slack: SlackServer) -> None:
    async with listening(slack, fails):
        url, slack.app.request_url = slack.app.request_url, None
        assert url is not None
        with pytest.raises(AssertionError, match="challenge"):
            await slack.set_request_url(url)
    assert slack.app.request_url is None


async def test_a_url_that_gives_it_back_is_saved(slack: SlackServer) -> None:
    receiver = Receiver()
    await receiver.open()
    slack.app.signing_secret = receiver.secret
    await slack.set_request_url(receiver.url)
    slack.says("mara", "#ops", "approve")
    event = await receiver.wait_for(lambda event: event["type"] == "message")
    await slack.wait_settled()
    await receiver.close()
    assert event["text"] == "approve"
    assert receiver.refused == 0
