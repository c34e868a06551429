"""The command that runs the service."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack

from ...actors.clock import SystemClock
from ...actors.ids import RandomIds
from ...actors.webhooks import Webhooks
from ...bots.app import App
from ...channels.webhooks import serving, webhook_app
from .. import loops
from ..config import load_config
from ..errors import CannotListenError
from ..listening import why_not
from ..logs import configure_logs
from ..service import serve as serve_until_signalled
from ..settings import Config
from ..wiring import open_runtime
from .options import ConfigFile, Db, Json, Target, app_of
from .screen import Screen


def serve(
    target: Target = None,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Run the bots of an app: revive their sessions, deliver their questions, fire their timers.

    SIGTERM or Ctrl-C ends it in order, with exit code 0: running steps may finish, waiting sessions cost nothing and stay in
    the database. A second one ends it at once. Several services may run on one database.

    Example: overwinter serve office:app --db /var/lib/overwinter/overwinter.db
    """
    settings = load_config(file=config, database=db)
    configure_logs(level=settings.log.level, form=settings.log.format, stream=sys.stderr)
    app = app_of(target, settings)
    screen = Screen(as_json=as_json)
    stopped_by = loops.run(_serve(settings, app, screen))
    if as_json:
        screen.document({"app": app.name, "stopped_by": stopped_by})


async def _serve(config: Config, app: App, screen: Screen) -> str | None:
    async with (
        open_runtime(app, config, clock=SystemClock(), ids=RandomIds(), must_exist=False, receives=True) as runtime,
        AsyncExitStack() as beside,
    ):
        if (listens := config.webhooks) is not None:
            webhooks = webhook_app(Webhooks(triggers=runtime.triggers, tenant=config.tenant))
            try:
                await beside.enter_async_context(serving(webhooks, host=listens.host, port=listens.port))
            except OSError as error:
                raise CannotListenError(
                    f"webhooks cannot be listened for at {listens.host}:{listens.port}: {why_not(error)}. End what "
                    "listens there, or set host and port in the table [webhooks] to another address of this machine"
                ) from error
            screen.note(f"Webhooks: http://{listens.host}:{listens.port}/hooks/NAME/TOKEN")
        screen.note(f"Serving {app.name} on {config.database}; Ctrl-C ends.", style="bold")
        signal = await serve_until_signalled(runtime)
    return None if signal is None else signal.name
