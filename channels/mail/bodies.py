"""Which of a message's parts are the text its writer typed, and the lines of that text.

A mail may say the same thing twice, plainly and in HTML: then both are read, and must agree. Attachments, signatures and
attached mails are no text. What cannot be read at all is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .cms import signed_content
from .html import lines_of_html
from .lines import Kind, Line, lines_of_text
from .parts import MailTooLargeError, Part, parse_message
from .settings import Limits

_CMS = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_PLAIN = ("text/plain",)
_DEEPEST_WRAPPING = 3
_ENCRYPTED = re.compile(r"-----BEGIN PGP MESSAGE-----")
_SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----"


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The text of a message.

    Attributes:
        plain: its lines, from the plain parts wherever there is a choice.
        rich: its lines, from the HTML parts wherever there is a choice; the same object as ``plain`` if there is none.
        hidden_text_found: its HTML hides text from its reader.
        is_restyled: its HTML strikes text out, or adds words by its style.
        has_attached_mail: another mail is attached.
        problem: why there is no text to read; empty if there is.
    """

    plain: tuple[Line, ...]
    rich: tuple[Line, ...]
    hidden_text_found: bool
    is_restyled: bool
    has_attached_mail: bool
    problem: str


def read_body(message: Part, limits: Limits) -> Body:
    """The text of a message.

    Raises:
        MailTooLargeError: a limit is passed.
    """
    reader = _Reader(limits)
    views = list(reader.views(message))
    plain = tuple(line for view in views for line in view.plain)
    is_one = all(view.plain is view.rich for view in views)
    problem = "" if views else "; ".join(reader.problems) or "it has no text"
    if any(_ENCRYPTED.search(line.text) for line in plain if line.kind is Kind.TEXT):
        problem = "it is encrypted"
    plain = _unarmoured(plain)
    return Body(
        plain=plain,
        rich=plain if is_one else tuple(line for view in views for line in view.rich),
        hidden_text_found=reader.hidden_text_found,
        is_restyled=reader.is_restyled,
        has_attached_mail=any(part.content_type == "message/rfc822" for part in message.walk()),
        problem=problem,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """One stretch of text, read in both ways."""

    plain: tuple[Line, ...]
    rich: tuple[Line, ...]


class _Reader:
    """Reads the parts of one message, counting."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._characters = 0
        self._lines = 0
        self.hidden_text_found = False
        self.is_restyled = False
        self.problems: list[str] = []

    def views(self, part: Part, depth: int = 0) -> Iterator[_View]:
        match part.content_type:
            case "multipart/alternative":
                yield from self._alternative(part, depth)
            case "multipart/signed":
                yield from self._first(part.parts[:1], depth)
            case "multipart/related":
                start = part.parameter("start")
                roots = [each for each in part.parts if start and each.first("content-id") == start]
                yield from self._first(roots or part.parts[:1], depth)
            case "multipart/encrypted":
                self.problems.append("it is encrypted")
            case kind if kind.startswith("multipart/") and part.parts:
                for each in part.parts:
                    yield from self.views(each, depth)
            case kind if kind in _CMS:
                yield from self._signed(part, depth)
            case "text/plain" | "text/html" if not part.is_attachment:
                lines = self._leaf(part)
                yield _View(plain=lines, rich=lines)
            case "application/ms-tnef":
                self.problems.append("its text is in a winmail.dat")
            case kind if kind.startswith("multipart/"):
                self.problems.append("its parts cannot be told apart")
            case _:
                pass

    def _first(self, parts: Sequence[Part], depth: int) -> Iterator[_View]:
        for part in parts:
            yield from self.views(part, depth)

    def _alternative(self, part: Part, depth: int) -> Iterator[_View]:
        """The last plain and the last other one that have text: the later, the better, says RFC 2046."""
        plain: list[_View] | None = None
        rich: list[_View] | None = None
        for each in part.parts:
            found = list(self.views(each, depth))
            if found and each.content_type in _PLAIN:
                plain = found
            elif found:
                rich = found
        if plain is None or rich is None or not any(line.text for view in plain for line in view.plain):
            yield from rich or plain or ()
            return
        yield _View(
            plain=tuple(line for view in plain for line in view.plain),
            rich=tuple(line for view in rich for line in view.rich),
        )

    def _signed(self, part: Part, depth: int) -> Iterator[_View]:
        content = signed_content(part.content()) if depth < _DEEPEST_WRAPPING else None
        inner = None if content is None else parse_message(content, self._limits)
        if isinstance(inner, Part):
            yield from self.views(inner, depth + 1)
        else:
            self.problems.append("it is encrypted or signed in a format that is not read")

    def _leaf(self, part: Part) -> tuple[Line, ...]:
        if len(part.body) > self._limits.text_bytes:
            raise MailTooLargeError(f"a text in it has {len(part.body)} bytes")
        text = part.text()
        self._characters += len(text)
        if self._characters > self._limits.text_characters:
            raise MailTooLargeError(f"its text has more than {self._limits.text_characters} characters")
        if part.content_type == "text/html":
            rendered = lines_of_html(text, most_tags=self._limits.html_tags, deepest=self._limits.html_depth)
            if rendered is None:
                raise MailTooLargeError(
                    f"its HTML has more than {self._limits.html_tags} tags, or more than {self._limits.html_depth} in another"
                )
            self.hidden_text_found = self.hidden_text_found or rendered.hidden_text_found
            self.is_restyled = self.is_restyled or rendered.is_restyled
            return self._counted(rendered.lines)
        self._check_lengths(text.split("\n"))
        is_flowed = part.parameter("format").lower() == "flowed"
        return self._counted(
            lines_of_text(text, is_flowed=is_flowed, is_delsp=part.parameter("delsp").lower() == "yes")
        )

    def _counted(self, lines: tuple[Line, ...]) -> tuple[Line, ...]:
        self._lines += len(lines)
        if self._lines > self._limits.text_lines:
            raise MailTooLargeError(f"its text has more than {self._limits.text_lines} lines")
        self._check_lengths(line.text for line in lines)
        return lines

    def _check_lengths(self, lines: Iterable[str]) -> None:
        longest = max(map(len, lines), default=0)
        if longest > self._limits.line_characters:
            raise MailTooLargeError(f"a line of its text has {longest} characters")


def _unarmoured(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Leave out what PGP puts around a text that it signs in place."""
    if not any(line.text == _SIGNED for line in lines):
        return lines
    kept: list[Line] = []
    state = "text"
    for line in lines:
        match state, line.text:
            case "text", "-----BEGIN PGP SIGNED MESSAGE-----":
                state = "head"
            case "text", "-----BEGIN PGP SIGNATURE-----":
                state = "signature"
            case "head", _ if line.is_blank:
                state = "text"
            case "signature", "-----END PGP SIGNATURE-----":
                state = "text"
            case "text", text:
                kept.append(Line(text=text[2:]) if text.startswith("- -") else line)
            case _:
                pass
    return tuple(kept)
