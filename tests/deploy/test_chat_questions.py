"""Whose questions a command shows that runs sessions, and how a chat shows them again."""

from __future__ import annotations

import asyncio
import re
import shlex
from pathlib import Path

import pytest

from overwinter.actors.clock import SystemClock
from overwinter.actors.ids import RandomIds
from overwinter.deploy.config import load_config
from overwinter.deploy.loading import load_app
from overwinter.deploy.service import supervising
from overwinter.deploy.wiring import open_runtime

from .conftest import REFUNDS, Overwinter, Ran, Type


def said(ran: Ran) -> list[tuple[str, str]]:
    return [(line["who"], line["text"]) for line in ran.document["said"]]


def office(text: str) -> None:
    Path("office.py").write_text(text)


ASKING = """
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.tools import tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, QuestionRole

yes_or_no = QuestionRole(
    name="owner", answer=str, choices=("yes", "no"), answered_by=Answerer.OWNER, interpreter=RulesInterpreter()
)

@tool(answer=yes_or_no)
async def ask_whether(prompt: str) -> str: ...

def reply(request):
    last = request.messages[-1]
    return says(f"So: {last.content}") if last.role == "tool" else calls("ask_whether", {"prompt": "Is it warm?"})

app = App(name="office", agents=[Agent(name="clerk", tools=[ask_whether], model=ScriptedModel(reply))])
"""


def test_whoever_says_perhaps_in_a_chat_reads_that_nothing_was_decided(overwinter: Overwinter, typed: Type) -> None:
    office(ASKING)
    typed("hello\nperhaps\nyes\n")
    ran = overwinter("chat", "office.py:app", "--json")
    (told,) = [text for who, text in said(ran) if who == ""]
    assert told.startswith("The reply leaves it open")
    assert told.endswith("Nothing was decided; please answer once more.")
    assert said(ran)[-1] == ("clerk", "So: yes")


def ids_in(text: str) -> list[str]:
    return re.findall(r"overwinter answer ([0-9a-f]{32}) ", text)


def test_what_a_chat_asks_on_the_terminal_is_shown_again_with_the_command_that_answers_it(
    overwinter: Overwinter, typed: Type
) -> None:
    typed("refund order 4471, 80.00\n/pending\n")
    ran = overwinter("chat", REFUNDS)
    first, again = ids_in(ran.err)
    assert first == again
    assert "/pending" not in ran.out
    assert "/pending shows again what is asked" in ran.err
    session = re.search(r"--session (s\w+)", ran.err)
    assert session is not None

    typed("/pending\n")
    later = overwinter("chat", REFUNDS, "--session", session[1], "--json")
    assert ids_in(later.err) == [first], "in another process, where nothing had been printed"
    assert first not in later.out
    assert overwinter("answer", first, "yes", "--as", "mara", "--app", REFUNDS, "--wait").code == 0
    typed("/pending\n")
    ran = overwinter("chat", REFUNDS, "--session", session[1], "--json")
    assert said(ran)[-1] == ("", "No question is open.")


def test_a_chat_says_when_what_is_typed_next_is_waited_for(overwinter: Overwinter, typed: Type) -> None:
    typed("hello\n/pending\n")
    ran = overwinter("chat", REFUNDS, "--json")
    asked = "Which order is it, and how much do you want back? As in: order 4471, 80.00"
    assert said(ran)[-2:] == [
        ("", "No question is open."),
        ("", f"support waits for what you type next; it said last: {asked}"),
    ]
    assert [text for who, text in said(ran) if who == "local"] == ["hello"]


def test_what_a_chat_asks_its_owner_is_shown_again_with_its_id(overwinter: Overwinter, typed: Type) -> None:
    office(ASKING)
    typed("/pending\nhello\n/pending\n")
    ran = overwinter("chat", "office.py:app", "--owner", "olga", "--db", "own.db", "--json")
    assert said(ran)[0] == ("", "No question is open.")
    asked, answer = said(ran)[-1][1].split("\n  answer: what you type next, or ")
    assert asked.startswith("clerk asks you, for ")
    assert asked.endswith(": Is it warm?")
    arguments = shlex.split(answer.removeprefix("overwinter ").replace("'your answer'", "yes"))
    assert arguments[:1] + arguments[2:] == [
        *("answer", "yes", "--as", "olga", "--owner", "--app", "office.py:app", "--db", "own.db")
    ]
    assert overwinter(*arguments).code == 0


ELSEWHERE = """
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole

BOARD = QuestionRole(name="board", answer=str, answered_by=Answerer.CHANNEL)

@workflow(version="1")
async def ask(run: Run, about: str) -> str:
    return await run.ask(BOARD, f"Is it {about}?")

app = App(name="office", workflows=[ask], channels={BOARD: RecordingChannel(name="boardroom")})
"""


def test_what_a_chat_asks_others_is_shown_again_without_its_id(overwinter: Overwinter, typed: Type) -> None:
    office(ELSEWHERE)
    typed("warm\n/pending\n")
    ran = overwinter("chat", "office.py:app", "--json")
    assert re.fullmatch(r"ask asks board on boardroom, for \d+ s( \(not sent yet\))?: Is it warm\?", said(ran)[-1][1])
    assert re.search(r"\b[0-9a-f]{32}\b", ran.out + ran.err) is None


async def _serve_until_all_is_asked(target: str) -> None:
    """Run what the service runs until every question has been put to people."""
    app = load_app(target, folder=Path.cwd())
    async with open_runtime(app, load_config(), clock=SystemClock(), ids=RandomIds(), must_exist=True) as runtime:
        hints = runtime.store.subscribe()
        async with supervising(runtime) as check, asyncio.timeout(20):
            while any(
                not each.is_sent for each in await runtime.store.pending_pauses(tenant=None, session_id=None, limit=9)
            ):
                check()
                await hints.wait()
        hints.close()


def test_what_waits_here_shows_the_questions_of_its_own_session_alone(
    overwinter: Overwinter, typed: Type, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("overwinter.toml").write_text("[supervising]\npoll_s = 0.2\n")
    other = overwinter("start", REFUNDS, "support", "refund order 1111, 10.00", "--json").document["session"]
    ran = overwinter("start", REFUNDS, "support", "refund order 2222, 20.00", "--wait")
    assert "order_id=2222" in ran.err
    assert "1111" not in ran.out + ran.err
    (mine,) = ids_in(ran.err)
    answered = overwinter("answer", mine, "yes", "--as", "mara", "--app", REFUNDS, "--wait")
    assert answered.code == 0
    typed("hello\n")
    chatted = overwinter("chat", REFUNDS)
    assert "1111" not in answered.out + answered.err + chatted.out + chatted.err

    (waiting,) = overwinter("pending", "--json").document["questions"]
    assert (waiting["session"], waiting["is_sent"]) == (other, False), "nobody has been shown it yet"
    capfd.readouterr()
    asyncio.run(_serve_until_all_is_asked(REFUNDS))
    shown = capfd.readouterr().err
    assert "order_id=1111" in shown
    (theirs,) = ids_in(shown)
    assert overwinter("answer", theirs, "yes", "--as", "mara", "--app", REFUNDS, "--wait").code == 0


def test_what_is_asked_elsewhere_is_carried_for_every_session(overwinter: Overwinter) -> None:
    office(ELSEWHERE)
    for more in ((), ("--wait",)):
        assert overwinter("start", "office.py:app", "ask", "warm", *more).code == 0
    questions = overwinter("pending", "--json").document["questions"]
    assert [each["is_sent"] for each in questions] == [True, True]


FAMILY = """
import sys
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.channels.terminal import TerminalChannel

BOSS = QuestionRole(name="boss", answer=str, answered_by=Answerer.CHANNEL)

@workflow(version="1")
async def child(run: Run, about: str) -> str:
    return await run.ask(BOSS, f"Is it {about}?")

@workflow(version="1")
async def parent(run: Run, about: str) -> str:
    return await run.workflow(child, about)

terminal = TerminalChannel(write=lambda text: print(text, file=sys.stderr))
app = App(name="office", workflows=[parent, child], channels={BOSS: terminal})
"""


def test_what_a_child_asks_is_shown_as_its_sessions_own(overwinter: Overwinter) -> None:
    office(FAMILY)
    ran = overwinter("start", "office.py:app", "parent", "warm", "--wait")
    assert (ran.code, "[boss] Is it warm?" in ran.err) == (0, True)
