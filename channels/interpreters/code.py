"""Replies read by a function of the author's own."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable

from ...actors.asks import Ask, NotUnderstood, Reading, Understood
from ...actors.errors import BudgetExceededError
from ...actors.failures import text_of

ReadFunction = Callable[[Ask, str], Reading | Awaitable[Reading]]


class CodeInterpreter:
    """Asks a function, plain or ``async``, that is given the ask and the reply and returns a reading.

    Whatever it raises, and whatever else it returns, is not understood, with the cause kept: a fault in a reader must
    neither decide a question nor lose the reply. Only ``BudgetExceededError``, from a model that it asks, is raised on.
    """

    def __init__(self, function: ReadFunction) -> None:
        self._function = function

    @property
    def function(self) -> ReadFunction:
        return self._function

    async def read(self, ask: Ask, reply: str) -> Reading:
        try:
            made = self._function(ask, reply)
            reading = await made if inspect.isawaitable(made) else made
        except BudgetExceededError:
            raise
        except Exception as err:  # the function is a stranger's: G19 wants its crash to read as "not understood"
            return _broken(f"{type(err).__module__}.{type(err).__qualname__}: {text_of(err)}")
        match reading:
            case Understood() | NotUnderstood():
                return reading
            case _:  # pyright: ignore[reportUnnecessaryComparison]  a stranger's function may return anything
                return _broken(f"the function returned {type(reading).__name__}, not a reading")


def _broken(cause: str) -> NotUnderstood:
    return NotUnderstood(reason="The reply could not be read.", by="code", cause=cause)
