"""Reads a person's own words, on behalf of the step that waits for them, before anything is written.

A reader is the author's: whatever it raises, and whatever it returns that is no answer to the question, is "not understood".
Two things are told as they are, since the reply is not at fault: a budget that is used up, and a value that may not leave.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from structlog.contextvars import bound_contextvars

from .asks import Ask, JsonValue, NotUnderstood, Reading, Understood
from .errors import (
    BudgetExceededError,
    PauseInvalidDecisionError,
    PauseNoReplyInterpreterError,
    PauseUninterpretableReplyError,
    PiiRefusedError,
)
from .failures import text_of
from .ports import ReplyReader
from .roles import RoleBinding

_log = structlog.get_logger("overwinter.reading")


Stands = Callable[[], Awaitable[bool]]
"""Whether a reply is still what its giver says, asked once it was read: reading may take long."""


async def read_reply(
    role: RoleBinding, ask: Ask, reply: str, *, stands: Stands | None, within_s: float | None = None
) -> Understood:
    """What the reply decides, valid for the question and in canonical form.

    Whatever is logged meanwhile, by the reader too, says for whom it is read.

    Args:
        within_s: how long its reader may take; None for as long as it takes.

    Raises:
        PauseNoReplyInterpreterError: (pause.no-reply-interpreter)
        PauseUninterpretableReplyError: (pause.uninterpretable-reply) with what went wrong, if anything did, as its cause.
        BudgetExceededError: (budget.exceeded)
        PiiRefusedError: (pii.refused) a model would have read what may not leave.
    """
    if role.reader is None:
        raise PauseNoReplyInterpreterError
    with bound_contextvars(
        reader=f"reply-interpreter:{ask.role}",
        tenant=ask.tenant,
        session_id=ask.session_id,
        execution_id=ask.execution_id,
        step=ask.step,
    ):
        try:
            understood = await _read(role.reader, ask, reply, within_s=within_s)
            decision = _validated(role, ask, understood)
            if stands is not None and not await stands():
                raise PauseUninterpretableReplyError("the reply was changed while it was read")
        except (BudgetExceededError, PiiRefusedError) as error:
            _log.warning(error.code, error=str(error))
            raise
        except PauseUninterpretableReplyError as error:
            _log.info("reply.not-understood", reason=str(error), cause=error.cause)
            raise
        _log.info("reply.understood", by=understood.by)
        return Understood(decision=decision, by=understood.by, evidence=understood.evidence)


async def _read(reader: ReplyReader, ask: Ask, reply: str, *, within_s: float | None) -> Understood:
    limit = asyncio.timeout(within_s)
    try:
        async with limit:
            reading: Reading | object = await reader.read(ask, reply)
    except (BudgetExceededError, PiiRefusedError):
        raise
    except Exception as error:  # the reader is a stranger's: its crash must neither decide nor lose the question
        if limit.expired():
            cause = f"its reader took more than {within_s:g} s"
            raise PauseUninterpretableReplyError(
                "it took too long to read the reply; answer again", cause=cause
            ) from error
        cause = f"{type(error).__module__}.{type(error).__qualname__}: {text_of(error)}"
        raise PauseUninterpretableReplyError("the reply could not be read; answer again", cause=cause) from error
    match reading:
        case Understood():
            return reading
        case NotUnderstood(reason=reason, cause=cause, so_far=so_far):
            raise PauseUninterpretableReplyError(reason, cause=cause, so_far=so_far)
        case _:
            cause = f"the interpreter returned {type(reading).__name__}, not a reading"
            raise PauseUninterpretableReplyError("the reply could not be read; answer again", cause=cause)


def _validated(role: RoleBinding, ask: Ask, understood: Understood) -> JsonValue:
    try:
        return role.validate(ask, understood.decision)
    except PauseInvalidDecisionError as error:
        raise PauseUninterpretableReplyError(
            f"what was read in the reply does not fit the question; answer again ({error})",
            cause=f"{error.code}: {error}",
        ) from error
