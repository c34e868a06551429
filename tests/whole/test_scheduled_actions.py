"""Calls that are put off: committed as tickets, performed once, by the supervisor when due or by a host, exactly as committed."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.actions import Performed
from overwinter.actors.answers import ChannelCredential, Decision, OwnerCredential
from overwinter.actors.errors import (
    ActionExpiredError,
    ActionMismatchError,
    ActionNotDueError,
    ActionNotWaitingError,
    ActionUnknownError,
    PauseInvalidAnswerError,
    PauseUnknownError,
    SessionCorruptError,
    SessionDefinitionChangedError,
)
from overwinter.actors.joins import First
from overwinter.actors.jsontext import from_json
from overwinter.actors.run import Run
from overwinter.actors.tickets import Ticket, ticket_of
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import ActionKindUnknownError, AssemblyError
from overwinter.bots.plugins import Plugin
from overwinter.bots.policies.gates import Always, Gate, Predicate
from overwinter.bots.policies.verdicts import Allow, GatedCall, Schedule, Verdict
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import Tool, ToolCall, tool
from overwinter.bots.toolsets.system import ask_user
from overwinter.bots.workflows import workflow
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole

FINANCE = ApprovalRole(name="finance", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())
OFFICE = QuestionRole(name="office", answer=str, answered_by=Answerer.CHANNEL)
HOUR = timedelta(hours=1)


class Ledger:
    """An app whose payments are put off; ``paid`` outlives every restart of it."""

    def __init__(self, schedule: Callable[[GatedCall], Verdict] | None = None, *, replies: Sequence[Any] = ()) -> None:
        self.schedule: Callable[[GatedCall], Verdict]
        self.paid: list[tuple[str, str]] = []
        self.keys: list[str] = []
        self.schedule = schedule or put_off(due=HOUR)
        self.script = ScriptedModel.by_turn([*(replies or [pays("A")]), says("ok")])
        self.channel = RecordingChannel()

    def app(self, *, gates: Sequence[Gate] = (), plugins: Sequence[Plugin] = (), more: Sequence[Tool] = ()) -> App:
        @tool
        async def pay(to: str, call: ToolCall[Any]) -> str:
            """Pay."""
            self.paid.append((to, call.tool))
            self.keys.append(call.key)
            return f"paid {to}"

        gate = Predicate(name="later", check=self.schedule, asks=FINANCE)
        agent = Agent(name="bank", tools=[pay, *more], model=self.script, gates=[*gates, gate])
        return App(name="a", agents=[agent], channels={FINANCE: self.channel}, plugins=plugins)

    def results(self) -> dict[str | None, str]:
        return {m.call_id: m.content for m in self.script.requests[-1].messages if m.role == "tool"}


def pays(to: str, call_id: str = "c1") -> Any:
    return calls("pay", {"to": to}, call_id=call_id)


def put_off(**settings: Any) -> Callable[[GatedCall], Verdict]:
    return lambda call: Schedule(correlation_id=f"pay:{call.call_id}", **settings)


async def ticket_in(kit: Kit) -> Ticket:
    (ticket,) = await kit.runtime.actions.waiting(tenant="default")
    return ticket


async def perform(kit: Kit, ticket: Ticket, *, by: str = "host") -> Performed:
    performed = await kit.runtime.perform_scheduled_action(ticket, by=by)
    await kit.settle()
    return performed


def written(path: Path) -> list[Any]:
    """All rows of the database, to see that nothing was written."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return [sorted(map(repr, connection.execute(f"SELECT * FROM {name}"))) for name in sorted(tables)]


# -- performed ---------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("W1")
@pytest.mark.behaviour("W4")
@pytest.mark.behaviour("W6")
@pytest.mark.behaviour("W14")
async def test_a_call_that_is_put_off_has_not_run_until_it_is_due_and_its_result_returns(tmp_path: Path) -> None:
    bank = Ledger()
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        assert ((await kit.session(session_id)).status, bank.paid) == ("waiting", [])
        assert await kit.outcome(session_id) is None
        await kit.restart()
        await kit.advance(HOUR - timedelta(seconds=1))
        assert bank.paid == []
        await kit.advance(timedelta(seconds=1))
        assert bank.paid == [("A", "pay")]
        assert (await kit.session(session_id)).status == "idle"
        (execution,) = (await kit.timeline(session_id)).executions
        assert (execution.status, execution.outcome_json is None) == ("ended", False)
        assert await kit.runtime.actions.waiting(tenant="default") == ()
    assert bank.results() == {"c1": "paid A"}


@pytest.mark.behaviour("W6")
@pytest.mark.parametrize("by", ["supervisor", "host"])
async def test_a_call_that_was_put_off_leaves_the_same_record_as_one_that_ran_at_once(tmp_path: Path, by: str) -> None:
    async def ran(schedule: Callable[[GatedCall], Verdict], name: str) -> tuple[Any, list[str], dict[str | None, str]]:
        bank = Ledger(schedule)
        async with Kit(build=bank.app, path=tmp_path / name).running() as kit:
            session_id = await kit.start("bank", "go")
            if bank.paid == []:
                await kit.restart()
                await (kit.advance(HOUR) if by == "supervisor" else perform(kit, await ticket_in(kit)))
            (execution,) = (await kit.timeline(session_id)).executions
            events = (await kit.timeline(session_id)).events
        (record,) = [(event.key, from_json(event.body_json)) for event in events if event.kind == "tool_replied"]
        assert bank.paid == [("A", "pay")]
        return record, [key.removeprefix(execution.execution_id) for key in bank.keys], bank.results()

    at_once = await ran(lambda _: Allow(), "at-once.db")
    assert await ran(put_off(due=HOUR if by == "supervisor" else None), "later.db") == at_once


@pytest.mark.behaviour("W4")
@pytest.mark.behaviour("W10")
@pytest.mark.behaviour("W12")
async def test_a_host_performs_the_committed_ticket_and_the_call_runs_as_committed(tmp_path: Path) -> None:
    bank = Ledger(put_off())
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        await kit.advance(timedelta(days=400))
        assert bank.paid == []
        ticket = await ticket_in(kit)
        assert (ticket.correlation_id, ticket.tool, ticket.arguments) == ("pay:c1", "pay", {"to": "A"})
        assert (ticket.due_at_ms, ticket.deadline_at_ms, ticket.action_kind) == (None, None, None)
        (execution,) = (await kit.timeline(session_id)).executions
        assert (ticket.execution_id, ticket.fingerprint) == (execution.execution_id, execution.fingerprint)
        assert (ticket.session_id, ticket.owner, ticket.bot, ticket.call_id) == (session_id, "olga", "bank", "c1")
        assert len(ticket.digest) == 64
        await kit.restart()
        performed = await perform(kit, ticket)
        assert performed.session_id == session_id
        audit = await kit.store.audit(tenant="default", limit=10)
    assert bank.paid == [("A", "pay")]
    assert bank.results() == {"c1": "paid A"}
    assert [(entry.resolution, entry.responder) for entry in audit] == [("fired", "host")]


async def test_calls_that_are_put_off_side_by_side_go_on_by_themselves(tmp_path: Path) -> None:
    bank = Ledger(put_off(), replies=[calls_all(pays("A", "c1"), pays("B", "c2"))])
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        tickets = {ticket.call_id: ticket for ticket in await kit.runtime.actions.waiting(tenant="default")}
        await perform(kit, tickets["c2"])
        assert bank.paid == [("B", "pay")]
        await perform(kit, tickets["c1"])
    assert bank.paid == [("B", "pay"), ("A", "pay")]
    assert len(set(bank.keys)) == 2
    assert bank.results() == {"c1": "paid A", "c2": "paid B"}


async def test_a_call_that_is_due_in_the_past_runs_at_once(tmp_path: Path) -> None:
    bank = Ledger(put_off(due=-HOUR))
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        await kit.advance(timedelta(milliseconds=1))
    assert bank.paid == [("A", "pay")]


async def test_a_call_may_have_to_be_approved_and_be_put_off_and_then_wait_for_its_own_answer(tmp_path: Path) -> None:
    @tool(answer=str)
    async def choose(what: str) -> Any: ...

    bank = Ledger(replies=[calls("choose", {"what": "a seat"}, call_id="c1")])
    gate = Always(name="always", asks=FINANCE)
    async with Kit(build=lambda: bank.app(gates=[gate], more=[choose]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        for kind, key in (("ask", "approval#0"), ("action", "scheduled#0"), ("ask", "answer#0")):
            (pause,) = await kit.pending()
            assert (pause.kind, pause.key.rpartition("/")[2]) == (kind, key)
            await kit.restart()
            if key == "approval#0":
                await kit.answer("finance", text="yes")
            elif kind == "action":
                await kit.advance(HOUR)
            else:
                await kit.answer("choose", decision="on the left")
    assert bank.results() == {"c1": "on the left"}


async def test_of_several_gates_the_latest_time_counts(tmp_path: Path) -> None:
    bank = Ledger()
    gate = Predicate(name="weekend", check=put_off(due=3 * HOUR), asks=FINANCE)
    async with Kit(build=lambda: bank.app(gates=[gate]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        await kit.advance(2 * HOUR)
        assert bank.paid == []
        await kit.advance(HOUR)
    assert bank.paid == [("A", "pay")]


# -- once --------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("W5")
async def test_performing_a_ticket_twice_runs_it_once_and_writes_nothing_the_second_time(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    bank = Ledger(put_off())
    async with Kit(build=bank.app, path=path).running() as kit:
        await kit.start("bank", "go")
        ticket = await ticket_in(kit)
        await perform(kit, ticket)
        before = written(path)
        for by in ("host", "another"):
            with pytest.raises(ActionNotWaitingError, match="performed by host already"):
                await perform(kit, ticket, by=by)
        assert written(path) == before
    assert bank.paid == [("A", "pay")]


@pytest.mark.behaviour("W5")
@pytest.mark.parametrize("seed", range(5))
async def test_of_many_who_perform_at_once_one_does(tmp_path: Path, seed: int) -> None:
    bank = Ledger(put_off(due=HOUR) if seed % 2 else put_off())
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        ticket = await ticket_in(kit)
        if ticket.due_at_ms is not None:
            kit.freeze()  # neither the supervisor nor a host gets anything written before all of them have looked
            await kit.clock.advance(ms=int(HOUR.total_seconds() * 1000))
        performing = [
            asyncio.create_task(kit.runtime.perform_scheduled_action(ticket, by=f"host {index}")) for index in range(8)
        ]
        await asyncio.wait(performing, timeout=0.05)
        kit.thaw()
        done = await asyncio.gather(*performing, return_exceptions=True)
        await kit.settle()
    performed = [each for each in done if isinstance(each, Performed)]
    assert len(performed) == (1 if ticket.due_at_ms is None else len(performed))
    assert len(performed) <= 1
    assert all(isinstance(each, Performed | ActionNotWaitingError) for each in done)
    assert bank.paid == [("A", "pay")]


# -- exactly as committed ----------------------------------------------------------------------------------------------
CHANGES: dict[str, Callable[[Ticket], Ticket]] = {
    "correlation_id": lambda ticket: replace(ticket, correlation_id="pay:c2"),
    "session_id": lambda ticket: replace(ticket, session_id="another"),
    "execution_id": lambda ticket: replace(ticket, execution_id="another"),
    "step": lambda ticket: replace(ticket, step="/other#0"),
    "owner": lambda ticket: replace(ticket, owner="eve"),
    "call_id": lambda ticket: replace(ticket, call_id="c2"),
    "tool": lambda ticket: replace(ticket, tool="refund"),
    "arguments": lambda ticket: replace(ticket, arguments={"to": "B"}),
    "digest": lambda ticket: replace(ticket, digest="0" * 64),
    "fingerprint": lambda ticket: replace(ticket, fingerprint="0" * 32),
    "action_kind": lambda ticket: replace(ticket, action_kind="other"),
    "due_at_ms": lambda ticket: replace(ticket, due_at_ms=1),
    "deadline_at_ms": lambda ticket: replace(ticket, deadline_at_ms=None),
    "committed_at_ms": lambda ticket: replace(ticket, committed_at_ms=True),
    "bot": lambda ticket: replace(ticket, bot="another"),
    "marks": lambda ticket: replace(ticket, marks={"properties": {}}),
}


def test_every_part_of_a_ticket_is_changed_in_turn() -> None:
    """But for those by which it is looked up."""
    assert CHANGES.keys() | {"ticket_id", "tenant"} == {each.name for each in fields(Ticket)}


@pytest.mark.behaviour("W11")
@pytest.mark.behaviour("W12")
@pytest.mark.behaviour("W32")
async def test_a_ticket_that_differs_in_any_part_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    bank = Ledger(put_off(deadline=timedelta(days=1)))
    async with Kit(build=bank.app, path=path).running() as kit:
        await kit.start("bank", "go")
        ticket = await ticket_in(kit)
        before = written(path)
        for part, change in CHANGES.items():
            with pytest.raises(ActionMismatchError, match=part):
                await perform(kit, change(ticket))
        for unknown in (replace(ticket, ticket_id="0" * 32), replace(ticket, tenant="acme")):
            with pytest.raises(ActionUnknownError):
                await perform(kit, unknown)
        for nobody in (" ", "host\ud800"):
            with pytest.raises(PauseInvalidAnswerError):
                await perform(kit, ticket, by=nobody)
        assert (written(path), bank.paid) == (before, [])
        await perform(kit, ticket)
    assert bank.paid == [("A", "pay")]


@pytest.mark.behaviour("W8")
async def test_a_session_that_waits_for_something_else_performs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    bank = Ledger(lambda _: Allow())
    async with Kit(build=lambda: bank.app(gates=[Always(name="always", asks=FINANCE)]), path=path).running() as kit:
        await kit.start("bank", "go")
        question = await kit.question("finance")
        guessed = Ticket(
            ticket_id=question.pause_id,
            correlation_id="pay:c1",
            action_kind=None,
            tenant="default",
            owner="olga",
            session_id=question.session_id,
            execution_id=question.execution_id,
            step=question.key,
            bot="bank",
            call_id="c1",
            tool="pay",
            arguments={"to": "A"},
            digest="",
            fingerprint="",
            committed_at_ms=0,
            due_at_ms=None,
            deadline_at_ms=None,
        )
        before = written(path)
        with pytest.raises(ActionUnknownError):
            await perform(kit, guessed)
        assert (written(path), bank.paid) == (before, [])


@pytest.mark.behaviour("W5")
@pytest.mark.parametrize("end", ["cancelled", "expired", "failed", "blocked", "withdrawn"])
async def test_a_ticket_whose_session_waits_for_it_no_more_runs_nothing_and_writes_nothing(
    tmp_path: Path, end: str
) -> None:
    path = tmp_path / "w.db"
    bank = Ledger(put_off(deadline=HOUR))

    def build() -> App:
        app = bank.app()
        (agent,) = app.agents

        @workflow(version="1")
        async def hurry(run: Run) -> list[str]:
            async def stop(run: Run) -> str:
                return await run.ask(OFFICE, "Shall we stop?")

            async def pay(run: Run) -> str:
                return await run.agent(agent, "pay A")

            return await run.gather(stop, pay, join=First())

        return replace(app, workflows=[hurry], channels={FINANCE: bank.channel, OFFICE: bank.channel})

    kit = Kit(build=build, path=path)
    async with kit.running():
        session_id = await kit.start(*(("hurry", {}) if end == "withdrawn" else ("bank", "go")))
        ticket = await ticket_in(kit)
        match end:
            case "cancelled":
                cancelling = kit.runtime.answering.cancel
                await cancelling(tenant="default", pause_id=ticket.ticket_id, by="op", reason="wrong account")
            case "expired":
                await kit.advance(HOUR)
            case "withdrawn":
                await kit.answer("office", decision="yes")
            case _:
                with closing(sqlite3.connect(path)) as connection, connection:
                    connection.execute(f"UPDATE sessions SET status = '{end}', reason = 'x: y'")
                await kit.restart()
        await kit.settle()
        before = written(path)
        with pytest.raises(ActionNotWaitingError):
            await perform(kit, ticket)
        assert written(path) == before
        await kit.restart()
        await kit.advance(timedelta(days=2))
        assert (await kit.session(session_id)).status != "running"
    assert bank.paid == []


@pytest.mark.behaviour("W8")
@pytest.mark.parametrize("waits_for", ["a timer", "an answer", "its owner"])
async def test_what_waits_for_something_else_is_no_ticket_whatever_it_waits_for(tmp_path: Path, waits_for: str) -> None:
    path = tmp_path / "w.db"

    @tool(answer=str)
    async def choose(what: str) -> Any: ...

    @tool
    async def nap(run: Run) -> str:
        """Sleep for ten minutes."""
        await run.sleep(timedelta(minutes=10))
        return "rested"

    call = {
        "a timer": calls("nap", call_id="c2"),
        "an answer": calls("choose", {"what": "a seat"}, call_id="c2"),
        "its owner": calls("ask_user", {"prompt": "Which?"}, call_id="c2"),
    }[waits_for]
    bank = Ledger(lambda each: put_off()(each) if each.tool == "pay" else Allow(), replies=[calls_all(pays("A"), call)])
    more = [choose, ask_user, nap]
    async with Kit(build=lambda: bank.app(more=more), path=path).running() as kit:
        await kit.start("bank", "go", surface="workspace")
        other = next(pause for pause in await kit.pending() if pause.kind != "action")
        ticket = await ticket_in(kit)
        before = written(path)
        with pytest.raises(ActionUnknownError):
            await perform(kit, replace(ticket, ticket_id=other.pause_id, step=other.key, call_id="c2"))
        for credential in (OwnerCredential(owner="olga"), ChannelCredential(answered_by="mara")):
            with pytest.raises(PauseUnknownError):
                await kit.runtime.answering.answer(
                    tenant="default",
                    pause_id=ticket.ticket_id,
                    answer=Decision(value={"approved": True}),
                    credential=credential,
                )
        assert (written(path), bank.paid) == (before, [])


@pytest.mark.behaviour("W11")
async def test_too_early_and_too_late_perform_nothing(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    bank = Ledger(put_off(due=HOUR))
    async with Kit(build=bank.app, path=path).running() as kit:
        await kit.start("bank", "go")
        ticket = await ticket_in(kit)
        before = written(path)
        with pytest.raises(ActionNotDueError):
            await perform(kit, ticket)
        assert written(path) == before
    late = Ledger(put_off(deadline=HOUR))
    async with Kit(build=late.app, path=tmp_path / "late.db").running() as kit:
        session_id = await kit.start("bank", "go")
        ticket = await ticket_in(kit)
        kit.freeze()
        await kit.clock.advance(ms=int(HOUR.total_seconds() * 1000))
        with pytest.raises(ActionExpiredError):
            await kit.runtime.perform_scheduled_action(ticket, by="host")
        kit.thaw()
        await kit.settle()
        with pytest.raises(ActionNotWaitingError, match="deadline passed"):
            await perform(kit, ticket)
        assert (await kit.session(session_id)).status == "idle"
    assert (bank.paid, late.paid) == ([], [])
    assert late.results() == {"c1": "The call was put off, and its deadline passed before it ran. It did not run."}


@pytest.mark.behaviour("W11")
@pytest.mark.parametrize(
    ("times", "at_ms", "error"),
    [
        ({"due": HOUR}, 3_599_999, ActionNotDueError),
        ({"due": HOUR}, 3_600_000, None),
        ({"deadline": HOUR}, 3_599_999, None),
        ({"deadline": HOUR}, 3_600_000, ActionExpiredError),
        ({"due": HOUR, "deadline": 2 * HOUR}, 3_600_000, None),
        ({"due": HOUR, "deadline": 2 * HOUR}, 7_200_000, ActionExpiredError),
    ],
)
async def test_a_ticket_is_good_from_its_time_on_until_its_deadline_to_the_millisecond(
    tmp_path: Path, times: dict[str, timedelta], at_ms: int, error: type[Exception] | None
) -> None:
    bank = Ledger(put_off(**times))
    kit = Kit(build=bank.app, path=tmp_path / "w.db")
    async with kit.running():
        await kit.start("bank", "go")
        ticket = await ticket_in(kit)
        kit.runtime.supervisor.stop()
        await kit.settle()
        await kit.clock.advance(ms=at_ms)
        if error is None:
            await kit.runtime.perform_scheduled_action(ticket, by="host")
            await kit.restart()
            await kit.settle()
        else:
            before = written(tmp_path / "w.db")
            with pytest.raises(error):
                await kit.runtime.perform_scheduled_action(ticket, by="host")
            assert written(tmp_path / "w.db") == before
    assert bank.paid == ([("A", "pay")] if error is None else [])


async def test_what_was_due_while_nobody_ran_is_not_run_after_its_deadline(tmp_path: Path) -> None:
    bank = Ledger(put_off(due=HOUR, deadline=2 * HOUR))
    kit = Kit(build=bank.app, path=tmp_path / "w.db")
    async with kit.running():
        await kit.start("bank", "go")
        await kit.close()
        await kit.clock.advance(ms=int(3 * HOUR.total_seconds() * 1000))
        await kit.open()
        await kit.settle()
    assert bank.paid == []
    assert "deadline passed" in bank.results()["c1"]


@pytest.mark.behaviour("W11")
@pytest.mark.case("ti10")
@pytest.mark.parametrize("deadline", [None, 2 * HOUR])
async def test_a_clock_that_is_set_back_as_a_call_comes_due_ends_no_wait_for_it(
    tmp_path: Path, deadline: timedelta | None
) -> None:
    bank = Ledger(put_off(due=HOUR, deadline=deadline))
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        (pause,) = await kit.pending()
        assert not await kit.runtime.answering.pass_deadline(pause)
        assert await kit.pending() == (pause,)
        await kit.advance(HOUR)
        assert bank.paid == [("A", "pay")]


async def test_code_that_is_not_deployed_as_it_was_performs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    bank = Ledger(put_off())

    @tool
    async def more() -> str:
        """More."""
        return ""

    kit = Kit(build=bank.app, path=path)
    async with kit.running():
        await kit.start("bank", "go")
        ticket = await ticket_in(kit)
        kit._build = lambda: bank.app(more=[more])  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        before = written(path)
        with pytest.raises(SessionDefinitionChangedError):
            await perform(kit, ticket)
        assert (written(path), bank.paid) == (before, [])
        kit._build = bank.app  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        await perform(kit, ticket)
    assert bank.paid == [("A", "pay")]


# -- ended otherwise ---------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("W15")
async def test_a_cancel_clears_the_ticket_and_what_comes_later_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    bank = Ledger(put_off(due=HOUR))
    async with Kit(build=bank.app, path=path).running() as kit:
        session_id = await kit.start("bank", "go")
        ticket = await ticket_in(kit)
        await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="op", reason="wrong account")
        await kit.settle()
        assert await kit.runtime.actions.waiting(tenant="default") == ()
        before = written(path)
        with pytest.raises(ActionNotWaitingError, match="cancelled by op"):
            await perform(kit, ticket)
        await kit.advance(2 * HOUR)
        assert written(path) == before
        assert (await kit.session(session_id)).status == "cancelled"
    assert bank.paid == []


async def test_an_operator_cancels_one_call_and_the_model_reads_it(tmp_path: Path) -> None:
    bank = Ledger()
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        (pause,) = await kit.pending()
        await kit.runtime.answering.cancel(tenant="default", pause_id=pause.pause_id, by="op", reason="wrong account")
        await kit.settle()
        assert (await kit.session(session_id)).status == "idle"
        await kit.advance(2 * HOUR)
    assert bank.paid == []
    assert bank.results() == {"c1": "The call was put off, and it was cancelled: wrong account. It did not run."}


@pytest.mark.behaviour("W7")
async def test_what_was_not_committed_is_never_performed(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    judged: list[str] = []

    def schedule(call: GatedCall) -> Verdict:
        judged.append(call.call_id)
        kits[0].freeze()
        return Schedule(correlation_id=f"pay:{call.call_id}", due=HOUR)

    bank = Ledger(schedule)
    kits = [Kit(build=bank.app, path=path)]
    async with kits[0].running() as kit:
        starting = asyncio.create_task(kit.start("bank", "go"))
        while not judged:
            await asyncio.wait({starting}, timeout=0.01)
        starting.cancel()
        await asyncio.wait({starting})
    # The process has died between the gate's word and its commit.
    with closing(sqlite3.connect(path)) as connection:
        assert list(connection.execute("SELECT * FROM pauses")) == []
        assert list(connection.execute("SELECT * FROM ledger WHERE kind = 'gates_judged'")) == []
    bank.schedule = lambda call: Allow()
    async with Kit(build=bank.app, path=path, clock=kits[0].clock).running() as kit:
        await kit.advance(2 * HOUR)
        assert await kit.runtime.actions.waiting(tenant="default") == ()
    assert (judged, bank.paid) == (["c1"], [("A", "pay")])


# -- kinds of action ---------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("W9")
async def test_hosts_find_the_tickets_of_the_kinds_they_perform(tmp_path: Path) -> None:
    bank = Ledger(put_off(action_kind="billing.settle"))
    billing = Plugin(name="billing", action_kinds=["billing.settle", "billing.void"])
    async with Kit(build=lambda: bank.app(plugins=[billing]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        actions = kit.runtime.actions
        assert await actions.waiting(tenant="default", action_kind="billing.void") == ()
        assert await actions.waiting(tenant="acme") == ()
        (ticket,) = await actions.waiting(tenant="default", action_kind="billing.settle", session_id=session_id)
        await perform(kit, ticket)
    assert bank.paid == [("A", "pay")]


@pytest.mark.behaviour("W9")
@pytest.mark.parametrize("is_plugins", [True, False])
async def test_a_kind_that_a_gate_may_not_name_is_never_committed(tmp_path: Path, is_plugins: bool) -> None:
    bank = Ledger(put_off(action_kind="nobodys") if not is_plugins else lambda _: Allow())
    shipping = Plugin(name="shipping", action_kinds=["shipping.send"])
    trespasser = Predicate(name="trespasser", check=put_off(action_kind="shipping.send"), asks=FINANCE)
    billing = Plugin(name="billing", action_kinds=["billing.settle"], gates=[trespasser] if is_plugins else [])
    async with Kit(build=lambda: bank.app(plugins=[billing, shipping]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        outcome = await kit.outcome(session_id)
        assert (await kit.timeline(session_id)).pauses == ()
    assert outcome["code"] == ActionKindUnknownError.code
    assert bank.paid == []


async def test_gates_that_name_different_kinds_deny(tmp_path: Path) -> None:
    bank = Ledger(put_off(action_kind="billing.settle"))
    billing = Plugin(name="billing", action_kinds=["billing.settle"])
    other = Predicate(name="other", check=put_off(due=HOUR), asks=FINANCE)
    async with Kit(build=lambda: bank.app(gates=[other], plugins=[billing]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
    assert bank.paid == []
    assert "different kinds of action (billing.settle, none)" in bank.results()["c1"]


@pytest.mark.behaviour("W9")
@pytest.mark.parametrize(
    "plugins",
    [
        [Plugin(name="a", action_kinds=["x"]), Plugin(name="b", action_kinds=["x"])],
        [Plugin(name="a", action_kinds=["x", "x"])],
        [Plugin(name="a", action_kinds=[" "])],
        [Plugin(name="a", action_kinds="x")],
        [Plugin(name="a"), Plugin(name="a")],
    ],
)
def test_kinds_belong_to_one_plugin_each(plugins: list[Plugin]) -> None:
    with pytest.raises(AssemblyError, match=r"assembly\.(action-kind|duplicate-name)"):
        Ledger().app(plugins=plugins).check()


async def test_a_ticket_that_cannot_be_read_is_a_loud_error(tmp_path: Path) -> None:
    bank = Ledger(put_off())
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        (pause,) = await kit.pending()
        with pytest.raises(SessionCorruptError, match="ticket of step"):
            ticket_of(replace(pause, ask_json='{"bot": "bank"}'))
