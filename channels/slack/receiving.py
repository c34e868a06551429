"""How what people do in Slack reaches us: one Bolt app, told over Socket Mode or by signed requests.

A payload is acknowledged when ``Taker`` returns, and by what it returns; where it raises, Slack is not told that we have it, and
tells again (an event) or shows the person that nothing happened (a click). So whoever takes has it committed first.

https://docs.slack.dev/apis/events-api
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from ...actors.asks import JsonValue
from ...actors.clock import Clock
from ...actors.errors import ChannelError
from ...store.errors import OverwinterError
from .client import SlackClient
from .objects import Identity
from .signatures import SignatureMemory, signature_fault

_log = structlog.get_logger("overwinter.slack")

Taker = Callable[[object], Awaitable[JsonValue]]
"""Takes one payload of Slack's. Returns what acknowledges it, as the errors of a modal; None for a bare acknowledgement."""

MOST_BODY_BYTES = 1024 * 1024


def bolt_app(*, client: SlackClient, identity: Identity, take: Taker) -> AsyncApp:
    """A Bolt app that gives every payload to ``take`` and waits for it.

    Requests are found to be Slack's before they come here: Bolt's own look at a signature goes by the machine's clock, takes
    the same one twice, and answers with status 200 where it cannot find out who we are.
    """

    async def authorize(**_: object) -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=None, team_id=identity.team_id, bot_user_id=identity.us.user_id, bot_id=identity.us.bot_id
        )

    async def take_all(body: dict[str, Any]) -> BoltResponse:
        try:
            told = await take(body)
        except ChannelError as error:
            _log.warning("slack.not-taken", code=error.code, error=client.redactor.text(str(error)))
            return BoltResponse(status=503)
        except OverwinterError as error:
            _log.error("slack.not-taken", code=error.code, error=client.redactor.text(str(error)))
            return BoltResponse(status=503)
        return BoltResponse(status=200, body=told or "")

    app = AsyncApp(
        name="overwinter",
        logger=client.logger,
        client=AsyncWebClient(logger=client.logger, retry_handlers=[]),
        authorize=authorize,
        signing_secret="",
        request_verification_enabled=False,
        ignoring_self_events_enabled=False,
        ignoring_self_assistant_message_events_enabled=False,
        attaching_function_token_enabled=False,
        attaching_conversation_kwargs_enabled=False,
    )
    cast("Any", app).use(take_all)
    return app


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAddress:
    """Where Slack's requests are taken.

    Attributes:
        signing_secrets: the app's, and the one before it while it is being replaced.
        port: 0 for any that is free.
        path: of the request URL, for events and interactivity alike.
    """

    signing_secrets: tuple[str, ...]
    host: str = "127.0.0.1"
    port: int = 8081
    path: str = "/slack/events"


class HttpReceiver:
    """Listens at a request URL: https://docs.slack.dev/apis/events-api/using-http-request-urls"""

    def __init__(self, *, app: AsyncApp, address: HttpAddress, clock: Clock) -> None:
        self._app = app
        self._address = address
        self._clock = clock
        self._memory = SignatureMemory()
        self._runner: web.AppRunner | None = None
        self.port = address.port

    async def open(self) -> None:
        routes = web.Application(client_max_size=MOST_BODY_BYTES)
        routes.router.add_post(self._address.path, self._accept)
        self._runner = web.AppRunner(routes, shutdown_timeout=3.0, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, self._address.host, self._address.port).start()
        self.port = self._runner.addresses[0][1]

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _accept(self, request: web.Request) -> web.Response:
        body = await request.read()
        signature = request.headers.get("X-Slack-Signature")
        now_s = self._clock.now_ms() // 1000
        fault = signature_fault(
            body=body,
            timestamp=request.headers.get("X-Slack-Request-Timestamp"),
            signature=signature,
            secrets=self._address.signing_secrets,
            now_s=now_s,
        ) or self._memory.fault(signature or "", now_s=now_s)
        if fault is not None:
            _log.warning("slack.request-refused", reason=fault.value)
            return web.Response(status=401)
        told = AsyncBoltRequest(
            body=body.decode("utf-8", "replace"),
            query=request.query_string,
            headers={name: [each] for name, each in request.headers.items()},
        )
        response = await self._app.async_dispatch(told)
        if response.status != 200:
            self._memory.forget(signature or "")
        return await to_aiohttp_response(response)
