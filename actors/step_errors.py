"""The errors of durable code: what a step, a join or a child raises in the code that awaits it.

OverwinterError
├── StepError
│   ├── StepFailedError                 step.failed                 the same now and on replay
│   │   └── ChildFailedError            child.failed                a child execution has failed
│   ├── StepUnserializableError         step.unserializable         a value that cannot be stored, with its path
│   ├── StepTooLargeError               step.too-large              a value over the size limit
│   └── ForeignAwaitError               step.foreign-await          awaited something that is not run's
├── JoinError
│   ├── QuorumNotReachedError           join.quorum-not-reached     too many branches have failed
│   └── JoinDeadlineError               join.deadline-passed        not decided in time
└── ChildYieldsError                    child.yields                it would wait for messages for ever
"""

from __future__ import annotations

from ..store.errors import OverwinterError


class StepError(OverwinterError):
    """A step of a session failed."""

    code = "step.error"


class StepFailedError(StepError):
    """A step raised. The same error is raised again whenever the session is revived.

    Attributes:
        step: the step's key.
        kind: the class name of what was raised, as ``module.Class``.
        detail: its text.
        cause_code: its code, where it was an Overwinter error; else None.
        causes: the classes of what was raised and of all that led to it, as ``module.Class``, bases included.
    """

    code = "step.failed"

    def __init__(
        self,
        message: str | None = None,
        *,
        step: str,
        kind: str,
        detail: str,
        cause_code: str | None = None,
        causes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message or f"step {step} raised {kind}: {detail}")
        self.step = step
        self.kind = kind
        self.detail = detail
        self.cause_code = cause_code
        self.causes = causes

    def is_caused_by(self, cls: type[BaseException]) -> bool:
        """Whether what was raised, or anything that led to it, is of this class or of one below it.

        Told by the class's module and name, now as on every replay.
        """
        name = class_name(cls)
        if self.causes:
            return name in self.causes
        # Recorded before causes were: what was raised is known by its own name alone, an error of ours by the last part of it.
        return self.kind == (name.removeprefix("builtins.") if self.cause_code is None else cls.__name__)


class ChildFailedError(StepFailedError):
    """A child has failed. The same error is raised again whenever the session is revived.

    Attributes:
        program: the agent or workflow it ran.
        execution_id: the child's.
    """

    code = "child.failed"

    def __init__(
        self,
        *,
        program: str,
        execution_id: str,
        step: str,
        kind: str,
        detail: str,
        cause_code: str | None = None,
        causes: tuple[str, ...] = (),
    ) -> None:
        text = f"child {program} at {step} failed with {kind}: {detail}"
        super().__init__(text, step=step, kind=kind, detail=detail, cause_code=cause_code, causes=causes)
        self.program = program
        self.execution_id = execution_id


class StepUnserializableError(StepError):
    """A value cannot be stored and brought back the same; the text names where in it."""

    code = "step.unserializable"


class StepTooLargeError(StepError):
    """A value is larger than the limit for one step. Store it elsewhere and return where it is."""

    code = "step.too-large"


class ForeignAwaitError(StepError):
    """Only ``run.…`` may be awaited in durable code. Wrap other awaits in a function and use ``run.step``."""

    code = "step.foreign-await"


class JoinError(OverwinterError):
    """A join of branches came to nothing."""

    code = "join.error"


class QuorumNotReachedError(JoinError):
    """So many branches have failed that too few are left. The first failure is its cause."""

    code = "join.quorum-not-reached"


class JoinDeadlineError(JoinError):
    """The join's deadline passed before it was decided; its unfinished branches are closed."""

    code = "join.deadline-passed"


class ChildYieldsError(OverwinterError):
    """An agent that yields for messages never ends, so it cannot be a child. Declare one without ``yields=True`` for it."""

    code = "child.yields"


def class_name(cls: type[BaseException]) -> str:
    """A class as errors are matched by: its module and its qualified name."""
    return f"{cls.__module__}.{cls.__qualname__}"


def foreign_await(operation: object) -> ForeignAwaitError:
    """Why something that durable code has awaited is not answered."""
    what = "nothing (a bare yield, such as asyncio.sleep(0))" if operation is None else f"{type(operation).__name__}"
    return ForeignAwaitError(
        f"durable code awaited {what}, which is not an operation of its run and cannot be replayed; "
        "put it into an async function and await run.step(function, ...)"
    )
