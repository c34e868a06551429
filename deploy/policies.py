"""Tries an app's policies on cases from a file: what they say of each call, and whether that is what was expected.

    [[case]]
    name = "small refunds run"
    tool = "refund_card"
    arguments = { order_id = "4471", amount = "20.00" }
    expect = "allow"                       # allow, schedule, ask or deny

    [[case]]
    name = "large ones are asked about"
    tool = "refund_card"
    arguments = { order_id = "4471", amount = "800.00" }
    judges = { regulars = "may_run" }      # what a judge says here; one that is not named asks a person
    expect = "ask"
    asks = ["finance"]                     # which roles, in any order
    reason = "over 500"                    # part of what a policy gives as its reason

``agent``, ``owner``, ``tenant``, ``surface`` and ``call_id`` may be said too. No model is called and nothing is written.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from ..actors.asks import JsonValue
from ..actors.clock import Clock
from ..bots.agents import Agent
from ..bots.app import App
from ..bots.errors import ToolArgumentsError, ToolArgumentsUnstableError
from ..bots.policies.gates import Gate, Predicate
from ..bots.policies.judge import Judge
from ..bots.policies.judging import Judged, judged_by
from ..bots.policies.verdicts import Allow, Ask, GatedCall
from ..bots.tools import Tool
from .config_faults import did_you_mean
from .errors import InputInvalidError

AS_TOML = '[[case]] with name, tool, arguments, and expect = "allow", "schedule", "ask" or "deny"'


class Case(BaseModel):
    """One call, and what is expected of the policies."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    tool: str
    arguments: dict[str, Any]
    expect: Literal["allow", "schedule", "ask", "deny"]
    agent: str | None = None
    owner: str = "somebody"
    tenant: str = "default"
    surface: Literal["chat", "workspace"] = "chat"
    call_id: str = "call_1"
    judges: dict[str, Literal["may_run", "ask_a_person"]] = {}
    asks: tuple[str, ...] | None = None
    reason: str | None = None


class _Cases(BaseModel):
    model_config = ConfigDict(extra="forbid")

    case: list[Case] = Field(min_length=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What became of a case.

    Attributes:
        verdict: what the policies came to; empty where the call could not be judged.
        wrong: what is not as expected; empty if the case passed.
    """

    case: Case
    verdict: str
    asks: tuple[str, ...]
    reasons: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.wrong

    def to_json(self) -> dict[str, JsonValue]:
        return {
            "name": self.case.name,
            "passed": self.passed,
            "expected": self.case.expect,
            "verdict": self.verdict or None,
            "asks": list(self.asks),
            "reasons": list(self.reasons),
            "wrong": list(self.wrong),
        }


def _fault_of(error: ErrorDetails) -> str:
    """What is wrong with the file, in words."""
    match error["loc"]:
        case ("case", int() as at, *rest) if rest:
            where, names = f"case {at + 1}, {'.'.join(map(str, rest))}", list(Case.model_fields)
        case ("case",) | ():
            return f"a list of cases is expected, each {AS_TOML}, or the same in JSON"
        case other:
            where, names = ".".join(map(str, other)), list(_Cases.model_fields)
    match error["type"]:
        case "extra_forbidden":
            return f"{where}: there is no such key{did_you_mean(str(error['loc'][-1]), names)}"
        case "missing":
            return f"{where} is missing"
        case _:
            return f"{where}: {error['msg'].replace('Input should', 'it should')}, not {error['input']!r}"


def cases_in(file: Path) -> list[Case]:
    """The cases of a TOML or JSON file.

    Raises:
        InputInvalidError: (input.invalid) it cannot be read; says where.
    """
    try:
        text = file.read_text(encoding="utf-8")
        found: Any = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
        return _Cases.model_validate(found).case
    except (OSError, UnicodeDecodeError) as error:
        raise InputInvalidError(f"{file} cannot be read: {error}") from error
    except ValidationError as error:
        faults = [_fault_of(each) for each in error.errors(include_url=False, include_context=False)]
        raise InputInvalidError(f"{file}: {'; '.join(faults)}") from error
    except ValueError as error:
        raise InputInvalidError(f"{file} is neither TOML nor JSON: {error}") from error


async def tried(app: App, cases: Sequence[Case], *, clock: Clock) -> list[Tried]:
    """Try each case, in order."""
    return [await _tried(app, case, clock=clock) for case in cases]


async def _tried(app: App, case: Case, *, clock: Clock) -> Tried:
    found = [(agent, tool) for agent in app.agents for tool in app.tools_of(agent) if _is_meant(case, agent, tool)]
    if len(found) != 1:
        agents = ", ".join(agent.name for agent, _ in found) or "no agent"
        return _failed(case, f"{agents} has a tool {case.tool}" + ("; say which agent" if found else ""))
    agent, tool = found[0]
    try:
        arguments = tool.signature.read_json(case.arguments)
    except (ToolArgumentsError, ToolArgumentsUnstableError) as error:
        return _failed(case, str(error))
    call = GatedCall(
        tool=tool.name,
        arguments=arguments,
        agent=agent.name,
        session_id="policy-test",
        execution_id="policy-test",
        tenant=case.tenant,
        owner=case.owner,
        surface=case.surface,
        call_id=case.call_id,
        requested_at=datetime.fromtimestamp(clock.now_ms() / 1000, UTC),
        marks=tool.signature.marks,
    )
    judged = await judged_by([_without_model(gate, case) for gate in app.gates_of(agent, tool)], call)
    return _compared(case, tool, judged)


def _is_meant(case: Case, agent: Agent, tool: Tool) -> bool:
    return tool.name == case.tool and case.agent in (None, agent.name)


def _without_model(gate: Gate, case: Case) -> Gate:
    """A judge says what the case has it say."""
    if not isinstance(gate, Judge):
        return gate
    said = case.judges.get(gate.name)
    verdict = Allow(reason="as the case says") if said == "may_run" else Ask(reason="a judge is not asked in a test")
    return Predicate(name=gate.name, check=lambda _: verdict, asks=gate.asks, tools=gate.tools, shadow=gate.shadow)


def _compared(case: Case, tool: Tool, judged: Judged) -> Tried:
    asks = list(judged.asks)
    verdict = judged.verdict
    if tool.asks is not None and verdict != "deny":
        verdict = "ask"
        asks = list(dict.fromkeys([tool.asks.name, *asks]))
    reasons = tuple(f"{each.policy}: {each.reason}" for each in judged.findings if each.reason and not each.is_shadow)
    wrong: list[str] = []
    if verdict != case.expect:
        wrong.append(f"expected {case.expect}, got {verdict}")
    if case.asks is not None and sorted(case.asks) != sorted(asks):
        wrong.append(
            f"expected {', '.join(sorted(case.asks)) or 'nobody'} to be asked, not {', '.join(asks) or 'nobody'}"
        )
    if case.reason is not None and not any(case.reason in reason for reason in reasons):
        wrong.append(f"no reason says {case.reason!r}; they say: {'; '.join(reasons) or 'nothing'}")
    return Tried(case=case, verdict=verdict, asks=tuple(asks), reasons=reasons, wrong=tuple(wrong))


def _failed(case: Case, why: str) -> Tried:
    return Tried(case=case, verdict="", asks=(), reasons=(), wrong=(why,))
