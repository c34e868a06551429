"""Finds the patterns of a type that pydantic would leave to Python's ``re``, which nothing stops.

pydantic compares a pattern that is given as text by an engine whose time grows with the text and no faster. One that is given
compiled, or under ``regex_engine="python-re"``, it hands to ``re``, in the event loop; with what a model or a person writes, some
patterns keep that at work for ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, cast

_OPAQUE: Final = frozenset({"cls", "default", "expected", "members", "metadata", "serialization"})


def compiled_pattern_faults(core_schema: Any, *, is_by_re: bool = False) -> Iterator[str]:
    """A sentence with the remedy for each of them.

    Args:
        core_schema: pydantic's own, as a ``TypeAdapter`` has it.
        is_by_re: what the configuration around it says.
    """
    match core_schema:
        case dict():
            node = cast("dict[str, Any]", core_schema)
            if isinstance(config := node.get("config"), dict):
                is_by_re = cast("dict[str, Any]", config).get("regex_engine") == "python-re"
            if node.get("type") == "str" and "pattern" in node:
                yield from _faults_of(
                    node["pattern"], is_by_re=node.get("regex_engine", is_by_re) in (True, "python-re")
                )
            for keyword, part in node.items():
                if keyword not in _OPAQUE:
                    yield from compiled_pattern_faults(part, is_by_re=is_by_re)
        case list() | tuple():
            for part in cast("list[Any]", core_schema):
                yield from compiled_pattern_faults(part, is_by_re=is_by_re)
        case _:
            return


def _faults_of(pattern: object, *, is_by_re: bool) -> Iterator[str]:
    if isinstance(pattern, re.Pattern):
        text = cast("re.Pattern[str]", pattern).pattern
    elif isinstance(pattern, str) and is_by_re:
        text = pattern
    else:
        return
    yield (
        f"{text!r} would be compared by Python's re, which nobody can stop; give it as text, Field(pattern=...), without "
        "regex_engine; for what that cannot say, as (?=...), write an AfterValidator with overwinter.actors.patterns.Effort"
    )
