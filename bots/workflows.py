"""Workflows: durable coroutines that authors write by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from typing import Any, cast

from ..actors.asks import JsonValue
from ..actors.jsontext import from_json
from ..actors.payloads import return_codec
from ..actors.run import Run
from ..store.rows import SessionStatus
from .agents import digest_of
from .errors import ToolArgumentsError
from .tool_schemas import ToolSignature

WorkflowFunction = Callable[..., Coroutine[Any, Any, Any]]


class Workflow:
    """An async function of a ``Run`` and its arguments, in one version. The runtime runs it as a program.

    Sessions that began under a version go on with it for as long as it is deployed beside a newer one.
    """

    rests_as = SessionStatus.ENDED

    def __init__(self, function: WorkflowFunction, *, version: str, names: dict[str, Any]) -> None:
        self._function = function
        self.signature = ToolSignature.of(function, call_type=Run, names=names)
        self._result = return_codec(function)
        self.version = version
        self.fingerprint = digest_of(
            {"workflow": self.name, "version": version, "parameters": self.signature.parameters}
        )

    @property
    def name(self) -> str:
        return self.signature.name

    async def main(self, run: Run, message: JsonValue) -> JsonValue:
        arguments = self.signature.parse_json(self._arguments_of(message["content"]))
        if self.signature.call_parameter is not None:
            arguments[self.signature.call_parameter] = run
        result = await self._function(**arguments)
        return from_json(self._result.dump(result, where="result"))

    def _arguments_of(self, content: JsonValue) -> dict[str, JsonValue]:
        """The arguments in a message: a JSON object, its text, or the one text that the workflow takes."""
        if isinstance(content, dict):
            return cast("dict[str, JsonValue]", content)
        wanted: dict[str, Any] = self.signature.parameters.get("properties", {})
        if isinstance(content, str):
            try:
                parsed = from_json(content)
            except ValueError:
                parsed = None
            if isinstance(parsed, dict):
                return cast("dict[str, JsonValue]", parsed)
        if len(wanted) == 1:
            return {next(iter(wanted)): content}
        raise ToolArgumentsError(tool=self.name, problems=[f"give a JSON object with {', '.join(wanted) or 'nothing'}"])


def workflow(*, version: str) -> Callable[[WorkflowFunction], Workflow]:
    """Make a workflow of an async function whose first parameter is a ``Run``.

    Args:
        version: changed by the author when sessions under way must not go on with the new code.

    Raises:
        ToolDefinitionError: (assembly.tool-definition) its arguments cannot be described; says why.
    """
    names = dict(sys._getframe(1).f_locals)  # pyright: ignore[reportPrivateUsage]  classes local to the caller

    def decorate(function: WorkflowFunction) -> Workflow:
        return Workflow(function, version=version, names=names)

    return decorate
