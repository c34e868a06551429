"""Several interpreters in a row: the first that understands decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...actors.asks import Ask, NotUnderstood, Reading, Understood
from ...actors.budgets import Meter
from ...actors.ports import Model, ReplyReader
from .model import ModelInterpreter
from .probability import ProbabilityInterpreter
from .rules import FINAL_CAUSES

ModelReader = ModelInterpreter | ProbabilityInterpreter
"""The interpreters that ask a model."""


class Chain:
    """Asks each interpreter in turn until one understands; what nobody understands comes back as the last one said it.

    One thing ends the chain early. Where rules have seen that a reply hides text, gives orders to its reader or says both
    yes and no, nobody further on may decide it: such a reply is either an attempt or a slip, and whoever is easier to talk
    round than the rules are must not be the one who settles it. The person is asked again.
    """

    def __init__(self, first: ReplyReader, *others: ReplyReader) -> None:
        self._readers = (first, *others)

    @property
    def readers(self) -> tuple[ReplyReader, ...]:
        """Its links, first one first."""
        return self._readers

    def bound_to(self, model: Model | None, *, meter: Meter | None = None) -> Chain:
        """This chain with the model given to those of its interpreters that want one and have none."""
        return Chain(
            *(
                each.bound_to(model, meter=meter) if isinstance(each, ModelReader | Chain) else each
                for each in self._readers
            )
        )

    async def read(self, ask: Ask, reply: str) -> Reading:
        reading: Reading = await self._readers[0].read(ask, reply)
        for reader in self._readers[1:]:
            match reading:
                case Understood():
                    break
                case NotUnderstood(by="rules", cause=str() as cause) if cause in FINAL_CAUSES:
                    break
                case NotUnderstood(so_far=so_far):
                    reading = await reader.read(ask, reply)
                    if isinstance(reading, NotUnderstood) and reading.so_far is None:
                        reading = replace(reading, so_far=so_far)
        return reading


def links_of(reader: ReplyReader) -> Iterator[ReplyReader]:
    """The interpreters that do the reading: the reader itself, or the links of a chain, however deep."""
    if not isinstance(reader, Chain):
        yield reader
        return
    for each in reader.readers:
        yield from links_of(each)
