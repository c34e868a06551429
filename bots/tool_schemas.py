"""Makes a tool of a typed function: what the model is told of it, and the way from its text to the function's arguments.

    text --read--> JSON --bind--> values

``values`` are the function's keyword arguments, typed. The JSON form is what is stored, shown, approved and compared by
``digest``; ``bind`` makes the values from it again, perhaps months later in another process, and refuses if they are not
what they were. So what runs is what was approved.

The arguments object has one key for each parameter. But the fields of a pydantic model stand in it directly if the model
is the only parameter (besides the ``ToolCall``) and has no default: ``async def refund_card(refund: Refund, call:
ToolCall)`` is called with ``{"order_id": …, "amount": …}``.

Arguments are read strictly, as JSON Schema would: no text for a number, no number for a truth, no unknown keys at any depth
(use ``dict[str, …]`` for free-form data). A type that takes more says so with a ``BeforeValidator``. A Decimal may be written
as a number or a text; either way it stays exact, and its JSON form is a text that keeps the scale.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind
from pydantic_core import PydanticSerializationError

from ..actors.asks import JsonValue
from ..actors.marks import KEYWORD, Schema, marks_of, unmarked
from ..actors.messages import ToolSpec
from .arguments_object import ArgumentsObject, result_adapter
from .docstrings import Docstring
from .errors import ToolArgumentsError, ToolArgumentsUnstableError, ToolDefinitionError
from .tool_arguments import ArgumentsText, canonical_json, problems_of, read_arguments

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What vendors allow as a function's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSignature:
    """A function as a tool.

    Attributes:
        parameters: JSON Schema (2020-12) of the arguments object.
        result: stores the function's result as JSON and brings it back.
        marks: which of the arguments are sensitive; None if none are.
        result_marks: the same of the result.
        call_parameter: the parameter that is given the ``ToolCall``; None if the function wants none.
        call_annotation: its annotation, with the answer's type where it is generic: ``ToolCall[Approval]``.
    """

    name: str
    description: str
    parameters: dict[str, JsonValue]
    result: TypeAdapter[Any]
    marks: Schema | None
    result_marks: Schema | None
    call_parameter: str | None
    call_annotation: Any
    _arguments: ArgumentsObject

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        call_type: type | tuple[type, ...],
        name: str | None = None,
        names: Mapping[str, Any] | None = None,
    ) -> ToolSignature:
        """Read a function's signature and docstring.

        Args:
            call_type: the class of the parameter that is no argument, alone or subscripted; or several, of which it may be any.
            name: the tool's name, if it is not the function's.
            names: what annotations written as text may name besides the function's globals and closure; a decorator
                gives its caller's locals, so that classes defined inside a function are found.

        Raises:
            ToolDefinitionError: ``assembly.tool-definition``, naming function, parameter and remedy.
        """
        where = getattr(function, "__qualname__", repr(function))
        if not (inspect.isfunction(function) or inspect.ismethod(function)):
            raise ToolDefinitionError(f"{where} cannot be a tool: it is no function. Give an async def.")
        if not inspect.iscoroutinefunction(function):
            raise ToolDefinitionError(
                f"{where} cannot be a tool: it is not async. Write it as async def, without yield."
            )
        name = function.__name__ if name is None else name
        if _NAME.fullmatch(name) is None:
            raise ToolDefinitionError(
                f"{where} cannot be a tool: vendors refuse the name {name!r}. Use 1 to 64 of a-z, A-Z, 0-9, _ and -."
            )
        parameters, hints = _signature(function, where=where, names=names)
        call_types = call_type if isinstance(call_type, tuple) else (call_type,)
        calls = [p for p in parameters if hints[p] in call_types or get_origin(hints[p]) in call_types]
        if len(calls) > 1:
            raise ToolDefinitionError(
                f"{where} cannot be a tool: {' and '.join(calls)} are both given the call. Keep one of them."
            )
        docstring = Docstring.of(function.__doc__)
        arguments = ArgumentsObject.of(
            {p: (hints[p], parameter.default) for p, parameter in parameters.items() if p not in calls},
            where=where,
            descriptions=docstring.arguments,
        )
        result = result_adapter(hints["return"], where=where)
        return cls(
            name=name,
            description=docstring.description,
            parameters=unmarked(arguments.schema),
            result=result,
            marks=_marks_of(arguments),
            result_marks=marks_of(result.json_schema(mode="serialization", schema_generator=_MarkedSchema)),
            call_parameter=calls[0] if calls else None,
            call_annotation=hints[calls[0]] if calls else None,
            _arguments=arguments,
        )

    @property
    def spec(self) -> ToolSpec:
        """The tool as a model is told of it."""
        return ToolSpec(name=self.name, description=self.description, parameters=self.parameters)

    def parse(self, arguments_text: str) -> dict[str, Any]:
        """The values in the text a model wrote; raises as ``read`` does."""
        _, value = self._read(arguments_text)
        return self._arguments.values_of(value)

    def read(self, arguments_text: str) -> dict[str, JsonValue]:
        """The canonical form of the text a model wrote.

        Raises:
            ToolArgumentsError: ``tool.invalid-arguments``, in words for the model.
            ToolArgumentsUnstableError: ``tool.unstable-arguments``: the tool's own types are at fault.
        """
        canonical, _ = self._read(arguments_text)
        return canonical

    def read_json(self, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The canonical form of arguments that a person has edited; raises as ``read`` does."""
        try:
            return self.read(canonical_json(dict(arguments)))
        except ValueError as err:
            raise ToolArgumentsError(tool=self.name, problems=[str(err)]) from err

    def _read(self, arguments_text: str) -> tuple[dict[str, JsonValue], Any]:
        text = read_arguments(arguments_text, tool=self.name)
        value = self._validated(text.text)
        if text.exact_numbers:
            value = self._with_exact_numbers(text, otherwise=value)
        canonical = self._dumped(value)
        written = canonical_json(canonical)
        if not text.exact_numbers and canonical_json(text.values) == written:
            # It was canonical as the model wrote it, so it has just been read, and has come out as it was.
            return canonical, value
        try:
            return canonical, self._read_back(canonical, written)
        except ToolArgumentsError as err:
            raise ToolArgumentsUnstableError(
                f"The types of {self.name}'s arguments do not read what they have written: {'; '.join(err.problems)}."
            ) from err

    def parse_json(self, arguments: Mapping[str, JsonValue]) -> dict[str, Any]:
        """The values in JSON that is not canonical yet: arguments that a person has edited. Raises as ``parse`` does."""
        try:
            return self.parse(canonical_json(dict(arguments)))
        except ValueError as err:
            raise ToolArgumentsError(tool=self.name, problems=[str(err)]) from err

    def canonical(self, values: Mapping[str, Any]) -> dict[str, JsonValue]:
        """The values as JSON. They need not come from ``parse``: code that rewrites arguments uses this too.

        Raises:
            ToolArgumentsError: ``tool.invalid-arguments``: a value is missing, unknown, or not of its parameter's type.
                Constraints (``Field(gt=0)``) are checked by ``bind``.
        """
        wanted = self._arguments.fields
        problems = [f"{name}: is required and missing" for name in wanted if name not in values]
        problems += [f"{name}: there is no such argument" for name in values if name not in wanted]
        if problems:
            raise ToolArgumentsError(tool=self.name, problems=problems)
        return self._dumped(self._arguments.value_of(values))

    def bind(self, canonical: Mapping[str, JsonValue]) -> dict[str, Any]:
        """The values of a canonical form, for the call.

        Raises:
            ToolArgumentsError: ``tool.invalid-arguments``: it does not fit the function, which may have changed since.
            ToolArgumentsUnstableError: ``tool.unstable-arguments``: the values are others than those that were written.
        """
        arguments = dict(canonical)
        return self._arguments.values_of(self._read_back(arguments, canonical_json(arguments)))

    def _read_back(self, canonical: dict[str, JsonValue], text: str) -> Any:
        """Args:
        text: its canonical JSON.
        """
        value = self._validated(text)
        now = self._dumped(value)
        if canonical_json(now) != text:
            changed = sorted(key for key in now.keys() | canonical.keys() if now.get(key) != canonical.get(key))
            raise ToolArgumentsUnstableError(
                f"The arguments of {self.name} are not what they were when read back: {', '.join(changed)}. See to it that "
                f"the validators of their types leave what they have made unchanged, and that the types read what they write."
            )
        return value

    def _validated(self, text: str) -> Any:
        try:
            return self._arguments.adapter.validator.validate_json(text, strict=True, extra="forbid")
        except ValidationError as err:
            raise ToolArgumentsError(tool=self.name, problems=self._problems_of(err)) from err

    def _problems_of(self, err: ValidationError) -> list[str]:
        """What does not fit; without what came, where that may be sensitive."""
        problems = problems_of(err)
        return problems if self.marks is None else [problem.partition("; got ")[0] for problem in problems]

    def _with_exact_numbers(self, text: ArgumentsText, *, otherwise: Any) -> Any:
        """Validate again, from numbers that know their text; the types have been checked strictly before."""
        try:
            return self._arguments.adapter.validate_python(text.values, extra="forbid")
        except ValidationError as err:
            # A type that is strict by its own configuration takes no number for a Decimal here, though it does in JSON.
            lossy = [str(number) for number in text.exact_numbers if number.is_lossy]
            if not lossy:
                return otherwise
            problem = f"the number {lossy[0]} has too many digits; write it as a text, in quotes, or with fewer"
            raise ToolArgumentsError(tool=self.name, problems=[problem]) from err

    def _dumped(self, value: Any) -> dict[str, JsonValue]:
        try:
            return self._arguments.adapter.serializer.to_python(
                value, mode="json", by_alias=True, round_trip=True, warnings="error"
            )
        except PydanticSerializationError as err:
            problem = " ".join(str(err).split()).removeprefix("Pydantic serializer warnings: ")
            for name, field in self._arguments.fields.items():
                problem = problem.replace(f"'{field}'", f"'{name}'")
            raise ToolArgumentsError(tool=self.name, problems=[problem]) from err


class _MarkedSchema(GenerateJsonSchema):
    """A schema that is read for its marks alone. What it cannot say was said, or refused, when the types were checked."""

    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012


def _marks_of(arguments: ArgumentsObject) -> Schema | None:
    """What of the arguments is sensitive: a field, or the one model that they are, as a whole."""
    whole = arguments.adapter.json_schema(schema_generator=_MarkedSchema).get(KEYWORD)
    return marks_of(arguments.schema if whole is None else {**arguments.schema, KEYWORD: whole})


def _signature(
    function: Callable[..., Any], *, where: str, names: Mapping[str, Any] | None
) -> tuple[dict[str, inspect.Parameter], dict[str, Any]]:
    """The parameters by name, and every annotation resolved, ``return`` among them."""
    try:
        signature = inspect.signature(function)
        hints = get_type_hints(function, localns={**(names or {}), **_closure(function)}, include_extras=True)
    except NameError as err:
        raise ToolDefinitionError(
            f"{where} cannot be a tool: an annotation names {err.name}, which is not found. Define it at the top of its "
            f"module and before the tool, or leave out `from __future__ import annotations`."
        ) from err
    except (TypeError, SyntaxError) as err:
        raise ToolDefinitionError(f"{where} cannot be a tool: an annotation cannot be read: {err}.") from err
    parameters = dict(signature.parameters)
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise ToolDefinitionError(
                f"{where} cannot be a tool: {stars}{name} has no schema. Name each argument, or take a list or a dict."
            )
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ToolDefinitionError(
                f"{where} cannot be a tool: {name} is positional-only, and arguments are given by name. Take out the /."
            )
        if name not in hints:
            raise ToolDefinitionError(
                f"{where} cannot be a tool: the parameter {name} has no annotation. Give it a type."
            )
    if "return" not in hints:
        raise ToolDefinitionError(
            f"{where} cannot be a tool: it has no return annotation. Give it one: its result is stored by that type."
        )
    return parameters, hints


def _closure(function: Callable[..., Any]) -> dict[str, Any]:
    function = inspect.unwrap(getattr(function, "__func__", function))
    found: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet: the function's own name, as a rule
            continue
    return found
