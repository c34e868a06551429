"""Children over a real database: executions of their own, whose questions are the session's."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from overwinter.actors.errors import PauseNotPendingError
from overwinter.actors.events import EventKind
from overwinter.actors.joins import FailFast, First, Quorum
from overwinter.actors.jsontext import from_json
from overwinter.actors.run import Run
from overwinter.actors.step_errors import ChildFailedError, ChildYieldsError, StepFailedError
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import ToolArgumentsError
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.bots.workflows import Workflow, workflow
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole
from overwinter.store.rows import ExecutionRow

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


class Report(BaseModel):
    name: str
    total: Decimal


class NoMoneyError(Exception):
    pass


ran: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_has_run() -> None:
    ran.clear()


async def note(text: str) -> str:
    ran.append(text)
    return text


@workflow(version="1")
async def leaf(run: Run, name: str) -> str:
    before = await run.step(note, f"before {name}")
    return f"{before}, {await run.ask(DIRECTOR, name)}, {await run.step(note, f'after {name}')}"


@workflow(version="1")
async def middle(run: Run, name: str) -> list[str]:
    return [await run.workflow(leaf, name), await run.step(note, f"middle {name}")]


@workflow(version="1")
async def top(run: Run, name: str) -> list[str]:
    return [*await run.workflow(middle, name=name), await run.step(note, "top")]


@workflow(version="1")
async def each(run: Run, names: list[str]) -> list[list[str]]:
    return await run.map(lambda run, name: run.workflow(middle, name), names)


@workflow(version="1")
async def typed(run: Run, name: str, total: Decimal, days: int = 2) -> Report:
    await run.sleep(timedelta(days=days))
    return Report(name=name, total=total)


@workflow(version="1")
async def uses_typed(run: Run) -> str:
    report = await run.workflow(typed, "may", total=Decimal("0.10"))
    await run.ask(DIRECTOR, "fine?")
    return f"{type(report).__name__} {report.name} {report.total}"


@workflow(version="1")
async def breaks(run: Run, name: str) -> str:
    async def pay() -> str:
        raise NoMoneyError(name)

    await run.ask(DIRECTOR, name)
    return await run.step(pay)


@workflow(version="1")
async def survives(run: Run) -> list[Any]:
    try:
        await run.workflow(breaks, "x")
    except ChildFailedError as error:
        told = [error.program, error.detail, error.is_caused_by(NoMoneyError), error.is_caused_by(KeyError)]
        return [*told, await run.ask(DIRECTOR, "and now?")]
    return []


@workflow(version="1")
async def one_fails(run: Run) -> str:
    try:
        await run.gather(lambda run: run.workflow(top, "a"), lambda run: run.workflow(breaks, "b"), join=FailFast())
    except ChildFailedError as error:
        return f"{error.program} {await run.ask(DIRECTOR, 'and now?')}"
    return "never"


@workflow(version="1")
async def late(run: Run) -> Any:
    joined = await run.collect(
        lambda run: run.workflow(top, "a"),
        lambda run: run.workflow(top, "b"),
        lambda run: run.workflow(top, "c"),
        join=Quorum(1, max=2),
        deadline=timedelta(days=3),
    )
    return [list(joined.indices), await run.step(note, "went on")]


FLOWS: Sequence[Workflow] = (leaf, middle, top, each, typed, uses_typed, breaks, survives, one_fails, late)


def kit_of(tmp_path: Path, *, channel: RecordingChannel | None = None, flows: Sequence[Workflow] = FLOWS) -> Kit:
    channel = channel or RecordingChannel()
    return Kit(build=lambda: App(name="w", workflows=flows, channels={DIRECTOR: channel}), path=tmp_path / "w.db")


async def root_of(kit: Kit, session_id: str) -> ExecutionRow:
    rows = (await kit.timeline(session_id)).executions
    return next(row for row in rows if row.parent_id is None)


async def result_of(kit: Kit, session_id: str) -> Any:
    outcome = (await root_of(kit, session_id)).outcome_json
    return None if outcome is None else from_json(outcome)


@pytest.mark.behaviour("G4")
async def test_a_question_three_deep_is_listed_at_the_session_and_everybody_goes_on_after_it(tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    async with kit.running():
        session_id = await kit.start("top", "x")
        await kit.restart()
        (question,) = await kit.pending(session_id)
        rows = {row.program: row for row in (await kit.timeline(session_id)).executions}
        assert question.execution_id == rows["leaf"].execution_id
        assert question.key == "/ask#0"
        assert rows["leaf"].parent_id == rows["middle"].execution_id
        assert rows["middle"].parent_id == rows["top"].execution_id
        assert {row.status for row in rows.values()} == {"running"}
        answered = await kit.answer(question, decision="yes")
        assert answered.execution_id == rows["leaf"].execution_id
        assert await result_of(kit, session_id) == {"result": ["before x, yes, after x", "middle x", "top"]}
        timeline = await kit.timeline(session_id)
        assert {row.status for row in timeline.executions} == {"ended"}
        assert {row.program: from_json(row.outcome_json or "") for row in timeline.executions}["leaf"] == {
            "result": "before x, yes, after x"
        }
        assert (await kit.session(session_id)).status == "ended"
    assert ran == ["before x", "after x", "middle x", "top"]


@pytest.mark.behaviour("G4")
@pytest.mark.behaviour("G5")
async def test_children_of_a_map_take_their_own_answers_whatever_the_order_and_the_restarts(tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    async with kit.running():
        session_id = await kit.start("each", {"names": ["a", "b", "c"]})
        for name in ("c", "a", "b"):
            await kit.restart()
            assert (await kit.session(session_id)).status == "waiting"
            asked = {from_json(row.ask_json)["prompt"]: row for row in await kit.pending(session_id)}
            await kit.answer(asked[name], decision=f"yes {name}")
        assert await result_of(kit, session_id) == {
            "result": [[f"before {name}, yes {name}, after {name}", f"middle {name}"] for name in "abc"]
        }
        opened = [row for row in (await kit.timeline(session_id)).events if row.kind == EventKind.PAUSE_OPENED]
        assert [(from_json(row.body_json)["prompt"], from_json(row.body_json)["item"]) for row in opened] == [
            ("a", 0),
            ("b", 1),
            ("c", 2),
        ]
    assert sorted(ran) == sorted(f"{what} {name}" for name in "abc" for what in ("before", "after", "middle"))


async def test_a_childs_result_comes_back_as_its_type_and_its_own_sleep_is_the_sessions(tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    async with kit.running():
        session_id = await kit.start("uses_typed", {})
        await kit.restart()
        await kit.advance(timedelta(days=2))
        await kit.restart()
        await kit.answer("director", decision="yes")
        assert await result_of(kit, session_id) == {"result": "Report may 0.10"}


async def test_a_child_that_has_ended_is_needed_no_more_by_a_replay(tmp_path: Path) -> None:
    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel=channel)
    async with kit.running():
        session_id = await kit.start("uses_typed", {})
        await kit.advance(timedelta(days=2))
        kit._build = lambda: App(name="w", workflows=[uses_typed], channels={DIRECTOR: channel})  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        loaded = await kit.store.load(session_id)
        assert loaded is not None
        assert [row.program for row in loaded.executions] == ["uses_typed"]
        await kit.answer("director", decision="yes")
        assert await result_of(kit, session_id) == {"result": "Report may 0.10"}


async def test_a_failed_child_raises_in_its_parent_the_same_after_a_restart(tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    async with kit.running():
        session_id = await kit.start("survives", {})
        await kit.answer("director", decision="yes")
        child = next(row for row in (await kit.timeline(session_id)).executions if row.program == "breaks")
        assert child.status == "failed"
        assert from_json(child.outcome_json or "")["code"] == "step.failed"
        await kit.restart()
        await kit.answer("director", decision="on")
        assert await result_of(kit, session_id) == {"result": ["breaks", "x", True, False, "on"]}


async def test_a_childs_failure_that_nobody_handles_fails_the_session_under_its_code(tmp_path: Path) -> None:
    @workflow(version="1")
    async def fails(run: Run) -> str:
        return await run.workflow(breaks, "x")

    kit = kit_of(tmp_path, flows=[fails, breaks])
    async with kit.running():
        session_id = await kit.start("fails", {})
        await kit.answer("director", decision="yes")
        session = await kit.session(session_id)
        assert session.status == "failed"
        assert ChildFailedError.code == "child.failed"
        assert session.reason == "step.failed: x"


@pytest.mark.behaviour("G35")
async def test_a_failing_child_closes_its_siblings_children_and_their_questions_at_any_depth(tmp_path: Path) -> None:
    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel=channel)
    async with kit.running():
        session_id = await kit.start("one_fails", {})
        await kit.restart()
        deep = next(row for row in await kit.pending() if from_json(row.ask_json)["prompt"] == "a")
        failing = next(row for row in await kit.pending() if from_json(row.ask_json)["prompt"] == "b")
        await kit.answer(failing, decision="yes")
        statuses = {row.program: row.status for row in (await kit.timeline(session_id)).executions}
        assert statuses == {
            "one_fails": "running",
            "top": "cancelled",
            "middle": "cancelled",
            "leaf": "cancelled",
            "breaks": "failed",
        }
        with pytest.raises(PauseNotPendingError, match="withdrawn"):
            await kit.answer(deep, decision="yes")
        assert [(each.ask.pause_id, each.why) for each in channel.withdrawals if each.why == "withdrawn"] == [
            (deep.pause_id, "withdrawn")
        ]
        assert [from_json(row.ask_json)["prompt"] for row in await kit.pending()] == ["and now?"]
        await kit.restart()
        await kit.answer("director", decision="ok")
        assert await result_of(kit, session_id) == {"result": "breaks ok"}
    assert "after a" not in ran


@pytest.mark.behaviour("G36")
async def test_a_deadline_closes_children_while_everything_sleeps(tmp_path: Path) -> None:
    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel=channel)
    async with kit.running():
        session_id = await kit.start("late", {})
        question = next(row for row in await kit.pending() if from_json(row.ask_json)["prompt"] == "b")
        await kit.answer(question, decision="yes")
        await kit.restart()
        assert (await kit.session(session_id)).status == "waiting"
        await kit.advance(timedelta(days=3))
        assert await result_of(kit, session_id) == {"result": [[1], "went on"]}
        assert await kit.pending() == ()
        rows = (await kit.timeline(session_id)).executions
        assert sorted(row.status for row in rows) == ["cancelled"] * 6 + ["ended"] * 4
    assert [withdrawal.why for withdrawal in channel.withdrawals] == ["decided", "withdrawn", "withdrawn"]


@pytest.mark.case("du17")
async def test_cancelling_the_session_cancels_its_children(tmp_path: Path) -> None:
    kit = kit_of(tmp_path)
    async with kit.running():
        session_id = await kit.start("top", "x")
        await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="stop")
        await kit.settle()
        timeline = await kit.timeline(session_id)
        assert {row.status for row in timeline.executions} == {"cancelled"}
        assert await kit.pending() == ()
        await kit.restart()
        await kit.settle()
        assert (await kit.session(session_id)).status == "cancelled"
    assert ran == ["before x"]


@pytest.mark.parametrize("what", ["gone", "changed"])
async def test_a_child_whose_code_is_not_as_it_was_blocks_the_session_before_anything_runs(
    tmp_path: Path, what: str
) -> None:
    @workflow(version="1")
    async def child(run: Run, name: str) -> str:
        return await run.ask(DIRECTOR, name)

    @workflow(version="1")
    async def parent(run: Run) -> list[str]:
        async def other(run: Run) -> str:
            return f"{await run.ask(DIRECTOR, 'other')} {await run.step(note, 'other went on')}"

        return await run.gather(lambda run: run.workflow(child, "x"), other)

    async def altered(run: Run, name: str, more: int) -> str:
        return name

    altered.__name__ = "child"
    flows: list[Workflow] = [parent] if what == "gone" else [parent, workflow(version="1")(altered)]
    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel=channel, flows=[parent, child])
    async with kit.running():
        session_id = await kit.start("parent", {})
        kit._build = lambda: App(name="w", workflows=flows, channels={DIRECTOR: channel})  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        await kit.answer(await kit.question(key="/gather#0[1]/ask#0"), decision="yes")
        session = await kit.session(session_id)
        assert session.status == "blocked"
        assert session.reason is not None
        assert session.reason.startswith("session.definition-changed: child version 1")
    assert ran == []


async def test_a_child_that_was_never_deployed_blocks_the_session_and_says_what_to_do(tmp_path: Path) -> None:
    kit = kit_of(tmp_path, flows=[top])
    async with kit.running():
        session_id = await kit.start("top", "x")
        session = await kit.session(session_id)
        assert session.status == "blocked"
        assert session.reason is not None
        assert (
            "middle version 1, which /middle#0 starts as a child, is not deployed; add it to the app" in session.reason
        )


async def test_arguments_that_do_not_fit_a_child_raise_in_the_parent(tmp_path: Path) -> None:
    raised: list[type[BaseException]] = []

    @workflow(version="1")
    async def parent(run: Run) -> str:
        wrong: Any = 7
        for call in (lambda: run.workflow(leaf, wrong), lambda: run.workflow(leaf, other=wrong)):  # pyright: ignore[reportCallIssue]
            try:
                await call()
            except (TypeError, ToolArgumentsError) as error:
                raised.append(type(error))
        return "went on"

    kit = kit_of(tmp_path, flows=[parent, leaf])
    async with kit.running():
        session_id = await kit.start("parent", {})
        assert await result_of(kit, session_id) == {"result": "went on"}
        assert len((await kit.timeline(session_id)).executions) == 1
    assert raised == [ToolArgumentsError, TypeError]


# -- agents ----------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G4")
@pytest.mark.behaviour("P25")
async def test_an_agent_as_a_child_asks_through_the_session_and_replies_to_its_parent(tmp_path: Path) -> None:
    approval = ApprovalRole(name="refunds", answered_by=Answerer.CHANNEL)

    @tool(asks=approval)
    async def refund(order: str) -> str:
        """Refund an order."""
        return await note(f"refunded {order}")

    script = ScriptedModel.by_turn([calls("refund", {"order": "7"}), says("It is refunded.")])
    writer = Agent(name="writer", tools=[refund], model=script)
    chatty = Agent(name="chatty", model=script, yields=True)

    @workflow(version="1")
    async def parent(run: Run) -> list[str]:
        try:
            await run.agent(chatty, "hello")
        except ChildYieldsError as error:
            return [error.code, await run.agent(writer, "refund order 7")]
        return []

    app = App(name="w", agents=[writer, chatty], workflows=[parent], channels={approval: RecordingChannel()})
    kit = Kit(build=lambda: app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("parent", {})
        (question,) = await kit.pending(session_id)
        assert question.key == "/gather#0[0]/approval#0"
        assert from_json(question.ask_json)["bot"] == "writer"
        await kit.restart()
        await kit.answer(question, decision={"approved": True})
        assert await result_of(kit, session_id) == {"result": ["child.yields", "It is refunded."]}
    assert ran == ["refunded 7"]
    assert [message.content for message in script.requests[0].messages] == ["refund order 7"]


async def test_the_first_of_two_children_wins_and_the_other_is_cancelled(tmp_path: Path) -> None:
    @workflow(version="1")
    async def race(run: Run) -> list[Any]:
        joined = await run.collect(
            lambda run: run.workflow(leaf, "slow"), lambda run: run.workflow(leaf, "fast"), join=First()
        )
        return [list(joined.indices), joined.results]

    kit = kit_of(tmp_path, flows=[race, leaf])
    async with kit.running():
        session_id = await kit.start("race", {})
        fast = next(row for row in await kit.pending() if from_json(row.ask_json)["prompt"] == "fast")
        await kit.answer(fast, decision="yes")
        assert await result_of(kit, session_id) == {"result": [[1], ["before fast, yes, after fast"]]}
        rows = (await kit.timeline(session_id)).executions
        assert sorted((row.program, row.status) for row in rows) == [
            ("leaf", "cancelled"),
            ("leaf", "ended"),
            ("race", "ended"),
        ]


@pytest.mark.behaviour("G35")
async def test_a_result_saved_without_the_decision_it_led_to_still_closes_the_children(tmp_path: Path) -> None:
    """A pass that is stopped saves what its steps came to and no more; then the replay decides before it comes to the child."""

    @workflow(version="1")
    async def parent(run: Run) -> str:
        async def pay() -> str:
            return await note("paid")

        async def other(run: Run) -> str:
            await run.ask(DIRECTOR, "pay?")
            return await run.step(pay)

        try:
            await run.gather(lambda run: run.workflow(top, "a"), other, waits, join=FailFast())
        except StepFailedError as error:
            return f"{error.detail} {await run.ask(DIRECTOR, 'and now?')}"
        return "never"

    async def waits(run: Run) -> str:
        return await run.ask(DIRECTOR, "wait")

    channel = RecordingChannel()
    kit = kit_of(tmp_path, channel=channel, flows=[parent, top, middle, leaf])
    await kit.open()
    session_id = await kit.start("parent", {})
    row = await kit.session(session_id)
    execution_id = (await root_of(kit, session_id)).execution_id
    await kit.close()
    with closing(sqlite3.connect(tmp_path / "w.db")) as db:
        taken = ("pause_taken", "/gather#0[1]/ask#0", '{"resolution":"decided","answer":"yes","responder":"mara"}')
        raised = ("step_raised", "/gather#0[1]/pay#0", '{"kind":"OSError","detail":"no bank","cause_code":null}')
        for offset, event in enumerate((taken, raised)):
            values = (session_id, row.next_seq + offset, execution_id, *event, row.updated_at_ms)
            db.execute("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        db.execute(
            "UPDATE pauses SET status = 'taken', resolution = 'decided', resolved_at_ms = asked_at_ms WHERE key = ?",
            [taken[1]],
        )
        db.execute("UPDATE sessions SET next_seq = next_seq + 2, status = 'ready'")
        db.commit()
    async with kit.running():
        await kit.settle()
        statuses = {each.program: each.status for each in (await kit.timeline(session_id)).executions}
        assert statuses == {"parent": "running", "top": "cancelled", "middle": "cancelled", "leaf": "cancelled"}
        assert [from_json(each.ask_json)["prompt"] for each in await kit.pending()] == ["and now?"]
        assert sorted(each.ask.prompt for each in channel.withdrawals) == ["a", "wait"]
        await kit.answer("director", decision="ok")
        assert await result_of(kit, session_id) == {"result": "no bank ok"}
    assert ran == ["before a"]
