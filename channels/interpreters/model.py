"""Replies read by a language model, which is believed only as far as the reply itself bears it out."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from ...actors.asks import Ask, NotUnderstood, Reading
from ...actors.errors import ModelUnavailableError
from ...actors.ports import Model
from .answer_tool import Broken, Cut, Nothing, Said, answer_tool, request_of, said_in
from .vetoes import checked_reading

_MOST_RETRIES = 2
_UNREADABLE = "The reply could not be read just now. Please answer with a plain yes or no, or in the form."


class ModelInterpreter:
    """Lets a model read the reply through one answer tool, then checks what it says.

    It never raises for what a model does: no model, an unavailable one, refusals and broken calls are all "not
    understood" with the cause kept, and the person's own words stay where they are.

    Args:
        instructions: what the author wants the model to know; never mixed with the reply.
        model: what to ask; None until the app gives its default model at assembly.
        model_name: the vendor's name of the model; None for the client's default.
        max_tokens: most tokens of one answer; a cut answer is tried once with twice as many.
    """

    def __init__(
        self, instructions: str, *, model: Model | None = None, model_name: str | None = None, max_tokens: int = 800
    ) -> None:
        self._instructions = instructions
        self._model = model
        self._model_name = model_name
        self._max_tokens = max_tokens

    @property
    def is_bound(self) -> bool:
        """It has a model to ask."""
        return self._model is not None

    def bound_to(self, model: Model) -> ModelInterpreter:
        """This interpreter with ``model`` to ask; one that has a model already keeps its own."""
        if self._model is not None:
            return self
        return ModelInterpreter(
            self._instructions, model=model, model_name=self._model_name, max_tokens=self._max_tokens
        )

    async def read(self, ask: Ask, reply: str) -> Reading:
        if self._model is None:
            return _unread("no model was given to the interpreter")
        request = request_of(
            ask, reply, instructions=self._instructions, model=self._model_name, max_tokens=self._max_tokens
        )
        tool = answer_tool(ask.form)
        cut, broken, causes = 0, 0, list[str]()
        while len(causes) <= _MOST_RETRIES:
            try:
                said = said_in(await self._model.reply(request), tool)
            except ModelUnavailableError as err:
                return _unread(f"{err.code}: {err}")
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
        return _unread("; ".join(causes))


def _unread(cause: str) -> NotUnderstood:
    return NotUnderstood(reason=_UNREADABLE, by="model", cause=cause)
