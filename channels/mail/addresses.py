"""Addresses in headers, read strictly: what can be read in two ways is no address.

The standard library's readers are made to find *an* address in anything. Here the address decides who somebody is, so a
quoted local part, a comment in the middle, two angle brackets or a control character give none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from .charsets import decoded_header, readable

_PIECE = re.compile(
    r"""
      (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<angle><[^<>]*>)
    | (?P<mark>"(?:[^"\\]|\\.)*|[(),:;<>\\\[\]])
    | (?P<word>[^\s(),:;<>"\\\[\]]+)
    | (?P<space>\s+)
    """,
    re.VERBOSE,
)
_ADDRESS = re.compile(r"[^\s@\"(),:;<>\\\[\]]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)*[^\W_](?:[\w-]{0,61}[^\W_])?")
_LONGEST = 320
_BARE_NAME = re.compile(r"([^<>@\"\\;\x00-\x1f\x7f]{1,200})<([^<>\s]{3,320})>")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """A name, which proves nothing, and an address in its one spelling; None where it has none or a doubtful one."""

    name: str
    address: str | None


def mailboxes(value: str) -> tuple[Mailbox, ...]:
    """The mailboxes of an address header, unfolded but not decoded."""
    return tuple(_mailbox(pieces) for pieces in _members(value))


def only_mailbox(value: str) -> Mailbox | None:
    """The mailbox of a header that holds one; None if it holds another number, or cannot be read in one way alone.

    Servers that know people as ``Lind, Mara [Corp]`` write that without the quotation marks it needs. Where there is one ``@``
    and one pair of angle brackets around it, at the end, whatever stands before them is a name and can be nothing else.
    """
    boxes = mailboxes(value)
    if len(boxes) == 1 and boxes[0].address is not None:
        return boxes[0]
    match = _BARE_NAME.fullmatch(readable(value).strip())
    address = None if match is None else canonical_address(match[2])
    if match is None or address is None:
        return None
    return Mailbox(name=decoded_header(match[1].strip()), address=address)


def canonical_address(text: str) -> str | None:
    """An address in its one spelling, ready to be compared; None if it is not plainly one.

    Case is folded for ASCII alone, and a domain beyond ASCII is the one it stands for in DNS, so that no letter of another
    script ever equals one of ours.
    """
    trimmed = text.strip()
    if (
        len(trimmed) > _LONGEST
        or not trimmed.isprintable()
        or not trimmed.isprintable()
        or _ADDRESS.fullmatch(trimmed) is None
        or unicodedata.normalize("NFKC", trimmed) != trimmed
    ):
        return None
    local, _, domain = trimmed.rpartition("@")
    try:
        name = domain if domain.isascii() else domain.encode("idna").decode("ascii")
    except UnicodeError:
        return None
    return f"{local.lower() if local.isascii() else local}@{name.lower()}"


def without_subaddress(address: str) -> str:
    """``mara@corp.example`` for ``mara+x@corp.example``."""
    local, _, domain = address.rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def domain_of(address: str) -> str:
    """The domain of a canonical address."""
    return address.rpartition("@")[2]


def _members(value: str) -> Iterator[list[tuple[str, str]]]:
    """The pieces between commas, each with its kind; comments are left out, a group's name and end are marks."""
    pieces: list[tuple[str, str]] = []
    depth = 0
    for match in _PIECE.finditer(readable(value)):
        kind, text = match.lastgroup or "", match.group()
        if text in "()":
            depth = max(0, depth + (1 if text == "(" else -1))
        elif depth == 0 and text in ",;":
            if any(each != "space" for each, _ in pieces):
                yield pieces
            pieces = []
        elif depth == 0:
            pieces.append((kind, text))
    if any(each != "space" for each, _ in pieces):
        yield pieces


def _mailbox(pieces: list[tuple[str, str]]) -> Mailbox:
    kinds = [kind for kind, _ in pieces if kind != "space"]
    texts = [text for kind, text in pieces if kind != "space"]
    if _CONTROL.search("".join(texts)) or "mark" in kinds:
        return Mailbox(name="", address=None)
    if kinds.count("angle") == 1 and kinds[-1] == "angle":
        name = "".join(text for kind, text in pieces if kind != "angle").strip()
        return Mailbox(name=decoded_header(_unquoted(name)), address=canonical_address(texts[-1][1:-1]))
    if kinds == ["word"]:
        return Mailbox(name="", address=canonical_address(texts[0]))
    return Mailbox(name="", address=None)


def _unquoted(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if len(name) > 1 and name[0] == name[-1] == '"' else name
