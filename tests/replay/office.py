"""The app of the recorded sessions. What ran is kept outside it, as the outside world keeps it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from overwinter.actors.joins import FailFast
from overwinter.actors.messages import ModelReply
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.tools import Tool, ToolCall, tool
from overwinter.bots.toolsets.system import ask_user_tool
from overwinter.bots.workflows import Workflow, workflow
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, Approval, ApprovalRole, QuestionRole


class Expense(BaseModel):
    name: str
    amount: Decimal
    day: date


EXPENSES = [
    Expense(name="train", amount=Decimal("80.50"), day=date(2026, 11, 2)),
    Expense(name="hotel", amount=Decimal("120.00"), day=date(2026, 11, 3)),
    Expense(name="lunch", amount=Decimal("9.90"), day=date(2026, 11, 4)),
]


class Office:
    """Builds the app.

    Attributes:
        ran: what the bodies of tools and steps did, in order.
        is_changed: the agents' tool takes one argument more than it did.
        hangs: the body of ``pay_out`` never returns.
    """

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.is_changed = False
        self.hangs = False
        self._models: list[ScriptedModel] = []

    @property
    def model_calls(self) -> int:
        return sum(len(model.requests) for model in self._models)

    @property
    def last_model_saw(self) -> list[tuple[str, str]]:
        """Role and content of each message of the last request."""
        requests = [request for model in self._models for request in model.requests]
        return [(message.role, message.content) for message in requests[-1].messages]

    def app(self) -> App:
        approval = ApprovalRole(name="refund-approval", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())
        director = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)
        channel = RecordingChannel()
        refund = self._refund(approval)
        return App(
            name="office",
            agents=[
                self._agent(
                    "support",
                    [refund, self._look_up()],
                    [
                        calls_all(
                            calls("refund_card", {"order_id": "1", "amount": "10.00"}),
                            calls("look_up", {"order_id": "1"}),
                            calls("refund_card", {"order_id": "2", "amount": "20.00"}),
                        ),
                        says("Both are refunded."),
                        says("You are welcome."),
                    ],
                ),
                self._agent(
                    "clerk", [ask_user_tool()], [calls("ask_user", {"prompt": "Which order?"}), says("Found.")]
                ),
                self._agent("companion", [], [says("Hello."), says("Still here."), says("Bye.")], yields=True),
                self._agent("cashier", [self._pay_out()], [calls("pay_out", {"amount": 5}), says("That is that.")]),
                self._agent("planner", [self._book(approval)], [calls("book", {"room": "a"}), says("Booked.")]),
            ],
            workflows=[self._close_month(director), self._board(director), self._archive()],
            channels={approval: channel, director: channel},
        )

    def _agent(self, name: str, tools: Sequence[Tool], lines: Sequence[ModelReply], *, yields: bool = False) -> Agent:
        model = ScriptedModel.by_turn(lines)
        self._models.append(model)
        return Agent(name=name, instructions="Help.", tools=tools, model=model, yields=yields)

    # -- tools --------------------------------------------------------------------------------------------------------
    def _refund(self, approval: ApprovalRole) -> Tool:
        if self.is_changed:

            @tool(asks=approval)
            async def refund_card(order_id: str, amount: Decimal, currency: str) -> str:
                """Refund a card payment."""
                self.ran.append(f"refund {order_id} {amount} {currency}")
                return f"refunded {amount} {currency}"

            return refund_card

        @tool(asks=approval)
        async def refund_card(order_id: str, amount: Decimal) -> str:
            """Refund a card payment."""
            self.ran.append(f"refund {order_id} {amount}")
            return f"refunded {amount}"

        return refund_card

    def _look_up(self) -> Tool:
        @tool
        async def look_up(order_id: str) -> Expense:
            """Look an order up."""
            self.ran.append(f"look up {order_id}")
            return EXPENSES[0]

        return look_up

    def _pay_out(self) -> Tool:
        @tool(once=True)
        async def pay_out(amount: int) -> str:
            """Pay out of the till."""
            self.ran.append(f"pay out {amount}")
            if self.hangs:
                await asyncio.Event().wait()
            return "paid"

        return pay_out

    def _book(self, approval: ApprovalRole) -> Tool:
        @tool(asks=approval, answer=Approval)
        async def book(call: ToolCall[Approval], room: str) -> str:
            """Book a room; the user confirms."""
            self.ran.append(f"book {room} {call.state['shown']} {call.answer.approved}")
            return f"booked {room}"

        @book.prepare
        async def _(call: ToolCall[Approval], room: str) -> dict[str, Any]:
            self.ran.append("prepare")
            call.state["shown"] = f"for {call.approved_by}"
            return {"room": room.upper()}

        @book.finalize
        async def _(call: ToolCall[Approval]) -> str:
            self.ran.append("finalize")
            return f"confirmed as {call.state['shown']}"

        return book

    # -- workflows ----------------------------------------------------------------------------------------------------
    def _close_month(self, director: QuestionRole[str]) -> Workflow:
        async def fetch(month: str) -> list[Expense]:
            self.ran.append(f"fetch {month}")
            return EXPENSES

        async def book_expense(name: str, verdict: str) -> str:
            self.ran.append(f"book {name} {verdict}")
            return f"{name}: {verdict}"

        async def review(run: Run, expense: Expense) -> str:
            verdict = await run.ask(director, f"Is {expense.amount} of {expense.day:%d %B} for {expense.name} fine?")
            return await run.step(book_expense, expense.name, verdict)

        @workflow(version="1")
        async def close_month(run: Run, month: str) -> list[str]:
            return await run.map(review, await run.step(fetch, month), join=FailFast())

        return close_month

    def _board(self, director: QuestionRole[str]) -> Workflow:
        async def veto() -> str:
            self.ran.append("veto")
            raise ValueError("vetoed")

        async def carry_out(what: str) -> str:
            self.ran.append(f"carry out {what}")
            return what

        async def one(run: Run) -> str:
            return await run.ask(director, "Do you agree?")

        async def other(run: Run) -> str:
            await run.ask(director, "Do you agree?")
            return await run.step(veto)

        @workflow(version="1")
        async def board(run: Run) -> str:
            try:
                await run.gather(one, other, join=FailFast())
            except Exception as error:
                return await run.step(carry_out, await run.ask(director, f"{error}. What now?"))
            return "agreed"

        return board

    def _archive(self) -> Workflow:
        async def note(text: str) -> str:
            self.ran.append("note")
            return text

        @workflow(version="1")
        async def archive(run: Run) -> dict[str, bool]:
            seen = [str(await run.now()), str(await run.random()), str(await run.uuid())]
            noted = await run.step(note, " ".join(seen))
            await run.sleep(timedelta(days=30))
            later = await run.now()
            return {"same": noted == " ".join(seen), "later": str(later) > seen[0]}

        return archive
