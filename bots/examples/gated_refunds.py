"""A bot whose refunds pass a policy in Rego and a judge before they run.

    overwinter chat overwinter.bots.examples.gated_refunds:app

Small refunds run at once. For larger ones a model judges whether a person must be asked; large ones wait for a while, in which
they can be cancelled; and beyond a ceiling nothing runs. It needs no key: both models are scripts. ``CASES`` are what its
policies are tested with: ``overwinter policy test``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from ...actors.messages import ModelReply, ModelRequest
from ...channels.interpreters.rules import RulesInterpreter
from ...channels.roles import Answerer, ApprovalRole
from ...channels.terminal import TerminalChannel
from ..agents import Agent
from ..app import App
from ..policies.judge import VERDICT_TOOL, Judge
from ..policies.rego import Rego
from ..scripted_model import ScriptedModel, calls, says
from ..tools import ToolCall, tool
from .refund import pay_back

ANSWER_COMMAND = "overwinter answer {pause} 'yes' --as mara --app overwinter.bots.examples.gated_refunds:app"

POLICY = """
package refunds
import rego.v1

amount := to_number(input.arguments.amount)

verdict := {"verdict": "deny", "reason": sprintf("refunds over %v are not for bots", [data.ceiling])} if amount > data.ceiling

verdict := {
    "verdict": "schedule",
    "correlation_id": sprintf("refund:%s", [input.call_id]),
    "due_in_s": data.cooling_off_s,
    "reason": "large refunds cool off first",
} if {
    amount > data.large
    amount <= data.ceiling
}

verdict := true if amount <= data.large
"""

LIMITS = {"large": 200, "ceiling": 1000, "cooling_off_s": 2}


def build(journal: Path, write: Callable[[str], None] | None = None) -> App:
    """The app.

    Args:
        journal: where refunds are noted, one JSON object a line.
        write: puts a question before the manager; None writes to the terminal (stderr).
    """
    manager = ApprovalRole(name="manager", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())

    @tool(
        gates=[
            Rego(name="limits", policy=POLICY, rule="data.refunds.verdict", data=LIMITS, asks=manager),
            Judge(
                name="regulars",
                instructions="A refund may run if it is at most 50, or the reason says that the goods came back.",
                asks=manager,
                model=ScriptedModel(_judged),
            ),
        ]
    )
    async def refund_card(
        order_id: str, amount: Annotated[Decimal, Field(gt=0)], reason: str, call: ToolCall[Any]
    ) -> str:
        """Refund a card payment."""
        pay_back(journal, order_id=order_id, amount=amount, idempotency_key=call.key)
        return f"Refunded {amount} for order {order_id} ({reason})."

    support = Agent(
        name="support",
        instructions="Help customers who want their money back.",
        tools=[refund_card],
        model=ScriptedModel(_replied),
    )
    return App(
        name="gated-refunds",
        agents=[support],
        channels={manager: TerminalChannel(write=write or print, command=ANSWER_COMMAND)},
    )


def _judged(request: ModelRequest) -> ModelReply:
    """The judge: a script, in place of a model that costs money."""
    arguments = json.loads(request.messages[-1].content)["arguments"]
    if Decimal(arguments["amount"]) <= 50:
        return calls(VERDICT_TOOL, {"verdict": "may_run", "reason": "at most 50"})
    if "came back" in arguments["reason"]:
        return calls(VERDICT_TOOL, {"verdict": "may_run", "reason": "the goods came back"})
    return calls(VERDICT_TOOL, {"verdict": "ask_a_person", "reason": "over 50, and the goods have not come back"})


def _replied(request: ModelRequest) -> ModelReply:
    """The agent: reads an order, an amount and a reason out of the customer's words."""
    last = request.messages[-1]
    if last.role == "tool":
        return says(last.content.splitlines()[0])
    found = re.search(r"order (\d+), (\d+[.]\d\d)(?:, (.*))?", last.content)
    if found is None:
        return says("Which order, how much and why? As in: order 4471, 80.00, the goods came back")
    order_id, amount, reason = found.groups()
    return calls("refund_card", {"order_id": order_id, "amount": amount, "reason": reason or "none given"})


app = build(Path("refunds.jsonl"))
