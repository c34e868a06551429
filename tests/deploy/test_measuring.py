"""The measurement, at a size that takes no time: what it prints, and what it leaves."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from pathlib import Path

import pytest

from overwinter.deploy.bench import resident_bytes
from overwinter.deploy.cli.exits import Exit

from .conftest import Overwinter


@pytest.fixture(autouse=True)
def _collector() -> Generator[None]:  # pyright: ignore[reportUnusedFunction]
    """The measurement sets the collector up for itself; other tests want it as it was."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


SMALL = ("bench", "--sessions", "12", "--concurrency", "4", "--waiting", "8", "--processes", "1")


def test_the_figures_are_one_document_and_nothing_is_left(overwinter: Overwinter, tmp_path: Path) -> None:
    ran = overwinter(*SMALL, "--json")
    assert (ran.code, ran.err) == (0, "")
    figures = ran.document
    assert (figures["sessions"], figures["concurrency"], figures["waiting_sessions"]) == (12, 4, 8)
    assert figures["cycles_per_s"] > 0
    assert 0 < figures["wake_p50_ms"] <= figures["wake_p99_ms"]
    assert figures["bytes_per_waiting_session"] > 500
    assert figures["python"]
    assert figures["sqlite"]
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_is_kept_and_holds_every_cycle_with_its_audit(overwinter: Overwinter, tmp_path: Path) -> None:
    ran = overwinter(*SMALL, "--db", "bench.db")
    assert ran.code == 0
    assert "cycles a second, 4 at once" in ran.out
    listed = overwinter("sessions", "--db", "bench.db", "--limit", "1000", "--json").document["sessions"]
    # 12 to warm up, 12 to wake, 12 to run; 8 still wait.
    assert [session["status"] for session in listed].count("idle") == 36
    assert [session["status"] for session in listed].count("waiting") == 8
    done = next(session["session"] for session in listed if session["status"] == "idle")
    timeline = overwinter("show", done, "--db", "bench.db", "--json").document["timeline"]
    kinds = [entry["kind"] for entry in timeline]
    assert kinds.count("answer_recorded") == 1
    assert kinds.count("delivery_sent") == 2
    assert kinds.count("model_replied") == 2


def test_several_processes_share_the_cycles_over_one_database(overwinter: Overwinter) -> None:
    ran = overwinter(*SMALL[:-1], "3", "--db", "bench.db", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.document["processes"] == 3
    listed = overwinter("sessions", "--db", "bench.db", "--limit", "1000", "--json").document["sessions"]
    statuses = [session["status"] for session in listed]
    # Each of the two others has warmed up with four.
    assert (statuses.count("idle"), statuses.count("waiting")) == (36 + 8, 8)
    assert {session["session"].split("-")[1] for session in listed} == {"0", "1", "2"}


def test_a_process_that_ends_while_it_measures_ends_the_measurement(
    overwinter: Overwinter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # What every Python reads at its start, and those that are started here die of.
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.exit('it is too cold')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ran = overwinter(*SMALL[:-1], "2", "--json")
    assert (ran.code, ran.error["code"]) == (Exit.FAILED, "bench.failed")
    assert "ended by itself" in ran.error["message"]


def test_a_file_that_is_there_is_left_alone(overwinter: Overwinter) -> None:
    Path("mine.db").write_text("mine")
    ran = overwinter(*SMALL, "--db", "mine.db", "--json")
    assert (ran.code, ran.error["code"]) == (2, "input.invalid")
    assert Path("mine.db").read_text() == "mine"


def test_a_folder_that_is_not_there_is_told(overwinter: Overwinter) -> None:
    ran = overwinter(*SMALL, "--db", "no/bench.db", "--json")
    assert (ran.code, ran.error["code"]) == (4, "store.missing")


def test_memory_is_counted_in_bytes() -> None:
    counted = resident_bytes()
    assert counted is None or counted > 10_000_000
    assert counted is not None or not Path("/proc/self/statm").exists()


def test_a_reader_that_has_gone_is_no_error(overwinter: Overwinter, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stdout:
        monkeypatch.setattr("sys.stdout", stdout)
        ran = overwinter("--help")
    assert (ran.code, ran.err) == (0, "")
