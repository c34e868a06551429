"""Sensitive fields: how authors mark them, and what an agent's own model is told of their values.

    class Refund(BaseModel):
        order_id: str
        card: Annotated[str, Sensitive("mask")]
        iban: Annotated[str | None, Sensitive("token", show_to_asked=True)] = None

The mark stands on parameters of tools and workflows and on fields of what they and steps take, return and are answered with, at any
depth. Who is given
what is one table, at the top of ``actors/privacy.py``. The tool itself is always given the values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import GetJsonSchemaHandler
from pydantic_core import core_schema

from ..actors.asks import JsonValue
from ..actors.jsontext import from_json, to_json
from ..actors.marks import KEYWORD, Level, Schema, Secret, mark, secrets_in
from ..actors.redaction import MASK, Masks, Tokens, rebuilt
from ..actors.stand_ins import StandIns


@dataclass(frozen=True, slots=True)
class Sensitive:
    """Marks a field, in ``Annotated``.

    Attributes:
        level: ``mask``, ``token`` or ``block``.
        show_to_asked: those who are asked about the call see the value; nobody else does.
    """

    level: Level
    show_to_asked: bool = False

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise ValueError(f"Sensitive is given {self.level!r}; it takes {', '.join(map(repr, get_args(Level)))}")
        if self.level == "block" and self.show_to_asked:
            raise ValueError('what is Sensitive("block") is shown to nobody: leave out show_to_asked, or choose "mask"')

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), KEYWORD: mark(self.level, is_shown=self.show_to_asked)}


class Discretion:
    """What the model of one call is told: never more than its tool's marks allow.

    Args:
        seed: tells the call apart from the others of its session, so that their tokens differ.
    """

    def __init__(self, *, seed: str) -> None:
        self._secrets: list[Secret] = []
        self._seed = seed
        self._stand_ins: dict[str, JsonValue] = {}

    def _after(self) -> int:
        """A thousand numbers for each call; which thousand, its values have no part in."""
        return int.from_bytes(hashlib.sha256(self._seed.encode()).digest()[:4]) % 999 * 1000

    def learn(self, secrets: Sequence[Secret]) -> None:
        """These are sensitive, wherever they turn up from now on."""
        self._secrets.extend(secrets)

    @property
    def stand_ins(self) -> StandIns:
        """What the tokens stand for that the model was shown."""
        return self._stand_ins

    @property
    def is_needed(self) -> bool:
        """Something sensitive is known."""
        return bool(self._secrets)

    def told(self, text: str) -> str:
        return str(self.shown(text))

    def shown(self, found: JsonValue, marks: Schema | None = None) -> JsonValue:
        """A value as the model is shown it.

        Args:
            marks: what in it is sensitive itself, beside what is known already.
        """
        own = secrets_in(marks, found, name="result")
        secrets = [*self._secrets, *own]
        if not secrets:
            return found
        masks = Masks([secret for secret in secrets if secret.level != "token"])
        tokens = Tokens([secret for secret in secrets if secret.level == "token"], after=self._after())

        def cover(secret: Secret | None, found: JsonValue) -> str:
            return tokens.cover(secret, found) if secret is not None and secret.level == "token" else MASK

        def text(text: str) -> str:
            return tokens.text(masks.text(text), keeps_tokens=True)

        shown = rebuilt(found, secrets=own, cover=cover, text=text)
        self._stand_ins.update(tokens.values)
        return shown


def secrets_in_call(marks: Schema | None, *, written: str, read: JsonValue) -> tuple[Secret, ...]:
    """The sensitive values of a call: as they were read, and as the model wrote them, which may be otherwise.

    Args:
        written: the text of the arguments, which may be no JSON at all: then all of it is sensitive.
        read: the arguments that were made of it; None where it did not fit.
    """
    if marks is None:
        return ()
    found = list(secrets_in(marks, read))
    try:
        raw = from_json(written)
    except ValueError:
        raw = None
    if raw is None or read is None:
        found.append(Secret(name="arguments", level="mask", is_shown=False, value=written))
    known = {to_json(secret.value) for secret in found}
    found += [secret for secret in secrets_in(marks, raw) if to_json(secret.value) not in known]
    return tuple(found)
