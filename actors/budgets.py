"""How much a model may be asked: what authors say, and the port behind which it is counted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, Protocol

from .ports import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A limit on calls of a model. It is looked at before each call; one that is used up ends in ``budget.exceeded``.

    Attributes:
        per: what has a budget of its own: each session, each tenant, or the app as a whole.
        calls: most calls; None for any number.
        tokens: most tokens, of requests and replies together; None for any number. They are known only once a call is
            over, so the last one may go beyond.
        window: only what was spent this long before a call counts against it; None counts everything, ever.
        name: what it is counted under; None is the name of whoever calls, as ``reply-interpreter:refund-approval`` or
            ``agent:support``. Budgets of the same name are one budget, which is shared.
    """

    per: Literal["session", "tenant", "app"]
    calls: int | None = None
    tokens: int | None = None
    window: timedelta | None = None
    name: str | None = None

    @property
    def fault(self) -> str | None:
        """Why it limits nothing, or lets nothing through; None if it is sound."""
        if self.calls is None and self.tokens is None:
            return "it has neither calls nor tokens, so it limits nothing"
        if any(limit is not None and limit < 1 for limit in (self.calls, self.tokens)):
            return "its calls and tokens must be at least 1, or nothing is ever called"
        if self.window is not None and self.window <= timedelta():
            return "its window must be longer than nothing"
        if self.name is not None and not self.name.strip():
            return "its name is empty"
        return None


class Meter(Protocol):
    """Counts calls of models, for as long as the app's database lives."""

    def metered(self, model: Model, *, budget: Budget) -> Model:
        """The model within a budget: its ``reply`` raises ``BudgetExceededError`` instead of asking once that is used up.

        Each request must name its caller.
        """
        ...
