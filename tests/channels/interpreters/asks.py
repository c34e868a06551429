"""Questions for the interpreters' tests, and the cases written for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from overwinter.actors.asks import ApprovalForm, Ask, ChoiceForm, Form

CASES = Path(__file__).parents[2] / "cases" / "interpretation.yaml"
PROMPT = "Approve refund of 1234.56 EUR for order 4471?"
CHOICES = ChoiceForm(choices=("approve", "reject"))
ASKED_AT_MS = 1_772_532_000_000
"""Tuesday, 3 March 2026, 10:00 UTC."""

REFUND_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "amount": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}]},
    },
    "required": ["order_id", "amount"],
    "additionalProperties": False,
}
"""As pydantic makes it for an order id and a ``Decimal`` greater than 0."""


def case(name: str) -> dict[str, Any]:
    """The case whose id begins with ``name`` and an underscore."""
    return next(each for each in yaml.safe_load(CASES.read_text()) if each["id"].startswith(f"{name}_"))


def refund(amount: Any = "80.00", *, schema: dict[str, Any] | None = None, **more: Any) -> ApprovalForm:
    return ApprovalForm(
        tool="refund_card",
        arguments={"order_id": "4471", "amount": amount, **more},
        schema=REFUND_SCHEMA if schema is None else schema,
    )


def ask(form: Form, prompt: str = PROMPT) -> Ask:
    return Ask(
        pause_id="0" * 32,
        role="refund-approval",
        prompt=prompt,
        form=form,
        session_id="s1",
        tenant="t",
        owner="mara",
        bot="office",
        asked_at_ms=ASKED_AT_MS,
    )
