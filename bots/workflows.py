"""Workflows: durable coroutines that authors write by hand."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Concatenate, Generic, cast

from typing_extensions import ParamSpec, TypeVar

from ..actors.asks import JsonValue
from ..actors.jsontext import from_json
from ..actors.marks import secrets_in
from ..actors.payloads import Codec, return_codec
from ..actors.run import Run
from ..store.rows import SessionStatus
from .agents import digest_of
from .errors import ToolArgumentsError, ToolDefinitionError
from .tool_schemas import ToolSignature

P = ParamSpec("P", default=...)
T = TypeVar("T", default=Any)


class Workflow(Generic[P, T]):
    """An async function of a ``Run`` and its arguments, in one version. The runtime runs it as a program.

    Sessions that began under a version go on with it for as long as it is deployed beside a newer one. Another workflow starts
    it as a child with ``await run.workflow(it, ...)``.
    """

    rests_as = SessionStatus.ENDED

    def __init__(
        self, function: Callable[Concatenate[Run, P], Coroutine[Any, Any, T]], *, version: str, names: dict[str, Any]
    ) -> None:
        self._function: Callable[..., Coroutine[Any, Any, T]] = function
        self.signature = ToolSignature.of(function, call_type=Run, names=names)
        if self.signature.call_parameter is None:
            raise ToolDefinitionError(
                f"workflow {self.signature.name} takes no Run, so it could await nothing; make its first parameter run: Run"
            )
        self.result_codec: Codec[T] = return_codec(function)
        self.version = version
        self.fingerprint = digest_of(
            {"workflow": self.name, "version": version, "parameters": self.signature.parameters}
        )

    @property
    def name(self) -> str:
        return self.signature.name

    def takes(self, name: str) -> bool:
        """Whether it has such an argument."""
        return name in self._wanted

    def check(self, content: JsonValue) -> None:
        """Raises ``ToolArgumentsError`` (tool.invalid-arguments) if that is not its arguments."""
        self.signature.parse_json(self._arguments_of(content))

    async def main(self, run: Run, message: JsonValue) -> JsonValue:
        given = self._arguments_of(message["content"])
        await run.keep_private(secrets_in(self.signature.marks, given))
        arguments = self.signature.parse_json(given)
        if self.signature.call_parameter is not None:
            arguments[self.signature.call_parameter] = run
        result = await self._function(**arguments)
        await run.keep_private(self.result_codec.secrets_in(result))
        return self.to_json(result)

    def to_json(self, result: T) -> JsonValue:
        """Its result as JSON."""
        return from_json(self.result_codec.dump(result, where="result"))

    def input_of(self, *args: P.args, **kwargs: P.kwargs) -> JsonValue:
        """Its arguments, without the run, as the JSON that a session of its own would be started with.

        Raises:
            TypeError: they are not those of its signature.
            ToolArgumentsError: (tool.invalid-arguments) they are not of its parameters' types.
        """
        signature = inspect.signature(self._function)
        taken = [each for name, each in signature.parameters.items() if name != self.signature.call_parameter]
        bound = signature.replace(parameters=taken).bind(*args, **kwargs)
        bound.apply_defaults()
        return self.signature.canonical(bound.arguments)

    def _arguments_of(self, content: JsonValue) -> dict[str, JsonValue]:
        """The arguments in a message: a JSON object, its text, or the one argument that the workflow takes, as text or as JSON."""
        if isinstance(content, dict):
            return cast("dict[str, JsonValue]", content)
        parsed: JsonValue = None
        if isinstance(content, str):
            with suppress(ValueError):
                parsed = from_json(content)
        if isinstance(parsed, dict):
            return cast("dict[str, JsonValue]", parsed)
        if len(self._wanted) == 1:
            (name,) = self._wanted
            return {name: content if parsed is None or self._fits({name: content}) else parsed}
        wanted = ", ".join(self._wanted) or "nothing in it"
        raise ToolArgumentsError(tool=self.name, problems=[f"give a JSON object with {wanted}"])

    @property
    def _wanted(self) -> dict[str, Any]:
        return self.signature.parameters.get("properties", {})

    def _fits(self, arguments: dict[str, JsonValue]) -> bool:
        try:
            self.signature.parse_json(arguments)
        except ToolArgumentsError:
            return False
        return True


def workflow(*, version: str) -> Callable[[Callable[Concatenate[Run, P], Coroutine[Any, Any, T]]], Workflow[P, T]]:
    """Make a workflow of an async function whose first parameter is a ``Run``.

    Args:
        version: changed by the author when sessions under way must not go on with the new code.

    Raises:
        ToolDefinitionError: (assembly.tool-definition) its arguments cannot be described; says why.
    """
    names = dict(sys._getframe(1).f_locals)  # pyright: ignore[reportPrivateUsage]  classes local to the caller

    def decorate(function: Callable[Concatenate[Run, P], Coroutine[Any, Any, T]]) -> Workflow[P, T]:
        return Workflow(function, version=version, names=names)

    return decorate
