"""A step that must not start twice, was started, and left no result: what is waited for then, and what comes of it.

Its process died, or its time ran out: whether it took effect nobody here can know. So its branch waits, visibly, until an
operator has looked, and says what it returned or that it failed; that is then the step's recorded result. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..store.errors import OverwinterError
from ..store.rows import AnswererKind, PauseKind
from .branches import Record
from .events import EventKind
from .failures import raised_body
from .jsontext import to_json
from .operations import Step, StepError, Wait, WaitResult, reason_of

ROLE = "settle"

INDETERMINATE = StepError(
    kind="Indeterminate",
    detail="it was started, and no result of it was recorded; whether it took effect is unknown",
    cause_code="step.indeterminate",
)
"""What is known of a step that must never start twice and whose first run left no result."""


@dataclass(eq=False, slots=True, kw_only=True)
class Settlement(Wait):
    """The wait for what an operator says of a step. Its key is the step's."""

    step: Step


def settlement_of(step: Step) -> Settlement:
    return Settlement(
        key=step.key,
        frame=step.frame,
        pause_kind=PauseKind.SETTLE,
        role=ROLE,
        prompt=f"{step.key} was started and left no result",
        makes_form=None,
        answerer=AnswererKind.NOBODY,
        channel=None,
        due_in_ms=None,
        details={"call_id": step.call_id},
        step=step,
    )


def settled(settlement: Settlement, result: WaitResult) -> tuple[Record, StepError | None]:
    """What becomes of the step: the event that keeps it, and its error if it has failed."""
    step = settlement.step
    answer: Any = result.answer
    match result.resolution, answer:
        case "decided", {"outcome": "returned", "result": said}:
            text = to_json(said if step.settles is None else step.settles(said))
            try:
                step.codec.load(text)
            except OverwinterError as error:
                return _failed(step, f"what {result.responder} says it returned cannot be its result: {error}")
            return Record(kind=step.kind, key=step.key, body_json=text), None
        case "decided", {"outcome": "failed", "detail": detail}:
            return _failed(step, f"{result.responder} has found that it failed: {detail}")
        case _:
            return _failed(step, f"{INDETERMINATE.detail} ({reason_of(result)})")


def _failed(step: Step, detail: str) -> tuple[Record, StepError]:
    error = StepError(kind=INDETERMINATE.kind, detail=detail, cause_code=INDETERMINATE.cause_code)
    return Record(kind=EventKind.STEP_RAISED, key=step.key, body_json=to_json(raised_body(error))), error
