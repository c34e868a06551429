"""What a command shows: results on stdout, everything else on stderr; for people, or as one JSON document.

Whatever comes from bots, models and people is shown with its control characters made visible, so that nothing of it is
obeyed by a terminal. JSON is plain ASCII for the same reason.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from ...actors.asks import JsonValue
from ...actors.moments import to_the_second
from ...channels.terminal import visible

WIDE = 240
"""Columns where there is no terminal: what is piped on is not wrapped."""


class Screen:
    """The two streams of one command.

    Attributes:
        as_json: ``--json``: one document on stdout, errors as one line of JSON on stderr, no progress.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._out = _console(sys.stdout.isatty(), is_stderr=False)
        self._err = _console(sys.stderr.isatty(), is_stderr=True)

    @property
    def is_interactive(self) -> bool:
        """A person sits at both ends, and wants to read."""
        return not self.as_json and sys.stdin.isatty() and sys.stdout.isatty()

    # -- results ------------------------------------------------------------------------------------------------------
    def document(self, value: JsonValue) -> None:
        """The result, where it is JSON."""
        sys.stdout.write(json.dumps(value, indent=2) + "\n")

    def line(self, text: str = "", *, style: str = "", who: str = "", who_style: str = "bold") -> None:
        """A paragraph for people, with who said it in front; nothing where the result is JSON."""
        if not self.as_json:
            self._out.print(_paragraph(text, style=style, who=who, who_style=who_style), soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]], *, empty: str) -> None:
        if not rows:
            self.line(empty, style="dim")
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        for index, name in enumerate(columns):
            table.add_column(name, overflow="fold", no_wrap=index == 0)
        for row in rows:
            table.add_row(*(Text(shown(cell)) for cell in row))
        self._out.print(table)

    # -- beside them --------------------------------------------------------------------------------------------------
    def note(self, text: str, *, style: str = "dim") -> None:
        """Something for people beside the result, on stderr."""
        if not self.as_json:
            self._err.print(_paragraph(text, style=style), soft_wrap=True)

    def prompt(self, text: str) -> None:
        """Ask a person to type; nothing where nobody does."""
        if self.is_interactive:
            self._out.print(Text(text, style="bold green"), end="")

    def error(self, code: str, message: str) -> None:
        """Say what went wrong; the double backticks of docstrings, which errors take their words from, are left out."""
        message = message.replace("``", "")
        if self.as_json:
            sys.stderr.write(json.dumps({"error": {"code": code, "message": message}}) + "\n")
            return
        text = Text.assemble(("Error: ", "bold red"), shown(message), (f"  [{code}]", "dim"))
        self._err.print(text, soft_wrap=True)

    @contextmanager
    def progress(self, text: str) -> Generator[Progress]:
        """Show that something takes a while: on a terminal only."""
        # On stdout if that is a terminal, so that what is printed meanwhile goes above it.
        console = self._out if self._out.is_terminal else self._err
        status = console.status("") if console.is_terminal and not self.as_json else None
        progress = Progress(status)
        progress.update(text)
        try:
            yield progress
        finally:
            progress.update("")


class Progress:
    """A line that says what goes on, while it does."""

    def __init__(self, status: Status | None) -> None:
        self._status = status

    def update(self, text: str) -> None:
        """Say something else; an empty text takes the line away until the next."""
        if self._status is None:
            return
        if not text:
            self._status.stop()
            return
        self._status.update(Text(shown(text)))
        self._status.start()


def shown(text: str) -> str:
    """``text`` with control characters visible; its line breaks stay."""
    return "\n".join(visible(line) for line in text.split("\n"))


def at(ms: int | None) -> str:
    """A time as people read it: UTC, to the second; a dash for none."""
    if ms is None:
        return "-"
    return to_the_second(ms)


def span(ms: int) -> str:
    """A length of time in its largest unit, as ``3 h``."""
    seconds = max(0, ms) // 1000
    for unit_s, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= unit_s:
            return f"{seconds // unit_s} {unit}"
    return f"{seconds} s"


def length(ms: int) -> str:
    """A length of time to the second, as ``1 h 30 min``."""
    left, words = max(0, ms) // 1000, list[str]()
    for unit_s, unit in ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")):
        count, left = divmod(left, unit_s)
        words += [f"{count} {unit}"] if count else []
    return " ".join(words) or "0 s"


def _paragraph(text: str, *, style: str = "", who: str = "", who_style: str = "bold") -> Text:
    speaker = (f"{shown(who)}: ", who_style) if who else ("", "")
    return Text.assemble(speaker, (shown(text), style))


def _console(is_terminal: bool, *, is_stderr: bool) -> Console:
    return Console(stderr=is_stderr, highlight=False, emoji=False, markup=False, width=None if is_terminal else WIDE)
