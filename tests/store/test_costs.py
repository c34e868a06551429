"""Model calls counted against budgets: each once, none beyond what there is, whoever asks and whatever dies."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from overwinter.store.changes import StartResult, StartSession
from overwinter.store.costs import CountCall, CountTokens, CountTokensResult, Spent
from overwinter.store.errors import StoreRefusedError
from overwinter.store.store import Store

from .examples import T0, session

pytestmark = pytest.mark.behaviour("G22")


@pytest.fixture
async def second(store: Store, database: Path) -> AsyncIterator[Store]:
    """Another opening of the same database, as another process has it."""
    opened = await Store.open(database)
    yield opened
    await opened.aclose()


def call(cost_key: str = "c1", **changed: Any) -> CountCall:
    fields: dict[str, Any] = {
        "cost_key": cost_key,
        "budget": "agent:support",
        "subject": "acme",
        "tenant": "acme",
        "session_id": "s1",
        "since_ms": 0,
        "max_calls": None,
        "max_tokens": None,
        "now_ms": T0,
    }
    return CountCall(**{**fields, **changed})


async def spent(store: Store, *, budget: str = "agent:support", subject: str = "acme", since_ms: int = 0) -> Spent:
    return await store.spent(budget=budget, subject=subject, since_ms=since_ms)


def rows(database: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT * FROM costs ORDER BY cost_key").fetchall()


async def test_a_call_and_its_tokens_are_one_row(store: Store, database: Path) -> None:
    assert (await store.count_call(call())).outcome == "counted"
    assert rows(database) == [("c1", "agent:support", "acme", "acme", "s1", None, T0)]
    assert await store.count_tokens(CountTokens(cost_key="c1", tokens=700)) is CountTokensResult.COUNTED
    assert rows(database) == [("c1", "agent:support", "acme", "acme", "s1", 700, T0)]
    assert await spent(store) == Spent(calls=1, tokens=700)


async def test_the_same_call_counted_again_changes_nothing(store: Store, database: Path) -> None:
    await store.count_call(call(max_calls=1))
    await store.count_tokens(CountTokens(cost_key="c1", tokens=700))
    before = rows(database)
    again = await store.count_call(call(max_calls=1, now_ms=T0 + 5, tenant="other", session_id="s2"))
    assert (again.outcome, again.spent) == ("duplicate", None)
    assert await store.count_tokens(CountTokens(cost_key="c1", tokens=9)) is CountTokensResult.IGNORED
    assert rows(database) == before


async def test_tokens_of_a_call_that_nobody_counted_are_not_counted_either(store: Store, database: Path) -> None:
    assert await store.count_tokens(CountTokens(cost_key="nobody", tokens=9)) is CountTokensResult.IGNORED
    assert rows(database) == []


async def test_a_used_up_budget_refuses_the_call_and_writes_nothing(store: Store, database: Path) -> None:
    await store.count_call(call("c1", max_calls=2))
    await store.count_call(call("c2", max_calls=2))
    before = rows(database)
    refused = await store.count_call(call("c3", max_calls=2))
    assert (refused.outcome, refused.spent) == ("exhausted", Spent(calls=2, tokens=0))
    assert rows(database) == before
    assert (await store.count_call(call("c3", max_calls=3))).outcome == "counted"


async def test_tokens_use_a_budget_up_once_they_are_known(store: Store) -> None:
    assert (await store.count_call(call("c1", max_tokens=1000))).outcome == "counted"
    assert (await store.count_call(call("c2", max_tokens=1000))).outcome == "counted"
    await store.count_tokens(CountTokens(cost_key="c1", tokens=999))
    assert (await store.count_call(call("c3", max_tokens=1000))).outcome == "counted"
    await store.count_tokens(CountTokens(cost_key="c2", tokens=1))
    refused = await store.count_call(call("c4", max_tokens=1000))
    assert (refused.outcome, refused.spent) == ("exhausted", Spent(calls=3, tokens=1000))


async def test_calls_before_the_window_do_not_count_any_more(store: Store) -> None:
    await store.count_call(call("c1", now_ms=T0))
    await store.count_call(call("c2", now_ms=T0 + 10))
    assert (await store.count_call(call("c3", now_ms=T0 + 20, since_ms=T0, max_calls=2))).outcome == "exhausted"
    assert (await store.count_call(call("c3", now_ms=T0 + 20, since_ms=T0 + 1, max_calls=2))).outcome == "counted"
    assert await spent(store, since_ms=T0 + 10) == Spent(calls=2, tokens=0)


@pytest.mark.parametrize("apart", [{"budget": "agent:other"}, {"subject": "umbrella"}, {"subject": ""}])
async def test_budgets_and_subjects_are_apart(store: Store, apart: dict[str, str]) -> None:
    await store.count_call(call("c1", max_calls=1))
    assert (await store.count_call(call("c2", max_calls=1, **apart))).outcome == "counted"
    assert (await store.count_call(call("c3", max_calls=1))).outcome == "exhausted"
    where = {"budget": "agent:support", "subject": "acme"} | apart
    assert await spent(store, budget=where["budget"], subject=where["subject"]) == Spent(calls=1, tokens=0)


async def test_of_many_at_once_only_as_many_get_through_as_there_is_room(store: Store, second: Store) -> None:
    results = await asyncio.gather(
        *((store if n % 2 else second).count_call(call(f"c{n}", max_calls=7)) for n in range(60))
    )
    assert Counter(result.outcome for result in results) == {"counted": 7, "exhausted": 53}
    assert await spent(store) == Spent(calls=7, tokens=0)


async def test_one_call_counted_by_two_at_once_is_counted_once(store: Store, second: Store) -> None:
    results = await asyncio.gather(store.count_call(call()), second.count_call(call()), store.count_call(call()))
    assert sorted(result.outcome for result in results) == ["counted", "duplicate", "duplicate"]
    assert await spent(store) == Spent(calls=1, tokens=0)


async def test_what_was_spent_is_still_spent_after_a_restart(store: Store, database: Path) -> None:
    await store.count_call(call(max_calls=1))
    await store.aclose()
    again = await Store.open(database)
    try:
        assert (await again.count_call(call("c2", max_calls=1))).outcome == "exhausted"
    finally:
        await again.aclose()


async def test_a_count_that_cannot_be_stored_fails_alone(store: Store) -> None:
    results = await asyncio.gather(
        store.start_session(StartSession(session=session("s1"), message=None)),
        store.count_call(call("c1")),
        store.count_call(call("c2", tenant=None)),
        store.count_tokens(CountTokens(cost_key="c1", tokens=-5)),
        store.start_session(StartSession(session=session("s2"), message=None)),
        return_exceptions=True,
    )
    assert results[0] is results[4] is StartResult.STARTED
    assert isinstance(results[2], StoreRefusedError)
    assert isinstance(results[3], StoreRefusedError)
    assert await spent(store) == Spent(calls=1, tokens=0)


async def test_what_was_spent_is_added_up_from_an_index_alone(store: Store, database: Path) -> None:
    heard: list[tuple[str, Any]] = []

    def hear(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if not statement.startswith("BEGIN"):
            heard.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        await store.count_call(call("c1", max_calls=1))
        await store.count_call(call("c2", max_calls=1))
        await store.count_tokens(CountTokens(cost_key="c1", tokens=1))
        await spent(store)
    finally:
        event.remove(Engine, "before_cursor_execute", hear)
    assert [statement.split()[0] for statement, _ in heard] == ["INSERT", "INSERT", "SELECT", "UPDATE", "SELECT"]
    with closing(sqlite3.connect(database)) as connection:
        for statement, parameters in heard:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
            looked = [step for step in plan if "costs" in step]
            assert looked
            assert all(
                "COVERING INDEX costs_spent (budget=? AND subject=? AND at_ms>?)" in step or "cost_key=?" in step
                for step in looked
            ), (statement, plan)


async def test_what_no_window_counts_any_more_is_forgotten_when_the_budget_is_used_again(
    store: Store, database: Path
) -> None:
    window = 1000

    def windowed(cost_key: str, at_ms: int, **changed: Any) -> CountCall:
        return call(cost_key, now_ms=at_ms, since_ms=at_ms - window + 1, max_calls=2, **changed)

    for key, at_ms in (("old", T0), ("known", T0 + window), ("counts", T0 + 2 * window)):
        assert (await store.count_call(windowed(key, at_ms))).outcome == "counted"
    await store.count_call(windowed("other subject", T0, subject="zeta"))
    await store.count_call(call("no window", budget="agent:clerk"))
    await store.count_call(windowed("now", T0 + 2 * window + 1))
    assert {row[0] for row in rows(database)} == {"known", "counts", "other subject", "no window", "now"}
    assert (await store.count_call(windowed("known", T0 + 2 * window + 1))).outcome == "duplicate"
    assert (await store.count_call(windowed("too much", T0 + 2 * window + 1))).outcome == "exhausted"
