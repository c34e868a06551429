"""Questions and people for the tests of Slack, and the cases written for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from overwinter.actors.asks import AnswerForm, ApprovalForm, Ask, ChoiceForm, Form
from overwinter.channels.slack.events import Ourselves

CASES = Path(__file__).parents[2] / "cases"
ASKED_AT_MS = 1_772_529_120_000
"""When Q-1042 of the cases was posted: 3 March 2026, 09:12 UTC."""
PAUSE = "0123456789abcdef0123456789abcdef"
CHANNEL = "slack-ops"
US = Ourselves(app_id="A0APP", user_id="U0BOT", bot_id="B0SELF")

REFUND_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string", "description": "As printed on the receipt."},
        "amount": {
            "anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "pattern": r"^\d+\.\d{2}$"}]
        },
        "urgent": {"type": "boolean", "default": False},
        "reason": {"$ref": "#/$defs/Reason"},
        "due": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "copies": {"type": "integer", "minimum": 1, "maximum": 9},
        "customer": {"$ref": "#/$defs/Customer"},
    },
    "required": ["order_id", "amount"],
    "additionalProperties": False,
    "$defs": {
        "Reason": {"type": "string", "enum": ["broken", "late", "other"]},
        "Customer": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
            "additionalProperties": False,
        },
    },
}
"""As pydantic writes it for a model with all kinds of fields."""


def cases(stem: str = "slack") -> list[dict[str, Any]]:
    return yaml.safe_load((CASES / f"{stem}.yaml").read_text())


def case(name: str, stem: str = "slack") -> dict[str, Any]:
    """The case whose id begins with ``name`` and an underscore."""
    return next(each for each in cases(stem) if each["id"].startswith(f"{name}_"))


def approval(
    arguments: dict[str, Any], *, tool: str = "refund_card", schema: dict[str, Any] | None = None
) -> ApprovalForm:
    return ApprovalForm(tool=tool, arguments=arguments, schema=REFUND_SCHEMA if schema is None else schema)


def refund(**more: Any) -> ApprovalForm:
    return approval({"order_id": "4471", "amount": "80.00", **more})


def choice(*choices: str) -> ChoiceForm:
    return ChoiceForm(choices=choices)


def answer(schema: dict[str, Any]) -> AnswerForm:
    return AnswerForm(schema=schema)


def ask(form: Form | None = None, prompt: str = "Refund order 4471?", **more: Any) -> Ask:
    plain = Ask(
        pause_id=PAUSE,
        role="refund-approval",
        prompt=prompt,
        form=form or refund(),
        session_id="s1",
        tenant="acme",
        owner="ana@corp.example",
        bot="support",
        asked_at_ms=ASKED_AT_MS,
        deadline_at_ms=ASKED_AT_MS + 3_600_000,
    )
    return replace(plain, **more)
