"""The link that leads to a question's page: a token of the channel that sent it, signed for this page alone.

The token by itself stands in reply addresses, which travel with every answer and copy of it. The link has a signature beside
it that only our mail to this person holds; it is looked at before anything else, so that a guess never gets to the store.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

FOLDER = "/a/"
"""Below the page's base address."""

_PURPOSE = b"overwinter answer page\0"
_SIGNED = re.compile(r"([0-9a-z]{8,64})\.([a-z2-7]{26})", re.ASCII)


def page_url(base_url: str, token: str, key: bytes) -> str:
    """The address of the page of a token.

    Args:
        key: the present one; at least 32 bytes, kept secret.
    """
    return f"{base_url.rstrip('/')}{FOLDER}{token}.{_signature(token, key)}"


def path_of(base_url: str) -> str:
    """The path below which the pages are, as ``/a/``."""
    return urlsplit(base_url).path.rstrip("/") + FOLDER


def token_in(signed: str, keys: Sequence[bytes]) -> str | None:
    """The token of a link's last part; None if it is not signed by any key. Takes as long for every wrong one."""
    match = _SIGNED.fullmatch(signed)
    token, shown = (match[1], match[2]) if match else ("", "")
    fits = [hmac.compare_digest(shown.encode(), _signature(token, key).encode()) for key in keys]
    return token if any(fits) else None


def _signature(token: str, key: bytes) -> str:
    digest = hmac.digest(key, _PURPOSE + token.encode(), hashlib.sha256)
    return base64.b32encode(digest[:16]).decode().lower().rstrip("=")
