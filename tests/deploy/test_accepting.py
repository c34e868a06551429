"""Changed code as operators meet it: why a session is blocked, what can be done, and ``overwinter accept``."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from overwinter.actors.clock import ManualClock, SystemClock
from overwinter.bots.app import App
from overwinter.bots.testing.kit import Kit
from overwinter.deploy.cli.exits import Exit
from overwinter.deploy.loading import load_app

from .conftest import REFUNDS, Overwinter
from .test_commands import pause_in, start

BOT = """\
import sys

from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.tools import tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.channels.terminal import TerminalChannel

role = ApprovalRole(name="refund-approval", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())

@tool(asks=role)
async def refund_card(ARGUMENTS) -> str:
    \"\"\"Refund a card payment.\"\"\"
    return "refunded"

script = ScriptedModel.by_turn([calls("refund_card", {"order_id": "4471"}), says("Done.")])
app = App(
    name="office",
    agents=[Agent(name="NAME", tools=[refund_card], model=script)],
    channels={role: TerminalChannel(write=sys.stderr.write, command="overwinter answer {pause} yes")},
)
"""


def deploy(file: str, *, arguments: str, name: str = "support") -> str:
    """Write an app's code; returns its target."""
    Path(file).write_text(BOT.replace("ARGUMENTS", arguments).replace("NAME", name))
    return f"{file}:app"


def blocked(overwinter: Overwinter) -> str:
    """A session that began with other code than ``new.py``, and was answered under that; its id."""
    old = deploy("old.py", arguments="order_id: str")
    ran = overwinter("start", old, "support", "refund", "--wait", "--json")
    assert (ran.code, ran.document["status"]) == (0, "waiting")
    session = ran.document["session"]
    new = deploy("new.py", arguments="order_id: str, currency: str = 'EUR'")
    pause = pause_in(ran)
    decision = ("--decision", '{"approved": true}', "--as", "mara", "--app", new)
    assert overwinter("answer", pause, *decision).code == 0
    run_what_is_due(new)
    return session


def run_what_is_due(target: str) -> None:
    """What a service with that code does, until nothing can move."""
    asyncio.run(_settle(load_app(target, folder=Path.cwd())))


async def _settle(app: App, *, session: str | None = None) -> None:
    """Args:
    session: its owner says something, so that it is revived.
    """
    later = ManualClock(SystemClock().now_ms() + 60_000)
    async with Kit(build=lambda: app, path=Path("overwinter.db"), clock=later).running() as kit:
        if session is not None:
            await kit.say(session, "hello?")
        await kit.settle()


def session_of(overwinter: Overwinter, session: str) -> dict[str, str | None]:
    return overwinter("show", session, "--json").document["session"]


@pytest.mark.behaviour("A17")
def test_a_blocked_session_shows_its_reason_and_what_can_be_done(overwinter: Overwinter) -> None:
    session = blocked(overwinter)
    shown = session_of(overwinter, session)
    assert shown["status"] == "blocked"
    assert (shown["reason"] or "").startswith("session.definition-changed: support version 1 has other tools")
    assert f"overwinter accept {session}" in (shown["remedy"] or "")
    assert f"overwinter cancel {session}" in (shown["remedy"] or "")
    assert f"What to do: {shown['remedy']}" in overwinter("show", session).out
    listed = overwinter("sessions", "--status", "blocked")
    assert session in listed.out
    assert "session.definition-changed" in listed.out
    assert "overwinter show SESSION" in listed.err
    (row,) = overwinter("sessions", "--status", "blocked", "--json").document["sessions"]
    assert row["remedy"] == shown["remedy"]


@pytest.mark.behaviour("A17")
def test_an_accepted_session_goes_on_and_its_timeline_says_who_accepted(overwinter: Overwinter) -> None:
    session = blocked(overwinter)
    ran = overwinter("accept", session, "--app", "new.py:app", "--as", "otto", "--json")
    assert ran.code == 0
    (accepted,) = ran.document["accepted"]
    assert (ran.document["session"], accepted["program"]) == (session, "support")
    assert accepted["stored"]["fingerprint"] != accepted["accepted"]["fingerprint"]
    shown = session_of(overwinter, session)
    assert (shown["status"], shown["reason"], shown["remedy"]) == ("ready", None, None)
    timeline = overwinter("show", session, "--json").document["timeline"]
    (entry,) = [entry for entry in timeline if entry["kind"] == "definition_accepted"]
    assert entry["who"] == "otto"
    assert accepted["stored"]["fingerprint"] in entry["what"]
    assert accepted["accepted"]["fingerprint"] in entry["what"]
    run_what_is_due("new.py:app")
    assert session_of(overwinter, session)["status"] in ("idle", "waiting")


def test_the_code_it_began_with_needs_no_accepting(overwinter: Overwinter) -> None:
    session = blocked(overwinter)
    ran = overwinter("accept", session, "--app", "old.py:app")
    assert ran.code == 0
    assert "there was nothing to accept" in ran.out
    run_what_is_due("old.py:app")
    assert session_of(overwinter, session)["status"] == "idle"


def test_a_service_with_the_old_code_lets_it_go_on_by_itself(overwinter: Overwinter) -> None:
    session = blocked(overwinter)
    run_what_is_due("old.py:app")
    assert session_of(overwinter, session)["status"] == "idle"


def test_what_cannot_be_accepted_is_refused(overwinter: Overwinter) -> None:
    waiting, _ = start(overwinter)
    refused = overwinter("accept", waiting, "--app", REFUNDS, "--json")
    assert (refused.code, refused.error["code"]) == (Exit.REFUSED, "session.not-blocked")
    unknown = overwinter("accept", "s0", "--app", REFUNDS, "--json")
    assert (unknown.code, unknown.error["code"]) == (Exit.UNKNOWN, "session.unknown")
    session = blocked(overwinter)
    other = deploy("other.py", arguments="order_id: str", name="clerk")
    gone = overwinter("accept", session, "--app", other, "--json")
    assert (gone.code, gone.error["code"]) == (Exit.UNKNOWN, "session.not-deployed")
    assert session_of(overwinter, session)["status"] == "blocked"


ASKS = """\
import sys

from overwinter.actors.errors import PauseCancelledError
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.channels.terminal import TerminalChannel

role = QuestionRole(name="ROLE", answer=str, answered_by=Answerer.CHANNEL)

@workflow(version="1")
async def leave(run: Run) -> str:
    try:
        return await run.ask(role, "May I?")
    except PauseCancelledError:
        return "on my own"

app = App(name="office", workflows=[leave], channels={role: TerminalChannel(write=sys.stderr.write, command="")})
"""


def test_code_that_asks_others_is_accepted_only_with_the_old_question_cancelled(overwinter: Overwinter) -> None:
    for role in ("boss", "legal"):
        Path(f"{role}.py").write_text(ASKS.replace("ROLE", role))
    ran = overwinter("start", "boss.py:app", "leave", "{}", "--wait", "--json")
    session = ran.document["session"]
    asyncio.run(_settle(load_app("legal.py:app", folder=Path.cwd()), session=session))
    assert session_of(overwinter, session)["status"] == "blocked"
    refused = overwinter("accept", session, "--app", "legal.py:app", "--json")
    assert (refused.code, refused.error["code"]) == (Exit.REFUSED, "session.question-changed")
    assert f"overwinter accept {session} --cancel-question" in refused.error["message"]
    assert overwinter("accept", session, "--app", "legal.py:app", "--cancel-question", "--as", "otto").code == 0
    run_what_is_due("legal.py:app")
    shown = overwinter("show", session)
    assert session_of(overwinter, session)["status"] == "ended"
    assert "goes on with what came: cancelled" in shown.out
    assert "otto" in shown.out
