"""How somebody at a terminal answers a question, in words: for whoever has given an answer that decides nothing."""

from __future__ import annotations

import json
import shlex

from ...actors.asks import AnswerForm, ApprovalForm, ChoiceForm, Form

_MOST_CHOICES = 20


def advice_for(form: Form, *, so_far: str | None = None) -> str:
    """Says that nothing was decided, what was understood all the same, and what to type.

    Args:
        so_far: what of the answer was understood; None for nothing.
    """
    understood = "" if so_far is None else f" Understood was: {so_far}"
    return f"Nothing was decided: the question still waits.{understood} {_what_to_type(form)}"


def _what_to_type(form: Form) -> str:
    match form:
        case ApprovalForm():
            return f"Answer with a plain yes or no, or as JSON: {_decision({'approved': True})}"
        case ChoiceForm(choices=choices):
            listed = ", ".join(choices[:_MOST_CHOICES]) + (", ..." if len(choices) > _MOST_CHOICES else "")
            return f"Answer with one of {listed}; or as JSON: {_decision(choices[0])}"
        case AnswerForm(schema={"type": "boolean"}):
            return f"Answer with a plain yes or no, or as JSON: {_decision(True)}"
        case AnswerForm():
            return "Answer with nothing but what is asked for, or as JSON with --decision."


def _decision(value: object) -> str:
    return f"--decision {shlex.quote(json.dumps(value, ensure_ascii=False))}"
