"""How one call of a channel went, whatever it carried: a question, a note."""

from __future__ import annotations

from collections.abc import Awaitable

from ..store.errors import OverwinterError, StoreError
from .effects import is_cancelled


async def failure_of(work: Awaitable[None]) -> BaseException | None:
    """Await what a channel does; what it raised, None if nothing.

    A store that fails, Ctrl-C and a cancel are nothing of the channel's, and are raised.
    """
    try:
        await work
    except (StoreError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if is_cancelled(error):
            raise
        return error
    return None


def code_of(error: BaseException) -> str:
    """The code under which a channel's final failure is logged and read by the step."""
    return error.code if isinstance(error, OverwinterError) else "channel.rejected"
