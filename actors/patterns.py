"""Regular expressions that authors and operators write, searched for in texts that strangers write.

Some expressions take twice as long for each character more (``(a|a)*$``), and no one can tell which by looking at them. Python's
``re`` neither stops nor lets anybody else run meanwhile; the library ``regex``, which reads the same expressions, does both. So
every such search goes through here and takes a bounded amount of work; one that is not done by then ends as an error and is never
taken for a yes or a no. What becomes of that is its caller's to decide.

Our own expressions stay with ``re``: each takes time in proportion to its text.
"""

from __future__ import annotations

import functools
import re
from typing import Final

import regex

from .clock import processor_s
from .pattern_errors import PatternInvalidError, PatternSlowError

_APPROXIMATE: Final = re.compile(
    r"""
      \\[NpP]\{[^}]*\} | \\.                         # a character by its name, a property; an escape
    | \[\^?\]?(?:\\.|[^\]\\])*\]                     # a set
    | (?P<found>\{(?=[^}:]*[dies])[dies<=>+0-9, ]*[:}])
    """,
    re.VERBOSE | re.DOTALL,
)
"""``{e<=1}`` is text to ``re``; to ``regex`` it says that what stands before it may be misspelt."""


class Effort:
    """How much work the searches that share it may be: of this thread, in seconds of a processor."""

    def __init__(self, *, within_s: float) -> None:
        self.within_s = within_s
        self._left_s = within_s

    def is_found(self, pattern: str, text: str, *, is_any_case: bool = False) -> bool:
        """Whether the expression is found anywhere in the text. Other threads run meanwhile.

        Raises:
            PatternInvalidError: (pattern.invalid) it is no regular expression.
            PatternSlowError: (pattern.slow) nobody knows: the work came to an end before the search did.
        """
        expression = compiled(pattern, is_any_case=is_any_case)
        begun_s = processor_s()
        try:
            if self._left_s <= 0:
                raise TimeoutError
            return expression.search(text, timeout=self._left_s, concurrent=True) is not None
        except TimeoutError:
            self._left_s = 0.0
            raise PatternSlowError(
                f"a text of {len(text):,} characters could not be compared with {pattern!r} in {self.within_s:g} s"
            ) from None
        finally:
            self._left_s -= processor_s() - begun_s


@functools.lru_cache(maxsize=512)
def compiled(pattern: str, *, is_any_case: bool = False) -> regex.Pattern[str]:
    """The expression, as ``re`` would read it.

    Raises:
        PatternInvalidError: (pattern.invalid) it is none, or means something else to ``regex``.
    """
    if any(approximate := match["found"] for match in _APPROXIMATE.finditer(pattern)):
        raise PatternInvalidError(
            f"{pattern!r} would be compared approximately because of {approximate}; write \\{{ for a brace"
        )
    try:
        return regex.compile(pattern, regex.VERSION0 | (regex.IGNORECASE if is_any_case else 0))
    except (regex.error, ValueError, RecursionError) as error:
        raise PatternInvalidError(f"{pattern!r} is no regular expression: {error}") from error
