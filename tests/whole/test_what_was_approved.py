"""What runs is what was approved: values that Python takes for equal are not the same call."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.asks import JsonValue
from overwinter.actors.errors import PauseNotPendingError
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.policies.gates import Always, Gate, Predicate
from overwinter.bots.policies.verdicts import Allow, Ask, Deny, GatedCall, Schedule, Verdict
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import Tool, ToolCall, tool
from overwinter.channels.roles import Answerer, ApprovalRole

FINANCE = ApprovalRole(name="finance", answered_by=Answerer.CHANNEL)
DIRECTOR = ApprovalRole(name="director", answered_by=Answerer.CHANNEL)
BOTH = ApprovalRole(name="both", answered_by=Answerer.CHANNEL, needs=2)
ROLES = (FINANCE, DIRECTOR, BOTH)

ALIKE: list[tuple[JsonValue, JsonValue]] = [
    (1, True),
    (0, False),
    (True, 1),
    (1, 1.0),
    (0.0, -0.0),
    ([1, {"a": 0}], [True, {"a": 0}]),
    ({"a": [1]}, {"a": [1.0]}),
]
"""Pairs that are equal in Python, and two things as JSON."""

alike = pytest.mark.parametrize(("asked", "meant"), ALIKE)


class Switchboard:
    """A tool whose argument is any JSON; ``set`` outlives every restart."""

    def __init__(self, first: JsonValue) -> None:
        self.set: list[str] = []
        self.judged: list[str] = []
        self.script = ScriptedModel.by_turn([calls("switch", {"to": first}), says("ok")])
        self.channel = RecordingChannel()

    def app(self, *gates: Gate, role: ApprovalRole | None = None) -> App:
        @tool(asks=role)
        async def switch(to: Any) -> str:
            """Switch."""
            self.set.append(repr(to))
            return "done"

        return self.app_of(switch, *gates)

    def app_of(self, switch: Tool, *gates: Gate) -> App:
        agent = Agent(name="b", tools=[switch], model=self.script, gates=gates)
        return App(name="a", agents=[agent], channels=dict.fromkeys(ROLES, self.channel))

    def judges(self, name: str, verdict: Verdict, asks: ApprovalRole = FINANCE) -> Gate:
        def check(call: GatedCall) -> Verdict:
            self.judged.append(repr(call.arguments["to"]))
            return verdict

        return Predicate(name=name, check=check, asks=asks)


def approves(to: JsonValue) -> JsonValue:
    return {"approved": True, "override_arguments": {"to": to}}


@alike
async def test_an_edit_to_what_python_takes_for_equal_is_an_edit(
    tmp_path: Path, asked: JsonValue, meant: JsonValue
) -> None:
    board = Switchboard(asked)
    async with Kit(build=lambda: board.app(role=FINANCE), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go")
        await kit.answer("finance", decision=approves(meant))
        assert "approved this call with other arguments" in (await kit.tool_results(session_id)).popitem()[1]
    assert board.set == [repr(meant)]


@alike
async def test_such_an_edit_is_judged_and_asked_about_anew(tmp_path: Path, asked: JsonValue, meant: JsonValue) -> None:
    board = Switchboard(asked)
    gates = (board.judges("p", Ask()), Always(name="d", asks=DIRECTOR))
    async with Kit(build=lambda: board.app(*gates), path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        await kit.answer("finance", decision={"approved": True})
        await kit.answer("director", decision=approves(meant))
        assert (board.judged, board.set) == ([repr(asked), repr(meant)], [])
        await kit.answer("finance", decision={"approved": True})
    assert board.set == [repr(meant)]


@alike
async def test_of_several_people_only_those_agree_who_mean_the_same(
    tmp_path: Path, asked: JsonValue, meant: JsonValue
) -> None:
    board = Switchboard(asked)
    async with Kit(build=lambda: board.app(role=BOTH), path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        await kit.answer("both", decision=approves(meant), by="mara")
        await kit.answer("both", decision={"approved": True}, by="dora")
        assert await kit.pending() == ()
    assert board.set == []


@alike
async def test_what_prepare_rewrites_to_what_python_takes_for_equal_is_judged_anew(
    tmp_path: Path, asked: JsonValue, meant: JsonValue
) -> None:
    board = Switchboard(asked)

    @tool(answer=str)
    async def switch(call: ToolCall[str], to: Any) -> str:
        """Switch."""
        board.set.append(repr(to))
        return "done"

    @switch.prepare
    async def _(call: ToolCall[Any], to: Any) -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        return {"to": meant}

    def check(call: GatedCall) -> Verdict:
        return Allow() if repr(call.arguments["to"]) == repr(asked) else Deny(reason="not that")

    gate = Predicate(name="p", check=check, asks=FINANCE)
    async with Kit(build=lambda: board.app_of(switch, gate), path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        assert await kit.pending() == ()
    assert board.set == []


async def test_who_approved_the_call_as_it_was_before_has_not_approved_what_runs(tmp_path: Path) -> None:
    approved_by: list[str | None] = []
    board = Switchboard(800)

    @tool
    async def switch(to: int, call: ToolCall[Any]) -> str:
        """Switch."""
        board.set.append(str(to))
        approved_by.append(call.approved_by)
        return "done"

    def large(call: GatedCall) -> Verdict:
        return Ask() if call.arguments["to"] > 500 else Allow()

    gates = (Predicate(name="large", check=large, asks=FINANCE), Always(name="d", asks=DIRECTOR))
    async with Kit(build=lambda: board.app_of(switch, *gates), path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        await kit.answer("finance", decision={"approved": True}, by="mara")
        await kit.answer("director", decision=approves(20), by="dora")
    assert (board.set, approved_by) == (["20"], ["dora"])


async def test_an_answer_to_the_call_as_it_was_before_is_refused_and_runs_nothing(tmp_path: Path) -> None:
    board = Switchboard(800)
    gates = (Always(name="f", asks=FINANCE), Always(name="d", asks=DIRECTOR))
    async with Kit(build=lambda: board.app(*gates), path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        before = await kit.question("finance")
        await kit.answer(before, decision=approves(900))
        await kit.answer("director", decision=approves(1000), by="dora")
        with pytest.raises(PauseNotPendingError):
            await kit.answer(before, decision={"approved": True})
        assert (board.set, [pause.role for pause in await kit.pending()]) == ([], ["finance"])
        await kit.answer("finance", decision={"approved": False})
    assert board.set == []


async def test_a_call_that_was_edited_and_put_off_runs_as_edited(tmp_path: Path) -> None:
    board = Switchboard(1)

    def later(call: GatedCall) -> Verdict:
        return Schedule(correlation_id=f"switch:{call.call_id}", due=timedelta(hours=1))

    gates = (Always(name="f", asks=FINANCE), Predicate(name="later", check=later, asks=FINANCE))
    async with Kit(build=lambda: board.app(*gates), path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        await kit.answer("finance", decision=approves(True))
        await kit.restart()
        assert board.set == []
        await kit.advance(timedelta(hours=2))
    assert board.set == ["True"]


async def test_of_two_calls_of_one_id_an_approval_lets_one_through(tmp_path: Path) -> None:
    board = Switchboard(1)
    twice = calls_all(calls("switch", {"to": 1}, call_id="c1"), calls("switch", {"to": 1}, call_id="c1"))
    board.script = ScriptedModel.by_turn([twice, says("ok")])
    async with Kit(build=lambda: board.app(role=FINANCE), path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        await kit.answer("finance", decision={"approved": True})
        assert (board.set, len(await kit.pending())) == (["1"], 1)
        await kit.restart()
        await kit.answer("finance", decision={"approved": False})
    assert board.set == ["1"]
