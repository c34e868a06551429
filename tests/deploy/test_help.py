"""What the command line says of itself."""

from __future__ import annotations

import inspect
import re
import shlex
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from overwinter.deploy.cli import root
from overwinter.deploy.cli.exits import MEANINGS, Exit, exit_of
from overwinter.store.errors import OverwinterError

from ..house.test_errors import all_errors
from .conftest import REFUNDS, Overwinter


def test_help_shows_every_command_and_every_exit_code(overwinter: Overwinter) -> None:
    for arguments in ((), ("--help",)):
        ran = overwinter(*arguments)
        assert ran.code == 0
        for name in root.names():
            assert re.search(rf"│ {name.split()[0]} ", ran.out)
        for code in Exit:
            assert re.search(rf"\b{code.value} +{re.escape(MEANINGS[code][:30])}", ran.out)


def test_the_version_is_that_of_the_package(overwinter: Overwinter) -> None:
    ran = overwinter("--version")
    assert ran.code == 0
    assert re.fullmatch(r"overwinter \d+\.\d+\.\d+\n", ran.out)


@pytest.mark.parametrize("name", root.names())
def test_every_command_has_an_example_that_can_be_typed(overwinter: Overwinter, name: str) -> None:
    words = name.split()
    assert overwinter(*words, "--help").code == 0
    command: Any = typer.main.get_command(root.build())
    for word in words:
        command = command.commands[word]
    found = re.search(r"Example: (.+)$", command.help)
    assert found is not None
    program, *arguments = shlex.split(found[1])
    assert (program, *arguments[: len(words)]) == ("overwinter", *words)
    # Parsed, not run: a wrong option or a missing argument fails here.
    with command.make_context(name, arguments[len(words) :]):
        pass


@pytest.mark.parametrize("name", root.names())
def test_every_word_that_is_written_of_a_command_is_shown(overwinter: Overwinter, name: str) -> None:
    command: Any = typer.main.get_command(root.build())
    for word in name.split():
        command = command.commands[word]
    shown = " ".join(overwinter(*name.split(), "--help").out.split())
    written = inspect.getdoc(command.callback)
    assert written
    assert " ".join(written.split()) in shown


@pytest.mark.parametrize("name", root.names())
def test_no_option_is_described_by_the_word_of_a_programming_language(overwinter: Overwinter, name: str) -> None:
    shown = overwinter(*name.split(), "--help").out
    options = shown.partition("─ Options ─")[2].splitlines()
    # That of --help is the library's own.
    assert [line for line in options if re.search(r"<\w", line) and "--help" not in line] == []


@pytest.mark.parametrize("name", root.names())
def test_people_are_told_of_questions_and_never_of_pauses(overwinter: Overwinter, name: str) -> None:
    shown = overwinter(*name.split(), "--help").out
    # A code, as pause.unknown, stays what it is.
    assert re.findall(r"\bpauses?\b(?!\.[a-z])", shown, re.IGNORECASE) == []


def test_what_closes_a_question_is_given_the_id_that_pending_lists(overwinter: Overwinter) -> None:
    for name in ("answer", "cancel-question"):
        assert re.search(rf"Usage: overwinter {name} \[OPTIONS\] \W?QUESTION\b", overwinter(name, "--help").out)
        assert "QUESTION" in overwinter(name).err
    overwinter("start", REFUNDS, "support", "refund order 4471, 80.00", "--wait")
    heading, question = overwinter("pending").out.splitlines()
    assert heading.split()[-2:] == ["PROMPT", "QUESTION"]
    assert question.rstrip().endswith("Approve?"), "the id of what a channel asks is the channel's alone"


@pytest.mark.parametrize("name", root.names())
def test_every_command_takes_json(name: str) -> None:
    assert "--json" in CliRunner().invoke(root.build(), [*name.split(), "--help"]).output


def test_a_group_alone_says_what_it_has(overwinter: Overwinter) -> None:
    ran = overwinter("audit", "--help")
    assert ran.code == 0
    assert "verify" in ran.out
    wrong = overwinter("audit", "verify", "--nonsense")
    assert wrong.code == Exit.USAGE
    assert "overwinter audit verify --help" in wrong.err


def test_every_error_has_an_exit_code_that_is_not_0() -> None:
    errors: list[type[OverwinterError]] = all_errors()
    assert {error.code for error in errors if exit_of(error.code) == Exit.OK} == set()
    assert exit_of("store.full") is Exit.STORE
    assert exit_of("assembly.app-type") is Exit.CONFIG
    assert exit_of("pause.not-pending") is Exit.REFUSED
    assert exit_of("model.unavailable") is Exit.FAILED
    assert exit_of("overwinter.internal") is Exit.UNEXPECTED
