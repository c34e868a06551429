"""Runs one step and says what came of it, as a value."""

from __future__ import annotations

import asyncio

from ..store.values import value
from .failures import step_error_of as step_error_of
from .operations import Step, StepError


@value
class StepOutcome:
    """What one step came to: its result as JSON text, or how it failed (with the exception, for this process only).

    Neither is there of a step that must not start twice and whose time ran out: whether it took effect is unknown.
    """

    key: str
    text: str | None
    error: StepError | None = None
    cause: BaseException | None = None


async def perform(step: Step) -> StepOutcome:
    """Run the step's function under its time-out and store its result.

    A step is the author's code: whatever it raises becomes its recorded outcome, so that it is not run again and again for
    want of one. A cancellation is an outcome only where the step made it itself; one of this task is not.
    """
    limit = asyncio.timeout(step.timeout_s)
    try:
        async with limit:
            value = await step.call()
        return StepOutcome(key=step.key, text=step.codec.dump(value, where=step.key))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if is_cancelled(error):
            raise
        if step.is_once and limit.expired():
            return StepOutcome(key=step.key, text=None)
        return StepOutcome(key=step.key, text=None, error=step_error_of(error), cause=error)


def is_cancelled(error: BaseException) -> bool:
    """Whether the running task is being cancelled from outside; author's code may raise a CancelledError of its own."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0
