"""Child processes that end with whoever started them, on every path."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..store.errors import OverwinterError
from .config import environment_without_settings
from .errors import DemoFailedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A child that has ended by itself."""

    pid: int
    code: int
    stdout: str
    stderr: str


class Child:
    """A running Python module that says JSON lines, and may be told some."""

    def __init__(self, process: Process, failure: type[OverwinterError]) -> None:
        self._process = process
        self._failure = failure

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, value: object) -> None:
        """Write one JSON line to its stdin; nothing is told to one that has ended."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(value).encode() + b"\n")

    async def hear(self) -> dict[str, Any]:
        """The next line that it says.

        Raises:
            OverwinterError: the one this was started with: the child has ended.
        """
        assert self._process.stdout is not None
        if line := await self._process.stdout.readline():
            return json.loads(line)
        code = await self._process.wait()
        raise self._failure(f"process {self.pid} ended by itself with code {code}: {await self._last_words()}")

    async def wait_said(self, wanted: Callable[[dict[str, Any]], bool], *, within_s: float) -> dict[str, Any]:
        """The first line from now on that is wanted.

        Raises:
            OverwinterError: the one this was started with: the child has ended, or took too long.
        """
        try:
            async with asyncio.timeout(within_s):
                while not wanted(said := await self.hear()):
                    pass
                return said
        except TimeoutError as error:
            raise self._failure(f"process {self.pid} said nothing of it within {within_s:g} s") from error

    async def close(self) -> int:
        """Close its stdin, and return its code once it has ended by itself."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return await self._process.wait()

    async def kill(self) -> int:
        """SIGKILL: the process gets no chance to do anything more. Returns its code, which is -9."""
        self._process.kill()
        return await self._process.wait()

    async def _last_words(self) -> str:
        assert self._process.stderr is not None
        text = (await self._process.stderr.read()).decode(errors="replace").strip()
        return text.splitlines()[-1] if text else "it said nothing"


class Children:
    """Starts children in one folder; what fails of them is raised as ``failure``."""

    def __init__(self, folder: Path, failure: type[OverwinterError]) -> None:
        self._folder = folder
        self._failure = failure
        self._started: list[Process] = []

    async def start(self, module: str, *arguments: str) -> Child:
        """Start a module. Its stdin is a pipe, which is closed when this process is gone."""
        return Child(await self._start(module, arguments, stdin=PIPE), self._failure)

    async def run(self, module: str, *arguments: str, within_s: float) -> Finished:
        """Run a module to its end.

        Raises:
            OverwinterError: the one this was made with: it took too long.
        """
        process = await self._start(module, arguments, stdin=DEVNULL)
        try:
            async with asyncio.timeout(within_s):
                stdout, stderr = await process.communicate()
        except TimeoutError as error:
            raise self._failure(f"process {process.pid} did not end within {within_s:g} s") from error
        code = await process.wait()
        return Finished(pid=process.pid, code=code, stdout=stdout.decode(), stderr=stderr.decode(errors="replace"))

    async def end(self) -> None:
        """Kill whatever still runs."""
        for process in self._started:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    async def _start(self, module: str, arguments: Sequence[str], *, stdin: int) -> Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            module,
            *arguments,
            cwd=self._folder,
            env=environment_without_settings(),
            stdin=stdin,
            stdout=PIPE,
            stderr=PIPE,
        )
        self._started.append(process)
        return process


@asynccontextmanager
async def children_in(folder: Path, *, failure: type[OverwinterError] = DemoFailedError) -> AsyncGenerator[Children]:
    """Children that are gone when the block ends, however it ends."""
    children = Children(folder, failure)
    try:
        yield children
    finally:
        await asyncio.shield(asyncio.ensure_future(children.end()))
