"""What a model that reads replies is sent in the place of sensitive values, and what readers may say of them.

The table of who is given what is at the top of ``actors/privacy.py``. A question and a reply go to a model with tokens; the
tokens in what it answers are turned back before anything of it is checked, so that its words are held against the reply as
it was written. A token that stands for nothing is an answer that cannot be taken: the person is asked again.

Where the answer itself is sensitive, the reply is the value, and nothing would be left to read: no model is asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, cast

from ..actors.asks import AnswerForm, ApprovalForm, Ask, Form, JsonValue, NotUnderstood, Reading
from ..actors.errors import BudgetExceededError, PauseInvalidDecisionError, PiiRefusedError
from ..actors.failures import text_of
from ..actors.marks import KEYWORD, Schema, Secret, secrets_in
from ..actors.messages import ModelReply, ToolCallRequest
from ..actors.ports import ReplyReader, Validator
from ..actors.privacy import (
    check_may_leave,
    marks_of_decision,
    restored,
    secrets_of,
    told_to_asked,
    with_arguments,
)
from ..actors.redaction import TOKEN, Masks, Tokens, tokens_in

_LEFT_OUT = "left out: the answer is sensitive"
_SHORTEST_WORD = 4
_CRASHED = "The reply could not be read. Please answer in other words, or in the form."


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenQuestion:
    """A question and a reply as a model is given them, and the way back."""

    ask: Ask
    reply: str
    _tokens: Tokens | None

    @classmethod
    def of(cls, ask: Ask, reply: str) -> HiddenQuestion:
        """Hide what is sensitive. The same question and reply give the same tokens again.

        Raises:
            PiiRefusedError: (pii.refused) the request would carry a value that may not leave, or a sensitive answer.
        """
        if isinstance(ask.form, AnswerForm) and ask.form.marks is not None:
            raise PiiRefusedError("what is answered here is sensitive, so no model reads a reply to it; use the form")
        secrets = secrets_of(ask.form)
        check_may_leave(secrets, what="the request to the model that reads replies")
        if not secrets:
            return cls(ask=ask, reply=reply, _tokens=None)
        tokens = Tokens(secrets)
        prompt = tokens.text(ask.prompt, keeps_tokens=True)
        form = ask.form
        if isinstance(form, ApprovalForm):
            form = replace(taking_tokens(form), arguments=tokens.json(form.arguments, secrets))
        else:
            form = with_arguments(form, {})
        return cls(ask=replace(ask, prompt=prompt, form=form), reply=tokens.text(reply), _tokens=tokens)

    def revealed(self, said: ModelReply) -> ModelReply:
        """What the model said, with values in the place of its tokens. An unknown token makes it say nothing."""
        if self._tokens is None:
            return said
        calls: list[ToolCallRequest] = []
        for call in said.tool_calls:
            try:
                arguments = json.loads(call.arguments, object_pairs_hook=_without_duplicates)
            except (ValueError, RecursionError):
                calls.append(call)
                continue
            if not any(tokens_in(arguments)):
                calls.append(call)
                continue
            if (unknown := self._tokens.unknown_in(arguments)) is not None:
                return ModelReply(refusal=f"the model's answer has a token in it that stands for nothing: {unknown}")
            text = json.dumps(self._tokens.revealed(arguments), ensure_ascii=False)
            calls.append(ToolCallRequest(call_id=call.call_id, tool=call.tool, arguments=text))
        return replace(said, tool_calls=tuple(calls))


def taking_tokens(form: ApprovalForm) -> ApprovalForm:
    """The form with a token allowed for each sensitive argument, whatever its type is."""
    marks = form.marks
    if marks is None:
        return form
    if KEYWORD in marks:  # the arguments are sensitive as a whole, and stay an object
        whole = {key: {KEYWORD: marks[KEYWORD]} for key in form.schema.get("properties", {})}
        marks = {"properties": whole}
    return replace(form, schema=cast("Schema", _taking(form.schema, marks)))


def _taking(schema: JsonValue, marks: JsonValue) -> JsonValue:
    match schema, marks:
        case dict(), dict():
            parts = cast("Schema", schema)
            marked = cast("Schema", marks)
            taking = {key: _taking(part, marked.get(key)) for key, part in parts.items()}
            if KEYWORD not in marked:
                return taking
            token = {"type": "string", "pattern": f"^{TOKEN.pattern}$", "description": "Its token, copied."}
            return {"anyOf": [taking, token]}
        case list(), list():
            return [
                _taking(part, each)
                for part, each in zip(cast("list[Any]", schema), cast("list[Any]", marks), strict=False)
            ]
        case _:
            return schema


class DiscreetReader:
    """A reader whose reasons and causes name no sensitive value: those are told to people, and logged."""

    def __init__(self, reader: ReplyReader) -> None:
        self._reader = reader

    async def read(self, ask: Ask, reply: str) -> Reading:
        """As the reader reads it; raises what may be known outside and nothing else."""
        answer = _answer_in(ask.form, reply)
        if not answer and not secrets_of(ask.form):
            return await self._reader.read(ask, reply)
        masks = Masks([*secrets_of(ask.form), *answer])
        try:
            reading = await self._reader.read(ask, reply)
        except (BudgetExceededError, PiiRefusedError):
            raise
        except Exception as error:  # the reader is a stranger's, and its error may quote what it was given
            cause = f"{type(error).__module__}.{type(error).__qualname__}: {masks.text(text_of(error))}"
            return NotUnderstood(reason=_CRASHED, by="code", cause=_LEFT_OUT if answer else cause)
        if not isinstance(reading, NotUnderstood):
            return reading
        cause = None if reading.cause is None else _LEFT_OUT if answer else masks.text(reading.cause)
        reason = masks.text(reading.reason) if answer else told_to_asked(ask.form, reading.reason)
        return replace(reading, reason=reason, cause=cause)


def discreet(validate: Validator) -> Validator:
    """The validator on values: it is given them where a decision has tokens, and what it refuses names none."""

    def checked(ask: Ask, decision: JsonValue) -> JsonValue:
        decision = restored(ask.form, decision)
        try:
            return validate(ask, decision)
        except PauseInvalidDecisionError as error:
            secrets = [*secrets_of(ask.form), *secrets_in(marks_of_decision(ask.form), decision, name="answer")]
            if not secrets:
                raise
            raise PauseInvalidDecisionError(Masks(secrets).text(str(error))) from None

    return checked


def _answer_in(form: Form, reply: str) -> list[Secret]:
    """A sensitive answer in a person's words: which of them it is nobody knows yet."""
    if not isinstance(form, AnswerForm) or form.marks is None:
        return []
    words = [word for word in reply.split() if len(word) >= _SHORTEST_WORD]
    return [Secret(name="answer", level="mask", is_shown=False, value=part) for part in (reply, *words)]


def _without_duplicates(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found
