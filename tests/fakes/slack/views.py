"""Modals: triggers that open them, the stack that a person sees, and what Slack asks of a view.

See https://docs.slack.dev/surfaces/modals
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from overwinter.actors.clock import Clock

from .blocks import elements, with_ids
from .checks import Check
from .people import TEAM_ID, App
from .refusals import Refusal, invalid_arguments
from .shapes import JsonObject, copied, object_of, objects, text_of

TRIGGER_LIVES_MS = 3_000
"""See https://docs.slack.dev/interactivity/handling-user-interaction#modal_responses"""

MAX_STACKED = 3
"""See https://docs.slack.dev/reference/methods/views.push"""

MAX_VIEW_BYTES = 250_000
MAX_CALLBACK_ID_CHARS = 255
MAX_EXTERNAL_ID_CHARS = 255
MAX_PRIVATE_METADATA_CHARS = 3_000
MAX_TITLE_CHARS = 24
"""Of a title, a submit and a close text. See https://docs.slack.dev/reference/views/modal-views"""


@dataclass(frozen=True, slots=True)
class View:
    """One version of a modal, as its person sees it."""

    user: str
    content: JsonObject

    @property
    def id(self) -> str:
        return str(self.content["id"])

    @property
    def blocks(self) -> list[JsonObject]:
        return objects(self.content["blocks"])

    @property
    def title(self) -> str:
        return text_of(self.content["title"])

    def body(self) -> JsonObject:
        return copied(self.content)


class Triggers:
    """Each may be exchanged once, within three seconds of the interaction that it came with."""

    def __init__(self, *, clock: Clock, number: Callable[[], int]) -> None:
        self._clock = clock
        self._number = number
        self._made: dict[str, tuple[str, int]] = {}
        self._exchanged: set[str] = set()

    def make(self, user_id: str) -> str:
        trigger_id = f"{self._number()}.0.fake"
        self._made[trigger_id] = (user_id, self._clock.now_ms())
        return trigger_id

    def exchange(self, trigger_id: str) -> str:
        """The user it belongs to. See the errors of https://docs.slack.dev/reference/methods/views.open"""
        if trigger_id not in self._made:
            raise Refusal("invalid_trigger_id")
        user_id, made_ms = self._made[trigger_id]
        if self._clock.now_ms() - made_ms > TRIGGER_LIVES_MS:
            raise Refusal("expired_trigger_id")
        if trigger_id in self._exchanged:
            raise Refusal("exchanged_trigger_id")
        self._exchanged.add(trigger_id)
        return user_id


class Views:
    """What modals each person has open, the topmost last."""

    def __init__(self, *, clock: Clock, app: App, check: Check, number: Callable[[], int]) -> None:
        self._clock = clock
        self._app = app
        self._check = check
        self._number = number
        self._stacks: dict[str, list[View]] = {}
        self.errors: dict[str, dict[str, str]] = {}
        """By view: what it says under each block, since its last submission."""

    def stack(self, user_id: str) -> list[View]:
        return self._stacks.setdefault(user_id, [])

    def top(self, user_id: str) -> View | None:
        stack = self.stack(user_id)
        return stack[-1] if stack else None

    def open(self, user_id: str, content: JsonObject) -> View:
        """Show it, in the place of all that this app showed."""
        view = self._made(user_id, content)
        self._stacks[user_id] = [view]
        return view

    def push(self, user_id: str, content: JsonObject) -> View:
        stack = self.stack(user_id)
        if not stack:
            raise Refusal("invalid_trigger_id")
        if len(stack) >= MAX_STACKED:
            raise Refusal("push_limit_reached")
        view = self._made(user_id, content, below=stack[-1])
        stack.append(view)
        return view

    def update(self, view: View, content: JsonObject) -> View:
        """Show other content in its place."""
        new = self._made(view.user, content, same_as=view)
        stack = self.stack(view.user)
        stack[stack.index(self.find(view.id) or view)] = new
        self.errors.pop(view.id, None)
        return new

    def find(self, view_id: str) -> View | None:
        return next((view for stack in self._stacks.values() for view in stack if view.id == view_id), None)

    def find_external(self, external_id: str) -> View | None:
        shown = (view for stack in self._stacks.values() for view in stack)
        return next((view for view in shown if view.content["external_id"] == external_id), None)

    def close(self, view: View, *, all_of_them: bool = False) -> None:
        stack = self.stack(view.user)
        self.errors.pop(view.id, None)
        if all_of_them:
            stack.clear()
        elif any(each.id == view.id for each in stack):
            stack[:] = [each for each in stack if each.id != view.id]

    def _made(
        self, user_id: str, content: JsonObject, *, below: View | None = None, same_as: View | None = None
    ) -> View:
        """A valid view with its ids; see https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload"""
        if len(json.dumps(content).encode()) > MAX_VIEW_BYTES:
            raise Refusal("view_too_large")
        if complaints := complaints_about(content, self._check):
            raise invalid_arguments(*complaints)
        external_id = content.get("external_id") or ""
        other = self.find_external(external_id) if external_id else None
        if other is not None and (same_as is None or other.id != same_as.id):
            raise Refusal("duplicate_external_id")
        view_id = same_as.id if same_as else f"V0{self._number()}"
        root_id = same_as.content["root_view_id"] if same_as else below.content["root_view_id"] if below else view_id
        return View(
            user_id,
            {
                "id": view_id,
                "team_id": TEAM_ID,
                "type": "modal",
                "title": content["title"],
                "submit": content.get("submit"),
                "close": content.get("close"),
                "blocks": with_ids(objects(content["blocks"]), lambda: f"block-{self._number()}"),
                "private_metadata": content.get("private_metadata", ""),
                "callback_id": content.get("callback_id", ""),
                "external_id": external_id,
                "state": {"values": {}},
                "hash": f"{self._clock.now_ms() // 1000}.{self._number()}",
                "clear_on_close": bool(content.get("clear_on_close")),
                "notify_on_close": bool(content.get("notify_on_close")),
                "root_view_id": root_id,
                "previous_view_id": same_as.content["previous_view_id"] if same_as else below.id if below else None,
                "app_id": self._app.id,
                "app_installed_team_id": TEAM_ID,
                "bot_id": self._app.bot_id,
            },
        )


def complaints_about(content: JsonObject, check: Check) -> list[str]:
    """What is wrong with a modal; see https://docs.slack.dev/reference/views/modal-views"""
    complaints: list[str] = []
    if content.get("type") != "modal":
        complaints.append("unsupported type [json-pointer:/view/type]")
    for name in ("title", "submit", "close"):
        part = content.get(name)
        if part is None and name != "title":
            continue
        text = text_of(part)
        if object_of(part).get("type") != "plain_text" or not text:
            complaints.append(f"must be a plain_text object [json-pointer:/view/{name}]")
        elif len(text) > MAX_TITLE_CHARS:
            complaints.append(f"must be less than {MAX_TITLE_CHARS + 1} characters [json-pointer:/view/{name}/text]")
    for name, most in (
        ("callback_id", MAX_CALLBACK_ID_CHARS),
        ("external_id", MAX_EXTERNAL_ID_CHARS),
        ("private_metadata", MAX_PRIVATE_METADATA_CHARS),
    ):
        value = content.get(name, "")
        if not isinstance(value, str) or len(value) > most:
            complaints.append(f"must be a string of less than {most + 1} characters [json-pointer:/view/{name}]")
    if not isinstance(content.get("blocks"), list):
        return [*complaints, "missing required field: blocks [json-pointer:/view]"]
    blocks = objects(content["blocks"])
    if any(block.get("type") == "input" for block in blocks) and content.get("submit") is None:
        complaints.append("a submit element is required with input blocks [json-pointer:/view/submit]")
    complaints.extend(check(content))
    action_ids = [each.action_id for each in elements([{"block_id": "", **block} for block in blocks])]
    named = [action_id for action_id in action_ids if action_id]
    if len(set(named)) != len(named):
        complaints.append("action_id must be unique [json-pointer:/view/blocks]")
    return complaints
