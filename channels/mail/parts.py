"""A message cut into its MIME parts: bounded in time and memory, whatever the bytes are.

Headers are parsed by the standard library, a block at a time. Cutting at the boundaries is done here: the library's parser
goes through every line of every attachment in Python, and through one more generator for each level of nesting, so a few
megabytes keep it busy for seconds. Here parts are found with ``bytes.find`` and stay slices until somebody reads them.

Headers are taken as they are written (the ``compat32`` policy): the structured headers of ``policy.default`` raise on some
of what really arrives, and would take quoted and encoded names apart before ``addresses`` has judged them.
"""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32

from .charsets import decoded
from .settings import Limits

_HEADER_END = re.compile(rb"\r?\n\r?\n|\r\r")
_NOT_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
_AT_ONCE = 1024 * 1024
"""Bytes that are decoded in one call: a call keeps every other thread waiting."""
_MOST_FALSE_DELIMITERS = 10_000
"""Lines that begin like the end of a part and are none."""
_PADDING = re.compile(rb"[=\s]+")
_GOES_ON = re.compile(
    rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)[ \t]*(?:[\r\n]|\Z)"
)
"""One more line of base64: whole groups of four, as no line of words is but by chance."""
_MOST_PIECES = 1_000
_LATE_BREAK = re.compile(rb"=[ \t]{1,80}(?=\r?\n)")
"""A soft line break with the blanks behind it that some servers add, which RFC 2045 (6.7) says to leave out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part, or the whole message.

    Attributes:
        content_type: ``maintype/subtype`` in lower case; ``text/plain`` if none or a broken one is given.
        headers: its own header block, with nothing below it.
        body: what stands under the headers as it is transferred, and empty for a multipart.
        parts: of a multipart.
    """

    content_type: str
    headers: Message
    body: bytes
    parts: tuple[Part, ...]

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a header in order, unfolded; bytes beyond ASCII are surrogates."""
        wanted = name.lower()
        return tuple(unfolded(str(value)) for key, value in self.headers.raw_items() if key.lower() == wanted)

    def first(self, name: str) -> str:
        """The topmost value of a header, unfolded; empty if there is none."""
        return next(iter(self.all(name)), "")

    def parameter(self, name: str, header: str = "content-type") -> str:
        """A parameter of a header, decoded; empty if there is none."""
        value = self.headers.get_param(name, header=header)
        if isinstance(value, tuple):
            charset, _, text = value
            return decoded(text.encode("latin-1", "replace"), charset or "utf-8")
        return value or ""

    @property
    def is_attachment(self) -> bool:
        """Whether it is a file beside the text rather than text."""
        disposition = self.first("content-disposition").partition(";")[0].strip().lower()
        named = self.parameter("filename", "content-disposition") or self.parameter("name")
        return disposition == "attachment" or bool(named)

    def walk(self) -> Iterator[Part]:
        """This part and all below it, from the top down."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def content(self) -> bytes:
        """The body with its transfer encoding undone."""
        return self._decoded(self.body)

    def beginning(self, most: int) -> bytes:
        """The content's first bytes, for which the rest is not decoded."""
        return self._decoded(self.body[: 4 * most])[:most]

    def _decoded(self, body: bytes) -> bytes:
        encoding = self.first("content-transfer-encoding").strip().lower()
        if encoding == "base64":
            return _from_base64(body)
        if encoding == "quoted-printable":
            return b"".join(quopri.decodestring(_LATE_BREAK.sub(b"=", piece)) for piece in _by_lines(body))
        return body

    def text(self, *, most_bytes: int | None = None) -> str:
        """The content as text; with ``most_bytes`` only its beginning."""
        content = self.content() if most_bytes is None else self.beginning(most_bytes)
        return decoded(content, self.headers.get_content_charset() or self.parameter("charset") or None)


class MailTooLargeError(Exception):
    """A limit is passed: carried to ``parse_message`` and no further."""


def parse_message(raw: bytes, limits: Limits) -> Part | str:
    """Cut a message into parts; the words of the limit that it passes if it passes one."""
    if len(raw) > limits.message_bytes:
        return f"it has {len(raw)} bytes, more than {limits.message_bytes}"
    try:
        return _Cutter(raw, limits).part(0, len(raw), depth=0)
    except MailTooLargeError as error:
        return str(error)


def unfolded(value: str) -> str:
    """A header's value on one line."""
    return re.sub(r"[\r\n]+[ \t]*", " ", value).strip()


class _Cutter:
    """Cuts one message, counting what it makes."""

    def __init__(self, raw: bytes, limits: Limits) -> None:
        self._raw = raw
        self._limits = limits
        self._made = 0
        self._header_bytes = 0
        self._tried = 0

    def part(self, start: int, end: int, *, depth: int, default: str = "text/plain") -> Part:
        self._made += 1
        if self._made > self._limits.parts:
            raise MailTooLargeError(f"it has more than {self._limits.parts} parts")
        if depth > self._limits.depth:
            raise MailTooLargeError(f"its parts are nested more than {self._limits.depth} deep")
        head, body = self._head(start, end)
        headers = BytesHeaderParser(policy=compat32).parsebytes(head)
        content_type = headers.get_content_type() if "content-type" in headers else default
        boundary = _boundary(headers) if content_type.startswith("multipart/") else b""
        if not boundary:
            return Part(content_type=content_type, headers=headers, body=self._raw[body:end], parts=())
        default = "message/rfc822" if content_type == "multipart/digest" else "text/plain"
        parts = tuple(self.part(*span, depth=depth + 1, default=default) for span in self._spans(boundary, body, end))
        return Part(content_type=content_type, headers=headers, body=b"", parts=parts)

    def _head(self, start: int, end: int) -> tuple[bytes, int]:
        """The header block and where the body begins."""
        if self._raw.startswith((b"\r\n", b"\n"), start):
            return b"", min(end, start + (2 if self._raw[start] == 13 else 1))
        most = self._limits.header_bytes - self._header_bytes
        match = _HEADER_END.search(self._raw, start, min(end, start + most + 4))
        stop, body = (end, end) if match is None else (match.start(), match.end())
        self._header_bytes += stop - start
        if self._header_bytes > self._limits.header_bytes:
            raise MailTooLargeError(f"its headers have more than {self._limits.header_bytes} bytes")
        return self._raw[start:stop], body

    def _spans(self, boundary: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where the parts between the delimiter lines begin and end; a missing last delimiter is the end."""
        opened: int | None = None
        for line, after, is_last in self._delimiters(b"--" + boundary, start, end):
            if opened is not None:
                yield opened, max(opened, line)
            opened = after
            if is_last:
                return
        if opened is not None and opened < end:
            yield opened, end

    def _delimiters(self, delimiter: bytes, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        """Where each delimiter's line break begins, where its line ends, and whether it is the closing one."""
        at = self._raw.find(delimiter, start, end)
        while at >= 0:
            self._tried += 1
            if self._tried > _MOST_FALSE_DELIMITERS:
                raise MailTooLargeError(f"it has more than {_MOST_FALSE_DELIMITERS} lines that seem to end parts")
            after = at + len(delimiter)
            stop = self._raw.find(b"\n", after, min(end, after + 200))
            stop = min(end, after + 200) if stop < 0 else stop
            rest = self._raw[after:stop].strip()
            if (at == start or self._raw[at - 1] in b"\r\n") and rest in (b"", b"--"):
                line = at - 1 if at > start else at
                line = line - 1 if line > start and self._raw[line - 1 : line + 1] == b"\r\n" else line
                yield line, min(end, stop + 1), rest == b"--"
                at = stop
            at = self._raw.find(delimiter, max(at, after), end)


def _boundary(headers: Message) -> bytes:
    try:
        return (headers.get_boundary() or "").encode("ascii", "surrogateescape")
    except (UnicodeError, ValueError):
        return b""


def _from_base64(body: bytes) -> bytes:
    """Decode what is base64 in a body; a list's footer behind it is left out.

    Some gateways encode a text in pieces, each with its padding, and what stands behind the first may take back what it says.
    """
    pieces: list[bytes] = []
    at = 0
    while at < len(body):
        if len(pieces) == _MOST_PIECES:
            return b""
        end = body.find(b"=", at)
        end = len(body) if end < 0 else end
        pieces.append(_decoded_piece(body, at, end))
        padding = _PADDING.match(body, end)
        at = end if padding is None else padding.end()
        if _GOES_ON.match(body, at) is None:
            break
    return b"".join(pieces)


def _decoded_piece(body: bytes, start: int, end: int) -> bytes:
    encoded = b"".join(
        body[at : min(end, at + _AT_ONCE)].translate(None, _NOT_BASE64) for at in range(start, end, _AT_ONCE)
    )
    whole = len(encoded) - (len(encoded) % 4 == 1)
    pieces = (encoded[at : min(whole, at + _AT_ONCE)] + b"===" for at in range(0, whole, _AT_ONCE))
    try:
        return b"".join(map(binascii.a2b_base64, pieces))
    except binascii.Error:
        return b""


def _by_lines(body: bytes) -> Iterator[bytes]:
    """The body in pieces of bounded size, cut behind line ends wherever there are any."""
    at = 0
    while at < len(body):
        most = min(len(body), at + _AT_ONCE)
        end = most if most == len(body) else (body.rfind(b"\n", at, most) + 1 or most)
        yield body[at:end]
        at = end
