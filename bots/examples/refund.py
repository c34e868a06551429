"""A bot that refunds cards, and asks a manager before it does.

    overwinter chat overwinter.bots.examples.refund:app

It runs without a key: its model is a script that reads the conversation, so it goes on after a restart as a real one would.
What was paid back is written to a file, which stands for the payment provider.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from ...actors.messages import Message, ModelReply, ModelRequest
from ...actors.reception import AnyChannel
from ...channels.interpreters.rules import RulesInterpreter
from ...channels.roles import Answerer, ApprovalRole
from ...channels.terminal import TerminalChannel
from ..agents import Agent
from ..app import App
from ..scripted_model import ScriptedModel, calls, says
from ..tools import ToolCall, tool
from ..toolsets.system import ask_user_tool

ANSWER_COMMAND = "overwinter answer {pause} 'ok, but only half' --as mara --app overwinter.bots.examples.refund:app"


def build(journal: Path, write: Callable[[str], None] | None = None, *, channel: AnyChannel | None = None) -> App:
    """The app.

    Args:
        journal: where refunds are noted, one JSON object a line.
        write: puts a question before the manager; None writes to the terminal (stderr).
        channel: where the manager is asked in place of the terminal.
    """
    refund_approval = ApprovalRole(
        name="refund-approval",
        answered_by=Answerer.CHANNEL,
        interpreter=RulesInterpreter(),
        prompt="A customer wants a refund ({arguments}). Approve?",
    )

    @tool(asks=refund_approval)
    async def refund_card(order_id: str, amount: Annotated[Decimal, Field(gt=0)], call: ToolCall[Any]) -> str:
        """Refund a card payment."""
        pay_back(journal, order_id=order_id, amount=amount, idempotency_key=call.key)
        return f"Refunded {amount} for order {order_id}."

    support = Agent(
        name="support",
        instructions="Help customers who want their money back.",
        tools=[refund_card, ask_user_tool()],
        model=ScriptedModel(reply_to),
    )
    manager = TerminalChannel(write=write or _write_to_terminal, command=ANSWER_COMMAND)
    return App(name="refunds", agents=[support], channels={refund_approval: channel or manager})


def pay_back(journal: Path, *, order_id: str, amount: Decimal, idempotency_key: str) -> None:
    """What a payment provider does: the same key again changes nothing."""
    entry = {"order_id": order_id, "amount": str(amount), "idempotency_key": idempotency_key}
    if entry not in paid_back(journal):
        with journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def paid_back(journal: Path) -> list[dict[str, str]]:
    """Every refund so far."""
    if not journal.exists():
        return []
    return [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]


# -- the model: a script, in place of one that costs money -------------------------------------------------------------
def reply_to(request: ModelRequest) -> ModelReply:
    """The next thing to say or do, from what has been said since the customer's last message."""
    messages = request.messages
    since = list(takewhile(lambda message: message.role != "user", reversed(messages)))
    asked = next((message.content for message in reversed(messages) if message.role == "user"), "")
    if _called(since, "refund_card"):
        result = since[0].content.splitlines()[0]
        return says(result if result.startswith("Refunded") else "I am sorry, your refund was not approved.")
    if _called(since, "ask_user"):
        asked = f"{asked} {since[0].content}"
    order_id = re.search(r"\b\d{3,}\b(?![.,]\d)", asked)
    amount = re.search(r"\b\d+[.,]\d\d\b", asked)
    if order_id and amount:
        return calls("refund_card", {"order_id": order_id[0], "amount": amount[0].replace(",", ".")})
    if _called(since, "ask_user"):
        return says("Sorry, I need an order number and an amount, as in: refund order 4471, 80.00")
    return calls("ask_user", {"prompt": "Which order is it, and how much do you want back? As in: order 4471, 80.00"})


def _called(since: list[Message], tool_name: str) -> bool:
    return any(call.tool == tool_name for message in since for call in message.tool_calls)


def _write_to_terminal(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


app = build(Path("refunds.jsonl"))
