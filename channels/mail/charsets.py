"""From bytes to text, whatever the label says: it never raises, and what cannot be read becomes U+FFFD.

Labels in the wild name the standard and mean a vendor's superset of it, or name nothing at all.
"""

from __future__ import annotations

import codecs
import re
from email.errors import HeaderParseError
from email.header import decode_header

_SUPERSETS = {
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "ksc5601": "cp949",
    "euc-kr": "cp949",
    "gb2312": "gb18030",
    "gb_2312-80": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "iso-2022-jp": "iso2022_jp_ext",
    "big5": "big5hkscs",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "iso-8859-9": "cp1254",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "tis-620": "cp874",
    "windows-874": "cp874",
    "dos-874": "cp874",
    "iso-8859-11": "cp874",
    "x-mac-roman": "mac_roman",
    "unicode-1-1-utf-8": "utf-8",
    "utf8mb4": "utf-8",
}
"""Encodings that hold all of what the label names, and more that is sent under it. https://encoding.spec.whatwg.org/#names-and-labels"""

_NOT_CHARSETS = re.compile(r"utf[-_]?7|.*escape|idna|punycode|undefined|mbcs|oem|palmos", re.IGNORECASE)
"""Codecs that Python knows and that are no charset of any client, or that let ASCII stand for something else."""


_LABEL = re.compile(r"[a-z0-9][a-z0-9._:+()-]{0,60}")
_LONGEST_HEADER = 4_000
"""Characters of a header that are shown."""


def decoded(data: bytes, label: str | None) -> str:
    """The text that ``data`` was most likely meant as."""
    wanted = (label or "us-ascii").strip("\"' \t").lower()
    if _LABEL.fullmatch(wanted) is None:
        wanted = "utf-8"
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:].decode("utf-8", "replace")
    codec = _SUPERSETS.get(wanted, wanted)
    for name in (codec, "utf-8") if _is_charset(codec) else ("utf-8",):
        try:
            return data.decode(name)
        except (UnicodeError, LookupError):
            continue
    if wanted in ("us-ascii", "ascii", "utf-8", "utf8") or not _is_known(codec):
        return _as_western(data)
    try:
        return data.decode(codec, "replace")
    except (UnicodeError, LookupError):  # a codec that is not of text, or takes no "replace"
        return _as_western(data)


def decoded_header(value: str) -> str:
    """A header's value on one line, with its encoded words decoded. For showing and for comparing subjects only.

    Args:
        value: as the header parser gives it: bytes beyond ASCII are surrogates.
    """
    plain = re.sub(r"[\r\n]+[ \t]*", " ", readable(value[:_LONGEST_HEADER]))
    try:
        pieces = decode_header(plain)
    except HeaderParseError:
        return plain
    words: list[str] = []
    for text, label in pieces:
        words.append(text if isinstance(text, str) else decoded(text, label or "utf-8"))
    return re.sub(r"\s+", " ", "".join(words)).strip()


def readable(value: str) -> str:
    """A header's value with the bytes beyond ASCII decoded."""
    if value.isascii():
        return value
    return decoded(value.encode("utf-8", "surrogateescape"), "utf-8")


def _as_western(data: bytes) -> str:
    """Bytes that are not what they were said to be: Windows' Western code page is what such clients write."""
    try:
        return data.decode("cp1252")
    except UnicodeError:
        return data.decode("latin-1") if b"\x00" not in data else data.decode("utf-8", "replace")


def _is_charset(codec: str) -> bool:
    return _NOT_CHARSETS.fullmatch(codec) is None


def _is_known(codec: str) -> bool:
    if not _is_charset(codec):
        return False
    try:
        return codecs.lookup(codec).name != ""
    except LookupError:
        return False
