"""Talking to bots from the command line."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from .conftest import REFUNDS, Overwinter, Ran, Type


def said(ran: Ran) -> list[tuple[str, str]]:
    return [(line["who"], line["text"]) for line in ran.document["said"]]


def test_a_conversation_goes_to_the_end_of_input_and_on_later(overwinter: Overwinter, typed: Type) -> None:
    typed("\n  hello  \n")
    ran = overwinter("chat", REFUNDS, "--owner", "olga", "--json")
    assert ran.code == 0
    question = "Which order is it, and how much do you want back? As in: order 4471, 80.00"
    assert said(ran) == [("olga", "hello"), ("support", question)]
    assert ran.document["status"] == "waiting"

    typed("order 4471, 80.00\n")
    session = ran.document["session"]
    ran = overwinter("chat", REFUNDS, "--session", session, "--json")
    assert said(ran)[2:] == [
        ("olga", "order 4471, 80.00"),
        ("", "support asks refund-approval on terminal, and waits."),
    ]
    found = re.search(r"overwinter answer ([0-9a-f]{32}) ", ran.err)
    assert found is not None
    assert overwinter("answer", found[1], "yes", "--as", "mara", "--app", REFUNDS).code == 0

    typed("")
    ran = overwinter("chat", REFUNDS, "--session", session, "--json")
    assert said(ran)[-2:] == [("mara", "replies, read as approved"), ("support", "Refunded 80.00 for order 4471.")]
    assert ran.document["status"] == "idle"


def test_people_are_told_who_says_what_and_how_to_go_on(overwinter: Overwinter, typed: Type) -> None:
    typed("hello\n")
    ran = overwinter("chat", REFUNDS)
    assert "local: hello\nsupport: Which order is it" in ran.out
    assert re.search(rf"overwinter chat {REFUNDS} --session s\w+", ran.err)


def test_nothing_typed_starts_nothing(overwinter: Overwinter, typed: Type) -> None:
    typed("\n\n")
    ran = overwinter("chat", REFUNDS, "--json")
    assert (ran.code, ran.document["session"]) == (0, None)
    assert overwinter("sessions", "--json").document == {"sessions": []}


def test_bytes_that_are_no_text_are_shown_as_such(overwinter: Overwinter, typed: Type) -> None:
    typed("hello \udcff\n")
    assert said(overwinter("chat", REFUNDS, "--json"))[0] == ("local", "hello \ufffd")


def test_a_session_that_has_ended_takes_nothing_more(overwinter: Overwinter, typed: Type) -> None:
    typed("hello\n")
    session = overwinter("chat", REFUNDS, "--json").document["session"]
    overwinter("cancel", session)
    typed("more\n\nand more\n")
    ran = overwinter("chat", REFUNDS, "--session", session, "--json")
    assert (ran.code, ran.document["status"]) == (6, "cancelled")
    assert ran.error == {"code": "session.ended", "message": "the session has ended; 2 lines were not sent"}
    assert ("local", "more") not in said(ran)


def test_an_app_with_several_bots_wants_one_named(overwinter: Overwinter, typed: Type) -> None:
    workflows(WORKFLOWS)
    typed("hello\n")
    ran = overwinter("chat", "office.py:app", "--json")
    assert (ran.code, ran.error["code"]) == (5, "bot.unknown")
    assert "double, fail" in ran.error["message"]


WORKFLOWS = """
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.workflows import workflow

@workflow(version="1")
async def double(run: Run, number: int) -> int:
    return 2 * number

@workflow(version="1")
async def fail(run: Run, number: int) -> int:
    raise ValueError("not today")

app = App(name="office", workflows=[double, fail])
"""


def workflows(text: str) -> None:
    Path("office.py").write_text(text)


@pytest.mark.parametrize(
    ("bot", "code", "status", "told"),
    [("double", 0, "ended", "finished with 42"), ("fail", 8, "failed", "not today")],
)
def test_what_a_workflow_comes_to_is_told(overwinter: Overwinter, bot: str, code: int, status: str, told: str) -> None:
    workflows(WORKFLOWS)
    ran = overwinter("start", "office.py:app", bot, '{"number": 21}', "--wait", "--json")
    document: Any = ran.document
    assert (ran.code, document["status"]) == (code, status)
    assert told in document["said"][-1]["text"]


@pytest.mark.parametrize("message", ['{"numbr": 21}', '{"number": "x"}', "x", "[]", '{"number": 21, "fire": 1}'])
def test_a_workflow_is_not_started_with_what_it_cannot_take(overwinter: Overwinter, message: str) -> None:
    workflows(WORKFLOWS)
    ran = overwinter("start", "office.py:app", "double", message, "--json")
    assert (ran.code, ran.out, ran.error["code"]) == (2, "", "tool.invalid-arguments")
    assert ran.error["message"].startswith("The arguments of double do not fit: ")
    assert overwinter("sessions", "--json").document == {"sessions": []}


@pytest.mark.parametrize("message", ["21", " 21 ", '{"number": 21}'])
def test_the_one_argument_of_a_workflow_may_be_given_by_itself(overwinter: Overwinter, message: str) -> None:
    workflows(WORKFLOWS)
    ran = overwinter("start", "office.py:app", "double", message, "--wait", "--json")
    assert (ran.code, ran.document["said"][-1]["text"]) == (0, "finished with 42")


def test_a_text_that_would_be_json_stays_text_where_text_is_wanted(overwinter: Overwinter) -> None:
    workflows(
        WORKFLOWS.replace("number: int) -> int:\n    return 2 * number", "number: str) -> str:\n    return 2 * number")
    )
    ran = overwinter("start", "office.py:app", "double", "21", "--wait", "--json")
    assert ran.document["said"][-1]["text"] == "finished with 2121"


def test_lines_typed_while_a_manager_is_asked_are_recorded_and_said_to_be(overwinter: Overwinter, typed: Type) -> None:
    typed("refund order 4471, 80.00\nhello?\n")
    ran = overwinter("chat", REFUNDS)
    assert (ran.code, "1 line was recorded; the bot reads them" in ran.err) == (0, True)
    found = re.search(r"overwinter answer ([0-9a-f]{32}) ", ran.err)
    session = re.search(r"--session (s\w+)", ran.err)
    assert found is not None
    assert session is not None
    answered = overwinter("answer", found[1], "no", "--as", "mara", "--app", REFUNDS)
    assert "goes on with it in a service (overwinter serve): at once if one runs" in answered.out
    typed("")
    ran = overwinter("chat", REFUNDS, "--session", session[1], "--json")
    assert ("local", "hello?") in said(ran)


def test_the_command_to_go_on_holds_what_was_given(overwinter: Overwinter, typed: Type) -> None:
    Path("own settings.toml").write_text("")
    typed("hello\n")
    ran = overwinter("chat", REFUNDS, "--db", "my own.db", "--config", "own settings.toml")
    found = re.search(r"goes on with: overwinter (.+)", ran.err)
    assert found is not None
    arguments = shlex.split(found[1])
    assert arguments[-4:] == ["--db", "my own.db", "--config", "own settings.toml"]
    typed("")
    assert overwinter(*arguments).code == 0


FAILING = """
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel

def refuse(request):
    raise ValueError("no model today")

app = App(name="office", agents=[Agent(name="clerk", instructions="Help.", model=ScriptedModel(refuse))])
"""


@pytest.mark.parametrize("is_json", [False, True])
@pytest.mark.parametrize("command", ["chat", "start"])
def test_an_execution_that_failed_is_an_error_with_its_reason(
    overwinter: Overwinter, typed: Type, command: str, is_json: bool
) -> None:
    workflows(FAILING)
    typed("hello\n")
    more = ("clerk", "hello", "--wait") if command == "start" else ()
    ran = overwinter(command, "office.py:app", *more, *(("--json",) if is_json else ()))
    assert ran.code == 8
    assert "no model today" in ran.err
    if is_json:
        assert ran.document["status"] == "idle"
        assert ran.error["code"] == ran.document["reason"].partition(": ")[0]


def test_start_takes_the_app_of_the_configuration(overwinter: Overwinter) -> None:
    workflows(WORKFLOWS)
    nowhere = overwinter("start", "double", "21", "--wait", "--json")
    assert (nowhere.code, nowhere.error["code"]) == (3, "assembly.app-target")
    Path("overwinter.toml").write_text('app = "office.py:app"\n')
    for named in ((), ("office.py:app",)):
        ran = overwinter("start", *named, "double", "21", "--wait", "--json")
        assert (ran.code, ran.document["said"][-1]["text"]) == (0, "finished with 42")
    ran = overwinter("start", "--json", "--wait", "--", "double", "-21")
    assert (ran.code, ran.document["said"][-1]["text"]) == (0, "finished with -42")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((), "Missing argument 'BOT'"),
        (("double",), "Missing argument 'MESSAGE'"),
        (("office.py:app", "double"), "after the app, office.py:app, BOT and MESSAGE are expected"),
        (("office.py:app", "double", "21", "22"), "unexpected extra argument"),
    ],
)
def test_start_says_what_is_missing_or_too_much(overwinter: Overwinter, given: tuple[str, ...], says: str) -> None:
    workflows(WORKFLOWS)
    ran = overwinter("start", *given, "--json")
    assert ran.code == 2
    assert says in ran.error["message"]
    assert not Path("overwinter.db").exists()
