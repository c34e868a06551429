"""Which elements of an HTML mail a reader cannot see.

Not a browser: it knows the ways in which mail is made invisible, and takes whatever comes near one of them as hidden. What
it hides by mistake is not lost in silence, since a mail with hidden text is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_DECLARATION = re.compile(r"([a-z-]{1,40})\s*:\s*([^;]{0,300})")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_SELECTOR = re.compile(r"([a-z][a-z0-9]*)?((?:[.#][\w-]+)*)", re.IGNORECASE)
_LENGTH = re.compile(r"([+-]?\d*\.?\d+)\s*(px|pt|em|rem|%|ex|vh|vw|cm|mm|in|pc)?")
_RGB = re.compile(r"rgba?\(\s*([\d.]+%?)[\s,]+([\d.]+%?)[\s,]+([\d.]+%?)(?:[\s,/]+(\d*\.?\d+%?))?\s*\)")
_MOST_RULES = 500
_LONGEST_SELECTOR = 500
_LONGEST_RULE = 4_000

_COLOURS = {
    "white": (255, 255, 255),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245),
    "floralwhite": (255, 250, 240),
    "mintcream": (245, 255, 250),
    "azure": (240, 255, 255),
    "aliceblue": (240, 248, 255),
    "black": (0, 0, 0),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
    "lightgray": (211, 211, 211),
    "lightgrey": (211, 211, 211),
    "gainsboro": (220, 220, 220),
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "navy": (0, 0, 128),
    "yellow": (255, 255, 0),
}
_LOOKING = frozenset({"hidden", "color", "bgcolor", "text"})
"""Attributes that say how an element looks."""
_STRUCK = frozenset({"s", "strike", "del"})
_LEAST_CONTRAST = 1.35
"""WCAG's ratio; text that is meant to be read has 4.5."""

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How text in an element looks; what a child does not say for itself it has from its parent."""

    is_hidden: bool = False
    is_struck: bool = False
    is_transparent: bool = False
    colour: Colour = (0, 0, 0)
    background: Colour = (255, 255, 255)

    @property
    def is_seen(self) -> bool:
        return (
            not (self.is_hidden or self.is_transparent) and _contrast(self.colour, self.background) >= _LEAST_CONTRAST
        )


class Styles:
    """The rules of a mail's style sheets that hide, colour or uncover: by element, class and id."""

    def __init__(self) -> None:
        self._rules: dict[str, dict[str, str]] = {}
        self.adds_text = False
        """A rule puts words of its own before or after an element."""

    def add(self, sheet: str) -> None:
        """Read one style sheet. Of a selector with several parts the last counts, wherever the element stands."""
        for selectors, rule in _rules(_COMMENT.sub("", sheet)):
            if len(self._rules) >= _MOST_RULES:
                return
            declared = dict(declarations(rule))
            if re.search(r"\w", declared.get("content", "").strip("\"' ").replace("none", "").replace("normal", "")):
                self.adds_text = True
            for selector in selectors.split(","):
                last = re.split(r"[\s>+~]+", selector.strip())[-1].partition(":")[0].partition("[")[0]
                if last and _SELECTOR.fullmatch(last):
                    self._rules.setdefault(last.lower(), {}).update(declared)

    def of(self, name: str, attributes: dict[str, str]) -> dict[str, str]:
        """What the sheets and the element's own ``style`` say about it."""
        if not self._rules:
            return dict(declarations(attributes.get("style", "")))
        classes = attributes.get("class", "").lower().split()[:50]
        simple = [f".{each}" for each in classes] + ([f"#{attributes['id'].lower()}"] if attributes.get("id") else [])
        found: dict[str, str] = {}
        for key in (name, *simple, *(name + each for each in simple)):
            found.update(self._rules.get(key, {}))
        found.update(declarations(attributes.get("style", "")))
        return found


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
    for match in _DECLARATION.finditer(style[:4_000].lower()):
        yield match[1], match[2].replace("!important", "").strip()


def look_of(parent: Look, name: str, attributes: dict[str, str], style: dict[str, str]) -> Look:
    """How an element looks inside its parent."""
    if not style and name not in _STRUCK and _LOOKING.isdisjoint(attributes):
        return parent
    is_hidden = parent.is_hidden or "hidden" in attributes or _is_away(style)
    colour = _colour(style.get("color") or (attributes.get("color", "") if name in ("font", "body") else ""))
    background = _colour(
        style.get("background-color") or _first_colour(style.get("background", "")) or attributes.get("bgcolor", "")
    )
    if name == "body":
        colour = colour or _colour(attributes.get("text", ""))
    line = style.get("text-decoration", "") + style.get("text-decoration-line", "")
    is_transparent = parent.is_transparent
    if "color" in style:
        is_transparent = style["color"] == "transparent" or _is_clear(style["color"])
    return Look(
        is_hidden=is_hidden,
        is_struck=parent.is_struck or name in _STRUCK or "line-through" in line,
        is_transparent=is_transparent,
        colour=colour or parent.colour,
        background=background or parent.background,
    )


def _is_away(style: dict[str, str]) -> bool:
    """Whether an element, with all that is in it, is not drawn, has no size, or is drawn where nobody looks."""
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return True
    if style.get("mso-hide") == "all" or style.get("content-visibility") == "hidden":
        return True
    if _is_at_most(style.get("opacity"), 0.1) or _is_at_most(style.get("font-size"), 2) or _is_tiny_font(style):
        return True
    is_cut = style.get("overflow", style.get("overflow-x", "")) in ("hidden", "clip") or "clip" in style
    if is_cut and any(_is_at_most(style.get(name), 1) for name in ("height", "width", "max-height", "max-width")):
        return True
    if any(_is_at_most(style.get(name), 0) for name in ("max-height", "max-width")):
        return True
    if re.search(
        r"rect\(\s*[01]\w*[\s,]+[01]\w*[\s,]+[01]\w*[\s,]+[01]|inset\(\s*(?:50|100)%",
        style.get("clip", "") + style.get("clip-path", ""),
    ):
        return True
    if re.search(r"scale[xy]?\(\s*0(?:\.0\d*)?\s*[,)]", style.get("transform", "")):
        return True
    names = ("left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top")
    return any(_is_at_most(style.get(name), -200) for name in names)


def _is_tiny_font(style: dict[str, str]) -> bool:
    size = re.search(r"(?<![\w.])0*(?:0?\.\d+|[01])(?:px|pt)?(?=\s*/|\s|$)", style.get("font", "").partition("/")[0])
    return size is not None and not re.search(r"\d{2}", style.get("font", ""))


def _is_at_most(value: str | None, most: float) -> bool:
    match = _LENGTH.match(value) if value else None
    if match is None or (match[2] in ("em", "rem", "%", "vh", "vw", "in", "cm", "pc") and most > 0):
        return match is not None and float(match[1]) <= 0.1
    return float(match[1]) <= most


def _first_colour(background: str) -> str:
    return next((word for word in re.findall(r"#\w+|rgba?\([^)]*\)|[a-z]+", background) if _colour(word)), "")


def _colour(value: str) -> Colour | None:
    value = value.strip().lower()
    if value in _COLOURS:
        return _COLOURS[value]
    digits = value.removeprefix("#")
    if re.fullmatch(r"[0-9a-f]{6}|[0-9a-f]{8}", digits):
        return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    if value.startswith("#") and re.fullmatch(r"[0-9a-f]{3,4}", digits):
        return int(digits[0] * 2, 16), int(digits[1] * 2, 16), int(digits[2] * 2, 16)
    match = _RGB.fullmatch(value)
    if match is None:
        return None
    red, green, blue = (_channel(each) for each in match.groups()[:3])
    return red, green, blue


def _channel(value: str) -> int:
    try:
        number = float(value.rstrip("%"))
    except ValueError:
        return 0
    return max(0, min(255, round(number * 2.55 if value.endswith("%") else number)))


def _is_clear(value: str) -> bool:
    match = _RGB.fullmatch(value)
    if match is not None and match[4] is not None:
        return float(match[4].rstrip("%") or 0) <= (10 if match[4].endswith("%") else 0.1)
    return re.fullmatch(r"#[0-9a-f]{6}0[0-9a-f]|#[0-9a-f]{3}0", value) is not None


def _contrast(one: Colour, other: Colour) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    red, green, blue = (each / 255 / 12.92 if each <= 10 else ((each / 255 + 0.055) / 1.055) ** 2.4 for each in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
