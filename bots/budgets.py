"""Counts calls of models against budgets, in the store: what is spent stays spent across restarts and processes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Protocol, TypeVar

from ..actors.budgets import Budget
from ..actors.clock import Clock
from ..actors.errors import BudgetExceededError
from ..actors.ids import Ids
from ..actors.messages import ModelCaller, ModelReply, ModelRequest
from ..actors.ports import Model
from ..store.costs import CountCall, CountCallResult, CountTokens, CountTokensResult, Spent
from ..store.errors import StoreError

T = TypeVar("T")
ChangeT = TypeVar("ChangeT", CountCall, CountTokens)

MOST_TOKENS = 1_000_000_000
"""No call uses more. What a vendor says beyond is a slip of its own, and would not fit when it is added up."""

_ATTEMPTS = 5
_FIRST_WAIT_MS = 100


class CostStore(Protocol):
    """What counting needs of the store."""

    async def count_call(self, change: CountCall) -> CountCallResult: ...

    async def count_tokens(self, change: CountTokens) -> CountTokensResult: ...


class BudgetMeter:
    """The ``Meter`` of an app, over its store."""

    def __init__(self, *, costs: CostStore, clock: Clock, ids: Ids) -> None:
        self._costs = costs
        self._clock = clock
        self._ids = ids

    def metered(self, model: Model, *, budget: Budget) -> Model:
        return MeteredModel(model, budget=budget, costs=self._costs, clock=self._clock, ids=self._ids)


class MeteredModel:
    """A model within a budget. A call is counted before it is made and its tokens once its reply is there.

    Whatever becomes of a call that was counted, it stays counted. One that its step makes again, because the process died
    before the reply was recorded, is the same call: it is let through, and counted once.
    """

    def __init__(self, model: Model, *, budget: Budget, costs: CostStore, clock: Clock, ids: Ids) -> None:
        self._model = model
        self._budget = budget
        self._costs = costs
        self._clock = clock
        self._ids = ids

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Ask the model, if the budget has room for the call.

        Raises:
            BudgetExceededError: (budget.exceeded) the model was not asked.
            StoreError: it could not be counted; before the call, the model was not asked.
        """
        caller = request.caller
        if caller is None:
            raise ValueError("a call within a budget must say on whose behalf it is made: ModelRequest.caller")
        name = self._budget.name or caller.name
        cost_key = f"{name} {caller.call_key or self._ids.uuid().hex}"
        await self._count_call(name, cost_key, caller)
        reply = await self._model.reply(request)
        if (tokens := min(reply.input_tokens + reply.output_tokens, MOST_TOKENS)) > 0:
            await self._patiently(self._costs.count_tokens, CountTokens(cost_key=cost_key, tokens=tokens))
        return reply

    async def _count_call(self, name: str, cost_key: str, caller: ModelCaller) -> None:
        now_ms = self._clock.now_ms()
        change = CountCall(
            cost_key=cost_key,
            budget=name,
            subject=_subject(self._budget, caller),
            tenant=caller.tenant,
            session_id=caller.session_id,
            since_ms=0 if self._budget.window is None else now_ms - _ms(self._budget.window) + 1,
            max_calls=self._budget.calls,
            max_tokens=self._budget.tokens,
            now_ms=now_ms,
        )
        result = await self._patiently(self._costs.count_call, change)
        if result.spent is not None:
            raise BudgetExceededError(_exceeded(name, self._budget, result.spent))

    async def _patiently(self, write: Callable[[ChangeT], Awaitable[T]], change: ChangeT) -> T:
        """Try again what may pass. Whether it was written the time before or not, the same key is counted once."""
        attempt = 1
        while True:
            try:
                return await write(change)
            except StoreError as error:
                if not error.retryable or attempt == _ATTEMPTS:
                    raise
            await self._clock.sleep_until_ms(self._clock.now_ms() + _FIRST_WAIT_MS * 2 ** (attempt - 1))
            attempt += 1


def _subject(budget: Budget, caller: ModelCaller) -> str:
    match budget.per:
        case "session":
            return caller.session_id
        case "tenant":
            return caller.tenant
        case "app":
            return ""


def _exceeded(name: str, budget: Budget, spent: Spent) -> str:
    limits = [(spent.calls, budget.calls, "calls"), (spent.tokens, budget.tokens, "tokens")]
    used = ", ".join(f"{count} of {limit} {what}" for count, limit, what in limits if limit is not None)
    if budget.window is None:
        return f"the budget {name} is used up: {used} per {budget.per}. Raise it to go on."
    return (
        f"the budget {name} is used up: {used} per {budget.per} within {budget.window}. Raise it, or try again later."
    )


def _ms(duration: timedelta) -> int:
    return duration // timedelta(milliseconds=1)
