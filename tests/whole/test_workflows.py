"""Workflows over a real database: sleeps, maps, steps that must not run twice, values too large, versions."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.errors import (
    ChannelRejectedError,
    PauseCancelledError,
    PauseTimedOutError,
    PauseUndeliverableError,
)
from overwinter.actors.joins import FailFast, Quorum
from overwinter.actors.run import Run
from overwinter.actors.step_errors import StepFailedError
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError, ToolDefinitionError, TurnLimitError
from overwinter.bots.scripted_model import ScriptedModel, calls
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.bots.workflows import Workflow, workflow
from overwinter.channels.roles import Answerer, QuestionRole

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


def app_of(flow: Workflow, channel: RecordingChannel | None = None) -> App:
    return App(name="w", workflows=[flow], channels={DIRECTOR: channel or RecordingChannel()})


@pytest.mark.parametrize(
    ("bot", "event", "status"), [("pay", "session.failed", "failed"), ("b", "execution.failed", "idle")]
)
async def test_what_failed_is_logged_by_its_code_without_what_it_says(
    tmp_path: Path, bot: str, event: str, status: str
) -> None:
    async def bank() -> None:
        raise ConnectionError("no line for DE89370400440532013000")

    @workflow(version="1")
    async def pay(run: Run) -> None:
        await run.step(bank)

    def build() -> App:
        return App(name="w", workflows=[pay], agents=[Agent(name="b", model=ScriptedModel([]))])

    with capture_logs() as logs:
        async with Kit(build=build, path=tmp_path / "w.db").running() as kit:
            session_id = await kit.start(bot, {})
            session = await kit.session(session_id)
    assert session.status == status
    code = "step.failed" if bot == "pay" else "model.script-exhausted"
    [told] = [each for each in logs if each["event"] == event]
    assert (told["session_id"], told["bot"], told["code"]) == (session_id, bot, code)
    assert told["remedy"] == f"overwinter show {session_id}"
    assert "DE89" not in repr(logs)


async def test_a_workflow_sleeps_asks_and_ends_with_its_result(tmp_path: Path) -> None:
    ran: list[str] = []

    async def fetch(month: str) -> list[int]:
        ran.append(month)
        return [1, 2, 3]

    async def review(run: Run, number: int) -> str:
        return f"{number}:{await run.ask(DIRECTOR, f'Is {number} fine?')}"

    @workflow(version="1")
    async def close_month(run: Run, month: str) -> list[str]:
        expenses = await run.step(fetch, month)
        await run.sleep(timedelta(hours=1))
        return await run.map(review, expenses, join=FailFast())

    kit = Kit(build=lambda: app_of(close_month), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("close_month", "2026-11", surface="workspace")
        assert [pause.kind for pause in await kit.pending()] == ["timer"]
        await kit.restart()
        await kit.advance(timedelta(minutes=59))
        assert [pause.kind for pause in await kit.pending()] == ["timer"]
        await kit.advance(timedelta(minutes=1))
        for index in (2, 0, 1):
            await kit.restart()
            await kit.answer(await kit.question(key=f"/map#0[{index}]/ask#0"), decision=f"yes{index}")
        assert (await kit.session(session_id)).status == "ended"
        assert await kit.outcome(session_id) == {"result": ["1:yes0", "2:yes1", "3:yes2"]}
    assert ran == ["2026-11"]


@pytest.mark.case("du05")
async def test_a_branch_that_has_ended_stays_ended_while_others_wait(tmp_path: Path) -> None:
    ran: list[str] = []

    async def note(name: str) -> str:
        ran.append(name)
        return name

    async def one(run: Run, name: str) -> str:
        await run.ask(DIRECTOR, name)
        return await run.step(note, name)

    @workflow(version="1")
    async def three(run: Run) -> list[str]:
        names = await run.map(one, ["a", "b", "c"])
        await run.step(note, "after")
        return names

    kit = Kit(build=lambda: app_of(three), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("three", {})
        for index in (0, 1, 2):
            assert "after" not in ran
            await kit.answer(await kit.question(key=f"/map#0[{index}]/ask#0"), decision="ok")
            await kit.restart()
        assert await kit.outcome(session_id) == {"result": ["a", "b", "c"]}
    assert ran == ["a", "b", "c", "after"]


@pytest.mark.case("du25")
async def test_a_branch_is_asked_again_and_again_while_another_works(tmp_path: Path) -> None:
    go = asyncio.Event()

    async def work() -> str:
        await go.wait()
        return "worked"

    async def busy(run: Run) -> str:
        return await run.step(work)

    async def asks(run: Run) -> str:
        return " ".join([await run.ask(DIRECTOR, f"round {number}") for number in range(3)])

    @workflow(version="1")
    async def both(run: Run) -> list[str]:
        return await run.gather(busy, asks)

    kit = Kit(build=lambda: app_of(both), path=tmp_path / "w.db")
    async with kit.running():
        start = asyncio.create_task(kit.start("both", {}))
        for number in range(3):
            while not any(pause.is_sent and pause.key.endswith(f"ask#{number}") for pause in await kit.pending()):
                await kit.store.due()
            question = await kit.question(key=f"/gather#0[1]/ask#{number}")
            answering = kit.runtime.answering
            from_channel = asyncio.create_task(_answer(answering, question.pause_id, str(number)))
            await from_channel
        assert kit.runtime.supervisor.active_sessions == 1
        go.set()
        session_id = await start
        assert await kit.outcome(session_id) == {"result": ["worked", "0 1 2"]}


async def _answer(answering: Any, pause_id: str, value: str) -> None:
    await answering.answer(
        tenant="default",
        pause_id=pause_id,
        answer=Decision(value=value),
        credential=ChannelCredential(answered_by="mara"),
    )


@pytest.mark.parametrize(
    ("how", "error"),
    [("time", PauseTimedOutError), ("cancel", PauseCancelledError), ("reject", PauseUndeliverableError)],
)
async def test_a_question_that_ends_without_an_answer_raises_where_it_was_asked(
    tmp_path: Path, how: str, error: type[Exception]
) -> None:
    raised: list[BaseException] = []

    @workflow(version="1")
    async def asks(run: Run) -> str:
        try:
            return await run.ask(DIRECTOR, "?", deadline=timedelta(hours=1))
        except (PauseTimedOutError, PauseCancelledError, PauseUndeliverableError) as caught:
            raised.append(caught)
            return "went on"

    channel = RecordingChannel()
    if how == "reject":
        channel.outcomes.append(ChannelRejectedError("not in channel"))
    kit = Kit(build=lambda: app_of(asks, channel), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("asks", {})
        if how == "time":
            await kit.advance(timedelta(hours=1))
        if how == "cancel":
            question = await kit.question("director")
            await kit.runtime.answering.cancel(tenant="default", pause_id=question.pause_id, by="ops", reason="no need")
            await kit.settle()
        assert await kit.outcome(session_id) == {"result": "went on"}
    assert [type(each) for each in raised] == [error]


@pytest.mark.case("du19")
async def test_a_time_that_never_comes_is_waited_for_like_any_other(tmp_path: Path) -> None:
    @workflow(version="1")
    async def rest(run: Run) -> None:
        await run.sleep(timedelta.max)

    @workflow(version="1")
    async def ask(run: Run) -> str:
        return await run.ask(DIRECTOR, "Well?", deadline=timedelta.max)

    app = App(name="w", workflows=[rest, ask], channels={DIRECTOR: RecordingChannel()})
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.start("rest", {})
        session_id = await kit.start("ask", {})
        await kit.advance(timedelta(days=365))
        await kit.answer("director", decision="yes")
        assert await kit.outcome(session_id) == {"result": "yes"}
        assert [pause.kind for pause in await kit.pending()] == ["timer"]


async def test_a_result_over_the_limit_fails_its_step_and_is_not_tried_for_ever(tmp_path: Path) -> None:
    tries: list[int] = []

    async def picture() -> str:
        tries.append(1)
        return "x" * 41_943_040

    @workflow(version="1")
    async def big(run: Run) -> str:
        try:
            return await run.step(picture)
        except StepFailedError as error:
            return error.cause_code or ""

    kit = Kit(build=lambda: app_of(big), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("big", {})
        assert await kit.outcome(session_id) == {"result": "step.too-large"}
    assert tries == [1]


async def test_a_workflow_that_raises_fails_visibly(tmp_path: Path) -> None:
    @workflow(version="1")
    async def breaks(run: Run) -> str:
        raise ValueError("nothing to close")

    kit = Kit(build=lambda: app_of(breaks), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("breaks", {})
        session = await kit.session(session_id)
        assert session.status == "failed"
        assert session.reason == "execution.failed: nothing to close"


async def test_an_old_version_goes_on_beside_a_newer_one(tmp_path: Path) -> None:
    def version(number: str) -> Workflow:
        @workflow(version=number)
        async def flow(run: Run) -> str:
            return f"{number} {await run.ask(DIRECTOR, '?')}"

        return flow

    kit = Kit(build=lambda: app_of(version("1")), path=tmp_path / "w.db")
    async with kit.running():
        old = await kit.start("flow", {})
        both = App(name="w", workflows=[version("1"), version("2")], channels={DIRECTOR: RecordingChannel()})
        kit._build = lambda: both  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        new = await kit.start("flow", {})
        for _ in range(2):
            await kit.answer("director", decision="ok")
        assert await kit.outcome(old) == {"result": "1 ok"}
        assert await kit.outcome(new) == {"result": "2 ok"}


async def test_an_agent_that_does_not_come_to_an_end_is_stopped(tmp_path: Path) -> None:
    @tool
    async def again() -> str:
        """Again."""
        return "again"

    agent = Agent(name="b", tools=[again], model=ScriptedModel(lambda _: calls("again")), max_turns=3)
    kit = Kit(build=lambda: App(name="a", agents=[agent]), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "go")
        reason = (await kit.session(session_id)).reason
        assert reason is not None
        assert reason.startswith(TurnLimitError.code)


@pytest.mark.case("du06")
async def test_what_was_done_before_a_question_is_not_done_again_after_it(tmp_path: Path) -> None:
    ran: list[str] = []

    async def charge() -> str:
        ran.append("charge")
        return "charged"

    async def mail() -> str:
        ran.append("mail")
        return "mailed"

    @workflow(version="1")
    async def pay(run: Run) -> str:
        await run.step(charge)
        answer = await run.ask(DIRECTOR, "Mail the receipt?")
        return await run.step(mail) if answer == "yes" else "not mailed"

    kit = Kit(build=lambda: app_of(pay), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("pay", {})
        await kit.restart()
        question = await kit.question("director")
        kit.runtime.supervisor.stop()
        await _answer(kit.runtime.answering, question.pause_id, "yes")
        assert ran == ["charge"]
        await kit.restart()
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": "mailed"}
    assert ran == ["charge", "mail"]


@pytest.mark.parametrize(
    ("mistake", "says"), [("coroutines", "not coroutines"), ("class", "not the class Quorum"), ("number", "not int")]
)
async def test_a_slip_of_the_author_is_an_error_in_the_code_that_makes_it(
    tmp_path: Path, mistake: str, says: str
) -> None:
    async def branch(run: Run) -> str:
        return "x"

    @workflow(version="1")
    async def slip(run: Run) -> str:
        wrong: dict[str, Any] = {
            "coroutines": ([branch(run)], None),
            "class": ([branch], Quorum),
            "number": ([1], None),
        }
        for name, (branches, _) in wrong.items():
            if name != mistake and name == "coroutines":
                branches[0].close()
        functions, rule = wrong[mistake]
        try:
            await run.gather(*functions, join=rule)
        except TypeError as error:
            return str(error)
        return "nothing"

    async with Kit(build=lambda: app_of(slip), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("slip", {})
        outcome = await kit.outcome(session_id)
        assert says in outcome["result"]


def test_a_workflow_without_a_run_is_refused() -> None:
    with pytest.raises(ToolDefinitionError, match="make its first parameter run: Run"):

        @workflow(version="1")  # pyright: ignore[reportArgumentType]
        async def odd(number: int) -> int:  # pyright: ignore[reportUnusedFunction]
            return number


def test_an_answerer_that_is_a_word_is_refused_at_assembly() -> None:
    wanted: Any = "CHANNEL"
    role = QuestionRole(name="q", answer=str, answered_by=wanted)

    @workflow(version="1")
    async def ask(run: Run) -> str:
        return await run.ask(role, "May I?")

    with pytest.raises(AssemblyError) as raised:
        App(name="w", workflows=[ask], channels={role: RecordingChannel()}).check()
    assert [code for code, _ in raised.value.faults] == ["assembly.role-answerer"]
