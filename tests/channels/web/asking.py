"""Questions for the page's tests."""

from __future__ import annotations

from typing import Any

from overwinter.actors.asks import ApprovalForm, Ask, Form, JsonValue
from overwinter.actors.questions import AskedQuestion
from overwinter.store.rows import AnswererKind

APPROVAL = ApprovalForm(tool="refund", arguments={"order": 4471}, schema={"type": "object"})


def asked(form: Form = APPROVAL, *, prompt: str = "Refund?", summary: str | None = None, **ask: Any) -> AskedQuestion:
    values: dict[str, Any] = {
        "pause_id": "0" * 32,
        "role": "refund-approval",
        "prompt": prompt,
        "form": form,
        "session_id": "s1",
        "tenant": "default",
        "owner": "olga",
        "bot": "support",
        "asked_at_ms": 0,
    }
    return AskedQuestion(
        ask=Ask(**values | ask),
        answerer=AnswererKind.CHANNEL,
        channels=("mail",),
        refs={},
        is_open=summary is None,
        summary=summary,
        resolution=None if summary is None else "decided",
        responder=None,
        decision=None,
        resolved_at_ms=None if summary is None else 1_767_225_600_000,
    )


def approval(approved: bool, reason: str | None = None) -> dict[str, JsonValue]:
    return {"approved": approved, "reason": reason, "override_arguments": None}
