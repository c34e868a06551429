"""Checks of what every installation has: the database, the model, the app."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from ..actors.clock import Clock
from ..actors.ids import Ids
from ..actors.messages import Message, ModelRequest
from ..actors.reception import Connection
from ..bots.app import App
from ..bots.connecting import connected
from ..bots.errors import AssemblyError, ModelRejectedError
from ..bots.runtime import check_models
from ..store import migrations
from .doctor import Finding, failed, ok, skipped
from .settings import Config
from .wiring import open_model


class DatabaseCheck:
    """Reads the file and changes nothing, not even its version."""

    name = "database"

    def __init__(self, path: Path) -> None:
        self._path = path

    async def run(self) -> Finding:
        if not self._path.exists():
            folder = self._path.absolute().parent
            if not folder.is_dir():
                return failed(
                    f"{folder} is no folder, so {self._path} cannot be made", "make the folder, or set database"
                )
            return ok(f"{self._path} is not there yet; the service makes it when it starts")
        engine = sa.create_engine(f"sqlite:///file:{quote(str(self._path.absolute()))}?mode=ro&uri=true")
        try:
            with engine.connect() as connection:
                tables = sa.inspect(connection).get_table_names()
                if tables and migrations.VERSION_TABLE not in tables:
                    return failed(f"{self._path} is another program's database", "set database to another file")
                if tables and not migrations.is_current(connection):
                    return ok(
                        f"{self._path} is of another version: the service brings an older one up to date when it starts, "
                        "and refuses a newer one"
                    )
                (sound,) = connection.execute(sa.text("PRAGMA quick_check(1)")).one()
        except DatabaseError as error:
            return failed(f"{self._path} cannot be read: {error.orig}", "restore it from a copy, or set database")
        finally:
            engine.dispose()
        if sound != "ok":
            return failed(f"{self._path} is damaged: {sound}", "restore it from a copy")
        return ok(f"{self._path} can be read")


class ModelCheck:
    """Asks the configured model for one word."""

    name = "model"

    def __init__(self, config: Config, *, clock: Clock, ids: Ids) -> None:
        self._config = config
        self._clock = clock
        self._ids = ids

    async def run(self) -> Finding:
        if self._config.model is None:
            return skipped("no model is configured ([model]); the app's agents have to bring their own")
        given = self._config.model
        once = self._config.model_copy(update={"model": given.model_copy(update={"max_attempts": 1})})
        request = ModelRequest(messages=(Message(role="user", content="Answer with one word: ready"),))
        async with open_model(once, clock=self._clock, ids=self._ids) as model:
            assert model is not None
            try:
                await model.reply(request)
            except ModelRejectedError as error:
                return failed(str(error), "set model.api_key, model.name and model.base_url as the vendor gives them")
        return ok(f"{given.name} answers")


class AppCheck:
    """Puts the app together, with the connections that are configured."""

    name = "app"

    def __init__(self, app: App | None, connections: Sequence[Connection], *, has_model: bool) -> None:
        """Args:
        has_model: one is configured, for what brings none of its own.
        """
        self._app = app
        self._connections = connections
        self._has_model = has_model

    async def run(self) -> Finding:
        if self._app is None:
            return skipped("no app is named, so its channels are not looked at; give MODULE:APP, or set app")
        try:
            self._app.check()
            check_models(self._app, is_configured=self._has_model)
            connected(self._app, self._connections)
        except AssemblyError as error:
            return failed(
                "; ".join(f"{code}: {text}" for code, text in error.faults),
                "change the app or the configuration as each fault says",
            )
        return ok(f"app {self._app.name} is put together")
