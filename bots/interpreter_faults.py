"""What can be wrong with how an app reads replies, and with its budgets: found when it is put together, all at once."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from ..actors.budgets import Budget
from ..actors.ports import ReplyReader
from ..channels.interpreters.chain import ModelReader, links_of
from ..channels.interpreters.code import CodeInterpreter
from ..channels.interpreters.probability import ProbabilityInterpreter
from ..channels.roles import QuestionRole, Role
from .agents import Agent
from .policies.judge import Judge


def interpreter_faults(roles: Sequence[Role]) -> Iterator[tuple[str, str]]:
    """Every fault as its code and a sentence with the remedy."""
    users: dict[int, tuple[ReplyReader, list[str]]] = {}
    for role in roles:
        for reader in {id(each): each for each in _readers_of(role)}.values():
            users.setdefault(id(reader), (reader, []))[1].append(role.name)
            yield from _faults_of(reader, role)
    for reader, names in users.values():
        if len(names) > 1:
            yield (
                "assembly.interpreter-shared",
                f"one and the same {type(reader).__name__} reads replies for the roles {', '.join(names)}, but what an "
                "interpreter is told, and what its calls may cost, are meant for the questions of one role; make one for each: "
                f"interpreter={type(reader).__name__}(...) in every role",
            )


def interpreters_without_model(roles: Sequence[Role]) -> list[str]:
    """Those that ask a model and have none of their own, named for people."""
    return [
        f"the {type(reader).__name__} of role {role.name}"
        for role in roles
        for reader in _readers_of(role)
        if isinstance(reader, ModelReader) and not reader.is_bound
    ]


def budget_faults(
    agents: Sequence[Agent], roles: Sequence[Role], judges: Sequence[Judge] = ()
) -> Iterator[tuple[str, str]]:
    """Budgets that limit nothing, and different ones that would be counted as one."""
    known: dict[str, Budget] = {}
    for owner, budget in _budgets(agents, roles, judges):
        if (fault := budget.fault) is not None:
            yield "assembly.budget", f"the budget of {owner} is of no use: {fault}"
        name = budget.name or owner
        if known.setdefault(name, budget) != budget:
            yield (
                "assembly.budget",
                f"two different budgets are counted as {name}; give them names of their own, or make them equal",
            )


def _faults_of(reader: ReplyReader, role: Role) -> Iterator[tuple[str, str]]:
    match reader:
        case ProbabilityInterpreter():
            if isinstance(role, QuestionRole):
                yield (
                    "assembly.interpreter-kind",
                    f"the ProbabilityInterpreter of role {role.name} knows yes and no only, and the role asks for something "
                    "else; use a ModelInterpreter",
                )
            if not 0.5 <= reader.threshold < 1:
                yield (
                    "assembly.interpreter-threshold",
                    f"the threshold of role {role.name}'s ProbabilityInterpreter is {reader.threshold:g}; it must be at "
                    "least 0.5 and less than 1",
                )
        case CodeInterpreter():
            if not _takes_two(reader.function):
                yield (
                    "assembly.interpreter-function",
                    f"the function of role {role.name}'s CodeInterpreter must take two arguments, the ask and the reply",
                )
        case _:
            if isinstance(reader, type) or not callable(getattr(reader, "read", None)):
                yield (
                    "assembly.interpreter-type",
                    f"the interpreter of role {role.name} has no method read; give an object, as RulesInterpreter()",
                )


def _takes_two(function: Any) -> bool:
    try:
        inspect.signature(function).bind(object(), "")
    except TypeError:
        return False
    except ValueError:  # written in C, without a signature
        return True
    return True


def _readers_of(role: Role) -> Iterator[ReplyReader]:
    if role.interpreter is not None:
        yield from links_of(role.interpreter)


def _budgets(agents: Sequence[Agent], roles: Sequence[Role], judges: Sequence[Judge]) -> Iterator[tuple[str, Budget]]:
    """Each budget with the name that its calls go by."""
    for agent in agents:
        if agent.budget is not None:
            yield f"agent:{agent.name}", agent.budget
    for role in roles:
        for reader in _readers_of(role):
            if isinstance(reader, ModelReader) and reader.budget is not None:
                yield f"reply-interpreter:{role.name}", reader.budget
    for judge in judges:
        if judge.budget is not None:
            yield f"judge:{judge.name}", judge.budget
