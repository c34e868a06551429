"""An app's faults are found at assembly, all at once, each with its code and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from overwinter.actors.trigger_kinds import Cron, Starts, Trigger
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError
from overwinter.bots.scripted_model import ScriptedModel
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole


def faults_of(app: App) -> list[str]:
    with pytest.raises(AssemblyError) as caught:
        app.check()
    return [code for code, _ in caught.value.faults]


def test_all_faults_are_reported_together() -> None:
    shared = RulesInterpreter()
    forgotten = ApprovalRole(name="forgotten", interpreter=shared)
    homeless = ApprovalRole(name="homeless", answered_by=Answerer.CHANNEL, interpreter=shared)
    odd = QuestionRole(name="odd", answer=int, choices=("a",), answered_by=Answerer.CHANNEL)

    @tool(asks=forgotten)
    async def one() -> str:
        """One."""
        return "1"

    @tool(asks=homeless)
    async def two() -> str:
        """Two."""
        return "2"

    channel = RecordingChannel()
    other = RecordingChannel()
    app = App(
        name="a",
        agents=[Agent(name="b", tools=[one, two, two]), Agent(name="b")],
        channels={forgotten: channel, odd: other},
    )
    assert sorted(set(faults_of(app))) == [
        "assembly.duplicate-name",
        "assembly.interpreter-shared",
        "assembly.role-answerer",
        "assembly.role-channel",
        "assembly.role-choices",
    ]


@pytest.mark.behaviour("G12")
def test_a_role_must_say_who_answers() -> None:
    role = ApprovalRole(name="r")

    @tool(asks=role)
    async def pay() -> str:
        """Pay."""
        return "paid"

    app = App(name="a", agents=[Agent(name="b", tools=[pay])], channels={role: RecordingChannel()})
    assert faults_of(app) == ["assembly.role-answerer"]


def test_an_empty_app_and_a_broken_prompt_are_faults() -> None:
    assert faults_of(App(name="a")) == ["assembly.empty"]
    role = ApprovalRole(name="r", answered_by=Answerer.CHANNEL, prompt="{tool} {who}?")

    @tool(asks=role)
    async def pay() -> str:
        """Pay."""
        return "paid"

    app = App(name="a", agents=[Agent(name="b", tools=[pay])], channels={role: RecordingChannel()})
    assert faults_of(app) == ["assembly.role-prompt"]


async def test_an_agent_without_any_model_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(AssemblyError, match=r"assembly\.agent-model"):
        await Kit(build=lambda: App(name="a", agents=[Agent(name="b")]), path=tmp_path / "w.db").open()
    with_model = Kit(
        build=lambda: App(name="a", agents=[Agent(name="b")]), path=tmp_path / "w.db", model=ScriptedModel(())
    )
    async with with_model.running():
        pass


def test_a_trigger_that_starts_no_bot_of_the_app_is_told_which_there_are() -> None:
    trigger = Trigger(slug="nightly", when=Cron(expression="0 2 * * *"), starts=Starts(bot="reports"))
    app = App(name="a", agents=[Agent(name="support"), Agent(name="report")], triggers=[trigger])
    with pytest.raises(AssemblyError) as raised:
        app.check()
    assert raised.value.faults == (
        ("assembly.trigger", "trigger nightly starts 'reports', which is no bot of the app; it has report, support"),
    )
