"""What durable code can await: the operations that a driver answers.

Awaiting an operation yields it to the driver, which sends its result back in: at once, if the ledger has it; else when the step
has run, the wait has been resolved or the join is decided. Operations are made by ``Run`` and are not for authors to build.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, TypeVar, cast

from ..store.rows import AnswererKind, PauseKind
from ..store.values import value
from .asks import Form, JsonValue
from .clock import Clock
from .errors import PauseUndeliverableError, SessionDefinitionChangedError
from .ids import Ids, execution_id_of
from .joins import JoinRule
from .keys import item_in
from .marks import Secret
from .payloads import Codec

T = TypeVar("T")

MAX_AWAITS_WHILE_CLOSING = 1000
"""Code that catches its own end and loops is let go of after so many awaits, or it would hold this process for ever."""


@dataclass(slots=True)
class Heard:
    """When the latest happened of what the code of a tree of executions has been told of: to all that it does next, it is past."""

    at_ms: int = -1

    def note(self, at_ms: int | None) -> None:
        if at_ms is not None and at_ms > self.at_ms:
            self.at_ms = at_ms


@dataclass(eq=False, slots=True)
class Frame:
    """What all operations of one execution share."""

    execution_id: str
    session_id: str
    tenant: str
    owner: str
    surface: str
    bot: str
    clock: Clock
    ids: Ids
    has_history: bool = False
    """The session has earlier executions."""
    item: int | None = None
    """For a child: the index of the item it was started for, where a ``map`` did."""
    fingerprint: str = ""
    """Of the code that the execution began with."""
    is_closing: bool = False
    """A coroutine is being put away: what its ``finally`` blocks await does nothing."""
    awaits_while_closing: int = 0
    secrets: list[Secret] = field(default_factory=list[Secret])
    """Sensitive values that the code of this execution has come to know."""
    heard: Heard = field(default_factory=Heard)
    """Shared by all executions of a tree."""

    def now_ms(self) -> int:
        """The time, which is later than what the code has been told of, though it be the same moment, or the clock was set back."""
        return max(self.clock.now_ms(), self.heard.at_ms + 1)


@dataclass(eq=False, slots=True, kw_only=True)
class Operation:
    """One thing asked of the driver, under a key that is unique in its tree of executions and the same on every replay.

    A root's keys begin with ``/``; a child's are what they would be if it were a root, after its execution's id.
    """

    key: str
    frame: Frame

    @property
    def item(self) -> int | None:
        """The index of the item it is for, in the innermost ``map`` around it or around its child; None where there is none."""
        item = item_in(self.key)
        return self.frame.item if item is None else item

    def __await__(self) -> Generator[Operation, Any, Any]:
        if self.frame.is_closing and self.frame.awaits_while_closing < MAX_AWAITS_WHILE_CLOSING:
            self.frame.awaits_while_closing += 1
            return None
        return (yield self)


@dataclass(eq=False, slots=True, kw_only=True)
class Step(Operation):
    """Run a function once and record what came of it.

    Attributes:
        kind: the ledger event that records its result.
        is_once: never started twice; its start is recorded before it runs.
        call_id: of the model's call that it is the body of; empty for other steps.
        settles: makes its result of what an operator says that it returned; None if that is the result itself.
    """

    call: Callable[[], Awaitable[Any]]
    codec: Codec[Any]
    kind: str
    is_once: bool = False
    timeout_s: float | None = None
    call_id: str = ""
    settles: Callable[[JsonValue], JsonValue] | None = None


@dataclass(eq=False, slots=True, kw_only=True)
class Value(Operation):
    """Compute a value without any outside effect, and record it: the time, a random number, an id."""

    make: Callable[[], Any]
    codec: Codec[Any]
    kind: str


@value
class WaitResult:
    """How a wait ended.

    Attributes:
        resolution: a ``Resolution``.
        answer: the decision as JSON; for one closed without an answer ``{"reason": ...}``.
        responder: who answered or closed it; None for a clock.
        role, answerer: whose answer it was; empty where that was not recorded.
        waited_ms: from when it was reached until it ended; None where that was not recorded.
        outline: of the question that it answers (``outlines``); empty where that was not recorded.
        happened_at_ms: when that happened which it waited for; None where nothing did, or where it is of no consequence.
    """

    resolution: str
    answer: JsonValue
    responder: str | None
    role: str = ""
    answerer: str = ""
    waited_ms: int | None = None
    outline: str = ""
    happened_at_ms: int | None = None

    @property
    def is_answer(self) -> bool:
        """Somebody has said something; it was not closed without that."""
        return self.resolution in ("decided", "replied")


@dataclass(eq=False, slots=True, kw_only=True)
class Wait(Operation):
    """Wait for something outside; a pause holds it while the session sleeps. Its result is a ``WaitResult``.

    Attributes:
        role: name of the role asked; the name of the wait for a timer.
        makes_form: what is asked for; made only where the question is asked, since a replay does not need it.
        channel: name of the channel; None for the one the app has wired to the role.
        due_in_ms: how long until its deadline, counted from when it is first reached; None waits for ever.
        details: what whoever ends it has to know, as JSON; None where nothing.
        since_ms: when it began, where that was before it was reached: what has happened since then ends it.
        outline: of what is asked for; an answer of another one is not taken. Empty takes any.
    """

    pause_kind: PauseKind
    role: str
    prompt: str
    makes_form: Callable[[], Form] | None
    answerer: AnswererKind
    channel: str | None
    due_in_ms: int | None
    details: JsonValue = None
    since_ms: int | None = None
    outline: str = ""

    @property
    def form(self) -> Form | None:
        return None if self.makes_form is None else self.makes_form()


@dataclass(eq=False, slots=True, kw_only=True)
class WasReached(Operation):
    """Whether a wait is open, or over, in what was recorded before this code came to it. Its result is a bool.

    For code that has learned to wait in another way: what sleeps in the old way goes on in it.
    """

    wait_key: str


@dataclass(eq=False, slots=True, kw_only=True)
class Halt(Operation):
    """Go no further: the pass ends with the error, and nothing around the await is told."""

    error: SessionDefinitionChangedError


@dataclass(eq=False, slots=True, kw_only=True)
class NextMessage(Operation):
    """Wait for the next message of the session's owner. Its result is the message as JSON."""


@dataclass(eq=False, slots=True, kw_only=True)
class Join(Operation):
    """Run branches side by side until the rule decides."""

    count: int
    """How many branches there are."""
    start: Callable[[int], Coroutine[Any, Any, Any]]
    """Makes the coroutine of one of them."""
    rule: JoinRule
    max_concurrency: int | None = None
    """How many steps of its branches may run at once; a branch that waits for a person uses none of them."""
    due_in_ms: int | None = None
    """How long until its deadline, counted from when it is first reached; None waits for ever."""
    tells_places: bool = False
    """Its result is a ``Joined``, not a list."""


# Without slots: with them, ``Joined[...](...)`` fails on Python 3.11, where typing notes the subscript on what was made.
@dataclass(frozen=True, kw_only=True)
class Joined(Generic[T]):
    """What a join came to, and from where.

    Attributes:
        results: of the branches that are done and count, in the order of the branches.
        indices: the branch of each result.
        group: the name of the group that won; None for rules without groups.
    """

    results: list[T]
    indices: tuple[int, ...]
    group: str | None


@dataclass(eq=False, slots=True, kw_only=True)
class Child(Operation):
    """Run another program as an execution of its own. Its result is the program's, read back from JSON.

    Attributes:
        program: the name of the agent or workflow.
        version: None for the newest that is deployed.
        fingerprint: what the deployed code of that version must have; None for any.
        message: what its main is given.
    """

    program: str
    version: str | None
    fingerprint: str | None
    message: JsonValue
    codec: Codec[Any]

    @property
    def execution_id(self) -> str:
        """The child's, the same on every replay."""
        return execution_id_of(self.frame.execution_id, self.key)


@value
class StepError:
    """A failed step as the ledger keeps it."""

    kind: str
    detail: str
    cause_code: str | None = None
    causes: tuple[str, ...] = ()
    """Classes of what was raised and of what led to it; see ``failures``."""


@value
class Decision:
    """How a join was decided: by which branches, by index.

    Attributes:
        done: those whose results the join returns.
        failed: the one whose error the join raises, or which is the cause of what it raises.
        why: ``unreachable`` or ``late``, where the join raises an error of its own; ``detail`` is its text then.
        group: the group that won.
    """

    done: tuple[int, ...]
    failed: int | None
    why: str | None = None
    detail: str = ""
    group: str | None = None

    @property
    def needs(self) -> tuple[int, ...]:
        """The branches that must have ended before the join can be decided so again."""
        return self.done if self.failed is None else (self.failed,)


@dataclass(slots=True, kw_only=True)
class Recall:
    """What the ledger knows of a tree of executions, by key.

    Attributes:
        returned: result text (JSON) of steps, values and children.
        raised: steps and children that failed.
        waits: waits whose end has been taken.
        messages: messages taken by ``NextMessage``.
        started: keys of ``once`` steps that were started.
        decisions: joins that were decided, in that order; without those that could not be decided in another way.
        accepted: executions whose changed code an operator has accepted.
        heard: of what has happened in the world.
    """

    returned: dict[str, str] = field(default_factory=dict[str, str])
    raised: dict[str, StepError] = field(default_factory=dict[str, "StepError"])
    waits: dict[str, WaitResult] = field(default_factory=dict[str, WaitResult])
    messages: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    started: set[str] = field(default_factory=set[str])
    decisions: dict[str, Decision] = field(default_factory=dict[str, Decision])
    accepted: set[str] = field(default_factory=set[str])
    heard: Heard = field(default_factory=Heard)

    def end_wait(self, key: str, result: WaitResult) -> None:
        self.waits[key] = result
        self.heard.note(result.happened_at_ms)


def milliseconds(duration: timedelta) -> int:
    """A time that lies ahead, no shorter than it is; nothing or less is as short as can be."""
    microseconds = duration // timedelta(microseconds=1)
    return max(1, -(-microseconds // 1000))


def reason_of(result: WaitResult) -> str:
    """Why a wait was closed without an answer, for people."""
    answer: Any = result.answer
    if isinstance(answer, Mapping):
        return str(cast("Mapping[str, object]", answer).get("reason") or "no reason given")
    return "no reason given"


def check_branches(functions: Sequence[object]) -> None:
    """Raise ``TypeError`` for what is no function of a ``Run``, in the code that gives it."""
    for function in functions:
        if callable(function):
            continue
        if isinstance(function, Coroutine):
            function.close()
            raise TypeError(
                "branches are functions of a Run, not coroutines: give partial(review, item=item), without calling it"
            )
        raise TypeError(f"branches are functions of a Run, not {type(function).__name__}")


def delivered(wait: Wait, result: WaitResult) -> WaitResult:
    """The result of a wait whose question has reached its people.

    Raises:
        PauseUndeliverableError: (pause.undeliverable) it has not; names the channel's error.
    """
    if result.resolution != "undeliverable":
        return result
    answer: Any = result.answer
    code = cast("Mapping[str, object]", answer).get("code") if isinstance(answer, Mapping) else None
    raise PauseUndeliverableError(
        f"the question {wait.key} ({wait.role}) could not be delivered: {reason_of(result)}",
        cause_code=code if isinstance(code, str) else None,
    )
