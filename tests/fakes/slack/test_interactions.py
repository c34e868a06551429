"""Clicks, modals and response URLs, with the real slack-bolt at the other end."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest

from overwinter.actors.clock import ManualClock

from ..slack_server import SlackServer
from .bolted import bolt_of, client_of, error_of, http_mode, refusal_of, socket_mode
from .checks import STRICT
from .deliveries import Missed
from .messages import Message
from .refusals import ImpossibleError
from .test_chat import BUTTONS

REASON: dict[str, Any] = {
    "type": "modal",
    "callback_id": "why",
    "title": {"type": "plain_text", "text": "Reject"},
    "submit": {"type": "plain_text", "text": "Send"},
    "blocks": [
        {
            "type": "input",
            "block_id": "reason",
            "label": {"type": "plain_text", "text": "Why?"},
            "element": {"type": "plain_text_input", "action_id": "text", "min_length": 3},
        },
        {
            "type": "input",
            "block_id": "account",
            "optional": True,
            "label": {"type": "plain_text", "text": "Account"},
            "element": {
                "type": "static_select",
                "action_id": "choice",
                "options": [
                    {"text": {"type": "plain_text", "text": "A"}, "value": "a"},
                    {"text": {"type": "plain_text", "text": "B"}, "value": "b"},
                ],
            },
        },
    ],
}


class Listener:
    """Notes what it is told, opens a modal when ``no`` is clicked, and answers submissions as it is told to."""

    def __init__(self, slack: SlackServer) -> None:
        self.app: Any = bolt_of(slack)
        self.bodies: list[dict[str, Any]] = []
        self.answer: dict[str, Any] = {}
        self.app.action("yes")(self._note)
        self.app.action("no")(self._open)
        self.app.view("why")(self._submitted)
        self.app.view_closed("why")(self._note)

    async def _note(self, ack: Any, body: dict[str, Any]) -> None:
        self.bodies.append(body)
        await ack()

    async def _open(self, ack: Any, body: dict[str, Any], client: Any) -> None:
        self.bodies.append(body)
        await client.views_open(trigger_id=body["trigger_id"], view=REASON | {"notify_on_close": True})
        await ack()

    async def _submitted(self, ack: Any, body: dict[str, Any]) -> None:
        self.bodies.append(body)
        await ack(**self.answer)


async def asked(slack: SlackServer) -> Message:
    """A question in the channel; its own event is kept from the app."""
    slack.withhold()
    answer = await client_of(slack).chat_postMessage(channel="C0OPS", text="Refund?", blocks=BUTTONS)
    return slack.message("#ops", answer["ts"])


@pytest.mark.parametrize("wire", [socket_mode, http_mode])
async def test_a_click_says_who_pressed_what_where(slack: SlackServer, wire: Any) -> None:
    listener = Listener(slack)
    question = await asked(slack)
    async with wire(slack, listener.app):
        click = slack.clicks("mara", question, "yes")
        await click.wait_answered()
    (body,) = listener.bodies
    assert (body["type"], body["user"]["id"], body["user"]["team_id"]) == ("block_actions", "U0MARA", "T0HOME")
    assert (body["channel"]["id"], body["container"]["message_ts"]) == ("C0OPS", question.ts)
    assert [(each["action_id"], each["value"]) for each in body["actions"]] == [("yes", "Q-1")]
    assert body["message"]["blocks"] == question.blocks
    assert click.is_acked
    assert click.trouble is None


async def test_nobody_presses_what_is_not_there(slack: SlackServer) -> None:
    question = await asked(slack)
    slack.add_user("eve")
    with pytest.raises(ImpossibleError, match="it has \\['yes', 'no'\\]"):
        slack.clicks("mara", question, "maybe")
    with pytest.raises(ImpossibleError, match="eve is not in ops"):
        slack.clicks("eve", question, "yes")


async def test_only_who_sees_a_private_note_can_press_its_buttons(slack: SlackServer) -> None:
    listener = Listener(slack)
    slack.withhold()
    await client_of(slack).chat_postEphemeral(channel="C0OPS", user="U0TOM", text="Sure?", blocks=BUTTONS)
    note = slack.seen("#ops", by="tom")[0].message
    with pytest.raises(ImpossibleError, match="mara does not see"):
        slack.clicks("mara", note, "yes")
    async with socket_mode(slack, listener.app):
        await slack.clicks("tom", note, "yes").wait_answered()
    (body,) = listener.bodies
    assert body["container"]["is_ephemeral"]
    assert "message" not in body


async def test_an_old_screen_can_still_be_clicked(slack: SlackServer) -> None:
    listener = Listener(slack)
    question = await asked(slack)
    await client_of(slack).chat_update(channel="C0OPS", ts=question.ts, text="Approved", blocks=[])
    async with socket_mode(slack, listener.app):
        await slack.clicks("tom", question, "yes").wait_answered()
    assert listener.bodies[0]["message"]["text"] == "Approved"


async def test_a_click_that_is_not_acknowledged_in_time_is_told_once(slack: SlackServer, clock: ManualClock) -> None:
    question = await asked(slack)
    app: Any = bolt_of(slack)

    async def never(body: dict[str, Any]) -> None:
        heard.append(body)

    heard: list[dict[str, Any]] = []
    app.action("yes")(never)
    async with socket_mode(slack, app):
        click = slack.clicks("mara", question, "yes")
        await clock.advance(ms=3_000)
        assert await click.wait_answered() == Missed(reason="timeout")
        await clock.advance(ms=600_000)
        await slack.wait_settled()
    assert click.trouble == "this app didn't respond in time"
    assert click.sent == 1


async def test_a_redelivered_click_is_the_same_click(slack: SlackServer) -> None:
    listener = Listener(slack)
    question = await asked(slack)
    async with socket_mode(slack, listener.app):
        click = slack.clicks("mara", question, "yes")
        await click.wait_answered()
        slack.redeliver(click)
        await click.wait_answered()
    assert len(listener.bodies) == 2
    assert listener.bodies[0] == listener.bodies[1]


@pytest.mark.parametrize("wire", [socket_mode, http_mode])
async def test_a_modal_is_opened_filled_in_and_submitted(slack: SlackServer, wire: Any) -> None:
    listener = Listener(slack)
    question = await asked(slack)
    async with wire(slack, listener.app):
        await slack.clicks("mara", question, "no").wait_answered()
        view = slack.view("mara")
        assert view is not None
        assert view.title == "Reject"
        assert slack.view("tom") is None
        await slack.submits("mara", view, {"reason": "wrong account", "account": "b"}).wait_answered()
    submitted = listener.bodies[-1]
    values = submitted["view"]["state"]["values"]
    assert submitted["type"] == "view_submission"
    assert values["reason"]["text"] == {"type": "plain_text_input", "value": "wrong account"}
    assert values["account"]["choice"]["selected_option"]["value"] == "b"
    assert slack.view("mara") is None


async def test_errors_are_shown_under_their_blocks_until_the_next_submission(slack: SlackServer) -> None:
    listener = Listener(slack)
    question = await asked(slack)
    async with socket_mode(slack, listener.app):
        await slack.clicks("mara", question, "no").wait_answered()
        view = slack.view("mara")
        assert view is not None
        listener.answer = {"response_action": "errors", "errors": {"reason": "Say more."}}
        await slack.submits("mara", view, {"reason": "because"}).wait_answered()
        assert slack.view_errors("mara") == {"reason": "Say more."}
        listener.answer = {}
        await slack.submits("mara", view, {"reason": "because of the account"}).wait_answered()
    assert slack.view("mara") is None


async def test_errors_for_no_input_block_are_a_fault_of_the_app(slack: SlackServer) -> None:
    listener = Listener(slack)
    question = await asked(slack)
    async with socket_mode(slack, listener.app):
        await slack.clicks("mara", question, "no").wait_answered()
        view = slack.view("mara")
        assert view is not None
        listener.answer = {"response_action": "errors", "errors": {"nothing": "Say more."}}
        submission = slack.submits("mara", view, {"reason": "because"})
        await submission.wait_answered()
    assert submission.trouble is not None
    assert slack.view("mara") == view
    assert len(slack.complaints) == 1
    slack.complaints.clear()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({}, "must be filled in"),
        ({"reason": "no"}, "too short"),
        ({"reason": "x" * 3_001}, "too long"),
        ({"reason": "because", "account": "c"}, "has no option"),
        ({"nothing": "x", "reason": "because"}, "the view has no"),
    ],
)
async def test_slacks_client_refuses_a_bad_entry_itself(slack: SlackServer, values: dict[str, str], why: str) -> None:
    view = slack.views.open("U0MARA", REASON)
    with pytest.raises(ImpossibleError, match=why):
        slack.submits("mara", view, values)
    with pytest.raises(ImpossibleError, match="tom does not see"):
        slack.submits("tom", view, {"reason": "because"})


async def test_a_modal_may_be_replaced_stacked_and_cleared(slack: SlackServer) -> None:
    listener = Listener(slack)
    question = await asked(slack)
    async with socket_mode(slack, listener.app):
        await slack.clicks("mara", question, "no").wait_answered()
        for verb, title, depth in (("update", "Again", 1), ("push", "Sure?", 2), ("push", "Really?", 3)):
            view = slack.view("mara")
            assert view is not None
            listener.answer = {
                "response_action": verb,
                "view": REASON | {"title": {"type": "plain_text", "text": title}},
            }
            await slack.submits("mara", view, {"reason": "because"}).wait_answered()
            assert [each.title for each in slack.views.stack("U0MARA")][depth - 1 :] == [title]
        view = slack.view("mara")
        assert view is not None
        listener.answer = {"response_action": "clear"}
        await slack.submits("mara", view, {"reason": "because"}).wait_answered()
    assert slack.view("mara") is None


async def test_a_closed_modal_is_told_where_the_app_asked_for_it(slack: SlackServer) -> None:
    listener = Listener(slack)
    question = await asked(slack)
    async with socket_mode(slack, listener.app):
        await slack.clicks("mara", question, "no").wait_answered()
        view = slack.view("mara")
        assert view is not None
        closing = slack.closes("mara", view)
        assert closing is not None
        await closing.wait_answered()
    assert listener.bodies[-1]["type"] == "view_closed"
    assert slack.closes("mara", slack.views.open("U0MARA", REASON)) is None


async def test_a_trigger_is_good_once_and_for_three_seconds(slack: SlackServer, clock: ManualClock) -> None:
    client = client_of(slack)
    click = slack.clicks("mara", await asked(slack), "yes")
    await client.views_open(trigger_id=click.trigger_id, view=REASON)
    again = client.views_open(trigger_id=click.trigger_id, view=REASON)
    assert await error_of(again) == "exchanged_trigger_id"
    late = slack.clicks("mara", await asked(slack), "yes")
    await clock.advance(ms=3_001)
    assert await error_of(client.views_open(trigger_id=late.trigger_id, view=REASON)) == "expired_trigger_id"
    assert await error_of(client.views_open(trigger_id="1.2.3", view=REASON)) == "invalid_trigger_id"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"title": {"type": "plain_text", "text": "x" * 25}}, "must be less than 25 characters"),
        ({"title": {"type": "mrkdwn", "text": "x"}}, "must be a plain_text object"),
        ({"private_metadata": "x" * 3_001}, "private_metadata"),
        ({"submit": None}, "a submit element is required"),
        ({"type": "dialog"}, "unsupported type"),
    ],
)
async def test_a_bad_modal_is_refused_with_where_it_is_bad(
    slack: SlackServer, change: dict[str, Any], complaint: str
) -> None:
    click = slack.clicks("mara", await asked(slack), "yes")
    refused = await refusal_of(client_of(slack).views_open(trigger_id=click.trigger_id, view=REASON | change))
    assert refused["error"] == "invalid_arguments"
    assert complaint in refused["response_metadata"]["messages"][0]
    assert slack.view("mara") is None


async def test_an_updated_modal_may_have_to_be_the_one_that_was_seen(slack: SlackServer) -> None:
    client = client_of(slack)
    view = slack.views.open("U0MARA", REASON)
    new = REASON | {"title": {"type": "plain_text", "text": "New"}}
    call = client.views_update(view_id=view.id, hash="another", view=new)
    assert await error_of(call) == "hash_conflict"
    await client.views_update(view_id=view.id, hash=view.content["hash"], view=new)
    now = slack.view("mara")
    assert now is not None
    assert now.title == "New"
    assert await error_of(client.views_update(view_id="V0NONE", view=new)) == "not_found"


async def test_a_response_url_is_good_five_times_in_half_an_hour(slack: SlackServer, clock: ManualClock) -> None:
    app: Any = bolt_of(slack)
    statuses: list[int] = []
    is_over = asyncio.Event()

    async def respond_often(ack: Any, respond: Any) -> None:
        await ack()
        for number in range(6):
            answer = await respond(text=f"Approved {number}", blocks=[], replace_original=True)
            statuses.append(answer.status_code)
        is_over.set()

    app.action("yes")(respond_often)
    question = await asked(slack)
    async with socket_mode(slack, app):
        click = slack.clicks("mara", question, "yes")
        await is_over.wait()
    assert statuses == [200, 200, 200, 200, 200, 404]
    assert slack.lines("#ops") == ["overwinter: Approved 4"]
    late = slack.clicks("mara", question, "yes")
    assert late.response_url != click.response_url
    await clock.advance(ms=30 * 60 * 1000 + 1)
    async with aiohttp.ClientSession() as session, session.post(late.response_url, json={"text": "x"}) as answer:
        assert (answer.status, (await answer.json())["error"]) == (404, "expired_url")


async def test_a_response_is_private_unless_it_says_otherwise(slack: SlackServer) -> None:
    question = await asked(slack)
    click = slack.clicks("mara", question, "yes")
    async with aiohttp.ClientSession() as session:
        await session.post(click.response_url, json={"text": "only you"})
        await session.post(click.response_url, json={"text": "everybody", "response_type": "in_channel"})
        await session.post(click.response_url, json={"delete_original": True})
    assert slack.lines("#ops") == ["overwinter: everybody"]
    assert slack.lines("#ops", by="mara") == ["overwinter: only you", "overwinter: everybody"]


async def test_strict_checks_refuse_what_the_least_lets_through(clock: ManualClock) -> None:
    odd: list[dict[str, Any]] = [{"type": "section", "text": {"type": "mrkdwn", "text": ""}}]
    async with SlackServer(clock=clock, checks=STRICT) as slack:
        slack.add_user("mara")
        slack.add_channel("ops", "mara")
        refused = await refusal_of(client_of(slack).chat_postMessage(channel="C0OPS", text="x", blocks=odd))
        assert refused["error"] == "invalid_blocks"
        assert refused["response_metadata"]["messages"]
    async with SlackServer(clock=clock) as slack:
        slack.add_user("mara")
        slack.add_channel("ops", "mara")
        assert (await client_of(slack).chat_postMessage(channel="C0OPS", text="x", blocks=odd))["ok"]
