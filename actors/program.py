"""What a session runs, as the runtime sees it: an agent or a workflow behind one Protocol."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable
from typing import Any, Protocol

from ..store.rows import ExecutionRow, SessionStatus
from .asks import JsonValue
from .errors import SessionDefinitionChangedError
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

    def takes(self, name: str) -> bool:
        """Whether what it begins with may have a field of that name."""
        ...

    def check(self, content: JsonValue) -> None:
        """Raise an ``OverwinterError`` that says why, if no execution can begin with that."""
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

    def of(self, execution: ExecutionRow) -> Program:
        """The program that an execution goes on with: the one it began with, as it was.

        Raises:
            SessionDefinitionChangedError: (session.definition-changed) it is not deployed, or not as it was.
        """
        program = self.version(execution.program, execution.version)
        if program is not None and program.fingerprint == execution.fingerprint:
            return program
        what = "is not deployed" if program is None else "has other tools, roles or schemas now"
        raise SessionDefinitionChangedError(
            f"{execution.program} version {execution.version} {what}; deploy it as it was, accept what is deployed, "
            "or cancel the session",
            session_id=execution.session_id,
            stored=execution.fingerprint,
            current=None if program is None else program.fingerprint,
        )

    def names(self) -> tuple[str, ...]:
        return tuple(self._newest)
