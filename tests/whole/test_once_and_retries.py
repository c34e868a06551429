"""Steps that never start twice, and what an operator says of them; steps that are tried again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from overwinter.actors.errors import PauseInvalidAnswerError, SessionUnknownError, StepNotIndeterminateError
from overwinter.actors.events import EventKind
from overwinter.actors.retries import Retry, StepSettings, step
from overwinter.actors.run import Run
from overwinter.actors.settling import Failed, Returned
from overwinter.actors.step_errors import StepFailedError, StepTooLargeError
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import ToolDefinitionError
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import ToolCall, tool
from overwinter.bots.workflows import Workflow, workflow


# -- once --------------------------------------------------------------------------------------------------------------
class Pad:
    """A launch that must not happen twice, and whose process dies in it the first time."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.hang = asyncio.Event()
        self.script = ScriptedModel.by_turn(
            [calls_all(calls("launch", call_id="c1"), calls("look", call_id="c2")), says("Thanks.")]
        )

    def app(self) -> App:
        @tool(once=True)
        async def launch(call: ToolCall[Any]) -> str:
            """Launch."""
            self.started.append(call.key)
            await self.hang.wait()
            return "launched"

        @tool
        async def look() -> str:
            """Look."""
            return "clouds"

        return App(name="a", agents=[Agent(name="b", tools=[launch, look], model=self.script)])

    def results(self) -> dict[str | None, str]:
        return {m.call_id: m.content for m in self.script.requests[-1].messages if m.role == "tool"}


@asynccontextmanager
async def died_in(build: Callable[[], App], started: list[str], path: Path, *, bot: str = "b") -> AsyncGenerator[Kit]:
    """A kit that was killed while a step ran, and is back."""
    kit = Kit(build=build, path=path)
    await kit.open()
    start = asyncio.create_task(kit.start(bot, "go" if bot == "b" else {}))
    while not started and not start.done():
        await kit.store.due()
    start.cancel()
    await kit.close()
    await kit.clock.advance(ms=60_000)
    async with kit.running():
        await kit.settle()
        yield kit


async def only_session(kit: Kit) -> str:
    (session,) = await kit.store.sessions(tenant=None, statuses=None, limit=9)
    return session.session_id


async def test_a_step_whose_process_died_in_it_waits_for_an_operator_where_everybody_sees_it(tmp_path: Path) -> None:
    pad = Pad()
    with capture_logs() as logs:
        async with died_in(pad.app, pad.started, tmp_path / "w.db") as kit:
            session_id = await only_session(kit)
    told = [(each["session_id"], each["code"]) for each in logs if each["event"] == "step.unsettled"]
    assert told == [(session_id, "step.indeterminate")]
    async with kit.running():
        session = await kit.session(session_id)
        assert session.status == "waiting"
        assert (session.reason or "").startswith("step.indeterminate: /gather#0[0]/launch#0 was started")
        (unsettled,) = await kit.runtime.settling.open(tenant="default")
        assert (unsettled.session_id, unsettled.step, unsettled.call_id) == (session_id, "/gather#0[0]/launch#0", "c1")
        for _ in range(3):
            await kit.restart()
            await kit.settle()
        assert len(pad.started) == 1
        settled = await kit.runtime.settling.settle(
            tenant="default", session_id=session_id, call="c1", outcome=Returned(result="launched at 9:02"), by="mara"
        )
        assert settled == unsettled
        await kit.settle()
        assert (await kit.session(session_id)).status == "idle"
        assert (await kit.session(session_id)).reason is None
        audit = await kit.store.audit(tenant="default", limit=9)
        replied = [event for event in (await kit.timeline(session_id)).events if event.kind == EventKind.TOOL_REPLIED]
    assert len(pad.started) == 1
    assert pad.results() == {"c1": "launched at 9:02", "c2": "clouds"}
    assert [(entry.role, entry.responder, entry.decision_json) for entry in audit] == [
        ("settle", "mara", '{"outcome":"returned"}')
    ]
    assert len(replied) == 2


async def test_what_an_operator_has_found_to_have_failed_is_an_error_that_the_model_reads(tmp_path: Path) -> None:
    pad = Pad()
    async with died_in(pad.app, pad.started, tmp_path / "w.db") as kit:
        session_id = await only_session(kit)
        settling = kit.runtime.settling
        for call in ("/gather#0[0]/launch#0", "c1"):
            outcome = Failed(detail="the pad was closed")
            if call == "c1":
                with pytest.raises(StepNotIndeterminateError):
                    await settling.settle(
                        tenant="default", session_id=session_id, call=call, outcome=outcome, by="mara"
                    )
            else:
                await settling.settle(tenant="default", session_id=session_id, call=call, outcome=outcome, by="mara")
            await kit.settle()
    assert len(pad.started) == 1
    assert pad.results()["c1"] == "The call failed: mara has found that it failed: the pad was closed"


async def test_only_what_waits_is_settled_and_once(tmp_path: Path) -> None:
    pad = Pad()
    async with died_in(pad.app, pad.started, tmp_path / "w.db") as kit:
        session_id = await only_session(kit)
        settling, outcome = kit.runtime.settling, Returned(result="launched")
        for wrong, error in (
            ({"call": "c2"}, StepNotIndeterminateError),
            ({"session_id": "nobody"}, SessionUnknownError),
            ({"tenant": "acme"}, SessionUnknownError),
        ):
            named = {"tenant": "default", "session_id": session_id, "call": "c1", **wrong}
            with pytest.raises(error):
                await settling.settle(outcome=outcome, by="mara", **named)
        for nobody in (" ", "o\ud800"):
            with pytest.raises(PauseInvalidAnswerError):
                await settling.settle(tenant="default", session_id=session_id, call="c1", outcome=outcome, by=nobody)
        both = await asyncio.gather(
            *(
                settling.settle(tenant="default", session_id=session_id, call="c1", outcome=outcome, by=by)
                for by in ("mara", "tom")
            ),
            return_exceptions=True,
        )
        await kit.settle()
    assert sorted(type(each).__name__ for each in both) == ["StepNotIndeterminateError", "Unsettled"]


async def test_an_empty_name_settles_no_step(tmp_path: Path) -> None:
    started: list[str] = []
    hang = asyncio.Event()

    @step(once=True)
    async def launch() -> str:
        started.append("launch")
        await hang.wait()
        return "launched"

    @workflow(version="1")
    async def lift(run: Run) -> str:
        return await run.step(launch)

    async with died_in(lambda: App(name="a", workflows=[lift]), started, tmp_path / "w.db", bot="lift") as kit:
        session_id = await only_session(kit)
        with pytest.raises(StepNotIndeterminateError, match="nothing is not one of them"):
            await kit.runtime.settling.settle(
                tenant="default", session_id=session_id, call="", outcome=Returned(result="up"), by="otto"
            )
        assert [each.step for each in await kit.runtime.settling.open(tenant="default")] == ["/launch#0"]
    assert started == ["launch"]


async def test_an_operator_who_does_not_know_cancels_and_the_model_reads_that(tmp_path: Path) -> None:
    pad = Pad()
    async with died_in(pad.app, pad.started, tmp_path / "w.db") as kit:
        (pause,) = await kit.pending()
        await kit.runtime.answering.cancel(tenant="default", pause_id=pause.pause_id, by="op", reason="cannot tell")
        await kit.settle()
    assert "whether it took effect is unknown (cannot tell)" in pad.results()["c1"]
    assert len(pad.started) == 1


@pytest.mark.parametrize(("said", "result"), [(7, 7), ("seven", "failed: what mara says")])
async def test_a_workflows_step_is_settled_with_a_result_of_its_type(tmp_path: Path, said: Any, result: Any) -> None:
    started: list[str] = []
    hang = asyncio.Event()

    @step(once=True)
    async def count() -> int:
        started.append("count")
        await hang.wait()
        return 1

    @workflow(version="1")
    async def counting(run: Run) -> int | str:
        try:
            return await run.step(count)
        except StepFailedError as error:
            return f"failed: {error.detail[:14]}"

    async with died_in(lambda: App(name="a", workflows=[counting]), started, tmp_path / "w.db", bot="counting") as kit:
        session_id = await only_session(kit)
        await kit.restart()
        await kit.runtime.settling.settle(
            tenant="default", session_id=session_id, call="/count#0", outcome=Returned(result=said), by="mara"
        )
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": result}
    assert started == ["count"]


@pytest.mark.parametrize("ends_by", ["cancellation", "an error of its own"])
async def test_what_ran_out_of_time_and_must_not_start_twice_is_not_told_to_have_failed(
    tmp_path: Path, ends_by: str
) -> None:
    started: list[str] = []

    @tool(once=True, timeout=timedelta(milliseconds=5))
    async def launch(call: ToolCall[Any]) -> str:
        """Launch."""
        started.append(call.key)
        try:
            await asyncio.Event().wait()
        finally:
            if ends_by == "an error of its own":
                raise RuntimeError("the line was cut")
        return "launched"

    script = ScriptedModel.by_turn([calls("launch", call_id="c1"), says("Thanks.")])
    kit = Kit(
        build=lambda: App(name="a", agents=[Agent(name="b", tools=[launch], model=script)]), path=tmp_path / "w.db"
    )
    async with kit.running():
        session_id = await kit.start("b", "go")
        for _ in range(2):
            (unsettled,) = await kit.runtime.settling.open(tenant="default")
            assert (unsettled.step, unsettled.call_id) == ("/gather#0[0]/launch#0", "c1")
            assert len(script.requests) == 1
            await kit.restart()
            await kit.settle()
        await kit.runtime.settling.settle(
            tenant="default", session_id=session_id, call="c1", outcome=Returned(result="it is up"), by="mara"
        )
        await kit.settle()
        assert await kit.tool_results(session_id) == {"c1": "it is up"}
    assert len(started) == 1


# -- retries -----------------------------------------------------------------------------------------------------------
class Flaky:
    """Fails so many times; ``keys`` are the idempotency keys that it was given."""

    def __init__(self, failures: int, error: Exception | None = None) -> None:
        self.failures = failures
        self.error = error or ConnectionError("the line is dead")
        self.tries = 0
        self.keys: list[str] = []

    async def __call__(self) -> str:
        self.tries += 1
        if self.tries <= self.failures:
            raise self.error
        return f"got through at try {self.tries}"


def calling(flaky: Flaky, retry: Retry | None) -> Workflow[[], str]:
    @step(retry=retry)
    async def call() -> str:
        return await flaky()

    @workflow(version="1")
    async def phone(run: Run) -> str:
        return await run.step(call)

    return phone


async def test_a_step_is_tried_again_after_waits_that_hold_nothing_and_survive_the_process(tmp_path: Path) -> None:
    flaky = Flaky(2)
    phone = calling(flaky, Retry(attempts=3, backoff=timedelta(hours=1), longest=timedelta(days=1), jitter=0))
    async with Kit(build=lambda: App(name="a", workflows=[phone]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("phone", {})
        assert ((await kit.session(session_id)).status, flaky.tries) == ("waiting", 1)
        await kit.restart()
        await kit.advance(timedelta(hours=1))
        assert flaky.tries == 2
        await kit.restart()
        await kit.advance(timedelta(hours=1))
        assert flaky.tries == 2
        await kit.advance(timedelta(hours=1))
        assert await kit.outcome(session_id) == {"result": "got through at try 3"}
    assert flaky.tries == 3


async def test_after_the_last_attempt_the_last_error_is_raised(tmp_path: Path) -> None:
    flaky = Flaky(9)
    phone = calling(flaky, Retry(attempts=3, backoff=timedelta(seconds=1)))
    async with Kit(build=lambda: App(name="a", workflows=[phone]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("phone", {})
        await kit.advance(timedelta(hours=1))
        await kit.advance(timedelta(hours=1))
        outcome = await kit.outcome(session_id)
    assert (flaky.tries, outcome["kind"], outcome["detail"]) == (3, "ConnectionError", "the line is dead")


@pytest.mark.parametrize("error", [ConnectionResetError("reset"), StepTooLargeError("too large")])
async def test_what_would_be_the_same_again_is_not_tried_again(tmp_path: Path, error: Exception) -> None:
    flaky = Flaky(1, error)
    phone = calling(flaky, Retry(attempts=5, not_on=(ConnectionError,)))
    async with Kit(build=lambda: App(name="a", workflows=[phone]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("phone", {})
        assert (await kit.session(session_id)).status == "failed"
    assert flaky.tries == 1


async def test_all_attempts_of_a_tool_have_one_idempotency_key_and_the_model_sees_one_result(tmp_path: Path) -> None:
    flaky = Flaky(2)

    @tool(retry=Retry(attempts=3, backoff=timedelta(seconds=5)))
    async def dial(call: ToolCall[Any]) -> str:
        """Dial."""
        flaky.keys.append(call.key)
        return await flaky()

    script = ScriptedModel.by_turn([calls("dial", call_id="c1"), says("ok")])
    agent = Agent(name="b", tools=[dial], model=script)
    async with Kit(build=lambda: App(name="a", agents=[agent]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go")
        for _ in range(2):
            await kit.restart()
            await kit.advance(timedelta(minutes=1))
        assert await kit.tool_results(session_id) == {"c1": "got through at try 3"}
    assert len(flaky.keys) == 3
    assert len(set(flaky.keys)) == 1


async def test_each_attempt_has_the_whole_time(tmp_path: Path) -> None:
    tries: list[int] = []

    @step(retry=Retry(attempts=2, backoff=timedelta()), timeout=timedelta(milliseconds=20))
    async def slow() -> str:
        tries.append(1)
        if len(tries) == 1:
            await asyncio.Event().wait()
        return "in time"

    @workflow(version="1")
    async def hurry(run: Run) -> str:
        return await run.step(slow)

    async with Kit(build=lambda: App(name="a", workflows=[hurry]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("hurry", {})
        await kit.advance(timedelta(seconds=1))
        assert await kit.outcome(session_id) == {"result": "in time"}


def test_waits_grow_to_the_longest_and_chance_makes_them_shorter_only() -> None:
    retry = Retry(attempts=9, backoff=timedelta(seconds=2), factor=3, longest=timedelta(minutes=1), jitter=0.5)
    assert [retry.wait_after(n, chance=0).total_seconds() for n in (1, 2, 3, 4, 5000)] == [2, 6, 18, 54, 60]
    assert retry.wait_after(2, chance=0.5).total_seconds() == 4.5


@pytest.mark.parametrize(
    "wrong",
    [{"attempts": 0}, {"backoff": timedelta(-1)}, {"factor": 0.5}, {"jitter": 1.5}, {"longest": timedelta(-1)}],
)
def test_what_makes_no_sense_is_refused_where_it_is_written(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must|jitter|negative"):
        Retry(**wrong)


def test_what_starts_once_is_not_tried_again() -> None:
    with pytest.raises(ValueError, match="never started twice"):
        StepSettings(once=True, retry=Retry())
    with pytest.raises(ValueError, match="timeout"):
        StepSettings(timeout=timedelta())

    async def launch() -> str:
        """Launch."""
        return "launched"

    with pytest.raises(ToolDefinitionError, match="never started twice"):
        tool(once=True, retry=Retry())(launch)
