"""An app whose questions go to Slack, and everything around it: the database, the connection, the workspace, the people."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from overwinter.actors.clock import ManualClock, SystemClock
from overwinter.actors.delivery_settings import DeliverySettings
from overwinter.actors.jsontext import to_json
from overwinter.actors.messages import ModelReply, ToolCallRequest
from overwinter.actors.ports import ReplyReader
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import ToolCall, tool
from overwinter.bots.toolsets.system import ask_user
from overwinter.bots.workflows import workflow
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole
from overwinter.channels.slack.client import SlackClient
from overwinter.channels.slack.connection import READ_WITHIN_S, SlackConnection, SocketMode, Way
from overwinter.channels.slack.declared import SlackChannel
from overwinter.channels.slack.receiving import HttpAddress

from ...fakes.slack.checks import STRICT
from ...fakes.slack.deliveries import ACK_WITHIN_MS
from ...fakes.slack.messages import Message
from ...fakes.slack.screen import Seen
from ...fakes.slack_server import SlackServer


class Refund(BaseModel):
    order_id: str
    amount: Decimal = Field(gt=0)
    note: str = ""


DOOR = QuestionRole(
    name="door", answer=str, choices=("left", "right"), answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter()
)
FINANCE = SlackChannel("#refunds", answerers=["@finance"])


@workflow(version="1")
async def doors(run: Run, prompt: str) -> str:
    """Asks which door, once for each word, all at once."""
    answers = await run.gather(*(partial(ask_for, word=word) for word in prompt.split()))
    return " ".join(answers)


async def ask_for(run: Run, *, word: str) -> str:
    return await run.ask(DOOR, f"Which door, {word}?")


class Desk:
    """What the app does in the world; it outlives every restart.

    Args:
        channels: where approvals are asked.
        reader: reads the replies to approvals.
        role: what else the role of approvals says.
    """

    def __init__(
        self,
        *channels: SlackChannel,
        reader: ReplyReader | None = None,
        needs: int = 1,
        deadline: timedelta | None = None,
        answered_by: Answerer = Answerer.CHANNEL,
        people: Mapping[str, Sequence[str]] | None = None,
        **role: Any,
    ) -> None:
        self.ran: list[str] = []
        self._channels = channels or (FINANCE,)
        self._reader = reader or RulesInterpreter()
        self._needs = needs
        self._deadline = deadline
        self._answered_by = answered_by
        self._people = people or {}
        self._role = role

    def app(self) -> App:
        approval = ApprovalRole(
            name="refund-approval",
            answered_by=self._answered_by,
            interpreter=self._reader,
            needs=self._needs,
            of=None if self._needs == 1 else self._needs + 1,
            deadline=self._deadline,
            **self._role,
        )

        @tool(asks=approval)
        async def refund_card(refund: Refund, call: ToolCall[Any]) -> str:
            """Refund a card payment."""
            self.ran.append(f"{refund.order_id} {refund.amount}")
            return f"refunded {refund.amount}"

        model = ScriptedModel.by_turn(
            [
                ModelReply(tool_calls=(call("c1", "refund_card", order_id="O-1", amount="40"),)),
                ModelReply(content="It is done."),
            ]
        )
        support = Agent(name="support", tools=[refund_card, ask_user], model=model)
        channels: dict[Any, Any] = {approval: self._channels, DOOR: (self._channels[0],)}
        return App(name="office", agents=[support], workflows=[doors], channels=channels, people=self._people)


def call(call_id: str, name: str, **refund: str) -> ToolCallRequest:
    return ToolCallRequest(call_id=call_id, tool=name, arguments=to_json(refund))


QUIET_S = 1.0


@dataclass(slots=True, kw_only=True)
class Office:
    """An app at work in a workspace.

    Attributes:
        leaves: what Slack tells may be left unacknowledged, as when Slack cannot be asked about who did it. Slack learns that
            from the clock alone, so ``settle`` moves it on when all is quiet.
    """

    slack: SlackServer
    kit: Kit
    clock: ManualClock
    desk: Desk
    way: str
    connect: Callable[[], Sequence[SlackConnection]]
    connections: list[SlackConnection] = field(default_factory=list[SlackConnection])
    leaves: bool = False

    async def connected(self) -> None:
        """Return once events come in."""
        if self.way == "socket":
            await self.slack.wait_connected()
            return
        while self.connections[-1].receiver is None:
            await self.slack.wait_settled()
            await self.kit.settle()
        port = self.connections[-1].receiver.port
        await self.slack.set_request_url(f"http://127.0.0.1:{port}/slack/events")

    async def restart(self) -> None:
        """Every object of ours is thrown away; the database and Slack are what is left."""
        await self.kit.close()
        await self.connections[-1].aclose()
        await self.kit.open()
        await self.slack.wait_until(lambda: len(self.slack.sockets.connections) == (self.way == "socket"))
        await self.connected()
        await self.settle()

    async def settle(self) -> None:
        """Return once nothing moves: not in Slack, not on its way, not here."""
        for _ in range(3):
            while self.leaves and not await self.slack.wait_settled_or_left(quiet_s=QUIET_S):
                await self.clock.advance(ms=ACK_WITHIN_MS)
            await self.slack.wait_settled()
            await self.kit.settle()

    async def advance(self, duration: timedelta) -> None:
        await self.clock.advance(ms=int(duration.total_seconds() * 1000))
        await self.settle()

    async def start(self, bot: str = "support", message: Any = "refund O-1", *, owner: str = "olga") -> str:
        session_id = await self.kit.start(bot, message, owner=owner)
        await self.settle()
        return session_id

    def threads(self, channel: str = "#refunds") -> list[Seen]:
        """The first messages of all threads."""
        return [seen for seen in self.slack.seen(channel) if seen.author == "overwinter"]

    def lines(self, channel: str = "#refunds", *, by: str | None = None) -> list[str]:
        """The only thread, line by line, without its first."""
        (root,) = self.threads(channel)
        return self.slack.lines(channel, thread_ts=root.ts, by=by)[1:]

    def question(self, containing: str = "", *, channel: str = "#refunds") -> Message:
        """The only question in whose message a text stands."""
        found = [
            seen
            for root in self.threads(channel)
            for seen in self.slack.seen(channel, thread_ts=root.ts)[1:]
            if containing in seen.text and any(block.get("block_id") == "q:prompt" for block in seen.message.blocks)
        ]
        (seen,) = found
        return seen.message

    def buttons(self, message: Message) -> list[str]:
        """What buttons the message has now."""
        now = self.slack.seen(message.channel, thread_ts=message.thread_ts)
        (seen,) = [seen for seen in now if seen.ts == message.ts]
        return [button.label for button in seen.buttons]

    async def says(self, user: str, text: str, to: Message, *, is_broadcast: bool = False) -> Message:
        """Somebody writes in the thread of a message."""
        said = self.slack.says(user, to.channel, text, thread_ts=to.thread_ts or to.ts, is_broadcast=is_broadcast)
        await self.settle()
        return said

    async def clicks(self, user: str, message: Message, label: str) -> Any:
        """Somebody presses the button of that label, as the message shows it."""
        button = next(
            button
            for seen in self.slack.seen(message.channel, thread_ts=message.thread_ts)
            if seen.ts == message.ts
            for button in seen.buttons
            if button.label == label
        )
        clicked = self.slack.clicks(user, message, button.action_id)
        await self.settle()
        return clicked

    async def outcome(self, session_id: str) -> Any:
        return await self.kit.outcome(session_id)


@contextlib.asynccontextmanager
async def office_at_work(
    path: Path,
    desk: Desk | None = None,
    *,
    way: Literal["socket", "http"] = "socket",
    agent: str | None = None,
    prepare: Callable[[SlackServer], object] | None = None,
    delivering: DeliverySettings | None = None,
    leaves: bool = False,
    read_within_s: float = READ_WITHIN_S,
) -> AsyncGenerator[Office]:
    """An app at work, with mara of finance, tom, and a channel #refunds that all of them are in."""
    clock = ManualClock(SystemClock().now_ms())
    async with SlackServer(clock=clock, checks=STRICT) as slack:
        slack.add_user("mara", email="mara@home.example")
        slack.add_user("tom", email="tom@home.example")
        slack.add_channel("refunds", "mara", "tom")
        slack.add_group("finance", "mara")
        if prepare is not None:
            prepare(slack)
        connections: list[SlackConnection] = []

        def connect() -> Sequence[SlackConnection]:
            client = SlackClient(
                token=slack.app.bot_token,
                clock=clock,
                secrets=(slack.app.app_token, slack.app.signing_secret),
                base_url=slack.base_url,
            )
            ways: dict[str, Way] = {
                "socket": SocketMode(app_token=slack.app.app_token),
                "http": HttpAddress(signing_secrets=(slack.app.signing_secret,), port=0),
            }
            connections.append(
                SlackConnection(client=client, way=ways[way], clock=clock, agent=agent, read_within_s=read_within_s)
            )
            return connections[-1:]

        desk = desk or Desk()
        kit = Kit(build=desk.app, path=path / "office.db", clock=clock, connect=connect, delivering=delivering)
        found = Office(
            slack=slack,
            kit=kit,
            clock=clock,
            desk=desk,
            way=way,
            connect=connect,
            connections=connections,
            leaves=leaves,
        )
        await kit.open()
        try:
            await found.connected()
            yield found
        finally:
            await kit.close()
            for connection in connections:
                await connection.aclose()
