"""An app: agents, workflows, and where the questions of each role go. Its faults are reported all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..actors.opening import CONVERSATION
from ..actors.ports import Channel, Model, ReplyReader
from ..channels.roles import Answerer, ApprovalRole, QuestionRole, Role
from .agents import Agent
from .errors import AssemblyError
from .tools import Tool
from .workflows import Workflow

Fault = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class App:
    """What an author deploys.

    Attributes:
        channels: where the questions of each role go; roles that only workflows ask are known from here. Roles answered by
            the session's owner need none: they are asked in the conversation.
        model: the model of agents that have none of their own; None if every agent has one, or the operator configures it.
    """

    name: str
    agents: Sequence[Agent] = ()
    workflows: Sequence[Workflow] = ()
    channels: Mapping[Role, Channel] = field(default_factory=dict[Role, Channel])
    model: Model | None = None

    def tools(self) -> Iterator[tuple[Agent, Tool]]:
        for agent in self.agents:
            for tool in agent.tools:
                yield agent, tool

    def roles(self) -> tuple[Role, ...]:
        """Every role that is asked, once, in the order of first mention."""
        found: dict[int, Role] = {}
        for _, tool in self.tools():
            for role in (tool.asks, tool.question):
                if role is not None:
                    found.setdefault(id(role), role)
        for role in self.channels:
            found.setdefault(id(role), role)
        return tuple(found.values())

    def channel_of(self, role: Role) -> Channel | None:
        return self.channels.get(role)

    def check(self) -> None:
        """Raises ``AssemblyError`` (assembly.invalid) with every fault of the app."""
        if faults := list(self._faults()):
            raise AssemblyError(faults)

    def _faults(self) -> Iterator[Fault]:
        if not self.agents and not self.workflows:
            yield "assembly.empty", f"app {self.name} has no agents and no workflows; give it at least one"
        yield from self._name_faults()
        yield from self._role_faults()
        yield from self._interpreter_faults()
        yield from self._channel_faults()

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
            for name, count in Counter(tool.name for tool in agent.tools).items():
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
            elif role.answered_by is Answerer.NOBODY:
                yield "assembly.role-answerer", f"role {role.name} is answered by nobody; it would wait for ever"
            match role:
                case ApprovalRole():
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
            if self.channel_of(role) is None and not _is_asked_in_conversation(role):
                yield (
                    "assembly.role-channel",
                    f"role {role.name} has no channel; add it to the app's channels",
                )

    def _interpreter_faults(self) -> Iterator[Fault]:
        users: dict[int, tuple[ReplyReader, list[str]]] = {}
        for role in self.roles():
            if role.interpreter is not None:
                users.setdefault(id(role.interpreter), (role.interpreter, []))[1].append(role.name)
        for interpreter, names in users.values():
            if len(names) > 1:
                yield (
                    "assembly.interpreter-shared",
                    f"one {type(interpreter).__name__} reads for {', '.join(names)}; give each role an interpreter of its own",
                )

    def _channel_faults(self) -> Iterator[Fault]:
        names: dict[str, Channel] = {}
        for channel in self.channels.values():
            if channel.name == CONVERSATION:
                yield "assembly.channel-name", f"no channel may be called {CONVERSATION}: that is the session itself"
            if names.setdefault(channel.name, channel) is not channel:
                yield "assembly.duplicate-name", f"two channels are called {channel.name}; rename one"


def _is_asked_in_conversation(role: Role | QuestionRole[Any]) -> bool:
    """Owners are asked where they talk to the bot."""
    return role.answered_by is Answerer.OWNER
