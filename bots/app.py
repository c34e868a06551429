"""An app: agents, workflows, and where the questions of each role go. Its faults are reported all at once."""

from __future__ import annotations

import inspect
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from ..actors.errors import TriggerInvalidError
from ..actors.hooks import EndHook, Hooks, PauseHook, ResumeHook
from ..actors.opening import CONVERSATION
from ..actors.ports import Model
from ..actors.reception import AnyChannel, DeclaredChannel
from ..actors.trigger_kinds import Trigger, check
from ..actors.triggers import Triggers
from ..actors.workspaces import Workspaces
from ..channels.roles import Answerer, ApprovalRole, QuestionRole, Role
from .agents import Agent
from .answer_faults import answer_faults
from .errors import AssemblyError
from .gate_faults import gate_faults, judges_in, type_faults
from .interpreter_faults import budget_faults, interpreter_faults
from .patience_faults import ability_faults, patience_faults
from .plugins import Plugin
from .policies.gates import Gate
from .tools import Tool
from .toolsets.catalogue import NAMES as TOOLSETS
from .toolsets.catalogue import tools_of, tools_that_ask
from .toolsets.workspace_ext import Workbench
from .workflows import Workflow

Fault = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class App:
    """What an author deploys.

    Attributes:
        channels: where the questions of each role go, to one channel or to several at once; roles that only workflows ask are
            known from here. Roles answered by the session's owner need none: they are asked in the conversation.
        people: the names that channels know a person by (a mail address, a Slack user), by one name of theirs: where several
            people are needed, nobody counts twice.
        gates: judge each call of every agent's tools before it runs, after those of the tool and of its agent (``policies``).
        plugins: bring gates, which come last, and the kinds of action that calls may be put off as.
        model: the model of agents that have none of their own; None if every agent has one, or the operator configures it.
        on_pause: called each time a session has come to rest with open waits (``overwinter.actors.hook_notices``).
        on_resume: called when a session goes on with what it has waited for.
        on_end: called when an execution has ended. All three are called at least once, after the fact is committed; what
            they raise is logged and nothing else.
        hook_timeout: how long each call may take.
        triggers: what makes sessions begin, or go on, when something happens in the world (``overwinter.actors.trigger_kinds``).
        yield_timeout_cap: how long one call of ``sleep`` and the like may wait at most; people may take longer.
    """

    name: str
    agents: Sequence[Agent] = ()
    workflows: Sequence[Workflow] = ()
    channels: Mapping[Role, AnyChannel | Sequence[AnyChannel]] = field(
        default_factory=dict[Role, "AnyChannel | Sequence[AnyChannel]"]
    )
    people: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    gates: Sequence[Gate] = ()
    plugins: Sequence[Plugin] = ()
    model: Model | None = None
    on_pause: PauseHook | None = None
    on_resume: ResumeHook | None = None
    on_end: EndHook | None = None
    hook_timeout: timedelta = timedelta(seconds=10)
    triggers: Sequence[Trigger] = ()
    yield_timeout_cap: timedelta = timedelta(minutes=60)

    def __post_init__(self) -> None:
        # An iterator would be at its end when it was gone through once, and no call would be judged any more.
        for name in ("agents", "workflows", "gates", "plugins", "triggers"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def tools(self) -> Iterator[tuple[Agent, Tool]]:
        """Every tool that an agent has itself, and those of its toolsets whose roles are asked."""
        for agent in self.agents:
            for tool in {id(tool): tool for tool in (*agent.tools, *tools_that_ask(agent.toolsets))}.values():
                yield agent, tool

    def bench(self, *, triggers: Triggers | None = None, workspaces: Workspaces | None = None) -> Workbench:
        """What the tools of its toolsets work with; without the services of a runtime they can only be looked at."""
        newest = {workflow.name: workflow for workflow in self.workflows}
        return Workbench(cap=self.yield_timeout_cap, workflows=newest, triggers=triggers, workspaces=workspaces)

    def tools_of(self, agent: Agent, bench: Workbench | None = None) -> tuple[Tool, ...]:
        """Every tool of one agent, those of its toolsets included; without a runtime's bench they can only be looked at."""
        bench = bench or self.bench()
        return tuple({id(tool): tool for tool in (*agent.tools, *tools_of(agent.toolsets, bench))}.values())

    def all_gates(self) -> tuple[Gate, ...]:
        """Every gate of the app, its plugins, its agents and their tools, once."""
        of_tools = [gate for _, tool in self.tools() for gate in tool.gates]
        of_agents = [gate for agent in self.agents for gate in agent.gates]
        return tuple({id(gate): gate for gate in (*of_tools, *of_agents, *self._own_gates)}.values())

    def gates_of(self, agent: Agent, tool: Tool) -> tuple[Gate, ...]:
        """Those that judge an agent's calls of a tool, in the order in which they do."""
        gates = {id(gate): gate for gate in (*tool.gates, *agent.gates, *self._own_gates)}
        return tuple(gate for gate in gates.values() if gate.tools is None or tool.name in gate.tools)

    def action_kinds(self) -> dict[str, frozenset[str]]:
        """The kinds of action that each gate may name, by the gate's name: a plugin's those of that plugin, others all."""
        every = frozenset(kind for plugin in self.plugins for kind in plugin.action_kinds)
        kinds = dict.fromkeys((gate.name for gate in self.all_gates()), every)
        kinds.update((gate.name, frozenset(plugin.action_kinds)) for plugin in self.plugins for gate in plugin.gates)
        return kinds

    @property
    def _own_gates(self) -> tuple[Gate, ...]:
        return (*self.gates, *(gate for plugin in self.plugins for gate in plugin.gates))

    def asked_by(self, role: Role) -> dict[str, Tool]:
        """The tools whose calls people of a role approve, by name."""
        return {
            tool.name: tool
            for agent in self.agents
            for tool in self.tools_of(agent)
            if tool.asks is role or any(gate.asks is role for gate in self.gates_of(agent, tool))
        }

    def roles(self) -> tuple[Role, ...]:
        """Every role that is asked, once, in the order of first mention."""
        found: dict[int, Role] = {}
        for _, tool in self.tools():
            for role in (tool.asks, tool.question):
                if role is not None:
                    found.setdefault(id(role), role)
        for gate in self.all_gates():
            if isinstance(gate.asks, ApprovalRole):  # pyright: ignore[reportUnnecessaryIsInstance]  an author's word
                found.setdefault(id(gate.asks), gate.asks)
        for role in self.channels:
            found.setdefault(id(role), role)
        return tuple(found.values())

    def wiring(self) -> dict[Role, tuple[AnyChannel, ...]]:
        """Where each role is asked: what the app says, and for approvals what a tool itself names."""
        wired: dict[Role, tuple[AnyChannel, ...]] = {
            tool.asks: (tool.channel,) for _, tool in self.tools() if tool.asks is not None and tool.channel is not None
        }
        for role, channels in self.channels.items():
            wired[role] = tuple(channels) if isinstance(channels, Sequence) else (channels,)
        return wired

    def asked_of(self, role: Role) -> tuple[AnyChannel, ...]:
        """Every channel that a role's questions may go to."""
        return (*self.channels_of(role), *(() if role.escalate_to is None else (role.escalate_to,)))

    def asked_channels(self) -> Iterator[AnyChannel]:
        """Every channel that a question may go to, as often as it is named."""
        for role in self.roles():
            yield from self.asked_of(role)

    def person_of(self, responder: str) -> str:
        """Who somebody is, by one name, whatever name their channel knows them by and however that is written."""
        known = _folded(responder)
        for person, names in self.people.items():
            if known in {_folded(name) for name in (person, *names)}:
                return _folded(person)
        return known

    @property
    def hooks(self) -> Hooks | None:
        if self.on_pause is None and self.on_resume is None and self.on_end is None:
            return None
        return Hooks(
            on_pause=self.on_pause,
            on_resume=self.on_resume,
            on_end=self.on_end,
            timeout_s=self.hook_timeout.total_seconds(),
        )

    def channels_of(self, role: Role) -> tuple[AnyChannel, ...]:
        return self.wiring().get(role, ())

    def check(self) -> None:
        """Raises ``AssemblyError`` (assembly.invalid) with every fault of the app."""
        if faults := list(self._faults()):
            raise AssemblyError(faults)

    def _faults(self) -> Iterator[Fault]:
        if not self.agents and not self.workflows:
            yield "assembly.empty", f"app {self.name} has no agents and no workflows; give it at least one"
        if not_gates := list(type_faults(self.all_gates())):
            yield from not_gates
            return
        yield from self._toolset_faults()
        yield from self._name_faults()
        yield from self._trigger_faults()
        yield from self._role_faults()
        yield from interpreter_faults(self.roles())
        yield from gate_faults(self)
        yield from budget_faults(self.agents, self.roles(), judges_in(self.all_gates()))
        yield from self._channel_faults()
        yield from self._people_faults()
        for name, hook in (("on_pause", self.on_pause), ("on_resume", self.on_resume), ("on_end", self.on_end)):
            if inspect.isfunction(hook) and not inspect.iscoroutinefunction(hook):
                yield "assembly.hook", f"{name} of app {self.name} is not async; write it as async def"
        if self.hook_timeout <= timedelta():
            yield "assembly.hook", f"hook_timeout of app {self.name} must be more than nothing"

    def _toolset_faults(self) -> Iterator[Fault]:
        for agent in self.agents:
            for name in agent.toolsets:
                if name not in TOOLSETS:
                    yield (
                        "assembly.toolset",
                        f"agent {agent.name} names the toolset {name!r}; there are {', '.join(TOOLSETS)}",
                    )
        if self.yield_timeout_cap <= timedelta():
            yield "assembly.toolset", f"yield_timeout_cap of app {self.name} must be more than nothing"

    def _trigger_faults(self) -> Iterator[Fault]:
        bots = {each.name for each in (*self.agents, *self.workflows)}
        for slug, count in Counter(trigger.slug for trigger in self.triggers).items():
            if count > 1:
                yield "assembly.duplicate-name", f"{count} triggers are called {slug}; rename one"
        for trigger in self.triggers:
            if trigger.starts is not None and trigger.starts.bot not in bots:
                yield (
                    "assembly.trigger",
                    f"trigger {trigger.slug} starts {trigger.starts.bot!r}, which is no bot of the app; it has "
                    f"{', '.join(sorted(bots))}",
                )
            try:
                check(trigger)
            except TriggerInvalidError as error:
                yield "assembly.trigger", str(error)

    def _name_faults(self) -> Iterator[Fault]:
        versions = [(agent.name, "1") for agent in self.agents]
        versions += [(workflow.name, workflow.version) for workflow in self.workflows]
        for (name, version), count in Counter(versions).items():
            if count > 1:
                yield "assembly.duplicate-name", f"{count} bots are called {name} in version {version}; rename one"
        both = {agent.name for agent in self.agents} & {workflow.name for workflow in self.workflows}
        for name in sorted(both):
            yield "assembly.duplicate-name", f"{name} is an agent and a workflow; rename one"
        for agent in self.agents:
            for name, count in Counter(tool.name for tool in self.tools_of(agent)).items():
                if count > 1:
                    yield "assembly.duplicate-name", f"agent {agent.name} has {count} tools called {name}; rename one"
        for name, count in Counter(role.name for role in self.roles()).items():
            if count > 1:
                yield (
                    "assembly.duplicate-name",
                    f"{count} different roles are called {name}; define the role once and name it everywhere",
                )

    def _role_faults(self) -> Iterator[Fault]:
        for role in self.roles():
            if role.answered_by is None:
                yield (
                    "assembly.role-answerer",
                    f"role {role.name} does not say who may answer; give it answered_by=Answerer.CHANNEL or .OWNER",
                )
            elif not isinstance(role.answered_by, Answerer):  # pyright: ignore[reportUnnecessaryIsInstance]  an author's word
                yield (
                    "assembly.role-answerer",
                    f"role {role.name} has answered_by={role.answered_by!r}; give it Answerer.CHANNEL or Answerer.OWNER",
                )
            elif role.answered_by is Answerer.NOBODY:
                yield "assembly.role-answerer", f"role {role.name} is answered by nobody; it would wait for ever"
            match role:
                case ApprovalRole():
                    yield from self._quorum_faults(role)
                    try:
                        role.prompt.format(tool="", arguments="", bot="")
                    except (KeyError, IndexError, ValueError) as error:
                        yield (
                            "assembly.role-prompt",
                            f"the prompt of role {role.name} cannot be filled in ({error!r}); "
                            "it may use {tool}, {arguments} and {bot}",
                        )
                case QuestionRole():
                    if role.choices and role.answer is not str:
                        yield "assembly.role-choices", f"role {role.name} has choices, so its answer must be str"
                    yield from answer_faults(role)
            yield from patience_faults(role, self.channels_of(role))
            for channel in self.asked_of(role):
                if not isinstance(channel, DeclaredChannel):
                    yield from ability_faults(role, channel)
            if not self.channels_of(role) and not _is_asked_in_conversation(role):
                yield (
                    "assembly.role-channel",
                    f"role {role.name} has no channel; add it to the app's channels",
                )

    def _people_faults(self) -> Iterator[Fault]:
        owners: dict[str, str] = {}
        for person, names in self.people.items():
            if isinstance(names, str):
                yield "assembly.people", f"the names of {person} are one text; give a list: [{names!r}]"
                continue
            for name in (person, *names):
                if not (folded := _folded(name)):
                    yield "assembly.people", f"{person} has a name of which nothing can be seen; leave it out"
                elif owners.setdefault(folded, person) != person:
                    yield "assembly.people", f"{name!r} is a name of {owners[folded]} and of {person}; give it to one"

    def _quorum_faults(self, role: ApprovalRole) -> Iterator[Fault]:
        if role.needs < 1 or (role.of is not None and role.of < role.needs):
            of = "" if role.of is None else f" of {role.of}"
            yield "assembly.role-quorum", f"role {role.name} needs {role.needs}{of} people; that can never be reached"
        if role.needs > 1 and role.answered_by is Answerer.OWNER:
            yield "assembly.role-quorum", f"role {role.name} needs {role.needs} people, and its session has one owner"
        if role.needs == 1 and (role.in_order or role.of is not None):
            yield "assembly.role-quorum", f"role {role.name} needs one person; of= and in_order= say nothing there"
        if role.in_order and len(self.channels_of(role)) < 2:
            yield "assembly.role-quorum", f"role {role.name} asks in order; give it several channels"

    def _channel_faults(self) -> Iterator[Fault]:
        for role, channels in self.wiring().items():
            if len(set(map(id, channels))) != len(channels):
                yield "assembly.role-channel", f"role {role.name} names one channel twice; name it once"
        names: dict[str, AnyChannel] = {}
        for channel in self.asked_channels():
            if "," in channel.name or not channel.name:
                yield "assembly.channel-name", f"a channel is called {channel.name!r}; give it a name without a comma"
            if channel.name == CONVERSATION:
                yield "assembly.channel-name", f"no channel may be called {CONVERSATION}: that is the session itself"
            if names.setdefault(channel.name, channel) is not channel:
                yield "assembly.duplicate-name", f"two channels are called {channel.name}; rename one"


def _folded(name: str) -> str:
    """A name without what two writings of one name may differ in: case, width, accents apart or not, what nobody can see."""
    visible = (char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char)[0] not in "CZ")
    return unicodedata.normalize("NFKC", "".join(visible).casefold())


def _is_asked_in_conversation(role: Role | QuestionRole[Any]) -> bool:
    """Owners are asked where they talk to the bot."""
    return role.answered_by is Answerer.OWNER
