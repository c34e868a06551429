"""What a branch does when it fails: handlers by the class of the error, or of anything that led to it.

The entries are tried in the order in which they were given, as the ``except`` clauses of a ``try`` are: put the more special one
first. What led to an error is its cause chain, and for a failed step or child what that had raised, so a handler for
``ConnectionError`` gets the ``StepFailedError`` of a step that could not connect.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from .failures import causes_of
from .step_errors import class_name

RunT = TypeVar("RunT")
T = TypeVar("T")

ErrorHandlers = Mapping[type[Exception], Callable[[RunT, Exception], Coroutine[Any, Any, T]]]


BranchCall = Callable[[Any, int], Coroutine[Any, Any, Any]]
"""Makes the coroutine of one branch of a join: its run, and its place."""


def handler_for(
    error: Exception, handlers: ErrorHandlers[RunT, T]
) -> Callable[[RunT, Exception], Coroutine[Any, Any, T]] | None:
    """The first that fits. It goes by names, as a replay must: a recorded error has nothing else."""
    causes = causes_of(error)
    return next((handler for cls, handler in handlers.items() if class_name(cls) in causes), None)


async def handled(call: BranchCall, handlers: ErrorHandlers[Any, Any], run: Any, at: int) -> Any:
    """A branch that goes on with the first handler that fits when it fails."""
    try:
        return await call(run, at)
    except Exception as error:
        if (handler := handler_for(error, handlers)) is None:
            raise
        return await handler(run.handling(), error)
