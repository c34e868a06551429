"""HTML cut into tags and text in one pass, in a time that grows with its length and no faster.

Made for what mail clients write and for what attackers do: nothing in it is an error. The standard library's ``HTMLParser``
looks for the end of an open tag over and over again, which a megabyte of ``<a`` turns into hours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

_NAME = re.compile(r"[a-zA-Z][^\s/>\x00]{0,60}")
_ATTRIBUTE = re.compile(r"""[\s/]*([^\s/>=]{1,100})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?""")
_BLANKS = re.compile(r"[\s/]*")
_LONGEST_TAG = 20_000
_RAW = frozenset(
    {
        "script",
        "style",
        "title",
        "textarea",
        "xmp",
        "iframe",
        "noembed",
        "noframes",
        "noscript",
        "template",
        "svg",
        "math",
    }
)
"""Elements whose content is no text of the mail; it is skipped up to their end tag."""
_SHOWING = frozenset({"svg", "math", "textarea", "xmp", "noscript"})
"""Those of them that a reader may see something of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """A start or an end tag; names in lower case."""

    name: str
    attributes: dict[str, str]
    is_end: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleSheet:
    """The content of a ``style`` element."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The content of an element that shows text in a way that is not read here, as ``svg`` does."""

    text: str


def pieces(html: str) -> Iterator[Tag | StyleSheet | Drawing | str]:
    """The tags, style sheets, drawings and texts of a document in order; texts are unescaped."""
    at = 0
    while at < len(html):
        opened = html.find("<", at)
        if opened != at:
            yield unescape(html[at : opened if opened >= 0 else len(html)])
        if opened < 0:
            return
        name = _NAME.match(html, opened + 1)
        if name is not None:
            attributes, at = _attributes(html, name.end())
            tag = Tag(name=name.group().lower(), attributes=attributes, is_end=False)
            yield tag
            if tag.name in _RAW:
                at, content = _raw(html, tag.name, at)
                if tag.name == "style":
                    yield StyleSheet(text=content)
                elif tag.name in _SHOWING:
                    yield Drawing(text=content)
                    yield Tag(name=tag.name, attributes={}, is_end=True)
        elif html.startswith("</", opened):
            name = _NAME.match(html, opened + 2)
            at = _after(html, ">", opened)
            if name is not None:
                yield Tag(name=name.group().lower(), attributes={}, is_end=True)
        elif html.startswith("<!--", opened):
            is_empty = html.startswith((">", "->"), opened + 4)
            at = _after(html, ">" if is_empty else "-->", opened + 4)
        elif html.startswith(("<!", "<?"), opened):
            at = _after(html, ">", opened)
        else:
            yield "<"
            at = opened + 1


def _attributes(html: str, at: int) -> tuple[dict[str, str], int]:
    """The attributes of a start tag and where the tag ends; the first of two with one name counts."""
    found: dict[str, str] = {}
    most = min(len(html), at + _LONGEST_TAG)
    while at < most and html[at] != ">":
        match = _ATTRIBUTE.match(html, at, most)
        if match is None:
            # No attribute begins anywhere in the blanks here: behind them stands what begins none.
            blanks = _BLANKS.match(html, at, most)
            at = max(at + 1, blanks.end() if blanks else 0)
            continue
        value = next((each for each in match.groups()[1:] if each is not None), "")
        found.setdefault(match[1].lower(), unescape(value))
        at = max(match.end(), at + 1)
    return found, at + 1


def _raw(html: str, name: str, at: int) -> tuple[int, str]:
    """Where the content of a raw element has ended, and that content."""
    end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE | re.ASCII).search(html, at)
    if end is None:
        return len(html), html[at:]
    return _after(html, ">", end.end()), html[at : end.start()]


def _after(html: str, mark: str, at: int) -> int:
    """Behind the next ``mark``; the end if there is none."""
    found = html.find(mark, at)
    return len(html) if found < 0 else found + len(mark)
