"""What durable code sees: ``run``, the one thing it may await.

Every call gets a key: the path of branches, a name, and how often that name was used in this branch before, as in
``/map#0[3]/review_expense#0``. Code that is deterministic between its awaits makes the same keys on every replay.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from ..store.rows import AnswererKind, PauseKind
from .asks import Form, JsonValue
from .errors import PauseCancelledError, PauseTimedOutError, PauseUndeliverableError
from .events import EventKind
from .joins import All, JoinRule
from .operations import Frame, Join, NextMessage, Step, Value, Wait, WaitResult
from .payloads import JSON, codec_of, return_codec
from .ports import Question

T = TypeVar("T")
ItemT = TypeVar("ItemT")
P = ParamSpec("P")

_UUID = codec_of(uuid.UUID)
_FLOAT = codec_of(float)
_INT = codec_of(int)


class Run:
    """The durable side of one branch of one execution."""

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

    # -- for authors --------------------------------------------------------------------------------------------------
    async def step(self, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``function`` and record what it returns; on replay return that without running it.

        It may run again if the process dies before its result is committed. The result is stored through the function's
        return annotation.

        Raises:
            StepFailedError: (step.failed) it raised; the same now and on every replay.
            StepUnserializableError: (step.unserializable) its result cannot be stored; inside a ``StepFailedError``.
        """
        return await self.perform(name_of(function), partial(function, *args, **kwargs), codec=return_codec(function))

    async def ask(self, question: Question[T], prompt: str, *, deadline: timedelta | None = None) -> T:
        """Ask the people of a role, and wait for as long as they take.

        Args:
            deadline: after this the question closes by itself; None is the role's own, or never.

        Raises:
            PauseTimedOutError: (pause.timed-out)
            PauseCancelledError: (pause.cancelled) an operator closed it without an answer.
            PauseUndeliverableError: (pause.undeliverable) its channel refused it for good; names the channel's error.
        """
        key, result = await self.wait_for(
            "ask",
            question.name,
            prompt,
            question.form,
            answerer=question.answerer,
            deadline=deadline or question.deadline,
        )
        match result.resolution:
            case "timed_out":
                raise PauseTimedOutError(f"nobody answered {key} ({question.name}) in time")
            case "cancelled":
                raise PauseCancelledError(f"the question {key} ({question.name}) was cancelled: {reason_of(result)}")
            case _:
                return question.decode(result.answer)

    async def sleep(self, duration: timedelta) -> None:
        """Wait for a time without holding anything. Nothing or less does not wait at all."""
        if duration > timedelta():
            await self.wait_for("sleep", "sleep", "", None, kind=PauseKind.TIMER, deadline=duration)

    async def gather(
        self,
        *functions: Callable[[Run], Coroutine[Any, Any, T]],
        join: JoinRule | None = None,
        max_concurrency: int | None = None,
    ) -> list[T]:
        """Run branches side by side; each gets a ``Run`` of its own. Returns their results in order.

        A branch that waits stops only those who need it. Raises the error of the first failed branch, when ``join``
        (``All`` by default) says so.
        """
        return await self._join("gather", functions, join, max_concurrency)

    async def map(
        self,
        function: Callable[Concatenate[Run, ItemT, ...], Coroutine[Any, Any, T]],
        items: Iterable[ItemT],
        *,
        join: JoinRule | None = None,
        max_concurrency: int | None = None,
    ) -> list[T]:
        """Run ``function(run, item)`` for every item, side by side; as ``gather``.

        Args:
            max_concurrency: how many steps may run at once; items that wait for a person do not count.
        """
        return await self._join("map", [_with_item(function, item) for item in items], join, max_concurrency)

    async def now(self) -> datetime:
        """The time (UTC) when this was first reached."""
        ms = await Value(
            key=self.key("now"),
            frame=self._frame,
            make=self._frame.clock.now_ms,
            codec=_INT,
            kind=EventKind.VALUE_RECORDED,
        )
        return datetime.fromtimestamp(ms / 1000, UTC)

    async def random(self) -> float:
        """A random number in [0, 1), the same on every replay."""
        return await Value(
            key=self.key("random"),
            frame=self._frame,
            make=self._frame.ids.random,
            codec=_FLOAT,
            kind=EventKind.VALUE_RECORDED,
        )

    async def uuid(self) -> uuid.UUID:
        """A random UUID, the same on every replay."""
        return await Value(
            key=self.key("uuid"),
            frame=self._frame,
            make=self._frame.ids.uuid,
            codec=_UUID,
            kind=EventKind.VALUE_RECORDED,
        )

    # -- for agents and toolsets --------------------------------------------------------------------------------------
    def key(self, name: str) -> str:
        """The next key for ``name`` in this branch."""
        visit = self._visits.get(name, 0)
        self._visits[name] = visit + 1
        return f"{self._path}/{name}#{visit}"

    def idempotency_key(self, step_key: str) -> str:
        """What a step gives to the outside to be recognised by, the same on every attempt."""
        return f"{self._frame.execution_id}{step_key}"

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
    ) -> Any:
        """A step with all its settings; with ``wants_key``, ``call`` is given its idempotency key."""
        key = self.key(name)
        return await Step(
            key=key,
            frame=self._frame,
            call=partial(call, self.idempotency_key(key)) if wants_key else call,
            codec=codec,
            kind=kind,
            is_once=is_once,
            timeout_s=timeout_s,
        )

    async def record(self, name: str, value: JsonValue, *, kind: str = EventKind.VALUE_RECORDED) -> JsonValue:
        """Put a JSON value into the ledger."""
        return await Value(key=self.key(name), frame=self._frame, make=lambda: value, codec=JSON, kind=kind)

    async def wait_for(
        self,
        name: str,
        role: str,
        prompt: str,
        form: Form | None,
        *,
        kind: PauseKind = PauseKind.ASK,
        answerer: AnswererKind = AnswererKind.NOBODY,
        channel: str | None = None,
        deadline: timedelta | None = None,
    ) -> tuple[str, WaitResult]:
        """Wait for something outside; returns the wait's key and how it ended."""
        key = self.key(name)
        due_in_ms = None if deadline is None else max(1, int(deadline.total_seconds() * 1000))
        result: WaitResult = await Wait(
            key=key,
            frame=self._frame,
            pause_kind=kind,
            role=role,
            prompt=prompt,
            form=form,
            answerer=answerer,
            channel=channel,
            due_in_ms=due_in_ms,
        )
        if result.resolution == "undeliverable":
            raise PauseUndeliverableError(
                f"the question {key} ({role}) could not be delivered: {reason_of(result)}", cause_code=_code_of(result)
            )
        return key, result

    async def next_message(self) -> Mapping[str, JsonValue]:
        """The next message of the session's owner, as soon as there is one."""
        return await NextMessage(key=self.key("message"), frame=self._frame)

    async def _join(
        self,
        name: str,
        functions: Iterable[Callable[[Run], Coroutine[Any, Any, Any]]],
        rule: JoinRule | None,
        max_concurrency: int | None,
    ) -> list[Any]:
        if max_concurrency is not None and max_concurrency < 1:
            raise ValueError(f"max_concurrency must be at least 1, not {max_concurrency}")
        key = self.key(name)
        branches = [
            (path := f"{key}[{index}]", partial(function, Run(path=path, frame=self._frame)))
            for index, function in enumerate(functions)
        ]
        return await Join(
            key=key, frame=self._frame, branches=branches, rule=rule or All(), max_concurrency=max_concurrency
        )


def name_of(function: Callable[..., Any]) -> str:
    """The name a function has in keys."""
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    return "function" if name == "<lambda>" else name


def reason_of(result: WaitResult) -> str:
    """Why a wait was closed without an answer, for people."""
    answer: Any = result.answer
    if isinstance(answer, Mapping):
        return str(cast("Mapping[str, object]", answer).get("reason") or "no reason given")
    return "no reason given"


def _code_of(result: WaitResult) -> str | None:
    answer: Any = result.answer
    if isinstance(answer, Mapping):
        code = cast("Mapping[str, object]", answer).get("code")
        return code if isinstance(code, str) else None
    return None


def _with_item(
    function: Callable[Concatenate[Run, ItemT, ...], Coroutine[Any, Any, T]], item: ItemT
) -> Callable[[Run], Coroutine[Any, Any, T]]:
    def branch(run: Run) -> Coroutine[Any, Any, T]:
        return function(run, item)

    return branch
