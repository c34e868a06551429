"""Outlines: equal where an answer to one question is an answer to the other, and kept as they are for ever."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from overwinter.actors.asks import AnswerForm, ApprovalForm, AskedCall, ChoiceForm
from overwinter.actors.outlines import NO_OUTLINE, outline_of


class Node(BaseModel):
    name: str
    children: list[Node] = []


class Leaf(BaseModel):
    name: str
    children: list[Leaf] = []


class Named(BaseModel):
    name: str


def answer(annotation: Any) -> str:
    return outline_of(AnswerForm(schema=TypeAdapter(annotation).json_schema()))


def test_approvals_and_timers_have_none() -> None:
    assert outline_of(None) == NO_OUTLINE
    assert outline_of(ApprovalForm(tool="t", arguments={}, schema={})) == NO_OUTLINE


def test_the_call_that_a_question_is_about_has_no_part_in_it() -> None:
    call = AskedCall(call_id="c1", tool="t", arguments={"x": 1})
    assert outline_of(ChoiceForm(choices=("a",), call=call)) == outline_of(ChoiceForm(choices=("a",)))
    assert outline_of(AnswerForm(schema={"type": "string"}, call=call)) == answer(str)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Node, Leaf),
        (int | None, None | int),
        (Annotated[str, Field(max_length=3, title="T")], str),
        (Literal["a", "b"], Literal["b", "a"]),
    ],
)
def test_it_is_the_same_for_the_same_fields_and_types(one: Any, other: Any) -> None:
    assert answer(one) == answer(other)


def test_it_differs_wherever_an_answer_would() -> None:
    kinds: list[Any] = [str, int, float, bool, None, list[str], list[int], dict[str, int], Node, Named, int | None]
    kinds += [Literal["a"], Literal["a", "b"], Literal[1], tuple[int, str], tuple[str, int], list[Node], list[Named]]
    outlines = [answer(kind) for kind in kinds]
    outlines += [outline_of(ChoiceForm(choices=choices)) for choices in (("a",), ("a", "b"), ("a, b",))]
    assert len(set(outlines)) == len(outlines)


def test_outlines_that_ledgers_hold_are_never_written_otherwise() -> None:
    assert outline_of(ChoiceForm(choices=("yes", "no"))) == "734bbf0b0e8ecce9"
    assert answer(str) == "5a13ee6bce8ab7c8"
    assert answer(Node) == "367d4ed82aef2116"
