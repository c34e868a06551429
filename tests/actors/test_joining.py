"""Joins in the driver: who is closed when, what comes of it, and that a replay decides the same."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from overwinter.actors.asks import JsonValue
from overwinter.actors.joins import All, FailFast, First, JoinRule, Need, Quorum, QuorumGroups
from overwinter.actors.operations import WaitResult
from overwinter.actors.run import Run
from overwinter.actors.step_errors import JoinDeadlineError, QuorumNotReachedError, StepFailedError
from overwinter.channels.roles import Answerer, QuestionRole

from .harness import Harness, Main, Nested, Rested, failing, upper

ROLE = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


class VetoError(Exception):
    pass


class HardVetoError(VetoError):
    pass


async def vote(run: Run, name: str) -> str:
    answer = await run.ask(ROLE, name)
    if answer == "veto":
        raise VetoError(name)
    return f"{name}:{answer}"


def votes(count: int) -> list[Callable[[Run], Coroutine[Any, Any, str]]]:
    return [partial(vote, name=name) for name in "abcdefgh"[:count]]


def asked(*indices: int, join: str = "gather") -> list[str]:
    return [f"/{join}#0[{index}]/ask#0" for index in indices]


async def rests(harness: Harness, answers: dict[str, JsonValue] | None = None, **more: Any) -> None:
    with pytest.raises(Rested):
        await harness.revive(answers, **more)


def voting(rule: JoinRule, count: int, **settings: Any) -> Main:
    async def main(run: Run) -> Any:
        joined = await run.collect(*votes(count), join=rule, **settings)
        return joined.results, joined.indices, joined.group

    return main


@pytest.mark.behaviour("G36")
async def test_a_quorum_succeeds_as_soon_as_enough_are_done_and_withdraws_the_rest() -> None:
    harness = Harness(voting(Quorum(2), 4))
    await rests(harness)
    await rests(harness, {"/collect#0[3]/ask#0": "yes"})
    assert await harness.revive({"/collect#0[1]/ask#0": "yes"}) == (["b:yes", "d:yes"], (1, 3), None)
    assert harness.ledger.withdrawn == ["/collect#0[0]/ask#0", "/collect#0[2]/ask#0"]
    assert harness.ledger.open_waits == set()


@pytest.mark.behaviour("G50")
async def test_a_quorum_that_cannot_be_reached_fails_at_once_with_the_first_failure_as_cause() -> None:
    harness = Harness(voting(Quorum(2), 3))
    await rests(harness)
    await rests(harness, {"/collect#0[2]/ask#0": "veto"})
    with pytest.raises(QuorumNotReachedError, match="2 are needed; 0 of 3 branches are done, 2 have failed") as caught:
        await harness.revive({"/collect#0[1]/ask#0": "veto"})
    assert caught.value.code == "join.quorum-not-reached"
    assert isinstance(caught.value.__cause__, VetoError)
    assert caught.value.__cause__.args == ("b",)
    assert harness.ledger.withdrawn == ["/collect#0[0]/ask#0"]


async def test_a_quorum_of_more_than_there_are_asks_nobody() -> None:
    harness = Harness(voting(Quorum(3), 2))
    with pytest.raises(QuorumNotReachedError, match="3 are needed"):
        await harness.revive()
    assert harness.ledger.open_waits == set()
    assert harness.ledger.withdrawn == []


async def test_a_quorum_with_a_most_goes_on_until_the_most_are_done_or_nobody_is_left() -> None:
    harness = Harness(voting(Quorum(1, max=2), 3))
    await rests(harness)
    await rests(harness, {"/collect#0[0]/ask#0": "yes"})
    assert await harness.revive({"/collect#0[2]/ask#0": "no"}) == (["a:yes", "c:no"], (0, 2), None)
    harness = Harness(voting(Quorum(1, max=2), 2))
    await rests(harness)
    await rests(harness, {"/collect#0[0]/ask#0": "yes"})
    assert await harness.revive({"/collect#0[1]/ask#0": "veto"}) == (["a:yes"], (0,), None)


async def test_the_first_success_decides_and_failures_do_not() -> None:
    harness = Harness(voting(First(), 3))
    await rests(harness)
    await rests(harness, {"/collect#0[0]/ask#0": "veto"})
    assert await harness.revive({"/collect#0[2]/ask#0": "yes"}) == (["c:yes"], (2,), None)
    assert harness.ledger.withdrawn == ["/collect#0[1]/ask#0"]


async def test_if_all_fail_there_is_no_first_and_the_first_branchs_error_is_raised() -> None:
    harness = Harness(voting(First(), 2))
    await rests(harness)
    await rests(harness, {"/collect#0[1]/ask#0": "veto"})
    with pytest.raises(VetoError, match="a"):
        await harness.revive({"/collect#0[0]/ask#0": "veto"})


@pytest.mark.behaviour("G36")
async def test_the_group_that_has_its_need_wins_and_its_results_alone_count() -> None:
    rule = QuorumGroups({"board": Need(2, of=range(3)), "owner": Need(1, of=[3])})
    harness = Harness(voting(rule, 4))
    await rests(harness)
    await rests(harness, {"/collect#0[1]/ask#0": "yes"})
    assert await harness.revive({"/collect#0[3]/ask#0": "go"}) == (["d:go"], (3,), "owner")
    assert sorted(harness.ledger.withdrawn) == ["/collect#0[0]/ask#0", "/collect#0[2]/ask#0"]


async def test_groups_none_of_which_can_win_any_more_fail_at_once() -> None:
    rule = QuorumGroups({"board": Need(2, of=range(2)), "owner": Need(1, of=[2])})
    harness = Harness(voting(rule, 4))
    await rests(harness)
    await rests(harness, {"/collect#0[0]/ask#0": "veto"})
    with pytest.raises(QuorumNotReachedError, match="board needs 2 of 2 and has 0, owner needs 1 of 1 and has 0"):
        await harness.revive({"/collect#0[2]/ask#0": "veto"})


async def test_a_group_that_names_a_branch_which_is_not_there_is_refused_where_it_is_written() -> None:
    with pytest.raises(ValueError, match="group owner names branch 3"):
        await Harness(voting(QuorumGroups({"owner": Need(1, of=[3])}), 3)).revive()


# -- deadlines -------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G36")
@pytest.mark.parametrize("rule", [All(), FailFast(), First(), Quorum(2)])
async def test_a_deadline_closes_what_is_not_ended_and_the_execution_goes_on(rule: JoinRule) -> None:
    async def main(run: Run) -> str:
        try:
            await run.gather(*votes(3), join=rule, deadline=timedelta(days=3))
        except JoinDeadlineError as error:
            return f"{error.code} {await run.step(upper, 'went on')}"
        return "never"

    harness = Harness(main)
    await rests(harness)
    assert harness.ledger.open_waits == {"/gather#0", *asked(0, 1, 2)}
    assert await harness.revive(fired=["/gather#0"]) == "join.deadline-passed WENT ON"
    assert sorted(harness.ledger.withdrawn) == asked(0, 1, 2)
    assert harness.ledger.open_waits == set()


async def test_at_its_deadline_a_quorum_that_has_enough_succeeds() -> None:
    harness = Harness(voting(Quorum(1, max=3), 3, deadline=timedelta(hours=1)))
    await rests(harness)
    await rests(harness, {"/collect#0[1]/ask#0": "yes"})
    assert await harness.revive(fired=["/collect#0"]) == (["b:yes"], (1,), None)


async def test_what_has_been_answered_when_the_deadline_decides_still_counts() -> None:
    harness = Harness(voting(Quorum(2), 2, deadline=timedelta(hours=1)))
    await rests(harness)
    answers: dict[str, JsonValue] = {"/collect#0[0]/ask#0": "x", "/collect#0[1]/ask#0": "y"}
    assert await harness.revive(answers, fired=["/collect#0"]) == (["a:x", "b:y"], (0, 1), None)


async def test_a_join_that_is_decided_otherwise_takes_its_timer_back() -> None:
    async def main(run: Run) -> str:
        await run.gather(*votes(2), join=First(), deadline=timedelta(hours=1))
        return await run.ask(ROLE, "and now?")

    harness = Harness(main)
    await rests(harness)
    await rests(harness, {"/gather#0[0]/ask#0": "yes"})
    assert sorted(harness.ledger.withdrawn) == ["/gather#0", "/gather#0[1]/ask#0"]
    assert harness.ledger.open_waits == {"/ask#0"}


async def test_a_join_that_is_decided_before_anybody_waits_never_had_a_timer() -> None:
    async def at_once(run: Run) -> str:
        return "done"

    async def main(run: Run) -> list[str]:
        return await run.gather(at_once, *votes(1), join=First(), deadline=timedelta(hours=1))

    harness = Harness(main)
    assert await harness.revive() == ["done"]
    assert harness.ledger.withdrawn == []


async def test_a_deadline_at_any_depth_closes_its_own_join_alone() -> None:
    async def inner(run: Run) -> str:
        try:
            await run.gather(*votes(2), deadline=timedelta(hours=1))
        except JoinDeadlineError:
            return "late"
        return "never"

    async def main(run: Run) -> list[Any]:
        return await run.gather(inner, *votes(1), deadline=timedelta(days=1))

    harness = Harness(main)
    await rests(harness)
    await rests(harness, fired=["/gather#0[0]/gather#0"])
    assert sorted(harness.ledger.withdrawn) == ["/gather#0[0]/gather#0[0]/ask#0", "/gather#0[0]/gather#0[1]/ask#0"]
    assert await harness.revive({"/gather#0[1]/ask#0": "yes"}) == ["late", "a:yes"]


async def test_a_deadline_that_an_operator_cancels_leaves_its_join_without_any() -> None:
    harness = Harness(voting(All(), 1, deadline=timedelta(hours=1)))
    await rests(harness)
    harness.ledger.recall.waits["/collect#0"] = WaitResult(resolution="cancelled", answer=None, responder="ops")
    harness.ledger.open_waits.discard("/collect#0")
    await rests(harness)
    assert harness.ledger.open_waits == {"/collect#0[0]/ask#0"}
    assert await harness.revive({"/collect#0[0]/ask#0": "yes"}) == (["a:yes"], (0,), None)


# -- errors ----------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G50")
async def test_a_handler_takes_over_the_branch_that_failed_and_no_other() -> None:
    async def excuse(run: Run, error: Exception) -> str:
        return f"excused {error} {await run.ask(ROLE, 'excuse?')} {await run.step(upper, 'x')}"

    async def main(run: Run) -> list[str]:
        return await run.gather(*votes(2), join=FailFast(), on_error={VetoError: excuse})

    harness = Harness(main)
    await rests(harness)
    await rests(harness, {"/gather#0[0]/ask#0": "veto"})
    assert harness.ledger.withdrawn == []
    assert "/gather#0[0]/on_error/ask#0" in harness.ledger.open_waits
    await rests(harness, {"/gather#0[0]/on_error/ask#0": "fine"})
    assert await harness.revive({"/gather#0[1]/ask#0": "yes"}) == ["excused a fine X", "b:yes"]


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_handler_is_found_by_the_cause_chain_of_a_step_now_and_on_replay(restarts: bool) -> None:
    async def reject() -> str:
        try:
            raise HardVetoError("no")
        except HardVetoError as error:
            raise RuntimeError("could not") from error

    async def branch(run: Run) -> str:
        return await run.step(reject)

    async def wrong(run: Run, error: Exception) -> str:
        return "wrong"

    async def right(run: Run, error: Exception) -> str:
        assert isinstance(error, StepFailedError)
        return f"{error.kind} {error.is_caused_by(VetoError)} {await run.ask(ROLE, '?')}"

    async def main(run: Run) -> list[str]:
        return await run.map(lambda run, _: branch(run), [1], on_error={KeyError: wrong, VetoError: right})

    harness = Harness(main)
    answers: dict[str, JsonValue] = {"/map#0[0]/on_error/ask#0": "ok"}
    if restarts:
        await rests(harness)
    assert await harness.revive(answers) == ["RuntimeError True ok"]
    assert harness.ledger.ran == ["/map#0[0]/reject#0"]


async def test_of_two_handlers_that_fit_the_first_named_is_taken() -> None:
    async def one(run: Run, error: Exception) -> str:
        return "one"

    async def two(run: Run, error: Exception) -> str:
        return "two"

    async def fail(run: Run) -> str:
        raise HardVetoError("x")

    async def main(run: Run) -> list[str]:
        first = await run.gather(fail, on_error={VetoError: one, HardVetoError: two})
        return first + await run.gather(fail, on_error={HardVetoError: two, VetoError: one})

    assert await Harness(main).revive() == ["one", "two"]


async def test_an_error_that_no_handler_fits_fails_its_branch() -> None:
    async def never(run: Run, error: Exception) -> str:
        return "never"

    async def main(run: Run) -> list[str]:
        return await run.gather(lambda run: run.step(failing("plain")), on_error={KeyError: never})

    with pytest.raises(StepFailedError, match="plain") as caught:
        await Harness(main).revive()
    assert caught.value.is_caused_by(ValueError)
    assert caught.value.is_caused_by(Exception)
    assert not caught.value.is_caused_by(KeyError)


async def test_a_step_recorded_before_causes_were_is_known_by_its_own_name() -> None:
    old = StepFailedError(step="/x#0", kind="ValueError", detail="")
    assert old.is_caused_by(ValueError)
    assert not old.is_caused_by(Exception)
    assert StepFailedError(step="/x#0", kind=f"{__name__}.VetoError", detail="").is_caused_by(VetoError)
    coded = StepFailedError(step="/x#0", kind="JoinDeadlineError", detail="", cause_code="join.deadline-passed")
    assert coded.is_caused_by(JoinDeadlineError)


async def test_a_cause_chain_ends_however_it_is_made() -> None:
    async def tangle() -> str:
        first, second = ValueError("first"), KeyError("second")
        first.__cause__, second.__cause__ = second, first
        raise ExceptionGroup("several", [first, OSError("third")])

    async def main(run: Run) -> list[bool]:
        try:
            await run.step(tangle)
        except StepFailedError as error:
            return [error.is_caused_by(each) for each in (ExceptionGroup, ValueError, KeyError, OSError, TypeError)]
        return []

    assert await Harness(main).revive() == [True, True, True, True, False]


# -- replay ----------------------------------------------------------------------------------------------------------------
async def _all(run: Run) -> Any:
    return await run.gather(*votes(3))


async def _fail_fast(run: Run) -> Any:
    try:
        return await run.gather(*votes(4), join=FailFast())
    except VetoError as error:
        return [str(error), await run.step(upper, "after")]


async def _quorum(run: Run) -> Any:
    joined = await run.collect(*votes(4), join=Quorum(2), deadline=timedelta(days=1))
    return [joined.results, list(joined.indices), await run.step(upper, "after")]


async def _most(run: Run) -> Any:
    return await run.gather(*votes(3), join=Quorum(1, max=2))


async def _groups(run: Run) -> Any:
    rule = QuorumGroups({"all": Need(3, of=range(3)), "two": Need(2, of=[0, 1])})
    joined = await run.collect(*votes(3), join=rule)
    return [joined.group, joined.results]


async def _unreachable(run: Run) -> Any:
    try:
        return await run.gather(*votes(3), join=Quorum(3))
    except QuorumNotReachedError as error:
        return [str(error), str(error.__cause__)]


async def _nested(run: Run) -> Any:
    async def inner(run: Run, name: str) -> Any:
        first = await run.gather(*votes(2), join=First(), deadline=timedelta(hours=1))
        return [name, await run.step(upper, name), first]

    return await run.gather(partial(inner, name="x"), partial(inner, name="y"), *votes(2), join=Quorum(3))


async def _children(run: Run) -> Any:
    return await run.gather(
        lambda run: run.workflow(PARENT, "x"), lambda run: run.workflow(PARENT, "y"), *votes(1), join=Quorum(2)
    )


async def parent(run: Run, name: str) -> Any:
    return [await run.workflow(CHILD, name), await run.step(upper, name)]


async def child(run: Run, name: str) -> Any:
    return await run.gather(*votes(2), join=First())


PARENT, CHILD = Nested(parent), Nested(child)


async def _say(harness: Harness, key: str = "", word: str = "") -> Any:
    """Answer one question, or let a deadline pass; how the code stands then."""
    answers: dict[str, JsonValue] = {key: word} if word not in ("", "late") else {}
    try:
        return await harness.revive(answers, fired=[key] if word == "late" else [])
    except Rested:
        return "rested"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.behaviour("G35")
@pytest.mark.parametrize(
    ("main", "say"),
    [
        (_all, ["yes", "veto", "yes"]),
        (_fail_fast, ["yes", "veto", "yes"]),
        (_fail_fast, ["yes", "yes", "yes", "yes"]),
        (_quorum, ["veto", "yes", "no"]),
        (_quorum, ["veto", "veto", "veto"]),
        (_quorum, ["yes", "late"]),
        (_most, ["yes", "no"]),
        (_groups, ["yes", "yes", "yes"]),
        (_groups, ["yes", "veto", "yes"]),
        (_unreachable, ["yes", "veto"]),
        (_nested, ["yes", "yes", "yes", "yes"]),
        (_nested, ["veto", "late", "yes", "yes", "yes"]),
        (_nested, ["late", "late"]),
        (_children, ["yes", "yes", "yes"]),
        (_children, ["veto", "veto", "yes", "yes"]),
    ],
)
@pytest.mark.parametrize("first", [True, False])
async def test_a_replay_from_any_point_comes_to_the_same(main: Main, say: list[str], first: bool) -> None:
    """Answer one open question after another, the first or the last one; then again, from each point on the way."""
    harness = Harness(main, children=[PARENT, CHILD])
    script: list[tuple[str, str]] = []
    outcome = await _say(harness)
    for word in say:
        if outcome != "rested":
            break
        is_wanted = sorted(key for key in harness.ledger.open_waits if ("ask#" in key) == (word != "late"))
        script.append((is_wanted[0 if first else -1], word))
        outcome = await _say(harness, *script[-1])
    assert outcome != "rested"
    for commit in harness.commits:
        again = Harness(main, children=[PARENT, CHILD])
        again.ledger = commit.copy()
        ended = await _say(again)
        for key, word in script:
            if key in again.ledger.open_waits:
                ended = await _say(again, key, word)
        assert ended == outcome
        assert sorted(again.ledger.withdrawn) == sorted(harness.ledger.withdrawn)
        assert sorted(again.ledger.ran) == sorted(harness.ledger.ran)
        assert sorted(again.ledger.children) == sorted(harness.ledger.children)
