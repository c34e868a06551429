"""The arguments of a call, field by field, for people: short ones whole, long ones with their beginning and their end.

What is dangerous in a long text stands as easily behind the place where a preview is cut as before it, so the middle is left
out, the gap says how much it is, and ``full_text`` has everything.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...actors.asks import Ask
from ...store.values import value
from ..asked import Field, asked_fields
from ..visible import visible
from .elements import Element, line, preformatted, words
from .limits import clipped, end_of, start_of, units

NO_NAME = "(no name)"

_LONGEST_NAME = 80
_LONGEST_INLINE = 120
_SHORTEST_SHARE = 60


@value
class Budget:
    """How much of the arguments is shown in a message.

    Attributes:
        fields: how many of them; a third of those from the end.
        text: units of all their values together.
    """

    fields: int
    text: int


@value
class Layout:
    """Arguments as rich text.

    Attributes:
        left_out: units and whole fields that are not shown; empty if everything is.
    """

    parts: tuple[Element, ...]
    left_out: str


def laid_out(fields: Sequence[Field], budget: Budget) -> Layout:
    """The fields as far as a budget reaches."""
    last = min(budget.fields // 3, len(fields))
    first = fields if len(fields) <= budget.fields else fields[: budget.fields - last]
    end = () if len(fields) <= budget.fields else fields[len(fields) - last :]
    skipped = len(fields) - len(first) - len(end)
    share = max(_SHORTEST_SHARE, budget.text // max(1, len(first) + len(end)))
    parts: list[Element] = []
    cut = 0
    for at, field in enumerate((*first, *end)):
        if skipped and at == len(first):
            parts.append(line(words(f"… {skipped} more fields, not shown here …", italic=True)))
        shown, missing = _field(field, share)
        parts += shown
        cut += missing
    gaps = (f"{cut:,} characters" if cut else "", f"{skipped:,} fields" if skipped else "")
    return Layout(parts=tuple(parts), left_out=" and ".join(gap for gap in gaps if gap))


def full_text(ask: Ask) -> tuple[Field, ...]:
    """Everything a question asks, in full."""
    return (Field(name="question", text=visible(ask.prompt)), *asked_fields(ask))


def _field(field: Field, share: int) -> tuple[list[Element], int]:
    """A field within its share, and how many units of it are left out."""
    name = words(clipped(field.name or NO_NAME, _LONGEST_NAME), bold=True)
    missing = max(0, units(field.name) - _LONGEST_NAME)
    size = units(field.text)
    if field.is_word or (size <= min(share, _LONGEST_INLINE) and "\n" not in field.text):
        return [line(name, words(": "), words(field.text, italic=field.is_word, code=not field.is_word))], missing
    if size <= share:
        return [line(name, words(":")), preformatted(field.text)], missing
    head = start_of(field.text, share - share // 3)
    tail = end_of(field.text, share // 3)
    skipped = size - units(head) - units(tail)
    gap = line(words(f"… {skipped:,} of {size:,} characters left out here; it ends:", italic=True))
    return [line(name, words(":")), preformatted(head), gap, preformatted(tail)], missing + skipped
