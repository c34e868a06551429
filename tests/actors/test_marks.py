"""Marks are found in schemas as pydantic writes them, and lead to the values they mark."""

from __future__ import annotations

import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from overwinter.actors.asks import JsonValue
from overwinter.actors.marks import KEYWORD, Path, mark, marks_of, secrets_in, unmarked
from overwinter.bots.privacy import Sensitive

Masked = Annotated[str, Sensitive("mask")]


class Inner(BaseModel):
    text: str
    number: Annotated[Decimal, Sensitive("token")] = Decimal(1)


class Tree(BaseModel):
    secret: Masked
    below: list[Tree] = []


class Alias(BaseModel):
    card: Annotated[str, Sensitive("mask"), Field(min_length=2)] = Field(alias="cardNumber")


class ByCard(BaseModel):
    kind: Literal["card"]
    ref: Masked


class ByInvoice(BaseModel):
    kind: Literal["invoice"]
    ref: str


@dataclass
class Plain:
    secret: Masked
    open: str


def paths(annotation: Any, value: JsonValue) -> dict[Path, str]:
    found = secrets_in(marks_of(TypeAdapter(annotation).json_schema()), value)
    return {secret.path: secret.level for secret in found}


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (Masked, "x", {(): "mask"}),
        (Masked | None, "x", {(): "mask"}),
        (Masked | None, None, {}),
        (str, "x", {}),
        (Annotated[str | None, Sensitive("token")], "x", {(): "token"}),
        (list[Masked], ["x", "y"], {(0,): "mask", (1,): "mask"}),
        (tuple[int, Masked], [1, "y"], {(1,): "mask"}),
        (dict[str, Masked], {"k": "x"}, {("k",): "mask"}),
        (dict[Masked, int], {"k": 1}, {("k",): "mask"}),
        (int | Masked, 5, {}),
        (int | Masked, "5", {(): "mask"}),
        (Inner, {"text": "x", "number": "1"}, {("number",): "token"}),
        (list[Inner], [{"text": "x", "number": "1"}], {(0, "number"): "token"}),
        (Annotated[Inner, Sensitive("mask")], {"text": "x", "number": "1"}, {("text",): "mask", ("number",): "mask"}),
        (list[Annotated[Inner, Sensitive("mask")]], [{"text": "x", "number": "1"}], {(0,): "token"}),
        (Tree, {"secret": "x", "below": [{"secret": "y"}]}, {("secret",): "mask", ("below", 0, "secret"): "mask"}),
        (Alias, {"cardNumber": "xx"}, {("cardNumber",): "mask"}),
        (ByCard | ByInvoice, {"kind": "card", "ref": "x"}, {("ref",): "mask"}),
        (ByCard | ByInvoice, {"kind": "invoice", "ref": "x"}, {}),
        (ByCard | ByInvoice, {"kind": "neither", "ref": "x"}, {("ref",): "mask"}),
        (Plain, {"secret": "x", "open": "y"}, {("secret",): "mask"}),
    ],
)
def test_a_mark_leads_to_its_value(annotation: Any, value: JsonValue, expected: dict[Path, str]) -> None:
    assert paths(annotation, value) == expected


def test_what_does_not_fit_is_searched_all_the_same() -> None:
    assert paths(Inner, {"number": ["1", {"x": "2"}], "more": 1}) == {("number",): "token"}
    assert paths(Tree, ["no", "tree"]) == {}


def test_the_strictest_mark_wins_and_one_that_is_not_shown_hides_all_around_it() -> None:
    adapter = TypeAdapter(list[Annotated[Inner, Sensitive("mask", show_to_asked=True)]])
    [secret] = secrets_in(marks_of(adapter.json_schema()), [{"text": "x", "number": "2"}])
    assert (secret.level, secret.is_shown) == ("token", False)


def test_a_schema_without_marks_is_left_alone() -> None:
    schema = TypeAdapter(ByInvoice).json_schema()
    assert marks_of(schema) is None
    assert unmarked(schema) is schema


def test_the_marks_of_a_schema_hold_nothing_but_the_way_to_them() -> None:
    schema = TypeAdapter(Tree).json_schema()
    assert "title" in schema["$defs"]["Tree"]
    marks = marks_of(schema)
    assert marks is not None
    assert "title" not in marks["$defs"]["Tree"]
    assert unmarked(schema)["$defs"]["Tree"]["properties"]["secret"] == {"title": "Secret", "type": "string"}


def test_a_field_that_is_called_like_a_keyword_is_a_field() -> None:
    class Odd(BaseModel):
        properties: Masked
        items: str = ""

    assert paths(Odd, {"properties": "x", "items": "y"}) == {("properties",): "mask"}


def test_the_pattern_of_a_key_leads_to_what_stands_there() -> None:
    by_code = dict[Annotated[str, Field(pattern="^grüße-[0-9]+$")], Masked]
    assert paths(by_code, {"grüße-1": "x", "grüße-": "y", "Grüße-2": "z"}) == {("grüße-1",): "mask"}


@pytest.mark.parametrize("pattern", ["^(a|a)*$", "("])
def test_where_nobody_can_tell_whether_a_key_fits_its_value_is_hidden(pattern: str) -> None:
    marks: dict[str, Any] = {"patternProperties": {pattern: {KEYWORD: mark("block", is_shown=False)}}}
    keys = ["a" * 60 + "!" * count for count in range(1, 200)]
    begun_s = time.thread_time()
    found = secrets_in(marks, dict.fromkeys(keys, "secret"))
    assert time.thread_time() - begun_s < 1.0
    assert {secret.path: secret.level for secret in found} == {(key,): "block" for key in keys}
