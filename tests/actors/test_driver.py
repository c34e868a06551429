"""Durable coroutines: replay by key, waits, joins, foreign awaits, eviction."""

from __future__ import annotations

import asyncio
import gc
import weakref
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.actors.joins import All, FailFast
from overwinter.actors.run import Run
from overwinter.actors.step_errors import ForeignAwaitError, StepFailedError
from overwinter.channels.roles import Answerer, QuestionRole

from .harness import Harness, Rested, failing, upper


@dataclass
class Order:
    number: int
    due: timedelta


ROLE = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


async def test_a_recorded_step_does_not_run_again() -> None:
    async def main(run: Run) -> str:
        data = await run.step(upper, "a")
        answer = await run.ask(ROLE, f"{data}?")
        return f"{data}:{answer}:{await run.step(upper, 'b')}"

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive()
    assert harness.ledger.open_waits == {"/ask#0"}
    assert await harness.revive({"/ask#0": "yes"}) == "A:yes:B"
    assert harness.ledger.ran == ["/upper#0", "/upper#1"]


@pytest.mark.case("du01")
async def test_answers_in_another_order_reach_their_own_questions() -> None:
    async def one(run: Run, name: str) -> str:
        return f"{name}={await run.ask(ROLE, name)}"

    async def main(run: Run) -> list[str]:
        return await run.map(one, ["a", "b", "c"])

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive()
    for index, answer in ((2, "z"), (0, "x")):
        with pytest.raises(Rested):
            await harness.revive({f"/map#0[{index}]/ask#0": answer})
    assert await harness.revive({"/map#0[1]/ask#0": "y"}) == ["a=x", "b=y", "c=z"]


@pytest.mark.case("du03")
async def test_one_answer_does_not_finish_a_group() -> None:
    after: list[str] = []

    async def one(run: Run) -> str:
        return await run.ask(ROLE, "?")

    async def main(run: Run) -> list[str]:
        answers = await run.gather(one, one, one)
        after.append("joined")
        return answers

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive()
    with pytest.raises(Rested):
        await harness.revive({"/gather#0[1]/ask#0": "yes"})
    assert harness.ledger.open_waits == {"/gather#0[0]/ask#0", "/gather#0[2]/ask#0"}
    assert after == []


@pytest.mark.case("du20")
async def test_the_first_failure_withdraws_the_siblings_questions() -> None:
    async def review(run: Run, who: str) -> str:
        if await run.ask(ROLE, who) == "reject":
            raise PermissionError(who)
        return who

    async def main(run: Run) -> Any:
        try:
            return await run.map(review, ["legal", "finance", "security"], join=FailFast())
        except PermissionError as error:
            return f"rejected by {error}"

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive()
    assert await harness.revive({"/map#0[1]/ask#0": "reject"}) == "rejected by finance"
    assert harness.ledger.withdrawn == ["/map#0[0]/ask#0", "/map#0[2]/ask#0"]


async def test_an_early_decision_is_the_same_on_replay_whichever_ending_comes_first() -> None:
    async def quick(run: Run) -> str:
        return await run.step(failing("quick"))

    async def slow(run: Run) -> str:
        return await run.step(failing("slow"))

    async def main(run: Run) -> str:
        try:
            await run.gather(slow, quick, join=FailFast())
        except StepFailedError as error:
            return f"{error.detail} {await run.ask(ROLE, '?')}"
        return "never"

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive(order="reversed")
    harness.ledger.recall.raised["/gather#0[0]/fail#0"] = harness.ledger.recall.raised["/gather#0[1]/fail#0"]
    assert await harness.revive({"/ask#0": "x"}) == "quick x"


async def test_all_waits_for_every_branch_before_it_fails() -> None:
    async def bad(run: Run) -> str:
        return await run.step(failing("bad"))

    async def good(run: Run) -> str:
        return await run.ask(ROLE, "?")

    async def main(run: Run) -> Any:
        return await run.gather(bad, good, join=All())

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive()
    with pytest.raises(StepFailedError, match="bad"):
        await harness.revive({"/gather#0[1]/ask#0": "fine"})


async def test_a_failed_step_raises_the_same_error_now_and_on_replay() -> None:
    seen: list[tuple[str, str, str]] = []

    async def main(run: Run) -> str:
        try:
            await run.step(failing("no money"))
        except StepFailedError as error:
            seen.append((error.step, error.kind, error.detail))
        return await run.ask(ROLE, "?")

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive()
    await harness.revive({"/ask#0": "x"})
    assert seen == [("/fail#0", "ValueError", "no money")] * 2
    assert harness.ledger.ran == ["/fail#0"]


async def test_a_foreign_await_is_refused_with_advice() -> None:
    async def sleeps(run: Run) -> str:
        await asyncio.sleep(0)  # noqa: TID251  that is what is refused
        return "slept"

    async def waits(run: Run) -> str:
        return await asyncio.get_running_loop().create_future()

    for main in (sleeps, waits):
        with pytest.raises(ForeignAwaitError, match=r"run\.step"):
            await Harness(main).revive()


async def test_an_operation_of_another_run_is_foreign() -> None:
    other = Run(path="", frame=Harness(upper_main).frame())

    async def main(run: Run) -> str:
        return await other.step(upper, "a")

    with pytest.raises(ForeignAwaitError):
        await Harness(main).revive()


async def upper_main(run: Run) -> str:
    return await run.step(upper, "a")


async def test_what_a_finally_block_awaits_during_eviction_does_nothing() -> None:
    cleaned: list[str] = []

    async def main(run: Run) -> str:
        try:
            return await run.ask(ROLE, "?")
        finally:
            await run.step(upper, "never while hibernating")
            cleaned.append("finally ran")

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive()
    assert cleaned == ["finally ran"]
    assert harness.ledger.ran == []
    assert await harness.revive({"/ask#0": "ok"}) == "ok"
    assert harness.ledger.ran == ["/upper#0"]


async def test_time_random_and_uuid_are_the_same_after_revival() -> None:
    seen: list[tuple[datetime, float, UUID]] = []

    async def main(run: Run) -> str:
        seen.append((await run.now(), await run.random(), await run.uuid()))
        return await run.ask(ROLE, "?")

    clock = ManualClock()
    harness = Harness(main, clock=clock)
    with pytest.raises(Rested):
        await harness.revive()
    await clock.advance(ms=86_400_000)
    await harness.revive({"/ask#0": "x"})
    assert seen[0] == seen[1]


async def test_a_step_added_to_the_code_later_is_run() -> None:
    async def old(run: Run) -> str:
        await run.step(upper, "a")
        return await run.ask(ROLE, "?")

    async def new(run: Run) -> str:
        await run.step(other, "b")
        await run.step(upper, "a")
        return await run.ask(ROLE, "?")

    async def other(text: str) -> str:
        return text

    harness = Harness(old)
    with pytest.raises(Rested):
        await harness.revive()
    harness.main = new
    assert await harness.revive({"/ask#0": "x"}) == "x"
    assert harness.ledger.ran == ["/upper#0", "/other#0"]


async def test_a_limited_map_starts_no_more_steps_than_it_may_and_waits_free_their_slot() -> None:
    running = peak = 0

    async def work(item: int) -> int:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        running -= 1
        return item

    async def one(run: Run, item: int) -> int:
        await run.ask(ROLE, str(item))
        return await run.step(work, item)

    async def main(run: Run) -> list[int]:
        return await run.map(one, range(10), max_concurrency=2)

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive()
    assert len(harness.ledger.open_waits) == 10
    answers: dict[str, Any] = {f"/map#0[{index}]/ask#0": "ok" for index in range(10)}
    assert await harness.revive(answers) == list(range(10))
    assert peak <= 2


async def test_a_step_result_comes_back_as_its_type() -> None:
    async def fetch() -> Order:
        return Order(number=7, due=timedelta(days=1))

    async def main(run: Run) -> Order:
        order = await run.step(fetch)
        await run.ask(ROLE, "?")
        return order

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive()
    assert await harness.revive({"/ask#0": "x"}) == Order(number=7, due=timedelta(days=1))


async def test_a_result_that_cannot_be_stored_fails_where_it_happens() -> None:
    async def fetch() -> object:
        return object()

    async def main(run: Run) -> None:
        await run.step(fetch)

    with pytest.raises(StepFailedError) as caught:
        await Harness(main).revive()
    assert caught.value.cause_code == "step.unserializable"


async def test_empty_groups_end_at_once() -> None:
    async def main(run: Run) -> list[str]:
        return await run.gather(join=FailFast())

    assert await Harness(main).revive() == []


async def test_nested_groups_close_at_any_depth() -> None:
    async def leaf(run: Run) -> str:
        return await run.ask(ROLE, "leaf")

    async def middle(run: Run) -> list[str]:
        return await run.gather(leaf, leaf)

    async def breaks(run: Run) -> str:
        await run.ask(ROLE, "break?")
        raise ValueError("broken")

    async def main(run: Run) -> str:
        try:
            await run.gather(middle, breaks, join=FailFast())
        except ValueError:
            return "closed"
        return "never"

    harness = Harness(main)
    with pytest.raises(Rested):
        await harness.revive()
    assert await harness.revive({"/gather#0[1]/ask#0": "x"}) == "closed"
    assert sorted(harness.ledger.withdrawn) == ["/gather#0[0]/gather#0[0]/ask#0", "/gather#0[0]/gather#0[1]/ask#0"]


async def test_partial_functions_keep_their_name_in_keys() -> None:
    async def main(run: Run) -> str:
        return await run.step(partial(upper, "a"))

    harness = Harness(main)
    assert await harness.revive() == "A"
    assert harness.ledger.ran == ["/upper#0"]


class Held:
    """Something that durable code holds."""


@pytest.mark.parametrize("ends", [True, False])
async def test_what_is_put_away_is_freed_at_once_and_not_by_a_garbage_collection(ends: bool) -> None:
    """A ring of objects in each pass costs a service a twentieth of its time, in collections."""
    held: list[weakref.ref[Held]] = []

    async def one(run: Run, thing: Held) -> str:
        held.append(weakref.ref(thing))
        return "done" if ends else await run.ask(ROLE, "?")

    async def main(run: Run) -> list[list[str]]:
        return await run.gather(lambda run: run.map(one, [Held(), Held()]))

    gc.disable()
    try:
        try:
            assert await Harness(main).revive() == [["done", "done"]]
        except Rested:
            assert not ends
        assert [thing() for thing in held] == [None, None]
    finally:
        gc.enable()
