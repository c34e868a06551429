"""Methods about modals: ``views.*``."""

from __future__ import annotations

from .methods import Call, Method
from .rates import Tier
from .refusals import Refusal, invalid_arguments
from .shapes import JsonObject, object_of


def _content(call: Call) -> JsonObject:
    content = object_of(call.json("view", error="invalid_arguments"))
    if not content:
        raise invalid_arguments("must be a JSON object [json-pointer:/view]")
    return content


def open_view(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/views.open"""
    content = _content(call)
    return {"view": call.world.views.open(call.world.triggers.exchange(call.text("trigger_id")), content).body()}


def push(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/views.push"""
    content = _content(call)
    return {"view": call.world.views.push(call.world.triggers.exchange(call.text("trigger_id")), content).body()}


def update(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/views.update"""
    content = _content(call)
    views = call.world.views
    view_id, external_id = call.text("view_id"), call.text("external_id")
    view = views.find(view_id) if view_id else views.find_external(external_id) if external_id else None
    if view is None:
        raise Refusal("not_found")
    if call.text("hash") and call.text("hash") != view.content["hash"]:
        raise Refusal("hash_conflict")
    return {"view": views.update(view, content).body()}


METHODS = (
    Method(name="views.open", do=open_view, tier=Tier.FOUR, required=("trigger_id", "view"), takes_json=True),
    Method(name="views.push", do=push, tier=Tier.FOUR, required=("trigger_id", "view"), takes_json=True),
    Method(
        name="views.update",
        do=update,
        tier=Tier.FOUR,
        required=("view",),
        optional=("external_id", "hash", "view_id"),
        takes_json=True,
    ),
)
