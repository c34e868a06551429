"""Whether the question that durable code asks now is the one that was asked there: its key alone does not say so.

Compared are the role, who may answer, and the outline of the answer (``outlines``). The words of the question are not: whoever
asks something else in the same place, of the same people and in the same form, makes another version of the workflow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from .errors import PauseCancelledError, PauseTimedOutError, SessionCorruptError, SessionDefinitionChangedError
from .marks import secrets_in
from .operations import Frame, Halt, Recall, Wait, WaitResult, reason_of
from .ports import Question
from .privacy import marks_of_decision

T = TypeVar("T")


def check_asked(wait: Wait, *, role: str, answerer: str) -> None:
    """See to it that an open question, or an answer, is of the role that the code asks now.

    Raises:
        SessionDefinitionChangedError: (session.definition-changed) it was put to others, or others might answer it.
    """
    if role and (role, answerer) != (wait.role, wait.answerer):
        raise _changed(
            wait,
            f"asks {wait.role} (answered by {wait.answerer}) now, and its question was put to {role} (answered by {answerer})",
        )


def check_answered(wait: Wait, result: WaitResult) -> None:
    """See to it that an answer was given to the question that the code asks now.

    Raises:
        SessionDefinitionChangedError: (session.definition-changed) others gave it, or it has another form.
    """
    if not result.is_answer:
        return
    check_asked(wait, role=result.role, answerer=result.answerer)
    if result.outline and wait.outline and result.outline != wait.outline:
        raise _changed(wait, f"asks {wait.role} for another kind of answer than the one that was recorded")


async def answer_of(question: Question[T], wait: Wait, result: WaitResult) -> T:
    """The answer to a question as the question's type; one that does not fit it ends the pass, whatever the code around catches.

    Raises:
        PauseTimedOutError: (pause.timed-out)
        PauseCancelledError: (pause.cancelled)
    """
    match result.resolution:
        case "timed_out":
            raise PauseTimedOutError(f"nobody answered {wait.key} ({wait.role}) in time")
        case "cancelled":
            raise PauseCancelledError(f"the question {wait.key} ({wait.role}) was cancelled: {reason_of(result)}")
        case _:
            wait.frame.secrets.extend(secrets_in(marks_of_decision(question.form), result.answer, name="answer"))
            try:
                return question.decode(result.answer)
            except SessionCorruptError as error:
                changed = _changed(wait, f"cannot read its answer: {error}")
            return await Halt(key=f"{wait.key}/halt", frame=wait.frame, error=changed)


def check_all_reached(recall: Recall, *, frame: Frame, reached: set[str], is_root: bool, cut: Iterable[str]) -> None:
    """An execution has ended: see to it that its code has come to every answer that is recorded for it.

    Args:
        cut: keys of joins that were decided while branches of theirs were open: what those had come to is not asked.

    Raises:
        SessionDefinitionChangedError: (session.definition-changed) it asks for one no more, and was not accepted as it is.
    """
    execution_id = frame.execution_id
    if execution_id in recall.accepted:
        return
    whole = "/" if is_root else f"{execution_id}/"
    missed = [
        key for key, result in recall.waits.items() if key not in reached and result.is_answer and key.startswith(whole)
    ]
    if not missed:
        return
    paths = tuple(f"{key}[" for key in cut)
    if missed := [key for key in missed if not key.startswith(paths)]:
        raise SessionDefinitionChangedError(
            f"the code has come to its end and does not ask at {', '.join(missed)} any more, where an answer is recorded; "
            "deploy the code as it was, accept what is deployed, or cancel the session",
            session_id=frame.session_id,
            unasked=missed[0],
        )


def _changed(wait: Wait, what: str) -> SessionDefinitionChangedError:
    return SessionDefinitionChangedError(
        f"step {wait.key} {what}; deploy the code as it was, or cancel that question or the session",
        session_id=wait.frame.session_id,
        question=wait.key,
    )
