"""Joins over a real database: who is asked, who is told that it is not needed any more, and what goes on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.asks import JsonValue
from overwinter.actors.errors import PauseNotPendingError
from overwinter.actors.events import EventKind
from overwinter.actors.joins import FailFast, First, Need, Quorum, QuorumGroups
from overwinter.actors.jsontext import from_json
from overwinter.actors.run import Run
from overwinter.actors.step_errors import JoinDeadlineError, QuorumNotReachedError, StepFailedError
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.store.rows import PauseRow, PauseStatus

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)

ran: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_has_run() -> None:
    ran.clear()


async def note(text: str) -> str:
    ran.append(text)
    return text


async def vote(run: Run, name: str) -> str:
    answer = await run.ask(DIRECTOR, name)
    if answer == "veto":
        raise PermissionError(name)
    return await run.step(note, f"{name} {answer}")


def votes(names: str) -> list[Callable[[Run], Any]]:
    return [partial(vote, name=name) for name in names]


@workflow(version="1")
async def quorum(run: Run) -> list[Any]:
    try:
        joined = await run.collect(*votes("abcd"), join=Quorum(2), deadline=timedelta(days=3))
    except (QuorumNotReachedError, JoinDeadlineError) as error:
        return [error.code, str(error), await run.ask(DIRECTOR, "and now?")]
    return [list(joined.indices), joined.results, await run.ask(DIRECTOR, "and now?")]


@workflow(version="1")
async def groups(run: Run) -> list[Any]:
    rule = QuorumGroups({"board": Need(2, of=range(3)), "owner": Need(1, of=[3])})
    joined = await run.collect(*votes("abcd"), join=rule)
    return [joined.group, joined.results]


@workflow(version="1")
async def enough(run: Run) -> list[str]:
    return await run.gather(*votes("abc"), join=Quorum(1, max=3), deadline=timedelta(days=3))


@workflow(version="1")
async def plain(run: Run) -> list[str]:
    return await run.map(lambda run, name: run.ask(DIRECTOR, name), "abc", deadline=timedelta(days=3))


@workflow(version="1")
async def first(run: Run) -> list[str]:
    results = await run.gather(*votes("abc"), join=First(), deadline=timedelta(days=3))
    return [*results, await run.ask(DIRECTOR, "and now?")]


@workflow(version="1")
async def fail_fast(run: Run) -> str:
    async def inner(run: Run) -> list[str]:
        return await run.gather(*votes("ab"))

    try:
        await run.gather(inner, *votes("c"), join=FailFast())
    except PermissionError as error:
        return f"{error} {await run.step(note, 'went on')}"
    return "never"


@workflow(version="1")
async def handled(run: Run) -> list[str]:
    async def connect() -> str:
        raise ConnectionError("down")

    async def branch(run: Run) -> str:
        await run.ask(DIRECTOR, "connect?")
        return await run.step(connect)

    async def recover(run: Run, error: Exception) -> str:
        assert isinstance(error, StepFailedError)
        return f"{error.detail} {await run.ask(DIRECTOR, 'recover?')}"

    return await run.gather(branch, *votes("b"), join=FailFast(), on_error={OSError: recover})


def kit_of(tmp_path: Path, channel: RecordingChannel | None = None) -> Kit:
    channel = channel or RecordingChannel()
    flows = [quorum, groups, enough, plain, first, fail_fast, handled]
    return Kit(build=lambda: App(name="w", workflows=flows, channels={DIRECTOR: channel}), path=tmp_path / "w.db")


async def asked(kit: Kit, prompt: str) -> PauseRow:
    for row in await kit.pending():
        if row.kind == "ask" and from_json(row.ask_json)["prompt"] == prompt:
            return row
    raise LookupError(prompt)


async def say(kit: Kit, prompt: str, answer: JsonValue) -> None:
    """Answer one question between two restarts."""
    await kit.restart()
    await kit.answer(await asked(kit, prompt), decision=answer)
    await kit.restart()


async def record(kit: Kit, pause: PauseRow, answer: JsonValue) -> None:
    """Answer while no supervisor works."""
    await kit.runtime.answering.answer(
        tenant=kit.tenant,
        pause_id=pause.pause_id,
        answer=Decision(value=answer),
        credential=ChannelCredential(answered_by="mara"),
    )


def withdrawn(channel: RecordingChannel) -> list[str]:
    return sorted(each.ask.prompt for each in channel.withdrawals if each.why == "withdrawn")


async def still_open(kit: Kit) -> list[str]:
    return sorted(from_json(row.ask_json)["prompt"] if row.kind == "ask" else row.kind for row in await kit.pending())


@pytest.mark.behaviour("G36")
async def test_a_decided_quorum_withdraws_the_rest_and_late_answers_are_told(tmp_path: Path) -> None:
    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel)
    async with kit.running():
        session_id = await kit.start("quorum", {})
        assert await still_open(kit) == ["a", "b", "c", "d", "timer"]
        slow = await asked(kit, "a")
        await say(kit, "d", "yes")
        assert await still_open(kit) == ["a", "b", "c", "timer"]
        await say(kit, "b", "no")
        assert await still_open(kit) == ["and now?"]
        assert withdrawn(channel) == ["a", "c"]
        with pytest.raises(PauseNotPendingError, match="withdrawn") as caught:
            await kit.answer(slow, decision="yes")
        assert caught.value.code == "pause.not-pending"
        await kit.advance(timedelta(days=4))
        assert await still_open(kit) == ["and now?"]
        await say(kit, "and now?", "go")
        assert await kit.outcome(session_id) == {"result": [[1, 3], ["b no", "d yes"], "go"]}
    assert ran == ["d yes", "b no"]


@pytest.mark.behaviour("G50")
async def test_a_quorum_that_cannot_be_reached_withdraws_the_rest_and_says_why(tmp_path: Path) -> None:
    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel)
    async with kit.running():
        session_id = await kit.start("quorum", {})
        for name in "acd":
            await say(kit, name, "veto")
        assert withdrawn(channel) == ["b"]
        await say(kit, "and now?", "go")
        outcome: Any = await kit.outcome(session_id)
        code, text, then = outcome["result"]
        assert (code, then) == ("join.quorum-not-reached", "go")
        assert text.endswith("2 are needed; 0 of 4 branches are done, 3 have failed")


@pytest.mark.behaviour("G36")
@pytest.mark.parametrize("asleep", [True, False])
async def test_a_deadline_fires_while_everything_sleeps_and_withdraws_the_questions(
    tmp_path: Path, asleep: bool
) -> None:
    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel)
    async with kit.running():
        session_id = await kit.start("quorum", {})
        late = await asked(kit, "a")
        await say(kit, "b", "yes")
        await kit.advance(timedelta(days=2, hours=23))
        assert await still_open(kit) == ["a", "c", "d", "timer"]
        if asleep:  # the time passes while no process runs
            await kit.close()
            await kit.clock.advance(ms=3_600_000)
            await kit.open()
            await kit.settle()
        else:
            await kit.advance(timedelta(hours=1))
        assert await still_open(kit) == ["and now?"]
        assert withdrawn(channel) == ["a", "c", "d"]
        with pytest.raises(PauseNotPendingError, match="withdrawn"):
            await kit.answer(late, decision="yes")
        await say(kit, "and now?", "go")
        outcome: Any = await kit.outcome(session_id)
        assert outcome["result"][0] == "join.deadline-passed"
        assert "1 of 4 branches are done" in outcome["result"][1]


@pytest.mark.behaviour("G36")
async def test_at_its_deadline_a_quorum_with_enough_goes_on_with_what_it_has(tmp_path: Path) -> None:
    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel)
    async with kit.running():
        session_id = await kit.start("enough", {})
        await say(kit, "c", "yes")
        assert (await kit.session(session_id)).status == "waiting"
        await kit.advance(timedelta(days=3))
        assert await kit.outcome(session_id) == {"result": ["c yes"]}
        assert withdrawn(channel) == ["a", "b"]


@pytest.mark.behaviour("G36")
async def test_an_answer_recorded_before_the_deadline_counts_though_both_are_found_together(tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    async with kit.running():
        session_id = await kit.start("plain", {})
        answers = [await asked(kit, name) for name in "abc"]
        kit.runtime.supervisor.stop()
        for pause in answers:
            await record(kit, pause, "yes")
        (timer,) = await kit.pending()
        await kit.clock.advance(ms=int(timedelta(days=4).total_seconds() * 1000))
        assert await kit.runtime.answering.pass_deadline(timer)
        await kit.restart()
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": ["yes", "yes", "yes"]}


@pytest.mark.behaviour("G36")
async def test_the_first_group_that_has_its_need_wins(tmp_path: Path) -> None:
    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel)
    async with kit.running():
        session_id = await kit.start("groups", {})
        await say(kit, "a", "yes")
        await say(kit, "d", "go")
        assert await kit.outcome(session_id) == {"result": ["owner", ["d go"]]}
        assert withdrawn(channel) == ["b", "c"]


@pytest.mark.behaviour("G35")
@pytest.mark.case("du20")
async def test_a_failing_branch_closes_the_rest_at_any_depth_in_the_same_transaction(tmp_path: Path) -> None:
    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel)
    async with kit.running():
        session_id = await kit.start("fail_fast", {})
        await say(kit, "a", "yes")
        await say(kit, "c", "veto")
        assert await kit.outcome(session_id) == {"result": "c went on"}
        assert withdrawn(channel) == ["b"]
        timeline = await kit.timeline(session_id)
        decided = next(event for event in timeline.events if event.kind == EventKind.JOIN_DECIDED)
        closed = [event for event in timeline.events if event.kind == EventKind.PAUSE_CLOSED]
        assert [event.at_ms for event in closed] == [decided.at_ms]
        assert {row.status for row in timeline.pauses} == {PauseStatus.TAKEN, PauseStatus.CANCELLED}
    assert ran == ["a yes", "went on"]


async def test_the_first_success_takes_the_timer_back(tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    async with kit.running():
        session_id = await kit.start("first", {})
        await say(kit, "a", "veto")
        assert await still_open(kit) == ["b", "c", "timer"]
        await say(kit, "c", "yes")
        assert await still_open(kit) == ["and now?"]
        await kit.advance(timedelta(days=9))
        await say(kit, "and now?", "go")
        assert await kit.outcome(session_id) == {"result": ["c yes", "go"]}


async def test_a_handler_asks_in_the_branch_that_failed(tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    async with kit.running():
        session_id = await kit.start("handled", {})
        await say(kit, "connect?", "yes")
        assert await still_open(kit) == ["b", "recover?"]
        await say(kit, "recover?", "fine")
        await say(kit, "b", "yes")
        assert await kit.outcome(session_id) == {"result": ["down fine", "b yes"]}


@pytest.mark.behaviour("G35")
async def test_an_answer_to_a_question_that_a_decision_takes_back_is_settled_all_the_same(tmp_path: Path) -> None:
    """Both are answered before anybody looks: one fails the join, and the other one's answer is not left lying about."""
    kit = kit_of(tmp_path)
    async with kit.running():
        session_id = await kit.start("fail_fast", {})
        kit.runtime.supervisor.stop()
        for name, word in (("c", "veto"), ("b", "yes")):
            await record(kit, await asked(kit, name), word)
        await kit.restart()
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": "c went on"}
        statuses = {row.key: row.status for row in (await kit.timeline(session_id)).pauses}
        assert statuses == {
            "/gather#0[0]/gather#0[0]/ask#0": PauseStatus.CANCELLED,
            "/gather#0[0]/gather#0[1]/ask#0": PauseStatus.TAKEN,
            "/gather#0[1]/ask#0": PauseStatus.TAKEN,
        }
