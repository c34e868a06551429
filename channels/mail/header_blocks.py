"""The block of headers that Outlook and others put above a quoted message, in any language.

Known names make a block. So do three lines of the form ``Name: value`` in a language nobody listed, if our address or the
mail's subject is among the values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .lines import Kind, Line
from .phrases import folded
from .words_headers import FROM, OTHER, SENT, SUBJECT, TO

_FIELD = re.compile(r"[*_\s]{0,4}([^:：*]{1,40}?)[\s*_]{0,4}[:：][\s*_]{0,4}(.*)")
_LONGEST = 30
"""Lines of a block: long lists of recipients are folded."""
_LONGEST_LINE = 2_000
_MOST_BARE = 6
_MAIN = frozenset({"from", "sent", "to", "subject"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the quoted original has in common with the mail around it.

    Attributes:
        address: ours, which people answer to, in lower case and without a token.
        name: the name our questions come under, folded; empty if none.
        subject: the mail's own, folded and without prefixes; empty if none.
    """

    address: str
    name: str
    subject: str

    def names_us(self, text: str) -> bool:
        """Whether folded text has our address, with any token, or our name."""
        local, _, domain = self.address.rpartition("@")
        at = text.find(f"@{domain}")
        while at >= 0:
            if local in text[max(0, at - 80) : at]:
                return True
            at = text.find(f"@{domain}", at + 1)
        return bool(self.name) and self.name in text


def end_of_block(lines: Sequence[Line], at: int, around: Surroundings) -> int | None:
    """Where the block of headers that begins with line ``at`` ends; None if none begins there.

    It begins and ends with a name that is known: what is written like a header right above or below it may be the
    writer's own.
    """
    groups: set[str] = set()
    values: list[str] = []
    end = index = at
    is_unlisted = False
    while index < min(len(lines), at + _LONGEST) and lines[index].kind is Kind.TEXT:
        line = lines[index]
        field = _field(line)
        group = _group(field)
        if line.is_blank:
            if not values or not _is_known_field(lines, index + 1):
                break
        elif group in groups and group in _MAIN:
            if len(groups & _MAIN) < 3:
                return None
            break
        elif field is not None and (group or _is_name(field[0])):
            is_unlisted = is_unlisted or not (group or values)
            groups.add(group)
            values.append(folded(field[1]))
            end = index + 1 if group or is_unlisted else end
        elif values and _is_continuation(line, values[-1]):
            values.append(folded(line.text))
            end = index + 1 if end == index else end
        else:
            break
        index += 1
    if is_unlisted:
        return end if _is_unlisted_block(values, around) else None
    return end if _is_block(groups, values, around) else None


def end_of_bare_block(lines: Sequence[Line], at: int, around: Surroundings) -> int | None:
    """Where a block of headers ends that has no colons, as some clients write it below a separator; None if none begins."""
    groups: list[str] = []
    for index in range(at, min(len(lines), at + _MOST_BARE)):
        words = folded(lines[index].text[:_LONGEST_LINE]).split(" ")
        found = (_group((" ".join(words[:count]), "")) for count in (1, 2) if len(words) > count)
        group = next(filter(None, found), "")
        if lines[index].kind is not Kind.TEXT or not group or group in groups:
            break
        groups.append(group)
    is_ours = bool(groups) and around.names_us(folded(lines[at].text[:_LONGEST_LINE]))
    return at + len(groups) if is_ours and groups[0] == "from" and len(groups) > 2 else None


def is_header(text: str) -> bool:
    """Whether a line is one of a quoted message's headers, by its name."""
    return _group(_field(Line(text=text))) != ""


def _is_block(groups: set[str], values: Sequence[str], around: Surroundings) -> bool:
    """Whether headers with known names are those of a message."""
    text = " ".join(values)
    known = groups & _MAIN
    if len(known) < 3 and known not in ({"from", "sent"}, {"from", "subject"}):
        return False
    return "@" in text or around.names_us(text) or ("sent" in known and any(char.isdigit() for char in text))


def _is_unlisted_block(values: Sequence[str], around: Surroundings) -> bool:
    """Whether headers with names nobody listed are those of our message: it is from us, and about the same."""
    has_subject = len(around.subject) > 5 and any(around.subject in value for value in values)
    return len(values) >= 3 and around.names_us(values[0]) and has_subject


def _is_known_field(lines: Sequence[Line], at: int) -> bool:
    return at < len(lines) and lines[at].kind is Kind.TEXT and _group(_field(lines[at])) != ""


def _field(line: Line) -> tuple[str, str] | None:
    if len(line.text) > _LONGEST_LINE:
        return None
    match = _FIELD.fullmatch(line.bare)
    return None if match is None else (folded(match[1]), match[2])


def _is_name(name: str) -> bool:
    return len(name.split()) <= 3 and not any(char.isdigit() or char in ".!?<>@" for char in name.rstrip("."))


def _group(field: tuple[str, str] | None) -> str:
    if field is None:
        return ""
    name = field[0].strip()
    for group, names in (("from", FROM), ("sent", SENT), ("to", TO), ("subject", SUBJECT), ("other", OTHER)):
        if name in names:
            return group
    return ""


def _is_continuation(line: Line, value: str) -> bool:
    """Whether a line goes on with the value above it: of an empty one, of an indented one, of a list of addresses."""
    return not value or line.text[:1].isspace() or "@" in line.text or value.endswith((",", ";"))
