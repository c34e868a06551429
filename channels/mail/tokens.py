"""The token that leads an answer back to its question, and the Message-IDs made from it.

A token is the first 128 bits of an HMAC over the tenant, the pause and the recipient, as 26 letters and digits of Crockford's
base 32: short enough for the local part of an address, and safe where case is lost. It says nothing about the pause's id,
and without the key nobody can make the token of another pause or another recipient. Who holds a token still has to be an
answerer of its question.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 26
_TOKEN = f"[0-7][{_ALPHABET}]{{{_LENGTH - 1}}}"
_TOKEN_ALONE = re.compile(_TOKEN)
_MESSAGE_ID_LEFT = re.compile(rf"q\.({_TOKEN})\.([1-9][0-9]{{0,8}})")


def reply_token(key: bytes, *, tenant: str, pause_id: str, recipient: str) -> str:
    """The token of one question to one recipient.

    Args:
        key: at least 32 bytes, kept secret by the operator.
        recipient: the address the question goes to; case does not matter.
    """
    if len(key) < 32:
        raise ValueError("a key for reply tokens has at least 32 bytes")
    fields = (b"overwinter reply token", tenant.encode(), pause_id.encode(), recipient.lower().encode())
    message = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    number = int.from_bytes(hmac.digest(key, message, hashlib.sha256)[:16], "big")
    return "".join(_ALPHABET[(number >> (5 * place)) & 31] for place in reversed(range(_LENGTH)))


def is_reply_token(token: str, keys: Sequence[bytes], *, tenant: str, pause_id: str, recipient: str) -> bool:
    """Whether a token belongs to a question and recipient, in a time that does not depend on how much of it is right.

    Args:
        keys: the present key and those before it whose mails may still be answered.
    """
    shown = (parse_token(token) or "").encode()
    fits = [
        hmac.compare_digest(shown, reply_token(key, tenant=tenant, pause_id=pause_id, recipient=recipient).encode())
        for key in keys
    ]
    return any(fits)


def parse_token(text: str) -> str | None:
    """``text`` as a token in its one spelling; None if it has not the form of one."""
    lowered = text.lower() if text.isascii() else ""
    return lowered if _TOKEN_ALONE.fullmatch(lowered) else None


def reply_address(address: str, token: str, *, separator: str = "+") -> str:
    """Where the answer to a question goes: ``agent+<token>@…``."""
    local, _, domain = address.rpartition("@")
    return f"{local}{separator}{token}@{domain}"


def token_in_address(address: str, reply_to: str, *, separator: str = "+") -> str | None:
    """The token in an address that is one of ours; None if it is not ours or bears none."""
    local, _, domain = address.lower().rpartition("@")
    our_local, _, our_domain = reply_to.lower().rpartition("@")
    prefix = our_local + separator
    if domain != our_domain or not local.startswith(prefix):
        return None
    return parse_token(local[len(prefix) :])


def is_own_address(address: str, reply_to: str, *, separator: str = "+") -> bool:
    """Whether mail to an address is for us: the reply address itself, or it with anything behind the separator."""
    local, _, domain = address.lower().rpartition("@")
    our_local, _, our_domain = reply_to.lower().rpartition("@")
    return domain == our_domain and (local == our_local or local.startswith(our_local + separator))


def message_id(token: str, number: int, domain: str) -> str:
    """The Message-ID, in angle brackets, of the ``number``-th mail about a question, counted from 1.

    It is derived, so that a mail sent again after a crash is the same mail.
    """
    return f"<q.{token}.{number}@{domain}>"


def token_in_message_id(text: str, domain: str) -> str | None:
    """The token in a Message-ID, with or without angle brackets; None if it is not one of ours."""
    left, _, right = text.strip("<> \t\r\n").lower().rpartition("@")
    match = _MESSAGE_ID_LEFT.fullmatch(left) if right == domain.lower() else None
    return match[1] if match else None
