"""Sessions put away and taken up again: groups, interleavings, instants, changed code, cancels, large results."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.asks import Withdrawal
from overwinter.actors.errors import PauseNotPendingError
from overwinter.actors.joins import FailFast
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import Tool, tool
from overwinter.bots.workflows import Workflow, workflow
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole
from overwinter.store.changes import Advance, AdvanceResult
from overwinter.store.rows import PauseRow

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


def app_of(*flows: Workflow, channel: RecordingChannel | None = None) -> App:
    return App(name="w", workflows=flows, channels={DIRECTOR: channel or RecordingChannel()})


async def give(kit: Kit, pause: PauseRow, value: str) -> None:
    """Answer without letting anything move first."""
    await kit.runtime.answering.answer(
        tenant="default",
        pause_id=pause.pause_id,
        answer=Decision(value=value),
        credential=ChannelCredential(answered_by="mara"),
    )


async def status_of(kit: Kit, pause: PauseRow) -> str:
    row = await kit.store.pause(pause.pause_id)
    assert row is not None
    return row.status


# -- groups ------------------------------------------------------------------------------------------------------------
@pytest.mark.case("du03")
@pytest.mark.parametrize("first", [0, 1, 2])
async def test_a_group_of_which_one_is_answered_waits_for_the_others(tmp_path: Path, first: int) -> None:
    ran: list[str] = []

    async def note(name: str) -> str:
        ran.append(name)
        return name

    async def one(run: Run, name: str) -> str:
        answer = await run.ask(DIRECTOR, name)
        await run.step(note, f"{name} done")
        return answer

    @workflow(version="1")
    async def three(run: Run) -> list[str]:
        answers = await run.map(one, ["a", "b", "c"])
        await run.step(note, "join")
        return answers

    kit = Kit(build=lambda: app_of(three), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("three", {})
        questions = sorted(await kit.pending(), key=lambda pause: pause.key)
        answered = questions.pop(first)
        await kit.answer(answered, decision="yes")
        await kit.restart()
        await kit.settle()
        assert (await kit.session(session_id)).status == "waiting"
        assert (await kit.outcome(session_id)) is None
        assert await status_of(kit, answered) == "taken"
        assert [await status_of(kit, pause) for pause in questions] == ["pending", "pending"]
        assert ran == [f"{'abc'[first]} done"]
        for pause in reversed(questions):
            await kit.answer(pause, decision="no")
        wanted = ["no", "no", "no"]
        wanted[first] = "yes"
        assert await kit.outcome(session_id) == {"result": wanted}
    assert ran[-1] == "join"
    assert sorted(ran[:-1]) == ["a done", "b done", "c done"]


@pytest.mark.behaviour("G1")
@pytest.mark.parametrize("slots", [1, 2, None])
async def test_branches_that_wait_hold_no_slot_and_stop_no_other(tmp_path: Path, slots: int | None) -> None:
    running: list[str] = []
    most: list[int] = []

    async def work(name: str) -> str:
        running.append(name)
        most.append(len(running))
        await asyncio.wait({asyncio.create_task(asyncio.Event().wait())}, timeout=0.005)
        running.remove(name)
        return name

    async def item(run: Run, number: int) -> str:
        await run.step(work, f"before {number}")
        answer = await run.ask(DIRECTOR, str(number)) if number % 2 else "unasked"
        await run.step(work, f"after {number}")
        return answer

    @workflow(version="1")
    async def items(run: Run) -> list[str]:
        return await run.map(item, range(6), max_concurrency=slots)

    kit = Kit(build=lambda: app_of(items), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("items", {})
        assert (await kit.session(session_id)).status == "waiting"
        waiting = await kit.pending()
        assert sorted(pause.key for pause in waiting) == [f"/map#0[{n}]/ask#0" for n in (1, 3, 5)]
        assert running == []
        # Six before, and three after: all that could move has moved in the one pass.
        assert len(most) == 9
        for pause in waiting:
            await kit.answer(pause, decision="asked")
        assert await kit.outcome(session_id) == {"result": ["unasked", "asked"] * 3}
    assert len(most) == 12
    assert max(most) <= (slots or 6)


@pytest.mark.case("du20")
@pytest.mark.parametrize("rejecting", [0, 1, 2])
async def test_one_who_rejects_withdraws_what_the_others_are_asked_after_the_decision_is_committed(
    tmp_path: Path, rejecting: int
) -> None:
    names = ["legal", "finance", "security"]
    seen: list[tuple[str, str]] = []
    kits: list[Kit] = []

    class Looking(RecordingChannel):
        async def withdraw(self, withdrawal: Withdrawal) -> None:
            await super().withdraw(withdrawal)
            row = await kits[0].store.pause(withdrawal.ask.pause_id)
            assert row is not None
            seen.append((withdrawal.ask.prompt, row.status))

    async def review(run: Run, name: str) -> str:
        if await run.ask(DIRECTOR, name) == "reject":
            raise ValueError(f"{name} says no")
        return name

    @workflow(version="1")
    async def reviews(run: Run) -> str:
        try:
            return " ".join(await run.map(review, names, join=FailFast()))
        except ValueError as error:
            return str(error)

    channel = Looking()
    kit = Kit(build=lambda: app_of(reviews, channel=channel), path=tmp_path / "w.db")
    kits.append(kit)
    async with kit.running():
        session_id = await kit.start("reviews", {})
        questions = sorted(await kit.pending(), key=lambda pause: pause.key)
        await kit.restart()
        await kit.answer(questions[rejecting], decision="reject")
        assert await kit.outcome(session_id) == {"result": f"{names[rejecting]} says no"}
        others = [pause for pause in questions if pause is not questions[rejecting]]
        for pause in others:
            assert await status_of(kit, pause) == "cancelled"
            with pytest.raises(PauseNotPendingError, match="withdrawn"):
                await kit.answer(pause, decision="approve")
    assert {prompt for prompt, _ in seen} == set(names)
    assert {status for _, status in seen} <= {"cancelled", "taken", "resolved"}
    assert sorted(withdrawal.why for withdrawal in channel.withdrawals) == ["decided", "withdrawn", "withdrawn"]


# -- interleavings -----------------------------------------------------------------------------------------------------
class Hooked:
    """Runs ``action`` right before the n-th write of a pass from now on; ``count`` is how many there were."""

    def __init__(self, kit: Kit, monkeypatch: pytest.MonkeyPatch, *, nth: int, action: Callable[[], Awaitable[Any]]):
        self.count = 0
        original = kit.store.advance

        async def advance(change: Advance) -> AdvanceResult:
            self.count += 1
            if self.count == nth:
                await action()
            return await original(change)

        monkeypatch.setattr(kit.store, "advance", advance)


@pytest.mark.case("du09")
@pytest.mark.parametrize("nth", [1, 2])
async def test_an_answer_that_comes_between_looking_and_parking_is_taken_by_the_same_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    ran: list[str] = []

    async def note(name: str) -> str:
        ran.append(name)
        return name

    async def one(run: Run, name: str) -> str:
        answer = await run.ask(DIRECTOR, name)
        await run.step(note, name)
        return f"{answer} {await run.ask(DIRECTOR, f'{name} again')}"

    @workflow(version="1")
    async def two(run: Run) -> list[str]:
        return await run.map(one, ["a", "b"])

    kit = Kit(build=lambda: app_of(two), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("two", {})
        first, second = sorted(await kit.pending(), key=lambda pause: pause.key)
        hooked = Hooked(kit, monkeypatch, nth=nth, action=lambda: give(kit, second, "yes"))
        await kit.answer(first, decision="yes")
        assert hooked.count >= nth
        assert (await kit.session(session_id)).status == "waiting"
        assert sorted(pause.key for pause in await kit.pending()) == [f"/map#0[{n}]/ask#1" for n in (0, 1)]
        assert await status_of(kit, second) == "taken"
        assert sorted(ran) == ["a", "b"]


@pytest.mark.case("du09")
async def test_a_message_that_comes_before_the_question_is_no_answer_to_it_and_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @tool(answer=str)
    async def ask_owner(prompt: str) -> str: ...  # type: ignore[empty-body]

    script = ScriptedModel.by_turn(
        [says("Hello."), calls("ask_owner", {"prompt": "Which?"}), says("Fine."), says("Bye.")]
    )
    app = App(name="a", agents=[Agent(name="b", tools=[ask_owner], model=script)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "hi")

        async def say() -> None:
            said = await kit.runtime.sessions.say(tenant="default", session_id=session_id, text="too early")
            assert said.to == "inbox"

        hooked = Hooked(kit, monkeypatch, nth=1, action=say)
        await kit.say(session_id, "go on")
        assert hooked.count >= 1
        question = await kit.question("ask_owner")
        assert question.status == "pending"
        await kit.answer(question, decision="that one")
        assert list((await kit.tool_results(session_id)).values()) == ["that one"]
        assert await kit.outcome(session_id) == {"result": {"reply": "Bye."}}
    assert [each.content for each in script.requests[-1].messages if each.role == "user"][-1] == "too early"


# -- instants ----------------------------------------------------------------------------------------------------------
@pytest.mark.case("du11")
@pytest.mark.parametrize(("wait_h", "every_h"), [(24, 6), (24, 7), (1, 0.3), (24 * 365, 24 * 50)])
@pytest.mark.parametrize("kind", ["sleep", "deadline"])
async def test_a_wait_ends_at_its_instant_however_often_it_is_restarted(
    tmp_path: Path, wait_h: float, every_h: float, kind: str
) -> None:
    @workflow(version="1")
    async def waits(run: Run) -> str:
        begun = await run.now()
        if kind == "sleep":
            await run.sleep(timedelta(hours=wait_h))
        else:
            try:
                await run.ask(DIRECTOR, "?", deadline=timedelta(hours=wait_h))
            except Exception as error:
                return f"{type(error).__name__} {(await run.now() - begun) == timedelta(hours=wait_h)}"
        return str((await run.now() - begun) == timedelta(hours=wait_h))

    kit = Kit(build=lambda: app_of(waits), path=tmp_path / "w.db")
    async with kit.running():
        start_ms = kit.clock.now_ms()
        session_id = await kit.start("waits", {})
        left = timedelta(hours=wait_h)
        while left > timedelta(hours=every_h):
            await kit.advance(timedelta(hours=every_h))
            left -= timedelta(hours=every_h)
            await kit.restart()
            await kit.settle()
            (pause,) = await kit.pending()
            assert pause.deadline_at_ms == start_ms + wait_h * 3_600_000
        await kit.advance(left - timedelta(milliseconds=1))
        assert (await kit.session(session_id)).status == "waiting"
        await kit.advance(timedelta(milliseconds=1))
        wanted = "True" if kind == "sleep" else "PauseTimedOutError True"
        assert await kit.outcome(session_id) == {"result": wanted}


# -- changed code ------------------------------------------------------------------------------------------------------
class Deploys:
    """One app in many versions of its one tool; ``ran`` outlives all of them."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, ...]] = []
        self.version = "as it was"
        self.channel = RecordingChannel()
        self.script = ScriptedModel.by_turn([calls("refund", {"order": "4471"}, call_id="c1"), says("Done.")])

    def build(self) -> App:
        gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL)
        agent = Agent(name="b", tools=self._tools(gate), model=self.script)
        return App(name="a", agents=[agent], channels={gate: self.channel})

    def _tools(self, gate: ApprovalRole) -> list[Tool]:
        async def refund(order: str) -> str:
            """Refund."""
            self.ran.append(("refund", order))
            return "refunded"

        async def pay_back(order: str) -> str:
            """Refund."""
            self.ran.append(("pay_back", order))
            return "refunded"

        match self.version:
            case "comment changed":
                refund.__doc__ = "Refund an order, whole."
                return [tool(asks=gate)(refund)]
            case "argument added":

                async def with_currency(order: str, currency: str) -> str:
                    """Refund."""
                    self.ran.append(("refund", order, currency))
                    return "refunded"

                with_currency.__name__ = "refund"
                return [tool(asks=gate)(with_currency)]
            case "renamed":
                return [tool(asks=gate)(pay_back)]
            case "removed":
                return []
            case "no longer gated":
                return [tool(refund)]
            case _:
                return [tool(asks=gate)(refund)]

    async def change(self, kit: Kit, version: str) -> None:
        self.version = version
        await kit.restart()
        await kit.settle()


@pytest.mark.case("du13")
@pytest.mark.parametrize("version", ["argument added", "renamed", "removed", "no longer gated"])
async def test_a_session_whose_tool_changed_runs_nothing_and_says_why(tmp_path: Path, version: str) -> None:
    deploys = Deploys()
    kit = Kit(build=deploys.build, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "go")
        question = await kit.question("refund")
        await deploys.change(kit, version)
        if version in ("argument added", "renamed"):
            await kit.answer(question, decision={"approved": True})
            session = await kit.session(session_id)
            assert session.status == "blocked"
            assert (session.reason or "").startswith("session.definition-changed")
        assert deploys.ran == []
        await deploys.change(kit, "comment changed")
        if version not in ("argument added", "renamed"):
            await kit.answer(question, decision={"approved": True})
        assert await kit.outcome(session_id) == {"result": {"reply": "Done."}}
    assert deploys.ran == [("refund", "4471")]


@pytest.mark.case("du13")
@pytest.mark.parametrize("version", ["argument added", "renamed"])
async def test_what_an_operator_accepts_is_not_run_with_guessed_values_and_the_history_is_whole(
    tmp_path: Path, version: str
) -> None:
    deploys = Deploys()
    kit = Kit(build=deploys.build, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "go")
        question = await kit.question("refund")
        await deploys.change(kit, version)
        await kit.answer(question, decision={"approved": True})
        await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by="otto")
        await kit.settle()
        assert (await kit.session(session_id)).status == "idle"
        (told,) = (await kit.tool_results(session_id)).values()
    assert deploys.ran == []
    assert ("currency" in told) if version == "argument added" else ("There is no tool 'refund'" in told)
    last = deploys.script.requests[-1].messages
    assert [message.role for message in last if message.role != "system"] == ["user", "assistant", "tool"]
    assert last[-1].call_id == "c1"


# -- cancels -----------------------------------------------------------------------------------------------------------
@pytest.mark.case("du17")
async def test_a_cancel_takes_questions_timers_and_children_with_it(tmp_path: Path) -> None:
    channel = RecordingChannel()

    @workflow(version="1")
    async def child(run: Run) -> str:
        return await run.ask(DIRECTOR, "child")

    async def asks(run: Run) -> str:
        return await run.ask(DIRECTOR, "parent", deadline=timedelta(days=1))

    async def sleeps(run: Run) -> str:
        await run.sleep(timedelta(days=2))
        return "slept"

    async def calls_child(run: Run) -> str:
        return await run.workflow(child)

    @workflow(version="1")
    async def parent(run: Run) -> list[str]:
        return await run.gather(asks, sleeps, calls_child)

    kit = Kit(build=lambda: app_of(parent, child, channel=channel), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("parent", {})
        waits = await kit.pending()
        assert len(waits) == 3
        await kit.restart()
        await kit.settle()
        await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="wrong")
        await kit.settle()
        assert await kit.pending() == ()
        assert (await kit.store.due()).deadline_ms is None
        timeline = await kit.timeline(session_id)
        assert {execution.status for execution in timeline.executions} == {"cancelled"}
        assert len(timeline.executions) == 2
        for pause in waits:
            if pause.kind == "ask":
                with pytest.raises(PauseNotPendingError, match="cancelled"):
                    await kit.answer(pause, decision="late")
        await kit.advance(timedelta(days=3))
        assert (await kit.timeline(session_id)).events == timeline.events
    assert sorted((each.ask.prompt, each.why) for each in channel.withdrawals) == [
        ("child", "cancelled"),
        ("parent", "cancelled"),
    ]


# -- large results -----------------------------------------------------------------------------------------------------
@pytest.mark.case("du19")
async def test_a_large_result_is_stored_once_and_no_later_turn_writes_it_again(tmp_path: Path) -> None:
    size, turns = 900_000, 12

    @tool
    async def picture() -> str:
        """Draw."""
        return "x" * size

    lines = [calls("picture", call_id="c1"), *(says(f"turn {number}") for number in range(turns))]
    app = App(name="a", agents=[Agent(name="b", tools=[picture], model=ScriptedModel.by_turn(lines))])
    kit = Kit(build=lambda: app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "draw")

        async def written() -> int:
            return sum(len(event.body_json) for event in (await kit.timeline(session_id)).events)

        first = await written()
        assert size <= first < size + 10_000
        for number in range(1, turns):
            await kit.say(session_id, "go on")
            if number % 4 == 0:
                await kit.restart()
        assert await kit.outcome(session_id) == {"result": {"reply": f"turn {turns - 1}"}}
        assert await written() - first < turns * 1_000


@pytest.mark.case("du19")
@pytest.mark.parametrize("size", [41_943_040, 5_000_000])
async def test_a_tools_result_over_the_limit_is_the_calls_error_and_is_made_once(tmp_path: Path, size: int) -> None:
    made: list[int] = []

    @tool
    async def picture() -> str:
        """Draw."""
        made.append(size)
        return "x" * size

    script = ScriptedModel.by_turn([calls("picture", call_id="c1"), says("Too large.")])
    app = App(name="a", agents=[Agent(name="b", tools=[picture], model=script)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "draw")
        assert (await kit.session(session_id)).status == "idle"
        text = (await kit.tool_results(session_id))["c1"]
        sizes = [len(event.body_json) for event in (await kit.timeline(session_id)).events]
    assert made == [size]
    assert text.startswith("The call failed: ")
    assert max(sizes) < 10_000
