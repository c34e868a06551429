"""What a session runs, as the runtime sees it: an agent or a workflow behind one Protocol."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable
from typing import Any, Protocol

from ..store.rows import SessionStatus
from .asks import JsonValue
from .run import Run


class Program(Protocol):
    """One deployed definition, in one version."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def fingerprint(self) -> str:
        """Of structure and schemas, not of prompts or models: a sleeping session goes on under the same one only."""
        ...

    @property
    def rests_as(self) -> SessionStatus:
        """What the session is after an execution has ended: ``idle`` takes messages, ``ended`` does not."""
        ...

    def main(self, run: Run, message: JsonValue) -> Coroutine[Any, Any, JsonValue]:
        """The durable code of one execution; its result is plain JSON."""
        ...


class Programs:
    """All that is deployed, by name and version; the newest version of a name is the one that new executions get."""

    def __init__(self, programs: Iterable[Program]) -> None:
        self._newest: dict[str, Program] = {}
        self._versions: dict[tuple[str, str], Program] = {}
        for program in programs:
            self._newest[program.name] = program
            self._versions[(program.name, program.version)] = program

    def newest(self, name: str) -> Program | None:
        return self._newest.get(name)

    def version(self, name: str, version: str) -> Program | None:
        return self._versions.get((name, version))

    def names(self) -> tuple[str, ...]:
        return tuple(self._newest)
