"""A small Bolt app over the fake, for the tests of the fake: the real slack-bolt, listening as an app of ours would."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable
from typing import Any, cast

import pytest
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from ..slack_server import SlackServer
from .shapes import JsonObject


def client_of(slack: SlackServer, token: str | None = None) -> Any:
    """The real ``AsyncWebClient``; untyped, as its methods' arguments are in part."""
    return AsyncWebClient(token=token or slack.app.bot_token, base_url=slack.base_url)


async def refusal_of(call: Awaitable[Any]) -> Any:
    """The response with which Slack refuses a call, as the SDK raises it."""
    with pytest.raises(SlackApiError) as raised:
        await call
    return cast("Any", raised.value).response


async def error_of(call: Awaitable[Any]) -> str:
    return (await refusal_of(call))["error"]


def bolt_of(slack: SlackServer) -> AsyncApp:
    return AsyncApp(
        client=client_of(slack), signing_secret=slack.app.signing_secret, ignoring_self_events_enabled=False
    )


class Heard:
    """Notes every event that the app is told, with its retry number."""

    def __init__(self, app: AsyncApp) -> None:
        self.events: list[JsonObject] = []
        self.retries: list[str | None] = []

        async def note(event: JsonObject, request: Any) -> None:
            self.events.append(event)
            self.retries.append(next(iter(request.headers.get("x-slack-retry-num", [])), None))

        for kind in ("message", "app_mention", "reaction_added", "reaction_removed", "member_joined_channel"):
            cast("Any", app).event(kind)(note)

    @property
    def texts(self) -> list[str]:
        return [event["text"] for event in self.events if event["type"] == "message" and "text" in event]


@contextlib.asynccontextmanager
async def socket_mode(
    slack: SlackServer, app: AsyncApp, *, ping_interval_s: float = 10
) -> AsyncGenerator[AsyncSocketModeHandler]:
    """Connected by Socket Mode. It notices by itself that a connection is gone within ``ping_interval_s``, of real time."""
    handler = AsyncSocketModeHandler(app, slack.app.app_token, ping_interval=ping_interval_s)
    await handler.connect_async()
    await slack.wait_connected()
    try:
        yield handler
    finally:
        await handler.close_async()


@contextlib.asynccontextmanager
async def http_mode(slack: SlackServer, app: AsyncApp) -> AsyncGenerator[str]:
    """Listening at a request URL, which the fake has verified."""

    async def accept(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await app.async_dispatch(await to_bolt_request(request)))

    routes = web.Application()
    routes.router.add_post("/slack/events", accept)
    runner = web.AppRunner(routes, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        address, port = runner.addresses[0][:2]
        url = f"http://{address}:{port}/slack/events"
        await slack.set_request_url(url)
        yield url
    finally:
        await runner.cleanup()
