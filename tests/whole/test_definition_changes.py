"""Code that changes while sessions sleep: they are blocked, and go on when their own code is back or another accepted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from overwinter.actors.errors import (
    PauseInvalidAnswerError,
    SessionDefinitionChangedError,
    SessionNotBlockedError,
    SessionNotDeployedError,
    SessionUnknownError,
)
from overwinter.actors.jsontext import from_json
from overwinter.actors.program import Programs
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.bots.workflows import Workflow, workflow
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


class Deployed:
    """An app whose code is exchanged between restarts; ``ran`` outlives all of them.

    Attributes:
        code: ``old``; ``new``, whose tool takes one argument more; ``gone``, without the agent.
    """

    def __init__(self) -> None:
        self.code = "old"
        self.ran: list[str] = []
        self._approval = ApprovalRole(
            name="refund-approval", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter()
        )
        self._channel = RecordingChannel()

    def app(self) -> App:
        match self.code:
            case "old":

                @tool(asks=self._approval)
                async def refund_card(order_id: str) -> str:
                    """Refund a card payment."""
                    self.ran.append(f"old {order_id}")
                    return "refunded"

                tools = [refund_card]
            case "new":

                @tool(asks=self._approval)
                async def refund_card(order_id: str, currency: str = "EUR") -> str:
                    """Refund a card payment."""
                    self.ran.append(f"new {order_id} {currency}")
                    return "refunded"

                tools = [refund_card]
            case _:
                tools = []
        model = ScriptedModel.by_turn([calls("refund_card", {"order_id": "4471"}), says("Done."), says("And again.")])
        name = "other" if self.code == "gone" else "support"
        agent = Agent(name=name, tools=tools, model=model)
        return App(name="shop", agents=[agent], channels={self._approval: self._channel})

    async def change(self, kit: Kit, code: str) -> None:
        self.code = code
        await kit.restart()
        await kit.settle()


async def blocked(kit: Kit, deployed: Deployed) -> str:
    """A session that has asked under the old code, and whose answer found the new one."""
    session_id = await kit.start("support", "refund 4471")
    await deployed.change(kit, "new")
    await kit.answer("refund_card", text="yes")
    assert (await kit.session(session_id)).status == "blocked"
    return session_id


async def events_of(kit: Kit, session_id: str, kind: str) -> list[dict[str, Any]]:
    return [from_json(event.body_json) for event in (await kit.timeline(session_id)).events if event.kind == kind]


# -- blocked -----------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("A17")
async def test_a_changed_definition_blocks_with_both_fingerprints_and_runs_nothing(tmp_path: Path) -> None:
    deployed = Deployed()
    async with Kit(build=deployed.app, path=tmp_path / "w.db").running() as kit:
        session_id = await blocked(kit, deployed)
        reason = (await kit.session(session_id)).reason or ""
        assert reason.startswith("session.definition-changed: support version 1 has other tools")
        (execution,) = (await kit.timeline(session_id)).executions
        (event,) = await events_of(kit, session_id, "session_blocked")
        assert event["stored"] == execution.fingerprint
        assert event["current"] not in (None, execution.fingerprint)
        (pause,) = (await kit.timeline(session_id)).pauses
        assert (pause.status, pause.responder) == ("resolved", "mara")
    assert deployed.ran == []


@pytest.mark.behaviour("A17")
async def test_the_error_names_the_session_and_both_fingerprints(tmp_path: Path) -> None:
    deployed = Deployed()
    async with Kit(build=deployed.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        (execution,) = (await kit.timeline(session_id)).executions
    with pytest.raises(SessionDefinitionChangedError) as raised:
        Programs(()).of(execution)
    assert raised.value.session_id == session_id
    assert (raised.value.stored, raised.value.current) == (execution.fingerprint, None)


async def test_messages_are_kept_while_a_session_is_blocked(tmp_path: Path) -> None:
    deployed = Deployed()
    async with Kit(build=deployed.app, path=tmp_path / "w.db").running() as kit:
        session_id = await blocked(kit, deployed)
        await kit.say(session_id, "are you there?")
        assert (await kit.session(session_id)).status == "blocked"
        await deployed.change(kit, "old")
        assert (await kit.session(session_id)).status == "idle"
        assert await kit.outcome(session_id) == {"result": {"reply": "And again."}}
    assert deployed.ran == ["old 4471"]


# -- the code it began with is back ------------------------------------------------------------------------------------
@pytest.mark.behaviour("A17")
async def test_a_session_goes_on_by_itself_when_its_code_is_deployed_again(tmp_path: Path) -> None:
    deployed = Deployed()
    async with Kit(build=deployed.app, path=tmp_path / "w.db").running() as kit:
        session_id = await blocked(kit, deployed)
        await kit.restart()
        await kit.settle()
        assert (await kit.session(session_id)).status == "blocked"
        with capture_logs() as logs:
            await deployed.change(kit, "old")
        assert await kit.outcome(session_id) == {"result": {"reply": "Done."}}
        assert await events_of(kit, session_id, "definition_accepted") == []
        assert (await kit.session(session_id)).reason is None
    assert [entry["session_id"] for entry in logs if entry["event"] == "session.unblocked"] == [session_id]
    assert deployed.ran == ["old 4471"]


async def test_a_session_that_had_not_begun_goes_on_when_its_bot_is_deployed(tmp_path: Path) -> None:
    deployed = Deployed()
    async with Kit(build=deployed.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        await kit.answer("refund_card", text="no")
        await deployed.change(kit, "gone")
        await kit.say(session_id, "try again")
        session = await kit.session(session_id)
        assert session.reason == "session.definition-changed: support is not deployed; deploy it, or cancel the session"
        await deployed.change(kit, "new")
        assert (await kit.session(session_id)).status == "idle"
        assert await kit.outcome(session_id) == {"result": {"reply": "And again."}}


async def test_that_a_session_is_blocked_is_logged_with_where_to_look(tmp_path: Path) -> None:
    deployed = Deployed()
    with capture_logs() as logs:
        async with Kit(build=deployed.app, path=tmp_path / "w.db").running() as kit:
            session_id = await blocked(kit, deployed)
    assert [entry for entry in logs if entry["event"] == "session.blocked"] == [
        {
            "event": "session.blocked",
            "log_level": "warning",
            "session_id": session_id,
            "bot": "support",
            "code": "session.definition-changed",
            "remedy": f"overwinter show {session_id}",
        }
    ]


@pytest.mark.behaviour("P6")
async def test_a_session_that_is_blocked_for_another_reason_stays_so_and_disturbs_no_other(tmp_path: Path) -> None:
    deployed = Deployed()
    path = tmp_path / "w.db"
    async with Kit(build=deployed.app, path=path).running() as kit:
        corrupt = await kit.start("support", "refund 4471")
        newer = await kit.start("support", "refund 4471")
        changed = await kit.start("support", "refund 4471")
        for session_id, statement in (
            (corrupt, "UPDATE ledger SET body_json = '{' WHERE kind = 'model_replied' AND session_id = ?"),
            (newer, "UPDATE ledger SET kind = 'from_the_future' WHERE kind = 'pause_opened' AND session_id = ?"),
        ):
            with closing(sqlite3.connect(path)) as connection, connection:
                assert connection.execute(statement, (session_id,)).rowcount == 1
        await deployed.change(kit, "new")
        for session_id in (corrupt, newer, changed):
            await kit.answer(await kit.question(session_id=session_id), decision={"approved": True})
        await deployed.change(kit, "old")
        for session_id in (corrupt, newer, changed):
            session = await kit.session(session_id)
            if session_id == changed:
                assert session.status == "idle"
            else:
                assert session.status == "blocked"
                assert (session.reason or "").startswith("session.corrupt: ")
                with pytest.raises(SessionNotBlockedError, match="accepting code does not help it"):
                    await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by="mara")
        fresh = await kit.start("support", "refund 4471")
        assert (await kit.session(fresh)).status == "waiting"
    assert deployed.ran == ["old 4471"]


# -- another code is accepted ------------------------------------------------------------------------------------------
@pytest.mark.behaviour("A17")
async def test_an_accepted_session_goes_on_with_the_deployed_code_and_says_who_accepted(tmp_path: Path) -> None:
    deployed = Deployed()
    async with Kit(build=deployed.app, path=tmp_path / "w.db").running() as kit:
        session_id = await blocked(kit, deployed)
        (before,) = (await kit.timeline(session_id)).executions
        (accepted,) = await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by="otto")
        await kit.settle()
        (after,) = (await kit.timeline(session_id)).executions
        assert accepted.stored == ("1", before.fingerprint)
        assert accepted.accepted == (after.version, after.fingerprint)
        assert before.fingerprint != after.fingerprint
        assert await events_of(kit, session_id, "definition_accepted") == [
            {
                "by": "otto",
                "stored": {"version": "1", "fingerprint": before.fingerprint},
                "accepted": {"version": "1", "fingerprint": after.fingerprint},
            }
        ]
        assert (await kit.session(session_id)).status in ("idle", "waiting")
        if (await kit.session(session_id)).status == "waiting":
            # The new tool reads the call otherwise than it was shown: it is shown, and asked for, again.
            await kit.answer("refund_card", text="yes")
        assert await kit.outcome(session_id) == {"result": {"reply": "Done."}}
        with pytest.raises(SessionNotBlockedError, match="is idle"):
            await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by="otto")
    assert deployed.ran == ["new 4471 EUR"]


@pytest.mark.behaviour("A17")
async def test_children_are_accepted_with_their_session(tmp_path: Path) -> None:
    ran: list[str] = []

    async def note(text: str) -> str:
        ran.append(text)
        return text

    def old() -> Workflow:
        @workflow(version="1")
        async def leaf(run: Run, name: str) -> str:
            await run.step(note, f"begun {name}")
            return await run.step(note, f"old {await run.ask(DIRECTOR, name)}")

        return leaf

    def new() -> Workflow:
        @workflow(version="1")
        async def leaf(run: Run, name: str, greeting: str = "new") -> str:
            await run.step(note, f"begun {name}")
            return await run.step(note, f"{greeting} {await run.ask(DIRECTOR, name)}")

        return leaf

    def flows(leaf: Workflow) -> list[Workflow]:
        @workflow(version="1")
        async def top(run: Run) -> list[str]:
            return await run.map(lambda run, name: run.workflow(leaf, name), ["a", "b"])

        return [top, leaf]

    deployed = [old()]
    async with Kit(build=lambda: months(flows(deployed[-1])), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("top", {})
        deployed.append(new())
        await kit.restart()
        await kit.answer(await kit.question(session_id=session_id), decision="yes")
        session = await kit.session(session_id)
        assert (session.reason or "").startswith("session.definition-changed: leaf version 1 has other tools")
        before = {row.execution_id: row for row in (await kit.timeline(session_id)).executions}
        accepted = await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by="otto")
        assert {each.program for each in accepted} == {"leaf"}
        assert len(accepted) == 2
        await kit.settle()
        await kit.answer(await kit.question(session_id=session_id), decision="yes")
        after = {row.execution_id: row for row in (await kit.timeline(session_id)).executions}
        for each in accepted:
            assert each.stored == ("1", before[each.execution_id].fingerprint)
            assert each.accepted == ("1", after[each.execution_id].fingerprint)
        events = [event for event in (await kit.timeline(session_id)).events if event.kind == "definition_accepted"]
        assert {event.execution_id for event in events} == {each.execution_id for each in accepted}
        assert await kit.outcome(session_id) == {"result": ["new yes", "new yes"]}
    assert ran == ["begun a", "begun b", "new yes", "new yes"]


async def test_what_cannot_be_accepted_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    deployed = Deployed()
    async with Kit(build=deployed.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        accept = kit.runtime.accepting.accept
        with pytest.raises(SessionNotBlockedError, match="is waiting"):
            await accept(tenant="default", session_id=session_id, by="otto")
        with pytest.raises(SessionUnknownError):
            await accept(tenant="other", session_id=session_id, by="otto")
        with pytest.raises(SessionUnknownError):
            await accept(tenant="default", session_id="s0", by="otto")
        await deployed.change(kit, "gone")
        await kit.advance(timedelta(seconds=1))
        pause = await kit.question(session_id=session_id)
        await kit.runtime.answering.cancel(tenant="default", pause_id=pause.pause_id, by="otto", reason="not needed")
        await kit.settle()
        before = await kit.timeline(session_id)
        assert before.session.status == "blocked"
        with pytest.raises(SessionNotDeployedError, match="support is not deployed"):
            await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by="otto")
        for nobody in ("", " ", "o\ud800"):
            with pytest.raises(PauseInvalidAnswerError):
                await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by=nobody)
        assert await kit.timeline(session_id) == before


async def test_of_a_cancel_and_an_accept_the_first_wins(tmp_path: Path) -> None:
    deployed = Deployed()
    async with Kit(build=deployed.app, path=tmp_path / "w.db").running() as kit:
        session_id = await blocked(kit, deployed)
        await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="otto", reason="enough")
        with pytest.raises(SessionNotBlockedError, match="is cancelled"):
            await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by="otto")
        await deployed.change(kit, "old")
        assert (await kit.session(session_id)).status == "cancelled"
    assert deployed.ran == []


# -- versions of a workflow --------------------------------------------------------------------------------------------
def month(version: str, ran: list[str]) -> Workflow:
    async def close(answer: str) -> str:
        ran.append(f"version {version}: {answer}")
        return answer

    @workflow(version=version)
    async def close_month(run: Run) -> str:
        return await run.step(close, await run.ask(DIRECTOR, f"May version {version} close?"))

    return close_month


def months(flows: list[Workflow]) -> App:
    return App(name="w", workflows=flows, channels={DIRECTOR: RecordingChannel()})


@pytest.mark.behaviour("A17")
async def test_an_old_session_goes_on_with_its_version_while_new_ones_get_the_new_one(tmp_path: Path) -> None:
    ran: list[str] = []
    one, two = month("1", ran), month("2", ran)
    flows = [one]
    async with Kit(build=lambda: months(flows), path=tmp_path / "w.db").running() as kit:
        old = await kit.start("close_month", {})
        flows.append(two)
        await kit.restart()
        new = await kit.start("close_month", {})
        await kit.answer(await kit.question(session_id=new), decision="yes")
        await kit.answer(await kit.question(session_id=old), decision="yes")
        assert ran == ["version 2: yes", "version 1: yes"]
        versions = [(await kit.timeline(session_id)).executions[0].version for session_id in (old, new)]
        assert versions == ["1", "2"]


async def test_a_session_whose_version_is_gone_may_be_accepted_into_the_newest(tmp_path: Path) -> None:
    ran: list[str] = []
    flows = [month("1", ran)]
    async with Kit(build=lambda: months(flows), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("close_month", {})
        flows[:] = [month("2", ran)]
        await kit.restart()
        await kit.answer(await kit.question(session_id=session_id), decision="yes")
        session = await kit.session(session_id)
        assert (session.reason or "").startswith("session.definition-changed: close_month version 1 is not deployed")
        (event,) = await events_of(kit, session_id, "session_blocked")
        assert event["current"] is None
        await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by="otto")
        await kit.settle()
        assert (await kit.session(session_id)).status == "ended"
        assert (await kit.timeline(session_id)).executions[0].version == "2"
    assert ran == ["version 2: yes"]
