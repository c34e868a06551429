"""Payloads: how results and arguments become JSON text and come back as the same value of the same type.

Decides what may be stored, by one rule: a value is stored only if it comes back the same, down to its type; anything
else is refused when it is dumped, naming the place inside it. To know this, ``dump`` loads its own text again and compares
(``sameness.py``), unless the value's shape alone proves it (``shapes.py``). How types are written is pydantic's and
``lossless.py``'s; where and when payloads are written is left to others.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind
from pydantic_core import SchemaError, from_json, to_json

from .errors import SessionCorruptError
from .lossless import lossless
from .marks import Schema, Secret, marks_of, secrets_in
from .sameness import difference, segment_of
from .shapes import PROVEN_LEVELS, Shape, is_plain, shape_of
from .step_errors import StepTooLargeError, StepUnserializableError

DEFAULT_LIMIT_BYTES: Final = 1_000_000
"""Most bytes of JSON for one value."""

T = TypeVar("T")

_MAX_NAME: Final = 120
_MAX_REASON: Final = 300
_MAX_LEVELS_SHOWN: Final = 20
_FAILURES: Final = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What validators and serializers of authors may raise; pydantic's own errors are ValueErrors."""


# Without slots: with them, ``Codec[...](...)`` fails on Python 3.11, where typing notes the subscript on what was made.
@dataclasses.dataclass(frozen=True, kw_only=True)
class Codec(Generic[T]):
    """Turns values of one annotation into JSON text and back. Made by ``codec_of`` and ``return_codec``.

    Attributes:
        name: the annotation, for error texts.
        remedy: what an author can do about a value that is refused.
    """

    name: str
    remedy: str
    limit_bytes: int
    encode: Callable[[T], bytes]
    decode: Callable[[str | bytes], T]
    is_proven: Shape
    annotation: object = Any

    @functools.cached_property
    def marks(self) -> Schema | None:
        """What is sensitive in values of the annotation; None if nothing is."""
        if self.annotation is Any:
            return None
        adapter = TypeAdapter[Any](typing.cast("type[Any]", self.annotation))
        return marks_of(adapter.json_schema(by_alias=False, mode="serialization", schema_generator=_MarkedSchema))

    def secrets_in(self, value: T) -> tuple[Secret, ...]:
        """The sensitive values in one that can be stored."""
        return () if self.marks is None else secrets_in(self.marks, from_json(self.encode(value)), name="result")

    def dump(self, value: T, *, where: str) -> str:
        """Return the value as compact JSON text.

        Args:
            where: what the value is, for the error: ``result``, ``args.amount``.

        Raises:
            StepUnserializableError: ``step.unserializable``, it would not come back the same; the text names where.
            StepTooLargeError: ``step.too-large``.
        """
        try:
            raw = self.encode(value)
        except _FAILURES as err:
            raise self._refusal(where + _culprit(value), _reason(err)) from err
        if len(raw) > self.limit_bytes:
            raise StepTooLargeError(
                f"{where} takes {len(raw):,} bytes as JSON; the limit is {self.limit_bytes:,}."
                " Store it elsewhere and return where it is."
            )
        if not self.is_proven(value, PROVEN_LEVELS):
            self._check(value, raw, where)
        return raw.decode()

    def load(self, text: str) -> T:
        """Return the value that was dumped as ``text``.

        Raises:
            SessionCorruptError: ``session.corrupt``, the text is no JSON or does not fit the annotation.
        """
        try:
            return self.decode(text)
        except _FAILURES as err:
            place = "".join(f" at {'.'.join(map(str, location))}" for location in [_location(err)] if location)
            raise SessionCorruptError(f"a stored value does not fit {self.name}{place}: {_reason(err)}") from err

    def _check(self, value: T, raw: bytes, where: str) -> None:
        try:
            found = difference(value, self.decode(raw))
        except _FAILURES as err:
            raise self._refusal(
                where + _path_in(value, _location(err)), f"it does not fit {self.name} ({_reason(err)})"
            ) from err
        if found is not None:
            raise self._refusal(where + found.path, found.why)

    def _refusal(self, path: str, why: str) -> StepUnserializableError:
        return StepUnserializableError(f"{path} cannot be stored: {why}. {self.remedy}")


class _MarkedSchema(GenerateJsonSchema):
    """A schema that is read for its marks alone: parts that no schema can be said of have none."""

    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
        return {}


def codec_of(annotation: object, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Codec[Any]:
    """Return the codec of an annotation; no annotation, ``Any`` and ``object`` mean plain JSON values only.

    Raises:
        StepUnserializableError: ``step.unserializable``, there is no way to store values of such a type.
    """
    if annotation is object or annotation is inspect.Parameter.empty or annotation is inspect.Signature.empty:
        annotation = Any
    try:
        hash(annotation)
    except TypeError:
        return _build(annotation, limit_bytes)
    return _build_once(annotation, repr(annotation), limit_bytes)


def return_codec(function: Callable[..., Any]) -> Codec[Any]:
    """Return the codec of what a function returns, or of what is awaited from it where it returns an awaitable.

    Raises:
        StepUnserializableError: ``step.unserializable``, its return annotation cannot be resolved, or not be stored.
    """
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, type):
        return codec_of(function)
    if not inspect.isroutine(function):
        function = type(function).__call__
    function = getattr(function, "__func__", function)
    if isinstance(function, types.FunctionType) and function.__closure__ is None:
        return _return_codec_once(function)
    return codec_of(_return_annotation(function))  # a cache would keep alive what a closure holds


def _build(annotation: object, limit_bytes: int) -> Codec[Any]:
    if annotation is Any:
        return Codec(
            name="plain JSON",
            remedy="Without a type only plain JSON values are stored: annotate it, a result by the return type.",
            limit_bytes=limit_bytes,
            encode=functools.partial(to_json, bytes_mode="base64", inf_nan_mode="null"),
            decode=functools.partial(from_json, allow_inf_nan=False),
            is_proven=is_plain,
        )
    name = _name_of(annotation)
    try:
        encode, decode = lossless(annotation)
    except (PydanticUserError, SchemaError, NameError, TypeError) as err:
        raise StepUnserializableError(f"values of {name} cannot be stored: {_reason(err)}") from err
    return Codec(
        name=name,
        remedy=f"It is annotated {name}: make it exactly that, or annotate it otherwise.",
        limit_bytes=limit_bytes,
        encode=encode,
        decode=decode,
        is_proven=shape_of(annotation),
        annotation=annotation,
    )


def _return_annotation(function: Callable[..., Any]) -> object:
    annotation = getattr(function, "__annotations__", {}).get("return", inspect.Signature.empty)
    if annotation is inspect.Signature.empty or isinstance(annotation, type):
        return annotation
    # That annotation alone: a parameter whose type is imported for type checkers only does no harm.
    carrier = types.SimpleNamespace(__annotations__={"return": annotation})
    names = getattr(inspect.unwrap(function), "__globals__", {})
    parameters = {parameter.__name__: parameter for parameter in getattr(function, "__type_params__", ())}
    try:
        resolved = typing.get_type_hints(carrier, names, parameters, include_extras=True)["return"]
    except (NameError, AttributeError, SyntaxError, TypeError) as err:
        name = getattr(function, "__qualname__", repr(function))
        raise StepUnserializableError(
            f"the return annotation of {name}, {annotation!r}, cannot be resolved: {err}."
            " Define and import its names at the top of the module, outside TYPE_CHECKING."
        ) from err
    is_awaited = typing.get_origin(resolved) in (Awaitable, Coroutine)
    return typing.get_args(resolved)[-1] if is_awaited else resolved


def _name_of(annotation: object) -> str:
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        return annotation.__qualname__
    name = str(annotation).replace("typing.", "")
    return name if len(name) <= _MAX_NAME else f"{name[:_MAX_NAME]}…"


@functools.lru_cache(maxsize=1024)
def _build_once(annotation: object, _spelt: str, limit_bytes: int) -> Codec[Any]:
    """By its spelling too: two unions are equal whatever the order of their members, and are read differently."""
    return _build(annotation, limit_bytes)


@functools.lru_cache(maxsize=1024)
def _return_codec_once(function: Callable[..., Any]) -> Codec[Any]:
    return codec_of(_return_annotation(function))


def _culprit(value: object) -> str:
    """Return the path to the innermost part that cannot be written as JSON by itself."""
    path, seen = "", {id(value)}
    while unwritable := next(((at, part) for at, part in _parts(value) if not _is_writable(part)), None):
        segment, value = unwritable
        path += segment
        if id(value) in seen or len(seen) >= _MAX_LEVELS_SHOWN:
            return f"{path}…"
        seen.add(id(value))
    return path


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, BaseModel):
        for name in type(value).__pydantic_fields__:
            yield f".{name}", value.__dict__.get(name)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield f".{field.name}", getattr(value, field.name, None)
    elif isinstance(value, Mapping):
        for key, part in typing.cast("Mapping[object, object]", value).items():
            yield segment_of(key), part
    elif isinstance(value, list | tuple):
        for index, part in enumerate(typing.cast("list[object]", value)):
            yield f"[{index}]", part


def _is_writable(value: object) -> bool:
    try:
        to_json(value, bytes_mode="base64")
    except _FAILURES:
        return False
    return True


def _location(err: BaseException) -> tuple[int | str, ...]:
    """Return where a validator found fault, in pydantic's terms; empty where it is not said."""
    if not isinstance(err, ValidationError):
        return ()
    return err.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]


def _path_in(value: object, location: tuple[int | str, ...]) -> str:
    """Return a location of pydantic's as a path, without its names for members of unions and for functions."""
    path = ""
    for step in location:
        wanted = f"[{step}]" if isinstance(step, int) else segment_of(step)
        for segment, part in _parts(value):
            if segment == wanted:
                path, value = path + segment, part
                break
    return path


def _reason(err: BaseException) -> str:
    """Return what went wrong in one line, without the value where pydantic would show it: it may be secret."""
    match err:
        case ValidationError():
            reason = err.errors(include_url=False, include_context=False, include_input=False)[0]["msg"]
        case RecursionError():
            reason = "it is nested too deeply"
        case _:
            reason = (str(err) or type(err).__name__).removeprefix("Error serializing to JSON: ").splitlines()[0]
    reason = reason.encode(errors="backslashreplace").decode()
    return reason if len(reason) <= _MAX_REASON else f"{reason[:_MAX_REASON]}…"


JSON: Final[Codec[Any]] = codec_of(Any)
"""Plain JSON values."""
