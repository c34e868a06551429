"""Agents: a model with instructions and tools, in a loop that can be put away at any await."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol, cast

from ..actors.asks import JsonValue
from ..actors.budgets import Budget
from ..actors.events import EventKind
from ..actors.jsontext import to_json
from ..actors.messages import Message, ModelCaller, ModelRequest
from ..actors.ports import Model
from ..actors.run import Run
from ..actors.stand_ins import known_from, noted
from ..store.rows import SessionStatus
from .conversation import assistant_message, reply_from_json, reply_to_json, text_of, tool_message
from .dispatch import Dispatch
from .errors import TurnLimitError
from .gating import Gating
from .policies.gates import Gate
from .revealing import tokens_written
from .tools import Tool

EMPTY_REPLY = "Your last reply was empty. Answer the user, or call a tool."


class History(Protocol):
    """Earlier executions of a session, as messages."""

    async def before(self, session_id: str, execution_id: str) -> Sequence[Message]: ...

    async def stand_ins_before(self, session_id: str, execution_id: str) -> Sequence[Mapping[str, Any]]:
        """The bodies of events in which its model was shown tokens."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Agent:
    """What an author declares.

    Attributes:
        toolsets: names of sets that come with Overwinter: ``system``, ``workspace_ext``.
        model: the agent's own model; None for the app's.
        model_name: the vendor's name of the model; None for the client's default.
        yields: it never ends by itself: after each reply it waits for the next message in the same execution.
        max_turns: model calls in one execution (between two messages, if it yields) before it is stopped.
        max_parallel_calls: how many tool bodies of one reply may run at once.
        gates: judge each call of its tools before it runs, where they are concerned with the tool (``policies``).
        budget: for calls of its model; an execution that finds it used up fails with ``budget.exceeded``. None for no limit.
    """

    name: str
    instructions: str = ""
    tools: Sequence[Tool] = ()
    toolsets: Sequence[str] = ()
    model: Model | None = None
    model_name: str | None = None
    yields: bool = False
    max_turns: int = 40
    max_parallel_calls: int = 8
    max_tokens: int | None = None
    budget: Budget | None = None
    gates: Sequence[Gate] = ()

    def __post_init__(self) -> None:
        # An iterator would be at its end when it was gone through once, and no call would be judged any more.
        for name in ("tools", "gates"):
            object.__setattr__(self, name, tuple(getattr(self, name)))


class AgentProgram:
    """An agent as the runtime runs it."""

    version = "1"
    rests_as = SessionStatus.IDLE

    def __init__(
        self,
        agent: Agent,
        *,
        tools: Sequence[Tool],
        model: Model,
        history: History,
        gates: Mapping[str, Sequence[Gate]] = MappingProxyType({}),
        kinds: Mapping[str, frozenset[str]] = MappingProxyType({}),
    ) -> None:
        """Args:
        tools: the agent's own and those of its toolsets.
        gates: all that judge calls of its tools, by the tool's name.
        kinds: of actions that each gate may name, by the gate's name.
        """
        by_name = {tool.name: tool for tool in tools}
        self._agent = agent
        self._model = model
        self._history = history
        self._dispatch = Dispatch(
            tools=by_name, gating=Gating(agent=agent.name, tools=by_name, gates=gates, kinds=kinds)
        )
        self._specs = {
            surface: tuple(tool.signature.spec for tool in tools if tool.is_offered_on(surface))
            for surface in ("chat", "workspace")
        }
        self.fingerprint = fingerprint_of(agent, gates)

    @property
    def name(self) -> str:
        return self._agent.name

    def takes(self, name: str) -> bool:
        """Anything: it is told as text."""
        return True

    def check(self, content: JsonValue) -> None:
        """Whatever it is told, its model reads it."""

    async def main(self, run: Run, message: JsonValue) -> JsonValue:
        conversation: list[Message] = []
        shown: list[Mapping[str, Any]] = []
        while True:
            conversation.append(Message(role="user", content=text_of(message["content"])))
            shown.append(message)
            reply = await self._turns(run, conversation, shown)
            if not self._agent.yields:
                return {"reply": reply}
            message = await run.next_message()

    async def _turns(self, run: Run, conversation: list[Message], shown: list[Mapping[str, Any]]) -> str:
        """Call the model, carry out what it asks, until it only speaks.

        Args:
            shown: the bodies of the events that the conversation is made of, where they may have shown the model tokens.
        """
        for _ in range(self._agent.max_turns):
            ask_model = partial(self._ask_model, run, tuple(conversation), tuple(shown))
            kind = EventKind.MODEL_REPLIED
            body: dict[str, Any] = await run.perform("model", ask_model, kind=kind, wants_key=True)
            reply, meant = reply_from_json(body), known_from([body])
            if not reply.tool_calls:
                if text := reply.content or reply.refusal:
                    conversation.append(assistant_message(reply))
                    return text
                conversation.append(Message(role="system", content=EMPTY_REPLY))
                continue
            conversation.append(assistant_message(reply))
            last = len(reply.tool_calls) - 1
            results = await run.gather(
                *(
                    partial(self._dispatch.call, request=call, is_cut=reply.is_cut and index == last, stand_ins=meant)
                    for index, call in enumerate(reply.tool_calls)
                ),
                max_concurrency=self._agent.max_parallel_calls,
            )
            conversation.extend(tool_message(result) for result in results)
            shown.extend(results)
        raise TurnLimitError(
            f"agent {self.name} called its model {self._agent.max_turns} times without coming to an end"
        )

    async def _ask_model(
        self, run: Run, conversation: tuple[Message, ...], shown: tuple[Mapping[str, Any], ...], call_key: str
    ) -> JsonValue:
        earlier = await self._history.before(run.session_id, run.execution_id) if run.has_history else ()
        system = (Message(role="system", content=self._agent.instructions),) if self._agent.instructions else ()
        request = ModelRequest(
            messages=(*system, *earlier, *conversation),
            tools=self._specs[run.surface],
            model=self._agent.model_name,
            max_tokens=self._agent.max_tokens,
            caller=ModelCaller(
                name=f"agent:{self.name}",
                tenant=run.tenant,
                owner=run.owner,
                session_id=run.session_id,
                execution_id=run.execution_id,
                step=call_key.removeprefix(run.execution_id),
                call_key=call_key,
            ),
        )
        reply = await self._model.reply(request)
        body = reply_to_json(reply)
        written = [token for call in reply.tool_calls for token in tokens_written(call.arguments)]
        if not written:
            return body
        before = await self._history.stand_ins_before(run.session_id, run.execution_id) if run.has_history else ()
        return noted(body, written, known_from([*before, *shown]))


def fingerprint_of(agent: Agent, gates: Mapping[str, Sequence[Gate]] = MappingProxyType({})) -> str:
    """Of the agent's structure and schemas; prompts and models may change while a session sleeps.

    Args:
        gates: all that judge calls of its tools. What they say may change too, but not which there are and whom they ask.
    """
    acting = {
        tool: found
        for tool, each in sorted(gates.items())
        if (found := [[gate.name, gate.asks.name] for gate in each if not gate.shadow])
    }
    return digest_of(
        {
            "agent": agent.name,
            "yields": agent.yields,
            "tools": [_structure_of(tool) for tool in sorted(agent.tools, key=lambda tool: tool.name)],
            # By name alone: what is in a set may grow with Overwinter, and sessions that sleep meanwhile go on.
            **({"toolsets": sorted(agent.toolsets)} if agent.toolsets else {}),
            **({"gates": acting} if acting else {}),
        }
    )


def digest_of(structure: JsonValue) -> str:
    return hashlib.sha256(to_json(structure).encode()).hexdigest()[:32]


def _structure_of(tool: Tool) -> dict[str, Any]:
    question = tool.question
    return {
        "name": tool.name,
        "parameters": _without_prose(tool.signature.parameters),
        "asks": None if tool.asks is None else tool.asks.name,
        "answer": None if question is None else [question.name, _without_prose(question.answer_schema)],
        "parts": [tool.prepares is not None, tool.has_body, tool.finalizes is not None],
        "once": tool.is_once,
        # Said only where it is not as ever: sessions begun before there was a choice go on.
        **({} if tool.on_invalid_answer == "refuse" else {"on_invalid_answer": tool.on_invalid_answer}),
        **({"durable": True} if tool.is_durable else {}),
    }


_PROSE = frozenset({"description", "title", "examples"})


def _without_prose(schema: JsonValue) -> JsonValue:
    """A schema without what is only said to the model; properties of such a name are kept."""
    if isinstance(schema, list):
        return [_without_prose(part) for part in cast("list[JsonValue]", schema)]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, JsonValue] = {}
    for name, value in sorted(cast("dict[str, JsonValue]", schema).items()):
        if name == "properties" and isinstance(value, dict):
            properties = cast("dict[str, JsonValue]", value)
            kept[name] = {key: _without_prose(part) for key, part in sorted(properties.items())}
        elif name not in _PROSE:
            kept[name] = _without_prose(value)
    return kept
