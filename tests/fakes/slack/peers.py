"""Two Slacks with one handle, for the contract suite: our fake, and the emulator of the npm package ``emulate``.

Each has a public channel with the app's bot and one person in it, and posts its events, signed, to a receiver.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, Protocol

import aiohttp
from aiohttp import web
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from overwinter.actors.clock import ManualClock, SystemClock

from ..slack_server import SlackServer
from .shapes import JsonObject
from .tasks import Changes

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
EMULATOR = Path(__file__).parent / "emulator"
READY_WITHIN_S = 20


class Receiver:
    """The app's request URL: gives the challenge back, keeps every event whose signature is right."""

    def __init__(self) -> None:
        self._changes = Changes()
        self._verifier = SignatureVerifier(SECRET)
        self._runner: web.AppRunner | None = None
        self.events: list[JsonObject] = []
        self.refused = 0
        self.secret = SECRET
        self.forward_to: str | None = None
        """Where each request is told once more, as it came: an app's own request URL."""
        self.url = ""

    async def open(self) -> None:
        routes = web.Application()
        routes.router.add_post("/slack/events", self._accept)
        self._runner = web.AppRunner(routes, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        address, port = self._runner.addresses[0][:2]
        self.url = f"http://{address}:{port}/slack/events"

    async def close(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _accept(self, request: web.Request) -> web.Response:
        body = await request.text()
        if not self._verifier.is_valid_request(body, dict(request.headers)):
            self.refused += 1
            return web.Response(status=401)
        told: JsonObject = json.loads(body)
        if told["type"] == "url_verification":
            return web.json_response({"challenge": told["challenge"]})
        self.events.append(told["event"])
        self._changes.tell()
        if self.forward_to is not None:
            kept = ("Content-Type", "X-Slack-Request-Timestamp", "X-Slack-Signature")
            headers = {name: request.headers[name] for name in kept}
            async with aiohttp.ClientSession() as session:
                await (await session.post(self.forward_to, data=body.encode(), headers=headers)).read()
        return web.Response()

    async def wait_for(self, is_it: Callable[[JsonObject], bool]) -> JsonObject:
        """The first event of which it is so, now or later."""
        await self._changes.wait_until(lambda: any(is_it(event) for event in self.events))
        return next(event for event in self.events if is_it(event))


class Peer(Protocol):
    """What the suite needs of a Slack. Ids are as the peer gives them."""

    client: Any
    """The bot's ``AsyncWebClient``."""

    receiver: Receiver
    bot: str
    person: str
    channel: str

    async def says(self, text: str, *, thread_ts: str | None = None) -> str:
        """The person writes in the channel; the message's ``ts``."""
        ...

    async def edits(self, ts: str, text: str) -> None: ...

    async def deletes(self, ts: str) -> None: ...

    async def reacts(self, ts: str, name: str) -> None: ...

    async def trigger(self) -> str:
        """A trigger that the person has just pulled."""
        ...


class FakePeer:
    """Our fake."""

    def __init__(self, slack: SlackServer, receiver: Receiver) -> None:
        self._slack = slack
        self.receiver = receiver
        self.client: Any = AsyncWebClient(token=slack.app.bot_token, base_url=slack.base_url)
        self.bot, self.person, self.channel = slack.app.user_id, "U0MARA", "C0OPS"

    async def says(self, text: str, *, thread_ts: str | None = None) -> str:
        return self._slack.says("mara", "#ops", text, thread_ts=thread_ts).ts

    async def edits(self, ts: str, text: str) -> None:
        self._slack.edits(self._slack.message("#ops", ts), text)

    async def deletes(self, ts: str) -> None:
        self._slack.deletes(self._slack.message("#ops", ts))

    async def reacts(self, ts: str, name: str) -> None:
        self._slack.reacts("mara", self._slack.message("#ops", ts), name)

    async def trigger(self) -> str:
        button = {"type": "button", "action_id": "ask", "text": {"type": "plain_text", "text": "Ask"}}
        blocks = [{"type": "actions", "elements": [button]}]
        posted = await self.client.chat_postMessage(channel=self.channel, text="Ask", blocks=blocks)
        return self._slack.clicks("mara", self._slack.message("#ops", posted["ts"]), "ask").trigger_id


class EmulatorPeer:
    """The emulator. People act by their own tokens."""

    def __init__(self, base_url: str, receiver: Receiver) -> None:
        self.receiver = receiver
        self.client: Any = AsyncWebClient(token="xoxb-overwinter", base_url=base_url)
        self._person: Any = AsyncWebClient(token="xoxp-mara", base_url=base_url)
        self.bot = self.person = self.channel = ""

    async def settle_in(self) -> None:
        """Look up the ids, and let the bot into the channel."""
        self.bot = (await self.client.auth_test())["user_id"]
        self.person = (await self._person.auth_test())["user_id"]
        channels = (await self.client.conversations_list())["channels"]
        self.channel = next(each["id"] for each in channels if each["name"] == "ops")
        for client in (self._person, self.client):
            await client.conversations_join(channel=self.channel)

    async def says(self, text: str, *, thread_ts: str | None = None) -> str:
        posted = await self._person.chat_postMessage(channel=self.channel, text=text, thread_ts=thread_ts)
        return posted["ts"]

    async def edits(self, ts: str, text: str) -> None:
        await self._person.chat_update(channel=self.channel, ts=ts, text=text)

    async def deletes(self, ts: str) -> None:
        await self._person.chat_delete(channel=self.channel, ts=ts)

    async def reacts(self, ts: str, name: str) -> None:
        await self._person.reactions_add(channel=self.channel, timestamp=ts, name=name)

    async def trigger(self) -> str:
        answer = await self._person.api_call("views.generateTriggerId", json={"user_id": self.person})
        return answer["trigger_id"]


def missing_for_emulator() -> str | None:
    """What is missing to run the emulator and how to get it; None if all is there."""
    if shutil.which("node") is None:
        return (
            "Node.js 18 or newer is not installed: apt-get install nodejs npm, "
            "then npm install --prefix tests/fakes/slack/emulator"
        )
    if not (EMULATOR / "node_modules" / "emulate").is_dir():
        return "the Slack emulator is not installed: npm install --prefix tests/fakes/slack/emulator"
    return None


@contextlib.asynccontextmanager
async def fake_peer() -> AsyncGenerator[Peer]:
    receiver = Receiver()
    await receiver.open()
    try:
        async with SlackServer(clock=ManualClock(SystemClock().now_ms())) as slack:
            slack.app.signing_secret = SECRET
            slack.add_user("mara")
            slack.add_channel("ops", "mara")
            await slack.set_request_url(receiver.url)
            yield FakePeer(slack, receiver)
    finally:
        await receiver.close()


@contextlib.asynccontextmanager
async def emulator_peer() -> AsyncGenerator[Peer]:
    receiver = Receiver()
    await receiver.open()
    port = _free_port()
    environment = {"PATH": os.defpath, "PORT": str(port), "EVENTS_URL": receiver.url, "SECRET": SECRET}
    node = shutil.which("node")
    assert node is not None
    process = await asyncio.create_subprocess_exec(
        node, "emulator.mjs", cwd=EMULATOR, env=environment, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), READY_WITHIN_S)
        while line.strip() != b"ready":
            assert line, "the emulator ended before it was ready"
            line = await asyncio.wait_for(process.stdout.readline(), READY_WITHIN_S)
        peer = EmulatorPeer(f"http://127.0.0.1:{port}/api/", receiver)
        await peer.settle_in()
        yield peer
    finally:
        process.kill()
        await process.communicate()
        await receiver.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
