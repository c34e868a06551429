"""Strategies for schemas with marks in them, and for values that fit them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from overwinter.actors.asks import JsonValue
from overwinter.actors.jsontext import to_json
from overwinter.actors.marks import KEYWORD, Level, Secret, mark, scalars_of
from overwinter.actors.redaction import MASK, TOKEN

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Nothing here is about time, and a machine may be busy."""

Marked = tuple[dict[str, JsonValue], JsonValue]
"""A schema and a value that fits it."""

LEVELS: tuple[Level, ...] = ("mask", "token")
MARKS = st.none() | st.sampled_from([mark(level, is_shown=is_shown) for level in LEVELS for is_shown in (False, True)])

NAMES = st.sampled_from(("a", "b", "c", "no"))
"""Shorter than any value that is looked for in what came out."""

WORDS = st.sampled_from(
    ("4111 1111", "12-34", "Émile", "ﬁne day", "o'neil", 'a"b\\c', "ünïcode ４２", "line\nfeed", "‹a:1›")
)
TEXTS = WORDS | st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


def _marked(schema: dict[str, JsonValue], value: JsonValue, found: Any) -> Marked:
    return ({**schema, KEYWORD: found}, value) if found is not None else (schema, value)


LEAVES: st.SearchStrategy[Marked] = st.one_of(
    st.builds(_marked, st.just({"type": "string"}), TEXTS, MARKS),
    st.builds(_marked, st.just({"type": "integer"}), st.integers(-(10**12), 10**12), MARKS),
    st.builds(_marked, st.just({"type": "number"}), st.floats(allow_nan=False, allow_infinity=False), MARKS),
    st.builds(
        _marked,
        st.just({"anyOf": [{"type": "number"}, {"type": "string"}]}),
        st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**9), max_value=10**9).map(str),
        MARKS,
    ),
    st.builds(_marked, st.just({"type": "boolean"}), st.booleans(), MARKS),
    st.builds(_marked, st.just({"type": "null"}), st.none(), MARKS),
)


def _optional(inner: Marked) -> Marked:
    schema, value = inner
    return {"anyOf": [schema, {"type": "null"}]}, value


def _listed(parts: list[Marked]) -> Marked:
    return {"type": "array", "prefixItems": [schema for schema, _ in parts]}, [value for _, value in parts]


def _repeated(inner: Marked, times: int) -> Marked:
    schema, value = inner
    return {"type": "array", "items": schema}, [value] * times


def _object(parts: dict[str, Marked], found: Any) -> Marked:
    schema = {"type": "object", "properties": {name: schema for name, (schema, _) in parts.items()}}
    return _marked(schema, {name: value for name, (_, value) in parts.items()}, found)


def _mapping(inner: Marked, keys: list[str], found: Any) -> Marked:
    schema, value = inner
    whole: dict[str, JsonValue] = {"type": "object", "additionalProperties": schema}
    if found is not None:
        whole["propertyNames"] = {"type": "string", KEYWORD: found}
    return whole, dict.fromkeys(keys, value)


def _nested(inner: st.SearchStrategy[Marked]) -> st.SearchStrategy[Marked]:
    return st.one_of(
        st.builds(_optional, inner),
        st.builds(_listed, st.lists(inner, max_size=3)),
        st.builds(_repeated, inner, st.integers(0, 3)),
        st.builds(_object, st.dictionaries(NAMES, inner, max_size=3), MARKS),
        st.builds(_mapping, inner, st.lists(TEXTS, max_size=3, unique=True), MARKS),
    )


MARKED: st.SearchStrategy[Marked] = st.recursive(LEAVES, _nested, max_leaves=6)
CALLS: st.SearchStrategy[Marked] = st.builds(_object, st.dictionaries(NAMES, MARKED, min_size=1, max_size=4), st.none())
"""A tool's arguments, and their schema."""


def texts_in(found: JsonValue) -> Iterator[str]:
    """Every text, number and key in a value."""
    match found:
        case str():
            yield found
        case bool() | None:
            return
        case int() | float():
            yield to_json(found)
        case list():
            for part in cast("list[JsonValue]", found):
                yield from texts_in(part)
        case dict():
            for key, part in cast("dict[str, JsonValue]", found).items():
                yield key
                yield from texts_in(part)
        case _:
            return


def leaks_in(shown: JsonValue, secrets: tuple[Secret, ...] | list[Secret]) -> list[str]:
    """The texts of secrets, of four characters and more, that stand in what was shown, outside masks and tokens."""
    wanted = {
        text
        for secret in secrets
        for scalar in scalars_of(secret.value)
        if len(text := scalar if isinstance(scalar, str) else to_json(scalar)) >= 4
    }
    pieces = [piece for text in texts_in(shown) for part in text.split(MASK) for piece in TOKEN.split(part)]
    return sorted(text for text in wanted if any(text in piece for piece in pieces))
