"""``overwinter demo --gates``: what gates make of four refunds, in words."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ...actors.clock import SystemClock
from ...actors.ids import RandomIds
from ..gates_demo import Shown, play_gates
from ..service import interruptible
from .exits import Exit
from .screen import Screen

_OPENING = (
    "A refund bot whose tool is gated twice: by a policy in Rego (which limits?) and by a judge, a model that says",
    "whether a person must be asked. The most restrictive word counts.",
)
_ENDINGS = {
    "allow": "both let it through, and it ran at once",
    "ask": "a person was asked, said yes, and then it ran",
    "schedule": "it was committed as a ticket, and ran when that was due",
    "deny": "it never ran",
}


def show_gates(screen: Screen, folder: Path) -> int:
    for line in _OPENING:
        screen.line(line, style="bold")

    def tell(shown: Shown) -> None:
        screen.line()
        screen.line(shown.request, who="customer")
        for finding in shown.findings:
            screen.line(f"  {finding['policy']} says {finding['verdict']}: {finding['reason'] or 'nothing against it'}")
        if shown.waited_for is not None:
            screen.line(f"  the session hibernated; the tool had run {shown.runs_before} times")
        screen.line(f"  {_ENDINGS[shown.verdict]} ({shown.runs} run{'' if shown.runs == 1 else 's'})", style="green")
        screen.line(shown.reply, who="bot")

    with screen.progress("The bot works ..."):
        shown = asyncio.run(interruptible(play_gates(folder=folder, clock=SystemClock(), ids=RandomIds(), tell=tell)))
    if screen.as_json:
        screen.document({"outcome": "shown", "requests": [each.to_json() for each in shown]})
    return Exit.OK
