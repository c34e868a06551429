"""What the demonstration says of each step: pure functions from steps to lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from ...actors.asks import JsonValue
from ..demo import CUSTOMER, REQUEST, Played, Step

WAITING: Mapping[str, str] = {
    "begun": "A process starts, to run the refund bot ...",
    "asked": "The bot goes to sleep ...",
    "killed": "Another process takes the answer down ...",
    "typed": "Another process takes the answer down ...",
    "interpreted": "A new process starts ...",
}
"""What goes on after a step, for as long as it takes."""


def opening() -> list[str]:
    return [f"{CUSTOMER.title()}, a customer, writes: {REQUEST}", ""]


def is_numbered(step: Step) -> bool:
    """Whether it is a step of the story to count; how a reply was read belongs to the reply."""
    return step.step != "interpreted"


def words_of(step: Step, *, number: int) -> list[str]:
    """The lines for one step.

    Args:
        number: which step of the story it is, from 1 on.
    """
    facts = step.facts
    match step.step:
        case "asked":
            question = [f"    {line}" for line in facts["question"].splitlines()]
            return [f"{number}. The bot, in process {step.pid}, may not pay by itself. It asks the manager:", *question]
        case "hibernated":
            kilobytes = facts["database_bytes"] // 1024
            return [
                f"{number}. It hibernates: {facts['sessions_in_memory']} sessions in the memory of process {step.pid}, "
                f"{facts['pauses_pending']} question in the database ({kilobytes} kB)."
            ]
        case "killed":
            return [f"{number}. Process {step.pid} is killed ({facts['signal']}). Nothing runs any more."]
        case "answered":
            return [f'{number}. The manager, {facts["by"]}, answers in process {step.pid}: "{facts["reply"]}"']
        case "interpreted":
            return [f"   {_reading(facts)}"]
        case "asked_again":
            return [
                f"{number}. The question still waits ({facts['pauses_pending']} in the database), and is asked again."
            ]
        case "revived":
            return [f"{number}. A new process, {step.pid}, finds the answer and goes on where the bot stood."]
        case "tool_ran":
            key = facts["idempotency_key"]
            return [
                f"{number}. The tool runs, with what was approved: refund {facts['amount']} for order {facts['order_id']}",
                f"   (idempotency key {key}).",
            ]
        case "finished":
            return [f"{number}. The bot tells the customer: {facts['reply']}"]
        case other:
            return [f"{other}: {facts}"]


def ending(played: Played) -> str:
    match played.outcome:
        case "approved":
            return "Approved, and refunded."
        case "rejected":
            return "Rejected: the tool has not run."
        case "asked_again":
            return "Asked again: nothing was decided, and the tool has not run."
        case _:
            assert_never(played.outcome)


def _reading(facts: dict[str, JsonValue]) -> str:
    match facts["decision"]:
        case {"approved": True, "override_arguments": None}:
            return f"Read by {facts['by']} as: approved, as it was asked."
        case {"approved": True, "override_arguments": arguments}:
            changed = ", ".join(f"{name} {value}" for name, value in arguments.items())
            return f"Read by {facts['by']} as: approved, but with {changed}."
        case {"approved": False}:
            return f"Read by {facts['by']} as: rejected."
        case _:
            return f"It settles nothing: {facts['reason']}"
