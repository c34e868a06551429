"""A function that cannot be a tool is refused when it is defined, with its name, its parameter and the remedy."""
# No `from __future__ import annotations`: these annotations are the objects themselves, except where a test quotes them.

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, RootModel

from overwinter.bots.errors import ToolDefinitionError
from overwinter.bots.tool_schemas import ToolSignature


class Call:
    """Stands for the class of the parameter that is no argument."""


class Opaque:
    """pydantic knows no schema for it."""


class Unfinished(BaseModel):
    """Names a class that is nowhere."""

    part: "Nowhere"  # pyright: ignore[reportUndefinedVariable]  # noqa: F821


class Words(RootModel[list[str]]):
    """Is no JSON object."""


class Disguised(BaseModel):
    """Says of itself that it is a text."""

    model_config = ConfigDict(json_schema_extra={"type": "string"})


def not_async(to: str) -> str:
    raise NotImplementedError


async def generates(to: str):  # pyright: ignore[reportUnknownParameterType]
    yield to


async def unannotated(to: str, amount) -> str:  # pyright: ignore[reportUnknownParameterType, reportMissingParameterType]
    raise NotImplementedError


async def no_return(to: str):
    raise NotImplementedError


async def stars(*to: str) -> str:
    raise NotImplementedError


async def double_stars(**to: str) -> str:
    raise NotImplementedError


async def positional(to: str, /) -> str:
    raise NotImplementedError


async def opaque(to: str, thing: Opaque) -> str:
    raise NotImplementedError


async def opaque_alone(thing: Opaque) -> str:
    raise NotImplementedError


async def callback(to: str, then: Callable[[], None]) -> str:
    raise NotImplementedError


async def opaque_result(to: str) -> Opaque:
    raise NotImplementedError


async def callable_result(to: str) -> Callable[[], None]:
    raise NotImplementedError


async def unfinished(part: Unfinished) -> str:
    raise NotImplementedError


async def disguised(text: Disguised) -> str:
    raise NotImplementedError


async def nowhere(to: "Nowhere") -> str:  # pyright: ignore[reportUndefinedVariable, reportUnknownParameterType]  # noqa: F821
    raise NotImplementedError


async def broken_text(to: "1 +") -> str:  # pyright: ignore # noqa: F722
    raise NotImplementedError


async def sets(to: str, tags: set[str]) -> str:
    raise NotImplementedError


async def deep_sets(tags: dict[str, list[frozenset[int]]]) -> str:
    raise NotImplementedError


async def two_calls(one: Call, other: Call) -> str:
    raise NotImplementedError


async def bad_default(to: str, amount: Decimal = "many") -> str:  # pyright: ignore[reportArgumentType]
    raise NotImplementedError


async def default_below_its_bound(amount: Annotated[int, Field(ge=1)] = 0) -> str:
    raise NotImplementedError


async def unreadable_default(amount: Annotated[int, PlainSerializer(lambda amount: f"{amount} EUR")] = 5) -> str:
    raise NotImplementedError


async def no_default(amount: int = None) -> str:  # pyright: ignore[reportArgumentType]  # noqa: RUF013
    raise NotImplementedError


async def broken_pattern(code: Annotated[str, Field(pattern="(")]) -> str:
    raise NotImplementedError


async def broken_shown_pattern(code: Annotated[str, Field(json_schema_extra={"pattern": "("})]) -> str:
    raise NotImplementedError


async def compiled_pattern(code: Annotated[str, Field(pattern=re.compile("^a+$"))]) -> str:
    raise NotImplementedError


async def approximate_pattern(codes: dict[str, Annotated[str, Field(json_schema_extra={"pattern": "a{e}"})]]) -> str:
    raise NotImplementedError


REFUSED: list[tuple[Any, list[str]]] = [
    (not_async, ["not_async", "async def"]),
    (generates, ["generates", "async def, without yield"]),
    (unannotated, ["unannotated", "parameter amount", "Give it a type"]),
    (no_return, ["no_return", "return annotation", "Give it one"]),
    (stars, ["stars", "*to", "take a list"]),
    (double_stars, ["double_stars", "**to", "a dict"]),
    (positional, ["positional", "to is positional-only", "Take out the /"]),
    (opaque, ["opaque", "the parameter thing", "Opaque", "Use plain types"]),
    (opaque_alone, ["opaque_alone", "the parameter thing", "Use plain types"]),
    (callback, ["callback", "the parameter then", "Use plain types"]),
    (opaque_result, ["opaque_result", "its result", "Opaque", "Use plain types"]),
    (callable_result, ["callable_result", "its result", "Use plain types"]),
    (unfinished, ["unfinished", "parameter part", "not fully defined"]),
    (disguised, ["disguised", "parameter text", "no JSON object", "Wrap it in a model"]),
    (nowhere, ["nowhere", "names Nowhere", "Define it at the top of its module"]),
    (broken_text, ["broken_text", "cannot be read"]),
    (sets, ["sets", "the parameter tags", "Use a list"]),
    (deep_sets, ["deep_sets", "the parameter tags", "Use a list"]),
    (broken_pattern, ["broken_pattern", "the parameter code", "regex parse error", "unclosed group"]),
    (broken_shown_pattern, ["broken_shown_pattern", "the parameter code", "'(' is no regular expression"]),
    (
        compiled_pattern,
        ["compiled_pattern", "the parameter code", "'^a+$' would be compared by Python's re", "give it as text"],
    ),
    (approximate_pattern, ["approximate_pattern", "the parameter codes", "approximately because of {e}"]),
    (two_calls, ["two_calls", "one and other", "Keep one"]),
    (bad_default, ["bad_default", "the default of amount", "valid decimal"]),
    (default_below_its_bound, ["default_below_its_bound", "the default of amount", "greater than or equal to 1"]),
    (unreadable_default, ["unreadable_default", "the default of amount", "valid integer"]),
    (no_default, ["no_default", "the default of amount", "valid integer"]),
    (Opaque, ["Opaque", "Give an async def"]),
    (7, ["7", "Give an async def"]),
]


@pytest.mark.parametrize(("function", "parts"), REFUSED)
def test_function_that_cannot_be_a_tool_is_refused(function: Any, parts: list[str]) -> None:
    with pytest.raises(ToolDefinitionError) as raised:
        ToolSignature.of(function, call_type=Call)

    assert raised.value.code == "assembly.tool-definition"
    assert "cannot be a tool" in str(raised.value)
    for part in parts:
        assert part in str(raised.value)


@pytest.mark.parametrize("name", ["", "pay.card", "zahlung_für", "x" * 65, "pay card"])
def test_name_that_vendors_refuse_is_refused(name: str) -> None:
    async def pay(to: str) -> str:
        raise NotImplementedError

    with pytest.raises(ToolDefinitionError, match="vendors refuse the name"):
        ToolSignature.of(pay, call_type=Call, name=name)


def test_name_is_taken_from_the_function_and_checked_too() -> None:
    async def überweise(to: str) -> str:
        raise NotImplementedError

    with pytest.raises(ToolDefinitionError, match="überweise"):
        ToolSignature.of(überweise, call_type=Call)
    assert ToolSignature.of(überweise, call_type=Call, name="transfer").name == "transfer"


def test_function_may_name_itself_before_it_is_assigned() -> None:
    def define() -> ToolSignature:
        def signature_of(function: Any) -> ToolSignature:
            return ToolSignature.of(function, call_type=Call)

        @signature_of
        async def again(to: str) -> str:
            return str(again) + to

        return again

    assert define().name == "again"


def test_model_that_is_no_object_stays_under_its_name() -> None:
    async def say(words: Words) -> str:
        raise NotImplementedError

    signature = ToolSignature.of(say, call_type=Call)

    assert signature.parse('{"words": ["a"]}') == {"words": Words(["a"])}
    assert signature.canonical({"words": Words(["a"])}) == {"words": ["a"]}
