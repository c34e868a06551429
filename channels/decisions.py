"""Whether a decision fits its question: the last look before an answer is recorded, whoever or whatever gave it.

Buttons, forms, the HTTP API and all interpreters go through here. A decision is plain JSON; what fits is returned in one
canonical form, and what does not is named by its place, as ``$.override_arguments.amount``.
"""

from __future__ import annotations

import math
import re
from typing import Any, assert_never, cast

from ..actors.asks import AnswerForm, ApprovalForm, Ask, ChoiceForm, JsonValue
from ..actors.errors import PauseInvalidDecisionError
from ..actors.pattern_errors import PatternError
from ..actors.patterns import Effort
from .json_schemas import COMPARED_WITHIN_S, fault_in

_APPROVAL_KEYS = ("approved", "reason", "override_arguments")
_DEEPEST = 64
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


def validate_decision(ask: Ask, decision: JsonValue) -> JsonValue:
    """Return the decision in canonical form.

    An approval comes back with all three of its keys; ``reason`` and ``override_arguments`` may be left out, and are
    None then.

    Raises:
        PauseInvalidDecisionError: it does not fit; the text names the place and says what is wanted there.
    """
    if (fault := json_fault(decision)) is not None:
        raise PauseInvalidDecisionError(fault)
    match ask.form:
        case ApprovalForm() as form:
            return _approval(form, decision)
        case ChoiceForm() | AnswerForm() as form:
            if not form.takes_any and (fault := answer_fault(form, decision)) is not None:
                raise PauseInvalidDecisionError(fault)
            return decision
        case _:
            assert_never(ask.form)


def answer_fault(form: ChoiceForm | AnswerForm, decision: JsonValue) -> str | None:
    """Say where and why a decision does not fit its form; None if it does."""
    match form:
        case ChoiceForm(choices=choices):
            is_one = isinstance(decision, str) and decision in choices
            return None if is_one else f"$: one of {', '.join(map(repr, choices))} is wanted"
        case AnswerForm(schema=schema):
            return schema_fault(schema, decision)


def schema_fault(schema: dict[str, JsonValue], value: JsonValue, *, at: str = "$") -> str | None:
    """Say where and why ``value`` is not valid for a JSON Schema (2020-12); None if it is. Formats are checked.

    What cannot be told in the time there is (``json_schemas``) is a fault as well.

    Args:
        at: the path of ``value`` itself, before the path inside it.
    """
    try:
        fault = fault_in(schema, value, effort=Effort(within_s=COMPARED_WITHIN_S))
    except PatternError as error:
        return f"{at}: {error}, so it is not taken"
    if fault is None:
        return None
    path, message = fault
    return f"{at}{path.removeprefix('$')}: {message}"


def json_fault(value: JsonValue, *, at: str = "$", depth: int = _DEEPEST) -> str | None:
    """Say where ``value`` is not JSON that can be stored and read back the same; None if it is."""
    if depth == 0:
        return f"{at}: nested too deeply"
    match value:
        case None | bool() | int():
            return None
        case float():
            return None if math.isfinite(value) else f"{at}: a finite number is wanted"
        case str():
            return None if _is_encodable(value) else f"{at}: half a character (a lone surrogate)"
        case list():
            items = enumerate(cast("list[JsonValue]", value))
            return next(
                (fault for i, each in items if (fault := json_fault(each, at=f"{at}[{i}]", depth=depth - 1))), None
            )
        case dict():
            for key, each in cast("dict[Any, JsonValue]", value).items():
                if not isinstance(key, str) or not _is_encodable(key):
                    return f"{at}: a key that is no text"
                if (fault := json_fault(each, at=f"{at}.{key}", depth=depth - 1)) is not None:
                    return fault
            return None
        case _:
            return f"{at}: {type(value).__name__} is no JSON"


def _approval(form: ApprovalForm, decision: JsonValue) -> JsonValue:
    if not isinstance(decision, dict):
        raise PauseInvalidDecisionError("$: an object with approved, reason and override_arguments is wanted")
    given = cast("dict[str, JsonValue]", decision)
    if unknown := sorted(given.keys() - set(_APPROVAL_KEYS)):
        raise PauseInvalidDecisionError(f"$.{unknown[0]}: not part of an approval")
    approved = given.get("approved")
    if not isinstance(approved, bool):
        raise PauseInvalidDecisionError("$.approved: true or false is wanted")
    reason = given.get("reason")
    if not (reason is None or isinstance(reason, str)):
        raise PauseInvalidDecisionError("$.reason: text or null is wanted")
    override = given.get("override_arguments")
    if override is not None:
        _check_override(form, override, approved=approved)
    return {"approved": approved, "reason": reason, "override_arguments": override}


def _check_override(form: ApprovalForm, override: JsonValue, *, approved: bool) -> None:
    at = "$.override_arguments"
    if not approved:
        raise PauseInvalidDecisionError(f"{at}: only an approval may change the arguments")
    if not isinstance(override, dict):
        raise PauseInvalidDecisionError(f"{at}: an object or null is wanted")
    if (fault := schema_fault(form.schema, cast("JsonValue", override), at=at)) is not None:
        raise PauseInvalidDecisionError(fault)


def _is_encodable(text: str) -> bool:
    return text.isascii() or _HALF_A_PAIR.search(text) is None
