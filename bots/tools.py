"""Tools: typed async functions that a model may call, some of which have to wait for people.

    @tool                       runs at once
    @tool(asks=role)            a person of the role approves each call before it runs
    @tool(asks=channel)         the session's owner approves it, and is asked there
    @tool(gates=[...])          what its gates say happens first (``policies``)
    @tool(answer=Shape)         waits for an answer of its own shape; with no body the answer is the result
    async def f(run: Run, ...)  durable: it awaits nothing but its run, as a workflow does, and may wait for whatever that can

A tool that waits for an answer may bracket the wait: ``prepare`` runs before it and may rewrite the arguments. ``finalize`` runs
after the body of any tool. Each of these parts is a recorded step, so none of them runs again once it has ended; and each comes
after what has to be approved.
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, Literal, TypeVar, overload

from pydantic import TypeAdapter

from ..actors.asks import JsonValue
from ..actors.reception import AnyChannel, DeclaredChannel
from ..actors.retries import Retry
from ..actors.run import Run
from ..channels.interpreters.rules import RulesInterpreter
from ..channels.roles import Answerer, ApprovalRole, QuestionRole
from .errors import ToolDefinitionError
from .policies.gates import Gate
from .tool_schemas import ToolSignature

AnswerT = TypeVar("AnswerT")
Function = Callable[..., Awaitable[Any]]
Deadline = timedelta | Callable[[Mapping[str, JsonValue]], timedelta | None] | None
OnInvalidAnswer = Literal["refuse", "tell_model"]
Surface = Literal["chat", "workspace"]


@dataclass(slots=True, kw_only=True)
class ToolCall(Generic[AnswerT]):
    """One call, as its tool sees it.

    Attributes:
        key: the same on every attempt of this call and of no other: hand it on as idempotency key.
        answer: what was answered; typed, after the wait of a tool with ``answer=``. Approvals of ``asks=`` are in ``approved_by``.
        state: JSON that ``prepare`` may write and later parts may read; it survives the wait.
        arguments: the call's arguments as JSON, to be read: what is written there changes nothing of the call.
        approved_by: who approved the call; None if nobody was asked.
    """

    key: str
    tool: str
    session_id: str
    tenant: str
    owner: str
    arguments: dict[str, JsonValue]
    answer: AnswerT
    state: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    approved_by: str | None = None


class Tool:
    """A function with what the model is told of it, and what has to happen before it runs.

    Attributes:
        asks: who approves each call; None if nobody.
        gates: judge each call before it runs, after those who are asked anyway and before its agent's.
        channel: where the owner is asked for that, if the tool itself names it; None if the app says where its role is asked.
        question: who is asked for the answer of a yielding tool; None if it does not yield.
        has_body: a yielding tool without one returns its answer.
        is_once: never started twice, whatever happens; see ``overwinter settle``.
        on_invalid_answer: what becomes of an answer that does not fit; see ``tool``.
        is_durable: the body is durable code, which is given the run of its call.
        surface: where the model is offered it; None for everywhere.
        asks_softly: in a chat it asks by an ordinary message, and the owner's next one is the answer: no question is kept open.
    """

    def __init__(
        self,
        function: Function,
        *,
        asks: ApprovalRole | AnyChannel | None,
        question: QuestionRole[Any] | None,
        is_once: bool,
        timeout: timedelta | None,
        deadline: Deadline,
        on_invalid_answer: OnInvalidAnswer,
        surface: Surface | None,
        asks_softly: bool,
        gates: Sequence[Gate],
        retry: Retry | None,
        names: dict[str, Any],
    ) -> None:
        self.function = function
        self.signature = ToolSignature.of(function, call_type=(ToolCall, Run), names=names)
        self.is_durable = self.signature.call_annotation is Run
        self.surface = surface
        self.asks_softly = asks_softly
        self.asks, self.channel = self._approver(asks)
        self.gates = tuple(gates)
        self.question = question
        self.is_once = is_once
        self.retry = retry
        self.timeout_s = None if timeout is None else timeout.total_seconds()
        self._deadline = deadline
        self.on_invalid_answer: OnInvalidAnswer = on_invalid_answer
        self.has_body = not _is_stub(function)
        self.prepares: Function | None = None
        self.finalizes: Function | None = None
        if not self.has_body and question is None:
            raise ToolDefinitionError(
                f"tool {self.name} has no body and waits for no answer; write a body, or say @tool(answer=...)"
            )
        if self.is_durable and (question is not None or is_once or timeout is not None):
            raise ToolDefinitionError(
                f"tool {self.name} takes a Run, so its body is no step; wait and limit inside it: run.ask, run.step, deadlines"
            )
        if is_once and retry is not None:
            raise ToolDefinitionError(
                f"tool {self.name} is never started twice, so it cannot be tried again: drop once or retry"
            )
        if on_invalid_answer != "refuse" and question is None:
            raise ToolDefinitionError(f"tool {self.name} waits for no answer, so none can be invalid; say answer=...")

    @property
    def name(self) -> str:
        return self.signature.name

    def is_offered_on(self, surface: str) -> bool:
        return self.surface is None or self.surface == surface

    def deadline_of(self, arguments: Mapping[str, JsonValue]) -> timedelta | None:
        """How long this call waits for its answer; None if its role says."""
        return self._deadline(deepcopy(dict(arguments))) if callable(self._deadline) else self._deadline

    def prepare(self, function: Function) -> Function:
        """Decorator: runs ``function(call, **arguments)`` before the wait; a dict it returns replaces the arguments."""
        self.prepares = self._bracket(function, "prepare")
        return function

    def finalize(self, function: Function) -> Function:
        """Decorator: runs ``function(call)`` after the tool; what it returns, unless None, is the result instead."""
        self.finalizes = self._bracket(function, "finalize")
        return function

    def _approver(self, asks: ApprovalRole | AnyChannel | None) -> tuple[ApprovalRole | None, AnyChannel | None]:
        """The role that approves, and the channel that comes with it."""
        if asks is None or isinstance(asks, ApprovalRole):
            return asks, None
        is_named = isinstance(getattr(asks, "name", None), str)
        if not is_named or not (callable(getattr(asks, "send", None)) or isinstance(asks, DeclaredChannel)):
            raise ToolDefinitionError(f"tool {self.name} asks {asks!r}, which is neither an ApprovalRole nor a channel")
        name = f"approval:{self.name}"
        return ApprovalRole(name=name, answered_by=Answerer.OWNER, interpreter=RulesInterpreter()), asks

    def _bracket(self, function: Function, what: str) -> Function:
        if not inspect.iscoroutinefunction(function):
            raise ToolDefinitionError(f"{what} of tool {self.name} is not async; write it as async def")
        if self.is_durable:
            raise ToolDefinitionError(f"tool {self.name} takes a Run, so it can {what} itself; do it in its body")
        if what == "prepare" and self.question is None:
            raise ToolDefinitionError(
                f"tool {self.name} waits for no answer of its own, so there is nothing to prepare for, and before an approval "
                "no part of a call runs; do it in the body, or say answer=..."
            )
        return function


@overload
def tool(function: Function, /) -> Tool: ...


@overload
def tool(
    *,
    asks: ApprovalRole | AnyChannel | None = None,
    answer: type[Any] | QuestionRole[Any] | None = None,
    once: bool = False,
    timeout: timedelta | None = None,
    deadline: Deadline = None,
    on_invalid_answer: OnInvalidAnswer = "refuse",
    surface: Surface | None = None,
    softly: bool = False,
    gates: Sequence[Gate] = (),
    retry: Retry | None = None,
) -> Callable[[Function], Tool]: ...


def tool(
    function: Function | None = None,
    /,
    *,
    asks: ApprovalRole | AnyChannel | None = None,
    answer: type[Any] | QuestionRole[Any] | None = None,
    once: bool = False,
    timeout: timedelta | None = None,
    deadline: Deadline = None,
    on_invalid_answer: OnInvalidAnswer = "refuse",
    surface: Surface | None = None,
    softly: bool = False,
    gates: Sequence[Gate] = (),
    retry: Retry | None = None,
) -> Tool | Callable[[Function], Tool]:
    """Make a tool of an async function. Arguments and description come from its signature and docstring.

    Args:
        asks: the role that approves each call before it runs; or a channel, in which the session's owner is asked and nobody
            else may answer.
        answer: the call waits for an answer: a role to ask, or a type, which the session's owner is asked for in the
            conversation (or gives through the API).
        once: the body is never started twice; if the process dies in it, or its time runs out, an operator settles what became
            of it.
        timeout: how long the body may run; None for as long as it takes.
        deadline: how long a call waits for its answer, or a function of its arguments that says so.
        on_invalid_answer: an answer that does not fit is refused, and the question stays, whoever gives it; or it ends the
            wait (``tell_model``), and the model reads what was wrong with it.
        surface: the model is offered it in sessions of this surface alone.
        softly: in a chat it asks by an ordinary message, whose answer is the owner's next message, whatever that says.
        retry: how often the body is tried again when it raises, and when; None for never. What the model reads is the last error.
        gates: judge each call before it runs: whether it may, whether somebody is asked first, or whether it runs later.

    Raises:
        ToolDefinitionError: (assembly.tool-definition) the function cannot be a tool; says why and what to do.
    """
    names = dict(sys._getframe(1).f_locals)  # pyright: ignore[reportPrivateUsage]  classes local to the caller

    def decorate(function: Function) -> Tool:
        question = answer
        if question is not None and not isinstance(question, QuestionRole):
            question = _own_question(function, question)
        return Tool(
            function,
            asks=asks,
            question=question,
            is_once=once,
            timeout=timeout,
            deadline=deadline,
            on_invalid_answer=on_invalid_answer,
            surface=surface,
            asks_softly=softly,
            gates=gates,
            retry=retry,
            names=names,
        )

    return decorate if function is None else decorate(function)


def _own_question(function: Function, answer: type[Any]) -> QuestionRole[Any]:
    """The role of a tool that names only the shape of its answer: the session's owner is asked."""
    name = getattr(function, "__name__", "tool")
    try:
        TypeAdapter(answer).json_schema()
    except Exception as error:
        raise ToolDefinitionError(f"the answer of tool {name} has no JSON Schema: {error}") from error
    return QuestionRole(name=f"tool:{name}", answer=answer, answered_by=Answerer.OWNER)


_FRAME_ONLY = frozenset(
    {"RETURN_GENERATOR", "POP_TOP", "RESUME", "NOP", "RETURN_VALUE", "CALL_INTRINSIC_1", "RERAISE", "COPY", "CACHE"}
)
"""Instructions that every coroutine has, whatever its body."""


def _is_stub(function: Function) -> bool:
    """Whether the body is ``...``, ``pass`` or a docstring alone: nothing but returning None."""
    return all(
        instruction.opname in _FRAME_ONLY
        or (instruction.opname in ("LOAD_CONST", "RETURN_CONST") and instruction.argval is None)
        for instruction in dis.get_instructions(function)
    )
