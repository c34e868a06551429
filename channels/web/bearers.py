"""Whoever bears a link, as the channel knows them that sent it."""

from __future__ import annotations

from typing import Protocol

from ...store.values import value


@value
class Bearer:
    """Who was sent a question.

    Attributes:
        answered_by: the name they answer under: that by which their channel knows them.
    """

    tenant: str
    pause_id: str
    answered_by: str


class Bearers(Protocol):
    """The questions a channel has sent, by their tokens."""

    async def find(self, token: str) -> Bearer | None:
        """Whom a token was sent to, if they may still answer; None for any other token."""
        ...

    async def send_number(self, token: str, number: str, *, shown: str) -> bool:
        """Send the number that confirms an answer to whom a token was sent; False if too many were sent lately.

        Args:
            shown: the answer, in words.
        """
        ...
