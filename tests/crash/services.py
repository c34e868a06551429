"""Whole services as child processes over one database, and what a test does to them and sees of them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.clock import SystemClock
from overwinter.actors.ids import RandomIds
from overwinter.bots.runtime import Runtime
from overwinter.store.store import Store

from .paying import build

APP = Path(__file__).with_name("paying.py")
PATIENCE_S = 60


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end_s = time.perf_counter() + PATIENCE_S
    while not condition():
        assert time.perf_counter() < end_s, f"it never came to be that {what}"
        time.sleep(0.01)  # noqa: TID251  other processes tell of themselves through files alone


@dataclass(frozen=True)
class Service:
    """One ``overwinter serve``."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def freeze(self) -> None:
        """Stop it as a whole, and return when it stands still."""
        self.send(signal.SIGSTOP)
        _, status = os.waitpid(self.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)

    def thaw(self) -> None:
        self.send(signal.SIGCONT)

    def has_said(self, event: str) -> bool:
        return event in self.log.read_text()

    def wait_said(self, event: str) -> None:
        wait_until(lambda: self.has_said(event), f"service {self.pid} said {event!r}: {self.log.read_text()}")

    def end(self) -> int:
        """End it in order; its exit code."""
        self.send(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


class Office:
    """A folder with a database, services on it, and a caller (this process) that runs no supervisor.

    Args:
        settings: those of the table ``supervising``.
    """

    def __init__(self, folder: Path, **settings: float) -> None:
        self.folder = folder
        self.database = folder / "overwinter.db"
        self._services: list[Service] = []
        (folder / "journal").touch()
        wanted = {"lease_s": 1.0, "heartbeat_s": 0.3, "poll_s": 0.2, **settings}
        lines = ["[supervising]", *(f"{name} = {number}" for name, number in wanted.items())]
        (folder / "overwinter.toml").write_text("\n".join(lines))

    def serve(self) -> Service:
        """Start a service, and return when it works."""
        [service] = self.serve_with(1)
        return service

    def serve_with(self, count: int) -> list[Service]:
        """Start several services, and return when all of them work."""
        started = [self._start_service() for _ in range(count)]
        for service in started:
            service.wait_said("service.started")
        return started

    def _start_service(self) -> Service:
        log = self.folder / f"log-{len(self._services)}"
        command = [sys.executable, "-m", "overwinter.deploy.cli", "serve", f"{APP}:app"]
        with log.open("wb") as file:
            process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=file)
        service = Service(process, log)
        self._services.append(service)
        return service

    def end(self) -> None:
        for service in self._services:
            service.process.kill()
            service.process.wait()

    def freeze(self, service: Service) -> None:
        """Freeze a service, but not while it writes: there it would keep everybody out of the file."""
        while True:
            service.freeze()
            if self._is_writable():
                return
            service.thaw()

    def _is_writable(self) -> bool:
        with closing(sqlite3.connect(self.database, timeout=0.1, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            connection.execute("ROLLBACK")
            return True

    def go(self) -> None:
        """Let every body come to its end."""
        (self.folder / "go").touch()

    def hold(self) -> None:
        """Let no body come to its end from now on."""
        (self.folder / "go").unlink()

    # -- the caller ---------------------------------------------------------------------------------------------------
    def start(self, bot: str = "pays") -> str:
        async def start(runtime: Runtime) -> str:
            return await runtime.sessions.start(program=bot, owner="olga", message={})

        return asyncio.run(self._call(start))

    def answer(self, session_id: str, text: str = "yes") -> None:
        """Answer the session's question, which has been asked."""
        wait_until(lambda: len(self.rows("SELECT 1 FROM pauses WHERE session_id = ?", session_id)) == 1, "it asks")
        [(pause_id,)] = self.rows("SELECT pause_id FROM pauses WHERE session_id = ?", session_id)

        async def answer(runtime: Runtime) -> None:
            await runtime.answering.answer(
                tenant="default",
                pause_id=pause_id,
                answer=Decision(value=text),
                credential=ChannelCredential(answered_by="mara"),
            )

        asyncio.run(self._call(answer))

    def cancel(self, session_id: str) -> None:
        async def cancel(runtime: Runtime) -> None:
            await runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="wrong order")

        asyncio.run(self._call(cancel))

    async def _call(self, work: Callable[[Runtime], Any]) -> Any:
        store = await Store.open(self.database)
        try:
            return await work(Runtime(app=build(self.folder), store=store, clock=SystemClock(), ids=RandomIds()))
        finally:
            await store.aclose()

    # -- what is there ------------------------------------------------------------------------------------------------
    def rows(self, query: str, *parameters: str) -> list[Any]:
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(query, parameters).fetchall()

    def status(self, session_id: str) -> str:
        [(status,)] = self.rows("SELECT status FROM sessions WHERE session_id = ?", session_id)
        return status

    def wait_status(self, session_id: str, *wanted: str) -> None:
        wait_until(lambda: self.status(session_id) in wanted, f"the session is {' or '.join(wanted)}")

    def ledger(self, session_id: str) -> list[Any]:
        return self.rows("SELECT * FROM ledger WHERE session_id = ? ORDER BY seq", session_id)

    def returned(self, session_id: str) -> int:
        """How many results of the paying step are recorded."""
        query = "SELECT 1 FROM ledger WHERE session_id = ? AND kind = 'step_returned'"
        return len(self.rows(query, session_id))

    def held(self) -> int:
        """How many leases somebody has."""
        return len(self.rows("SELECT 1 FROM sessions WHERE lease_holder IS NOT NULL"))

    def journal(self, what: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in (self.folder / "journal").read_text().splitlines()]
        return [line for line in lines if line["what"] == what]

    def wait_begun(self, count: int) -> None:
        wait_until(lambda: len(self.journal("begin")) >= count, f"{count} bodies have begun")


@contextmanager
def office(folder: Path, **settings: float) -> Generator[Office]:
    there = Office(folder, **settings)
    try:
        yield there
    finally:
        there.end()
