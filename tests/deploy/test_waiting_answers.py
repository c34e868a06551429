"""``overwinter answer --wait``: what came of the answer, told by the command that gave it."""

from __future__ import annotations

import re
from pathlib import Path

from overwinter.deploy.cli.exits import Exit

from .conftest import REFUNDS, Overwinter

DESK = """
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole

CLERK = QuestionRole(name="clerk", answer=str, answered_by=Answerer.OWNER)

async def print_out(text: str) -> str:
    if text == "fire":
        raise RuntimeError("the printer is on fire")
    return text

async def ask(run: Run) -> str:
    return await run.step(print_out, await run.ask(CLERK, "What?"))

@workflow(version="1")
async def both(run: Run) -> list[str]:
    return await run.gather(ask, ask)

app = App(name="desk", workflows=[both], channels={CLERK: RecordingChannel()})
"""


def desk(overwinter: Overwinter) -> list[str]:
    """Start a workflow that asks its owner twice; the ids of both questions."""
    Path("desk.py").write_text(DESK)
    assert overwinter("start", "desk.py:app", "both", "{}", "--owner", "olga", "--wait").code == 0
    return [question["pause"] for question in overwinter("pending", "--json").document["questions"]]


def test_a_waiting_answer_runs_the_session_here_and_tells_its_end(overwinter: Overwinter) -> None:
    started = overwinter("start", REFUNDS, "support", "refund order 4471, 80.00", "--wait", "--json")
    found = re.search(r"overwinter answer ([0-9a-f]{32}) ", started.err)
    assert found is not None
    arguments = ("answer", found[1], "--as", "mara", "--app", REFUNDS, "--wait")
    refused = overwinter(*arguments, "hm, let me think about it")
    assert refused.code == Exit.NOT_UNDERSTOOD
    ran = overwinter(*arguments, "ok, but only half", "--json")
    assert (ran.code, ran.document["status"], ran.document["pending"]) == (0, "idle", [])
    assert ran.document["session"] == started.document["session"]
    assert ran.document["result"] == {"reply": "Refunded 40.00 for order 4471."}


def test_a_waiting_answer_tells_what_is_still_open_and_then_the_result(overwinter: Overwinter) -> None:
    first, second = desk(overwinter)
    arguments = ("--as", "olga", "--owner", "--app", "desk.py:app", "--wait")
    ran = overwinter("answer", first, "--decision", '"a"', *arguments, "--json")
    assert (ran.code, ran.document["status"], ran.document["result"]) == (0, "waiting", None)
    assert [wait["pause"] for wait in ran.document["pending"]] == [second]
    told = overwinter("answer", second, "--decision", '"a"', *arguments)
    assert told.code == 0
    assert 'Finished with ["a","a"].' in told.out
    assert "is ended." in told.out


def test_a_waiting_answer_that_leads_to_a_failure_says_so(overwinter: Overwinter) -> None:
    first, second = desk(overwinter)
    arguments = ("--as", "olga", "--owner", "--app", "desk.py:app", "--wait")
    assert "It still waits for clerk" in overwinter("answer", first, "--decision", '"a"', *arguments).out
    ran = overwinter("answer", second, "--decision", '"fire"', *arguments, "--json")
    assert (ran.code, ran.document["status"]) == (Exit.FAILED, "failed")
    assert "printer is on fire" in ran.error["message"]
