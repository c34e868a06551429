"""Slack, on loopback, as a test needs it: a workspace, an app in it, people who act, and eyes to see what they see.

    async with SlackServer(clock=clock) as slack:
        slack.add_user("mara")
        slack.add_channel("ops", "mara")
        client = AsyncWebClient(token=slack.app.bot_token, base_url=slack.base_url)
        …
        slack.says("mara", "#ops", "approve", thread_ts=question.ts)
        await slack.wait_settled()
        assert slack.lines("#ops", thread_ts=question.ts) == […]

What people do is done at once, and told to the app in the background; ``wait_settled`` and ``wait_until`` wait for what
comes of it. All time is the clock's. A fault of the app's (an unknown method, an acknowledgement of nothing) fails the test
when the server ends, unless it was taken out of ``complaints``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Self

from aiohttp import web

from overwinter.actors.clock import Clock

from .slack.checks import LEAST, Checks
from .slack.crowd import Crowd
from .slack.deliveries import Deliverer, Delivery, Wire
from .slack.endpoints import HttpWire
from .slack.events import envelope, is_told
from .slack.faults import Broken, Cut, FaultChooser, Hold, Limited, Misfortunes, Refused
from .slack.file_methods import CONTENT, accept_upload
from .slack.interactions import Interaction, Interactions
from .slack.messages import Message
from .slack.methods import World
from .slack.people import App, Channel
from .slack.rates import Limiter
from .slack.responses import ResponseUrls
from .slack.screen import Seen, seen
from .slack.shapes import JsonObject
from .slack.sockets import DisconnectReason, SocketWire
from .slack.tasks import Changes, Tasks
from .slack.views import Triggers, View, Views
from .slack.web_api import METHODS, Received, WebApi
from .slack.workspace import Workspace


class SlackServer:
    """The fake. It knows one app, whose settings a test may change; every other bot only posts.

    Args:
        clock: Requests are signed by it, too: slack-bolt's own check of a signature wants it near the machine's time.
        checks: What is asked of messages and views; ``STRICT`` asks all that Slack's documentation says.
        are_rates_enforced: Count calls against their method's tier, by the clock. Off by default, as a test whose clock
            stands still would never be let through again.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        checks: Checks = LEAST,
        are_rates_enforced: bool = False,
    ) -> None:
        self.app = App()
        self.complaints: list[str] = []
        """What the app did wrong in a way that Slack would not tell it; empty them to expect them."""

        self._changes = Changes()
        self._tasks = Tasks()
        self._misfortunes = Misfortunes()
        self._limiter = Limiter(clock=clock, is_enforced=are_rates_enforced)
        self._clock = clock
        self.workspace = Workspace(clock=clock, app=self.app, tell_event=self._tell_event)
        number = self.workspace.number
        self._triggers = Triggers(clock=clock, number=number)
        self.views = Views(clock=clock, app=self.app, check=checks.view, number=number)
        complain = self._complain
        self._response_urls = ResponseUrls(workspace=self.workspace, complain=complain)
        self.sockets = SocketWire(clock=clock, app=self.app, changes=self._changes, complain=complain, number=number)
        self.http = HttpWire(clock=clock, app=self.app, complain=complain)
        self._deliverer = Deliverer(clock=clock, tasks=self._tasks, changes=self._changes, wire=self._wire)
        self._interactions = Interactions(
            workspace=self.workspace,
            views=self.views,
            triggers=self._triggers,
            response_urls=self._response_urls,
            wire=self._wire,
            tasks=self._tasks,
            changes=self._changes,
            complain=complain,
        )
        crowd = Crowd(workspace=self.workspace, interactions=self._interactions)
        # Who is there, and what they do.
        self.add_user = crowd.add_user
        self.add_guest = crowd.add_guest
        self.add_stranger = crowd.add_stranger
        self.add_bot = crowd.add_bot
        self.deactivate = crowd.deactivate
        self.add_group = crowd.add_group
        self.add_channel = crowd.add_channel
        self.dm = crowd.dm
        self.archives = crowd.archives
        self.joins = crowd.joins
        self.removes = crowd.removes
        self.says = crowd.says
        self.edits = crowd.edits
        self.unfurls = crowd.unfurls
        self.touches = crowd.touches
        self.deletes = crowd.deletes
        self.reacts = crowd.reacts
        self.unreacts = crowd.unreacts
        self.clicks = crowd.clicks
        self.submits = crowd.submits
        self.closes = crowd.closes
        self._world = World(
            workspace=self.workspace,
            views=self.views,
            triggers=self._triggers,
            checks=checks,
            open_socket=self._open_socket,
        )
        self._api = WebApi(
            world=self._world,
            limiter=self._limiter,
            misfortunes=self._misfortunes,
            changes=self._changes,
            complain=complain,
        )
        self._runner: web.AppRunner | None = None
        self._host = ""

    async def __aenter__(self) -> Self:
        routes = web.Application()
        routes.router.add_route("*", "/api/{method}", self._api.accept)
        routes.router.add_get("/link/", self.sockets.accept)
        routes.router.add_post("/actions/{key}", self._response_urls.accept)
        routes.router.add_post("/upload/v1/{file_id}", self._accept_upload)
        self._runner = web.AppRunner(routes, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        address, port = self._runner.addresses[0][:2]
        self._host = f"{address}:{port}"
        self._world.base_url = self._response_urls.base_url = f"http://{self._host}"
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        assert self._runner is not None
        self._misfortunes.end()
        await self.sockets.drop(is_clean=True)
        try:
            await self._tasks.close()
        finally:
            await self.http.close()
            await self._runner.cleanup()
        if kind is None:
            assert not self.complaints, f"the app did what Slack does not know: {self.complaints}"

    @property
    def base_url(self) -> str:
        """For ``AsyncWebClient(base_url=…)``."""
        return f"http://{self._host}/api/"

    def retire_token(self, token: str, *, error: str = "token_revoked") -> None:
        """From now on the token gives ``token_revoked``, ``token_expired``, ``account_inactive``, …"""
        self.app.retired_tokens[token] = error

    # What people see.

    def seen(self, channel: str, *, thread_ts: str | None = None, by: str | None = None) -> list[Seen]:
        """What stands in the channel, or in the thread with its root, oldest first.

        Args:
            by: Whose eyes: with what is shown only to them.
        """
        where = self.workspace.channel(channel)
        workspace = self.workspace
        if thread_ts is None:
            shown = workspace.roots(where.id)
        else:
            root = workspace.find(where.id, thread_ts)
            shown = [*([root] if root else []), *workspace.replies(where.id, thread_ts)]
        if by is not None:
            own = workspace.ephemerals(where.id, self.workspace.user(by).id)
            shown += [each for each in own if each.thread_ts == thread_ts]
        return [
            seen(each, name_of=self._name_of, replies=len(workspace.replies(where.id, each.ts)))
            for each in sorted(shown, key=lambda each: each.ts)
        ]

    def lines(self, channel: str, *, thread_ts: str | None = None, by: str | None = None) -> list[str]:
        """What stands there, one line a message: ``overwinter: Refund 40 €? [Approve] [Reject]``."""
        return [each.line for each in self.seen(channel, thread_ts=thread_ts, by=by)]

    def message(self, channel: str, ts: str) -> Message:
        """The message as it is now."""
        found = self.workspace.find(self.workspace.channel(channel).id, ts)
        assert found is not None, f"there is no message {ts} in {channel}"
        return found

    def view(self, user: str) -> View | None:
        """The modal that the person sees, topmost; None if none is open."""
        return self.views.top(self.workspace.user(user).id)

    def view_errors(self, user: str) -> Mapping[str, str]:
        """What the modal says under its blocks, by block id."""
        view = self.view(user)
        return self.views.errors.get(view.id, {}) if view else {}

    def file_content(self, file_id: str) -> bytes:
        return self.workspace.files[file_id][CONTENT]

    def _name_of(self, an_id: str) -> str:
        workspace = self.workspace
        if an_id in workspace.users:
            return workspace.users[an_id].name
        if an_id in workspace.groups:
            return workspace.groups[an_id].handle
        return workspace.channels[an_id].name if an_id in workspace.channels else an_id

    # What the app did.

    @property
    def calls(self) -> list[Received]:
        """Every call of the Web API, in the order in which they came."""
        return self._api.received

    def calls_of(self, method: str) -> list[Received]:
        assert method in METHODS, f"there is no method {method!r}"
        return [call for call in self.calls if call.method == method]

    @property
    def deliveries(self) -> list[Delivery]:
        """Every event that was told, or is to be."""
        return self._deliverer.deliveries

    # What goes wrong.

    def fail_next(self, method: str, error: str, *, times: int = 1, **extra: object) -> None:
        """Refuse the next calls with ``ok: false`` and this error, having done nothing."""
        self._prepare(method, Refused(error=error, extra=dict(extra)), times)

    def rate_limit(self, method: str, seconds: int) -> None:
        """Answer 429 with the seconds that are left, until they have passed by the clock."""
        assert method in METHODS, f"there is no method {method!r}"
        self._limiter.close(method, seconds=seconds)

    def limit_next(self, method: str, retry_after: int | str | None, *, times: int = 1) -> None:
        """Answer the next calls with 429 and this ``Retry-After``; None leaves the header out."""
        self._prepare(method, Limited(retry_after), times)

    def break_next(self, method: str, *, status: int = 500, times: int = 1) -> None:
        """Answer the next calls with a server's error, having done nothing."""
        self._prepare(method, Broken(status), times)

    def cut_next(self, method: str, *, is_done: bool, times: int = 1) -> None:
        """Break the connection of the next calls; ``is_done`` says whether Slack has done it before."""
        self._prepare(method, Cut(is_done=is_done), times)

    def hold_next(self, method: str, *, is_done: bool = False) -> Hold:
        """Hold the next call: before it is done, or, with ``is_done``, before it is answered."""
        hold = Hold(is_done=is_done)
        self._prepare(method, hold, 1)
        return hold

    def _prepare(self, method: str, fault: Refused | Limited | Broken | Cut | Hold, times: int) -> None:
        assert method in METHODS, f"there is no method {method!r}"
        self._misfortunes.prepare(method, *[fault] * times)

    def choose_faults(self, choose: FaultChooser | None) -> None:
        """Ask this for a fault before each call that none was prepared for, as a storm needs it."""
        self._misfortunes.choose = choose

    async def drop_connection(self, *, is_clean: bool = False) -> None:
        """End every WebSocket of the app: as a cable that is pulled, or with a close frame."""
        await self.sockets.drop(is_clean=is_clean)

    async def refresh_connection(self, reason: DisconnectReason = "refresh_requested") -> None:
        """Ask the app to open another WebSocket, as Slack does every few hours."""
        await self.sockets.ask_to_leave(reason)

    def withhold(self) -> None:
        """Keep events back from now on; ``let_go`` tells them, in any order and as often as wished."""
        self._deliverer.withheld = []

    @property
    def withheld(self) -> list[Delivery]:
        return list(self._deliverer.withheld or [])

    def let_go(self, deliveries: Iterable[Delivery] | None = None) -> None:
        """Tell these, in this order, or all that is kept back, and keep nothing back from now on.

        One that stands there twice is told twice; one that does not stand there is never told.
        """
        chosen = self.withheld if deliveries is None else list(deliveries)
        self._deliverer.withheld = None
        for delivery in chosen:
            if delivery.attempts:
                self._deliverer.send_again(delivery, reason="http_timeout")
            else:
                self._deliverer.send(delivery)

    def redeliver(self, told: Delivery | Interaction, *, reason: str = "http_timeout") -> None:
        """Tell the same once more, though it was acknowledged: its acknowledgement came too late, or got lost."""
        if isinstance(told, Interaction):
            self._interactions.send_again(told)
        else:
            self._deliverer.send_again(told, reason=reason)

    # Waiting.

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Return once it is so; looked at again after each call, delivery and connection."""
        await self._changes.wait_until(is_so)

    async def wait_settled(self) -> None:
        """Return once nothing is on its way to the app; what waits for a retry is not on its way.

        What the app leaves unacknowledged over a WebSocket is on its way until the time for it is over, by the clock.
        """
        await self._changes.wait_until(self._is_settled, why_not=self._unacknowledged)

    async def wait_settled_or_left(self, *, quiet_s: float) -> bool:
        """As ``wait_settled``, but return False where the app seems to leave something unacknowledged.

        Args:
            quiet_s: that is when nothing has happened for so long of real time.
        """
        return await self._changes.wait_while_moving(self._is_settled, quiet_s=quiet_s)

    async def wait_connected(self, count: int = 1) -> None:
        """Return once the app has so many WebSockets open."""
        await self.wait_until(lambda: len(self.sockets.connections) >= count)

    async def wait_for_calls(self, method: str, count: int) -> None:
        """Return once so many calls of the method have been answered, in all."""
        await self.wait_until(lambda: len([call for call in self.calls_of(method) if call.outcome]) >= count)

    def _is_settled(self) -> bool:
        return not self._deliverer.in_flight and not self._interactions.in_flight

    def _unacknowledged(self) -> str:
        events, interactions = self._deliverer.in_flight, self._interactions.in_flight
        return (
            f"the app has not acknowledged {events} events and {interactions} interactions, and the clock stands still"
        )

    # Wires.

    async def set_request_url(self, url: str) -> None:
        """Set where events and interactions are posted; it must answer the challenge first."""
        await self.http.verify(url, challenge=f"challenge-{self.workspace.number()}")

    def _wire(self) -> Wire:
        return self.http if self.app.request_url is not None else self.sockets

    def _open_socket(self) -> str:
        return self.sockets.open_url(host=self._host)

    async def _accept_upload(self, request: web.Request) -> web.Response:
        return await accept_upload(request, self._world)

    def _complain(self, complaint: str) -> None:
        self.complaints.append(complaint)
        self._changes.tell()

    def _tell_event(self, event: JsonObject, channel: Channel) -> None:
        if is_told(event, channel, self.app):
            event_id = f"Ev{self.workspace.number():06d}"
            at_s = self._clock.now_ms() // 1000
            self._deliverer.tell(envelope(event, channel, self.app, event_id=event_id, at_s=at_s))
