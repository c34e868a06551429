"""Socket Mode: tickets, connections, envelopes and their acknowledgements.

See https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import WSMsgType, web

from overwinter.actors.clock import Clock

from .deliveries import Acked, Missed, Outgoing, finish_by
from .people import App
from .shapes import JsonObject
from .tasks import Changes

MAX_CONNECTIONS = 10
"""See https://docs.slack.dev/apis/events-api/using-socket-mode#using-multiple-connections"""

CLOSE_WITHIN_S = 1.0
"""How long a close frame waits for its answer, of real time: an app that was killed does not give one."""

DisconnectReason = Literal["warning", "refresh_requested", "link_disabled", "too_many_websockets"]


@dataclass(slots=True, eq=False)
class Connection:
    """One WebSocket of the app."""

    number: int
    websocket: web.WebSocketResponse
    request: web.Request
    is_leaving: bool = False
    """It was asked to go; new envelopes prefer another."""

    is_deaf: bool = False
    """It is open and answers pings, but nothing more comes over it."""

    pongs: int = 0
    pings: int = 0
    unacked: dict[str, asyncio.Future[Acked | Missed]] = field(
        default_factory=dict[str, "asyncio.Future[Acked | Missed]"]
    )


class SocketWire:
    """The connections of the app; an envelope goes over one of them, in turn."""

    def __init__(
        self, *, clock: Clock, app: App, changes: Changes, complain: Callable[[str], None], number: Callable[[], int]
    ) -> None:
        self._clock = clock
        self._app = app
        self._changes = changes
        self._complain = complain
        self._number = number
        self._tickets: set[str] = set()
        self._sent: set[str] = set()
        self._turn = 0
        self.connections: list[Connection] = []
        self.opened = 0
        """How many connections there have been."""

        self.deafens_next = 0
        """How many connections to come are deaf from their start."""

    def open_url(self, *, host: str) -> str:
        """A URL for one connection, as ``apps.connections.open`` gives it."""
        ticket = f"ticket-{self._number()}"
        self._tickets.add(ticket)
        return f"ws://{host}/link/?ticket={ticket}&app_id={self._app.id}"

    async def accept(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection to its end."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.json_response({"ok": False, "error": "invalid_ticket"}, status=400)
        self._tickets.discard(ticket)
        websocket = web.WebSocketResponse(autoping=False, timeout=CLOSE_WITHIN_S)
        await websocket.prepare(request)
        if len(self.connections) >= MAX_CONNECTIONS:
            await websocket.send_json(_disconnect("too_many_websockets"))
            await websocket.close()
            return websocket
        self.opened += 1
        connection = Connection(self.opened, websocket, request)
        if self.deafens_next:
            self.deafens_next -= 1
            connection.is_deaf = True
        self.connections.append(connection)
        try:
            await websocket.send_json(self._hello())
            self._changes.tell()
            await self._listen(connection)
        finally:
            self.connections.remove(connection)
            for waiting in connection.unacked.values():
                if not waiting.done():
                    waiting.set_result(Missed(reason="timeout"))
            self._changes.tell()
        return websocket

    def _hello(self) -> JsonObject:
        return {
            "type": "hello",
            "num_connections": len(self.connections),
            "debug_info": {"host": "applink-fake", "build_number": 1, "approximate_connection_time": 3_600},
            "connection_info": {"app_id": self._app.id},
        }

    async def _listen(self, connection: Connection) -> None:
        async for frame in connection.websocket:
            match frame.type:
                case WSMsgType.PING:
                    connection.pings += 1
                    await connection.websocket.pong(frame.data)
                case WSMsgType.PONG:
                    connection.pongs += 1
                    self._changes.tell()
                case WSMsgType.TEXT:
                    self._take_ack(frame.data)
                case _:
                    self._complain(f"a Socket Mode frame of type {frame.type.name}")

    def _take_ack(self, text: str) -> None:
        """An acknowledgement counts over whichever connection it comes; late, it changes nothing."""
        try:
            ack = json.loads(text)
            envelope_id = ack["envelope_id"]
        except (ValueError, KeyError, TypeError):
            self._complain(f"not an acknowledgement: {text!r}")
            return
        if envelope_id not in self._sent:
            self._complain(f"an acknowledgement of an envelope that was never sent: {envelope_id!r}")
            return
        for connection in self.connections:
            waiting = connection.unacked.get(envelope_id)
            if waiting is not None and not waiting.done():
                waiting.set_result(Acked(ack.get("payload") or {}))

    def _pick(self) -> Connection | None:
        usable = [each for each in self.connections if not each.is_leaving] or self.connections
        if not usable:
            return None
        self._turn += 1
        return usable[self._turn % len(usable)]

    async def send(self, outgoing: Outgoing) -> Acked | Missed:
        connection = self._pick()
        if connection is None:
            return Missed(reason="timeout")
        envelope_id = f"envelope-{self._number()}"
        waiting: asyncio.Future[Acked | Missed] = asyncio.get_running_loop().create_future()
        connection.unacked[envelope_id] = waiting
        self._sent.add(envelope_id)
        envelope: JsonObject = {
            "envelope_id": envelope_id,
            "type": outgoing.kind,
            "payload": outgoing.payload,
            "accepts_response_payload": outgoing.kind == "interactive",
        }
        if outgoing.kind == "events_api":
            envelope |= {"retry_attempt": outgoing.attempt, "retry_reason": outgoing.reason}
        try:
            if not connection.is_deaf:
                await connection.websocket.send_json(envelope)
            return await finish_by(waiting, clock=self._clock, due_ms=outgoing.ack_by_ms) or Missed(reason="timeout")
        except ConnectionError:
            return Missed(reason="timeout")
        finally:
            del connection.unacked[envelope_id]

    async def ask_to_leave(self, reason: DisconnectReason) -> None:
        """Send ``disconnect`` over every connection: the app is to open another one.

        See https://docs.slack.dev/apis/events-api/using-socket-mode#disconnect
        """
        for connection in list(self.connections):
            connection.is_leaving = True
            await connection.websocket.send_json(_disconnect(reason))

    def deafen(self) -> None:
        for connection in self.connections:
            connection.is_deaf = True

    async def drop(self, *, is_clean: bool) -> None:
        """End every connection: with a close frame, or as a cable that is pulled."""
        for connection in list(self.connections):
            if is_clean:
                await connection.websocket.close()
            elif connection.request.transport is not None:
                connection.request.transport.abort()

    async def ping(self) -> None:
        """Ping every connection, as Slack does. The app answers with a pong."""
        for connection in list(self.connections):
            await connection.websocket.ping(b"Ping from applink")


def _disconnect(reason: DisconnectReason) -> JsonObject:
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-fake"}}
