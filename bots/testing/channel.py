"""A channel for tests: it keeps what it is given, and fails when it is told to."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ...actors.asks import Ask, AwaitReply, Outcome, Progress, Relief, Reminder, Withdrawal


class RecordingChannel:
    """Keeps questions and withdrawals in the order in which they came.

    Attributes:
        asks: every question sent, once for each call of ``send`` that did not fail.
        updates: how far a question was, each time that was shown.
        reminders: every reminder sent, once for each call of ``remind`` that did not fail.
        reliefs: every question that others are asked in place of this channel's people.
        withdrawals: every question taken back.
        outcomes: what the next calls of ``send`` give instead of waiting for a reply: an outcome, or an error to raise.
        during_send, during_remind: called in each ``send`` or ``remind``, before it returns; for what happens meanwhile.
        remind_errors: what the next calls of ``remind`` raise.
        withdraw_errors: what the next calls of ``withdraw`` raise.
    """

    def __init__(self, *, name: str = "test") -> None:
        self.name = name
        self.asks: list[Ask] = []
        self.updates: list[Progress] = []
        self.reminders: list[Reminder] = []
        self.reliefs: list[Relief] = []
        self.withdrawals: list[Withdrawal] = []
        self.outcomes: deque[Outcome | Exception] = deque()
        self.remind_errors: deque[Exception] = deque()
        self.withdraw_errors: deque[Exception] = deque()
        self.during_send: Callable[[Ask], None] | None = None
        self.during_remind: Callable[[Reminder], None] | None = None

    async def send(self, ask: Ask) -> Outcome:
        outcome = self.outcomes.popleft() if self.outcomes else AwaitReply(ref=f"ref-{len(self.asks)}")
        if isinstance(outcome, Exception):
            raise outcome
        self.asks.append(ask)
        if self.during_send is not None:
            self.during_send(ask)
        return outcome

    async def update(self, progress: Progress) -> None:
        self.updates.append(progress)

    async def remind(self, reminder: Reminder) -> None:
        if self.remind_errors:
            raise self.remind_errors.popleft()
        self.reminders.append(reminder)
        if self.during_remind is not None:
            self.during_remind(reminder)

    async def relieve(self, relief: Relief) -> None:
        self.reliefs.append(relief)

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        if self.withdraw_errors:
            raise self.withdraw_errors.popleft()
        self.withdrawals.append(withdrawal)
