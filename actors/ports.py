"""What the runtime needs of others, as Protocols: a channel, a reader of replies, a model.

The runtime knows people and models through these alone. The folders above implement them; tests bring small fakes that
pass the same contract suites.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol, TypeVar, runtime_checkable

from ..store.rows import AnswererKind
from .asks import Ask, Form, JsonValue, Outcome, Progress, Reading, Relief, Reminder, Withdrawal
from .messages import ModelReply, ModelRequest


class Channel(Protocol):
    """Where a role's questions go.

    ``send`` and ``withdraw`` raise ``ChannelUnreachableError`` for what may pass (it is retried with backoff) and
    ``ChannelRejectedError`` for what never will (the asking step fails with it as its cause).
    """

    @property
    def name(self) -> str: ...

    async def send(self, ask: Ask) -> Outcome:
        """Put the question to the people. The same ``pause_id`` may come again after a crash: post it once."""
        ...

    async def update(self, progress: Progress) -> None:
        """Show on a question that was sent how far it is. Only roles that need several people have this."""
        ...

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        """Make it visible that the question is closed. Called once for each question that was sent."""
        ...


@runtime_checkable
class Reminding(Protocol):
    """A channel that can remind its people of a question; roles with ``remind_after`` need one."""

    async def remind(self, reminder: Reminder) -> None:
        """Say once more that a question that was sent waits for an answer.

        ``ChannelUnreachableError`` says that nothing was sent, or that the vendor knows a repeated one by its number: it is
        tried again. Whatever else goes wrong, it is not: better one reminder too few than one too many.
        """
        ...


@runtime_checkable
class Relieving(Protocol):
    """A channel that can take a question from its people while it waits; roles with ``escalate_to`` need one."""

    async def relieve(self, relief: Relief) -> None:
        """Make it visible that others are asked now, and take the means to answer away. May come again after a crash."""
        ...


class ReplyReader(Protocol):
    """Turns a person's own words into a decision; what an interpreter is to the runtime.

    ``read`` never decides in doubt: anything short of a clear answer is ``NotUnderstood``. The ask says for whom it reads
    (tenant, owner, session, execution, step), which is also what a model is called for. An exception counts as not
    understood, with the exception as its cause; ``BudgetExceededError`` alone is raised to whoever answers.
    """

    async def read(self, ask: Ask, reply: str) -> Reading: ...


class Model(Protocol):
    """A language model.

    ``reply`` raises ``ModelUnavailableError`` when the vendor could not be reached after its retries. A refusal, an
    empty reply, unknown tools and broken arguments are replies, not errors.
    """

    async def reply(self, request: ModelRequest) -> ModelReply: ...


AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class Question(Protocol[AnswerT_co]):
    """What durable code may ask: a role that wants data, as ``run.ask`` sees it."""

    @property
    def name(self) -> str: ...

    @property
    def answerer(self) -> AnswererKind: ...

    @property
    def form(self) -> Form: ...

    @property
    def outline(self) -> str:
        """Of the form (``outlines``)."""
        ...

    @property
    def deadline(self) -> timedelta | None: ...

    def decode(self, decision: JsonValue) -> AnswerT_co:
        """The recorded decision as the type the author declared."""
        ...


class Validator(Protocol):
    """Says whether a decision fits its question.

    Returns the decision in canonical JSON form. Raises ``PauseInvalidDecisionError`` naming what does not fit.
    """

    def __call__(self, ask: Ask, decision: JsonValue) -> JsonValue: ...
