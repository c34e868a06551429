"""Which elements of an HTML mail a reader cannot see.

Not a browser: it knows the ways in which mail is made invisible, and takes whatever comes near one of them as hidden. What
it hides by mistake is not lost in silence, since a mail with hidden text is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .colours import Colour, colour_of, contrast, first_colour, is_clear

_DECLARATION = re.compile(r"([a-z-]{1,40})\s*:\s*([^;]{0,300})")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,5})\s?|(.))")
_WANTED_VALUE = re.compile(r"[~|^$*]?=(?:\"[^\"]*\"|'[^']*'|[^\]]*)")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_SELECTOR = re.compile(r"([a-z][a-z0-9]*)?((?:[.#][\w-]+)*)", re.IGNORECASE)
_LENGTH = re.compile(r"([+-]?\d*\.?\d+)\s*(px|pt|em|rem|%|ex|vh|vw|cm|mm|in|pc)?")
_CLIPPED = re.compile(r"rect\(\s*[01]\w*[\s,]+[01]\w*[\s,]+[01]\w*[\s,]+[01]")
_WHOLE = ("none", "inherit", "initial", "unset")
_CLEARED = re.compile(r"opacity\(\s*(?:0?\.0\d*|0|\d%)\s*\)")
_SHRUNK = re.compile(r"scale(?:[xy]|3d)?\(\s*0(?:\.0\d*)?\s*[,)]")
_MOVED = re.compile(r"translate(?:[xyz]|3d)?\(([^)]{1,100})\)")
_FONT_SIZE = re.compile(r"(?<![\w.#-])(?:\d*\.?\d+(?:px|pt|em|rem|ex|%|mm|cm|in|pc|vh|vw)|0+(?:\.0*)?)(?![\w.%])")
_MOST_RULES = 500
_LONGEST_SELECTOR = 500
_LONGEST_RULE = 4_000

_LOOKING = frozenset({"hidden", "color", "bgcolor", "text"})
"""Attributes that say how an element looks."""
_STRUCK = frozenset({"s", "strike", "del"})
_FALLBACKS = frozenset({"meter", "progress"})
"""Drawn as a picture; what is in them is for readers that know no such picture."""
_STRIKING = _STRUCK | _FALLBACKS | {"bdo"}
_LEAST_CONTRAST = 1.35
"""WCAG's ratio; text that is meant to be read has 4.5."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How text in an element looks; what a child does not say for itself it has from its parent."""

    is_hidden: bool = False
    is_struck: bool = False
    is_transparent: bool = False
    is_turned: bool = False
    """Its letters are shown in another order than they are written."""
    colour: Colour = (0, 0, 0)
    background: Colour = (255, 255, 255)

    @property
    def is_seen(self) -> bool:
        return not (self.is_hidden or self.is_transparent) and contrast(self.colour, self.background) >= _LEAST_CONTRAST


class Styles:
    """The rules of a mail's style sheets that hide, colour or uncover: by element, class and id."""

    def __init__(self) -> None:
        self._rules: dict[str, dict[str, str]] = {}
        self._names_attributes = False
        self.adds_text = False
        """A rule puts words of its own before or after an element."""

    def add(self, sheet: str) -> None:
        """Read one style sheet. Of a selector with several parts the last counts, wherever the element stands."""
        for selectors, rule in _rules(_COMMENT.sub("", sheet)):
            selectors = _unescaped(selectors)
            if len(self._rules) >= _MOST_RULES:
                return
            declared = dict(declarations(rule))
            if re.search(r"\w", declared.get("content", "").strip("\"' ").replace("none", "").replace("normal", "")):
                self.adds_text = True
            for selector in selectors.split(","):
                for key in _keys(selector):
                    self._names_attributes = self._names_attributes or key.startswith("[")
                    self._rules.setdefault(key, {}).update(declared)

    def of(self, name: str, attributes: dict[str, str]) -> dict[str, str]:
        """What the sheets and the element's own ``style`` say about it."""
        if not self._rules:
            return dict(declarations(attributes.get("style", "")))
        classes = attributes.get("class", "").lower().split()[:50]
        simple = [f".{each}" for each in classes] + ([f"#{attributes['id'].lower()}"] if attributes.get("id") else [])
        found: dict[str, str] = {}
        having = [f"[{each}" for each in attributes] if self._names_attributes else []
        for key in ("*", *having, name, *simple, *(name + each for each in simple)):
            found.update(self._rules.get(key, {}))
        found.update(declarations(attributes.get("style", "")))
        return found


def _keys(selector: str) -> tuple[str, ...]:
    """What the last part of a selector is looked up by: its element, class and id, else the attributes it wants, else ``*``."""
    last = re.split(r"[\s>+~]+", _WANTED_VALUE.sub("", selector.strip()))[-1].partition(":")[0]
    simple, *wanted = last.lower().split("[")
    if simple.strip("*"):
        return (simple.removeprefix("*"),) if _SELECTOR.fullmatch(simple.removeprefix("*")) else ()
    if wanted:
        return tuple(f"[{each.rstrip(']').strip()}" for each in wanted)
    return ("*",) if simple == "*" else ()


def _unescaped(text: str) -> str:
    """CSS with its escapes undone, as ``\\6e`` for ``n``."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], text)


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """The selectors and the declarations of each innermost rule, found brace by brace and never in one long search."""
    at = 0
    while (end := sheet.find("}", at)) >= 0:
        opened = sheet.rfind("{", at, end)
        if opened >= 0:
            lowest = max(at, opened - _LONGEST_SELECTOR)
            begin = max(lowest, sheet.rfind("{", lowest, opened) + 1)
            yield sheet[begin:opened], sheet[opened + 1 : min(end, opened + 1 + _LONGEST_RULE)]
        at = end + 1


def declarations(style: str) -> Iterator[tuple[str, str]]:
    """Properties and values, in lower case and without ``!important``."""
    for match in _DECLARATION.finditer(_unescaped(style[:4_000]).lower()):
        yield match[1], match[2].replace("!important", "").strip()


def look_of(parent: Look, name: str, attributes: dict[str, str], style: dict[str, str]) -> Look:
    """How an element looks inside its parent."""
    if not style and name not in _STRIKING and _LOOKING.isdisjoint(attributes):
        return parent
    is_hidden = parent.is_hidden or name in _FALLBACKS or "hidden" in attributes or _is_away(style)
    fill = style.get("-webkit-text-fill-color", "")
    colour = colour_of(fill) or colour_of(
        style.get("color") or (attributes.get("color", "") if name in ("font", "body") else "")
    )
    background = colour_of(
        style.get("background-color") or first_colour(style.get("background", "")) or attributes.get("bgcolor", "")
    )
    if name == "body":
        colour = colour or colour_of(attributes.get("text", ""))
    line = style.get("text-decoration", "") + style.get("text-decoration-line", "")
    is_transparent = parent.is_transparent
    if shown := fill or style.get("color", ""):
        is_transparent = shown == "transparent" or is_clear(shown)
    return Look(
        is_hidden=is_hidden,
        is_struck=parent.is_struck or name in _STRUCK or "line-through" in line,
        is_transparent=is_transparent,
        is_turned=parent.is_turned or name == "bdo" or style.get("unicode-bidi", "").endswith("override"),
        colour=colour or parent.colour,
        background=background or parent.background,
    )


def _is_away(style: dict[str, str]) -> bool:
    """Whether an element, with all that is in it, is not drawn, has no size, or is drawn where nobody looks."""
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return True
    if style.get("mso-hide") == "all" or style.get("content-visibility") == "hidden":
        return True
    if any(_is_at_most(style.get(name), most) for name, most in (("opacity", 0.1), ("zoom", 0.1), ("font-size", 2))):
        return True
    if _is_at_most(_font_size(style.get("font", "")), 2) or "calc(" in style.get("font-size", "") + style.get(
        "opacity", ""
    ):
        return True
    if _CLEARED.search(style.get("filter", "")) or style.get("clip-path", "none") not in _WHOLE:
        return True
    is_cut = style.get("overflow", style.get("overflow-x", "")) in ("hidden", "clip") or "clip" in style
    if is_cut and any(_is_at_most(style.get(name), 1) for name in ("height", "width", "max-height", "max-width")):
        return True
    if any(_is_at_most(style.get(name), 0) for name in ("max-height", "max-width")):
        return True
    if _CLIPPED.search(style.get("clip", "")) or _moves_away(style.get("transform", "") + style.get("translate", "")):
        return True
    names = ("left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top")
    return any(_is_far(style.get(name)) for name in names)


def _font_size(font: str) -> str | None:
    """The size in the value of ``font``; None if it has none that is a length."""
    sizes = (match[0] for match in _FONT_SIZE.finditer(font.partition("/")[0]))
    return next(sizes, None)


def _moves_away(transform: str) -> bool:
    """Whether an element is shrunk to nothing, or drawn where nobody looks."""
    moves = (each.strip() for moved in _MOVED.findall(transform) for each in moved.split(","))
    return _SHRUNK.search(transform) is not None or any(map(_is_far, moves))


def _is_far(value: str | None) -> bool:
    """Whether a length leads out of what is shown."""
    match = _LENGTH.match(value) if value else None
    return match is not None and not -200 < float(match[1]) < 2_000


def _is_at_most(value: str | None, most: float) -> bool:
    match = _LENGTH.match(value) if value else None
    if match is None or (match[2] in ("em", "rem", "%", "vh", "vw", "in", "cm", "pc") and most > 0):
        return match is not None and float(match[1]) <= 0.1
    return float(match[1]) <= most
