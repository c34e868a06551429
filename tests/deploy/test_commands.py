"""Commands over one database: what they print, what they do, how they end."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from .conftest import REFUNDS, Overwinter, Ran, taken_port

WITHDRAWN = "word that the question to refund-approval is closed was delivered"
"""When that comes is the channel's affair: before or after the session has gone on."""


def start(overwinter: Overwinter, message: str = "refund order 4471, 80.00") -> tuple[str, str]:
    """Start a refund and let it ask; returns the session's id and that of the question, as its channel shows it."""
    ran = overwinter("start", REFUNDS, "support", message, "--owner", "olga", "--wait", "--json")
    assert (ran.code, ran.document["status"]) == (0, "waiting")
    return ran.document["session"], pause_in(ran)


def pause_in(ran: Ran) -> str:
    found = re.search(r"overwinter answer ([0-9a-f]{32}) ", ran.err)
    assert found is not None, ran.err
    return found[1]


def answer(overwinter: Overwinter, pause: str, *more: str) -> Ran:
    return overwinter("answer", pause, "--as", "mara", "--app", REFUNDS, *more)


def start_owner_question(overwinter: Overwinter) -> tuple[str, str]:
    Path("office.py").write_text(
        "from overwinter.bots.agents import Agent\n"
        "from overwinter.bots.app import App\n"
        "from overwinter.bots.scripted_model import ScriptedModel, calls, says\n"
        "from overwinter.bots.toolsets.system import ask_user_tool\n"
        'script = ScriptedModel.by_turn([calls("ask_user", {"prompt": "Which \\x1b[2J order?"}), says("Thanks.")])\n'
        'app = App(name="office", agents=[Agent(name="clerk", tools=[ask_user_tool()], model=script)])\n'
    )
    ran = overwinter(
        "start", "office.py:app", "clerk", "hello", "--owner", "olga", "--surface", "workspace", "--wait", "--json"
    )
    assert ran.code == 0, ran.err
    (question,) = overwinter("pending", "--json").document["questions"]
    return ran.document["session"], question["pause"]


# -- looking -----------------------------------------------------------------------------------------------------------
def test_a_session_is_started_for_a_service_to_take_up(overwinter: Overwinter) -> None:
    ran = overwinter("start", REFUNDS, "support", "refund order 4471, 80.00", "--json")
    assert (ran.code, ran.document["status"], ran.document["said"]) == (0, "ready", [])
    (session,) = overwinter("sessions", "--json").document["sessions"]
    assert (session["session"], session["status"], session["owner"]) == (ran.document["session"], "ready", "local")


def test_sessions_are_listed_by_status(overwinter: Overwinter) -> None:
    waiting, _ = start(overwinter)
    overwinter("start", REFUNDS, "support", "refund order 5000, 1.00")
    listed = overwinter("sessions", "--status", "waiting", "--json").document["sessions"]
    assert [session["session"] for session in listed] == [waiting]
    assert len(overwinter("sessions", "--limit", "1", "--json").document["sessions"]) == 1
    told = overwinter("sessions")
    assert waiting in told.out
    assert "No sessions of that status" in overwinter("sessions", "--status", "failed").out


def test_the_timeline_merges_what_was_said_asked_delivered_and_answered(overwinter: Overwinter) -> None:
    session, pause = start(overwinter)
    answer(overwinter, pause, "ok, but only half")
    overwinter_runs_what_is_due(overwinter)
    ran = overwinter("show", session, "--json")
    kinds = [entry["kind"] for entry in ran.document["timeline"] if entry["what"] != WITHDRAWN]
    wanted = ["message_received", "model_replied", "pause_opened", "delivery_sent", "answer_recorded", "pause_taken"]
    wanted += ["tool_replied", "model_replied", "execution_ended"]
    assert [kind for kind in kinds if kind in wanted][: len(wanted)] == wanted
    answered = next(entry for entry in ran.document["timeline"] if entry["kind"] == "answer_recorded")
    assert answered["who"] == "mara"
    assert answered["what"] == 'replies, read as approved with {"order_id":"4471","amount":"40.00"}'
    told = overwinter("show", session)
    assert "olga: refund order 4471, 80.00" in told.out
    assert "Refunded 40.00 for order 4471." in told.out


def overwinter_runs_what_is_due(overwinter: Overwinter) -> None:
    """Any command that waits runs the supervisor, for all sessions of the database."""
    assert overwinter("start", REFUNDS, "support", "refund order 9999, 1.00", "--wait", "--json").code == 0


def test_the_id_of_a_channels_question_is_in_no_listing(overwinter: Overwinter) -> None:
    session, pause = start(overwinter)
    for command in (("pending",), ("show", session), ("sessions",)):
        for form in ((), ("--json",)):
            ran = overwinter(*command, *form)
            assert ran.code == 0
            assert pause not in ran.out + ran.err
    (question,) = overwinter("pending", "--json").document["questions"]
    assert question["pause"] is None
    assert question["prompt"] == "A customer wants a refund (order_id=4471, amount=80.00). Approve?"
    assert (question["session"], question["role"], question["channel"]) == (session, "refund-approval", "terminal")
    assert (question["step"], question["is_sent"]) == ("/gather#0[0]/approval#0", True)


def test_the_id_of_a_question_to_the_owner_is_listed(overwinter: Overwinter) -> None:
    _, pause = start_owner_question(overwinter)
    assert pause in overwinter("pending").out


def test_control_characters_of_bots_and_people_reach_no_terminal(overwinter: Overwinter) -> None:
    session, _ = start_owner_question(overwinter)
    ran = overwinter("start", "office.py:app", "clerk", "wipe \x1b[2J\x9b2J\u202e this", "--owner", "o\x07", "--wait")
    texts = [ran.out + ran.err]
    for command in (("pending",), ("show", session), ("sessions",)):
        for form in ((), ("--json",)):
            printed = overwinter(*command, *form)
            texts.append(printed.out + printed.err)
    for text in texts:
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "wipe \\x1b[2J\\x9b2J\\x202e this" in texts[0]


def test_what_is_not_there_is_told(overwinter: Overwinter) -> None:
    missing = overwinter("sessions", "--json")
    assert (missing.code, missing.error["code"]) == (4, "store.missing")
    assert "overwinter.db" in missing.error["message"]
    start(overwinter)
    ran = overwinter("show", "s0", "--json")
    assert (ran.code, ran.out, ran.error["code"]) == (5, "", "session.unknown")
    ran = overwinter("cancel", "s0", "--json")
    assert (ran.code, ran.error["code"]) == (5, "session.unknown")
    ran = overwinter("cancel-question", "0" * 32, "--json")
    assert (ran.code, ran.error["code"]) == (5, "pause.unknown")
    ran = overwinter("start", REFUNDS, "suport", "hello", "--json")
    assert (ran.code, ran.error["code"]) == (5, "bot.unknown")
    assert overwinter("chat", REFUNDS, "--session", "s0").code == 5


@pytest.mark.parametrize(
    "command", ["sessions", "pending", "show s0", "cancel s0", "cancel-question p", "answer p yes --as m"]
)
def test_commands_that_read_or_answer_make_no_database(overwinter: Overwinter, command: str) -> None:
    app = ("--app", REFUNDS) if command.startswith("answer") else ()
    assert overwinter(*command.split(), *app, "--db", "other.db").code == 4
    assert not Path("other.db").exists()


# -- answering ---------------------------------------------------------------------------------------------------------
def test_an_answer_in_words_is_recorded_with_what_was_read(overwinter: Overwinter) -> None:
    session, pause = start(overwinter)
    ran = answer(overwinter, pause, "ok, but only half", "--json")
    assert ran.code == 0
    assert ran.document == {
        "session": session,
        "decision": {
            "approved": True,
            "reason": None,
            "override_arguments": {"order_id": "4471", "amount": "40.00"},
        },
        "by": "rules",
    }
    second = answer(overwinter, pause, "yes", "--json")
    assert (second.code, second.error["code"]) == (6, "pause.not-pending")
    assert "mara" in second.error["message"]
    overwinter_runs_what_is_due(overwinter)
    (refund,) = [json.loads(line) for line in Path("refunds.jsonl").read_text().splitlines()]
    assert (refund["order_id"], refund["amount"]) == ("4471", "40.00")


def test_a_decision_is_taken_as_it_is_given(overwinter: Overwinter) -> None:
    _, pause = start(overwinter)
    ran = answer(overwinter, pause, "--decision", '{"approved": false, "reason": "no receipt"}')
    assert (ran.code, ran.err) == (0, "")
    assert "Recorded: rejected." in ran.out


def test_an_answer_that_settles_nothing_leaves_the_question(overwinter: Overwinter) -> None:
    _, pause = start(overwinter)
    for more, code in (
        (("what is order 4471?",), "pause.uninterpretable-reply"),
        ((" ",), "pause.invalid-answer"),
        (("--decision", '{"approved": "yes"}'), "pause.invalid-decision"),
    ):
        ran = answer(overwinter, pause, *more, "--json")
        assert (ran.code, ran.error["code"]) == (7, code)
    assert len(overwinter("pending", "--json").document["questions"]) == 1
    assert answer(overwinter, pause, "yes").code == 0


def test_whoever_answers_perhaps_reads_that_nothing_was_decided_and_what_to_type(overwinter: Overwinter) -> None:
    _, pause = start(overwinter)
    told = answer(overwinter, pause, "perhaps").err
    assert "The reply leaves it open, puts it off or makes it depend on something" in told
    advice = "Nothing was decided: the question still waits. Answer with a plain yes or no, or as JSON: "
    assert advice in told
    partly = answer(overwinter, pause, "Approve, but what about the one of yesterday?").err
    assert "Understood was: “Approve”, which says yes, but not the rest." in partly
    typed = shlex.split(told.split("or as JSON: ")[1].splitlines()[0])
    assert answer(overwinter, pause, *typed).code == 0


def test_an_answer_must_be_one_and_whole(overwinter: Overwinter) -> None:
    for more, says in (
        ((), "the answer is missing"),
        (("yes", "--decision", "1"), "TEXT or with --decision, not both"),
        (("--decision", "{"), "--decision is no JSON"),
        (("\udcff",), "TEXT is not valid UTF-8"),
    ):
        ran = answer(overwinter, "0" * 32, *more, "--json")
        assert (ran.code, ran.error["code"]) == (2, "input.invalid")
        assert says in ran.error["message"]


def test_only_the_right_people_may_answer(overwinter: Overwinter) -> None:
    _, pause = start(overwinter)
    ran = answer(overwinter, pause, "yes", "--owner", "--json")
    assert (ran.code, ran.error["code"]) == (6, "pause.wrong-answerer")
    session, pause = start_owner_question_beside(overwinter)
    args = ("answer", pause, "order 4471", "--app", "office.py:app", "--json")
    ran = overwinter(*args, "--as", "mara")
    assert (ran.code, ran.error["code"]) == (6, "pause.wrong-answerer")
    ran = overwinter(*args, "--as", "mara", "--owner")
    assert (ran.code, ran.error["code"]) == (6, "pause.not-owner")
    ran = overwinter(*args, "--as", "olga", "--owner")
    assert (ran.code, ran.document["session"]) == (0, session)


def start_owner_question_beside(overwinter: Overwinter) -> tuple[str, str]:
    """In a database of its own there is nothing else; here it is beside a channel's question."""
    Path("overwinter.db").rename("before.db")
    return start_owner_question(overwinter)


def test_an_answer_needs_the_app(overwinter: Overwinter) -> None:
    _, pause = start(overwinter)
    ran = overwinter("answer", pause, "yes", "--as", "mara", "--json")
    assert (ran.code, ran.error["code"]) == (3, "assembly.app-target")
    Path("overwinter.toml").write_text(f'app = "{REFUNDS}"')
    assert overwinter("answer", pause, "yes", "--as", "mara").code == 0


def test_another_tenants_questions_and_sessions_are_not_there(
    overwinter: Overwinter, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, pause = start(overwinter)
    monkeypatch.setenv("OVERWINTER_TENANT", "other")
    assert overwinter("pending", "--json").document == {"questions": []}
    assert overwinter("sessions", "--json").document == {"sessions": []}
    assert overwinter("show", session).code == 5
    assert answer(overwinter, pause, "yes").code == 5
    assert overwinter("cancel", session).code == 5


# -- cancelling --------------------------------------------------------------------------------------------------------
def test_a_cancelled_question_is_closed_and_its_session_goes_on(overwinter: Overwinter) -> None:
    session, pause = start(overwinter)
    ran = overwinter("cancel-question", pause, "--reason", "asked by mistake", "--as", "omar", "--json")
    assert (ran.code, ran.document) == (0, {"cancelled": True})
    assert overwinter("cancel-question", pause).code == 6
    assert answer(overwinter, pause, "yes").code == 6
    overwinter_runs_what_is_due(overwinter)
    shown = overwinter("show", session)
    assert "asked by mistake" in shown.out
    assert not Path("refunds.jsonl").exists()


def test_a_cancelled_session_has_ended(overwinter: Overwinter) -> None:
    session, pause = start(overwinter)
    ran = overwinter("cancel", session, "--reason", "withdrawn", "--json")
    assert (ran.code, ran.document) == (0, {"session": session, "status": "cancelled"})
    again = overwinter("cancel", session, "--json")
    assert (again.code, again.error["code"]) == (6, "session.ended")
    assert answer(overwinter, pause, "yes").code == 6
    assert "operator: cancelled the session: withdrawn" in overwinter("show", session).out


# -- faults ------------------------------------------------------------------------------------------------------------
def test_wrong_options_are_told_with_where_to_look(overwinter: Overwinter) -> None:
    ran = overwinter("sesions", "--json")
    assert (ran.code, ran.out, ran.error["code"]) == (2, "", "usage.invalid")
    assert "sessions" in ran.error["message"]
    ran = overwinter("sessions", "--limit", "0", "--json")
    assert ran.error["message"].endswith("See: overwinter sessions --help")
    ran = overwinter("start", REFUNDS, "support", "hello", "--surface", "paper")
    assert ran.code == 2
    assert "chat or workspace is expected" in ran.err


def test_faults_of_configuration_and_app_end_with_3_and_leave_no_database(overwinter: Overwinter) -> None:
    Path("faulty.py").write_text("from overwinter.bots.app import App\napp = App(name='empty')\n")
    ran = overwinter("serve", "faulty.py:app", "--json")
    assert (ran.code, ran.error["code"]) == (3, "assembly.invalid")
    assert "assembly.empty" in ran.error["message"]
    ran = overwinter("serve", "--json")
    assert (ran.code, ran.error["code"]) == (3, "assembly.app-target")
    Path("overwinter.toml").write_text('[model]\nname = "gpt"\napi_key = "sk-very-secret"\nkey = "sk-very-secret"')
    ran = overwinter("serve", "faulty.py:app")
    assert ran.code == 3
    assert "overwinter.toml, model.key: there is no such key; did you mean api_key?" in ran.err
    assert "sk-very" not in ran.out + ran.err
    assert not Path("overwinter.db").exists()


def test_secrets_are_not_printed_even_where_everything_is(
    overwinter: Overwinter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OVERWINTER_DEBUG", "1")
    monkeypatch.setenv("OVERWINTER_MODEL_API_KEY", "sk-very-secret")
    monkeypatch.setenv("OVERWINTER_MODEL_NAME", "gpt")
    monkeypatch.setenv("OVERWINTER_MODEL_TIMEOUT_S", "-1")
    ran = overwinter("sessions")
    assert ran.code == 3
    assert "Traceback" in ran.err
    assert "sk-very" not in ran.out + ran.err


def test_what_nobody_foresaw_is_told_without_a_traceback(
    overwinter: Overwinter, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("odd.py").write_text(
        "from overwinter.bots.app import App\n"
        "class Odd(App):\n"
        "    def check(self):\n"
        "        raise RuntimeError('boom')\n"
        "app = Odd(name='odd')\n"
    )
    ran = overwinter("serve", "odd.py:app", "--json")
    assert (ran.code, ran.error["code"]) == (1, "overwinter.internal")
    assert "RuntimeError: boom" in ran.error["message"]
    assert "OVERWINTER_DEBUG=1" in ran.error["message"]
    assert "Traceback" not in ran.err
    monkeypatch.setenv("OVERWINTER_DEBUG", "1")
    assert "in check\n    raise RuntimeError" in overwinter("serve", "odd.py:app").err


def test_a_service_that_cannot_listen_says_where_and_what_to_set(overwinter: Overwinter) -> None:
    with taken_port() as port:
        Path("overwinter.toml").write_text(f"[webhooks]\nport = {port}\n")
        ran = overwinter("serve", REFUNDS, "--json")
    assert (ran.code, ran.out, ran.error["code"]) == (3, "", "config.cannot-listen")
    assert f"127.0.0.1:{port}: address already in use" in ran.error["message"].lower()
    assert "[webhooks]" in ran.error["message"]
    assert "Serving" not in ran.err


def test_a_file_that_is_no_database_is_told(overwinter: Overwinter) -> None:
    Path("overwinter.db").write_bytes(b"no database " * 100)
    ran = overwinter("sessions", "--json")
    assert (ran.code, ran.error["code"]) == (4, "store.corrupt")
    assert "overwinter.db" in ran.error["message"]
