"""What the command line says of itself."""

from __future__ import annotations

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
from .conftest import Overwinter


def test_help_shows_every_command_and_every_exit_code(overwinter: Overwinter) -> None:
    for arguments in ((), ("--help",)):
        ran = overwinter(*arguments)
        assert ran.code == 0
        for name in root.names():
            assert re.search(rf"│ {name} ", ran.out)
        for code in Exit:
            assert re.search(rf"\b{code.value} +{re.escape(MEANINGS[code][:30])}", ran.out)


def test_the_version_is_that_of_the_package(overwinter: Overwinter) -> None:
    ran = overwinter("--version")
    assert ran.code == 0
    assert re.fullmatch(r"overwinter \d+\.\d+\.\d+\n", ran.out)


@pytest.mark.parametrize("name", root.names())
def test_every_command_has_an_example_that_can_be_typed(overwinter: Overwinter, name: str) -> None:
    ran = overwinter(name, "--help")
    assert ran.code == 0
    group: Any = typer.main.get_command(root.build())
    found = re.search(r"Example: (.+)$", group.commands[name].help)
    assert found is not None
    program, command, *arguments = shlex.split(found[1])
    assert (program, command) == ("overwinter", name)
    # Parsed, not run: a wrong option or a missing argument fails here.
    with group.commands[name].make_context(name, arguments):
        pass


@pytest.mark.parametrize("name", root.names())
def test_every_command_takes_json(name: str) -> None:
    assert "--json" in CliRunner().invoke(root.build(), [name, "--help"]).output


def test_every_error_has_an_exit_code_that_is_not_0() -> None:
    errors: list[type[OverwinterError]] = all_errors()
    assert {error.code for error in errors if exit_of(error.code) == Exit.OK} == set()
    assert exit_of("store.full") is Exit.STORE
    assert exit_of("assembly.app-type") is Exit.CONFIG
    assert exit_of("pause.not-pending") is Exit.REFUSED
    assert exit_of("model.unavailable") is Exit.FAILED
    assert exit_of("overwinter.internal") is Exit.UNEXPECTED
