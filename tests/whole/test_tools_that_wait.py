"""Tools with answers of their own: prepare, the wait, the body, finalize; asking the user; time-outs."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.errors import PauseInvalidDecisionError
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import ToolDefinitionError
from overwinter.bots.policies.gates import Always
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import ToolCall, tool
from overwinter.bots.toolsets.system import ask_user
from overwinter.channels.roles import Answerer, Approval, ApprovalRole, QuestionRole

APPROVER = ApprovalRole(name="approver", answered_by=Answerer.CHANNEL)


def tool_texts(script: ScriptedModel) -> list[str]:
    return [message.content for message in script.requests[-1].messages if message.role == "tool"]


async def test_a_tool_without_a_body_returns_its_answer(tmp_path: Path) -> None:
    @tool(answer=Approval)
    async def request_approval(action: str) -> dict[str, Any]: ...  # type: ignore[empty-body]

    script = ScriptedModel.by_turn([calls("request_approval", {"action": "paint it"}), says("ok")])
    app = App(name="a", agents=[Agent(name="b", tools=[request_approval], model=script)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go")
        await kit.answer("tool:request_approval", decision={"approved": True, "reason": "nice"})
        assert (await kit.session(session_id)).status == "idle"
    assert '"reason":"nice"' in tool_texts(script)[0]


@pytest.mark.behaviour("A2")
async def test_prepare_and_finalize_bracket_the_wait_and_each_part_runs_once(tmp_path: Path) -> None:
    ran: list[tuple[str, Any]] = []
    script = ScriptedModel.by_turn([calls("book", {"hotel": "Ritz", "nights": 9}), says("ok")])

    def build() -> App:
        @tool(answer=Approval)
        async def book(call: ToolCall[Approval], hotel: str, nights: int) -> dict[str, Any]:
            """Book a hotel."""
            ran.append(("body", (hotel, nights, call.answer.approved, dict(call.state))))
            return {"booked": hotel}

        @book.prepare
        async def _(call: ToolCall[Any], hotel: str, nights: int) -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
            ran.append(("prepare", (hotel, nights)))
            call.state["was"] = nights
            return {"nights": 3}

        @book.finalize
        async def _(call: ToolCall[Any]) -> str:  # pyright: ignore[reportUnusedFunction]
            ran.append(("finalize", dict(call.state)))
            return "booked for three nights"

        return App(name="a", agents=[Agent(name="b", tools=[book], model=script)])

    kit = Kit(build=build, path=tmp_path / "w.db")
    async with kit.running():
        await kit.start("b", "go")
        assert ran == [("prepare", ("Ritz", 9))]
        await kit.restart()
        await kit.answer("tool:book", decision={"approved": True})
    assert ran == [
        ("prepare", ("Ritz", 9)),
        ("body", ("Ritz", 3, True, {"was": 9})),
        ("finalize", {"was": 9}),
    ]
    assert tool_texts(script) == ["booked for three nights"]


@pytest.mark.behaviour("P28")
@pytest.mark.parametrize(
    "settings", [{}, {"asks": APPROVER}, {"gates": [Always(name="always", asks=APPROVER)]}, {"once": True}]
)
def test_nothing_can_be_prepared_for_an_approval(settings: dict[str, Any]) -> None:
    @tool(**settings)
    async def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    async def halve(call: ToolCall[Any], amount: int) -> dict[str, int]:
        return {"amount": amount // 2}

    with pytest.raises(
        ToolDefinitionError, match=r"pay waits for no answer of its own.*do it in the body, or say answer="
    ):
        pay.prepare(halve)
    assert pay.prepares is None


async def test_a_tool_that_is_approved_may_be_finalized(tmp_path: Path) -> None:
    @tool(asks=APPROVER)
    async def pay(amount: int, call: ToolCall[Any]) -> str:
        """Pay."""
        call.state["paid"] = amount
        return f"paid {amount}"

    @pay.finalize
    async def _(call: ToolCall[Any]) -> str:  # pyright: ignore[reportUnusedFunction]
        return f"{call.approved_by} had {call.state['paid']} paid"

    script = ScriptedModel.by_turn([calls("pay", {"amount": 8}), says("ok")])
    agent = Agent(name="b", tools=[pay], model=script)
    app = App(name="a", agents=[agent], channels={APPROVER: RecordingChannel()})
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        await kit.restart()
        await kit.answer("approver", decision={"approved": True}, by="mara")
    assert tool_texts(script) == ["mara had 8 paid"]


@pytest.mark.behaviour("P29")
async def test_a_gated_yielding_tool_waits_twice_each_on_its_own_key(tmp_path: Path) -> None:
    gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL)
    places = QuestionRole(name="places", answer=str, answered_by=Answerer.CHANNEL)

    @tool(asks=gate, answer=places)
    async def choose(call: ToolCall[str], what: str) -> str:
        """Choose."""
        return f"{what} in {call.answer}"

    script = ScriptedModel.by_turn([calls("choose", {"what": "lunch"}), says("ok")])
    channel = RecordingChannel()
    app = App(
        name="a", agents=[Agent(name="b", tools=[choose], model=script)], channels={gate: channel, places: channel}
    )
    kit = Kit(build=lambda: app, path=tmp_path / "w.db")
    async with kit.running():
        await kit.start("b", "go")
        assert [pause.role for pause in await kit.pending()] == ["gate"]
        await kit.answer("gate", decision={"approved": True})
        assert [pause.role for pause in await kit.pending()] == ["places"]
        await kit.restart()
        await kit.answer("places", decision="Rome")
    assert tool_texts(script) == ["lunch in Rome"]


async def test_the_users_next_message_answers_ask_user(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("ask_user", {"prompt": "Which colour?"}), says("Blue it is.")])
    app = App(name="a", agents=[Agent(name="b", tools=[ask_user], model=script)])
    kit = Kit(build=lambda: app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "paint")
        await kit.restart()
        await kit.say(session_id, "blue")
        assert await kit.outcome(session_id) == {"result": {"reply": "Blue it is."}}
    assert tool_texts(script) == ["blue"]


@pytest.mark.behaviour("P19")
@pytest.mark.case("du11")
async def test_ask_user_times_out_at_its_instant_whatever_is_restarted(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("ask_user", {"prompt": "Well?", "timeout_s": 86400}), says("Never mind.")])
    app = App(name="a", agents=[Agent(name="b", tools=[ask_user], model=script)])
    kit = Kit(build=lambda: app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "go")
        for _ in range(3):
            await kit.advance(timedelta(hours=6))
            await kit.restart()
            await kit.settle()
        await kit.advance(timedelta(hours=6) - timedelta(milliseconds=1))
        assert (await kit.session(session_id)).status == "waiting"
        await kit.advance(timedelta(milliseconds=1))
        assert (await kit.session(session_id)).status == "idle"
    assert "timed out" in tool_texts(script)[0]


async def test_a_deadline_on_an_approval_is_a_rejection(tmp_path: Path) -> None:
    ran: list[str] = []
    gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL, deadline=timedelta(days=3))

    @tool(asks=gate)
    async def pay(to: str) -> str:
        """Pay."""
        ran.append(to)
        return "paid"

    script = ScriptedModel.by_turn([calls("pay", {"to": "A"}), says("ok")])
    channel = RecordingChannel()
    app = App(name="a", agents=[Agent(name="b", tools=[pay], model=script)], channels={gate: channel})
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        await kit.advance(timedelta(days=3))
    assert ran == []
    assert "timed out" in tool_texts(script)[0]
    assert [withdrawal.why for withdrawal in channel.withdrawals] == ["timed_out"]


async def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("number", {}), says("ok")])

    @tool(answer=int)
    async def number() -> int: ...  # type: ignore[empty-body]

    app = App(name="a", agents=[Agent(name="b", tools=[number], model=script)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        with pytest.raises(PauseInvalidDecisionError):
            await kit.answer("tool:number", decision="many")
        await kit.answer("tool:number", decision=7)
    assert tool_texts(script) == ["7"]


async def test_what_is_wrong_with_a_call_is_a_result_that_the_model_reads(tmp_path: Path) -> None:
    @tool
    async def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    @tool
    async def explode() -> str:
        """Explode."""
        raise RuntimeError("boom")

    wrong = calls_all(
        calls("add", '{"a": 1, ', call_id="c1"),
        calls("add", {"a": "x", "b": 2}, call_id="c2"),
        calls("nothing", {}, call_id="c3"),
        calls("explode", {}, call_id="c4"),
        calls("add", {"a": 1, "b": 2}, call_id="c5"),
    )
    script = ScriptedModel.by_turn([wrong, says("ok")])
    app = App(name="a", agents=[Agent(name="b", tools=[add, explode], model=script)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go")
        assert (await kit.session(session_id)).status == "idle"
    texts = tool_texts(script)
    assert "There is no tool 'nothing'" in texts[2]
    assert "boom" in texts[3]
    assert texts[4] == "3"
    assert all("do not fit" in text or "JSON" in text for text in texts[:2])


async def test_a_paused_call_does_not_stop_the_others(tmp_path: Path) -> None:
    ran: list[str] = []

    @tool
    async def quick(name: str) -> str:
        """Run at once."""
        ran.append(name)
        return name

    both = calls_all(calls("ask_user", {"prompt": "?"}, call_id="c1"), calls("quick", {"name": "q"}, call_id="c2"))
    script = ScriptedModel.by_turn([both, says("ok")])
    app = App(name="a", agents=[Agent(name="b", tools=[quick, ask_user], model=script)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go")
        assert ran == ["q"]
        assert len(script.requests) == 1
        await kit.say(session_id, "yes")
    assert ran == ["q"]
    assert tool_texts(script) == ["yes", "q"]


async def test_the_owners_words_reach_the_question_behind_a_hundred_others(tmp_path: Path) -> None:
    role = ApprovalRole(name="payment", answered_by=Answerer.CHANNEL)

    @tool(asks=role)
    async def pay(number: int) -> str:
        """Pay."""
        return "paid"

    many = [calls("pay", {"number": number}) for number in range(120)]
    script = ScriptedModel.by_turn([calls_all(*many, calls("ask_user", {"prompt": "Which colour?"})), says("ok")])
    app = App(
        name="a", agents=[Agent(name="b", tools=[pay, ask_user], model=script)], channels={role: RecordingChannel()}
    )
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go", surface="workspace")
        said = await kit.runtime.sessions.say(tenant=kit.tenant, session_id=session_id, text="blue")
        assert said.to == "question"
        await kit.settle()
        pending = await kit.store.pending_pauses(tenant=kit.tenant, session_id=session_id, limit=500)
        assert {pause.role for pause in pending} == {"payment"}
