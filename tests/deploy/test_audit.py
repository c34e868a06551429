"""The audit as operators see it: what it lists, and what its check finds."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import astuple, fields
from datetime import timedelta
from pathlib import Path

import pytest

from overwinter.actors.joins import FailFast
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.deploy.auditing import PAGE, verify_audit
from overwinter.deploy.cli.exits import Exit
from overwinter.store.audit import EMPTY, AuditDraft, chain
from overwinter.store.rows import AuditRow
from overwinter.store.store import Store

from .conftest import REFUNDS, Overwinter, Ran
from .test_accepting import run_what_is_due
from .test_commands import answer, start

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


def answered(overwinter: Overwinter, count: int) -> list[str]:
    """Sessions that have asked, were answered and have gone on; their ids."""
    sessions: list[str] = []
    for number in range(count):
        session, pause = start(overwinter, f"refund order {4000 + number}, 80.00")
        assert answer(overwinter, pause, "yes").code == 0
        sessions.append(session)
    run_what_is_due(REFUNDS)
    return sessions


def forge(statement: str) -> None:
    with closing(sqlite3.connect("overwinter.db")) as connection, connection:
        assert connection.execute(statement).rowcount >= 1


def verify(overwinter: Overwinter, *more: str) -> Ran:
    return overwinter("audit", "verify", "--json", *more)


# -- list --------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G29")
def test_the_list_says_who_decided_what_page_by_page(overwinter: Overwinter) -> None:
    first, second, third = answered(overwinter, 3)
    page = overwinter("audit", "list", "--limit", "2", "--json").document
    assert [entry["session"] for entry in page["entries"]] == [first, second]
    assert page["after"] == 2
    entry = page["entries"][0]
    assert (entry["seq"], entry["role"], entry["responder"], entry["resolution"]) == (
        1,
        "refund-approval",
        "mara",
        "replied",
    )
    assert entry["decision"]["approved"] is True
    assert (entry["answered_by"], entry["pause"]) == ("channel", None)
    rest = overwinter("audit", "list", "--after", "2", "--json").document
    assert ([entry["session"] for entry in rest["entries"]], rest["after"]) == ([third], None)
    told = overwinter("audit", "list", "--limit", "1")
    assert first in told.out
    assert "--after 1" in told.err


def test_the_list_is_of_one_session_or_of_one_execution(overwinter: Overwinter) -> None:
    _, second = answered(overwinter, 2)
    (entry,) = overwinter("audit", "list", "--session", second, "--json").document["entries"]
    assert entry["seq"] == 2
    listed = overwinter("audit", "list", "--execution", entry["execution"], "--json").document["entries"]
    assert listed == [entry]
    assert "No entry of tenant acme" in overwinter("audit", "list", "--tenant", "acme").out


@pytest.mark.behaviour("G14")
def test_the_id_of_a_channels_question_is_in_no_entry(overwinter: Overwinter) -> None:
    _, pause = start(overwinter)
    answer(overwinter, pause, "yes")
    for command in (("list",), ("verify",)):
        for form in ((), ("--json",)):
            ran = overwinter("audit", *command, *form)
            assert ran.code == 0
            assert pause not in ran.out + ran.err


# -- verify ------------------------------------------------------------------------------------------------------------
def test_a_chain_that_fits_gives_its_head_to_be_kept(overwinter: Overwinter) -> None:
    answered(overwinter, 2)
    ran = verify(overwinter)
    assert (ran.code, ran.document["entries"]) == (0, 2)
    head = ran.document["head"]
    assert head.startswith("2:")
    assert head in overwinter("audit", "verify").out
    answered(overwinter, 1)
    later = verify(overwinter, "--head", head)
    assert (later.code, later.document["entries"]) == (0, 3)


def test_a_tenant_without_entries_fits(overwinter: Overwinter) -> None:
    start(overwinter)
    ran = verify(overwinter, "--tenant", "acme")
    assert (ran.code, ran.document["head"]) == (0, f"0:{'0' * 64}")


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE audit SET responder = 'eve' WHERE seq = 2", "entry 2 was changed"),
        ("UPDATE audit SET decision_json = 'no json' WHERE seq = 1", "entry 1 was changed"),
        ("UPDATE audit SET previous_hash = 'x' WHERE seq = 3", "entry 3 does not fit to entry 2"),
        ("DELETE FROM audit WHERE seq = 1", "entry 2 comes after the beginning"),
        ("DELETE FROM audit WHERE seq = 2", "entry 3 comes after entry 1"),
        ("UPDATE audit SET seq = 0 WHERE seq = 3", "entry 0"),
        ("UPDATE audit SET tenant = 'other' WHERE seq = 3", "there is no entry of it"),
        ("UPDATE audit SET tenant = 'other'", "there is no entry of it"),
        ("DELETE FROM audit WHERE seq = 3", "/gather#0[0]/approval#0 has ended (replied), and there is no entry of it"),
    ],
)
def test_what_was_changed_or_taken_out_is_named(overwinter: Overwinter, statement: str, fault: str) -> None:
    answered(overwinter, 3)
    forge(statement)
    ran = verify(overwinter)
    assert (ran.code, ran.out, ran.error["code"]) == (Exit.BROKEN, "", "audit.broken")
    assert fault in ran.error["message"]
    assert overwinter("audit", "list").code == 0
    assert overwinter("audit", "list", "--json").code == 0


def test_a_head_that_was_kept_shows_a_missing_end_and_a_chain_made_anew(overwinter: Overwinter) -> None:
    _, pause = start(overwinter)
    assert answer(overwinter, pause, "no").code == 0  # not taken yet: no ledger tells of it
    head = verify(overwinter).document["head"]
    forge("DELETE FROM audit")
    assert verify(overwinter).code == 0
    gone = verify(overwinter, "--head", head)
    assert gone.code == Exit.BROKEN
    assert "the chain ends with entry 0, and entry 1 was kept" in gone.error["message"]
    _, another = start(overwinter)
    assert answer(overwinter, another, "yes").code == 0
    anew = verify(overwinter, "--head", head)
    assert anew.code == Exit.BROKEN
    assert "entry 1 is not the one that was kept" in anew.error["message"]


@pytest.mark.parametrize("head", ["1", "1:abc", f"-1:{'0' * 64}", f"01:{'0' * 64}", f"1:{'G' * 64}"])
def test_a_head_that_is_none_is_refused(overwinter: Overwinter, head: str) -> None:
    start(overwinter)
    ran = verify(overwinter, f"--head={head}")
    assert (ran.code, ran.error["code"]) == (Exit.USAGE, "input.invalid")


async def test_a_chain_of_many_pages_is_walked_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    store = await Store.open(path)
    rows = chain(EMPTY, (_draft(number) for number in range(2 * PAGE + 7)))
    _insert(path, rows)
    try:
        verified = await verify_audit(store, tenant="default")
        assert (verified.entries, verified.head.hash, verified.faults) == (len(rows), rows[-1].hash, ())
        _change(path, f"UPDATE audit SET role = 'x' WHERE seq = {2 * PAGE}")
        verified = await verify_audit(store, tenant="default")
        assert (verified.entries, len(verified.faults)) == (2 * PAGE - 1, 1)
    finally:
        await store.aclose()


@pytest.mark.behaviour("G28")
@pytest.mark.behaviour("G29")
async def test_every_way_in_which_a_question_ends_leaves_an_entry_that_would_be_missed(tmp_path: Path) -> None:
    async def asks(run: Run, what: str) -> str:
        answer = await run.ask(DIRECTOR, what, deadline=timedelta(hours=1) if what == "late" else None)
        if answer == "no":
            raise ValueError("no")
        return answer

    async def safely(run: Run, what: str) -> str:
        try:
            return await asks(run, what)
        except Exception as error:
            return type(error).__name__

    @workflow(version="1")
    async def all_of_them(run: Run) -> list[str]:
        await run.sleep(timedelta(minutes=1))
        ended = await run.map(safely, ["answered", "late", "cancelled"])
        try:
            await run.map(asks, ["refused", "withdrawn"], join=FailFast())
        except Exception as error:
            ended.append(type(error).__name__)
        return ended

    app = App(name="w", workflows=[all_of_them], channels={DIRECTOR: RecordingChannel()})
    path = tmp_path / "w.db"
    async with Kit(build=lambda: app, path=path).running() as kit:
        session_id = await kit.start("all_of_them", {})
        await kit.advance(timedelta(minutes=1))
        await kit.answer(await kit.question(key="/map#0[0]/ask#0"), decision="yes")
        cancelled = await kit.question(key="/map#0[2]/ask#0")
        await kit.runtime.answering.cancel(tenant="default", pause_id=cancelled.pause_id, by="mara", reason="no need")
        await kit.advance(timedelta(hours=1))
        await kit.answer(await kit.question(key="/map#1[0]/ask#0"), decision="no")
        ended = ["yes", "PauseTimedOutError", "PauseCancelledError", "ValueError"]
        assert await kit.outcome(session_id) == {"result": ended}
        assert (await verify_audit(kit.store, tenant="default")).faults == ()
        await kit.advance(timedelta(hours=25))
        assert (await kit.timeline(session_id)).pauses == (), "the questions are forgotten, their entries are not"
        entries = (await kit.timeline(session_id)).audit
        assert {row.resolution for row in entries} == {"decided", "timed_out", "cancelled", "withdrawn"}
        for entry in entries:
            _change(path, f"DELETE FROM audit WHERE seq = {entry.seq}")
            faults = (await verify_audit(kit.store, tenant="default")).faults
            assert any(f"{entry.key} has ended ({entry.resolution})" in fault for fault in faults)
            _insert(path, (entry,))


def _draft(number: int) -> AuditDraft:
    return AuditDraft(
        tenant="default",
        session_id=f"s{number}",
        execution_id="x",
        key="/ask#0",
        pause_id=None,
        role="director",
        answerer="channel",
        responder="mara",
        resolution="decided",
        decision_json='"yes"',
        asked_at_ms=number,
        resolved_at_ms=number + 1,
    )


def _insert(path: Path, rows: tuple[AuditRow, ...]) -> None:
    names = [field.name for field in fields(AuditRow)]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            f"INSERT INTO audit ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
            [astuple(row) for row in rows],
        )


def _change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount >= 1
