"""``system``, the set every agent may have: asking the person it works for, and telling them something."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

from pydantic import Field

from ...actors.asks import JsonValue
from ...actors.events import EventKind
from ...actors.run import Run
from ...channels.interpreters.rules import RulesInterpreter
from ...channels.roles import Answerer, QuestionRole
from ..tools import Tool, tool

MAX_TIMEOUT_S = 366 * 24 * 3600.0

Words = Annotated[str, Field(min_length=1, max_length=8000)]


def _deadline_of(arguments: Mapping[str, JsonValue]) -> timedelta | None:
    timeout_s = arguments.get("timeout_s")
    return timedelta(seconds=timeout_s) if isinstance(timeout_s, int | float) else None


def ask_user_tool() -> Tool:
    """A fresh ``ask_user``: asks the session's owner in the conversation; their next message is the result.

    In a workspace the question stays open beside all else and is answered as any other; in a chat it is a message like others.
    """
    role = QuestionRole(name="ask_user", answer=str, answered_by=Answerer.OWNER, interpreter=RulesInterpreter())

    @tool(answer=role, deadline=_deadline_of, softly=True)
    async def ask_user(
        prompt: Words,
        timeout_s: Annotated[float | None, Field(gt=0, le=MAX_TIMEOUT_S)] = None,
    ) -> str:  # pyright: ignore[reportReturnType]  no body: the answer is the result
        """Ask the user a question and wait for the answer, for as long as it takes.

        Args:
            prompt: the question.
            timeout_s: give up after this many seconds; leave out to wait.
        """

    return ask_user


@tool
async def inform_user(run: Run, message: Words) -> str:
    """Tell the user something and go on at once; they need not answer.

    Args:
        message: what to tell them.
    """
    await run.record("say", {"content": message, "by": "inform_user"}, kind=EventKind.MESSAGE_SENT)
    return "The user has been told."


ask_user = ask_user_tool()

SYSTEM = (ask_user, inform_user)
