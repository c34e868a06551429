"""What is kept of an exception: its name, its text, and the classes of all that led to it, so that it can be told again.

An exception itself cannot be stored. What a step or a child has raised is known on every replay by the names of its classes
and of its causes' classes, and whoever matches an error matches by these names, on the first run too: so both go the same way.
"""

from __future__ import annotations

from ..store.errors import OverwinterError
from .asks import JsonValue
from .jsontext import to_json
from .operations import Child, StepError
from .step_errors import ChildFailedError, StepFailedError, class_name

MAX_CAUSES = 50
"""Exceptions looked at in one chain; a longer one is cut."""


def text_of(error: BaseException) -> str:
    """An exception's text as it can be stored: whatever its ``__str__`` does, and whatever characters it holds."""
    try:
        text = str(error)
    except Exception as broken:
        return f"its text cannot be read ({type(broken).__name__})"
    return text.encode("utf-8", errors="backslashreplace").decode()


def step_error_of(error: BaseException) -> StepError:
    causes = causes_of(error)
    match error:
        case StepFailedError():
            code = error.cause_code or error.code
            return StepError(kind=error.kind, detail=error.detail, cause_code=code, causes=causes)
        case OverwinterError():
            return StepError(kind=type(error).__name__, detail=text_of(error), cause_code=error.code, causes=causes)
        case TimeoutError():
            text = text_of(error) or "it took longer than it may"
            return StepError(kind="TimeoutError", detail=text, causes=causes)
        case _:
            name = class_name(type(error)).removeprefix("builtins.")
            return StepError(kind=name, detail=text_of(error), causes=causes)


def raised_body(error: StepError) -> dict[str, JsonValue]:
    """The body of the event that keeps it."""
    body: dict[str, JsonValue] = {"kind": error.kind, "detail": error.detail, "cause_code": error.cause_code}
    if error.causes:
        body["causes"] = list(error.causes)
    return body


def failed_outcome(error: StepError) -> str:
    """The outcome of an execution that failed, as JSON."""
    code = error.cause_code or "execution.failed"
    return to_json({"kind": error.kind, "detail": error.detail, "code": code})


def causes_of(error: BaseException) -> tuple[str, ...]:
    """The names of the exception's classes and of those of everything that led to it, the nearest first.

    What led to it is its ``__cause__``, else its ``__context__`` unless that was suppressed, and the members of a group. A
    failed step or child is a link that says itself what led to it.
    """
    names: dict[str, None] = {}
    seen: set[int] = set()
    ahead: list[BaseException] = [error]
    while ahead and len(seen) < MAX_CAUSES:
        link = ahead.pop(0)
        if id(link) in seen:
            continue
        seen.add(id(link))
        names.update((class_name(each), None) for each in type(link).__mro__ if each is not object)
        if isinstance(link, StepFailedError):
            names.update((name, None) for name in link.causes)
            continue
        if isinstance(link, BaseExceptionGroup):
            ahead.extend(link.exceptions)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        if link.__cause__ is not None:
            ahead.append(link.__cause__)
        elif link.__context__ is not None and not link.__suppress_context__:
            ahead.append(link.__context__)
    return tuple(names)


def step_failed(key: str, error: StepError, cause: BaseException | None) -> StepFailedError:
    """The error that durable code sees; with its ``cause`` in the process where it happened."""
    failed = StepFailedError(
        step=key, kind=error.kind, detail=error.detail, cause_code=error.cause_code, causes=error.causes
    )
    failed.__cause__ = cause
    return failed


def child_failed(operation: Child, error: StepError, cause: BaseException | None) -> ChildFailedError:
    failed = ChildFailedError(
        program=operation.program,
        execution_id=operation.execution_id,
        step=operation.key,
        kind=error.kind,
        detail=error.detail,
        cause_code=error.cause_code,
        causes=error.causes,
    )
    failed.__cause__ = cause
    return failed
