"""A reply as its reader takes it: one form of each letter, nothing invisible, cut into clauses of tokens.

Decides nothing about meaning. What people cannot see (tag characters, zero-width characters, soft hyphens, bidirectional
controls) is taken out and *named*, so that whoever decides can refuse to approve on such a reply. Look-alike letters of
another script are left as they are: they make a word that no lexicon knows.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum

LONGEST_READ = 2_000
"""Characters; nobody's yes or no is longer, and rules read no further."""

_EMOJI = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_TONE = "\U0001f3fb-\U0001f3ff"
_EMOJI_JOIN = re.compile(f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])")
_EMOJI_STYLE = re.compile(f"(?<=[{_EMOJI}])\ufe0f")

_ARABIC = "\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f"
_VIRAMAS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_SPELLED_JOINERS = re.compile(f"(?<=[{_ARABIC}])\u200c(?=[{_ARABIC}])|(?<=[{_VIRAMAS}])[\u200c\u200d]")
"""Part of how Persian and the scripts of India are spelled, and seen by their shape (RFC 5892, appendix A)."""

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u061c]")
"""Typed by the keyboards of scripts that run from right to left, beside numbers and brackets: they turn no letter round."""

_INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Not format characters by Unicode's categories, yet nothing is seen of them."""

_EDGES = "\ufeff\u200b\u200e\u200f"
"""Left by editors and clients at the ends of a text, where they can hide nothing."""

_TOKEN = re.compile(
    rf"""
      (?P<newline>\n)
    | (?P<emote>:(?:[+-]1|[a-z][a-z0-9_+-]*):(?::skin-tone-[2-6]:)?|(?<!\S)[+-]1(?!\S))
    | (?P<number>(?:(?<![\w.,'])[+\-−])?
        (?:\d{{1,3}}(?:\ \d{{3}})+(?:[.,٫]\d+)?|\d+(?:[.,'٫٬]\d+)*)(?:[.,]-{{1,2}})?(?!\w))
    | (?P<word>\w+(?:['\-]\w+)*)
    | (?P<emoji>[{_EMOJI}](?:\ufe0f|[{_TONE}]|\u200d[{_EMOJI}])*)
    | (?P<mark>\.{{2,}}|\S)
    """,
    re.VERBOSE,
)
_EMOJI_TRIM = re.compile(f"[\ufe0f{_TONE}]")
_ELISION = re.compile(r"^(?:[ldjmtscn]|qu)'(?=\w)")
_SKIN_TONE_NAME = re.compile(r"(?<=:):skin-tone-[2-6]:$")

_PLAIN_MARKS = frozenset(".,!;:-–—\n。、，．！；：・¡")
"""Marks that part clauses and mean no more."""
_QUESTION_MARKS = frozenset("?？؟¿")
_QUOTES = frozenset("\"“”„‟«»‹›「」『』‘’'`=")
"""Marks that make what they touch somebody else's word; ``=`` does so too, as in ``decision=approve``."""


class TokenKind(Enum):
    WORD = "word"
    NUMBER = "number"
    EMOJI = "emoji"
    SYMBOL = "symbol"
    """A currency sign, ``%`` or ``#``: belongs to the number beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One word, number, emoji or symbol. ``text`` is folded for comparing, ``raw`` is as it was written.

    The article or pronoun of ``d'accord`` is a token of its own, ``d``.
    """

    text: str
    raw: str
    kind: TokenKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """The tokens between two marks.

    Attributes:
        text: the clause as it was written.
        is_quoted: it touches a quotation mark or ``=``, so it is perhaps not the writer's own word.
    """

    tokens: tuple[Token, ...]
    text: str
    is_quoted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyText:
    """A reply, normalised and cut.

    Attributes:
        visible: what a person sees, in Unicode's compatibility form.
        hidden: names of the invisible characters that were taken out, each once; empty for an honest reply.
        odd_marks: marks with a meaning of their own (quotes, brackets, an ellipsis, ``=``, ``/``), each once.
        has_question: a question mark stands anywhere.
    """

    visible: str
    clauses: tuple[Clause, ...]
    hidden: tuple[str, ...]
    odd_marks: frozenset[str]
    has_question: bool


def hidden_characters(text: str) -> tuple[str, ...]:
    """Name the characters of ``text`` that carry text people cannot see, each once and in order."""
    if text.isascii() and text.isprintable():
        return ()
    names = {_name_of(char): None for char in _shown_joined(text).strip(_EDGES) if _is_hidden(char)}
    return tuple(names)


def without_hidden(text: str) -> str:
    """Give ``text`` without the characters people cannot see; all else stays as it was written."""
    if text.isascii() and text.isprintable():
        return text
    joined = text.replace("\ue000", "").replace("\ue001", "")
    joined = _EMOJI_JOIN.sub("\ue000", _EMOJI_STYLE.sub("\ue001", joined))
    kept = "".join(char for char in joined if char in "\ue000\ue001" or not _is_hidden(char))
    return kept.replace("\ue000", "\u200d").replace("\ue001", "\ufe0f")


def normalised(text: str) -> str:
    """Give the visible text in NFKC with one kind of newline, space and apostrophe.

    Numbers that are no plain digits (``²``, ``½``, ``①``) are left alone: as digits they would join their neighbours.
    """
    seen = without_hidden(text)
    if not seen.isascii():
        parts = re.split("([⁰¹²³⁴-⁹₀-₉½¼¾⅐-⅞①-⓿❶-➓])", seen)
        seen = "".join(
            part if len(part) == 1 and unicodedata.category(part) == "No" else unicodedata.normalize("NFKC", part)
            for part in parts
        )
        seen = re.sub("[’‘ʼ´＇]", "'", seen)
    seen = re.sub("\r\n?|[\u0085\u2028\u2029]", "\n", seen)
    return re.sub(r"[^\S\n]+", " ", seen).strip()


def folded(word: str) -> str:
    """Fold case so that two spellings of one word compare equal, the dotted and dotless i of Turkish included."""
    if word.isascii():
        return word.lower()
    bare = word.casefold().replace("\u0307", "").replace("ı", "i").replace("ё", "е")
    return unicodedata.normalize("NFC", bare)


def words_in(text: str) -> frozenset[str]:
    """The words of a list that is written down as one text."""
    return frozenset(text.split())


def tokens_of(text: str) -> tuple[Token, ...]:
    """Cut normalised text into tokens, leaving the marks out."""
    return tuple(piece for piece, _, _ in _pieces(text) if isinstance(piece, Token))


def read_text(reply: str) -> ReplyText:
    """Normalise a reply and cut it into clauses."""
    visible = normalised(reply[: LONGEST_READ + 1])
    clauses: list[Clause] = []
    odd: set[str] = set()
    has_question = False
    tokens: list[Token] = []
    opened_by = ""
    start = 0
    for piece, begin, end in (*_pieces(visible), ("", len(visible), len(visible))):
        if isinstance(piece, Token):
            if not tokens:
                start = begin
            tokens.append(piece)
            continue
        if tokens:
            quoted = opened_by in _QUOTES or (piece != "" and piece in _QUOTES)
            clauses.append(Clause(tokens=tuple(tokens), text=visible[start:begin].strip(), is_quoted=quoted))
            tokens = []
        has_question = has_question or piece in _QUESTION_MARKS
        if piece and piece not in _PLAIN_MARKS:
            odd.add(piece)
        if visible[begin:end].strip():
            opened_by = piece
    return ReplyText(
        visible=visible,
        clauses=tuple(clauses),
        hidden=hidden_characters(reply),
        odd_marks=frozenset(odd),
        has_question=has_question,
    )


def is_spoken_in(quote: str, text: str) -> bool:
    """Whether ``quote`` stands in ``text`` word for word: whole words, in order, case and marks apart."""
    wanted = [token.text for token in tokens_of(normalised(quote))]
    said = [token.text for token in tokens_of(normalised(text))]
    width = len(wanted)
    return width > 0 and any(said[at : at + width] == wanted for at in range(len(said) - width + 1))


def _pieces(text: str) -> list[tuple[Token | str, int, int]]:
    """Tokens and, as plain strings, the marks between them, each with where it begins and ends."""
    pieces: list[tuple[Token | str, int, int]] = []
    for match in _TOKEN.finditer(text):
        raw = match.group()
        begin, end = match.span()
        match match.lastgroup:
            case "word":
                cut = _ELISION.match(folded(raw))
                if cut:
                    at = cut.end()
                    pieces.append((Token(text=cut.group()[:-1], raw=raw[:at], kind=TokenKind.WORD), begin, begin + at))
                    raw, begin = raw[at:], begin + at
                pieces.append((Token(text=folded(raw), raw=raw, kind=TokenKind.WORD), begin, end))
            case "number":
                pieces.append((Token(text=raw, raw=raw, kind=TokenKind.NUMBER), begin, end))
            case "emote":
                name = _SKIN_TONE_NAME.sub("", raw)
                pieces.append((Token(text=name, raw=raw, kind=TokenKind.EMOJI), begin, end))
            case "emoji":
                pieces.append((Token(text=_EMOJI_TRIM.sub("", raw), raw=raw, kind=TokenKind.EMOJI), begin, end))
            case _ if raw in "%#" or unicodedata.category(raw[0]) == "Sc":
                pieces.append((Token(text=raw, raw=raw, kind=TokenKind.SYMBOL), begin, end))
            case _:
                pieces.append((raw, begin, end))
    return pieces


def _shown_joined(text: str) -> str:
    """``text`` without the joiners and marks that are part of an emoji, of a word's spelling or of its script."""
    if _RIGHT_TO_LEFT.search(text):
        text = _DIRECTION_MARKS.sub("", text)
    return _EMOJI_JOIN.sub("", _EMOJI_STYLE.sub("", _SPELLED_JOINERS.sub("", text)))


def _is_hidden(char: str) -> bool:
    if char.isascii():
        return (char < " " and char not in "\n\t\r") or char == "\x7f"
    if char in _INVISIBLE_LETTERS or "\ufe00" <= char <= "\ufe0f" or "\U000e0000" <= char <= "\U000e0fff":
        return True
    return unicodedata.category(char) in ("Cf", "Co", "Cs", "Cc") and char != "\u0085"


def _name_of(char: str) -> str:
    if "\U000e0000" <= char <= "\U000e007f":
        return "tag characters"
    return unicodedata.name(char, "").lower() or f"U+{ord(char):04X}"
