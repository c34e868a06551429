"""Channels in which nobody is asked: they decide at once, the same for every question. For tests and trials."""

from __future__ import annotations

from ..actors.asks import ApprovalForm, Ask, Decided, JsonValue, Outcome, Progress, Relief, Reminder, Withdrawal
from ..actors.errors import ChannelRejectedError


class AutoApprove:
    """Approves every call as it was asked; refuses questions that want anything else."""

    def __init__(self, *, name: str = "auto-approve") -> None:
        self.name = name

    async def send(self, ask: Ask) -> Outcome:
        return _decided(ask, {"approved": True, "reason": None, "override_arguments": None}, self.name)

    async def update(self, progress: Progress) -> None:
        """Nothing: whatever is decided at once is never open."""

    async def remind(self, reminder: Reminder) -> None:
        """Nothing: whatever is decided at once is never open."""

    async def relieve(self, relief: Relief) -> None:
        """Nothing: whatever is decided at once is never open."""

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        """Nothing: whatever is decided at once is never open."""


class AutoReject:
    """Rejects every call; refuses questions that want anything else."""

    def __init__(self, *, name: str = "auto-reject", reason: str | None = None) -> None:
        self.name = name
        self._reason = reason

    async def send(self, ask: Ask) -> Outcome:
        return _decided(ask, {"approved": False, "reason": self._reason, "override_arguments": None}, self.name)

    async def update(self, progress: Progress) -> None:
        """Nothing: whatever is decided at once is never open."""

    async def remind(self, reminder: Reminder) -> None:
        """Nothing: whatever is decided at once is never open."""

    async def relieve(self, relief: Relief) -> None:
        """Nothing: whatever is decided at once is never open."""

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        """Nothing: whatever is decided at once is never open."""


class AutoReply:
    """Gives the same answer to every question."""

    def __init__(self, answer: JsonValue, *, name: str = "auto-reply") -> None:
        self.name = name
        self._answer = answer

    async def send(self, ask: Ask) -> Outcome:
        return Decided(decision=self._answer, answered_by=self.name)

    async def update(self, progress: Progress) -> None:
        """Nothing: whatever is decided at once is never open."""

    async def remind(self, reminder: Reminder) -> None:
        """Nothing: whatever is decided at once is never open."""

    async def relieve(self, relief: Relief) -> None:
        """Nothing: whatever is decided at once is never open."""

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        """Nothing: whatever is decided at once is never open."""


def _decided(ask: Ask, decision: JsonValue, name: str) -> Outcome:
    if not isinstance(ask.form, ApprovalForm):
        raise ChannelRejectedError(f"channel {name} decides approvals only; role {ask.role} asks for something else")
    return Decided(decision=decision, answered_by=name)
