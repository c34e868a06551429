"""The command line, run in this process in a folder of its own."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

import pytest
import structlog

from overwinter.deploy.cli import main
from overwinter.deploy.config import CONFIG_VARIABLE, DEBUG_VARIABLE
from overwinter.deploy.settings import setting_paths, variable_of

REFUNDS = "overwinter.bots.examples.refund:app"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command has printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        """The error on the last line of stderr, as ``--json`` gives it."""
        return json.loads(self.err.splitlines()[-1])["error"]


Type = Callable[[str], None]
"""Gives the next command a text to read from its stdin."""


class Overwinter(Protocol):
    """Runs one command."""

    def __call__(self, *arguments: str) -> Ran: ...


@contextmanager
def taken_port() -> Generator[int]:
    """A port of this machine at which something listens while the block runs."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.fixture
def clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """An empty folder to be in, no settings in the environment, and nothing left behind of what a command sets."""
    monkeypatch.chdir(tmp_path)
    for name in (CONFIG_VARIABLE, DEBUG_VARIABLE, *map(variable_of, setting_paths())):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    modules = set(sys.modules)
    yield
    for name in set(sys.modules) - modules:
        if not name.startswith("overwinter."):
            del sys.modules[name]
    structlog.reset_defaults()


@pytest.fixture
def overwinter(clean_environment: None, capfd: pytest.CaptureFixture[str]) -> Overwinter:
    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        code = main(arguments)
        printed = capfd.readouterr()
        return Ran(code=code, out=printed.out, err=printed.err)

    return run


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Generator[Type]:
    """Gives the next command a text to read from its stdin."""
    given: list[IO[str]] = []

    def give(text: str) -> None:
        reading, writing = os.pipe()
        os.write(writing, text.encode(errors="surrogateescape"))
        os.close(writing)
        given.append(os.fdopen(reading))
        monkeypatch.setattr("sys.stdin", given[-1])

    yield give
    for stdin in given:
        stdin.close()
