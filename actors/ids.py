"""The one place that makes ids.

A session's id sorts by the time it was made, which keeps its rows together; a pause's id is 128 random bits, because it is
the right to answer. Whatever can be derived is derived instead: an execution from its session and message, a delivery from
its pause, so that doing the same again after a crash gives the same id.
"""

from __future__ import annotations

import hashlib
import itertools
import secrets
import uuid
from typing import Protocol


class Ids(Protocol):
    """Ids, as a parameter."""

    def session_id(self, now_ms: int) -> str: ...

    def pause_id(self) -> str: ...

    def message_id(self, now_ms: int) -> str:
        """Sorts by the time it was made, and within a process by the order of making."""
        ...

    def uuid(self) -> uuid.UUID: ...

    def random(self) -> float:
        """In [0, 1)."""
        ...

    def holder(self) -> str:
        """The name of one supervisor process, never used twice."""
        ...


class RandomIds:
    """Ids from the operating system's randomness."""

    def session_id(self, now_ms: int) -> str:
        return f"s{now_ms:011x}{secrets.token_hex(6)}"

    def pause_id(self) -> str:
        return secrets.token_hex(16)

    def __init__(self) -> None:
        self._messages = itertools.count()

    def message_id(self, now_ms: int) -> str:
        return f"m{now_ms:011x}{next(self._messages) & 0xFFFFFF:06x}{secrets.token_hex(8)}"

    def uuid(self) -> uuid.UUID:
        return uuid.uuid4()

    def random(self) -> float:
        return secrets.SystemRandom().random()

    def holder(self) -> str:
        return f"w{secrets.token_hex(8)}"


def execution_id_of(session_id: str, message_id: str) -> str:
    """The id of the execution that a message starts."""
    return "x" + hashlib.blake2b(f"{session_id}/{message_id}".encode(), digest_size=12).hexdigest()
