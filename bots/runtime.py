"""An app at work over one store: the graph of services, put together in one place.

Whoever runs an app (the service, the CLI, the test kit) opens a store and gives it here with a clock and ids. Nothing is read
from the environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from ..actors.accepting import Accepting
from ..actors.actions import Actions, Performed
from ..actors.answering import Answering
from ..actors.asks import AnswerForm, ApprovalForm, Ask, ChoiceForm, JsonValue
from ..actors.budgets import Meter
from ..actors.carrying import CarriedDeliveries
from ..actors.clock import Clock
from ..actors.delivering import Dispatcher
from ..actors.delivery_settings import DeliverySettings
from ..actors.errors import PauseInvalidDecisionError
from ..actors.events import CONVERSATION_KINDS
from ..actors.file_hints import FileHints, SystemFileHints
from ..actors.firing import Firing
from ..actors.hooks import Hooks, joined
from ..actors.ids import Ids
from ..actors.jsontext import from_json
from ..actors.messages import Message
from ..actors.notes import Notes
from ..actors.opening import CONVERSATION
from ..actors.operations import milliseconds
from ..actors.outlines import outline_of
from ..actors.patience import Escalation, Patience
from ..actors.ports import Model
from ..actors.program import Program, Programs
from ..actors.questions import Questions
from ..actors.quorum import QuorumRule
from ..actors.reception import Connection, Follower, Reception
from ..actors.roles import RoleBinding, Roles
from ..actors.sessions import Sessions
from ..actors.settling import Settling
from ..actors.spoken import Words
from ..actors.supervisor import Supervisor
from ..actors.supervisor_settings import SupervisorSettings
from ..actors.telling import Receiving, Teller
from ..actors.tickets import Ticket
from ..actors.triggers import Triggers
from ..actors.waiting import Waiting
from ..actors.watching import FileWatching
from ..actors.workspaces import Workspaces
from ..channels.decisions import validate_decision
from ..channels.interpreters.chain import Chain, ModelReader
from ..channels.privacy import DiscreetReader, discreet
from ..channels.roles import Answerer, ApprovalRole, QuestionRole, Role
from ..store.resolutions import Grant, Hold
from ..store.rows import DeliveryRow, PauseKind, PauseRow, SessionRow
from ..store.snapshots import LoadedSession
from ..store.store import Store
from .agents import AgentProgram
from .app import App
from .budgets import BudgetMeter
from .connecting import Shows, carried_by, connected
from .conversation import messages_of
from .errors import AssemblyError, ToolArgumentsError, ToolArgumentsUnstableError
from .gate_faults import judges_in
from .interpreter_faults import interpreters_without_model
from .policies.gates import Gate
from .policies.judge import Judge
from .tools import Tool
from .toolsets.workspace_ext import Workbench

_log = structlog.get_logger("overwinter.runtime")


class StoredHistory:
    """Earlier executions of a session, from the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def before(self, session_id: str, execution_id: str) -> list[Message]:
        events = await self._store.events_before(session_id, execution_id, kinds=CONVERSATION_KINDS)
        return messages_of(events)

    async def stand_ins_before(self, session_id: str, execution_id: str) -> list[dict[str, Any]]:
        events = await self._store.events_before(session_id, execution_id, kinds=CONVERSATION_KINDS)
        return [from_json(event.body_json) for event in events]


class Runtime:
    """The services of one process for one app.

    Attributes:
        sessions: start, feed, cancel.
        answering: the way in for answers.
        waiting: for callers that want to know what came of it.
        triggers: what makes sessions begin or go on when something happens in the world.
        accepting: lets sessions go on whose code has changed.
        actions: calls that run later: which wait, and having one performed.
        settling: for operators who have found out what became of a step that left no result.
        supervisor: revives sessions; runs only where somebody awaits ``supervisor.run``.
        reception: what the connections, the ways to a vendor, are given.
        connections: the ways to a vendor.
        tellers: what carries notes, one for each connection.

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
        connections: Sequence[Connection] = (),
        tenant: str = "default",
        workspaces: Path = Path("workspaces"),
        file_hints: FileHints | None = None,
        shows: Shows | None = None,
    ) -> None:
        """
        Args:
            tenant: whose the triggers are that the app declares.
            workspaces: the folder in which workspace sessions have theirs.
            file_hints: who tells at once where files change; None for the operating system.
            shows: whose questions this process's terminal shows; None for those of every session.
        """
        app.check()
        self.app = app
        self.store = store
        self.clock = clock
        model = app.model or model
        check_models(app, is_configured=model is not None)
        meter = BudgetMeter(costs=store, clock=clock, ids=ids)
        self.triggers = Triggers(triggers=store.triggers, fires=store.fires, clock=clock, ids=ids, fired=self._fired)
        self.workspaces = Workspaces(workspaces)
        bench = app.bench(triggers=self.triggers, workspaces=self.workspaces)
        programs = Programs(_programs(app, bench=bench, model=model, store=store, meter=meter))
        roles = Roles(tuple(_binding(app, role, model=model, meter=meter) for role in app.roles()))
        channels = connected(app, connections)
        holder = ids.holder()
        self.answering = Answering(
            store=store, clock=clock, roles=roles, reviver=self, outbox=self, person_of=app.person_of
        )
        self.sessions = Sessions(
            store=store, clock=clock, ids=ids, programs=programs, answering=self.answering, reviver=self
        )
        supervising = supervising or SupervisorSettings()
        self.waiting = Waiting(store=store, clock=clock, reviver=self, poll_s=supervising.poll_s)
        delivering = delivering or DeliverySettings()
        self.connections = tuple(connections)
        self.tellers = tuple(
            Teller(
                store=store.notes,
                clock=clock,
                holder=holder,
                connection=connection,
                settings=delivering,
                poll_s=supervising.poll_s,
                retention_s=supervising.retention_s,
            )
            for connection in connections
        )
        self.reception = Reception(
            answering=self.answering,
            sessions=self.sessions,
            questions=Questions(store=store.asked),
            anchors=store.anchors,
            notes=Notes(store=store.notes, clock=clock, written=self._tell),
            quarantine=store.quarantine,
            clock=clock,
            ids=ids,
            words=Words(store=store),
            triggers=self.triggers,
            person_of=app.person_of,
        )
        for connection in connections:
            connection.open(self.reception)
        self.accepting = Accepting(store=store, clock=clock, programs=programs, reviver=self)
        self.settling = Settling(store=store, clock=clock, reviver=self)
        self.actions = Actions(store=store, clock=clock, programs=programs, answering=self.answering)
        carries = carried_by(channels, shows)
        self._dispatcher = Dispatcher(
            store=CarriedDeliveries(store=store, carries=carries) if shows is not None else store,
            clock=clock,
            holder=holder,
            channels=channels,
            answering=self.answering,
            reviver=self,
            settings=delivering,
            carries=carries,
        )
        self._firing = Firing(
            triggers=store.triggers,
            fires=store.fires,
            messages=store,
            clock=clock,
            answering=self.answering,
            sessions=self.sessions,
            reviver=self,
            declare=partial(self._declare_triggers, tenant),
            bid_farewell=self.triggers.bid_farewell,
            poll_s=supervising.poll_s,
        )
        self._file_watching = FileWatching(
            waits=store.fires,
            stored_triggers=store.triggers,
            triggers=self.triggers,
            workspaces=self.workspaces,
            hints=file_hints or SystemFileHints(),
            answering=self.answering,
            clock=clock,
            poll_s=supervising.poll_s,
        )
        self.supervisor = Supervisor(
            store=store,
            clock=clock,
            ids=ids,
            programs=programs,
            roles=roles,
            answering=self.answering,
            dispatcher=self._dispatcher,
            waiting=self.waiting,
            accepting=self.accepting,
            hooks=_hooks_of(app, connections),
            holder=holder,
            settings=supervising,
            tell_before=self._firing.tell_before_deadline,
            note_wait=self._note_wait,
            beside=(
                self._firing,
                self._file_watching,
                *self.tellers,
                *(Receiving(connection=each, clock=clock) for each in connections),
            ),
        )

    def _tell(self) -> None:
        for teller in self.tellers:
            teller.look()

    async def perform_scheduled_action(self, ticket: Ticket, *, by: str) -> Performed:
        """Have a call run that was put off, exactly as it was committed; raises as ``Actions.perform`` does."""
        return await self.actions.perform(ticket, by=by)

    # -- triggers ------------------------------------------------------------------------------------------------------
    def _fired(self) -> None:
        self._firing.look_now()

    def _note_wait(self, pause: PauseRow) -> None:
        if pause.kind == PauseKind.TRIGGER:
            self._firing.look_now()
        else:
            self._file_watching.look_now()

    async def _declare_triggers(self, tenant: str) -> None:
        for slug in await self.triggers.declare(self.app.name, tenant, self.app.triggers):
            _log.error("trigger.taken", trigger=slug, app=self.app.name)

    # -- the reviver of answering and sessions, which are made before the supervisor -----------------------------------
    def grant(self) -> Grant | None:
        return self.supervisor.grant()

    def settle(self, granted: Grant | None, claimed: LoadedSession | SessionRow | None) -> None:
        self.supervisor.settle(granted, claimed)

    def wake(self, session_id: str) -> None:
        self.supervisor.wake(session_id)

    def drop(self, session_id: str) -> None:
        self.supervisor.drop(session_id)

    # -- the outbox of answering ---------------------------------------------------------------------------------------
    def hold(self, channel: str, *, session_id: str) -> Hold | None:
        return self._dispatcher.hold(channel, session_id=session_id)

    def offer(self, delivery: DeliveryRow, pause: PauseRow) -> None:
        self._dispatcher.offer(delivery, pause)


def _hooks_of(app: App, connections: Sequence[Connection]) -> Hooks | None:
    wanted = [app.hooks, *(each.hooks for each in connections if isinstance(each, Follower))]
    return joined([hooks for hooks in wanted if hooks is not None])


def check_models(app: App, *, is_configured: bool) -> None:
    """Raise ``AssemblyError``, naming all that want a model and have none.

    Args:
        is_configured: the service has one for those that bring none.
    """
    if is_configured or app.model is not None:
        return
    remedy = "has no model; give it one, give the app one, or give the service its table [model]"
    without = [("assembly.agent-model", f"agent {agent.name} {remedy}") for agent in app.agents if agent.model is None]
    without += [("assembly.interpreter-model", f"{each} {remedy}") for each in interpreters_without_model(app.roles())]
    judges = [judge for judge in judges_in(app.all_gates()) if not judge.is_bound]
    without += [("assembly.judge-model", f"judge {judge.name} {remedy}") for judge in judges]
    if without:
        raise AssemblyError(without)


def _programs(app: App, *, bench: Workbench, model: Model | None, store: Store, meter: Meter) -> list[Program]:
    history = StoredHistory(store)
    kinds = app.action_kinds()
    programs: list[Program] = [
        AgentProgram(
            agent,
            tools=app.tools_of(agent, bench),
            model=chosen if agent.budget is None else meter.metered(chosen, budget=agent.budget),
            history=history,
            kinds=kinds,
            gates={
                tool.name: _bound(app.gates_of(agent, tool), model=model, meter=meter)
                for tool in app.tools_of(agent, bench)
            },
        )
        for agent in app.agents
        if (chosen := agent.model or model) is not None
    ]
    programs.extend(app.workflows)
    return programs


def _bound(gates: Sequence[Gate], *, model: Model | None, meter: Meter) -> list[Gate]:
    return [gate.bound_to(model, meter=meter) if isinstance(gate, Judge) else gate for gate in gates]


def _binding(app: App, role: Role, *, model: Model | None, meter: Meter) -> RoleBinding:
    channels = app.channels_of(role)
    reader = role.interpreter
    if isinstance(reader, ModelReader | Chain):
        reader = reader.bound_to(model, meter=meter)
    return RoleBinding(
        name=role.name,
        answerer=role.answered_by or Answerer.CHANNEL,
        channels=tuple(channel.name for channel in channels) or (CONVERSATION,),
        reader=None if reader is None else DiscreetReader(reader),
        validate=discreet(_Validation(role, app.asked_by(role))),
        quorum=_quorum_of(role),
        patience=_patience_of(role),
    )


def _quorum_of(role: Role) -> QuorumRule | None:
    if not isinstance(role, ApprovalRole) or role.needs == 1:
        return None
    return QuorumRule(needs=role.needs, of=role.of or role.needs, in_order=role.in_order)


def _patience_of(role: Role) -> Patience:
    escalation = None
    if role.escalate_to is not None and role.escalate_after is not None:
        escalation = Escalation(channel=role.escalate_to.name, after_ms=milliseconds(role.escalate_after))
    return Patience(remind_after_ms=tuple(sorted(map(milliseconds, role.reminders))), escalation=escalation)


class _Validation:
    """Checks a decision by its form, an answer by its type too, and edited arguments by the tool itself."""

    def __init__(self, role: Role, tools: Mapping[str, Tool]) -> None:
        self._role = role
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
        if isinstance(ask.form, ChoiceForm | AnswerForm) and not ask.form.takes_any and self._asks_for(ask.form):
            fault = self._role.fault_of(valid) if isinstance(self._role, QuestionRole) else None
            if fault is not None:
                raise PauseInvalidDecisionError(fault)
        return valid

    def _asks_for(self, form: ChoiceForm | AnswerForm) -> bool:
        """Whether the role, as it is deployed, asks for such an answer; one that was asked otherwise is recorded as asked."""
        return isinstance(self._role, QuestionRole) and self._role.outline == outline_of(form)
