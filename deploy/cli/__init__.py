"""The command line: ``main`` runs one command and turns whatever happens into words and an exit code.

A file here holds the commands of one group and imports what they do from ``deploy``; ``root`` puts them together, ``screen``
is what they show, ``exits`` what their exit codes mean. No error reaches a person as a traceback.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

import typer
from typer.exceptions import TyperException

from ...store.errors import OverwinterError
from ..config import wants_traceback
from ..logs import configure_logs
from ..settings import LogFormat, LogLevel
from . import root
from .exits import Exit, exit_of
from .screen import Screen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command given by ``arguments``, by default those of the process; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    screen = Screen(as_json="--json" in given)
    configure_logs(level=LogLevel.WARNING, form=LogFormat.AUTO, stream=sys.stderr)
    try:
        return _run(given, screen)
    except (BrokenPipeError, SystemExit):
        # Whoever read the output has gone (rich ends a process for that); nothing is left to be flushed to them at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK


def _run(arguments: list[str], screen: Screen) -> int:
    try:
        code = root.build()(arguments, prog_name="overwinter", standalone_mode=False)
        sys.stdout.flush()
    except OverwinterError as error:
        return _failed(screen, error.code, str(error), error)
    except TyperException as error:
        words = [part for part in arguments if not part.startswith("-")]
        command = next((name for name in root.names() if name.split() == words[: name.count(" ") + 1]), None)
        hint = "overwinter --help" if command is None else f"overwinter {command} --help"
        return _failed(
            screen, "usage.invalid", f"{error.format_message().replace('Value error, ', '')}\nSee: {hint}", error
        )
    except (KeyboardInterrupt, typer.Abort) as error:
        return _failed(screen, "overwinter.interrupted", "interrupted", error)
    except BrokenPipeError:
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {error}. This is a fault of Overwinter, or of the app."
        hint = "" if wants_traceback() else " Set OVERWINTER_DEBUG=1 to see where it comes from."
        return _failed(screen, "overwinter.internal", text + hint, error)
    if code == Exit.INTERRUPTED:
        screen.error("overwinter.interrupted", "interrupted")
    return code if isinstance(code, int) else Exit.OK


def _failed(screen: Screen, code: str, message: str, error: BaseException) -> Exit:
    if wants_traceback():
        traceback.print_exception(error, file=sys.stderr)
    screen.error(code, message)
    return exit_of(code)
