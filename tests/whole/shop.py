"""The refund shop that whole-system tests run: one agent, a gated tool, a record of what really ran."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, Field

from overwinter.actors.ports import Channel, Model
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.tools import Tool, ToolCall, tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole


class Refund(BaseModel):
    order_id: str
    amount: Decimal = Field(gt=0)


class Shop:
    """Builds the app; ``ran`` and ``keys`` outlive every restart of it, as the outside world does."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, str]] = []
        self.keys: list[str] = []
        self.channel = RecordingChannel()

    def app(
        self,
        model: Model,
        *,
        tools: Sequence[Tool] = (),
        channel: Channel | None = None,
        yields: bool = False,
    ) -> App:
        role = ApprovalRole(name="refund-approval", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())

        @tool(asks=role)
        async def refund_card(refund: Refund, call: ToolCall[Any]) -> str:
            """Refund a card payment."""
            self.ran.append((refund.order_id, str(refund.amount)))
            self.keys.append(call.key)
            return f"refunded {refund.amount}"

        agent = Agent(name="support", instructions="Help.", tools=[refund_card, *tools], model=model, yields=yields)
        return App(name="shop", agents=[agent], channels={role: channel or self.channel})
