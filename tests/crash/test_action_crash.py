"""A call that a trigger leads to and a gate puts off, killed before and after every commit and inside the tool.

However often the process dies, there is one fire, one session, one question and one ticket; the call that was approved is the one
that runs, under one key, and each outcome equals the undisturbed one.
"""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .forks import forks_of

MOST_COMMITS = 60
SHIFT_S = 120


@dataclass(frozen=True)
class Story:
    """What is left of one story, without its times and the ids that are made of them."""

    events: list[tuple[str, str]]
    replies: list[Any]
    sessions: list[tuple[str, str]]
    pauses: list[tuple[str, str, str, str | None]]
    audit: list[tuple[str, str, str | None]]
    fires: list[tuple[str, int, int]]


Child = Callable[..., int]
"""Runs the story in ``folder`` by a clock that is ahead, dying at a point; returns the exit code."""


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with forks_of("action_child") as fork:

        def run(folder: Path, performer: str, *, shift_s: int = 0, where: str = "never", count: int = 1) -> int:
            return fork(str(folder / "w.db"), str(folder / "journal"), shift_s, performer, where, count)

        yield run


def story(folder: Path) -> Story:
    with closing(sqlite3.connect(folder / "w.db")) as db:
        rows = db.execute("SELECT kind, key, body_json FROM ledger ORDER BY seq").fetchall()
        return Story(
            events=[(kind, key) for kind, key, _ in rows],
            replies=[json.loads(body) for kind, _, body in rows if kind == "tool_replied"],
            sessions=db.execute("SELECT program, status FROM sessions").fetchall(),
            pauses=db.execute("SELECT key, kind, status, resolution FROM pauses ORDER BY key").fetchall(),
            audit=db.execute("SELECT key, resolution, responder FROM audit ORDER BY seq").fetchall(),
            fires=db.execute("SELECT status, is_over, missed FROM fires").fetchall(),
        )


def runs(folder: Path) -> list[dict[str, str]]:
    journal = folder / "journal"
    return [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []


@pytest.fixture(scope="module")
def undisturbed(child: Child, empty: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Story]:
    stories: dict[str, Story] = {}
    for performer in ("supervisor", "host"):
        folder = tmp_path_factory.mktemp(performer)
        shutil.copy(empty, folder)
        assert child(folder, performer) == 0
        [run] = runs(folder)
        assert (run["to"], run["by"]) == ("olga", "mara")
        stories[performer] = story(folder)
        assert [reply["content"] for reply in stories[performer].replies] == ["paid olga"]
        assert [pause[1:] for pause in stories[performer].pauses] == [
            ("ask", "taken", "replied"),
            ("action", "taken", "fired"),
        ]
        assert stories[performer].fires == [("done", 0, 0)]
    return stories


@pytest.mark.case("du26")
@pytest.mark.behaviour("W7")
@pytest.mark.behaviour("W27")
@pytest.mark.parametrize(("performer", "where"), [("supervisor", "before"), ("supervisor", "after"), ("host", "after")])
def test_a_kill_at_any_commit_performs_what_was_approved_once(
    child: Child, undisturbed: dict[str, Story], empty: Path, tmp_path: Path, performer: str, where: str
) -> None:
    kills = 0
    for count in range(1, MOST_COMMITS):
        folder = tmp_path / f"{count}"
        folder.mkdir()
        shutil.copy(empty, folder)
        if child(folder, performer, where=where, count=count) == 0:
            break
        kills += 1
        assert child(folder, performer, shift_s=SHIFT_S) == 0, f"killed {where} commit {count}"
        assert story(folder) == undisturbed[performer], f"killed {where} commit {count}"
        assert len({run["key"] for run in runs(folder)}) == 1
        assert {(run["to"], run["by"]) for run in runs(folder)} == {("olga", "mara")}
        assert len(runs(folder)) <= 2
        shutil.rmtree(folder)
    else:
        pytest.fail("the story never came to its end")
    assert kills >= 10


@pytest.mark.behaviour("W27")
@pytest.mark.parametrize("performer", ["supervisor", "host"])
def test_a_kill_inside_a_call_that_was_put_off_runs_it_again_under_the_same_key(
    child: Child, undisturbed: dict[str, Story], tmp_path: Path, performer: str
) -> None:
    assert child(tmp_path, performer, where="tool") == -signal.SIGKILL
    assert child(tmp_path, performer, shift_s=SHIFT_S) == 0
    first, second = runs(tmp_path)
    assert first == second
    assert story(tmp_path) == undisturbed[performer]
