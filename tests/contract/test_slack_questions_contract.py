"""Our own Slack channel over the fake and over the emulator that others wrote: asked, answered in words and by a button, closed.

Neither emulator nor this suite has Socket Mode: events come to a request URL, and clicks are signed here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest

from overwinter.actors.clock import ManualClock, SystemClock
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.channels.slack.client import SlackClient
from overwinter.channels.slack.connection import SlackConnection
from overwinter.channels.slack.declared import SlackChannel
from overwinter.channels.slack.receiving import HttpAddress

from ..fakes.missing import refuse
from ..fakes.slack.peers import SECRET, Peer, emulator_peer, fake_peer, missing_for_emulator
from ..fakes.slack.signatures import signed

DOOR = QuestionRole(
    name="door", answer=str, choices=("left", "right"), answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter()
)


@workflow(version="1")
async def asking(run: Run, prompt: str) -> str:
    return await run.ask(DOOR, prompt)


class Asked:
    """An app that asks in the peer's channel, and what it has there."""

    def __init__(self, peer: Peer, path: Path) -> None:
        self._peer = peer
        self._clock = ManualClock(SystemClock().now_ms())
        client = SlackClient(token=peer.client.token, clock=self._clock, base_url=peer.client.base_url)
        self.connection = SlackConnection(
            client=client, way=HttpAddress(signing_secrets=(SECRET,), port=0), clock=self._clock
        )
        declared = SlackChannel(peer.channel, answerers=[peer.person])
        self.kit = Kit(
            build=lambda: App(name="office", workflows=[asking], channels={DOOR: declared}),
            path=path / "a.db",
            clock=self._clock,
            connect=lambda: [self.connection],
        )

    @property
    def url(self) -> str:
        assert self.connection.receiver is not None
        return f"http://127.0.0.1:{self.connection.receiver.port}/slack/events"

    async def until(self, is_so: Any) -> None:
        async with asyncio.timeout(20):
            while not await is_so():
                await self.kit.settle()
                await asyncio.wait({asyncio.create_task(self.kit.store.due())}, timeout=0.05)

    async def is_listening(self) -> bool:
        return self.connection.receiver is not None

    async def messages(self) -> list[dict[str, Any]]:
        """The only thread, with its first message."""
        history = await self._peer.client.conversations_history(channel=self._peer.channel)
        (root,) = [each for each in history["messages"] if each["user"] == self._peer.bot]
        thread = await self._peer.client.conversations_replies(channel=self._peer.channel, ts=root["ts"])
        return thread["messages"]

    async def question(self) -> dict[str, Any]:
        return (await self.messages())[1]

    async def presses(self, question: dict[str, Any], action_id: str) -> None:
        (block,) = [each for each in question["blocks"] if each["type"] == "actions"]
        (button,) = [each for each in block["elements"] if each["action_id"] == action_id]
        told = {
            "type": "block_actions",
            "team": {"id": (await self._peer.client.auth_test())["team_id"]},
            "user": {"id": self._peer.person},
            "channel": {"id": self._peer.channel},
            "message": question,
            "trigger_id": "1.2.3",
            "actions": [{"action_id": action_id, "value": button["value"], "action_ts": "1772529601.100000"}],
        }
        body = urlencode({"payload": json.dumps(told)}).encode()
        headers = signed(body, secret=SECRET, at_s=self._clock.now_ms() // 1000)
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        async with aiohttp.ClientSession() as session, session.post(self.url, data=body, headers=headers) as response:
            assert response.status == 200


@pytest.fixture(params=["fake", "emulator"])
async def peer(request: pytest.FixtureRequest) -> AsyncGenerator[Peer]:
    if request.param == "emulator" and (missing := missing_for_emulator()) is not None:
        refuse(missing)
    async with fake_peer() if request.param == "fake" else emulator_peer() as peer:
        yield peer


@pytest.fixture
async def asked(peer: Peer, tmp_path: Path) -> AsyncGenerator[Asked]:
    asked = Asked(peer, tmp_path)
    async with asked.kit.running():
        await asked.until(asked.is_listening)
        peer.receiver.forward_to = asked.url
        yield asked
        peer.receiver.forward_to = None
    await asked.connection.aclose()


async def test_a_question_is_asked_in_a_thread_answered_by_a_button_and_closed(asked: Asked) -> None:
    session_id = await asked.kit.start("asking", "Which door?")
    root, question = await asked.messages()
    assert "asking works for olga" in root["text"]
    assert question["thread_ts"] == root["ts"]
    await asked.presses(question, "q:choice:1")
    await asked.kit.settle()
    assert await asked.kit.outcome(session_id) == {"result": "right"}
    closed = await asked.question()
    assert all(block["type"] != "actions" for block in closed["blocks"])
    assert closed["text"].startswith("Answered by ")


async def test_words_in_the_thread_are_asked_again_until_they_answer(asked: Asked, peer: Peer) -> None:
    session_id = await asked.kit.start("asking", "Which door?")
    root, _ = await asked.messages()
    await peer.says("what is behind them?", thread_ts=root["ts"])

    async def is_asked_again() -> bool:
        return "I have not taken this as an answer." in (await asked.messages())[-1]["text"]

    await asked.until(is_asked_again)
    await peer.says("left", thread_ts=root["ts"])

    async def is_answered() -> bool:
        return await asked.kit.outcome(session_id) == {"result": "left"}

    await asked.until(is_answered)
    assert (await asked.question())["text"].startswith("Answered by ")
