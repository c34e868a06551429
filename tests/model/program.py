"""The one workflow of these tests: it does whatever tree it is given. And the app around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, Protocol

from overwinter.actors.asks import Ask, AwaitReply, Decided, JsonValue, Outcome, Progress, Withdrawal
from overwinter.actors.errors import ChannelRejectedError
from overwinter.actors.messages import ModelReply, ModelRequest
from overwinter.actors.run import Run
from overwinter.actors.step_errors import StepFailedError
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, last_said, says, turn_of
from overwinter.bots.tools import Tool, ToolCall, tool
from overwinter.bots.workflows import Workflow, workflow
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole, Role

from .trees import LOST, OWNER, PAIR, PEOPLE, ROBOT, SINGLE, TRIO, rule_from_json

WORDS = ("yes", "no", "perhaps")
SINGLE_HOURS = 30
"""The deadline of an approval by one person."""

QUESTIONS = {
    OWNER: QuestionRole(name=OWNER, answer=str, choices=WORDS, answered_by=Answerer.OWNER),
    PEOPLE: QuestionRole(name=PEOPLE, answer=str, choices=WORDS, answered_by=Answerer.CHANNEL),
    ROBOT: QuestionRole(name=ROBOT, answer=str, choices=WORDS, answered_by=Answerer.CHANNEL),
    LOST: QuestionRole(name=LOST, answer=str, choices=WORDS, answered_by=Answerer.CHANNEL),
}
APPROVALS = {
    SINGLE: ApprovalRole(
        name=f"{SINGLE}-approval", answered_by=Answerer.CHANNEL, deadline=timedelta(hours=SINGLE_HOURS)
    ),
    PAIR: ApprovalRole(name=f"{PAIR}-approval", answered_by=Answerer.CHANNEL, needs=2),
    TRIO: ApprovalRole(name=f"{TRIO}-approval", answered_by=Answerer.CHANNEL, needs=2, of=3),
}


class RefusedError(Exception):
    """Somebody said no."""


class BrokenError(Exception):
    """What a failing step raises."""


class Witness(Protocol):
    """Is told of each body that runs."""

    async def ran(self, tenant: str, name: str, key: str) -> None: ...


class Place:
    """A channel: it keeps what it was sent and what was taken back.

    Attributes:
        sent, withdrawn: how often, by pause id.
    """

    def __init__(self, name: str, *, does: str = "waits") -> None:
        self.name = name
        self._does = does
        self.sent: Counter[str] = Counter()
        self.withdrawn: Counter[str] = Counter()

    async def send(self, ask: Ask) -> Outcome:
        if self._does == "refuses":
            raise ChannelRejectedError("there is no such room")
        self.sent[ask.pause_id] += 1
        return Decided(decision="yes", answered_by="robot") if self._does == "decides" else AwaitReply(ref=ask.pause_id)

    async def update(self, progress: Progress) -> None:
        """Nothing: how far a question is changes nothing."""

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        self.withdrawn[withdrawal.ask.pause_id] += 1


class Places:
    """The outside world: it is there whatever processes come and go."""

    def __init__(self) -> None:
        self.office = Place("office")
        self.corridor = Place("corridor")
        self.robot = Place("robot", does="decides")
        self.nowhere = Place("nowhere", does="refuses")

    def wiring(self) -> dict[Role, Place | list[Place]]:
        return {
            QUESTIONS[PEOPLE]: self.office,
            QUESTIONS[ROBOT]: self.robot,
            QUESTIONS[LOST]: self.nowhere,
            QUESTIONS[OWNER]: [],
            APPROVALS[SINGLE]: self.office,
            APPROVALS[PAIR]: [self.office, self.corridor],
            APPROVALS[TRIO]: self.corridor,
        }


def told(error: Exception) -> str:
    """An error as results tell it: its class, and what it stands for."""
    match error:
        case StepFailedError():
            kind = error.kind.rpartition(".")[2]
            detail = error.detail if kind in (RefusedError.__name__, BrokenError.__name__) else ""
            return f"{type(error).__name__} {kind} {detail}".strip()
        case RefusedError():
            return f"RefusedError {error}"
        case _:
            return type(error).__name__


def app_of(witness: Witness, places: Places) -> Callable[[], App]:
    """What makes the app of one process. The code is made once, as a module's would be; the app anew at each start."""

    async def act(tenant: str, name: str, fails: bool, key: str) -> str:
        await witness.ran(tenant, name, key)
        if fails:
            raise BrokenError(name)
        return f"did {name}"

    async def rescue(run: Run, _error: Exception, *, name: str) -> JsonValue:
        return ["rescued", await ask(run, {"role": PEOPLE, "hours": None, "name": name})]

    async def ask(run: Run, node: dict[str, Any]) -> JsonValue:
        deadline = None if node["hours"] is None else timedelta(hours=node["hours"])
        answer = await run.ask(QUESTIONS[node["role"]], node["name"], deadline=deadline)
        if answer == "no":
            raise RefusedError(node["name"])
        return [node["name"], answer]

    async def join(run: Run, node: dict[str, Any]) -> JsonValue:
        settings: dict[str, Any] = {
            "join": rule_from_json(node["rule"]),
            "deadline": None if node["hours"] is None else timedelta(hours=node["hours"]),
            "max_concurrency": node["slots"],
            "on_error": {BrokenError: partial(rescue, name=node["rescue"])} if node["rescue"] else None,
        }
        branches: list[dict[str, Any]] = node["branches"]
        match node["call"]:
            case "map":
                return await run.map(do, branches, **settings)
            case "collect":
                joined = await run.collect(*(partial(do, node=each) for each in branches), **settings)
                return [joined.group, list(joined.indices), joined.results]
            case _:
                return await run.gather(*(partial(do, node=each) for each in branches), **settings)

    async def do(run: Run, node: dict[str, Any]) -> JsonValue:
        match node["kind"]:
            case "Ask":
                return await ask(run, node)
            case "Approve":
                return await run.agent(agents[node["agent"]], node["name"])
            case "Step":
                call = partial(act, run.tenant, node["name"], node["fails"])
                return await run.perform("act", call, wants_key=True)
            case "Sleep":
                await run.sleep(timedelta(hours=node["hours"]))
                return "slept"
            case "Seq":
                return [await do(run, part) for part in node["parts"]]
            case "Child":
                return await run.workflow(play, node["part"])
            case "Try":
                try:
                    return await do(run, node["part"])
                except Exception as error:
                    failure = told(error)
                # Not in the block above: what is raised here would carry that error as what led to it.
                return [failure, await do(run, node["other"])]
            case "Branches":
                return await join(run, node)
            case other:
                raise ValueError(other)

    async def play_tree(run: Run, tree: dict[str, Any]) -> JsonValue:
        return await do(run, tree)

    play_tree.__name__ = play_tree.__qualname__ = "play"
    play: Workflow[..., Any] = workflow(version="1")(play_tree)
    agents = {name: _agent(name, role, witness) for name, role in APPROVALS.items()}
    return lambda: App(name="model", agents=list(agents.values()), workflows=[play], channels=places.wiring())


def _agent(name: str, role: ApprovalRole, witness: Witness) -> Agent:
    def say(request: ModelRequest) -> ModelReply:
        if turn_of(request) == 0:
            return calls("pay", {"what": last_said(request, role="user")})
        paid = last_said(request, role="tool")
        return says(paid if paid.startswith("paid") else "unpaid")

    async def pay(what: str, call: ToolCall[None]) -> str:
        """Pay."""
        await witness.ran(call.tenant, what, call.key)
        return f"paid {what}"

    pay_tool: Tool = tool(asks=role)(pay)
    return Agent(name=name, tools=[pay_tool], model=ScriptedModel(say))
