"""What a session's ledger says is sensitive in it, for whoever shows a part of the session. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..store.rows import LedgerRow
from . import stand_ins
from .events import EventKind
from .jsontext import from_json
from .marks import Secret, secrets_in


def secrets_named(events: Iterable[LedgerRow]) -> list[Secret]:
    """Every value that is known to be sensitive: of calls, of what was answered, and behind the tokens that were shown."""
    secrets: list[Secret] = []
    marks: dict[tuple[str, str], Any] = {}
    for event in events:
        try:
            if names_secrets(event):
                for name, found in from_json(event.body_json)["values"]:
                    secrets.append(Secret(name=name, level="mask", is_shown=False, value=found))
            elif event.kind == EventKind.PAUSE_OPENED:
                marks[event.execution_id, event.key] = from_json(event.body_json).get("marks")
            elif event.kind == EventKind.PAUSE_TAKEN:
                asked = marks.get((event.execution_id, event.key))
                secrets.extend(secrets_in(asked, from_json(event.body_json)["answer"], name="answer"))
            elif stand_ins.KEY in event.body_json:
                shown = stand_ins.of(from_json(event.body_json))
                secrets += [Secret(name=name, level="mask", is_shown=False, value=shown[name]) for name in shown]
        except (ValueError, LookupError, TypeError, AttributeError):
            continue  # whoever shows the event finds that it cannot be read
    return secrets


def names_secrets(event: LedgerRow) -> bool:
    """Whether the event is the one by which a call says what is sensitive in it."""
    return event.kind == EventKind.VALUE_RECORDED and event.key.rpartition("/")[2].startswith("private#")
