"""What an author writes to have a question asked by mail: who is asked, and no secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .letters import plain_address

CONNECTION = "mail"
"""The name of the connection that mail channels go by."""


@dataclass(frozen=True, slots=True, init=False)
class MailChannel:
    """Asks people by mail; each of them gets a mail of their own, and any of them may answer.

    ``MailChannel(["mara@corp.example"])``. Servers and secrets are the operator's: the table ``[mail]``.

    Attributes:
        answerers: their addresses, in one spelling.
        name: sessions that wait know the channel by it, whoever its people are by then; a second mail channel needs
            another one.
        via: the connection that leads there.
    """

    answerers: tuple[str, ...]
    name: str
    via: str

    def __init__(self, answerers: Sequence[str], *, name: str = CONNECTION, via: str = CONNECTION) -> None:
        """Raises ``ValueError`` for what is no address, and for none at all."""
        if isinstance(answerers, str):
            raise ValueError(f"answerers is a list of addresses, as [{answerers!r}]")
        addresses = dict.fromkeys(_address(each) for each in answerers)
        if not addresses:
            raise ValueError("a mail channel needs at least one answerer, or nobody would ever be asked")
        object.__setattr__(self, "answerers", tuple(addresses))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "via", via)


def _address(text: str) -> str:
    address = plain_address(text)
    if address is None:
        raise ValueError(f"{text!r} is not one plain mail address, as mara@corp.example")
    return address
