"""The whole story, killed before and after every commit and inside the tool: each outcome equals the undisturbed one."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from .forks import forks_of

MOST_COMMITS = 40


@dataclass(frozen=True)
class Story:
    """What is left of one story: the ledger without its times, the session, what the tool did."""

    events: list[tuple[str, str, Any]]
    status: str
    pauses: list[tuple[str, str, str]]
    audit: list[tuple[str, str]]
    withdrawn: list[tuple[str, str]]


Child = Callable[..., int]
"""Runs the story in ``folder`` by a clock that is ahead, dying at a point; returns the exit code."""


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with forks_of("child") as fork:

        def run(folder: Path, *, shift_s: int = 0, where: str = "never", count: int = 1) -> int:
            return fork(str(folder / "w.db"), str(folder / "journal"), shift_s, where, count)

        yield run


def story(folder: Path) -> Story:
    with sqlite3.connect(folder / "w.db") as db:
        events = [
            (kind, key, _without_times(json.loads(body)))
            for kind, key, body in db.execute("SELECT kind, key, body_json FROM ledger ORDER BY seq")
        ]
        [(status,)] = db.execute("SELECT status FROM sessions").fetchall()
        pauses = db.execute("SELECT key, status, resolution FROM pauses").fetchall()
        audit = db.execute("SELECT key, resolution FROM audit").fetchall()
        withdrawn = db.execute("SELECT kind, status FROM deliveries WHERE kind = 'withdraw'").fetchall()
    db.close()
    return Story(events=events, status=status, pauses=pauses, audit=audit, withdrawn=withdrawn)


def runs(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "journal").read_text().splitlines()]


def _without_times(body: Any) -> Any:
    if not isinstance(body, dict):
        return body
    members = cast("dict[str, Any]", body)
    return {key: value for key, value in members.items() if not key.endswith("_ms")}


@pytest.fixture(scope="module")
def undisturbed(child: Child, tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert child(folder) == 0
    [run] = runs(folder)
    assert run["amount"] == "40.00"
    return story(folder)


@pytest.mark.case("st14")
@pytest.mark.case("du26")
@pytest.mark.behaviour("W27")
@pytest.mark.parametrize("where", ["before", "after"])
def test_a_kill_at_any_commit_changes_nothing(child: Child, undisturbed: Story, tmp_path: Path, where: str) -> None:
    kills = 0
    for count in range(1, MOST_COMMITS):
        folder = tmp_path / f"{where}-{count}"
        folder.mkdir()
        if child(folder, where=where, count=count) == 0:
            break
        kills += 1
        assert child(folder, shift_s=120) == 0
        assert story(folder) == undisturbed, f"killed {where} commit {count}"
        assert len({run["key"] for run in runs(folder)}) == 1
        assert {run["amount"] for run in runs(folder)} == {"40.00"}
        assert len(runs(folder)) <= 2
    else:
        pytest.fail("the story never came to its end")
    assert kills >= 6


def test_a_kill_inside_the_tool_runs_it_again_under_the_same_key(
    child: Child, undisturbed: Story, tmp_path: Path
) -> None:
    assert child(tmp_path, where="tool") == -signal.SIGKILL
    assert child(tmp_path, shift_s=120) == 0
    first, second = runs(tmp_path)
    assert first == second
    assert story(tmp_path) == undisturbed
