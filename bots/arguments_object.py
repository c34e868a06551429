"""Makes the JSON object of a tool's arguments out of its parameters' types, or says why it cannot.

Works at definition time; every fault it finds is a ``ToolDefinitionError`` that names the function, the parameter and the
remedy. Reading and comparing calls is left to ``tool_schemas``.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind
from pydantic_core import PydanticSerializationError, SchemaError

from ..actors.asks import JsonValue
from ..channels.json_schemas import pattern_faults
from .compiled_patterns import compiled_pattern_faults
from .errors import ToolDefinitionError
from .tool_arguments import problems_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentsObject:
    """The arguments object: its schema, and how it is taken apart into keyword arguments.

    Attributes:
        model: has a field for each parameter; None where the one parameter is the object itself.
        fields: the model's field for each parameter. Fields have names of their own, with the parameter's as alias,
            because pydantic forbids some: ``json``, ``_x``.
    """

    adapter: TypeAdapter[Any]
    schema: dict[str, JsonValue]
    model: type[BaseModel] | None
    fields: dict[str, str]

    @classmethod
    def of(
        cls, parameters: dict[str, tuple[Any, Any]], *, where: str, descriptions: Mapping[str, str]
    ) -> ArgumentsObject:
        """Make it of the parameters, each given by its annotation and its default.

        Args:
            where: the function's name, for errors.
            descriptions: what the docstring says of some of them.
        """
        fields = {name: f"argument_{position}" for position, name in enumerate(parameters)}
        if len(parameters) == 1:
            [(name, (annotation, default))] = parameters.items()
            if default is inspect.Parameter.empty and _is_model(annotation):
                adapter: TypeAdapter[Any] = TypeAdapter(annotation)
                schema = _object_schema(adapter, where=where, what=f"its parameter {name}")
                return cls(adapter=adapter, schema=schema, model=None, fields=fields)
        definitions = {
            fields[name]: _field(name, annotation, default, description=descriptions.get(name))
            for name, (annotation, default) in parameters.items()
        }
        for name, field in fields.items():
            _check_parameter(name, _model({field: definitions[field]}, where=where, name=name), where=where)
        model = _model(definitions, where=where)
        adapter = TypeAdapter(model)
        schema = _object_schema(adapter, where=where, what="its signature")
        schema.pop("title", None)
        return cls(adapter=adapter, schema=schema, model=model, fields=fields)

    def values_of(self, value: Any) -> dict[str, Any]:
        if self.model is None:
            return dict.fromkeys(self.fields, value)
        return {name: getattr(value, field) for name, field in self.fields.items()}

    def value_of(self, values: Mapping[str, Any]) -> Any:
        if self.model is None:
            return next(iter(values.values()))
        return self.model.model_construct(**{field: values[name] for name, field in self.fields.items()})


class _Schema(GenerateJsonSchema):
    """pydantic's schema without a title for each field, which tells a model nothing that the name does not."""

    # Defaults of parameters are checked by _check_parameter.
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def result_adapter(annotation: Any, *, where: str) -> TypeAdapter[Any]:
    """What stores a result by the function's return annotation; ``where`` is the function's name, for errors."""
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        adapter.json_schema(schema_generator=_Schema, mode="serialization")
    except (PydanticUserError, PydanticUndefinedAnnotation, TypeError) as err:
        raise _unusable("its result", where=where, err=err) from err
    return adapter


def _is_model(annotation: Any) -> bool:
    bare = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    return inspect.isclass(bare) and issubclass(bare, BaseModel) and not issubclass(bare, RootModel)


def _field(name: str, annotation: Any, default: Any, *, description: str | None) -> Any:
    """A parameter as a pydantic field. What the author's own ``Field`` says goes before the docstring."""
    bare, *metadata = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    if isinstance(default, FieldInfo):
        metadata.append(default)
        default = inspect.Parameter.empty
    alias = Field(alias=name, validation_alias=name, serialization_alias=name)
    annotated: Any = Annotated[(bare, Field(description=description), *metadata, alias)]
    return annotated if default is inspect.Parameter.empty else (annotated, default)


def _model(definitions: Mapping[str, Any], *, where: str, name: str | None = None) -> type[BaseModel]:
    config = ConfigDict(extra="forbid", validate_default=True, allow_inf_nan=False)
    try:
        return create_model("Arguments", __config__=config, **cast("dict[str, Any]", definitions))
    except (PydanticUserError, PydanticUndefinedAnnotation, SchemaError, TypeError) as err:
        raise _unusable(f"the parameter {name}" if name else "its signature", where=where, err=err) from err


def _check_parameter(name: str, model: type[BaseModel], *, where: str) -> None:
    """Refuse a parameter whose values cannot be told to a model, or stored and compared."""
    adapter: TypeAdapter[Any] = TypeAdapter(model)
    _object_schema(adapter, where=where, what=f"the parameter {name}")
    [field] = model.model_fields.values()
    if field.is_required():
        return
    try:
        default = adapter.dump_json(model(), by_alias=True, round_trip=True)
        adapter.validate_json(default, strict=True)
    except (ValidationError, PydanticSerializationError) as err:
        problem = "; ".join(problems_of(err)) if isinstance(err, ValidationError) else str(err)
        raise ToolDefinitionError(
            f"{where} cannot be a tool: the default of {name} does not fit its type: {problem}."
        ) from err


def _object_schema(adapter: TypeAdapter[Any], *, where: str, what: str) -> dict[str, JsonValue]:
    """The schema of an object, whole at its top, closed to unknown keys at every depth."""
    try:
        schema = adapter.json_schema(by_alias=True, schema_generator=_Schema)
    except (PydanticUserError, PydanticUndefinedAnnotation, TypeError) as err:
        raise _unusable(what, where=where, err=err) from err
    definitions = cast("dict[str, dict[str, JsonValue]]", schema.get("$defs", {}))
    if isinstance(reference := schema.get("$ref"), str):
        # A model that contains itself is all reference; vendors want an object at the top.
        schema = {**definitions[reference.removeprefix("#/$defs/")], "$defs": definitions}
    if schema.get("type") != "object":
        raise ToolDefinitionError(
            f"{where} cannot be a tool: {what} is no JSON object by its schema. Wrap it in a model."
        )
    for part in (schema, *definitions.values()):
        if "properties" in part:
            part["additionalProperties"] = False
    if _has_set(schema):
        raise ToolDefinitionError(
            f"{where} cannot be a tool: {what} has a set in it, whose order changes from process to process. Use a list."
        )
    for fault in (*compiled_pattern_faults(adapter.core_schema), *pattern_faults(schema)):
        raise ToolDefinitionError(f"{where} cannot be a tool: {what} has a pattern that cannot be used: {fault}.")
    return schema


def _has_set(schema: JsonValue) -> bool:
    match schema:
        case {"type": "array", "uniqueItems": True}:
            return True
        case dict():
            return any(_has_set(part) for part in cast("dict[str, JsonValue]", schema).values())
        case list():
            return any(_has_set(part) for part in cast("list[JsonValue]", schema))
        case _:
            return False


def _unusable(what: str, *, where: str, err: Exception) -> ToolDefinitionError:
    # What pydantic says of a pattern that it cannot read takes several lines.
    lines = str(err).strip().splitlines()
    reason = " ".join(" ".join(lines).split() if isinstance(err, SchemaError) else lines[:1]).rstrip(".")
    return ToolDefinitionError(
        f"{where} cannot be a tool: {what} cannot be written as JSON: {reason}. Use plain types, dataclasses or pydantic models."
    )
