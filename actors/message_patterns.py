"""Whether what a stranger has written sets a trigger off, which waits for texts with a pattern in them."""

from __future__ import annotations

import structlog

from ..store.trigger_rows import TriggerRow
from .pattern_errors import PatternInvalidError, PatternSlowError
from .patterns import Effort

_log = structlog.get_logger("overwinter.triggers")

SEARCHED_WITHIN_S = 0.5
"""Work for one pattern on one message. An ordinary one takes a few thousandths for a long mail."""

_REMEDY = (
    "write the pattern so that it repeats nothing that is itself repeated, and has no two ways to read the same text"
)


def is_set_off(row: TriggerRow, pattern: str | None, text: str) -> bool:
    """Whether a message sets the trigger off; what cannot be told does not, and is no reason to keep it from the others."""
    if pattern is None:
        return True
    try:
        return Effort(within_s=SEARCHED_WITHIN_S).is_found(pattern, text, is_any_case=True)
    except PatternSlowError as error:
        _log.error(error.code, trigger=row.slug, characters=len(text), error=f"not fired: {error}; {_REMEDY}")
    except PatternInvalidError as error:
        _log.error(error.code, trigger=row.slug, error=f"not fired: {error}")
    return False
