"""Says why the answers of an app's roles could not be looked at, so that none could ever be taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import SchemaError

from ..channels.json_schemas import pattern_faults
from ..channels.roles import QuestionRole
from .compiled_patterns import compiled_pattern_faults

Fault = tuple[str, str]

_ANSWER = "assembly.role-answer"


def answer_faults(role: QuestionRole[Any]) -> Iterator[Fault]:
    """The faults of the type of a role's answer."""
    try:
        adapter = TypeAdapter[Any](role.answer)
        schema = adapter.json_schema()
    except (PydanticUserError, SchemaError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        yield (
            _ANSWER,
            f"the answer of role {role.name} has no JSON Schema: {reason}; use plain types or pydantic models",
        )
        return
    for fault in (*compiled_pattern_faults(adapter.core_schema), *pattern_faults(schema)):
        yield _ANSWER, f"the answer of role {role.name} has a pattern that cannot be used: {fault}"
