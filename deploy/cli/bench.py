"""The command that measures."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ...actors.clock import SystemClock
from ...actors.ids import RandomIds
from ...store.errors import StoreReadOnlyError
from .. import loops
from ..bench import Figures, Plan, run_bench
from ..config import load_config
from ..errors import InputInvalidError
from ..service import interruptible
from ..settings import Config
from .options import ConfigFile, Json
from .screen import Screen


def bench(
    sessions: Annotated[
        int, typer.Option("--sessions", metavar="N", min=1, max=10_000_000, help="How many cycles to run.")
    ] = 2000,
    concurrency: Annotated[
        int, typer.Option("--concurrency", metavar="N", min=1, max=100_000, help="How many at once.")
    ] = 64,
    waiting: Annotated[
        int,
        typer.Option(
            "--waiting", metavar="N", min=1, max=10_000_000, help="How many sessions to park, to see what they cost."
        ),
    ] = 1000,
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes",
            metavar="N",
            min=1,
            max=64,
            help="How many processes run them, each with a supervisor of its own. (default: one a core, at most 4)",
        ),
    ] = None,
    db: Annotated[
        Path | None,
        typer.Option(
            "--db", metavar="PATH", help="A new file, which is kept. (default: a passing one beside your database)"
        ),
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Measure this machine: cycles of ask, hibernate, answer, revive, finish; and what a waiting session costs.

    Model and channel are stubs; all else is real, and every commit is flushed to the disk the database is on.

    Example: overwinter bench --sessions 5000 --concurrency 256 --json
    """
    settings = load_config(file=config)
    if db is not None and db.exists():
        raise InputInvalidError(
            f"--db {db} is there already; name a new file, so that nothing of yours is measured away"
        )
    screen = Screen(as_json=as_json)
    with _file(db, settings) as path, screen.progress("Opening a database ...") as progress:
        measuring = run_bench(
            path=path,
            config=settings,
            clock=SystemClock(),
            ids=RandomIds(),
            plan=Plan(
                sessions=sessions,
                concurrency=concurrency,
                waiting=waiting,
                processes=min(processes or min(os.cpu_count() or 1, 4), concurrency, sessions),
            ),
            progress=progress.update,
        )
        figures = loops.run(interruptible(measuring))
    if as_json:
        screen.document(figures.to_json())
        return
    for name, value in _rows(figures):
        screen.line(f"{name:<38}{value:>14}")


@contextmanager
def _file(db: Path | None, config: Config) -> Generator[Path]:
    if db is not None:
        yield db
        return
    folder = config.database.absolute().parent
    try:
        with tempfile.TemporaryDirectory(prefix=".overwinter-bench-", dir=folder) as passing:
            yield Path(passing) / "bench.db"
    except PermissionError as error:
        raise StoreReadOnlyError(f"The folder {folder} cannot be written. Name a file elsewhere: --db PATH") from error


def _rows(figures: Figures) -> list[tuple[str, str]]:
    memory = figures.memory_bytes_per_waiting_session
    return [
        (f"cycles a second, {figures.concurrency} at once", f"{figures.cycles_per_s:,.0f}"),
        ("processes that ran them", f"{figures.processes}"),
        ("answer to tool running, median", f"{figures.wake_p50_ms:.2f} ms"),
        ("answer to tool running, 99 of 100", f"{figures.wake_p99_ms:.2f} ms"),
        ("a waiting session on disk", f"{figures.bytes_per_waiting_session:,} bytes"),
        ("a waiting session in memory", "unknown" if memory is None else f"{memory:,} bytes"),
        ("Python, SQLite", f"{figures.python}, {figures.sqlite}"),
    ]
