"""JSON text of the runtime's own bodies. Whole numbers of any size and non-finite floats go through unchanged."""

from __future__ import annotations

from typing import Any

import pydantic_core

from .asks import JsonValue


def to_json(value: JsonValue) -> str:
    return pydantic_core.to_json(value, inf_nan_mode="constants").decode()


def from_json(text: str) -> Any:
    """Raises ``ValueError`` for what is not JSON."""
    return pydantic_core.from_json(text)
