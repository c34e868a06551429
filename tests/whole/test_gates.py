"""Gates on tool calls, in whole sessions: who is asked, what runs, what is recorded, what a restart changes (nothing)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from overwinter.actors.budgets import Budget
from overwinter.actors.events import EventKind
from overwinter.actors.jsontext import from_json, to_json
from overwinter.actors.messages import ModelReply, ModelRequest
from overwinter.actors.ports import Model
from overwinter.actors.retries import Retry
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError
from overwinter.bots.plugins import Plugin
from overwinter.bots.policies.gates import Always, Gate, Predicate
from overwinter.bots.policies.judge import VERDICT_TOOL, Judge
from overwinter.bots.policies.verdicts import Allow, Ask, Deny, GatedCall, Verdict
from overwinter.bots.privacy import Sensitive
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import Tool, ToolCall, tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole

FINANCE = ApprovalRole(name="finance", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())
DIRECTOR = ApprovalRole(name="director", answered_by=Answerer.CHANNEL, deadline=timedelta(days=1))

Check = Callable[[GatedCall], Verdict]


class Bank:
    """An app with one tool behind gates; ``paid`` and ``judged`` outlive every restart of it."""

    def __init__(self, *replies: ModelReply) -> None:
        self.paid: list[str] = []
        self.approved_by: list[str | None] = []
        self.judged: list[GatedCall] = []
        self.script = ScriptedModel.by_turn([*replies, says("ok")])
        self.channel = RecordingChannel()

    def predicate(
        self, check: Check, *, name: str = "amount", asks: ApprovalRole = FINANCE, shadow: bool = False
    ) -> Gate:
        def judge(call: GatedCall) -> Verdict:
            self.judged.append(call)
            return check(call)

        return Predicate(name=name, check=judge, asks=asks, shadow=shadow)

    def app(self, gates: Sequence[Gate] = (), *, of_app: Sequence[Gate] = (), more: Sequence[Tool] = ()) -> App:
        @tool
        async def pay(amount: Decimal, call: ToolCall[Any]) -> str:
            """Pay."""
            self.paid.append(str(amount))
            self.approved_by.append(call.approved_by)
            return f"paid {amount}"

        agent = Agent(name="bank", tools=[pay, *more], model=self.script, gates=gates)
        return App(name="a", agents=[agent], gates=of_app, channels={FINANCE: self.channel, DIRECTOR: self.channel})

    def results(self) -> dict[str | None, str]:
        return {
            message.call_id: message.content for message in self.script.requests[-1].messages if message.role == "tool"
        }


def pays(amount: str, call_id: str = "c1") -> ModelReply:
    return calls("pay", {"amount": amount}, call_id=call_id)


def over(limit: int) -> Check:
    return lambda call: (
        Ask(reason=f"more than {limit}") if Decimal(call.arguments["amount"]) > limit else Allow(reason="small")
    )


def denies(limit: int) -> Check:
    return lambda call: Deny(reason="far too much") if Decimal(call.arguments["amount"]) > limit else Allow()


async def log_of(kit: Kit, session_id: str) -> list[dict[str, Any]]:
    events = (await kit.timeline(session_id)).events
    return [from_json(event.body_json) for event in events if event.kind == EventKind.GATES_JUDGED]


# -- what happens to a call --------------------------------------------------------------------------------------------
async def test_what_a_gate_allows_runs_and_nobody_is_asked(tmp_path: Path) -> None:
    bank = Bank(pays("20"))
    async with Kit(build=lambda: bank.app([bank.predicate(over(50))]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
    assert (bank.paid, bank.approved_by, bank.channel.asks) == (["20"], [None], [])


@pytest.mark.behaviour("P28")
@pytest.mark.behaviour("W32")
async def test_a_denied_call_never_runs_and_the_model_reads_why(tmp_path: Path) -> None:
    bank = Bank(pays("2000"))
    async with Kit(build=lambda: bank.app([bank.predicate(denies(1000))]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        assert (await kit.session(session_id)).status == "idle"
        assert (await kit.timeline(session_id)).pauses == ()
    assert (bank.paid, bank.channel.asks) == ([], [])
    assert bank.results() == {"c1": "Denied by amount: far too much. The call did not run."}


@pytest.mark.behaviour("P28")
async def test_the_gate_comes_before_any_effect_of_the_call(tmp_path: Path) -> None:
    ran: list[str] = []

    @tool(answer=str)
    async def book(call: ToolCall[str], hotel: str) -> str:
        """Book."""
        ran.append("body")
        return "booked"

    @book.prepare
    async def _(call: ToolCall[Any], hotel: str) -> None:  # pyright: ignore[reportUnusedFunction]
        ran.append("prepare")

    bank = Bank(calls("book", {"hotel": "Ritz"}, call_id="c1"))
    gate = bank.predicate(lambda _: Ask(reason="hotels are dear"))
    async with Kit(build=lambda: bank.app([gate], more=[book]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        assert ran == []
        await kit.answer("finance", text="no")
    assert ran == []
    assert bank.results()["c1"].startswith("Rejected by mara")


async def test_a_person_is_told_why_they_are_asked(tmp_path: Path) -> None:
    bank = Bank(pays("80"))
    async with Kit(build=lambda: bank.app([bank.predicate(over(50))]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        assert bank.channel.asks[0].prompt.endswith("\nWhy you are asked: more than 50")
        await kit.restart()
        await kit.answer("finance", text="yes")
    assert (bank.paid, bank.approved_by) == (["80"], ["mara"])


@pytest.mark.behaviour("P32")
async def test_a_gate_that_breaks_asks_a_person_with_the_reason(tmp_path: Path) -> None:
    bank = Bank(pays("20"))

    def breaks(call: GatedCall) -> Verdict:
        raise KeyError("limit")

    async with Kit(build=lambda: bank.app([bank.predicate(breaks)]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        assert "amount could not say whether this may run: it failed with KeyError" in bank.channel.asks[0].prompt
        assert bank.paid == []
        await kit.answer("finance", decision={"approved": True})
    assert bank.paid == ["20"]


@pytest.mark.behaviour("P34")
@pytest.mark.parametrize("end", ["timed out", "cancelled"])
async def test_a_question_that_ends_without_an_answer_is_a_rejection(tmp_path: Path, end: str) -> None:
    bank = Bank(pays("80"))
    gate = bank.predicate(over(50), asks=DIRECTOR)
    async with Kit(build=lambda: bank.app([gate]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        if end == "timed out":
            await kit.advance(timedelta(days=2))
        else:
            asked = await kit.question("director")
            await kit.runtime.answering.cancel(tenant="default", pause_id=asked.pause_id, by="op", reason="closed")
            await kit.settle()
    assert bank.paid == []
    assert bank.results()["c1"].startswith("Rejected:")
    assert end in bank.results()["c1"]


@pytest.mark.behaviour("P31")
async def test_a_gate_sees_who_calls_what_for_whom_and_when(tmp_path: Path) -> None:
    bank = Bank(pays("20.50"))
    kit = Kit(build=lambda: bank.app([bank.predicate(over(50))]), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("bank", "go", owner="olga", surface="workspace")
        now_ms = kit.clock.now_ms()
    (call,) = bank.judged
    assert (call.tool, call.arguments, call.call_id, call.agent) == ("pay", {"amount": "20.50"}, "c1", "bank")
    assert (call.session_id, call.tenant, call.owner, call.surface) == (session_id, "default", "olga", "workspace")
    assert call.requested_at.timestamp() * 1000 == now_ms


# -- several gates -----------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("W30")
async def test_a_denial_stands_whatever_others_say(tmp_path: Path) -> None:
    bank = Bank(pays("2000"))
    gates = [bank.predicate(over(50)), bank.predicate(lambda _: Allow(), name="friendly")]
    build = lambda: bank.app(gates, of_app=[bank.predicate(denies(1000), name="ceiling")])  # noqa: E731
    async with Kit(build=build, path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
    assert (bank.paid, bank.channel.asks) == ([], [])


async def test_each_role_that_is_asked_must_approve(tmp_path: Path) -> None:
    bank = Bank(pays("80"))
    gates = [bank.predicate(over(50)), Always(name="always", asks=DIRECTOR)]
    async with Kit(build=lambda: bank.app(gates), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        await kit.answer("finance", text="yes", by="mara")
        await kit.restart()
        assert bank.paid == []
        await kit.answer("director", decision={"approved": True}, by="dora")
    assert (bank.paid, bank.approved_by) == (["80"], ["mara, dora"])


async def test_a_gate_judges_only_the_tools_it_names(tmp_path: Path) -> None:
    @tool
    async def look() -> str:
        """Look."""
        return "seen"

    bank = Bank(calls_all(pays("80", "c1"), calls("look", call_id="c2")))
    gate = Always(name="always", asks=FINANCE, tools=["pay"])
    async with Kit(build=lambda: bank.app([gate], more=[look]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        assert await kit.tool_results(session_id) == {"c2": "seen"}
        assert [ask.form.tool for ask in bank.channel.asks] == ["pay"]  # type: ignore[union-attr]


@pytest.mark.behaviour("P33")
async def test_an_approval_lets_one_call_through_and_the_same_call_later_is_asked_again(tmp_path: Path) -> None:
    bank = Bank(pays("80", "c1"), pays("80", "c1"), calls_all(pays("80", "c2"), pays("80", "c3")))
    async with Kit(build=lambda: bank.app([bank.predicate(over(50))]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        for paid in (1, 2):
            await kit.answer("finance", text="yes")
            assert len(bank.paid) == paid
        assert len(await kit.pending()) == 2
        await kit.answer("finance", text="yes")
        assert len(bank.paid) == 3
        await kit.answer("finance", text="no")
    assert len(bank.paid) == 3


# -- edited, read otherwise, rewritten ---------------------------------------------------------------------------------
async def test_an_edited_call_is_judged_again_as_edited(tmp_path: Path) -> None:
    bank = Bank(pays("80"))
    gates = [bank.predicate(over(50)), bank.predicate(over(500), name="large", asks=DIRECTOR)]
    async with Kit(build=lambda: bank.app(gates), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        await kit.answer("finance", decision={"approved": True, "override_arguments": {"amount": "800"}})
        assert bank.paid == []
        assert [pause.role for pause in await kit.pending()] == ["director"]
        await kit.restart()
        await kit.answer("director", decision={"approved": True}, by="dora")
        assert [len(entry["findings"]) for entry in await log_of(kit, session_id)] == [2, 2]
    assert (bank.paid, bank.approved_by) == (["800"], ["mara, dora"])
    assert "mara approved this call with other arguments" in bank.results()["c1"]


async def test_a_person_cannot_edit_a_call_into_one_that_is_denied(tmp_path: Path) -> None:
    bank = Bank(pays("80"))
    gates = [bank.predicate(over(50)), bank.predicate(denies(1000), name="ceiling")]
    async with Kit(build=lambda: bank.app(gates), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        await kit.answer("finance", decision={"approved": True, "override_arguments": {"amount": "8000"}})
    assert bank.paid == []
    assert bank.results()["c1"].startswith("Denied by ceiling")


async def test_what_one_role_edits_the_role_before_it_approves_anew(tmp_path: Path) -> None:
    bank = Bank(pays("800"))
    gates = [bank.predicate(over(50)), bank.predicate(over(500), name="large", asks=DIRECTOR)]
    async with Kit(build=lambda: bank.app(gates), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        await kit.answer("finance", text="yes")
        await kit.answer("director", decision={"approved": True, "override_arguments": {"amount": "600"}}, by="dora")
        assert bank.paid == []
        await kit.answer("finance", text="yes")
    assert bank.paid == ["600"]


@pytest.mark.case("du16")
async def test_a_call_that_reads_otherwise_now_is_judged_and_asked_again(tmp_path: Path) -> None:
    ran: list[str] = []
    judged: list[str] = []
    script = ScriptedModel.by_turn([calls("send", {"to": "A"}), says("ok")])

    def build(suffix: str) -> App:
        def marked(value: str) -> str:
            return value if value.endswith(suffix) else value + suffix

        async def send(to: str) -> str:
            ran.append(to)
            return "sent"

        def check(call: GatedCall) -> Verdict:
            judged.append(call.arguments["to"])
            return Ask()

        send.__annotations__ = {"to": Annotated[str, AfterValidator(marked)], "return": str}
        gate = Predicate(name="p", check=check, asks=FINANCE)
        agent = Agent(name="b", tools=[tool(gates=[gate])(send)], model=script)
        return App(name="a", agents=[agent], channels={FINANCE: RecordingChannel()})

    kit = Kit(build=lambda: build(""), path=tmp_path / "w.db")
    async with kit.running():
        await kit.start("b", "go")
        kit._build = lambda: build("!")  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        await kit.answer("finance", text="yes")
        assert ran == []
        await kit.answer("finance", text="yes")
    assert (ran, judged) == (["A!"], ["A", "A!"])


@pytest.mark.case("du16")
async def test_what_prepare_rewrites_is_judged_and_approved_as_rewritten(tmp_path: Path) -> None:
    booked: list[int] = []

    @tool(answer=str)
    async def book(call: ToolCall[str], nights: int) -> str:
        """Book."""
        booked.append(nights)
        return "booked"

    @book.prepare
    async def _(call: ToolCall[Any], nights: int) -> dict[str, int]:  # pyright: ignore[reportUnusedFunction]
        return {"nights": nights * 2}

    bank = Bank(calls("book", {"nights": 2}, call_id="c1"))
    gate = bank.predicate(lambda call: Ask() if call.arguments["nights"] > 3 else Allow())
    async with Kit(build=lambda: bank.app([gate], more=[book]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        assert [pause.role for pause in await kit.pending()] == ["finance"]
        await kit.restart()
        await kit.answer("finance", text="yes")
        await kit.answer("book", decision="with a view")
    assert (booked, [call.arguments["nights"] for call in bank.judged]) == ([4], [2, 4])


@pytest.mark.case("du16")
@pytest.mark.parametrize("shadow", [True, False])
async def test_a_gate_that_writes_into_its_call_changes_nothing_of_what_runs(tmp_path: Path, shadow: bool) -> None:
    def raises_it(call: GatedCall) -> Verdict:
        call.arguments["amount"] = call.arguments["amount"] + "0"
        return Allow()

    bank = Bank(pays("80"))
    gates = [bank.predicate(over(50)), bank.predicate(raises_it, name="careless", shadow=shadow)]
    async with Kit(build=lambda: bank.app(gates), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        assert [ask.form.arguments for ask in bank.channel.asks] == [{"amount": "80"}]  # type: ignore[union-attr]
        await kit.restart()
        await kit.answer("finance", text="yes")
        assert len(await log_of(kit, session_id)) == 1
    assert (bank.paid, bank.approved_by) == (["80"], ["mara"])


@pytest.mark.case("du16")
@pytest.mark.behaviour("P28")
async def test_what_prepare_writes_into_its_call_changes_nothing_of_what_runs(tmp_path: Path) -> None:
    booked: list[Any] = []

    @tool(answer=str)
    async def book(call: ToolCall[str], rooms: list[dict[str, Any]]) -> str:
        """Book."""
        booked.append((rooms, call.arguments, call.state))
        return "booked"

    @book.prepare
    async def _(call: ToolCall[Any], rooms: list[dict[str, Any]]) -> None:  # pyright: ignore[reportUnusedFunction]
        call.state["first"] = dict(rooms[0])
        call.arguments["rooms"][0]["nights"] = 100
        call.arguments["rooms"].append({"nights": 30})
        rooms[0]["nights"] = 90

    bank = Bank(calls("book", {"rooms": [{"nights": 1}]}, call_id="c1"))
    gate = bank.predicate(lambda call: Ask() if call.arguments["rooms"] != [{"nights": 1}] else Allow())
    async with Kit(build=lambda: bank.app([gate], more=[book]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        assert [pause.role for pause in await kit.pending()] == ["tool:book"]
        await kit.answer("book", decision="with a view")
    assert booked == [([{"nights": 1}], {"rooms": [{"nights": 1}]}, {"first": {"nights": 1}})]


async def test_what_an_attempt_writes_into_its_call_is_not_there_for_the_next(tmp_path: Path) -> None:
    seen: list[Any] = []

    @tool(asks=FINANCE, retry=Retry(attempts=3, backoff=timedelta()))
    async def pay_all(items: list[dict[str, int]], call: ToolCall[Any]) -> str:
        """Pay."""
        seen.append(([dict(item) for item in items], to_json([call.arguments, call.state])))
        items[0]["amount"] *= 2
        call.arguments["items"][0]["amount"] *= 2
        call.state["tried"] = True
        if len(seen) < 3:
            raise ConnectionError("no route to the bank")
        return "paid"

    bank = Bank(calls("pay_all", {"items": [{"amount": 8}]}, call_id="c1"))
    async with Kit(build=lambda: bank.app(more=[pay_all]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        await kit.answer("finance", text="yes")
        for _ in range(2):
            await kit.advance(timedelta(seconds=1))
    assert seen == [([{"amount": 8}], '[{"items":[{"amount":8}]},{}]')] * 3


# -- a gate on a tool that waits ---------------------------------------------------------------------------------------
@pytest.mark.behaviour("P29")
async def test_a_gated_tool_that_waits_waits_twice(tmp_path: Path) -> None:
    @tool(answer=str)
    async def choose(what: str) -> Any: ...

    bank = Bank(calls("choose", {"what": "a seat"}, call_id="c1"))
    gate = bank.predicate(lambda _: Ask())
    async with Kit(build=lambda: bank.app([gate], more=[choose]), path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        assert [pause.key.rpartition("/")[2] for pause in await kit.pending()] == ["approval#0"]
        await kit.restart()
        await kit.answer("finance", text="yes")
        assert [pause.key.rpartition("/")[2] for pause in await kit.pending()] == ["answer#0"]
        await kit.restart()
        await kit.answer("choose", decision="on the left")
    assert bank.results() == {"c1": "on the left"}
    assert len(bank.judged) == 1


# -- what is recorded --------------------------------------------------------------------------------------------------
async def test_a_verdict_is_recorded_and_a_replay_does_not_judge_again(tmp_path: Path) -> None:
    bank = Bank(pays("80"))
    async with Kit(build=lambda: bank.app([bank.predicate(over(50))]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        for _ in range(3):
            await kit.restart()
        await kit.answer("finance", text="yes")
        (entry,) = await log_of(kit, session_id)
    assert len(bank.judged) == 1
    assert (entry["tool"], entry["call_id"], entry["verdict"], len(entry["digest"])) == ("pay", "c1", "ask", 64)
    assert entry["findings"] == [
        {
            "policy": "amount",
            "verdict": "ask",
            "reason": "more than 50",
            "shadow": False,
            "failed": False,
            "role": "finance",
        }
    ]


async def test_a_shadow_gate_is_logged_and_changes_nothing(tmp_path: Path) -> None:
    bank = Bank(pays("2000"))
    gate = bank.predicate(denies(1000), name="ceiling", shadow=True)
    async with Kit(build=lambda: bank.app([gate]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        (entry,) = await log_of(kit, session_id)
    assert bank.paid == ["2000"]
    assert (entry["verdict"], [each["verdict"] for each in entry["findings"]]) == ("allow", ["deny"])
    assert entry["findings"][0]["shadow"] is True


async def test_a_call_without_gates_records_no_verdict(tmp_path: Path) -> None:
    bank = Bank(pays("20"))
    gate = Always(name="always", asks=FINANCE, tools=["look"])

    @tool
    async def look() -> str:
        """Look."""
        return "seen"

    async with Kit(build=lambda: bank.app([gate], more=[look]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        assert await log_of(kit, session_id) == []
    assert bank.paid == ["20"]


async def test_the_log_keeps_no_sensitive_value(tmp_path: Path) -> None:
    @tool
    async def charge(card: Annotated[str, Sensitive("mask")]) -> str:
        """Charge."""
        return "charged"

    bank = Bank(calls("charge", {"card": "4111111111111111"}, call_id="c1"))
    gate = bank.predicate(lambda call: Deny(reason=f"card {call.arguments['card']} is stolen"))
    async with Kit(build=lambda: bank.app([gate], more=[charge]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("bank", "go")
        (entry,) = await log_of(kit, session_id)
    assert "4111" not in str(entry)
    assert "4111" not in bank.results()["c1"]


async def test_adding_a_gate_blocks_a_sleeping_session_and_trying_one_in_shadow_does_not(tmp_path: Path) -> None:
    bank = Bank(pays("80"))
    first = [bank.predicate(over(50))]
    kit = Kit(build=lambda: bank.app(first), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("bank", "go")
        tried = [*first, bank.predicate(denies(10), name="tried", shadow=True)]
        kit._build = lambda: bank.app(tried)  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        assert (await kit.session(session_id)).status == "waiting"
        added = [*first, bank.predicate(denies(10), name="added")]
        kit._build = lambda: bank.app(added)  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        await kit.answer("finance", text="yes")
        session = await kit.session(session_id)
    assert (session.status, bank.paid) == ("blocked", [])
    assert (session.reason or "").startswith("session.definition-changed")


# -- judges ------------------------------------------------------------------------------------------------------------
MAY_RUN = calls(VERDICT_TOOL, {"verdict": "may_run", "reason": "a regular customer"})


async def test_a_verdict_that_asks_a_role_which_is_deployed_no_more_blocks_and_keeps_the_answer(tmp_path: Path) -> None:
    bank = Bank(pays("80"))
    asks = FINANCE
    kit = Kit(build=lambda: bank.app([bank.predicate(over(50), asks=asks)]), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("bank", "go")
        asks = DIRECTOR
        await kit.restart()
        await kit.answer("finance", text="yes")
        await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by="otto")
        await kit.settle()
        session = await kit.session(session_id)
        assert (session.status, bank.paid) == ("blocked", [])
        assert "amount asked finance about a call of pay" in (session.reason or "")
        asks = FINANCE
        await kit.restart()
        await kit.runtime.accepting.accept(tenant="default", session_id=session_id, by="otto")
        await kit.settle()
    assert (bank.paid, bank.approved_by) == (["80"], ["mara"])


async def test_a_judge_uses_the_apps_model_within_its_budget(tmp_path: Path) -> None:
    asked: list[str] = []

    def reply(request: ModelRequest) -> ModelReply:
        if request.tool_choice == VERDICT_TOOL:
            asked.append(request.messages[-1].content)
            return MAY_RUN
        turn = sum(message.role == "assistant" for message in request.messages)
        return pays("80", f"c{turn}") if turn < 3 else says("ok")

    bank = Bank()
    model: Model = ScriptedModel(reply)

    def build() -> App:
        gate = Judge(
            name="j", instructions="Regulars may.", asks=FINANCE, budget=Budget(per="session", calls=2), model=None
        )
        app = bank.app([gate])
        (agent,) = app.agents
        return App(
            name="a",
            agents=[Agent(name="bank", tools=agent.tools, gates=[gate])],
            channels=app.channels,
            model=model,
        )

    async with Kit(build=build, path=tmp_path / "w.db").running() as kit:
        await kit.start("bank", "go")
        assert bank.paid == ["80", "80"]
        assert "the budget judge:j is used up" in bank.channel.asks[0].prompt
        await kit.answer("finance", text="yes")
    assert (len(bank.paid), len(asked)) == (3, 2)


# -- faults ------------------------------------------------------------------------------------------------------------
def test_faults_of_gates_are_found_at_assembly() -> None:
    bank = Bank()
    gates: list[Any] = [
        Always(name="one", asks=FINANCE, tools=["pya"]),
        Always(name="two", asks=FINANCE, tools="pay"),
        Always(name=" ", asks=FINANCE),
        Always(name="three", asks="finance"),  # type: ignore[arg-type]
        Predicate(name="three", check=None, asks=FINANCE, timeout=timedelta()),  # type: ignore[arg-type]
        Judge(name="j", instructions=" ", asks=FINANCE, budget=Budget(per="app")),
        Judge(name="k", instructions="x" * 16_001, asks=FINANCE),
    ]
    with pytest.raises(AssemblyError) as caught:
        bank.app(gates).check()
    found = sorted({(code, text.partition(";")[0]) for code, text in caught.value.faults})
    assert [code for code, _ in found] == [
        "assembly.budget",
        "assembly.duplicate-name",
        "assembly.gate-check",
        "assembly.gate-name",
        "assembly.gate-role",
        "assembly.gate-timeout",
        "assembly.gate-tools",
        "assembly.gate-tools",
        "assembly.judge-instructions",
        "assembly.judge-instructions",
    ]


async def test_gates_that_are_given_one_after_the_other_judge_every_call(tmp_path: Path) -> None:
    bank = Bank(pays("20"))
    denies_all = [Predicate(name=name, check=denies(1), asks=FINANCE) for name in ("tool", "agent", "app", "plugin")]

    def build(where: str) -> App:
        given: Any = (gate for gate in denies_all if gate.name == where)
        if where == "agent":
            return bank.app(given)
        if where == "app":
            return replace(bank.app(), gates=given)
        if where == "tool":
            return replace(
                bank.app(),
                agents=[
                    replace(agent, tools=[tool(gates=given)(each.function) for each in agent.tools])
                    for agent in bank.app().agents
                ],
            )
        return replace(bank.app(), plugins=iter([Plugin(name="p", gates=given)]))

    for where in ("tool", "agent", "app", "plugin"):
        async with Kit(build=lambda where=where: build(where), path=tmp_path / f"{where}.db").running() as kit:
            session_id = await kit.start("bank", "go")
            assert (await kit.tool_results(session_id))["c1"].startswith(f"Denied by {where}")
    assert bank.paid == []


@pytest.mark.parametrize("tools", [iter(["pay"]), (name for name in ["pay"]), filter(None, ["pay"]), 5])
def test_names_that_can_be_gone_through_only_once_are_a_fault(tools: Any) -> None:
    with pytest.raises(AssemblyError, match="give a list of names"):
        Bank().app([Always(name="one", asks=FINANCE, tools=tools)]).check()


def test_a_gate_that_would_judge_nothing_is_a_fault() -> None:
    @tool
    async def look() -> str:
        """Look."""
        return "seen"

    misplaced = Always(name="one", asks=FINANCE, tools=["pay"])
    elsewhere = Agent(name="looker", tools=[look], model=Bank().script, gates=[misplaced])
    with pytest.raises(AssemblyError, match="one judges pay, which no agent has where the gate is put"):
        replace(Bank().app(), agents=[*Bank().app().agents, elsewhere]).check()
    with pytest.raises(AssemblyError, match="judges pay, which no agent has where the gate is put"):
        Bank().app(more=[tool(gates=[misplaced])(look.function)]).check()
    with pytest.raises(AssemblyError, match="names no tool, so it would judge nothing"):
        Bank().app([Always(name="one", asks=FINANCE, tools=[])]).check()
    Bank().app([misplaced]).check()
    Bank().app(of_app=[misplaced]).check()


@pytest.mark.parametrize("gate", [over(50), Always, "always"])
def test_what_is_no_gate_is_a_fault(gate: Any) -> None:
    with pytest.raises(AssemblyError, match="is no gate"):
        Bank().app([gate]).check()


async def test_a_judge_without_a_model_is_a_fault_and_so_is_a_role_without_a_channel(tmp_path: Path) -> None:
    homeless = ApprovalRole(name="homeless", answered_by=Answerer.CHANNEL)
    bank = Bank()
    with pytest.raises(AssemblyError, match="homeless has no channel"):
        bank.app([Always(name="one", asks=homeless)]).check()
    judge = Judge(name="j", instructions="Ask.", asks=FINANCE)
    kit = Kit(build=lambda: bank.app([judge]), path=tmp_path / "w.db")
    with pytest.raises(AssemblyError, match="judge j has no model"):
        await kit.open()
