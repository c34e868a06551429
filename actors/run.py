"""What durable code sees: ``run``, the one thing it may await.

Every call gets a key: the path of branches, a name, and how often that name was used in this branch before, as in
``/map#0[3]/review_expense#0``. Code that is deterministic between its awaits makes the same keys on every replay.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from ..store.rows import AnswererKind, PauseKind
from .asks import Form, JsonValue
from .comparing import answer_of
from .events import EventKind
from .handlers import BranchCall, ErrorHandlers, handled
from .joins import All, JoinRule, check_join
from .keys import name_of
from .marks import Secret
from .nesting import NestedAgent, NestedWorkflow, agent_child, workflow_child
from .operations import (
    Frame,
    Join,
    Joined,
    NextMessage,
    Step,
    Value,
    Wait,
    WaitResult,
    WasReached,
    check_branches,
    delivered,
    milliseconds,
)
from .outlines import NO_OUTLINE
from .payloads import JSON, Codec, codec_of, return_codec
from .ports import Question
from .privacy import check_prompt, noted, told_to_model, with_private
from .retries import Retry, settings_of, tried

T = TypeVar("T")
ItemT = TypeVar("ItemT")
P = ParamSpec("P")

_UUID, _FLOAT, _INT = codec_of(uuid.UUID), codec_of(float), codec_of(int)
_RECORDED = EventKind.VALUE_RECORDED


class Run:
    """The durable side of one branch of one execution."""

    __slots__ = ("_frame", "_path", "_visits")

    def __init__(self, *, path: str, frame: Frame) -> None:
        self._path = path
        self._frame = frame
        self._visits: dict[str, int] = {}

    @property
    def session_id(self) -> str:
        return self._frame.session_id

    @property
    def execution_id(self) -> str:
        return self._frame.execution_id

    @property
    def tenant(self) -> str:
        return self._frame.tenant

    @property
    def owner(self) -> str:
        return self._frame.owner

    @property
    def has_history(self) -> bool:
        """Whether the session has earlier executions."""
        return self._frame.has_history

    @property
    def surface(self) -> str:
        """``chat`` or ``workspace``."""
        return self._frame.surface

    @property
    def frame(self) -> Frame:
        """What all branches of this execution share; its clock is for what steps do, durable code asks ``now()``."""
        return self._frame

    # -- for authors --------------------------------------------------------------------------------------------------
    async def step(self, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``function`` and record what it returns; on replay return that without running it. ``@step`` says how.

        It may run again if the process dies before its result is committed. The result is stored through the function's
        return annotation.

        Raises:
            StepFailedError: (step.failed) it raised; the same now and on every replay.
            StepUnserializableError: (step.unserializable) its result cannot be stored; inside a ``StepFailedError``.
        """
        codec, how = return_codec(function), settings_of(function).of_perform
        result = await self.perform(name_of(function), partial(function, *args, **kwargs), codec=codec, **how)
        await self.keep_private(codec.secrets_in(result))
        return result

    async def ask(self, question: Question[T], prompt: str, *, deadline: timedelta | None = None) -> T:
        """Ask the people of a role, and wait for as long as they take.

        A session that slept under other code goes on only if that asks the same role at the same place, for the same choices
        or fields and types; else it is blocked (``session.definition-changed``). The words of the question are not compared.

        Args:
            deadline: after this the question closes by itself; None is the role's own, or never.

        Raises:
            PauseTimedOutError: (pause.timed-out)
            PauseCancelledError: (pause.cancelled) an operator closed it without an answer.
            PauseUndeliverableError: (pause.undeliverable) its channel refused it for good; names the channel's error.
            PiiRefusedError: (pii.refused) the prompt has a value in it that may not leave.
        """
        check_prompt(prompt, self._frame.secrets)
        wait = self._wait(
            *("ask", question.name, prompt),
            lambda: with_private(question.form, prompt, self._frame.secrets),
            answerer=question.answerer,
            deadline=question.deadline if deadline is None else deadline,
        )
        wait.outline = question.outline
        return await answer_of(question, wait, delivered(wait, await wait))

    async def sleep(self, duration: timedelta) -> None:
        """Wait for a time without holding anything. Nothing or less does not wait at all."""
        if duration > timedelta():
            await self.wait_for("sleep", "sleep", "", None, kind=PauseKind.TIMER, deadline=duration)

    async def gather(
        self,
        *functions: Callable[[Run], Coroutine[Any, Any, T]],
        join: JoinRule | None = None,
        max_concurrency: int | None = None,
        deadline: timedelta | None = None,
        on_error: ErrorHandlers[Run, T] | None = None,
    ) -> list[T]:
        """Run branches side by side; each gets a ``Run`` of its own. Returns the results of those that are done, in order.

        A branch that waits stops only those who need it. When ``join`` (``All`` by default) is decided, the branches that
        have not ended are closed, at any depth, and their questions withdrawn.

        Args:
            max_concurrency: how many steps may run at once; branches that wait for a person do not count.
            deadline: counted on the clock from when this is first reached, waiting included. Answers that are there when it
                passes still count; a branch that then has a step to run is late.
            on_error: what to do in a branch that fails, by class: the first entry, in the order given, whose class the error
                or anything that led to it is of. ``await handler(run, error)`` goes on in that branch, and what it
                returns is the branch's result. A failed step is known by what it raised.

        Raises:
            Exception: that of the first failed branch, where the join fails by it.
            QuorumNotReachedError: (join.quorum-not-reached) as soon as too few branches are left.
            JoinDeadlineError: (join.deadline-passed)
        """
        check_branches(functions)
        return await self._join(
            "gather", lambda run, at: functions[at](run), len(functions), join, max_concurrency, deadline, on_error
        )

    async def collect(
        self,
        *functions: Callable[[Run], Coroutine[Any, Any, T]],
        join: JoinRule | None = None,
        max_concurrency: int | None = None,
        deadline: timedelta | None = None,
        on_error: ErrorHandlers[Run, T] | None = None,
    ) -> Joined[T]:
        """As ``gather``, but tells which branch each result is of, and which group has won."""
        check_branches(functions)
        return await self._join(
            "collect",
            lambda run, at: functions[at](run),
            len(functions),
            join,
            max_concurrency,
            deadline,
            on_error,
            tells_places=True,
        )

    async def map(
        self,
        function: Callable[Concatenate[Run, ItemT, ...], Coroutine[Any, Any, T]],
        items: Iterable[ItemT],
        *,
        join: JoinRule | None = None,
        max_concurrency: int | None = None,
        deadline: timedelta | None = None,
        on_error: ErrorHandlers[Run, T] | None = None,
    ) -> list[T]:
        """Run ``function(run, item)`` for every item, side by side; as ``gather``."""
        each = list(items)
        return await self._join(
            "map", lambda run, at: function(run, each[at]), len(each), join, max_concurrency, deadline, on_error
        )

    async def workflow(self, workflow: NestedWorkflow[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run another workflow as a child: an execution of its own, with its own steps and questions, in this session.

        It must be deployed beside this one, under the same name and version. Once it has ended, its code is not needed for
        this execution any more.

        Raises:
            ChildFailedError: (child.failed) it raised; the same now and on every replay.
            ToolArgumentsError: (tool.invalid-arguments) the arguments are not of its parameters' types.
        """
        message = {"content": workflow.input_of(*args, **kwargs), "from": self._frame.owner}
        key = self.key(workflow.name)
        result: T = await workflow_child(workflow, key=key, frame=self._frame, message=message)
        await self.keep_private(workflow.result_codec.secrets_in(result))
        return result

    async def agent(self, agent: NestedAgent, message: str) -> str:
        """Give an agent a message as a child: a conversation of its own, in this session. Returns its reply.

        Raises:
            ChildFailedError: (child.failed) it failed; the same now and on every replay.
            ChildYieldsError: (child.yields) it never ends by itself.
        """
        said = {**told_to_model(message, self._frame.secrets), "from": self._frame.owner}
        result = await agent_child(agent, key=self.key(agent.name), frame=self._frame, message=said)
        return result["reply"]

    async def now(self) -> datetime:
        """The time (UTC) when this was first reached."""
        ms = await self._value("now", self._frame.now_ms, _INT)
        return datetime.fromtimestamp(ms / 1000, UTC)

    async def random(self) -> float:
        """A random number in [0, 1), the same on every replay."""
        return await self._value("random", self._frame.ids.random, _FLOAT)

    async def uuid(self) -> uuid.UUID:
        """A random UUID, the same on every replay."""
        return await self._value("uuid", self._frame.ids.uuid, _UUID)

    # -- for agents and toolsets --------------------------------------------------------------------------------------
    def key(self, name: str) -> str:
        """The next key for ``name`` in this branch."""
        visit = self._visits.get(name, 0)
        self._visits[name] = visit + 1
        return f"{self._path}/{name}#{visit}"

    def idempotency_key(self, step_key: str) -> str:
        """What a step gives to the outside to be recognised by, the same on every attempt."""
        return step_key if step_key[0] != "/" else f"{self._frame.execution_id}{step_key}"

    async def perform(
        self,
        name: str,
        call: Callable[..., Awaitable[Any]],
        *,
        codec: Any = JSON,
        kind: str = EventKind.STEP_RETURNED,
        is_once: bool = False,
        timeout_s: float | None = None,
        wants_key: bool = False,
        call_id: str = "",
        settles: Callable[[JsonValue], JsonValue] | None = None,
        retry: Retry | None = None,
    ) -> Any:
        """A step with all its settings; with ``wants_key``, ``call`` is given its idempotency key, the same for each attempt."""
        key = self.key(name)
        if wants_key:
            call = partial(call, self.idempotency_key(key))
        make = partial(
            Step,
            frame=self._frame,
            call=call,
            codec=codec,
            kind=kind,
            is_once=is_once,
            timeout_s=timeout_s,
            call_id=call_id,
            settles=settles,
        )
        if retry is None:
            return await make(key=key)
        chance = partial(self._value, "jitter", self._frame.ids.random, _FLOAT)
        wait = partial(self.wait_for, "retry", "retry", "", None, kind=PauseKind.TIMER)
        return await tried(make, key=key, retry=retry, chance=chance, wait=wait)

    async def record(self, name: str, value: JsonValue, *, kind: str = EventKind.VALUE_RECORDED) -> JsonValue:
        """Put a JSON value into the ledger."""
        return await self._value(name, lambda: value, JSON, kind)

    async def wait_for(
        self,
        name: str,
        role: str,
        prompt: str,
        form: Form | Callable[[], Form] | None,
        *,
        kind: PauseKind = PauseKind.ASK,
        answerer: AnswererKind = AnswererKind.NOBODY,
        channel: str | None = None,
        deadline: timedelta | None = None,
        details: JsonValue = None,
        since: datetime | None = None,
        outline: str = NO_OUTLINE,
    ) -> tuple[str, WaitResult]:
        """Wait for something outside; returns the wait's key and how it ended.

        Args:
            form: what is asked for, or what makes it, where that costs something.
            details, since, outline: as in ``Wait``.
        """
        makes_form = form if form is None or callable(form) else lambda: form
        wait = self._wait(
            name, role, prompt, makes_form, kind=kind, answerer=answerer, channel=channel, deadline=deadline
        )
        wait.outline = outline
        wait.details, wait.since_ms = details, None if since is None else round(since.timestamp() * 1000)
        return wait.key, delivered(wait, await wait)

    async def was_reached(self, name: str) -> bool:
        """Whether the next wait called ``name`` was reached before, as this branch was recorded."""
        wait_key = f"{self._path}/{name}#{self._visits.get(name, 0)}"
        return await WasReached(key=self.key("was_reached"), frame=self._frame, wait_key=wait_key)

    async def keep_private(self, secrets: Sequence[Secret]) -> None:
        """From now on these are hidden in what this execution asks, and wherever the session is listed."""
        if secrets:
            self._frame.secrets.extend(secrets)
            await self.record("private", noted(secrets))

    async def next_message(self) -> Mapping[str, JsonValue]:
        """The next message of the session's owner, as soon as there is one."""
        return await NextMessage(key=self.key("message"), frame=self._frame)

    def _value(self, name: str, make: Callable[[], Any], codec: Codec[Any], kind: str = _RECORDED) -> Value:
        return Value(key=self.key(name), frame=self._frame, make=make, codec=codec, kind=kind)

    def _wait(
        self,
        name: str,
        role: str,
        prompt: str,
        makes_form: Callable[[], Form] | None,
        *,
        answerer: AnswererKind,
        deadline: timedelta | None,
        kind: PauseKind = PauseKind.ASK,
        channel: str | None = None,
    ) -> Wait:
        return Wait(
            key=self.key(name),
            frame=self._frame,
            pause_kind=kind,
            role=role,
            prompt=prompt,
            makes_form=makes_form,
            answerer=answerer,
            channel=channel,
            due_in_ms=None if deadline is None else milliseconds(deadline),
        )

    async def _join(
        self,
        name: str,
        call: BranchCall,
        count: int,
        rule: JoinRule | None,
        max_concurrency: int | None,
        deadline: timedelta | None,
        on_error: ErrorHandlers[Run, Any] | None,
        *,
        tells_places: bool = False,
    ) -> Any:
        check_join(rule, count=count, max_concurrency=max_concurrency)
        key = self.key(name)
        if on_error:
            call = partial(handled, call, on_error)
        return await Join(
            key=key,
            frame=self._frame,
            count=count,
            start=lambda at: call(Run(path=f"{key}[{at}]", frame=self._frame), at),
            rule=rule or All(),
            max_concurrency=max_concurrency,
            due_in_ms=None if deadline is None else milliseconds(deadline),
            tells_places=tells_places,
        )

    def handling(self) -> Run:
        """The run of the handler that goes on with this branch when it fails: with keys of its own."""
        return Run(path=f"{self._path}/on_error", frame=self._frame)
