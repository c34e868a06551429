"""The toolsets: what a session says in passing, what it waits for beside people, and how such a wait ends."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.actors.errors import SessionEndedError
from overwinter.actors.jsontext import from_json
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError, ToolDefinitionError, ToolRefusedError
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import Surface, tool
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole

director = QuestionRole(name="director", answer=str, answered_by=Answerer.OWNER)


def app_of(script: ScriptedModel, **more: Any) -> App:
    return App(name="a", agents=[Agent(name="b", toolsets=["system", "workspace_ext"], model=script)], **more)


def kit_of(app: App, tmp_path: Path) -> Kit:
    return Kit(build=lambda: app, path=tmp_path / "w.db")


async def result_of(kit: Kit, session_id: str, call_id: str = "call_1") -> Any:
    return from_json((await kit.tool_results(session_id))[call_id])


def sent(timeline: Any) -> list[str]:
    return [from_json(event.body_json)["content"] for event in timeline.events if event.kind == "message_sent"]


# -- system ------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("P27")
async def test_in_a_chat_ask_user_is_a_message_and_the_next_message_is_its_result(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("ask_user", {"prompt": "Which colour?"}), says("Blue it is.")])
    kit = kit_of(app_of(script), tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "paint")
        assert await kit.pending() == ()
        assert sent(await kit.timeline(session_id)) == ["Which colour?"]
        await kit.restart()
        await kit.say(session_id, "Blue, and hurry up")
        assert await kit.tool_results(session_id) == {"call_1": "Blue, and hurry up"}
        assert await kit.outcome(session_id) == {"result": {"reply": "Blue it is."}}
        assert sent(await kit.timeline(session_id)) == ["Which colour?"]


@pytest.mark.behaviour("P27")
async def test_in_a_workspace_ask_user_is_a_question_that_stays_open(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("ask_user", {"prompt": "Which colour?"}), says("Blue it is.")])
    async with kit_of(app_of(script), tmp_path).running() as kit:
        session_id = await kit.start("b", "paint", surface="workspace")
        assert [pause.role for pause in await kit.pending()] == ["ask_user"]
        await kit.answer("ask_user", text="blue")
        assert await kit.tool_results(session_id) == {"call_1": "blue"}


@pytest.mark.behaviour("P27")
async def test_two_questions_of_a_chat_are_answered_in_their_order(tmp_path: Path) -> None:
    both = calls_all(calls("ask_user", {"prompt": "One?"}), calls("ask_user", {"prompt": "Two?"}))
    async with kit_of(app_of(ScriptedModel.by_turn([both, says("ok")])), tmp_path).running() as kit:
        session_id = await kit.start("b", "go")
        await kit.say(session_id, "first")
        assert (await kit.session(session_id)).status == "waiting"
        await kit.say(session_id, "second")
        assert await kit.tool_results(session_id) == {"call_1": "first", "call_1_2": "second"}


@pytest.mark.behaviour("P19")
@pytest.mark.parametrize("surface", ["chat", "workspace"])
async def test_ask_user_says_that_it_timed_out_and_after_how_long(tmp_path: Path, surface: Surface) -> None:
    script = ScriptedModel.by_turn([calls("ask_user", {"prompt": "Well?", "timeout_s": 2.5}), says("Never mind.")])
    kit = kit_of(app_of(script), tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "go", surface=surface)
        await kit.advance(timedelta(seconds=2.4))
        await kit.restart()
        assert (await kit.session(session_id)).status == "waiting"
        await kit.advance(timedelta(seconds=0.1))
        assert await kit.tool_results(session_id) == {"call_1": "There was no answer: it timed out after 2.5 seconds."}
        assert await kit.pending() == ()
        await kit.say(session_id, "too late")  # it is the next message of the session now, not an answer
        assert await kit.tool_results(session_id) == {"call_1": "There was no answer: it timed out after 2.5 seconds."}


@pytest.mark.behaviour("P19")
@pytest.mark.behaviour("P39")
@pytest.mark.parametrize("surface", ["chat", "workspace"])
async def test_ask_user_says_that_it_was_cancelled_and_why(tmp_path: Path, surface: Surface) -> None:
    script = ScriptedModel.by_turn([calls("ask_user", {"prompt": "Well?", "timeout_s": 60}), says("Never mind.")])
    async with kit_of(app_of(script), tmp_path).running() as kit:
        session_id = await kit.start("b", "go", surface=surface)
        await kit.advance(timedelta(seconds=7))
        [pause] = await kit.pending()
        await kit.runtime.answering.cancel(tenant="default", pause_id=pause.pause_id, by="ops", reason="she is away")
        await kit.settle()
        expected = "There was no answer: it was cancelled after 7 seconds: she is away."
        assert await kit.tool_results(session_id) == {"call_1": expected}
        assert (await kit.session(session_id)).status == "idle"


@pytest.mark.behaviour("P26")
@pytest.mark.parametrize("surface", ["chat", "workspace"])
async def test_inform_user_tells_once_and_waits_for_nothing(tmp_path: Path, surface: Surface) -> None:
    script = ScriptedModel.by_turn(
        [calls("inform_user", {"message": "Half is done."}), calls("ask_user", {"prompt": "Go on?"}), says("ok")]
    )
    kit = kit_of(app_of(script), tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "go", surface=surface)
        await kit.restart()
        await kit.say(session_id, "yes")
        assert sent(await kit.timeline(session_id))[0] == "Half is done."
        assert sent(await kit.timeline(session_id)).count("Half is done.") == 1
        assert (await kit.tool_results(session_id))["call_1"] == "yes"
        told = [m.content for m in script.requests[1].messages if m.role == "tool"]
        assert told == ["The user has been told."]


# -- workspace_ext -----------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("P27")
async def test_in_a_chat_the_workspace_tools_are_not_offered_and_cannot_be_called(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("sleep", {"seconds": 60}), says("ok")])
    async with kit_of(app_of(script), tmp_path).running() as kit:
        session_id = await kit.start("b", "go")
        assert {spec.name for spec in script.requests[0].tools} == {"ask_user", "inform_user"}
        refused = "There is no tool 'sleep'. Available: ask_user, inform_user."
        assert await kit.tool_results(session_id) == {"call_1": refused}
        assert await kit.pending() == ()
        await kit.start("b", "go", surface="workspace")
        assert {"sleep", "invoke_workflow", "ask_user"} <= {spec.name for spec in script.requests[-1].tools}


@pytest.mark.behaviour("P20")
async def test_sleep_wakes_at_its_instant_and_says_how_long_it_was(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("sleep", {"seconds": 1.25}), says("Awake.")])
    kit = kit_of(app_of(script), tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "go", surface="workspace")
        await kit.advance(timedelta(seconds=1.249))
        await kit.restart()
        assert (await kit.session(session_id)).status == "waiting"
        await kit.advance(timedelta(seconds=0.001))
        assert await result_of(kit, session_id) == {"status": "done", "elapsed_s": 1.25}


@pytest.mark.behaviour("P20")
@pytest.mark.behaviour("W21")
@pytest.mark.parametrize("year", [1971, 1999, 2190])
async def test_a_sleep_ends_by_the_apps_clock_whatever_year_it_is_elsewhere(tmp_path: Path, year: int) -> None:
    script = ScriptedModel.by_turn([calls("sleep", {"seconds": 60}), says("Awake.")])
    kit = kit_of(app_of(script), tmp_path)
    kit.clock = ManualClock(round(datetime(year, 2, 28, 23, 59, 30, tzinfo=UTC).timestamp() * 1000))
    async with kit.running():
        session_id = await kit.start("b", "go", surface="workspace")
        await kit.advance(timedelta(seconds=59.999))
        assert (await kit.session(session_id)).status == "waiting"
        await kit.advance(timedelta(milliseconds=1))
        assert await result_of(kit, session_id) == {"status": "done", "elapsed_s": 60.0}


@pytest.mark.behaviour("P2")
@pytest.mark.behaviour("P5")
async def test_a_sleep_is_one_call_and_one_result_to_the_model_and_the_sessions_end_is_final(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("sleep", {"seconds": 5}), says("Awake.")])
    kit = kit_of(app_of(script), tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "go", surface="workspace")
        states = [(await kit.session(session_id)).status]
        await kit.restart()
        await kit.advance(timedelta(seconds=5))
        states.append((await kit.session(session_id)).status)
        assert [message.role for message in script.requests[-1].messages] == ["user", "assistant", "tool"]
        timeline = await kit.timeline(session_id)
        assert len(timeline.executions) == 1
        await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="over")
        states.append((await kit.session(session_id)).status)
        with pytest.raises(SessionEndedError):
            await kit.say(session_id, "hello?")
        await kit.restart()
        await kit.advance(timedelta(days=1))
        states.append((await kit.session(session_id)).status)
    assert states == ["waiting", "idle", "cancelled", "cancelled"]


@pytest.mark.behaviour("P20")
async def test_sleeping_for_no_time_does_not_wait(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("sleep", {"seconds": 0}), says("Awake.")])
    async with kit_of(app_of(script), tmp_path).running() as kit:
        session_id = await kit.start("b", "go", surface="workspace")
        assert await result_of(kit, session_id) == {"status": "done", "elapsed_s": 0.0}
        assert (await kit.timeline(session_id)).pauses == ()


@pytest.mark.behaviour("P20")
@pytest.mark.parametrize("seconds", [3601, 1e300])
async def test_one_sleep_lasts_an_hour_at_most_and_says_so(tmp_path: Path, seconds: float) -> None:
    script = ScriptedModel.by_turn([calls("sleep", {"seconds": seconds}), says("Awake.")])
    async with kit_of(app_of(script), tmp_path).running() as kit:
        session_id = await kit.start("b", "go", surface="workspace")
        await kit.advance(timedelta(minutes=59))
        assert (await kit.session(session_id)).status == "waiting"
        await kit.advance(timedelta(minutes=1))
        result = await result_of(kit, session_id)
        assert (result["status"], result["elapsed_s"]) == ("capped", 3600.0)
        assert "at most 3600 seconds" in result["reason"]


@pytest.mark.behaviour("P20")
@pytest.mark.parametrize(
    ("seconds", "cap_s", "cap_then_s", "woken_s", "status"),
    [
        (11, 10, 10, 10, "capped"),
        (10, 10, 10, 10, "done"),
        (7200, 3600, 3600, 3600, "capped"),
        (7200, 3600, 3600, 7199, "capped"),
        (7200, 3600, 3600, 7200, "done"),
        (7200, 3600, 9000, 3600, "capped"),
        (600, 3600, 60, 600, "done"),
    ],
)
async def test_a_sleep_is_cut_short_only_if_it_was_shorter_than_was_asked_whatever_was_deployed_meanwhile(
    tmp_path: Path, seconds: int, cap_s: int, cap_then_s: int, woken_s: int, status: str
) -> None:
    script = ScriptedModel.by_turn([calls("sleep", {"seconds": seconds}), says("Awake.")])
    caps = [cap_s]
    kit = Kit(
        build=lambda: app_of(script, yield_timeout_cap=timedelta(seconds=caps[-1])),
        path=tmp_path / "w.db",
    )
    async with kit.running():
        session_id = await kit.start("b", "go", surface="workspace")
        caps.append(cap_then_s)
        await kit.close()
        await kit.clock.advance(ms=woken_s * 1000)
        await kit.open()
        await kit.settle()
        result = await result_of(kit, session_id)
        assert (result["status"], result["elapsed_s"]) == (status, woken_s)


@pytest.mark.behaviour("P20")
@pytest.mark.parametrize(("woken_s", "status"), [(3600, "capped"), (4999, "capped"), (5000, "timed_out")])
async def test_a_wait_for_files_that_has_lasted_as_long_as_was_asked_is_not_said_to_have_been_cut_short(
    tmp_path: Path, woken_s: int, status: str
) -> None:
    script = ScriptedModel.by_turn([calls("watch_files", {"paths": ["."], "timeout_s": 5000}), says("ok")])
    kit = kit_of(app_of(script), tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "go", surface="workspace")
        await kit.close()
        await kit.clock.advance(ms=woken_s * 1000)
        await kit.open()
        await kit.settle()
        result = await result_of(kit, session_id)
        assert (result["status"], result["elapsed_s"]) == (status, woken_s)


@pytest.mark.behaviour("P20")
@pytest.mark.parametrize("seconds", ["-1", "NaN", "Infinity", "-0.001"])
async def test_a_sleep_of_no_length_is_refused(tmp_path: Path, seconds: str) -> None:
    script = ScriptedModel.by_turn([calls("sleep", f'{{"seconds": {seconds}}}'), says("ok")])
    async with kit_of(app_of(script), tmp_path).running() as kit:
        session_id = await kit.start("b", "go", surface="workspace")
        assert "do not fit" in (await kit.tool_results(session_id))["call_1"]
        assert (await kit.timeline(session_id)).pauses == ()


@pytest.mark.behaviour("P39")
async def test_a_cancelled_sleep_is_a_result_and_the_session_goes_on(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("sleep", {"seconds": 600}), says("Awake.")])
    async with kit_of(app_of(script), tmp_path).running() as kit:
        session_id = await kit.start("b", "go", surface="workspace")
        await kit.advance(timedelta(seconds=12))
        [pause] = await kit.pending()
        await kit.runtime.answering.cancel(tenant="default", pause_id=pause.pause_id, by="ops", reason="fire drill")
        await kit.settle()
        cancelled = {"status": "cancelled", "elapsed_s": 12.0, "reason": "fire drill"}
        assert await result_of(kit, session_id) == cancelled
        assert (await kit.session(session_id)).status == "idle"


@workflow(version="1")
async def ask_director(run: Run, budget: int) -> dict[str, str]:
    return {"director": await run.ask(director, f"May we spend {budget}?")}


@workflow(version="1")
async def fails(run: Run) -> None:
    raise ValueError("the books do not balance")


@pytest.mark.behaviour("P25")
async def test_what_an_invoked_workflow_waits_for_its_caller_waits_for(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn(
        [calls("invoke_workflow", {"workflow": "ask_director", "arguments": {"budget": 70}}), says("Asked.")]
    )
    app = app_of(script, workflows=[ask_director], channels={director: ()})
    kit = kit_of(app, tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "go", surface="workspace")
        [pause] = await kit.pending()
        assert (pause.session_id, pause.role) == (session_id, "director")
        assert (await kit.session(session_id)).status == "waiting"
        await kit.restart()
        await kit.answer(await kit.question("director"), decision="certainly")
        assert await result_of(kit, session_id) == {"status": "done", "result": {"director": "certainly"}}


@pytest.mark.behaviour("P25")
async def test_a_workflow_that_is_not_there_does_not_fit_or_fails_is_a_result(tmp_path: Path) -> None:
    invoked = [
        {"workflow": "nothing"},
        {"workflow": "ask_director", "arguments": {"budget": "much"}},
        {"workflow": "fails"},
    ]
    three = calls_all(*(calls("invoke_workflow", each) for each in invoked))
    app = app_of(ScriptedModel.by_turn([three, says("ok")]), workflows=[ask_director, fails])
    async with kit_of(app, tmp_path).running() as kit:
        session_id = await kit.start("b", "go", surface="workspace")
        unknown, unfit, failed = (await kit.tool_results(session_id)).values()
        assert unknown == "There is no workflow 'nothing'. Available: ask_director, fails."
        assert "The arguments of ask_director do not fit: budget" in unfit
        assert "the books do not balance" in failed
        assert (await kit.timeline(session_id)).pauses == ()


# -- durable tools -----------------------------------------------------------------------------------------------------
async def test_an_authors_tool_may_be_durable_code_and_is_gated_like_any_other(tmp_path: Path) -> None:
    gate = ApprovalRole(name="gate", answered_by=Answerer.OWNER)
    bought: list[str] = []

    async def buy(item: str) -> str:
        bought.append(item)
        return f"one {item}"

    @tool(asks=gate)
    async def shop(item: str, run: Run) -> str:
        """Buy a thing, in the colour that the director likes."""
        colour = await run.ask(director, f"Which colour of {item}?")
        return await run.step(buy, f"{colour} {item}")

    script = ScriptedModel.by_turn([calls("shop", {"item": "hat"}), says("ok")])
    app = App(name="a", agents=[Agent(name="b", tools=[shop], model=script)], channels={director: ()})
    kit = kit_of(app, tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "go")
        await kit.answer("gate", decision={"approved": True})
        assert bought == []
        await kit.restart()
        await kit.answer("director", decision="green")
        assert await kit.tool_results(session_id) == {"call_1": "one green hat"}
        await kit.restart()
        await kit.settle()
    assert bought == ["green hat"]


async def test_what_a_durable_tool_raises_is_a_result_for_the_model(tmp_path: Path) -> None:
    @tool
    async def breaks(run: Run) -> str:
        """Break."""
        await run.sleep(timedelta(seconds=5))
        raise LookupError("no such shelf")

    script = ScriptedModel.by_turn([calls("breaks"), says("ok")])
    app = App(name="a", agents=[Agent(name="b", tools=[breaks], model=script)])
    async with kit_of(app, tmp_path).running() as kit:
        session_id = await kit.start("b", "go")
        await kit.advance(timedelta(seconds=5))
        assert await kit.tool_results(session_id) == {"call_1": "The call failed: no such shelf"}


async def test_a_durable_tool_may_refuse_in_words_of_its_own(tmp_path: Path) -> None:
    @tool
    async def paint(run: Run, colour: str) -> str:
        """Paint it."""
        raise ToolRefusedError(f"We have no {colour}.")

    script = ScriptedModel.by_turn([calls("paint", {"colour": "blue"}), says("ok")])
    app = App(name="a", agents=[Agent(name="b", tools=[paint], model=script)])
    async with kit_of(app, tmp_path).running() as kit:
        session_id = await kit.start("b", "go")
        assert await kit.tool_results(session_id) == {"call_1": "We have no blue."}
        [replied] = [e for e in (await kit.timeline(session_id)).events if e.kind == "tool_replied"]
        assert from_json(replied.body_json)["is_error"] is True


def test_a_durable_tool_has_no_step_to_be_limited_or_bracketed() -> None:
    async def body(run: Run) -> str:
        """Do it."""
        return ""

    for settings in ({"once": True}, {"timeout": timedelta(seconds=1)}, {"answer": str}):
        with pytest.raises(ToolDefinitionError, match="takes a Run"):
            tool(**settings)(body)  # type: ignore[call-overload]
    with pytest.raises(ToolDefinitionError, match="takes a Run"):
        tool(body).finalize(body)


# -- by name -----------------------------------------------------------------------------------------------------------
def test_a_toolset_that_is_not_there_is_a_fault_and_so_is_a_name_it_has_already() -> None:
    @tool
    async def sleep(hours: int) -> str:
        """Sleep."""
        return ""

    script = ScriptedModel([])
    agents = [
        Agent(name="b", toolsets=["sytem"], model=script),
        Agent(name="c", toolsets=["workspace_ext"], tools=[sleep], model=script),
    ]
    with pytest.raises(AssemblyError) as raised:
        App(name="a", agents=agents, yield_timeout_cap=timedelta()).check()
    codes = [code for code, _ in raised.value.faults]
    assert codes == ["assembly.toolset", "assembly.toolset", "assembly.duplicate-name"]
    assert "system, workspace_ext" in raised.value.faults[0][1]
