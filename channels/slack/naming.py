"""What short words mean in a thread: the names by which people say which question they mean, and words that say nothing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from ...store.values import value

_NAMED = re.compile(r"\s*(Q[0-9]{3})(?![0-9A-Za-z])\s*[:;,.!–—-]*\s*", re.IGNORECASE)
_ACKNOWLEDGING = """
    ok okay okey oki k kk okidoki alright aha ah i see got it understood thanks thank you thx ty cool fine good sure
    👍 👌 +1 :+1: :thumbsup: :ok_hand: verstanden danke alles klar gut in ordnung merci compris d'accord vale entendido
    gracias va bene capito grazie bien bueno はい 了解 知道了 好的 好 ок понятно спасибо
"""
_ACKNOWLEDGEMENTS = frozenset(_ACKNOWLEDGING.split())
"""Words, and the words of phrases, that acknowledge, and approve only where nothing else was said before them."""


@value
class Named:
    """What was said to a question that was named.

    Attributes:
        label: as ``label_of`` writes it.
    """

    label: str
    text: str


def label_of(pause_id: str) -> str:
    """A question's name in its thread: made of the question alone, so that it stays the same whatever else opens and closes.

    It leads nobody back to the question's id.
    """
    found = hashlib.sha256(b"overwinter slack label " + pause_id.encode()).digest()
    return f"Q{int.from_bytes(found[:4], 'big') % 900 + 100}"


def named_in(text: str) -> Named | None:
    """The name at the beginning of a reply; None if there is none."""
    found = _NAMED.match(text)
    return None if found is None else Named(label=found[1].upper(), text=text[found.end() :])


def with_label(label: str, pause_ids: Iterable[str]) -> tuple[str, ...]:
    """The questions of that name: as a rule one."""
    return tuple(pause_id for pause_id in pause_ids if label_of(pause_id) == label)


def is_acknowledgement(text: str) -> bool:
    """Whether a reply consists of nothing but words of acknowledgement."""
    said = re.sub(r"::skin-tone-[2-6]", "", text.casefold())
    words = [word.strip(" .,!;…~") for word in said.split()]
    return bool(words) and all(word in _ACKNOWLEDGEMENTS for word in words if word)
