"""A model within a budget: looked at before each call, counted once, whatever happens to the call or to the store."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.budgets import Budget
from overwinter.actors.clock import ManualClock
from overwinter.actors.errors import BudgetExceededError, ModelUnavailableError
from overwinter.actors.ids import RandomIds
from overwinter.actors.messages import Message, ModelCaller, ModelReply, ModelRequest
from overwinter.actors.ports import Model
from overwinter.bots.budgets import MOST_TOKENS, BudgetMeter
from overwinter.store.costs import CountCall, CountCallResult, CountTokens, CountTokensResult, Spent
from overwinter.store.errors import StoreBusyError, StoreClosedError, StoreError
from overwinter.store.store import Store

pytestmark = pytest.mark.behaviour("G22")

CALLER = ModelCaller(
    name="agent:support", tenant="acme", owner="olga", session_id="s1", execution_id="x1", step="/model#0"
)


class Speaker:
    """A model that says the same as often as it is asked, or fails."""

    def __init__(self, reply: ModelReply | Exception) -> None:
        self._reply = reply
        self.asked = 0

    async def reply(self, request: ModelRequest) -> ModelReply:
        self.asked += 1
        if isinstance(self._reply, Exception):
            raise self._reply
        return self._reply


class ShakyCosts:
    """A store that says for a while that it could not, having written or not."""

    def __init__(self, store: Store, *errors: StoreError, writes: bool) -> None:
        self._store = store
        self._errors = list(errors)
        self._writes = writes

    async def count_call(self, change: CountCall) -> CountCallResult:
        if self._errors and not self._writes:
            raise self._errors.pop(0)
        result = await self._store.count_call(change)
        if self._errors:
            raise self._errors.pop(0)
        return result

    async def count_tokens(self, change: CountTokens) -> CountTokensResult:
        return await self._store.count_tokens(change)


class ImpatientClock(ManualClock):
    """Nobody waits: time jumps to whatever is waited for."""

    async def sleep_until_ms(self, due_ms: int) -> None:
        await self.advance(ms=max(0, due_ms - self.now_ms()))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "w.db")
    yield opened
    await opened.aclose()


@pytest.fixture
def clock() -> ManualClock:
    return ImpatientClock()


REPLY = ModelReply(content="Hello.", input_tokens=30, output_tokens=12)


def metered(model: Model, costs: Any, clock: ManualClock, **limits: Any) -> Model:
    fields: dict[str, Any] = {"per": "tenant", **limits}
    return BudgetMeter(costs=costs, clock=clock, ids=RandomIds()).metered(model, budget=Budget(**fields))


def request(**changed: Any) -> ModelRequest:
    return ModelRequest(messages=(Message(role="user", content="Hi"),), caller=replace(CALLER, **changed))


async def test_a_call_is_counted_with_its_tokens_under_the_callers_name(store: Store, clock: ManualClock) -> None:
    model = Speaker(REPLY)
    assert await metered(model, store, clock, calls=5).reply(request()) == REPLY
    assert await store.spent(budget="agent:support", subject="acme") == Spent(calls=1, tokens=42)


async def test_a_used_up_budget_is_told_and_the_model_is_not_asked(store: Store, clock: ManualClock) -> None:
    model = Speaker(REPLY)
    within = metered(model, store, clock, calls=2, tokens=1000)
    await within.reply(request())
    await within.reply(request())
    with pytest.raises(BudgetExceededError) as raised:
        await within.reply(request())
    assert raised.value.code == "budget.exceeded"
    assert str(raised.value) == (
        "the budget agent:support is used up: 2 of 2 calls, 84 of 1000 tokens per tenant. Raise it to go on."
    )
    assert model.asked == 2
    assert await store.spent(budget="agent:support", subject="acme") == Spent(calls=2, tokens=84)


async def test_tokens_are_a_limit_of_their_own(store: Store, clock: ManualClock) -> None:
    model = Speaker(REPLY)
    within = metered(model, store, clock, tokens=43)
    await within.reply(request())
    await within.reply(request())
    with pytest.raises(BudgetExceededError, match="84 of 43 tokens"):
        await within.reply(request())
    assert model.asked == 2


async def test_a_window_moves_on(store: Store, clock: ManualClock) -> None:
    model = Speaker(REPLY)
    within = metered(model, store, clock, calls=1, window=timedelta(hours=1))
    await within.reply(request())
    await clock.advance(ms=3_599_999)
    with pytest.raises(BudgetExceededError, match=r"per tenant within 1:00:00\. Raise it, or try again later\."):
        await within.reply(request())
    await clock.advance(ms=1)
    await within.reply(request())
    assert model.asked == 2


@pytest.mark.parametrize(
    ("per", "subject", "own"),
    [("session", "s1", {"session_id": "s2"}), ("tenant", "acme", {"tenant": "umbrella"}), ("app", "", None)],
)
async def test_each_has_its_own(
    store: Store, clock: ManualClock, per: str, subject: str, own: dict[str, str] | None
) -> None:
    model = Speaker(REPLY)
    within = metered(model, store, clock, per=per, calls=1)
    await within.reply(request())
    with pytest.raises(BudgetExceededError):
        await within.reply(request(**({"tenant": "umbrella", "session_id": "s2"} if own is None else {})))
    assert await store.spent(budget="agent:support", subject=subject) == Spent(calls=1, tokens=42)
    if own is not None:
        await within.reply(request(**own))


async def test_budgets_of_one_name_are_one(store: Store, clock: ManualClock) -> None:
    model = Speaker(REPLY)
    await metered(model, store, clock, calls=1, name="office").reply(request())
    with pytest.raises(BudgetExceededError, match="office"):
        await metered(model, store, clock, calls=1, name="office").reply(request(name="reply-interpreter:r"))
    assert model.asked == 1


async def test_the_same_call_made_again_is_let_through_and_counted_once(store: Store, clock: ManualClock) -> None:
    model = Speaker(REPLY)
    within = metered(model, store, clock, calls=1)
    await within.reply(request(call_key="x1/model#0"))
    await within.reply(request(call_key="x1/model#0"))
    assert model.asked == 2
    assert await store.spent(budget="agent:support", subject="acme") == Spent(calls=1, tokens=42)
    with pytest.raises(BudgetExceededError):
        await within.reply(request(call_key="x1/model#1"))


async def test_of_many_at_once_only_as_many_are_made_as_there_is_room(store: Store, clock: ManualClock) -> None:
    model = Speaker(REPLY)
    within = metered(model, store, clock, calls=3)
    outcomes = await asyncio.gather(*(within.reply(request()) for _ in range(20)), return_exceptions=True)
    assert Counter(type(outcome) for outcome in outcomes) == {ModelReply: 3, BudgetExceededError: 17}
    assert model.asked == 3


async def test_a_call_that_failed_stays_counted(store: Store, clock: ManualClock) -> None:
    with pytest.raises(ModelUnavailableError):
        await metered(Speaker(ModelUnavailableError()), store, clock, calls=3).reply(request())
    assert await store.spent(budget="agent:support", subject="acme") == Spent(calls=1, tokens=0)


async def test_more_tokens_than_there_can_be_are_cut(store: Store, clock: ManualClock) -> None:
    model = Speaker(replace(REPLY, input_tokens=10**30))
    await metered(model, store, clock, calls=3).reply(request())
    assert await store.spent(budget="agent:support", subject="acme") == Spent(calls=1, tokens=MOST_TOKENS)


@pytest.mark.parametrize("writes", [False, True])
async def test_a_busy_store_is_tried_again_and_the_call_is_counted_once(
    store: Store, clock: ManualClock, writes: bool
) -> None:
    model = Speaker(REPLY)
    costs = ShakyCosts(store, StoreBusyError(), StoreBusyError(), writes=writes)
    began_ms = clock.now_ms()
    await metered(model, costs, clock, calls=1).reply(request())
    assert clock.now_ms() - began_ms == 300
    assert model.asked == 1
    assert await store.spent(budget="agent:support", subject="acme") == Spent(calls=1, tokens=42)


@pytest.mark.parametrize("errors", [[StoreClosedError()], [StoreBusyError() for _ in range(5)]])
async def test_a_call_that_cannot_be_counted_is_not_made(
    store: Store, clock: ManualClock, errors: list[StoreError]
) -> None:
    model = Speaker(REPLY)
    with pytest.raises(type(errors[0])):
        await metered(model, ShakyCosts(store, *errors, writes=False), clock, calls=1).reply(request())
    assert model.asked == 0


async def test_a_call_must_say_for_whom_it_is(store: Store, clock: ManualClock) -> None:
    model = Speaker(REPLY)
    with pytest.raises(ValueError, match="caller"):
        await metered(model, store, clock, calls=1).reply(ModelRequest(messages=()))
    assert model.asked == 0


@pytest.mark.parametrize(
    ("budget", "says"),
    [
        (Budget(per="app"), "limits nothing"),
        (Budget(per="app", calls=0), "at least 1"),
        (Budget(per="app", calls=5, tokens=-1), "at least 1"),
        (Budget(per="app", calls=5, window=timedelta()), "window"),
        (Budget(per="app", calls=5, name=" "), "name"),
        (Budget(per="app", calls=1, tokens=1, window=timedelta(days=1), name="office"), None),
    ],
)
def test_a_budget_of_no_use_says_why(budget: Budget, says: str | None) -> None:
    assert budget.fault is None if says is None else says in (budget.fault or "")
