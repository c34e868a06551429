"""Asking in a chat as people do: an ordinary message, and whatever they say next is the answer.

Nothing is kept open for it, so it is in no list of questions and nobody but the owner can answer it; with a time-out, a timer is.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from ..actors.events import EventKind
from ..actors.joins import First
from ..actors.operations import WaitResult, reason_of
from ..actors.run import Run
from ..store.rows import PauseKind
from .conversation import text_of


async def ask_softly(run: Run, prompt: str, *, by: str, deadline: timedelta | None) -> WaitResult:
    """Say the prompt and wait for the owner's next message.

    Args:
        by: the tool that asks.
        deadline: after this it is ``timed_out``; None waits for ever.
    """
    await run.record("say", {"content": prompt, "by": by}, kind=EventKind.MESSAGE_SENT)
    if deadline is None:
        return await _message(run)

    async def timer(run: Run) -> WaitResult:
        _, result = await run.wait_for("timeout", "timeout", "", None, kind=PauseKind.TIMER, deadline=deadline)
        resolution = "timed_out" if result.resolution == "fired" else result.resolution
        return WaitResult(
            resolution=resolution, answer=result.answer, responder=result.responder, waited_ms=result.waited_ms
        )

    first = await run.gather(_message, timer, join=First())
    return first[0]


async def _message(run: Run) -> WaitResult:
    message: Any = await run.next_message()
    return WaitResult(resolution="replied", answer=text_of(message["content"]), responder=message["from"])


def unanswered(result: WaitResult) -> str:
    """Why there is no answer, and after how long; for the model."""
    after = "" if result.waited_ms is None else f" after {result.waited_ms / 1000:g} seconds"
    return (
        f"it timed out{after}" if result.resolution == "timed_out" else f"it was cancelled{after}: {reason_of(result)}"
    )
