"""Socket Mode: a WebSocket to Slack that is looked after, for it may go deaf without closing.

The SDK's client connects again by itself when it sees that its connection is gone. What it does not see is a connection that
pings and tells nothing any more, or an address that has run out. So a connection over which nothing came for a while is
replaced by another one, whatever it says of itself, and each time that one begins, ``caught_up`` looks for what was missed.

https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import structlog
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp

from ...actors.clock import Clock, wait_until
from ...actors.errors import ChannelError, ChannelUnreachableError
from .client import SlackClient
from .objects import Refused

_log = structlog.get_logger("overwinter.slack")

LOOK_EVERY_MS = 5_000
CONNECT_WITHIN_MS = 30_000
SILENT_FOR_MS = 150_000
"""A connection over which nothing came for so long is replaced; twice within the time in which deafness is to be noticed."""
FIRST_BACKOFF_MS = 1_000
LONGEST_BACKOFF_MS = 60_000
_CLOSE_WITHIN_MS = 3_000


class SocketListener:
    """Keeps one WebSocket open.

    Args:
        app_token: ``xapp-…``, with the scope ``connections:write``.
        connected: called whenever a connection has begun, also one that the SDK made by itself.
        ping_interval_s: how often the SDK looks whether its connection lives.
    """

    def __init__(
        self,
        *,
        app: AsyncApp,
        client: SlackClient,
        app_token: str,
        clock: Clock,
        connected: Callable[[], None],
        ping_interval_s: float = 10.0,
    ) -> None:
        self._app = app
        self._client = client
        self._app_token = app_token
        self._clock = clock
        self._connected = connected
        self._ping_interval_s = ping_interval_s
        self._heard_at_ms = 0
        self._lost_at_ms: int | None = None

    async def run(self) -> None:
        """Listen until cancelled."""
        backoff_ms = FIRST_BACKOFF_MS
        sockets: list[_Socket] = []
        try:
            while True:
                try:
                    sockets.append(await self._open())
                except ChannelError as error:
                    await self._wait_after(error, backoff_ms)
                    backoff_ms = min(LONGEST_BACKOFF_MS, backoff_ms * 2)
                    continue
                backoff_ms = FIRST_BACKOFF_MS
                while len(sockets) > 1:  # only now: between the two nothing is missed
                    await sockets[0].close()
                    del sockets[0]
                await self._watch(sockets[0])
        finally:
            for socket in sockets:
                await socket.close()

    async def _wait_after(self, error: ChannelError, backoff_ms: int) -> None:
        asked_s = error.retry_after_s if isinstance(error, ChannelUnreachableError) else None
        wait_ms = max(int((asked_s or 0) * 1000), backoff_ms)
        say = _log.warning if error.retryable else _log.error
        say("slack.not-connected", code=error.code, error=str(error), next_try_in_s=wait_ms / 1000)
        await self._clock.sleep_until_ms(self._clock.now_ms() + wait_ms)

    async def _open(self) -> _Socket:
        """A new connection; raises what keeps it from being made."""
        said = await self._client.call("apps.connections.open", token=self._app_token)
        url = None if isinstance(said, Refused) else said.text("url")
        if url is None:
            raise ChannelUnreachableError("Slack gave no address for a connection")
        socket = _Socket(
            app=self._app,
            client=self._client,
            app_token=self._app_token,
            clock=self._clock,
            url=url,
            heard=self._hear,
            ping_interval_s=self._ping_interval_s,
        )
        try:
            await socket.open()
        except BaseException:
            await socket.close()
            raise
        self._heard_at_ms, self._lost_at_ms = self._clock.now_ms(), None
        return socket

    async def _watch(self, socket: _Socket) -> None:
        """Return when the connection is to be replaced."""
        while True:
            await self._clock.sleep_until_ms(self._clock.now_ms() + LOOK_EVERY_MS)
            now_ms = self._clock.now_ms()
            if await socket.is_connected():
                self._lost_at_ms = None
            else:
                self._lost_at_ms = self._lost_at_ms or now_ms
                if now_ms - self._lost_at_ms >= CONNECT_WITHIN_MS:
                    _log.warning("slack.connection-lost", for_s=(now_ms - self._lost_at_ms) / 1000)
                    return
            if now_ms - self._heard_at_ms >= SILENT_FOR_MS:
                _log.debug("slack.connection-silent", for_s=(now_ms - self._heard_at_ms) / 1000)
                return

    def _hear(self, kind: object) -> None:
        self._heard_at_ms = self._clock.now_ms()
        if kind == "hello":
            self._connected()


class _Socket:
    """One connection, or those that the SDK makes of it."""

    def __init__(
        self,
        *,
        app: AsyncApp,
        client: SlackClient,
        app_token: str,
        clock: Clock,
        url: str,
        heard: Callable[[object], None],
        ping_interval_s: float,
    ) -> None:
        self._clock = clock
        handler = AsyncSocketModeHandler(
            app, app_token, logger=client.logger, web_client=client.web, ping_interval=ping_interval_s
        )
        self._sdk: Any = cast("Any", handler.client)
        self._sdk.wss_uri = url

        async def listen(_: object, message: dict[str, object], __: object = None) -> None:
            heard(message.get("type"))

        self._sdk.message_listeners.append(listen)

    async def open(self) -> None:
        """Raises ``ChannelUnreachableError`` if it is not connected in time."""
        if not await self._in_time(self._sdk.connect(), CONNECT_WITHIN_MS):
            raise ChannelUnreachableError("Slack could not be reached over a WebSocket")

    async def is_connected(self) -> bool:
        return await self._sdk.is_connected()

    async def close(self) -> None:
        """The SDK's own close leaves its tasks behind where the other side does not say goodbye."""
        sdk = self._sdk
        sdk.closed, sdk.auto_reconnect_enabled = True, False
        await self._in_time(sdk.disconnect(), _CLOSE_WITHIN_MS)
        tasks = (sdk.message_processor, sdk.current_session_monitor, sdk.message_receiver)
        for task in tasks:
            if task is not None:
                task.cancel()
        await sdk.aiohttp_client_session.close()

    async def _in_time(self, work: Awaitable[None], within_ms: int) -> bool:
        """Do what the SDK may do for ever; False if it is not done in time."""
        task = asyncio.ensure_future(work)
        done = asyncio.Event()
        task.add_done_callback(lambda _: done.set())
        try:
            await wait_until(done, clock=self._clock, until_ms=self._clock.now_ms() + within_ms)
        finally:
            is_done = task.done()
            task.cancel()
            await asyncio.wait({task})
        return is_done and not task.cancelled() and task.exception() is None
