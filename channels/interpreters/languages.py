"""All languages that rules read, and what is looked up in all of them at once."""

from __future__ import annotations

from .lexicon import Kind, Language, single_words
from .words_eastern import EASTERN
from .words_germanic import GERMANIC
from .words_romance import ROMANCE

LANGUAGES: tuple[Language, ...] = (*GERMANIC, *ROMANCE, *EASTERN)

VOCABULARY: frozenset[str] = frozenset[str]().union(*(each.words | each.nouns for each in LANGUAGES))
"""Every token any language knows: none of them is taken for a name."""

APPROVING: frozenset[str] = single_words(LANGUAGES, frozenset((Kind.YES, Kind.APPROVE)), shortest=3)
"""Words that say yes somewhere. One of them in a refusal, not negated, makes the refusal a doubt."""

TURNING: frozenset[str] = single_words(LANGUAGES, frozenset((Kind.BUT, Kind.LIMIT, Kind.HALF)), shortest=3)
"""Words that turn or limit what was said somewhere; beside a refusal in another language they make it a doubt too."""

SIGN_OFFS: frozenset[tuple[str, ...]] = frozenset[tuple[str, ...]]().union(*(each.sign_offs for each in LANGUAGES))
