"""An app at work over one store: the graph of services, put together in one place.

Whoever runs an app (the service, the CLI, the test kit) opens a store and gives it here with a clock and ids. Nothing is read
from the environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..actors.answering import Answering
from ..actors.asks import ApprovalForm, Ask, JsonValue
from ..actors.clock import Clock
from ..actors.delivering import DeliverySettings, Dispatcher
from ..actors.errors import PauseInvalidDecisionError
from ..actors.events import CONVERSATION_KINDS
from ..actors.ids import Ids
from ..actors.messages import Message
from ..actors.opening import CONVERSATION
from ..actors.ports import Channel, Model
from ..actors.program import Program, Programs
from ..actors.roles import RoleBinding, Roles
from ..actors.sessions import Sessions
from ..actors.supervisor import Supervisor
from ..actors.supervisor_settings import SupervisorSettings
from ..channels.decisions import validate_decision
from ..channels.interpreters.chain import Chain
from ..channels.interpreters.model import ModelInterpreter
from ..channels.roles import Answerer, Role
from ..store.changes import Grant, LoadedSession
from ..store.rows import SessionRow
from ..store.store import Store
from .agents import AgentProgram
from .app import App
from .conversation import messages_of
from .errors import AssemblyError, ToolArgumentsError, ToolArgumentsUnstableError
from .tools import Tool


class StoredHistory:
    """Earlier executions of a session, from the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def before(self, session_id: str, execution_id: str) -> list[Message]:
        events = await self._store.events_before(session_id, execution_id, kinds=CONVERSATION_KINDS)
        return messages_of(events)


class Runtime:
    """The services of one process for one app.

    Attributes:
        sessions: start, feed, cancel.
        answering: the way in for answers.
        supervisor: revives sessions; runs only where somebody awaits ``supervisor.run``.

    Raises:
        AssemblyError: (assembly.invalid) every fault of the app.
    """

    def __init__(
        self,
        *,
        app: App,
        store: Store,
        clock: Clock,
        ids: Ids,
        model: Model | None = None,
        supervising: SupervisorSettings | None = None,
        delivering: DeliverySettings | None = None,
    ) -> None:
        app.check()
        self.app = app
        self.store = store
        self.clock = clock
        model = app.model or model
        programs = Programs(_programs(app, model=model, store=store))
        roles = Roles(tuple(_binding(app, role, model=model) for role in app.roles()))
        channels: dict[str, Channel] = {channel.name: channel for channel in app.channels.values()}
        holder = ids.holder()
        self.answering = Answering(store=store, clock=clock, roles=roles, reviver=self)
        self.sessions = Sessions(
            store=store, clock=clock, ids=ids, programs=programs, answering=self.answering, reviver=self
        )
        dispatcher = Dispatcher(
            store=store,
            clock=clock,
            holder=holder,
            channels=channels,
            answering=self.answering,
            settings=delivering or DeliverySettings(),
        )
        self.supervisor = Supervisor(
            store=store,
            clock=clock,
            ids=ids,
            programs=programs,
            roles=roles,
            answering=self.answering,
            dispatcher=dispatcher,
            holder=holder,
            settings=supervising or SupervisorSettings(),
        )

    # -- the reviver of answering and sessions, which are made before the supervisor -----------------------------------
    def grant(self) -> Grant | None:
        return self.supervisor.grant()

    def settle(self, granted: Grant | None, claimed: LoadedSession | SessionRow | None) -> None:
        self.supervisor.settle(granted, claimed)

    def wake(self, session_id: str) -> None:
        self.supervisor.wake(session_id)


def _programs(app: App, *, model: Model | None, store: Store) -> list[Program]:
    history = StoredHistory(store)
    without = [agent.name for agent in app.agents if agent.model is None and model is None]
    if without:
        raise AssemblyError(
            [
                (
                    "assembly.agent-model",
                    f"agent {name} has no model; give it one, give the app one, or configure one for the service",
                )
                for name in without
            ]
        )
    programs: list[Program] = [
        AgentProgram(agent, model=chosen, history=history)
        for agent in app.agents
        if (chosen := agent.model or model) is not None
    ]
    programs.extend(app.workflows)
    return programs


def _binding(app: App, role: Role, *, model: Model | None) -> RoleBinding:
    channel = app.channel_of(role)
    reader = role.interpreter
    if isinstance(reader, ModelInterpreter | Chain) and model is not None:
        reader = reader.bound_to(model)
    return RoleBinding(
        name=role.name,
        answerer=role.answered_by or Answerer.CHANNEL,
        channel=CONVERSATION if channel is None else channel.name,
        reader=reader,
        validate=_Validation({tool.name: tool for _, tool in app.tools() if tool.asks is role}),
    )


class _Validation:
    """Checks a decision by its form, and edited arguments by the tool itself."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools

    def __call__(self, ask: Ask, decision: JsonValue) -> JsonValue:
        valid: Any = validate_decision(ask, decision)
        if isinstance(ask.form, ApprovalForm) and valid["override_arguments"] is not None:
            tool = self._tools.get(ask.form.tool)
            if tool is None:
                raise PauseInvalidDecisionError(
                    f"tool {ask.form.tool} is not deployed here, so other arguments cannot be checked"
                )
            try:
                arguments = tool.signature.read_json(valid["override_arguments"])
            except (ToolArgumentsError, ToolArgumentsUnstableError) as error:
                raise PauseInvalidDecisionError(str(error)) from error
            return {**valid, "override_arguments": arguments}
        return valid
