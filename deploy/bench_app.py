"""The app that is measured: everything is the product but a model that answers at once and a channel that nobody reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, Self

from pydantic import Field

from ..actors.asks import Ask, AwaitReply, Outcome, Progress, Withdrawal
from ..actors.clock import Clock
from ..actors.messages import ModelReply, ModelRequest
from ..bots.agents import Agent
from ..bots.app import App
from ..bots.scripted_model import calls, says
from ..bots.tools import ToolCall, tool
from ..channels.roles import Answerer, ApprovalRole
from ..store.changes import Advance, AdvanceResult, SettleDelivery, SettleResult
from ..store.rows import SessionStatus
from ..store.store import Store
from .errors import BenchFailedError

BOT = "support"
MESSAGE = "refund order 4471, 80.00"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cycle:
    """What the client of one session waits for.

    Attributes:
        asked: the question was sent, and that is recorded; its id.
        ran: the tool's body runs; when, by the monotonic clock.
        finished: the end of the execution is recorded.
    """

    asked: asyncio.Future[str] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    ran: asyncio.Future[float] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    finished: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Cycles:
    """The sessions whose clients wait, by id; what happens to others is nobody's business."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._by_session: dict[str, Cycle] = {}
        self._by_pause: dict[str, Cycle] = {}

    def add(self, session_id: str) -> Cycle:
        cycle = self._by_session[session_id] = Cycle()
        return cycle

    def drop(self, session_id: str) -> None:
        del self._by_session[session_id]

    def is_sent(self, ask: Ask) -> None:
        self._by_pause[ask.pause_id] = self._by_session[ask.session_id]

    def is_settled(self, pause_id: str) -> None:
        if (cycle := self._by_pause.pop(pause_id, None)) is not None:
            cycle.asked.set_result(pause_id)

    def runs(self, session_id: str) -> None:
        self._by_session[session_id].ran.set_result(self._clock.monotonic_s())

    def rests(self, session_id: str, status: str, reason: str | None) -> None:
        cycle = self._by_session.get(session_id)
        if cycle is None or status == SessionStatus.WAITING:
            return
        if status == SessionStatus.IDLE and reason is None:
            cycle.finished.set_result(None)
            return
        error = BenchFailedError(f"session {session_id} came to rest as {status}: {reason}")
        for future in (cycle.asked, cycle.ran, cycle.finished):
            if not future.done():
                future.set_exception(error)


class WatchedStore(Store):
    """The store, which tells the clients what is committed; nothing is asked of it for them."""

    cycles: Cycles

    @classmethod
    async def open_watched(cls, path: Any, *, cycles: Cycles) -> Self:
        store = await cls.open(path)
        store.cycles = cycles
        return store

    async def advance(self, change: Advance) -> AdvanceResult:
        result = await super().advance(change)
        if change.rest is not None and result.rested:
            self.cycles.rests(change.session_id, change.rest.status, change.rest.reason)
        return result

    async def settle_delivery(self, change: SettleDelivery) -> SettleResult:
        result = await super().settle_delivery(change)
        if change.delivery.kind == "post" and change.outcome == "sent":
            self.cycles.is_settled(change.delivery.pause_id)
        return result


class _StubModel:
    """Calls the tool, and says so when it has run."""

    def __init__(self) -> None:
        self._call = calls("refund_card", {"order_id": "4471", "amount": "80.00"})
        self._end = says("Your refund is on its way.")

    async def reply(self, request: ModelRequest) -> ModelReply:
        return self._end if request.messages[-1].role == "tool" else self._call


class _StubChannel:
    """Takes a question and says at once that it is out."""

    name = "stub"

    def __init__(self, sent: Callable[[Ask], None]) -> None:
        self._sent = sent

    async def send(self, ask: Ask) -> Outcome:
        self._sent(ask)
        return AwaitReply()

    async def update(self, progress: Progress) -> None:
        """Nobody has read it."""

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        """Nobody has read it."""


def bench_app(cycles: Cycles) -> App:
    role = ApprovalRole(name="refund-approval", answered_by=Answerer.CHANNEL)

    @tool(asks=role)
    async def refund_card(order_id: str, amount: Annotated[Decimal, Field(gt=0)], call: ToolCall[Any]) -> str:
        """Refund a card payment."""
        cycles.runs(call.session_id)
        return f"Refunded {amount} for order {order_id}."

    agent = Agent(name=BOT, instructions="Help customers.", tools=[refund_card], model=_StubModel())
    return App(name="bench", agents=[agent], channels={role: _StubChannel(cycles.is_sent)})
