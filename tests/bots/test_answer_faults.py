"""What an app may not say of its roles' answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from overwinter.actors.patterns import Effort
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError
from overwinter.channels.roles import Answerer, QuestionRole


class Broken(BaseModel):
    code: Annotated[str, Field(json_schema_extra={"pattern": "["})]


class Approximate(BaseModel):
    codes: list[Annotated[str, Field(json_schema_extra={"pattern": "^DE{d}$"})]]


class Plain(BaseModel):
    code: Annotated[str, Field(pattern=r"^DE\d{2}\p{Lu}+$")]


class Compiled(BaseModel):
    codes: dict[Annotated[str, Field(pattern=re.compile("^(a|a)*$"))], int]


@dataclass
class Configured:
    __pydantic_config__ = ConfigDict(regex_engine="python-re")
    code: Annotated[str, Field(pattern="^(a|a)*$")]


class Around(BaseModel):
    model_config = ConfigDict(regex_engine="python-re")
    inner: Plain
    default: str = "^(a|a)*$"


def has_digit(text: str) -> str:
    if not Effort(within_s=0.1).is_found(r"(?=.*[0-9])[a-z]", text):
        raise ValueError("a digit is wanted")
    return text


class Validated(BaseModel):
    code: Annotated[str, AfterValidator(has_digit)]


def faults_of(answer: Any) -> list[tuple[str, str]]:
    """What an app is told that asks for such an answer, in a tool and by itself."""
    role = QuestionRole(name="desk", answer=answer, answered_by=Answerer.OWNER)
    app = App(name="office", agents=[Agent(name="clerk", tools=[])], channels={role: []})
    try:
        app.check()
    except AssemblyError as error:
        return [fault for fault in error.faults if fault[0] != "assembly.role-channel"]
    return []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Broken, "has a pattern that cannot be used: '[' is no regular expression"),
        (Approximate, "approximately because of {d}"),
        (Callable[[], None], "has no JSON Schema"),
        (Annotated[str, Field(pattern="(")], "unclosed group"),
        (Compiled, "'^(a|a)*$' would be compared by Python's re"),
        (list[Configured], "give it as text, Field(pattern=...)"),
    ],
)
def test_an_answer_that_could_never_be_looked_at_is_refused(answer: Any, words: str) -> None:
    [(code, told)] = faults_of(answer)
    assert code == "assembly.role-answer"
    assert told.startswith("the answer of role desk")
    assert words in told


@pytest.mark.parametrize("answer", [Plain, str, dict[str, int], Around, Validated])
def test_other_answers_are_as_they_should_be(answer: Any) -> None:
    assert faults_of(answer) == []
