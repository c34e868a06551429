"""Replies read by a language model, which is believed only as far as the reply itself bears it out."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from ...actors.asks import Ask, NotUnderstood, Reading
from ...actors.budgets import Budget, Meter
from ...actors.errors import BudgetExceededError
from ...actors.ports import Model
from ...store.errors import OverwinterError
from .answer_tool import Broken, Cut, Nothing, Said, answer_tool, request_of, said_in
from .asking import hidden_of, model_within
from .vetoes import checked_reading

_MOST_RETRIES = 2
_UNREADABLE = "The reply could not be read just now. Please answer with a plain yes or no, or in the form."


class ModelInterpreter:
    """Lets a model read the reply through one answer tool, then checks what it says.

    It never raises for what a model does: no model, an unavailable one, refusals and broken calls are all "not
    understood" with the cause kept, and the person's own words stay where they are. A budget that is used up is raised
    (``budget.exceeded``), before the model is asked.

    Args:
        instructions: what the author wants the model to know; never mixed with the reply.
        model: what to ask; None until the app gives its default model at assembly.
        model_name: the vendor's name of the model; None for the client's default.
        max_tokens: most tokens of one answer; a cut answer is tried once with twice as many.
        budget: how much may be asked in all; None for any amount. Each try is a call.
    """

    def __init__(
        self,
        instructions: str,
        *,
        model: Model | None = None,
        model_name: str | None = None,
        max_tokens: int = 800,
        budget: Budget | None = None,
    ) -> None:
        self._instructions = instructions
        self._model = model
        self._model_name = model_name
        self._max_tokens = max_tokens
        self._budget = budget

    @property
    def is_bound(self) -> bool:
        """It has a model to ask."""
        return self._model is not None

    @property
    def budget(self) -> Budget | None:
        return self._budget

    def bound_to(self, model: Model | None, *, meter: Meter | None = None) -> ModelInterpreter:
        """This interpreter with ``model`` to ask, within its budget; one that has a model already keeps its own."""
        chosen = model_within(self._model or model, self._budget, meter)
        if chosen is self._model:
            return self
        return ModelInterpreter(
            self._instructions,
            model=chosen,
            model_name=self._model_name,
            max_tokens=self._max_tokens,
            budget=None if meter is not None else self._budget,
        )

    async def read(self, ask: Ask, reply: str) -> Reading:
        if self._model is None:
            return unread("no model was given to the interpreter")
        hidden = hidden_of(ask, reply)
        request = request_of(
            ask, hidden, instructions=self._instructions, model=self._model_name, max_tokens=self._max_tokens
        )
        tool = answer_tool(ask.form)
        cut, broken, causes = 0, 0, list[str]()
        while len(causes) <= _MOST_RETRIES:
            try:
                said = said_in(hidden.revealed(await self._model.reply(request)), tool)
            except BudgetExceededError:
                raise
            except OverwinterError as err:
                return unread(f"{err.code}: {err}")
            match said:
                case Said(arguments=arguments):
                    return checked_reading(ask.form, ask.prompt, reply, arguments)
                case Cut():
                    cut += 1
                    causes.append(f"cut off at {request.max_tokens} tokens")
                    request = replace(request, max_tokens=2 * self._max_tokens)
                case Broken(cause=cause):
                    broken += 1
                    causes.append(cause)
                case Nothing(cause=cause):
                    causes.append(cause)
                case _:
                    assert_never(said)
            if cut > 1 or broken > 1:
                break
        return unread("; ".join(causes))


def unread(cause: str) -> NotUnderstood:
    """A model could not be asked, or gave nothing to go by."""
    return NotUnderstood(reason=_UNREADABLE, by="model", cause=cause)
