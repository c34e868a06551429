"""The Web API's doors: methods, content types, arguments, tokens, scopes; with the real slack-sdk where it can be made to."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from overwinter.actors.clock import ManualClock

from ..slack_server import SlackServer
from .bolted import client_of, error_of, refusal_of
from .faults import Refused


async def posted(
    slack: SlackServer, method: str, body: bytes, *, headers: dict[str, str] | None = None, query: str = ""
) -> dict[str, Any]:
    """A request as no SDK would make it."""
    sent = {"Authorization": f"Bearer {slack.app.bot_token}", **(headers or {})}
    async with (
        aiohttp.ClientSession(skip_auto_headers=["Content-Type"]) as session,
        session.post(f"{slack.base_url}{method}{query}", data=body, headers=sent) as response,
    ):
        return await response.json()


async def test_auth_test_says_who_the_app_is_and_what_it_may(slack: SlackServer) -> None:
    answer = await client_of(slack).auth_test()
    assert (answer["user_id"], answer["bot_id"], answer["team_id"]) == ("U0BOT", "B0SELF", "T0HOME")
    assert answer.headers["x-oauth-scopes"].split(",") == list(slack.app.scopes)


async def test_an_unknown_method_is_refused_and_complained_of(slack: SlackServer) -> None:
    assert await error_of(client_of(slack).api_call("chat.postMesage")) == "unknown_method"
    assert slack.complaints == ["there is no method 'chat.postMesage'"]
    slack.complaints.clear()


@pytest.mark.parametrize(
    ("token", "error"),
    [("", "not_authed"), ("xoxb-wrong", "invalid_auth"), ("xapp-1-A0APP-0-fake", "not_allowed_token_type")],
)
async def test_a_bad_token_is_refused(slack: SlackServer, token: str, error: str) -> None:
    answer = await posted(slack, "auth.test", b"", headers={"Authorization": f"Bearer {token}" if token else ""})
    assert answer == {"ok": False, "error": error}


async def test_a_token_in_the_query_is_not_looked_at(slack: SlackServer) -> None:
    query = f"?token={slack.app.bot_token}"
    assert (await posted(slack, "auth.test", b"", headers={"Authorization": ""}, query=query))["error"] == "not_authed"


async def test_a_token_in_the_query_of_a_form_is_not_looked_at_either(slack: SlackServer) -> None:
    headers = {"Authorization": "", "Content-Type": "application/x-www-form-urlencoded"}
    query = f"?token={slack.app.bot_token}"
    assert (await posted(slack, "auth.test", b"x=1", headers=headers, query=query))["error"] == "not_authed"


async def test_a_token_in_a_form_is_taken(slack: SlackServer) -> None:
    form = {"Authorization": "", "Content-Type": "application/x-www-form-urlencoded"}
    assert (await posted(slack, "auth.test", f"token={slack.app.bot_token}".encode(), headers=form))["ok"]


@pytest.mark.parametrize("error", ["token_revoked", "token_expired", "account_inactive"])
async def test_a_retired_token_says_why(slack: SlackServer, error: str) -> None:
    slack.retire_token(slack.app.bot_token, error=error)
    assert await error_of(client_of(slack).auth_test()) == error


async def test_a_bot_token_opens_no_socket(slack: SlackServer) -> None:
    call = client_of(slack).apps_connections_open(app_token=slack.app.bot_token)
    assert await error_of(call) == "not_allowed_token_type"


async def test_an_app_token_without_its_scope_opens_no_socket(slack: SlackServer) -> None:
    slack.app.app_token_scopes = ()
    assert await error_of(client_of(slack).apps_connections_open(app_token=slack.app.app_token)) == "missing_scope"


@pytest.mark.parametrize(
    ("scope", "method", "arguments"),
    [
        ("chat:write", "chat.postMessage", {"channel": "C0OPS", "text": "x"}),
        ("chat:write", "chat.update", {"channel": "C0OPS", "ts": "1.1", "text": "x"}),
        ("channels:history", "conversations.replies", {"channel": "C0OPS", "ts": "1.1"}),
        ("channels:read", "conversations.info", {"channel": "C0OPS"}),
        ("users:read", "users.info", {"user": "U0MARA"}),
        ("users:read.email", "users.lookupByEmail", {"email": "mara@home.example"}),
        ("usergroups:read", "usergroups.users.list", {"usergroup": "S0FINANCE"}),
        ("reactions:write", "reactions.add", {"channel": "C0OPS", "timestamp": "1.1", "name": "eyes"}),
        ("im:write", "conversations.open", {"users": "U0MARA"}),
        ("files:write", "files.getUploadURLExternal", {"filename": "a.txt", "length": 1}),
    ],
)
async def test_a_missing_scope_is_named(slack: SlackServer, scope: str, method: str, arguments: dict[str, Any]) -> None:
    slack.app.scopes = tuple(each for each in slack.app.scopes if each != scope)
    refused = await refusal_of(client_of(slack).api_call(method, params=arguments))
    assert (refused["error"], refused["needed"]) == ("missing_scope", scope)
    assert refused["provided"] == ",".join(slack.app.scopes)
    assert slack.lines("#ops") == []


@pytest.mark.parametrize(
    ("body", "content_type", "error"),
    [
        (b"channel=C0OPS", "", "missing_post_type"),
        (b"channel=C0OPS", "text/html", "invalid_post_type"),
        (b"{channel", "application/json", "invalid_json"),
        (b"[]", "application/json", "json_not_object"),
        (b"{}", "application/json; charset=utf-8", "invalid_arguments"),
    ],
)
async def test_a_bad_body_is_refused(slack: SlackServer, body: bytes, content_type: str, error: str) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    assert (await posted(slack, "chat.postMessage", body, headers=headers))["error"] == error


async def test_json_without_a_charset_is_warned_of(slack: SlackServer) -> None:
    body = json.dumps({"channel": "C0OPS", "text": "x"}).encode()
    answer = await posted(slack, "chat.postMessage", body, headers={"Content-Type": "application/json"})
    assert answer["ok"]
    assert answer["warning"] == "missing_charset"


async def test_json_is_not_read_where_the_method_takes_forms_only(slack: SlackServer) -> None:
    body = json.dumps({"user": "U0MARA"}).encode()
    headers = {"Content-Type": "application/json; charset=utf-8"}
    answer = await posted(slack, "users.info", body, headers=headers)
    assert answer["error"] == "invalid_arguments"
    assert answer["response_metadata"]["messages"] == ["[ERROR] missing required field: user"]


async def test_an_argument_that_no_documentation_knows_is_refused(slack: SlackServer) -> None:
    call = client_of(slack).chat_postMessage(channel="C0OPS", text="x", thread="1.1")
    assert await error_of(call) == "invalid_arg_name"
    assert slack.lines("#ops") == []


async def test_a_refused_call_changes_nothing(slack: SlackServer) -> None:
    slack.fail_next("chat.postMessage", "internal_error")
    assert await error_of(client_of(slack).chat_postMessage(channel="C0OPS", text="x")) == "internal_error"
    assert slack.lines("#ops") == []
    await client_of(slack).chat_postMessage(channel="C0OPS", text="x")
    assert slack.lines("#ops") == ["overwinter: x"]


async def test_a_closed_method_says_how_long_until_it_opens(slack: SlackServer, clock: ManualClock) -> None:
    slack.rate_limit("chat.postMessage", 7)
    client = client_of(slack)
    await clock.advance(ms=1_500)
    refused = await refusal_of(client.chat_postMessage(channel="C0OPS", text="x"))
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "6"
    await clock.advance(ms=5_500)
    await client.chat_postMessage(channel="C0OPS", text="x")
    assert [call.outcome for call in slack.calls_of("chat.postMessage")] == ["ratelimited", "ok"]


@pytest.mark.parametrize(("retry_after", "header"), [(2, "2"), (None, None), ("soon", "soon")])
async def test_a_limit_may_come_without_sense(
    slack: SlackServer, retry_after: int | str | None, header: str | None
) -> None:
    slack.limit_next("chat.postMessage", retry_after)
    refused = await refusal_of(client_of(slack).chat_postMessage(channel="C0OPS", text="x"))
    assert refused.headers.get("Retry-After") == header


async def test_each_tier_counts_by_the_clock() -> None:
    clock = ManualClock()
    async with SlackServer(clock=clock, are_rates_enforced=True) as slack:
        slack.add_user("mara")
        slack.add_channel("ops", "mara")
        slack.add_channel("other", "mara")
        client = client_of(slack)
        await client.chat_postMessage(channel="C0OPS", text="1")
        assert await error_of(client.chat_postMessage(channel="C0OPS", text="2")) == "ratelimited"
        await client.chat_postMessage(channel="C0OTHER", text="1")
        await clock.advance(ms=1_000)
        await client.chat_postMessage(channel="C0OPS", text="2")
        for _ in range(20):
            await client.users_list()
        refused = await refusal_of(client.users_list())
        assert refused.headers["Retry-After"] == "60"
        await clock.advance(ms=60_000)
        await client.users_list()


async def test_a_cut_call_may_be_done_or_not(slack: SlackServer) -> None:
    client = client_of(slack)
    client.retry_handlers = []
    slack.cut_next("chat.postMessage", is_done=False)
    slack.cut_next("chat.postMessage", is_done=True)
    for text in ("lost", "done"):
        with pytest.raises(aiohttp.ClientError):
            await client.chat_postMessage(channel="C0OPS", text=text)
    assert slack.lines("#ops") == ["overwinter: done"]


async def test_a_broken_server_answers_in_html(slack: SlackServer) -> None:
    slack.break_next("chat.postMessage", status=503)
    refused = await refusal_of(client_of(slack).chat_postMessage(channel="C0OPS", text="x"))
    assert refused.status_code == 503
    assert slack.lines("#ops") == []


async def test_faults_may_be_chosen_call_by_call(slack: SlackServer) -> None:
    def on_second(method: str) -> Refused | None:
        return Refused(error="internal_error") if len(slack.calls_of(method)) == 2 else None

    slack.choose_faults(on_second)
    client = client_of(slack)
    await client.chat_postMessage(channel="C0OPS", text="1")
    assert await error_of(client.chat_postMessage(channel="C0OPS", text="2")) == "internal_error"
    await client.chat_postMessage(channel="C0OPS", text="3")
    assert slack.lines("#ops") == ["overwinter: 1", "overwinter: 3"]


@pytest.mark.parametrize("is_done", [False, True])
async def test_a_held_call_waits_before_or_after_it_is_done(slack: SlackServer, is_done: bool) -> None:
    hold = slack.hold_next("chat.postMessage", is_done=is_done)
    posting = asyncio.ensure_future(client_of(slack).chat_postMessage(channel="C0OPS", text="x"))
    await hold.wait_arrived()
    assert slack.lines("#ops") == (["overwinter: x"] if is_done else [])
    hold.release()
    await posting
    assert slack.lines("#ops") == ["overwinter: x"]
