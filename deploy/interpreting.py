"""What an interpreter makes of replies, tried out on files: from the text of an ask and of replies to readings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator

from ..actors.answers import MAX_REPLY_CHARS
from ..actors.asks import AnswerForm, ApprovalForm, Ask, ChoiceForm, Form, JsonValue, NotUnderstood, Understood
from ..actors.errors import PauseInvalidDecisionError
from ..actors.ports import ReplyReader
from ..channels.decisions import validate_decision
from ..channels.json_schemas import pattern_faults
from .errors import InputInvalidError

T = TypeVar("T")


def _check_schema(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    try:
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(formats=()))
    except SchemaError as error:
        raise ValueError(f"it is no JSON Schema (2020-12): {error.message} at {error.json_path}") from error
    for fault in pattern_faults(schema):
        raise ValueError(fault)
    return schema


class ApprovalFile(BaseModel):
    """The part ``approval`` of an ask file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    tool: str = Field(min_length=1)
    arguments: dict[str, Any]
    arguments_schema: dict[str, Any] = Field(alias="schema")

    _check = field_validator("arguments_schema")(_check_schema)


class AskFile(BaseModel):
    """An ask file: ``prompt`` and exactly one of ``choices``, ``schema``, ``approval``."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    prompt: str
    choices: list[str] | None = Field(default=None, min_length=1)
    answer_schema: dict[str, Any] | None = Field(default=None, alias="schema")
    approval: ApprovalFile | None = None

    @field_validator("answer_schema")
    @classmethod
    def _check(cls, schema: dict[str, Any] | None) -> dict[str, Any] | None:
        return None if schema is None else _check_schema(schema)

    @field_validator("choices")
    @classmethod
    def _check_choices(cls, choices: list[str] | None) -> list[str] | None:
        if choices is not None and (not all(choices) or len(set(choices)) < len(choices)):
            raise ValueError("an empty choice, or the same one twice")
        return choices

    @model_validator(mode="after")
    def _check_one(self) -> AskFile:
        given = [part for part in (self.choices, self.answer_schema, self.approval) if part is not None]
        if len(given) != 1:
            raise ValueError(f"exactly one of choices, schema and approval is wanted; there are {len(given)}")
        return self

    @property
    def form(self) -> Form:
        if self.choices is not None:
            return ChoiceForm(choices=tuple(self.choices))
        if self.approval is not None:
            part = self.approval
            return ApprovalForm(tool=part.tool, arguments=part.arguments, schema=part.arguments_schema)
        return AnswerForm(schema=self.answer_schema or {})


def ask_from(path: Path, *, now_ms: int) -> Ask:
    """The ask in a file.

    Raises:
        InputInvalidError: (input.invalid) naming the file, the place in it and what is wanted.
    """
    file = _read(path, TypeAdapter(AskFile))
    return Ask(
        pause_id="0" * 32,
        role="interpret",
        prompt=file.prompt,
        form=file.form,
        session_id="interpret",
        tenant="default",
        owner="interpret",
        bot="interpret",
        asked_at_ms=now_ms,
    )


def replies_from(path: Path) -> list[str]:
    """The replies in a file: a JSON list of strings.

    Raises:
        InputInvalidError: (input.invalid)
    """
    return _read(path, TypeAdapter(list[str], config=ConfigDict(strict=True)))


async def readings_of(reader: ReplyReader, ask: Ask, replies: Sequence[str]) -> list[dict[str, JsonValue]]:
    """What a reader makes of each reply, as answering would take it: a decision that does not fit is none."""
    return [_reading_json(await _read_one(reader, ask, reply)) for reply in replies]


async def _read_one(reader: ReplyReader, ask: Ask, reply: str) -> Understood | NotUnderstood:
    if len(reply) > MAX_REPLY_CHARS:
        reason = f"The reply has {len(reply)} characters; at most {MAX_REPLY_CHARS} are read."
        return NotUnderstood(reason=reason, by="rules")
    reading = await reader.read(ask, reply)
    match reading:
        case NotUnderstood():
            return reading
        case Understood(decision=decision, by=by, evidence=evidence):
            try:
                return Understood(decision=validate_decision(ask, decision), by=by, evidence=evidence)
            except PauseInvalidDecisionError as error:
                return NotUnderstood(reason=f"What was read does not fit the question: {error}", by=by)


def _reading_json(reading: Understood | NotUnderstood) -> dict[str, JsonValue]:
    match reading:
        case Understood(decision=decision, by=by):
            return {"outcome": "understood", "decision": decision, "by": by, "reason": None}
        case NotUnderstood(reason=reason, by=by):
            return {"outcome": "not_understood", "decision": None, "by": by, "reason": reason}


def _read(path: Path, adapter: TypeAdapter[T]) -> T:
    try:
        return adapter.validate_json(path.read_bytes())
    except OSError as error:
        raise InputInvalidError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValidationError as error:
        faults = [_fault(each["loc"], each["msg"]) for each in error.errors(include_url=False, include_input=False)]
        raise InputInvalidError(f"{path} cannot be used:\n" + "\n".join(f"  {fault}" for fault in faults)) from error


def _fault(loc: tuple[int | str, ...], message: str) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in cast("Sequence[int | str]", loc))
    return f"${place}: {message.removeprefix('Value error, ')}"
