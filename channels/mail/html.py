"""HTML mail as lines: what a reader sees, with the quotes and signatures that its client marked.

The lines then go the way of plain text (``quotes``, ``signatures``), so that an answer reads the same from either.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from ..interpreters.text import TokenKind, tokens_of
from .lines import Kind, Line
from .markup import Drawing, StyleSheet, Tag, pieces
from .styles import Look, Styles, look_of

_VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "o:p",
    ]
)
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_SPACED = frozenset(["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol"])
_SKIPPED = frozenset(["head", "select", "option", "object", "audio", "video", "canvas", "map", "datalist"])

_QUOTES = re.compile(
    r"(?:^|[\s_])(?:yahoo_quoted|[\w-]*yahoo_quoted\w*|zmail_extra|moz-forward-container|mail-editor-reference-message-container|olk_src_body_section|hcl_quote|ntes_quote)(?=\s|$)"
)
_CUTS = re.compile(
    r"(?:^|[\s_])(?:appendonsend|divrplyfwdmsg|stopspelling|isreplycontent|olk_src_body_section|mail-editor-reference-message-container"
    r"|ms-outlook-mobile-reference-message|quoteddata|reply-intro|cypherpost_quote|replysplit|mailcontentreply|letter-quote"
    r"|protonmail_quote|messagereplysection|inoteshistory|zwchr)(?=\s|$)"
)
_INTRODUCTIONS = re.compile(r"(?:^|[\s_])(?:gmail_attr|moz-cite-prefix)(?=\s|$)")
_SIGNATURE = "signature"
"""In the id, class or name of what clients mark as one: ``gmail_signature``, ``Signature``, ``front-signature``, ..."""
_BELOW_ANSWER = "linebreakatbeginningofsignature"
"""What iOS calls the line break above its signature, which is the next element."""
_OUTLOOK_RULE = re.compile(r"border(?:-top)?:\s*(?:none;\s*border-top:\s*)?solid\s+#(?:e1e1e1|b5c4df)", re.IGNORECASE)
_DRAWN_TEXT = re.compile(r"<(?:text|tspan|textpath|foreignobject|m[inso]|mtext)\b", re.IGNORECASE)
_MARKING = ("id", "class", "name")
_SPACES = re.compile(r"[ \t\r\n\f\xa0]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """An open element."""

    name: str
    look: Look
    is_quote: bool
    is_signature: bool
    is_introduction: bool
    is_preformatted: bool
    is_skipped: bool
    is_closed: bool = False
    """Of ``details`` that have to be opened to be read."""
    numbers: Iterator[int] | None = None
    """Of the items of a numbered list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The lines of an HTML text.

    Attributes:
        hidden_text_found: it has text outside its quotes that nobody can see.
        is_restyled: text outside its quotes is struck out, turned round or drawn, or its style sheets add words.
    """

    lines: tuple[Line, ...]
    hidden_text_found: bool
    is_restyled: bool


def lines_of_html(html: str, *, most_tags: int = 30_000, deepest: int = 500) -> Rendered | None:
    """The lines a reader sees; None if the HTML has more tags than that, or is nested more deeply."""
    page = _Page()
    for at, piece in enumerate(pieces(html)):
        if at > 2 * most_tags or page.depth > deepest:
            return None
        match piece:
            case StyleSheet(text=text):
                page.styles.add(text)
            case Drawing(text=text):
                page.draw(text)
            case Tag(is_end=True, name=name):
                page.close(name)
            case Tag():
                page.open(piece)
            case str():
                page.write(piece)
    return page.done()


def _is_emoji(text: str) -> bool:
    """Whether the text in place of a picture is an emoji, which some clients send as pictures, and nothing else."""
    shown = text.strip()
    return (
        0 < len(shown) <= 16
        and all(token.kind is TokenKind.EMOJI for token in tokens_of(shown))
        and not shown.isascii()
    )


def _is_closed(parent: _Frame, tag: Tag) -> bool:
    """Whether what is in an element has to be opened to be read; the summary of what is closed has not."""
    if tag.name == "details" and "open" not in tag.attributes:
        return True
    return parent.is_closed and not (tag.name == "summary" and parent.name == "details")


def _start(tag: Tag) -> int:
    """The first number of a numbered list."""
    start = tag.attributes.get("start", "")
    return int(start) if start.isascii() and start.isdigit() and len(start) < 6 else 1


def _kind_in(frame: _Frame) -> Kind:
    """Of a line whose text stands in an element."""
    if frame.is_quote:
        return Kind.QUOTED
    if frame.is_introduction:
        return Kind.INTRODUCTION
    return Kind.SIGNATURE if frame.is_signature else Kind.TEXT


class _Page:
    """What has been read of a document so far."""

    def __init__(self) -> None:
        self.styles = Styles()
        self._stack = [
            _Frame(
                name="",
                look=Look(),
                is_quote=False,
                is_signature=False,
                is_introduction=False,
                is_preformatted=False,
                is_skipped=False,
            )
        ]
        self._opened: Counter[str] = Counter()
        self._lines: list[Line] = []
        self._text: list[str] = []
        self._kind: Kind = Kind.TEXT
        self._has_content = False
        self._is_below_answer = False
        self._hidden_at: list[int] = []
        self._struck_at: list[int] = []
        self._number = ""
        """Of a list's item of which nothing is written yet."""

    @property
    def depth(self) -> int:
        return len(self._stack)

    def open(self, tag: Tag) -> None:
        if tag.name in _BLOCKS:
            self.close("head")
            if self._stack[-1].name == "p" and self._stack[-1].look.is_seen:
                self.close("p")  # as browsers do; but what may be inside a hidden one is hidden
        top = self._stack[-1]
        marks = " ".join(tag.attributes.get(name, "") for name in _MARKING).lower() if tag.attributes else ""
        style = self.styles.of(tag.name, tag.attributes)
        look = look_of(top.look, tag.name, tag.attributes, style)
        if tag.name in _BLOCKS or tag.name == "br":
            self._break(is_line=tag.name == "br")
            if tag.name in _SPACED:
                self._space()
        if _CUTS.search(marks) or self._is_outlook_rule(tag):
            self._lines.append(Line(text="", kind=Kind.CUT))
        if tag.name == "img" and look.is_seen and _is_emoji(shown := tag.attributes.get("alt", "")):
            self.write(shown)
        if tag.name in _VOID:
            self._is_below_answer = self._is_below_answer or _BELOW_ANSWER in marks
            return
        self._opened[tag.name] += 1
        self._stack.append(
            _Frame(
                name=tag.name,
                look=look,
                is_quote=top.is_quote or tag.name == "blockquote" or _QUOTES.search(marks) is not None,
                is_signature=top.is_signature or _SIGNATURE in marks or self._is_below_answer,
                is_introduction=top.is_introduction or _INTRODUCTIONS.search(marks) is not None,
                is_preformatted=top.is_preformatted
                or tag.name == "pre"
                or style.get("white-space", "").startswith("pre"),
                is_skipped=top.is_skipped or tag.name in _SKIPPED,
                is_closed=_is_closed(top, tag),
                numbers=count(_start(tag)) if tag.name == "ol" else None,
            )
        )
        self._is_below_answer = False
        if tag.name == "li":
            self._number = "" if top.numbers is None else f"{next(top.numbers)}. "

    def close(self, name: str) -> None:
        if name in _BLOCKS:
            self._break(is_line=False)
        if self._opened[name] == 0:
            return
        while len(self._stack) > 1:
            closed = self._stack.pop()
            self._opened[closed.name] -= 1
            if closed.name == name:
                break
        if name in _SPACED:
            self._space()

    def write(self, text: str) -> None:
        frame = self._stack[-1]
        if frame.is_skipped or not text:
            return
        if not frame.look.is_seen or (frame.is_closed and not frame.is_quote):
            if text.strip(" \t\r\n\f\xa0\u200b\u200c\u200d\ufeff\u00ad\u034f\u2007") and not frame.is_quote:
                self._hidden_at.append(len(self._lines))
            return
        if (frame.look.is_struck or frame.look.is_turned) and not frame.is_quote and text.strip():
            self._struck_at.append(len(self._lines))
        kind = _kind_in(frame)
        for at, part in enumerate(text.split("\n") if frame.is_preformatted else [text]):
            if at:
                self._break(is_line=True)
            part = _SPACES.sub(" ", part)
            if part.strip() and kind is not self._kind:
                if self._has_content:
                    self._break(is_line=False)
                self._kind = kind
            if self._number and part.strip():
                part, self._number = self._number + part.lstrip(), ""
            self._has_content = self._has_content or bool(part.strip())
            self._text.append(part)

    def draw(self, content: str) -> None:
        """Take note of a drawing: if it has words, the text says something else with them than without."""
        frame = self._stack[-1]
        is_shown = frame.look.is_seen and not (frame.is_skipped or frame.is_quote)
        is_text = frame.name not in ("svg", "math") or _DRAWN_TEXT.search(content) is not None
        if is_shown and is_text and re.search(r"\w", content):
            self._struck_at.append(len(self._lines))

    def done(self) -> Rendered:
        self._break(is_line=False)
        cut = next((at for at, line in enumerate(self._lines) if line.kind is Kind.CUT), len(self._lines))
        return Rendered(
            lines=tuple(self._lines),
            hidden_text_found=any(at <= cut for at in self._hidden_at),
            is_restyled=self.styles.adds_text or any(at <= cut for at in self._struck_at),
        )

    def _break(self, *, is_line: bool) -> None:
        """End the line; an empty one only where the document has a line break for it."""
        text = _SPACES.sub(" ", "".join(self._text)).strip()
        self._text = []
        if text or is_line:
            kind = self._kind if text else (Kind.QUOTED if self._stack[-1].is_quote else Kind.TEXT)
            shown = Line(text=text, kind=kind)
            is_marked = kind is Kind.TEXT and text[:1] in (">", "＞")
            self._lines.append(replace(shown, kind=Kind.QUOTED) if is_marked else shown)
        self._has_content = False
        self._kind = Kind.TEXT

    def _space(self) -> None:
        if self._lines and not self._lines[-1].is_blank:
            quoted = self._lines[-1].kind is Kind.QUOTED and self._stack[-1].is_quote
            self._lines.append(Line(text="", kind=Kind.QUOTED if quoted else Kind.TEXT))

    def _is_outlook_rule(self, tag: Tag) -> bool:
        """The rule that Outlook draws above the headers of what it quotes."""
        if tag.name == "hr":
            return tag.attributes.get("tabindex") == "-1"
        return tag.name == "div" and _OUTLOOK_RULE.search(tag.attributes.get("style", "")) is not None
