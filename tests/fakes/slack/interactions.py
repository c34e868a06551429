"""Clicks, submissions and closings: the payload that the app gets, and what its answer does.

See https://docs.slack.dev/interactivity/handling-user-interaction. An interaction is told once: where the app does not
acknowledge it in time, the person sees an error and nothing is told again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .blocks import elements
from .deliveries import ACK_WITHIN_MS, Acked, Missed, Outgoing, Wire
from .entries import Entry, action, entered, refuse_bad_entry
from .messages import Message
from .people import TEAM_DOMAIN, TEAM_ID, User
from .refusals import ImpossibleError, Refusal
from .responses import ResponseUrls
from .shapes import JsonObject, copied, object_of
from .tasks import Changes, Tasks
from .views import Triggers, View, Views
from .workspace import Workspace


@dataclass(slots=True, kw_only=True)
class Interaction:
    """One thing that a person did.

    Attributes:
        trouble: What the person is told instead of what they hoped for; None if all went well so far.
    """

    payload: JsonObject
    user: str
    changes: Changes
    replies: list[Acked | Missed] = field(default_factory=list["Acked | Missed"])
    sent: int = 0
    trouble: str | None = None

    @property
    def is_acked(self) -> bool:
        return any(isinstance(reply, Acked) for reply in self.replies)

    @property
    def trigger_id(self) -> str:
        return str(self.payload["trigger_id"])

    @property
    def response_url(self) -> str:
        return str(self.payload["response_url"])

    async def wait_answered(self) -> Acked | Missed:
        """Return once every sending of it is acknowledged or given up; with the last answer."""
        await self.changes.wait_until(lambda: len(self.replies) >= self.sent)
        return self.replies[-1]


class Interactions:
    """Makes payloads, sends them, and does what the app answered."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        views: Views,
        triggers: Triggers,
        response_urls: ResponseUrls,
        wire: Callable[[], Wire],
        tasks: Tasks,
        changes: Changes,
        complain: Callable[[str], None],
    ) -> None:
        self._workspace = workspace
        self._views = views
        self._triggers = triggers
        self._response_urls = response_urls
        self._wire = wire
        self._tasks = tasks
        self._changes = changes
        self._complain = complain
        self.in_flight = 0

    def click(self, user: User, message: Message, action_id: str, entry: Entry) -> Interaction:
        """Use an element of the message as the person's client shows it; what the app gets is the message as it is now."""
        found = [each for each in elements(message.blocks) if each.action_id == action_id]
        if not found:
            shown = [each.action_id for each in elements(message.blocks)]
            raise ImpossibleError(f"the message has no {action_id!r}; it has {shown}")
        now = self._workspace.find(message.channel, message.ts) or self._workspace.find_ephemeral(
            message.channel, message.ts
        )
        current = now or message
        channel = self._workspace.channels[message.channel]
        told: JsonObject = {
            "type": "block_actions",
            **self._who(user),
            "container": {
                "type": "message",
                "message_ts": message.ts,
                "channel_id": channel.id,
                "is_ephemeral": message.only_for is not None,
            },
            "channel": {"id": channel.id, "name": "directmessage" if channel.is_im else channel.name},
            "state": {"values": {}},
            "response_url": self._response_urls.make(current, by=user.id),
            "actions": [action(found[0], entry, action_ts=self._workspace.new_ts())],
        }
        if message.only_for is None:
            told["message"] = self._workspace.body(current)
        if message.thread_ts is not None:
            told["container"]["thread_ts"] = message.thread_ts
        return self._send(Interaction(payload=told, user=user.id, changes=self._changes))

    def click_in_view(self, user: User, view: View, action_id: str, entry: Entry) -> Interaction:
        found = [each for each in elements(view.blocks) if each.action_id == action_id]
        if not found:
            raise ImpossibleError(f"the view has no {action_id!r}")
        told: JsonObject = {
            "type": "block_actions",
            **self._who(user),
            "container": {"type": "view", "view_id": view.id},
            "view": self._with_state(view, {}),
            "actions": [action(found[0], entry, action_ts=self._workspace.new_ts())],
        }
        return self._send(Interaction(payload=told, user=user.id, changes=self._changes))

    def submit(self, user: User, view: View, values: Mapping[str, Entry]) -> Interaction:
        """Submit the topmost view. ``values`` are by block id or by action id; what is not named stays as it stands."""
        current = self._views.top(user.id)
        if current is None or current.id != view.id:
            raise ImpossibleError(f"{user.name} does not see this view: {view.title!r}")
        if current.content["submit"] is None:
            raise ImpossibleError("the view has no submit button")
        body = self._with_state(current, values, is_checked=True)
        self._views.errors.pop(view.id, None)
        told: JsonObject = {"type": "view_submission", **self._who(user), "view": body, "response_urls": []}
        return self._send(Interaction(payload=told, user=user.id, changes=self._changes))

    def close(self, user: User, view: View) -> Interaction | None:
        """Close the view; None where the app did not ask to be told.

        See https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload#view_closed
        """
        self._views.close(view)
        if not view.content["notify_on_close"]:
            return None
        told: JsonObject = {"type": "view_closed", **self._who(user), "view": view.body(), "is_cleared": False}
        del told["trigger_id"]
        return self._send(Interaction(payload=told, user=user.id, changes=self._changes))

    def send_again(self, interaction: Interaction) -> None:
        """The same payload once more, as after a fault on the way."""
        self._send(interaction)

    def _send(self, interaction: Interaction) -> Interaction:
        interaction.sent += 1
        self.in_flight += 1
        ack_by_ms = self._workspace.clock.now_ms() + ACK_WITHIN_MS
        outgoing = Outgoing(kind="interactive", payload=copied(interaction.payload), ack_by_ms=ack_by_ms)
        self._tasks.spawn(self._tell(interaction, outgoing))
        return interaction

    async def _tell(self, interaction: Interaction, outgoing: Outgoing) -> None:
        try:
            reply = await self._wire().send(outgoing)
            if isinstance(reply, Missed):
                interaction.trouble = "this app didn't respond in time"
            elif interaction.payload["type"] == "view_submission":
                self._obey(interaction, reply.body)
            interaction.replies.append(reply)
        finally:
            self.in_flight -= 1
            self._changes.tell()

    def _obey(self, interaction: Interaction, answer: JsonObject) -> None:
        """Do what the app answered to a submission.

        See https://docs.slack.dev/surfaces/modals#updating_response and #displaying_errors there.
        """
        view = self._views.find(interaction.payload["view"]["id"])
        if view is None:
            return
        match answer.get("response_action"):
            case None:
                self._views.close(view)
            case "clear":
                self._views.close(view, all_of_them=True)
            case "errors":
                self._show_errors(interaction, view, object_of(answer.get("errors")))
            case "update" | "push" as verb:
                content = object_of(answer.get("view"))
                try:
                    if verb == "update":
                        self._views.update(view, content)
                    else:
                        self._views.push(interaction.user, content)
                except Refusal as refusal:
                    self._trouble(interaction, f"{verb}: {refusal.body()}")
            case other:
                self._trouble(interaction, f"no such response_action: {other!r}")

    def _show_errors(self, interaction: Interaction, view: View, errors: JsonObject) -> None:
        inputs = {each.block_id for each in elements(view.blocks) if each.is_input}
        if not errors or not set(errors) <= inputs or not all(isinstance(text, str) for text in errors.values()):
            self._trouble(interaction, f"errors must name input blocks of the view, of {inputs}: {errors}")
            return
        self._views.errors[view.id] = errors

    def _trouble(self, interaction: Interaction, why: str) -> None:
        """The person sees "We had some trouble connecting"; the view stays."""
        interaction.trouble = why
        self._complain(why)

    def _who(self, user: User) -> JsonObject:
        app = self._workspace.app
        return {
            "team": {"id": TEAM_ID, "domain": TEAM_DOMAIN},
            "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team_id},
            "api_app_id": app.id,
            "token": app.verification_token,
            "trigger_id": self._triggers.make(user.id),
            "enterprise": None,
            "is_enterprise_install": False,
        }

    def _with_state(self, view: View, values: Mapping[str, Entry], *, is_checked: bool = False) -> JsonObject:
        state: dict[str, JsonObject] = {}
        untaken = set(values)
        for each in elements(view.blocks):
            if each.kind in ("button", "overflow", "workflow_button"):
                continue
            name = each.block_id if each.block_id in values else each.action_id
            value = entered(each, values.get(name), is_touched=name in values)
            untaken.discard(name)
            if is_checked:
                refuse_bad_entry(each, value)
            state.setdefault(each.block_id, {})[each.action_id] = value
        if untaken:
            raise ImpossibleError(f"the view has no {sorted(untaken)}; it has {sorted(state)}")
        return view.body() | {"state": {"values": state}}
