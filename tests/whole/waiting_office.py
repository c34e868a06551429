"""A bot that pays with somebody's approval, and the people who are slow to give it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.store.rows import DeliveryRow

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
YES: dict[str, Any] = {"approved": True}


class Office:
    """One approval role, asked in ``desk`` (and in ``lobby`` where there are two channels), escalated to ``board``.

    Args:
        role: what the role says, beside who answers.
    """

    def __init__(self, path: Path, *, channels: int = 1, escalate_after: timedelta | None = None, **role: Any) -> None:
        self.paid: list[str] = []
        self.desk, self.lobby, self.board = (RecordingChannel(name=name) for name in ("desk", "lobby", "board"))
        self._channels = [self.desk, self.lobby][:channels]
        wanted: dict[str, Any] = {"answered_by": Answerer.CHANNEL, **role}
        if escalate_after is not None:
            wanted |= {"escalate_to": self.board, "escalate_after": escalate_after}
        self.role = ApprovalRole(name="payments", **wanted)
        self.kit = Kit(build=self.app, path=path / "office.db")

    def app(self) -> App:
        @tool(asks=self.role)
        async def pay(amount: str) -> str:
            """Pay."""
            self.paid.append(amount)
            return f"paid {amount}"

        model = ScriptedModel.by_turn([calls("pay", {"amount": "80.00"}), says("done")])
        return App(
            name="office",
            agents=[Agent(name="clerk", tools=[pay], model=model)],
            channels={self.role: self._channels},
        )

    @asynccontextmanager
    async def asked(self) -> AsyncGenerator[str]:
        """Ask; gives the session's id."""
        async with self.kit.running():
            yield await self.kit.start("clerk", "pay the rent")

    async def answer(self, channel: str | None, *, by: str = "mara", decision: Any = YES) -> None:
        """Answer as somebody of a channel, and let the session go on; None says no channel."""
        await self.give(channel, by=by, decision=decision)
        await self.kit.settle()

    async def give(self, channel: str | None, *, by: str = "mara", decision: Any = YES) -> None:
        """Answer, and wait for nothing."""
        (pause,) = await self.kit.pending()
        await self.kit.runtime.answering.answer(
            tenant=self.kit.tenant,
            pause_id=pause.pause_id,
            answer=Decision(value=decision),
            credential=ChannelCredential(answered_by=by, channel=channel),
        )

    async def returned(self, channel: str) -> bool:
        """The question comes back from a channel; True if nobody has it any more."""
        (pause,) = await self.kit.pending()
        is_stranded = await self.kit.runtime.answering.returned(
            tenant=self.kit.tenant, pause_id=pause.pause_id, channel=channel, reason="no such mailbox"
        )
        await self.kit.settle()
        return is_stranded

    async def deliveries(self, session_id: str) -> dict[tuple[str, str], DeliveryRow]:
        """By channel and kind."""
        timeline = await self.kit.timeline(session_id)
        return {(row.channel, row.kind): row for row in timeline.deliveries}
