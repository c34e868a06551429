"""The message inside an opaque S/MIME signature (``smime.p7m``).

Only taken out of its wrapping (RFC 5652, section 5.1), never verified: who sent it is the border server's finding, as for any
other mail.
"""

from __future__ import annotations

from dataclasses import dataclass

_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_SEQUENCE, _OID, _OCTETS, _OCTETS_IN_PIECES, _EXPLICIT = 0x30, 0x06, 0x04, 0x24, 0xA0
_DEEPEST = 16
_MOST_ELEMENTS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Element:
    """A BER element: its tag, where its content lies, and where the next begins."""

    tag: int
    start: int
    stop: int
    after: int


def signed_content(data: bytes) -> bytes | None:
    """What was signed; None if ``data`` is not signed data with its content inside."""
    try:
        return _Reader(data).content()
    except (IndexError, ValueError):
        return None


class _Reader:
    """Reads one blob; ``ValueError`` or ``IndexError`` where it is not what it should be."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = _MOST_ELEMENTS

    def content(self) -> bytes:
        info = self._inside(self._element(0, len(self._data)), _SEQUENCE)
        if self._bytes(info[0], _OID) != _SIGNED_DATA:
            raise ValueError("not signed data")
        (signed,) = self._inside(info[1], _EXPLICIT)
        encapsulated = self._inside(self._inside(signed, _SEQUENCE)[2], _SEQUENCE)
        (octets,) = self._inside(encapsulated[1], _EXPLICIT)
        if octets.tag == _OCTETS_IN_PIECES:
            return b"".join(self._bytes(piece, _OCTETS) for piece in self._inside(octets, _OCTETS_IN_PIECES))
        return self._bytes(octets, _OCTETS)

    def _bytes(self, element: _Element, tag: int) -> bytes:
        if element.tag != tag:
            raise ValueError(f"tag {element.tag:#x} for {tag:#x}")
        return self._data[element.start : element.stop]

    def _inside(self, element: _Element, tag: int) -> list[_Element]:
        if element.tag != tag:
            raise ValueError(f"tag {element.tag:#x} for {tag:#x}")
        found: list[_Element] = []
        at = element.start
        while at < element.stop:
            found.append(self._element(at, element.stop))
            at = found[-1].after
        return found

    def _element(self, at: int, end: int, depth: int = 0) -> _Element:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            raise ValueError("too many elements")
        tag, length = self._data[at], self._data[at + 1]
        start = at + 2
        if length == 0x80:
            inner = start
            while self._data[inner : inner + 2] != b"\0\0":
                inner = self._element(inner, end, depth + 1).after
            return _Element(tag=tag, start=start, stop=inner, after=inner + 2)
        if length > 0x80:
            start += length - 0x80
            length = int.from_bytes(self._data[at + 2 : start], "big")
        if start + length > end:
            raise ValueError("an element ends after the one it is in")
        return _Element(tag=tag, start=start, stop=start + length, after=start + length)
