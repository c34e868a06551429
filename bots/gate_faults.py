"""What can be wrong with an app's gates: found when it is put together, all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from typing import Any, Protocol, cast

from ..channels.roles import ApprovalRole
from .agents import Agent
from .plugins import Plugin
from .policies.gates import Gate, Predicate
from .policies.judge import MAX_INSTRUCTIONS_CHARS, Judge
from .tools import Tool

_PARTS = ("name", "asks", "tools", "shadow", "timeout", "judge")


class Gated(Protocol):
    """What is looked at: an app."""

    @property
    def agents(self) -> Sequence[Agent]: ...

    def tools_of(self, agent: Agent) -> tuple[Tool, ...]: ...

    @property
    def plugins(self) -> Sequence[Plugin]: ...

    def all_gates(self) -> tuple[Gate, ...]: ...

    def gates_of(self, agent: Agent, tool: Tool) -> tuple[Gate, ...]: ...


def judges_in(gates: Sequence[Gate]) -> list[Judge]:
    return [gate for gate in gates if isinstance(gate, Judge)]


def type_faults(gates: Sequence[Gate]) -> Iterator[tuple[str, str]]:
    """Things that are no gates at all, which nothing else can be said about."""
    for gate in gates:
        if isinstance(gate, type) or not all(hasattr(gate, part) for part in _PARTS):
            yield (
                "assembly.gate-type",
                f"{gate!r} is no gate; give Always, Predicate, Rego or Judge, or an object with {', '.join(_PARTS)}",
            )
        elif gate.tools is not None and not isinstance(gate.tools, Collection):  # pyright: ignore[reportUnnecessaryIsInstance]
            # An iterator would be at its end when it was gone through once, and no call would be judged.
            yield "assembly.gate-tools", f"the tools of gate {gate.name} are {gate.tools!r}; give a list of names"


def gate_faults(app: Gated) -> Iterator[tuple[str, str]]:
    """Every fault as its code and a sentence with the remedy."""
    known: set[str] = set()
    judged: dict[int, set[str]] = {}
    for agent in app.agents:
        for tool in app.tools_of(agent):
            known.add(tool.name)
            for gate in app.gates_of(agent, tool):
                judged.setdefault(id(gate), set()).add(tool.name)
    for gate in app.all_gates():
        yield from _faults_of(gate, known, judged.get(id(gate), set()))
    for name, count in Counter(gate.name for gate in app.all_gates()).items():
        if count > 1:
            yield "assembly.duplicate-name", f"{count} gates are called {name}; rename one"
    yield from _plugin_faults(app.plugins)


def _plugin_faults(plugins: Sequence[Plugin]) -> Iterator[tuple[str, str]]:
    for name, count in Counter(plugin.name for plugin in plugins).items():
        if count > 1:
            yield "assembly.duplicate-name", f"{count} plugins are called {name}; rename one"
    owners: dict[str, str] = {}
    for plugin in plugins:
        if isinstance(plugin.action_kinds, str):
            yield "assembly.action-kind", f"the kinds of plugin {plugin.name} are one text; give a list"
            continue
        for kind in plugin.action_kinds:
            if not kind.strip():
                yield "assembly.action-kind", f"plugin {plugin.name} has a kind of action without a name"
            elif owners.setdefault(kind, plugin.name) != plugin.name:
                yield (
                    "assembly.action-kind",
                    f"{kind} is a kind of action of {owners[kind]} and of {plugin.name}; rename one",
                )
        for kind, count in Counter(plugin.action_kinds).items():
            if count > 1:
                yield "assembly.action-kind", f"plugin {plugin.name} declares {kind} {count} times; declare it once"


def _faults_of(gate: Gate, known: set[str], judged: set[str]) -> Iterator[tuple[str, str]]:
    """Args:
    known: the names of all tools.
    judged: those of the tools whose calls it judges, put where it is.
    """
    name: Any = gate.name
    if not isinstance(name, str) or not name.strip():
        yield "assembly.gate-name", "a gate has no name; it stands in the decision log, so give it one"
    asks: Any = gate.asks
    if not isinstance(asks, ApprovalRole):
        yield "assembly.gate-role", f"gate {name} asks {asks!r}; give it the ApprovalRole whose people decide"
    tools: Any = gate.tools
    if isinstance(tools, str):
        yield "assembly.gate-tools", f"the tools of gate {name} are one text; give a list: [{tools!r}]"
    elif tools is not None and not tools:
        yield (
            "assembly.gate-tools",
            f"gate {name} names no tool, so it would judge nothing; name some, or give None for all",
        )
    elif tools is not None:
        for missing in sorted(set(map(str, cast("Collection[Any]", tools))) - judged):
            if missing in known:
                what = f"{missing}, which no agent has where the gate is put; put the gate on the agent that has it, or on the app"
            else:
                what = f"{missing}, and no agent has a tool of that name"
            yield "assembly.gate-tools", f"gate {name} judges {what}"
    if gate.timeout <= timedelta():
        yield "assembly.gate-timeout", f"the timeout of gate {name} must be more than nothing"
    match gate:
        case Predicate(check=check) if not callable(check):
            yield "assembly.gate-check", f"gate {name} has no function to ask; give it check="
        case Judge():
            if not gate.instructions.strip():
                yield "assembly.judge-instructions", f"judge {name} has no instructions; say when a person is needed"
            if len(gate.instructions) > MAX_INSTRUCTIONS_CHARS:
                yield (
                    "assembly.judge-instructions",
                    f"the instructions of judge {name} have {len(gate.instructions)} characters; at most "
                    f"{MAX_INSTRUCTIONS_CHARS} are taken",
                )
        case _:
            pass
