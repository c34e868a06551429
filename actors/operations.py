"""What durable code can await: the operations that a driver answers.

Awaiting an operation yields it to the driver, which sends its result back in: at once, if the ledger has it; else when the step
has run, the wait has been resolved or the join is decided. Operations are made by ``Run`` and are not for authors to build.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..store.rows import AnswererKind, PauseKind
from ..store.values import value
from .asks import Form, JsonValue
from .clock import Clock
from .ids import Ids
from .joins import JoinRule
from .payloads import Codec

MAX_AWAITS_WHILE_CLOSING = 1000
"""Code that catches its own end and loops is let go of after so many awaits, or it would hold this process for ever."""


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
    is_closing: bool = False
    """A coroutine is being put away: what its ``finally`` blocks await does nothing."""
    awaits_while_closing: int = 0


@dataclass(eq=False, slots=True, kw_only=True)
class Operation:
    """One thing asked of the driver, under a key that is unique in its execution and the same on every replay."""

    key: str
    frame: Frame

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
    """

    call: Callable[[], Awaitable[Any]]
    codec: Codec[Any]
    kind: str
    is_once: bool = False
    timeout_s: float | None = None


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
    """

    resolution: str
    answer: JsonValue
    responder: str | None


@dataclass(eq=False, slots=True, kw_only=True)
class Wait(Operation):
    """Wait for something outside; a pause holds it while the session sleeps. Its result is a ``WaitResult``.

    Attributes:
        role: name of the role asked; the name of the wait for a timer.
        channel: name of the channel; None for the one the app has wired to the role.
        due_in_ms: how long until its deadline, counted from when it is first reached; None waits for ever.
    """

    pause_kind: PauseKind
    role: str
    prompt: str
    form: Form | None
    answerer: AnswererKind
    channel: str | None
    due_in_ms: int | None


@dataclass(eq=False, slots=True, kw_only=True)
class NextMessage(Operation):
    """Wait for the next message of the session's owner. Its result is the message as JSON."""


BranchFunction = Callable[[], Coroutine[Any, Any, Any]]


@dataclass(eq=False, slots=True, kw_only=True)
class Join(Operation):
    """Run branches side by side until the rule decides."""

    branches: Sequence[tuple[str, BranchFunction]]
    """Path and function of each branch."""
    rule: JoinRule
    max_concurrency: int | None = None
    """How many steps of its branches may run at once; a branch that waits for a person uses none of them."""


@value
class StepError:
    """A failed step as the ledger keeps it."""

    kind: str
    detail: str
    cause_code: str | None = None


@value
class Decision:
    """How a join was decided: by which branches, by index. ``failed`` is the one whose error the join raises."""

    done: tuple[int, ...]
    failed: int | None

    @property
    def needs(self) -> tuple[int, ...]:
        return self.done if self.failed is None else (self.failed,)


@dataclass(slots=True, kw_only=True)
class Recall:
    """What the ledger knows of one execution, by key.

    Attributes:
        returned: result text (JSON) of steps and values.
        raised: steps that failed.
        waits: waits whose end has been taken.
        messages: messages taken by ``NextMessage``.
        started: keys of ``once`` steps that were started.
        decisions: joins that were decided while branches of theirs still ran.
    """

    returned: dict[str, str] = field(default_factory=dict[str, str])
    raised: dict[str, StepError] = field(default_factory=dict[str, "StepError"])
    waits: dict[str, WaitResult] = field(default_factory=dict[str, WaitResult])
    messages: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    started: set[str] = field(default_factory=set[str])
    decisions: dict[str, Decision] = field(default_factory=dict[str, Decision])
