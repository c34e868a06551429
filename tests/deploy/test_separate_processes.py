"""Asking, listing, approving, rejecting and going on, each in a process of its own that ends before the next begins."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import REFUNDS

PATIENCE_S = 120


@pytest.fixture(autouse=True)
def _folder(clean_environment: None) -> None:  # pyright: ignore[reportUnusedFunction]
    """An empty folder to be in."""


def overwinter(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "overwinter.deploy.cli", *arguments],
        input=typed,
        text=True,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def ask(order: str) -> tuple[str, str]:
    """Ask the bot for a refund; returns the session and the id that the manager was given."""
    said = overwinter("chat", REFUNDS, typed=f"refund order {order}, 80.00\n").stderr
    pause = re.search(r"overwinter answer ([0-9a-f]{32}) ", said)
    session = re.search(r"--session (\S+)", said)
    assert pause is not None, said
    assert session is not None, said
    return session[1], pause[1]


def refunded() -> list[str]:
    journal = Path("refunds.jsonl")
    return [json.loads(line)["order_id"] for line in journal.read_text().splitlines()] if journal.exists() else []


@pytest.mark.behaviour("A10")
def test_who_asks_who_lists_who_answers_and_who_goes_on_need_not_be_alive_together() -> None:
    approved, yes = ask("4471")
    rejected, no = ask("4472")

    def waiting() -> set[str]:
        listed: dict[str, Any] = json.loads(overwinter("pending", "--json").stdout)
        return {question["session"] for question in listed["questions"]}

    assert waiting() == {approved, rejected}
    assert refunded() == []
    overwinter("answer", yes, "yes", "--as", "mara", "--app", REFUNDS)
    assert waiting() == {rejected}
    overwinter("answer", no, "no", "--as", "mara", "--app", REFUNDS)
    assert (waiting(), refunded()) == (set(), [])
    assert "Refunded 80.00 for order 4471." in overwinter("chat", REFUNDS, "--session", approved).stdout
    assert refunded() == ["4471"]
    assert "was not approved" in overwinter("chat", REFUNDS, "--session", rejected).stdout
    assert refunded() == ["4471"]
