"""The app that is measured: everything is the product but a model that answers at once and a channel that nobody reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
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
_PREFIX = "bench-"


# -- what a client waits for -------------------------------------------------------------------------------------------
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


class What(StrEnum):
    """What can be seen of a session."""

    ASKED = "asked"
    RUNS = "runs"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What a process has seen of a session; the client that waits for it may be in another.

    Attributes:
        text: of a question its id, of a failure the reason; else empty.
    """

    session_id: str
    what: What
    text: str = ""


class Cycles:
    """The sessions whose clients wait, by id; what happens to others is told to the process that has the client.

    Args:
        process: which of the processes that measure together this is; those are numbered from 0.
    """

    def __init__(self, *, clock: Clock, process: int = 0) -> None:
        self._clock = clock
        self._process = process
        self._tell: Callable[[int, Sight], None] | None = None
        self._by_session: dict[str, Cycle] = {}
        self._asking: dict[str, str] = {}
        self._added = 0

    def tell_by(self, tell: Callable[[int, Sight], None]) -> None:
        """From now on pass sights on by ``tell``, which is given the number of the process."""
        self._tell = tell

    def add(self) -> tuple[str, Cycle]:
        """A new session's id, and what its client waits for."""
        self._added += 1
        session_id = f"{_PREFIX}{self._process}-{self._added:09d}"
        cycle = self._by_session[session_id] = Cycle()
        return session_id, cycle

    def drop(self, session_id: str) -> None:
        del self._by_session[session_id]

    def is_sent(self, ask: Ask) -> None:
        self._asking[ask.pause_id] = ask.session_id

    def is_settled(self, pause_id: str) -> None:
        if (session_id := self._asking.pop(pause_id, None)) is not None:
            self.see(Sight(session_id=session_id, what=What.ASKED, text=pause_id))

    def runs(self, session_id: str) -> None:
        self.see(Sight(session_id=session_id, what=What.RUNS))

    def rests(self, session_id: str, status: str, reason: str | None) -> None:
        if status == SessionStatus.WAITING:
            return
        if status == SessionStatus.IDLE and reason is None:
            self.see(Sight(session_id=session_id, what=What.FINISHED))
        else:
            self.see(Sight(session_id=session_id, what=What.FAILED, text=f"{status}: {reason}"))

    def see(self, sight: Sight) -> None:
        """Tell the client of it, here or there."""
        process = int(sight.session_id.removeprefix(_PREFIX).partition("-")[0])
        if process != self._process:
            assert self._tell is not None
            self._tell(process, sight)
        elif (cycle := self._by_session.get(sight.session_id)) is not None:
            self._show(cycle, sight)

    def _show(self, cycle: Cycle, sight: Sight) -> None:
        match sight.what:
            case What.ASKED:
                cycle.asked.set_result(sight.text)
            case What.RUNS:
                cycle.ran.set_result(self._clock.monotonic_s())
            case What.FINISHED:
                cycle.finished.set_result(None)
            case What.FAILED:
                error = BenchFailedError(f"session {sight.session_id} came to rest as {sight.text}")
                for future in (cycle.asked, cycle.ran, cycle.finished):
                    if not future.done():
                        future.set_exception(error)


# -- what is measured --------------------------------------------------------------------------------------------------
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
