"""How a model is asked about a reply: which model, on whose behalf, and in what form the reply is put before it.

The author's instructions stand alone in the system message and never change with a reply. The question and the reply are
data: one JSON object in a user message, with everything invisible taken out and every character escaped that any prompt
format uses as a delimiter, so no reply can end its own quotation.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

from ...actors.asks import ApprovalForm, Ask, JsonValue
from ...actors.budgets import Budget, Meter
from ...actors.messages import ModelCaller
from ...actors.ports import Model
from ..privacy import HiddenQuestion
from .text import without_hidden

_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_DELIMITERS = re.compile(r"[<>\[\]{}|`&#]")


def model_within(model: Model | None, budget: Budget | None, meter: Meter | None) -> Model | None:
    """The model, counted by the meter if it has a budget."""
    if model is None or budget is None or meter is None:
        return model
    return meter.metered(model, budget=budget)


def caller_of(ask: Ask) -> ModelCaller:
    """The step that waits for the answer, as the one on whose behalf a model reads it. Each reading is a call of its own."""
    return ModelCaller(
        name=f"reply-interpreter:{ask.role}",
        tenant=ask.tenant,
        owner=ask.owner,
        session_id=ask.session_id,
        execution_id=ask.execution_id,
        step=ask.step,
    )


def hidden_of(ask: Ask, reply: str) -> HiddenQuestion:
    """The question and the reply without what is invisible, and with tokens for what is sensitive.

    Raises:
        PiiRefusedError: (pii.refused) a value that may not leave would go to the model.
    """
    return HiddenQuestion.of(replace(ask, prompt=without_hidden(ask.prompt)), without_hidden(reply))


def question_of(ask: Ask, reply: str) -> str:
    """The question and the reply as data; raises as ``hidden_of`` does."""
    return data_of(hidden_of(ask, reply))


def data_of(hidden: HiddenQuestion) -> str:
    """A question and its reply as data."""
    question: dict[str, JsonValue] = {"prompt": hidden.ask.prompt}
    if isinstance(hidden.ask.form, ApprovalForm):
        question |= {"tool": hidden.ask.form.tool, "arguments": hidden.ask.form.arguments}
    return as_data({"question": question, "reply": hidden.reply})


def as_data(value: JsonValue) -> str:
    """JSON in whose texts no delimiter of any prompt format is left: ``<`` is written ``\\u003c``, and so on."""
    return _JSON_STRING.sub(
        lambda text: _DELIMITERS.sub(lambda char: f"\\u{ord(char.group()):04x}", text.group()),
        json.dumps(value, ensure_ascii=False),
    )
