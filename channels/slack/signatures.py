"""Whether a request comes from Slack, just now, and for the first time.

https://docs.slack.dev/authentication/verifying-requests-from-slack: the HMAC-SHA256 of ``v0:timestamp:body`` under the app's
signing secret, over the body as it was received.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import OrderedDict
from collections.abc import Sequence
from enum import Enum

WINDOW_S = 300
"""How far a request's time may be from ours, in either direction."""

_TIMESTAMP = re.compile(r"[1-9][0-9]{0,11}")


class SignatureFault(Enum):
    """Why a request is not taken; each is answered with 401."""

    NO_SECRET = "no signing secret is configured"
    NO_TIMESTAMP = "its timestamp is missing or no whole number"
    NOT_NOW = "its timestamp is not within five minutes of now"
    NOT_SLACK = "its signature is missing or not made with the signing secret"
    SEEN = "its signature has been used before"


def signature_of(secret: str, *, timestamp: str, body: bytes) -> str:
    """The signature of a request, as Slack makes it."""
    signed = b"v0:" + timestamp.encode() + b":" + body
    return "v0=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def signature_fault(
    *, body: bytes, timestamp: str | None, signature: str | None, secrets: Sequence[str], now_s: int
) -> SignatureFault | None:
    """Why a request is not Slack's; None if it is. The time it takes does not tell how much of a signature is right.

    Args:
        body: as received, before anything is decoded.
        timestamp: header ``X-Slack-Request-Timestamp``; None if it is missing.
        signature: header ``X-Slack-Signature``; None if it is missing.
        secrets: the app's signing secret, and the one before it while it is being replaced. Empty ones count for nothing.
        now_s: UTC epoch seconds, by the app's clock.
    """
    usable = [secret for secret in secrets if secret.strip()]
    if not usable:
        return SignatureFault.NO_SECRET
    if timestamp is None or not _TIMESTAMP.fullmatch(timestamp):
        return SignatureFault.NO_TIMESTAMP
    if abs(now_s - int(timestamp)) > WINDOW_S:
        return SignatureFault.NOT_NOW
    shown = (signature or "").encode("utf-8", "replace")
    fits = [
        hmac.compare_digest(signature_of(secret, timestamp=timestamp, body=body).encode(), shown) for secret in usable
    ]
    return None if any(fits) else SignatureFault.NOT_SLACK


class SignatureMemory:
    """Remembers the signatures that were taken, for as long as they could be used again. For one process.

    A request replayed to another process, or after a restart, is found out by what is in it: an event, a click and a modal
    each have a name that counts once.

    Args:
        most: signatures kept; the oldest go first.
    """

    def __init__(self, *, most: int = 100_000) -> None:
        self._most = most
        self._until_s: OrderedDict[str, int] = OrderedDict()

    def fault(self, signature: str, *, now_s: int) -> SignatureFault | None:
        """Take a signature that has been found right; ``SEEN`` if it was taken before."""
        while self._until_s and (len(self._until_s) >= self._most or next(iter(self._until_s.values())) < now_s):
            self._until_s.popitem(last=False)
        if signature in self._until_s:
            return SignatureFault.SEEN
        self._until_s[signature] = now_s + 2 * WINDOW_S
        return None

    def forget(self, signature: str) -> None:
        """A request was not dealt with: Slack may tell the same once more within a second, and then signs it the same."""
        self._until_s.pop(signature, None)
