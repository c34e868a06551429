"""What sets a trigger off, in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import assert_never

from ...actors.errors import TriggerInvalidError
from ...actors.trigger_kinds import ChannelMessage, Cron, Delay, FileChange, Webhook
from ...actors.triggers import read
from ...store.trigger_rows import TriggerRow
from .screen import at, length

_MS = timedelta(milliseconds=1)


def when_in_words(row: TriggerRow) -> str:
    """What sets it off, without what its callers have to know."""
    try:
        when = read(row).when
    except TriggerInvalidError:
        return "(cannot be read)"
    match when:
        case Cron():
            return f"{when.expression}, {when.zone}{_missed(when)}"
        case Delay(after=timedelta() as after):
            return f"{length(after // _MS)} after it was added"
        case Delay(at=datetime() as moment):
            return f"at {at((moment - datetime(1970, 1, 1, tzinfo=UTC)) // _MS)}"
        case Delay():
            return "never"
        case Webhook():
            return "a call of its address" + ("" if when.secret is None else ", signed")
        case ChannelMessage():
            matching = "" if when.pattern is None else f" that match {when.pattern!r}"
            return f"messages on {when.channel}{matching}"
        case FileChange():
            paths = "" if when.paths == (".",) else f": {', '.join(when.paths)}"
            return f"files {' or '.join(when.events)} in {when.folder}{paths}"
        case _:
            assert_never(when)


def _missed(cron: Cron) -> str:
    """What becomes of times that were missed, where it is not the usual."""
    match cron.catch_up:
        case "one":
            return ""
        case "all":
            return f", the last {cron.at_most} missed as well"
        case "none":
            return ", none that was missed"
