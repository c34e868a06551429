"""Builds the graph of objects of a process from its configuration."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from ..actors.clock import Clock
from ..actors.delivery_settings import DeliverySettings
from ..actors.ids import Ids
from ..actors.reception import Connection
from ..actors.supervisor_settings import SupervisorSettings
from ..bots.app import App
from ..bots.connecting import Shows
from ..bots.openai_model import OpenAIModel
from ..bots.runtime import Runtime
from ..store.store import Store
from .mailing import mail_connections_of
from .settings import Config, ModelConfig
from .slacking import slack_connection_of


@asynccontextmanager
async def open_store(config: Config, *, must_exist: bool) -> AsyncGenerator[Store]:
    """The configured database, closed at the end.

    Args:
        must_exist: a missing file is an error (store.missing); else it is made.

    Raises:
        StoreError: it cannot be used; names the file and the remedy.
    """
    store = await Store.open(config.database, must_exist=must_exist)
    try:
        yield store
    finally:
        await store.aclose()


@asynccontextmanager
async def open_model(config: Config, *, clock: Clock, ids: Ids) -> AsyncGenerator[OpenAIModel | None]:
    """The configured model; None if there is none."""
    if config.model is None:
        yield None
        return
    model = model_of(config.model, clock=clock, ids=ids)
    try:
        yield model
    finally:
        await model.close()


@asynccontextmanager
async def open_runtime(
    app: App,
    config: Config,
    *,
    clock: Clock,
    ids: Ids,
    must_exist: bool,
    receives: bool = False,
    shows: Shows | None = None,
) -> AsyncGenerator[Runtime]:
    """The services of an app over the configured database; nothing runs yet.

    Args:
        receives: whether this process takes in what people write elsewhere; the service alone does.
        shows: whose questions this process's terminal shows; None for those of every session, as the service does.

    Raises:
        AssemblyError: (assembly.invalid) every fault of the app.
        StoreError: as ``open_store``.
    """
    app.check()  # before the database: a faulty app leaves no file behind
    async with (
        open_model(config, clock=clock, ids=ids) as model,
        open_store(config, must_exist=must_exist) as store,
        open_connections(config, clock=clock, receives=receives) as connections,
    ):
        yield Runtime(
            app=app,
            store=store,
            clock=clock,
            ids=ids,
            model=model,
            supervising=SupervisorSettings(**config.supervising.model_dump()),
            delivering=DeliverySettings(**config.delivering.model_dump()),
            connections=connections,
            tenant=config.tenant,
            workspaces=config.workspaces or config.database.parent / "workspaces",
            shows=shows,
        )


@asynccontextmanager
async def open_connections(config: Config, *, clock: Clock, receives: bool) -> AsyncGenerator[list[Connection]]:
    """The configured ways to people, closed at the end.

    Args:
        receives: as for ``open_runtime``.
    """
    found = [] if config.mail is None else mail_connections_of(config.mail, tenant=config.tenant, receives=receives)
    if config.slack is None:
        yield found
        return
    slack = slack_connection_of(config.slack, tenant=config.tenant, clock=clock, receives=receives)
    try:
        yield [*found, slack]
    finally:
        await slack.aclose()


def model_of(model: ModelConfig, *, clock: Clock, ids: Ids) -> OpenAIModel:
    return OpenAIModel(
        base_url=model.base_url,
        api_key=None if model.api_key is None else model.api_key.get_secret_value(),
        model=model.name,
        clock=clock,
        random=ids.random,
        timeout_s=model.timeout_s,
        max_attempts=model.max_attempts,
    )
