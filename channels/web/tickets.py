"""What a form of ours carries, so that only the browser that was shown it can send it, and only as it was shown.

A ticket is signed over the link, the browser's cookie, the answer that is to be confirmed, and when it was made. Nothing is kept
here for it, so any process of a service takes what another has shown.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence

from ...actors.ids import Ids
from ...store.values import value

LIFETIME_MS = 2 * 3_600_000
_COOKIE = re.compile(r"[0-9a-f]{32}", re.ASCII)
_TICKET = re.compile(r"([0-9a-f]{11})([0-9a-f]{16})([0-9a-f]{32})", re.ASCII)
DIGITS = 4
"""Enough for who reads the page; nobody else has more than a few tries."""
DIGITS_SENT = 8
"""For who has to have been sent them: tries go on for as long as a question is open."""


@value
class Ticket:
    """A ticket, and the number that its page asks to be typed."""

    text: str
    number: str


def is_cookie(text: str | None) -> bool:
    return text is not None and _COOKIE.fullmatch(text) is not None


class Tickets:
    """Makes and takes tickets.

    Args:
        keys: the present one makes them; all are taken.
        digits: of a number.
    """

    def __init__(self, keys: Sequence[bytes], *, ids: Ids, digits: int = DIGITS) -> None:
        self._ids = ids
        self._digits = digits
        self._keys = tuple(hmac.digest(key, b"overwinter answer page tickets", hashlib.sha256) for key in keys)

    def issue(self, *, token: str, cookie: str, answer: str, now_ms: int) -> Ticket:
        """A ticket for one form.

        Args:
            answer: what the form is to confirm; empty for one that asks.
        """
        return self._made(f"{now_ms:011x}", self._ids.uuid().hex[:16], token, cookie, answer, self._keys[0])

    def taken(self, text: str, *, token: str, cookie: str, answer: str, now_ms: int) -> Ticket | None:
        """The ticket that a form brings back; None if it is too old, or was made for anything else."""
        match = _TICKET.fullmatch(text)
        if match is None or not 0 <= now_ms - int(match[1], 16) <= LIFETIME_MS:
            return None
        made = [self._made(match[1], match[2], token, cookie, answer, key) for key in self._keys]
        fits = [each for each in made if hmac.compare_digest(each.text, text)]
        return fits[0] if fits else None

    def _made(self, issued: str, once: str, token: str, cookie: str, answer: str, key: bytes) -> Ticket:
        fields = (issued, once, token, cookie, answer)
        message = b"".join(len(data).to_bytes(4, "big") + data for data in (field.encode() for field in fields))
        digest = hmac.digest(key, message, hashlib.sha256)
        number = int.from_bytes(digest[16:24], "big") % 10**self._digits
        return Ticket(text=issued + once + digest[:16].hex(), number=f"{number:0{self._digits}}")
