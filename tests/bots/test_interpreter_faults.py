"""What can be wrong with how an app reads replies, and with its budgets, each with its code and what to do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from overwinter.actors.asks import Ask, NotUnderstood, Reading
from overwinter.actors.budgets import Budget
from overwinter.actors.ports import ReplyReader
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError
from overwinter.bots.scripted_model import ScriptedModel
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.channels.interpreters.chain import Chain
from overwinter.channels.interpreters.code import CodeInterpreter
from overwinter.channels.interpreters.model import ModelInterpreter
from overwinter.channels.interpreters.probability import ProbabilityInterpreter
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole, Role


def approval(interpreter: ReplyReader | None, name: str = "refunds") -> Role:
    return ApprovalRole(name=name, answered_by=Answerer.CHANNEL, interpreter=interpreter)


def question(interpreter: ReplyReader | None, name: str = "amounts") -> Role:
    return QuestionRole(name=name, answer=bool, answered_by=Answerer.CHANNEL, interpreter=interpreter)


def app_of(*roles: Role, agent: Agent | None = None) -> App:
    channel = RecordingChannel()
    agent = agent or Agent(name="b", model=ScriptedModel(()))
    return App(name="a", agents=[agent], channels=dict.fromkeys(roles, channel))


def faults_of(app: App) -> list[tuple[str, str]]:
    with pytest.raises(AssemblyError) as caught:
        app.check()
    return list(caught.value.faults)


def read(asked: Ask, reply: str) -> Reading:
    return NotUnderstood(reason="?", by="code")


@pytest.mark.behaviour("G18")
def test_one_interpreter_reads_for_one_role() -> None:
    shared = RulesInterpreter()
    ((code, text),) = faults_of(app_of(approval(shared, "refunds"), approval(shared, "discounts")))
    assert code == "assembly.interpreter-shared"
    assert "one and the same RulesInterpreter reads replies for the roles refunds, discounts" in text
    assert "are meant for the questions of one role" in text, "why"
    assert "interpreter=RulesInterpreter(...) in every role" in text, "the remedy"


@pytest.mark.behaviour("G18")
def test_a_link_of_two_chains_is_shared_too() -> None:
    shared = ModelInterpreter("Read.")
    ((code, _),) = faults_of(
        app_of(
            approval(Chain(RulesInterpreter(), shared), "refunds"),
            question(Chain(Chain(RulesInterpreter(), shared)), "amounts"),
        )
    )
    assert code == "assembly.interpreter-shared"


@pytest.mark.behaviour("G18")
def test_one_role_that_two_bots_ask_has_one_interpreter_and_is_sound() -> None:
    app_of(approval(RulesInterpreter(), "refunds"), approval(RulesInterpreter(), "discounts")).check()


@pytest.mark.behaviour("G20")
@pytest.mark.parametrize(
    "interpreter",
    [ProbabilityInterpreter("Read."), Chain(RulesInterpreter(), ProbabilityInterpreter("Read."))],
)
def test_yes_and_no_are_for_approvals_only(interpreter: ReplyReader) -> None:
    ((code, text),) = faults_of(app_of(question(interpreter)))
    assert code == "assembly.interpreter-kind"
    assert "amounts" in text
    app_of(approval(interpreter)).check()


@pytest.mark.behaviour("G20")
@pytest.mark.parametrize("threshold", [0.49, 1.0, 7.0, 0.0, -1.0, float("nan")])
def test_a_threshold_is_at_least_a_half_and_less_than_one(threshold: float) -> None:
    ((code, text),) = faults_of(app_of(approval(ProbabilityInterpreter("Read.", threshold=threshold))))
    assert code == "assembly.interpreter-threshold"
    assert f"{threshold:g}" in text
    app_of(approval(ProbabilityInterpreter("Read.", threshold=0.5))).check()


class Method:
    def read(self, asked: Ask, reply: str) -> Reading:
        return NotUnderstood(reason="?", by="code")

    def __call__(self, asked: Ask, reply: str, language: str = "en") -> Reading:
        return NotUnderstood(reason="?", by="code")


def of_any(*values: object) -> None: ...


def of_nothing() -> None: ...


def of_one(asked: Ask) -> None: ...


def of_three(asked: Ask, reply: str, more: str) -> None: ...


async def read_later(asked: Ask, reply: str) -> Reading:
    return NotUnderstood(reason="?", by="code")


@pytest.mark.behaviour("G19")
@pytest.mark.parametrize("function", [read, read_later, Method().read, Method(), partial(read), of_any])
def test_a_function_of_the_ask_and_the_reply_reads(function: Any) -> None:
    app_of(approval(CodeInterpreter(function))).check()


@pytest.mark.behaviour("G19")
@pytest.mark.parametrize("function", [of_nothing, of_one, of_three, Method, "read"])
def test_a_function_of_anything_else_does_not(function: Any) -> None:
    ((code, _),) = faults_of(app_of(approval(CodeInterpreter(cast("Callable[..., Awaitable[Reading]]", function)))))
    assert code == "assembly.interpreter-function"


@pytest.mark.parametrize("interpreter", [RulesInterpreter, read, "rules"])
def test_what_has_no_read_is_no_interpreter(interpreter: Any) -> None:
    ((code, text),) = faults_of(app_of(approval(interpreter)))
    assert code == "assembly.interpreter-type"
    assert "RulesInterpreter()" in text


@pytest.mark.parametrize(
    "interpreter",
    [ModelInterpreter("Read."), ProbabilityInterpreter("Read."), Chain(RulesInterpreter(), ModelInterpreter("Read."))],
)
async def test_an_interpreter_that_asks_a_model_must_have_one(interpreter: ReplyReader, tmp_path: Path) -> None:
    app = app_of(approval(interpreter))
    with pytest.raises(AssemblyError) as caught:
        await Kit(build=lambda: app, path=tmp_path / "w.db").open()
    ((code, text),) = caught.value.faults
    assert code == "assembly.interpreter-model"
    assert "refunds" in text
    async with Kit(build=lambda: app, path=tmp_path / "w.db", model=ScriptedModel(())).running():
        pass


# Budgets.

ONE = Budget(per="app", calls=1)
TWO = Budget(per="app", calls=2)


def reads_within(budget: Budget, model: ScriptedModel | None = None) -> ModelInterpreter:
    return ModelInterpreter("Read.", model=model or ScriptedModel(()), budget=budget)


@pytest.mark.behaviour("G22")
def test_a_budget_that_limits_nothing_is_a_fault() -> None:
    agent = Agent(name="b", model=ScriptedModel(()), budget=Budget(per="app"))
    faults = faults_of(app_of(approval(reads_within(Budget(per="session", calls=0))), agent=agent))
    assert [code for code, _ in faults] == ["assembly.budget", "assembly.budget"]
    assert "agent:b" in faults[0][1]
    assert "reply-interpreter:refunds" in faults[1][1]


@pytest.mark.behaviour("G22")
@pytest.mark.parametrize(
    "app",
    [
        app_of(
            approval(reads_within(Budget(per="app", calls=1, name="office")), "refunds"),
            approval(reads_within(Budget(per="app", calls=2, name="office")), "discounts"),
        ),
        app_of(approval(Chain(reads_within(ONE), ProbabilityInterpreter("Read.", budget=TWO)))),
        app_of(
            approval(reads_within(Budget(per="app", calls=2, name="agent:b"))),
            agent=Agent(name="b", model=ScriptedModel(()), budget=ONE),
        ),
    ],
)
def test_different_budgets_of_one_name_are_a_fault(app: App) -> None:
    ((code, text),) = faults_of(app)
    assert code == "assembly.budget"
    assert "two different budgets" in text


@pytest.mark.behaviour("G22")
def test_a_budget_may_be_shared_by_its_name() -> None:
    office = Budget(per="tenant", tokens=1000, name="office")
    app_of(
        approval(reads_within(office), "refunds"),
        approval(reads_within(office), "discounts"),
        agent=Agent(name="b", model=ScriptedModel(()), budget=office),
    ).check()
