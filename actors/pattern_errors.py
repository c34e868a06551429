"""The errors of patterns: of the regular expressions that authors and operators write.

OverwinterError
└── PatternError
    ├── PatternInvalidError             pattern.invalid             no regular expression, or not the one it seems to be
    └── PatternSlowError                pattern.slow                comparing took too long, so nothing is known
"""

from __future__ import annotations

from ..store.errors import OverwinterError


class PatternError(OverwinterError):
    """A text cannot be compared with a pattern."""

    code = "pattern.error"
    expose = True


class PatternInvalidError(PatternError):
    """This is no regular expression, or does not say what it seems to."""

    code = "pattern.invalid"


class PatternSlowError(PatternError):
    """The text could not be compared with the pattern in time. Let the pattern repeat nothing that is itself repeated."""

    code = "pattern.slow"
