"""What an app's own code is told of its sessions, and that nothing depends on it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.hook_notices import EndNotice, PauseNotice, ResumeNotice
from overwinter.actors.joins import FailFast
from overwinter.actors.ports import Channel
from overwinter.actors.run import Run
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.toolsets.system import ask_user_tool
from overwinter.bots.workflows import Workflow, workflow
from overwinter.channels.roles import Answerer, QuestionRole, Role

from .shop import Shop

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)

Notice = PauseNotice | ResumeNotice | EndNotice


class Listener:
    """Keeps what it is told; ``during`` runs in each call, before it returns."""

    def __init__(self) -> None:
        self.told: list[Notice] = []
        self.during: Callable[[Notice], Awaitable[None]] | None = None

    async def hear(self, notice: Notice) -> None:
        self.told.append(notice)
        if self.during is not None:
            await self.during(notice)

    @property
    def paused(self) -> list[PauseNotice]:
        return [notice for notice in self.told if isinstance(notice, PauseNotice)]

    @property
    def resumed(self) -> list[ResumeNotice]:
        return [notice for notice in self.told if isinstance(notice, ResumeNotice)]

    @property
    def ended(self) -> list[EndNotice]:
        return [notice for notice in self.told if isinstance(notice, EndNotice)]

    @property
    def kinds(self) -> list[str]:
        return [type(notice).__name__ for notice in self.told]


def listened(flow: Workflow, listener: Listener, **more: Any) -> App:
    hear = listener.hear
    channels: dict[Role, Channel] = {DIRECTOR: RecordingChannel()}
    return App(name="w", workflows=[flow], channels=channels, on_pause=hear, on_resume=hear, on_end=hear, **more)


def reviews(count: int) -> Workflow:
    async def review(run: Run, number: int) -> str:
        return await run.ask(DIRECTOR, f"Is {number} fine?")

    @workflow(version="1")
    async def review_all(run: Run) -> list[str]:
        return await run.map(review, range(count), join=FailFast())

    return review_all


async def answer_item(kit: Kit, index: int, decision: str) -> None:
    await kit.answer(await kit.question(key=f"/map#0[{index}]/ask#0"), decision=decision)


# -- when --------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G3")
@pytest.mark.behaviour("G5")
async def test_each_rest_is_told_with_what_is_still_open_and_then_the_end(tmp_path: Path) -> None:
    listener = Listener()
    flow = reviews(3)
    async with Kit(build=lambda: listened(flow, listener), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("review_all", {})
        for index in (1, 0, 2):
            await kit.advance(timedelta(minutes=5))
            await answer_item(kit, index, f"yes{index}")
    assert [sorted(wait.item or 0 for wait in notice.pending) for notice in listener.paused] == [[0, 1, 2], [0, 2], [2]]
    assert [[wait.key for wait in notice.taken] for notice in listener.resumed] == [
        ["/map#0[1]/ask#0"],
        ["/map#0[0]/ask#0"],
        ["/map#0[2]/ask#0"],
    ]
    assert [notice.waited_ms for notice in listener.resumed] == [300_000, 600_000, 900_000]
    assert [(wait.resolution, wait.responder) for wait in listener.resumed[0].taken] == [("decided", "mara")]
    (ended,) = listener.ended
    assert (ended.status, ended.result, ended.error) == ("ended", ["yes0", "yes1", "yes2"], None)
    assert {notice.session_id for notice in listener.told} == {session_id}
    assert {notice.execution_id for notice in listener.told} == {ended.execution_id}
    assert listener.kinds == ["PauseNotice", *["ResumeNotice", "PauseNotice"] * 2, "ResumeNotice", "EndNotice"]


@pytest.mark.behaviour("G3")
async def test_a_branch_that_goes_back_into_its_own_wait_is_not_told_again(tmp_path: Path) -> None:
    listener = Listener()
    flow = reviews(1)
    async with Kit(build=lambda: listened(flow, listener), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("review_all", {})
        assert len(listener.paused) == 1
        before = (await kit.session(session_id)).lease_epoch
        await kit.restart()
        await kit.say(session_id, "nobody waits for this message")
        session = await kit.session(session_id)
        assert session.lease_epoch > before, "it was revived, and rests as before"
        assert session.status == "waiting"
    assert len(listener.told) == 1


@pytest.mark.behaviour("G2")
async def test_a_notice_lists_each_wait_with_who_may_answer_and_what_is_asked(tmp_path: Path) -> None:
    listener = Listener()
    shop = Shop()
    refund = {"order_id": "4471", "amount": "80.00"}
    script = [calls_all(calls("refund_card", refund), calls("ask_user", {"prompt": "Which order?"})), says("Done.")]

    def build() -> App:
        app = shop.app(ScriptedModel.by_turn(script), tools=[ask_user_tool()])
        return App(name="shop", agents=app.agents, channels=app.channels, on_pause=listener.hear)

    async with Kit(build=build, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund", owner="olga", surface="workspace")
        rows = {row.role: row for row in await kit.pending()}
    (notice,) = listener.paused
    assert (notice.session_id, notice.tenant, notice.owner, notice.bot, notice.status) == (
        session_id,
        "default",
        "olga",
        "support",
        "waiting",
    )
    waits = {wait.role: wait for wait in notice.pending}
    manager, user = waits["refund-approval"], waits["ask_user"]
    assert (manager.pause_id, manager.answerer, manager.channel) == (None, "channel", "test")
    assert (user.pause_id, user.answerer, user.channel) == (rows["ask_user"].pause_id, "owner", "conversation")
    assert user.question == "Which order?"
    assert "refund_card" in manager.question
    assert {(wait.agent, wait.item, wait.is_child, wait.kind) for wait in notice.pending} == {
        ("support", None, False, "ask")
    }
    assert {wait.execution_id for wait in notice.pending} == {notice.execution_id}


@pytest.mark.behaviour("G2")
@pytest.mark.behaviour("G4")
async def test_a_childs_wait_is_listed_with_the_child_and_the_item_it_is_for(tmp_path: Path) -> None:
    listener = Listener()

    @workflow(version="1")
    async def review(run: Run, number: int) -> str:
        return await run.ask(DIRECTOR, f"Is {number} fine?")

    @workflow(version="1")
    async def review_all(run: Run) -> list[str]:
        return await run.map(lambda run, number: run.workflow(review, number), [7, 8])

    def build() -> App:
        app = listened(review_all, listener)
        return replace(app, workflows=[review_all, review])

    async with Kit(build=build, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("review_all", {})
        for _ in range(2):
            await kit.answer(await kit.question(session_id=session_id), decision="yes")
        assert await kit.outcome(session_id) == {"result": ["yes", "yes"]}
    first, second = listener.paused
    waits = sorted(first.pending, key=lambda wait: wait.item or 0)
    assert [(wait.item, wait.question, wait.agent) for wait in waits] == [
        (0, "Is 7 fine?", "review"),
        (1, "Is 8 fine?", "review"),
    ]
    assert all(wait.is_child and wait.execution_id != first.execution_id for wait in waits)
    assert len(second.pending) == 1
    assert [len(notice.taken) for notice in listener.resumed] == [1, 1]
    assert [notice.bot for notice in listener.told] == ["review_all"] * 5, "a child's end is its parent's affair"
    assert listener.kinds[-1] == "EndNotice"


async def test_a_timer_is_a_wait_that_nobody_answers(tmp_path: Path) -> None:
    listener = Listener()

    @workflow(version="1")
    async def nap(run: Run) -> str:
        await run.sleep(timedelta(hours=1))
        return "rested"

    async with Kit(build=lambda: listened(nap, listener), path=tmp_path / "w.db").running() as kit:
        await kit.start("nap", {})
        await kit.advance(timedelta(hours=1))
    (wait,) = listener.paused[0].pending
    assert (wait.kind, wait.answerer, wait.pause_id, wait.question) == ("timer", "nobody", None, "")
    assert wait.deadline_at_ms == wait.asked_at_ms + 3_600_000
    (taken,) = listener.resumed[0].taken
    assert (taken.resolution, taken.responder, taken.waited_ms) == ("fired", None, 3_600_000)
    assert listener.ended[0].result == "rested"


async def test_a_failure_is_told_with_its_code(tmp_path: Path) -> None:
    listener = Listener()

    async def fail() -> str:
        raise ValueError("broken")

    @workflow(version="1")
    async def failing(run: Run) -> str:
        return await run.step(fail)

    async with Kit(build=lambda: listened(failing, listener), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("failing", {})
        session = await kit.session(session_id)
    (ended,) = listener.ended
    assert (ended.status, ended.result) == ("failed", None)
    assert ended.error == session.reason
    assert ended.error == "step.failed: broken"
    assert session.status == "failed"


async def test_each_execution_of_an_agent_is_told_as_it_ends(tmp_path: Path) -> None:
    listener = Listener()
    model = ScriptedModel.by_turn([says("One."), says("Two.")])
    agent = Agent(name="a", model=model)
    app = App(name="a", agents=[agent], on_end=listener.hear, on_pause=listener.hear)
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("a", "first")
        await kit.say(session_id, "second")
    assert [notice.result for notice in listener.ended] == [{"reply": "One."}, {"reply": "Two."}]
    assert len({notice.execution_id for notice in listener.ended}) == 2
    assert listener.paused == [], "an idle session waits for nothing that is asked"


# -- after the commit, outside of it -----------------------------------------------------------------------------------
async def test_what_is_told_is_committed_already(tmp_path: Path) -> None:
    listener = Listener()
    flow = reviews(2)
    seen: list[tuple[str, int, bool]] = []
    kit = Kit(build=lambda: listened(flow, listener), path=tmp_path / "w.db")

    async def look(notice: Notice) -> None:
        timeline = await kit.timeline(notice.session_id)
        taken = sum(pause.status == "taken" for pause in timeline.pauses)
        ended = timeline.executions[0].status == "ended"
        seen.append((type(notice).__name__, taken, ended))

    listener.during = look
    async with kit.running():
        await kit.start("review_all", {})
        await answer_item(kit, 0, "yes")
        await answer_item(kit, 1, "yes")
    assert seen == [
        ("PauseNotice", 0, False),
        ("ResumeNotice", 1, False),
        ("PauseNotice", 1, False),
        ("ResumeNotice", 2, True),
        ("EndNotice", 2, True),
    ]


async def test_a_hook_may_answer_what_it_is_told_of(tmp_path: Path) -> None:
    listener = Listener()
    flow = reviews(2)
    kit = Kit(build=lambda: listened(flow, listener), path=tmp_path / "w.db")

    async def answer(notice: Notice) -> None:
        if isinstance(notice, PauseNotice):
            (pause, *_) = await kit.pending(notice.session_id)
            await kit.runtime.answering.answer(
                tenant="default",
                pause_id=pause.pause_id,
                answer=Decision(value=f"{len(notice.pending)} left"),
                credential=ChannelCredential(answered_by="robot"),
            )

    listener.during = answer
    async with kit.running():
        session_id = await kit.start("review_all", {})
        outcome = await kit.outcome(session_id)
        assert sorted(outcome["result"]) == ["1 left", "2 left"]
    assert [len(notice.pending) for notice in listener.paused] == [2, 1]


# -- a hook that misbehaves --------------------------------------------------------------------------------------------
class _BadWordsError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


async def _raise(notice: Notice) -> None:
    raise ValueError("not today")


async def _raise_without_words(notice: Notice) -> None:
    raise _BadWordsError


async def _cancel_itself(notice: Notice) -> None:
    raise asyncio.CancelledError


async def _hang(notice: Notice) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("during", "error"),
    [
        (_raise, "ValueError: not today"),
        (_raise_without_words, "_BadWordsError"),
        (_cancel_itself, "CancelledError: "),
        (_hang, "it took longer than 0.01 s"),
    ],
)
async def test_a_hook_that_fails_or_hangs_is_one_warning_and_nothing_else(
    tmp_path: Path, during: Callable[[Notice], Awaitable[None]], error: str
) -> None:
    listener = Listener()
    listener.during = during
    flow = reviews(1)
    build = lambda: listened(flow, listener, hook_timeout=timedelta(milliseconds=10))  # noqa: E731
    async with Kit(build=build, path=tmp_path / "w.db").running() as kit:
        with capture_logs() as logs:
            session_id = await kit.start("review_all", {})
            await answer_item(kit, 0, "yes")
        assert await kit.outcome(session_id) == {"result": ["yes"]}
        assert (await kit.session(session_id)).status == "ended"
    warned = [entry for entry in logs if entry["log_level"] == "warning"]
    assert [(entry["event"], entry["hook"], entry["error"]) for entry in warned] == [
        ("hook.failed", name, error) for name in ("on_pause", "on_resume", "on_end")
    ]
    assert listener.kinds == ["PauseNotice", "ResumeNotice", "EndNotice"]


def test_a_hook_that_is_not_async_is_a_fault_of_the_app() -> None:
    def hear(notice: Notice) -> None:
        """Forgotten: async."""

    wrong: Any = hear
    with pytest.raises(AssemblyError) as raised:
        App(name="w", workflows=[reviews(1)], channels={DIRECTOR: RecordingChannel()}, on_end=wrong).check()
    assert "on_end of app w is not async" in str(raised.value)
    with pytest.raises(AssemblyError, match="hook_timeout"):
        listened(reviews(1), Listener(), hook_timeout=timedelta()).check()


# -- at least once -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [PauseNotice, ResumeNotice, EndNotice])
async def test_a_process_that_dies_before_a_hook_has_returned_is_made_up_for(
    tmp_path: Path, kind: type[Notice]
) -> None:
    listener = Listener()
    flow = reviews(1)
    supervising = SupervisorSettings(lease_s=30, heartbeat_s=10)
    kit = Kit(build=lambda: listened(flow, listener), path=tmp_path / "w.db", supervising=supervising)
    reached = asyncio.Event()

    async def die(notice: Notice) -> None:
        if isinstance(notice, kind):
            listener.told.pop()  # it never came to do anything with it
            reached.set()
            await asyncio.Event().wait()

    listener.during = die
    async with kit.running():
        starting = asyncio.create_task(kit.start("review_all", {}))
        if kind is not PauseNotice:
            await starting
            starting = asyncio.create_task(answer_item(kit, 0, "yes"))
        await reached.wait()
        starting.cancel()
        await asyncio.wait({starting})
        listener.during = None
        await kit.restart()
        await kit.advance(timedelta(seconds=31))
        if kind is PauseNotice:
            assert [[wait.key for wait in notice.pending] for notice in listener.paused] == [["/map#0[0]/ask#0"]]
            await answer_item(kit, 0, "yes")
        (session,) = await kit.store.sessions(tenant=None, statuses=None, limit=2)
        assert (session.status, session.reason) == ("ended", None)
    assert [notice.result for notice in listener.ended] == [["yes"]]
    assert listener.paused
    if kind is not EndNotice:
        assert [wait.key for notice in listener.resumed for wait in notice.taken] == ["/map#0[0]/ask#0"]


async def test_a_failed_workflow_is_failed_although_its_process_died_while_it_was_told(tmp_path: Path) -> None:
    listener = Listener()

    async def fail() -> str:
        raise ValueError("broken")

    @workflow(version="1")
    async def failing(run: Run) -> str:
        return await run.step(fail)

    reached = asyncio.Event()

    async def die(notice: Notice) -> None:
        reached.set()
        await asyncio.Event().wait()

    listener.during = die
    async with Kit(build=lambda: listened(failing, listener), path=tmp_path / "w.db").running() as kit:
        starting = asyncio.create_task(kit.start("failing", {}))
        await reached.wait()
        starting.cancel()
        await asyncio.wait({starting})
        listener.during = None
        await kit.restart()
        await kit.advance(timedelta(seconds=31))
        (session,) = await kit.store.sessions(tenant=None, statuses=None, limit=2)
    assert (session.status, session.reason) == ("failed", "step.failed: broken")
    assert [notice.error for notice in listener.ended] == ["step.failed: broken"] * 2


async def test_a_service_that_stops_before_it_has_told_leaves_it_to_the_next(tmp_path: Path) -> None:
    listener = Listener()
    go = asyncio.Event()

    async def work() -> str:
        await go.wait()
        return "worked"

    async def busy(run: Run) -> str:
        return await run.step(work)

    async def asks(run: Run) -> str:
        return await run.ask(DIRECTOR, "Fine?")

    @workflow(version="1")
    async def both(run: Run) -> list[str]:
        return await run.gather(busy, asks)

    supervising = SupervisorSettings(grace_s=0.0)
    kit = Kit(build=lambda: listened(both, listener), path=tmp_path / "w.db", supervising=supervising)
    async with kit.running():
        starting = asyncio.create_task(kit.start("both", {}))
        while not any(pause.is_sent for pause in await kit.pending()):
            await kit.store.due()
        kit.runtime.supervisor.stop()
        while (session := (await kit.store.sessions(tenant=None, statuses=None, limit=1))[0]).status == "running":
            await kit.store.due()
        assert session.status == "ready"
        assert (session.reason or "").startswith("session.released")
        assert listener.told == []
        starting.cancel()
        await asyncio.wait({starting})
        go.set()
        await kit.restart()
        await kit.settle()
        (session,) = await kit.store.sessions(tenant=None, statuses=None, limit=2)
        assert (session.status, session.reason) == ("waiting", None)
    assert listener.kinds == ["PauseNotice"]


# -- no hook -----------------------------------------------------------------------------------------------------------
async def test_an_app_without_hooks_has_nothing_to_tell(tmp_path: Path) -> None:
    app = App(name="w", workflows=[reviews(1)], channels={DIRECTOR: RecordingChannel()})
    assert app.hooks is None
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        assert kit.runtime.supervisor.surroundings.hooks is None
        session_id = await kit.start("review_all", {})
        await answer_item(kit, 0, "yes")
        assert (await kit.session(session_id)).status == "ended"
