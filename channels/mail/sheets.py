"""The body of a mail, written once and shown twice: as plain text and as HTML, with the same words in the same order.

People answer above a quote of either, and what is quoted is held against the plain one (``originals``).

Lines of ours stand at the margin; what a bot or a person wrote stands indented, whatever line breaks are in it, so that it
cannot pass for a line of ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from ..visible import visible

_INDENT = "    "
_LONGEST_INLINE = 120
_BODY = "font-family:sans-serif;font-size:14px;line-height:1.5;color:#1a1a1a"
_QUOTE = "margin:8px 0 8px 0;padding:0 0 0 12px;border-left:3px solid #9aa5b1;white-space:pre-wrap"
_NAME = "text-align:left;vertical-align:top;padding:2px 16px 2px 0;font-weight:bold"
_VALUE = "vertical-align:top;padding:2px 0;white-space:pre-wrap;font-family:monospace;word-break:break-word"
_SMALL = "color:#5a6572;font-size:12px"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A paragraph of ours."""

    text: str
    is_small: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """What somebody else wrote."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One named value; ``text`` is somebody else's, unless ``is_word``."""

    name: str
    text: str
    is_word: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A page, by its address."""

    label: str
    url: str


Piece = Said | Quoted | Fact | Link


def as_text(pieces: Iterable[Piece]) -> str:
    """The plain rendering."""
    paragraphs: list[str] = []
    is_table = False
    for piece in pieces:
        text = _plain(piece)
        if isinstance(piece, Fact) and is_table:
            paragraphs[-1] += "\n" + text
        else:
            paragraphs.append(text)
        is_table = isinstance(piece, Fact)
    return "\n\n".join(paragraphs) + "\n"


def as_html(pieces: Iterable[Piece]) -> str:
    """The HTML rendering: no script, no image, no style sheet, nothing that is fetched."""
    parts: list[str] = []
    is_table = False
    for piece in pieces:
        if isinstance(piece, Fact) != is_table:
            parts.append("</table>" if is_table else '<table cellspacing="0" style="border-collapse:collapse">')
            is_table = not is_table
        parts.append(_marked(piece))
    if is_table:
        parts.append("</table>")
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html><body><div style="{_BODY}">\n{body}\n</div></body></html>\n'


def shortened(text: str, longest: int) -> tuple[str, int]:
    """The text with its middle left out if it is long, and how many characters that are.

    What is dangerous in a long text stands as easily behind the place where a preview is cut as before it, so both its ends are
    shown and the gap between them says how much it is.
    """
    if len(text) <= longest:
        return text, 0
    head, tail = text[: longest - longest // 3], text[len(text) - longest // 3 :]
    missing = len(text) - len(head) - len(tail)
    return f"{head}\n[… {missing:,} of {len(text):,} characters left out here; it ends: …]\n{tail}", missing


def _plain(piece: Piece) -> str:
    match piece:
        case Said(text=text):
            return visible(text)
        case Quoted(text=text):
            return _indented(text)
        case Link(label=label, url=url):
            return f"{label}\n{url}"
        case Fact(name=name, text=text, is_word=is_word):
            shown = visible(text)
            if is_word or (len(shown) <= _LONGEST_INLINE and "\n" not in shown):
                return f"{_one_line(name)}: {shown}"
            return f"{_one_line(name)}:\n{_indented(text)}"


def _marked(piece: Piece) -> str:
    match piece:
        case Said(text=text, is_small=is_small):
            style = f' style="{_SMALL}"' if is_small else ""
            return f"<p{style}>{_breaks(escape(visible(text)))}</p>"
        case Quoted(text=text):
            return f'<div style="{_QUOTE}">{_breaks(escape(visible(text)))}</div>'
        case Link(label=label, url=url):
            return f'<p>{escape(label)}<br>\n<a href="{escape(url)}">{escape(url)}</a></p>'
        case Fact(name=name, text=text):
            value = _breaks(escape(visible(text)))
            return f'<tr><th style="{_NAME}">{escape(_one_line(name))}:</th><td style="{_VALUE}">{value}</td></tr>'


def _indented(text: str) -> str:
    return "\n".join(_INDENT + line if line else line for line in visible(text).split("\n"))


def _one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _breaks(escaped: str) -> str:
    """Line breaks as elements too: not every client keeps those of ``pre-wrap``."""
    return escaped.replace("\n", "<br>\n")
