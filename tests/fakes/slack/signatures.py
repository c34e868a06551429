"""Signed requests. See https://docs.slack.dev/authentication/verifying-requests-from-slack"""

from __future__ import annotations

import hashlib
import hmac


def signed(body: bytes, *, secret: str, at_s: int | str) -> dict[str, str]:
    """The headers that vouch for the body. A test may give any time, also one that is none."""
    mac = hmac.new(secret.encode(), f"v0:{at_s}:".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": str(at_s), "X-Slack-Signature": f"v0={mac}"}
