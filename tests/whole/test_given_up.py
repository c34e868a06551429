"""Sessions that kill their process again and again: what counts as a death, and what becomes of what they had asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.errors import PauseNotPendingError, SessionEndedError
from overwinter.actors.hook_notices import EndNotice
from overwinter.actors.run import Run
from overwinter.actors.waiting import ExecutionFailed
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.store.changes import Claim
from overwinter.store.rows import PauseRow

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


@dataclass
class Office:
    """An app that asks two questions side by side, and does a step with each answer."""

    channel: RecordingChannel = field(default_factory=RecordingChannel)
    ran: list[str] = field(default_factory=list[str])
    told: list[EndNotice] = field(default_factory=list[EndNotice])

    def app(self) -> App:
        async def act(answer: str) -> str:
            self.ran.append(answer)
            return answer

        async def ask(run: Run, item: int) -> str:
            return await run.step(act, await run.ask(DIRECTOR, f"Item {item}?"))

        @workflow(version="1")
        async def review(run: Run) -> list[str]:
            return await run.map(ask, range(2))

        async def hear(notice: EndNotice) -> None:
            self.told.append(notice)

        return App(name="a", workflows=[review], channels={DIRECTOR: self.channel}, on_end=hear)


async def give(kit: Kit, pause: PauseRow, answer: str) -> None:
    await kit.runtime.answering.answer(
        tenant="default",
        pause_id=pause.pause_id,
        answer=Decision(value=answer),
        credential=ChannelCredential(answered_by="mara"),
    )


async def answer_and_die(kit: Kit, pause: PauseRow, answer: str, *, times: int, goes_on: bool = True) -> None:
    """Record an answer, have its session claimed so many times by processes that do not come back, and go on."""
    kit.runtime.supervisor.stop()
    await kit.settle()
    await give(kit, pause, answer)
    for _ in range(times):
        now_ms = kit.clock.now_ms()
        claim = Claim(holder="dies", limit=10, now_ms=now_ms, until_ms=now_ms + 30_000)
        assert len((await kit.store.claim(claim)).sessions) == 1
        await kit.clock.advance(ms=30_000)
    if goes_on:
        await kit.restart()
        await kit.settle()


@pytest.mark.behaviour("W22")
async def test_a_death_less_is_survived_and_those_before_a_rest_do_not_count_after_it(tmp_path: Path) -> None:
    office = Office()
    kit = Kit(build=office.app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("review", {})
        first, second = await kit.pending(session_id)
        await answer_and_die(kit, first, "yes", times=4)
        assert (office.ran, (await kit.session(session_id)).status) == (["yes"], "waiting")
        await answer_and_die(kit, second, "no", times=4)
        assert (office.ran, (await kit.session(session_id)).status) == (["yes", "no"], "ended")


@pytest.mark.behaviour("W22")
async def test_a_session_that_is_given_up_takes_its_questions_back_and_says_which_answer_it_never_acted_on(
    tmp_path: Path,
) -> None:
    office = Office()
    kit = Kit(build=office.app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("review", {})
        answered, asked = await kit.pending(session_id)
        await answer_and_die(kit, answered, "yes", times=5)
        session = await kit.session(session_id)
        assert (session.status, (session.reason or "").partition(":")[0]) == ("failed", "session.indeterminate")
        assert await kit.pending() == ()
        timeline = await kit.timeline(session_id)
        assert {(pause.key, pause.status, pause.resolution, pause.responder) for pause in timeline.pauses} == {
            (answered.key, "cancelled", "decided", "mara"),
            (asked.key, "cancelled", "cancelled", None),
        }
        assert [(entry.key, entry.resolution) for entry in timeline.audit] == [
            (answered.key, "decided"),
            (asked.key, "cancelled"),
            (answered.key, "cancelled"),
        ]
        assert [(one.ask.pause_id, one.why) for one in office.channel.withdrawals] == [
            (answered.pause_id, "decided"),
            (asked.pause_id, "cancelled"),
        ]
        waited = await kit.runtime.waiting.outcome_of(tenant="default", session_id=session_id)
        assert isinstance(waited.end, ExecutionFailed)
        assert (waited.end.code, waited.pending) == ("session.indeterminate", ())
        (told,) = office.told
        assert (told.session_id, told.status, told.error) == (session_id, "failed", session.reason)
        with pytest.raises(PauseNotPendingError, match="cancelled"):
            await kit.answer(asked, decision="no")


@pytest.mark.behaviour("W22")
@pytest.mark.parametrize("hops", [0, 4, 8, 12, 14, 16, 18, 20, 24, 50])
async def test_of_an_answer_and_the_giving_up_of_its_session_the_audit_tells_both(tmp_path: Path, hops: int) -> None:
    office = Office()
    kit = Kit(build=office.app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("review", {})
        answered, asked = await kit.pending(session_id)
        await answer_and_die(kit, answered, "yes", times=5, goes_on=False)

        async def answer_late() -> bool:
            for _ in range(hops):
                await kit.store.due()
            try:
                await give(kit, asked, "no")
            except PauseNotPendingError:
                return False
            return True

        await kit.restart()
        is_recorded = await answer_late()
        await kit.settle()
        timeline = await kit.timeline(session_id)
        assert timeline.session.status == "failed"
        assert {pause.status for pause in timeline.pauses} == {"cancelled"}
        assert {row.status for row in timeline.executions} == {"failed"}
        of_asked = [entry.resolution for entry in timeline.audit if entry.key == asked.key]
        assert of_asked == (["decided", "cancelled"] if is_recorded else ["cancelled"])
        whys = [one.why for one in office.channel.withdrawals if one.ask.pause_id == asked.pause_id]
        assert whys == (["decided"] if is_recorded else ["cancelled"])
        assert [event.kind for event in timeline.events].count("execution_failed") == 1
    assert office.ran == []


@pytest.mark.behaviour("P2")
async def test_a_session_that_was_given_up_stays_so_and_nothing_of_it_is_kept_open_for_ever(tmp_path: Path) -> None:
    office = Office()
    kit = Kit(build=office.app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("review", {})
        answered, _ = await kit.pending(session_id)
        await answer_and_die(kit, answered, "yes", times=5)
        failed = await kit.session(session_id)
        with pytest.raises(SessionEndedError):
            await kit.say(session_id, "and now?")
        with pytest.raises(SessionEndedError):
            await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="over")
        await kit.restart()
        await kit.advance(timedelta(days=30))
        for _ in range(50):  # nobody waits for the sweep, so the kit does not either
            if (await kit.timeline(session_id)).pauses == ():
                break
            await kit.advance(timedelta(seconds=30))
        assert (await kit.timeline(session_id)).pauses == ()
        assert await kit.session(session_id) == failed
    assert office.ran == []
