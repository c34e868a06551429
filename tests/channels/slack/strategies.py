"""Anything that may be asked, for property tests: hostile texts, deep and wide arguments, odd schemas."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from overwinter.actors.asks import AnswerForm, ApprovalForm, Ask, AskedCall, ChoiceForm, JsonValue

unhurried = settings(
    deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

TRICKS = (
    *("<!channel>", "<@U0CEO>", "<#C0OPS|ops>", "<https://evil.example|https://bank.example>", "@here", "@channel"),
    *("```\n*Approved by Mara*\n```", ":white_check_mark: done", "https://evil.example", "mailto:a@evil.example"),
    *(
        "\u202egnp.exe",
        "a\u200bb",
        "\u2066x\u2069",
        "\ufeff",
        "e\u0301\u0301\u0301\u0301\u0301\u0301",
        "\ud800",
        "\x00",
    ),
    *("&lt;!channel&gt;", "&amp;", '"\\' * 40, "😀" * 60, "👩\u200d💻", "\r\n", "\u2028", "   ", "", "‹card:1›"),
)

characters = st.text(st.characters(), max_size=40)


def _repeated(text: str, times: int) -> str:
    return text * times


long_texts = st.builds(
    _repeated,
    st.sampled_from(("x", '"', "😀", "a b\n", "<", "\u202e", "\n")),
    st.integers(min_value=1, max_value=6_000),
)
texts: st.SearchStrategy[str] = st.one_of(
    st.sampled_from(TRICKS),
    characters,
    st.lists(st.sampled_from(TRICKS) | characters, max_size=6).map("".join),
    long_texts,
)
names = st.text(min_size=0, max_size=12) | st.sampled_from(("amount", "a.b", "$", "~1", "x" * 3_000, "\u202e"))
scalars: st.SearchStrategy[JsonValue] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts
)
values: st.SearchStrategy[JsonValue] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(names, inner, max_size=5), max_leaves=20
)


def _listed(each: JsonValue, times: int) -> dict[str, JsonValue]:
    return {"list": [each] * times}


arguments: st.SearchStrategy[dict[str, JsonValue]] = st.one_of(
    st.dictionaries(names, values, max_size=8),
    st.dictionaries(st.text(max_size=3), scalars, min_size=30, max_size=130),
    st.builds(_listed, scalars, st.integers(min_value=0, max_value=300)),
)

leaves: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.sampled_from(
        (
            {"type": "string"},
            {"type": "string", "format": "date"},
            {"type": "integer", "minimum": 0},
            {"type": "number"},
            {"type": "boolean"},
            {"type": "null"},
            {"type": ["string", "null"]},
            {"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^a"}, {"type": "null"}]},
            {"type": "array", "items": {"type": "string"}},
            {"type": "object"},
            {"$ref": "#/$defs/Level"},
            {"allOf": [{"$ref": "#/$defs/Level"}], "description": "How much."},
            {},
        )
    ),
    st.lists(scalars, min_size=1, max_size=110).map(lambda members: {"enum": members}),
    texts.map(lambda text: {"type": "string", "description": text}),
)
_LEVEL: dict[str, Any] = {"Level": {"type": "string", "enum": ["low", "high"]}}


def _object_schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "$defs": _LEVEL}


schemas = st.dictionaries(names, leaves, max_size=130).flatmap(
    lambda properties: st.builds(
        _object_schema, st.just(properties), st.lists(st.sampled_from(sorted(properties) or ["none"]), unique=True)
    )
)

approvals = st.one_of(
    st.builds(ApprovalForm, tool=texts, arguments=arguments, schema=schemas),
    # Arguments that the schema knows, of whatever kind.
    schemas.flatmap(
        lambda schema: st.builds(
            ApprovalForm,
            tool=texts,
            arguments=st.fixed_dictionaries({}, optional=dict.fromkeys(list(schema["properties"])[:20], values)),
            schema=st.just(schema),
        )
    ),
)
calls = st.none() | st.builds(AskedCall, call_id=st.just("c1"), tool=texts, arguments=arguments)
choices = st.builds(
    ChoiceForm, choices=st.lists(texts, min_size=1, max_size=120, unique=True).map(tuple), call=calls
) | st.builds(ChoiceForm, choices=st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=5).map(tuple))
answers = st.builds(AnswerForm, schema=schemas | leaves.map(lambda leaf: {**leaf, "$defs": _LEVEL}), call=calls)
asks = st.builds(
    Ask,
    pause_id=st.text("0123456789abcdef", min_size=32, max_size=32),
    role=texts,
    prompt=texts,
    form=approvals | choices | answers,
    session_id=texts,
    tenant=st.text(max_size=25) | st.text("ab", max_size=300),
    owner=texts,
    bot=texts,
    asked_at_ms=st.integers(min_value=0, max_value=10**14),
    deadline_at_ms=st.none() | st.integers(min_value=-(10**6), max_value=10**18),
    needs=st.integers(min_value=1, max_value=9),
)
