"""Real services on one database: frozen past their lease, told to end, killed, and kept from the database."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from threading import Timer

import pytest

from .services import PATIENCE_S, office, wait_until


@pytest.mark.case("du22")
@pytest.mark.behaviour("G41")
@pytest.mark.behaviour("G46")
@pytest.mark.behaviour("P46")
def test_a_service_frozen_past_its_lease_can_change_nothing_when_it_wakes(tmp_path: Path) -> None:
    with office(tmp_path) as there:
        zombie = there.serve()
        session_id = there.start()
        there.answer(session_id)
        there.wait_begun(1)
        there.freeze(zombie)
        living = there.serve()
        there.wait_begun(2)
        there.go()
        there.wait_status(session_id, "ended")
        ledger = there.ledger(session_id)
        session = there.rows("SELECT * FROM sessions")
        zombie.thaw()
        zombie.wait_said("lease.lost")
        assert living.end() == 0
        # It is no zombie any more: what comes next is its own.
        after = there.start("pays_unasked")
        there.wait_status(after, "ended")
        assert zombie.end() == 0
        assert there.ledger(session_id) == ledger
        assert there.rows("SELECT * FROM sessions WHERE session_id = ?", session_id) == session
        assert there.returned(session_id) == 1
        first, second, third = there.journal("begin")
        assert (first["pid"], second["pid"], third["pid"]) == (zombie.pid, living.pid, zombie.pid)
        assert first["key"] == second["key"] != third["key"]
        assert there.held() == 0


@pytest.mark.behaviour("G41")
@pytest.mark.behaviour("G46")
def test_services_that_freeze_at_any_moment_leave_every_session_with_one_outcome(tmp_path: Path) -> None:
    random = Random(1)
    with office(tmp_path, lease_s=0.6, heartbeat_s=0.2) as there:
        services = there.serve_with(2)
        sessions = [there.start() for _ in range(6)]
        for number, session_id in enumerate(sessions):
            frozen = random.choice(services)
            there.answer(session_id)
            if random.random() < 0.7:
                there.wait_begun(number + 1)
            there.freeze(frozen)
            there.go()
            there.wait_status(session_id, "ended")
            there.hold()
            frozen.thaw()
        for session_id in sessions:
            assert (there.status(session_id), there.returned(session_id)) == ("ended", 1)
        there.go()
        assert [service.end() for service in services] == [0, 0]
        assert there.held() == 0
        begun = there.journal("begin")
        keys = [line["key"] for line in begun]
        assert len(set(keys)) == len(sessions)
        assert max(keys.count(key) for key in keys) <= 2
        assert {line["pid"] for line in begun} == {service.pid for service in services}


@pytest.mark.behaviour("G46")
def test_a_service_told_to_end_finishes_its_step_and_waits_for_no_answer(tmp_path: Path) -> None:
    with office(tmp_path) as there:
        service = there.serve()
        asking, working = there.start(), there.start("pays_unasked")
        there.wait_begun(1)
        there.wait_status(asking, "waiting")
        service.send(signal.SIGTERM)
        service.wait_said("service.stopping")
        late = there.start("pays_unasked")
        there.go()
        assert service.process.wait(PATIENCE_S) == 0
        assert (there.status(asking), there.status(working), there.status(late)) == ("waiting", "ended", "ready")
        assert there.returned(working) == len(there.journal("begin")) == 1
        assert there.held() == 0


@pytest.mark.behaviour("G46")
def test_what_a_service_cannot_finish_in_its_grace_goes_on_elsewhere_at_once(tmp_path: Path) -> None:
    with office(tmp_path, lease_s=300, heartbeat_s=100, grace_s=0.2) as there:
        first = there.serve()
        session_id = there.start("pays_unasked")
        there.wait_begun(1)
        second = there.serve()
        assert first.end() == 0
        there.wait_begun(2)
        there.go()
        there.wait_status(session_id, "ended")
        assert second.end() == 0
        assert [line["pid"] for line in there.journal("begin")] == [first.pid, second.pid]
        assert len({line["key"] for line in there.journal("begin")}) == 1
        assert [line["pid"] for line in there.journal("end")] == [second.pid]
        assert there.returned(session_id) == 1


@pytest.mark.behaviour("G34")
@pytest.mark.behaviour("G46")
def test_when_a_service_is_killed_another_goes_on_and_what_was_answered_comes_first(tmp_path: Path) -> None:
    with office(tmp_path, concurrency=1) as there:
        killed = there.serve()
        answered = there.start()
        there.wait_status(answered, "waiting")
        inside = there.start("pays_unasked")
        there.wait_begun(1)
        killed.send(signal.SIGKILL)
        assert killed.process.wait(PATIENCE_S) == -signal.SIGKILL
        fresh = [there.start("pays_unasked") for _ in range(3)]
        there.answer(answered)
        there.go()
        living = there.serve()
        for session_id in (answered, inside, *fresh):
            there.wait_status(session_id, "ended")
            assert there.returned(session_id) == 1
        assert living.end() == 0
        first, *others = there.journal("begin")
        assert first["pid"] == killed.pid
        [(execution_id,)] = there.rows("SELECT execution_id FROM executions WHERE session_id = ?", answered)
        assert others[0]["key"].startswith(execution_id)
        keys = [line["key"] for line in others]
        assert first["key"] in keys, "it died inside of that body, which runs again under the same key"
        assert len(keys) == len(set(keys)) == 5


@pytest.mark.behaviour("P48")
@pytest.mark.behaviour("W16")
def test_a_session_cancelled_by_another_process_stops_in_the_middle_of_its_step(tmp_path: Path) -> None:
    with office(tmp_path) as there:
        service = there.serve()
        session_id = there.start("pays_unasked")
        there.wait_begun(1)
        there.cancel(session_id)
        service.wait_said("session.dropped")
        ledger = there.ledger(session_id)
        there.go()
        after = there.start("pays_unasked")
        there.wait_status(after, "ended")
        assert service.end() == 0
        assert there.status(session_id) == "cancelled"
        assert there.ledger(session_id) == ledger
        assert there.returned(session_id) == 0
        begun, ended = there.journal("begin"), there.journal("end")
        assert (len(begun), len(ended)) == (2, 1)
        assert ended[0]["key"] == begun[1]["key"]


@pytest.mark.behaviour("G46")
def test_a_database_that_stalls_past_every_lease_loses_and_repeats_nothing(tmp_path: Path) -> None:
    with office(tmp_path, lease_s=0.6, heartbeat_s=0.2) as there:
        service = there.serve()
        asking, working = there.start(), there.start("pays_unasked")
        there.wait_begun(1)
        there.wait_status(asking, "waiting")
        with closing(sqlite3.connect(there.database, check_same_thread=False, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            there.go()
            letting_go = Timer(2.0, other.execute, ["ROLLBACK"])
            letting_go.start()
            there.answer(asking)  # acknowledged as soon as it can be, and not before
            letting_go.join()
        for session_id in (asking, working):
            there.wait_status(session_id, "ended")
            assert there.returned(session_id) == 1
        wait_until(lambda: there.held() == 0, "every lease is given back")
        assert service.end() == 0
        keys = [line["key"] for line in there.journal("begin")]
        assert len(keys) == len(set(keys)) == 2
