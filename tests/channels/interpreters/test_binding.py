"""Interpreters that ask a model are given the app's and a meter for their budget, once, however they are chained."""

from __future__ import annotations

import pytest

from overwinter.actors.budgets import Budget
from overwinter.actors.ports import Model
from overwinter.channels.interpreters.chain import Chain, ModelReader
from overwinter.channels.interpreters.model import ModelInterpreter
from overwinter.channels.interpreters.probability import ProbabilityInterpreter
from overwinter.channels.interpreters.rules import RulesInterpreter

from .fakes import ScriptedModel

pytestmark = pytest.mark.behaviour("G22")

BUDGET = Budget(per="app", calls=1)


class Counted:
    """A meter that keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[tuple[Model, Budget]] = []

    def metered(self, model: Model, *, budget: Budget) -> Model:
        self.given.append((model, budget))
        return ScriptedModel()


def readers(model: Model | None, budget: Budget | None) -> list[ModelReader]:
    return [
        ModelInterpreter("Read.", model=model, budget=budget),
        ProbabilityInterpreter("Read.", model=model, budget=budget),
    ]


@pytest.mark.parametrize("kind", [0, 1])
def test_a_budget_is_put_around_the_interpreters_own_model_or_else_the_apps(kind: int) -> None:
    own, apps = ScriptedModel(), ScriptedModel()
    for model in (own, None):
        meter = Counted()
        readers(model, BUDGET)[kind].bound_to(apps, meter=meter)
        assert meter.given == [(model or apps, BUDGET)]


@pytest.mark.parametrize("kind", [0, 1])
def test_a_call_is_counted_once_however_often_its_reader_is_bound(kind: int) -> None:
    meter = Counted()
    bound = readers(None, BUDGET)[kind].bound_to(ScriptedModel(), meter=meter)
    assert bound.bound_to(ScriptedModel(), meter=meter) is bound
    assert len(meter.given) == 1


@pytest.mark.parametrize("kind", [0, 1])
def test_what_has_no_budget_or_no_model_is_not_counted(kind: int) -> None:
    meter = Counted()
    assert readers(None, None)[kind].bound_to(ScriptedModel(), meter=meter).is_bound
    assert not readers(None, BUDGET)[kind].bound_to(None, meter=meter).is_bound
    assert meter.given == []


def test_a_chain_passes_both_to_every_link() -> None:
    meter, model = Counted(), ScriptedModel()
    Chain(RulesInterpreter(), Chain(*readers(None, BUDGET))).bound_to(model, meter=meter)
    assert meter.given == [(model, BUDGET), (model, BUDGET)]
