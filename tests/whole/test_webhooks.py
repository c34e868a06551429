"""Webhooks over HTTP: who may call, how large, how often, and the same delivery again."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import hmac
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from structlog.testing import capture_logs

from overwinter.actors.errors import TriggerInvalidError
from overwinter.actors.jsontext import MOST_LEVELS, from_json
from overwinter.actors.run import Run
from overwinter.actors.trigger_kinds import Starts, Trigger, Webhook, check, digest_of
from overwinter.actors.webhooks import Webhooks
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.webhooks import serving, webhook_app

TOKEN, SECRET = "t" * 43, "s3cret"
HEADER = "X-Hub-Signature-256"


@dataclass(slots=True)
class Site:
    kit: Kit
    address: str
    http: aiohttp.ClientSession
    started: list[Any]

    async def call(
        self, path: str, body: bytes = b'{"n":1}', headers: dict[str, str] | None = None
    ) -> tuple[int, Any, Any]:
        async with self.http.post(f"{self.address}{path}", data=body, headers=headers) as response:
            answer = response.status, await response.json(), response.headers
        await self.kit.settle()
        return answer


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    started: list[Any] = []

    async def keep(fire: dict[str, Any]) -> None:
        started.append(fire)

    @workflow(version="1")
    async def take_in(run: Run, fire: dict[str, Any]) -> None:
        await run.step(keep, fire)

    starts = Starts(bot="take_in", at_once=1000)
    triggers = [
        Trigger(slug="open", when=Webhook(token_digest=digest_of(TOKEN), max_bytes=1000, per_minute=5), starts=starts),
        Trigger(slug="signed", when=Webhook(token_digest=digest_of(TOKEN), secret=SECRET), starts=starts),
    ]
    app = App(name="a", workflows=[take_in], triggers=triggers)
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.settle()
        webhooks = Webhooks(triggers=kit.runtime.triggers, tenant="default")
        async with (
            serving(webhook_app(webhooks, body_s=0.5), host="127.0.0.1", port=0) as port,
            aiohttp.ClientSession() as http,
        ):
            yield Site(kit, f"http://127.0.0.1:{port}", http, started)


def signature(body: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


async def test_a_call_with_the_token_is_one_fire_with_its_body(site: Site) -> None:
    status, answer, _ = await site.call(f"/hooks/open/{TOKEN}")
    assert status == 202
    [fire] = site.started
    assert fire["fire_id"] == answer["delivery_id"]
    assert fire["payload"] == {"content_type": "application/octet-stream", "body": {"n": 1}}
    assert (await site.call("/hooks/open", headers={"Authorization": f"Bearer {TOKEN}"}))[0] == 202
    assert len(site.started) == 2


async def test_an_unknown_name_and_a_wrong_token_are_answered_alike_and_do_nothing(site: Site) -> None:
    answers = [
        await site.call(path)
        for path in (f"/hooks/nothing/{TOKEN}", "/hooks/open/wrong", "/hooks/open", f"/hooks/open/{TOKEN[:-1]}")
    ]
    assert {(status, answer["error"]) for status, answer, _ in answers} == {(404, "not found")}
    await site.kit.runtime.triggers.disable("default", "open")
    assert (await site.call(f"/hooks/open/{TOKEN}"))[0] == 404
    assert site.started == []


async def test_a_call_that_is_refused_is_logged_without_its_token(site: Site) -> None:
    with capture_logs() as logs:
        await site.call("/hooks/open/wrong")
        await site.call(f"/hooks/signed/{TOKEN}", headers={HEADER: "sha256=00"})
        await site.call(f"/hooks/open/{TOKEN}", b"x" * 1001)
        await site.call(f"/hooks/open/{TOKEN}")
    told = [each for each in logs if each["event"] == "webhook.refused"]
    assert [(each["trigger"], each["status"], each["log_level"]) for each in told] == [
        ("open", 404, "info"),
        ("signed", 401, "warning"),
        ("open", 413, "warning"),
    ]
    assert told[1]["why"] == "the signature does not fit"
    assert TOKEN not in repr(logs)
    assert "wrong" not in repr(logs)


async def test_a_body_over_the_limit_is_refused_however_its_length_is_told(site: Site) -> None:
    assert (await site.call(f"/hooks/open/{TOKEN}", b"x" * 1001))[0] == 413

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(11):
            yield b"x" * 100

    async with site.http.post(f"{site.address}/hooks/open/{TOKEN}", data=chunks()) as response:
        assert response.status == 413
    assert site.started == []
    assert (await site.call(f"/hooks/open/{TOKEN}", b"x" * 1000))[0] == 202


@pytest.mark.parametrize("body", [b'{"amount": 1.10}', b"", b"\xff\x00", '{"a":"ä"}'.encode()])
async def test_the_signature_is_over_the_raw_bytes(site: Site, body: bytes) -> None:
    path = f"/hooks/signed/{TOKEN}"
    for wrong in (
        {},
        {HEADER: signature(body, "other")},
        {HEADER: signature(body + b" ")},
    ):
        assert (await site.call(path, body, wrong))[0] == 401
    assert site.started == []
    assert (await site.call(path, body, {HEADER: f"sha256={signature(body)}"}))[0] == 202
    assert (await site.call(path, body, {HEADER: signature(body).upper()}))[0] == 202
    assert len(site.started) == 2


@pytest.mark.parametrize("header", ["Webhook-Id", "X-GitHub-Delivery", "Idempotency-Key"])
async def test_a_delivery_that_comes_again_fires_once(site: Site, header: str) -> None:
    path = f"/hooks/open/{TOKEN}"
    first = await site.call(path, headers={header: "d1"})
    again = await site.call(path, headers={header: "d1"})
    assert (first[0], again[0], first[1]) == (202, 202, again[1])
    assert (await site.call(path, b'{"n":2}', headers={header: "d1"}))[0] == 409
    assert (await site.call(path, headers={header: "d" * 201}))[0] == 400
    assert len(site.started) == 1


async def test_more_calls_than_there_may_be_in_a_minute_are_told_to_wait(site: Site) -> None:
    path = f"/hooks/open/{TOKEN}"
    answers = await asyncio.gather(*(site.call(path) for _ in range(8)))
    assert sorted(status for status, *_ in answers) == [202] * 5 + [429] * 3
    assert {headers["Retry-After"] for status, _, headers in answers if status == 429} == {"60"}
    await site.kit.advance(timedelta(seconds=61))
    assert (await site.call(path))[0] == 202
    assert len(site.started) == 6


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"amount": NaN}', {"body": '{"amount": NaN}'}),
        (b"[1, [-Infinity]]", {"body": "[1, [-Infinity]]"}),
        (b'{"a": {"b": 1e999}}', {"body": '{"a": {"b": 1e999}}'}),
        (b"[" * 5_000 + b"]" * 5_000, {"body": "[" * 5_000 + "]" * 5_000}),
        (b'{"a": "\\ud800"}', {"body": '{"a": "\\ud800"}'}),
        (b'"\\u0000"', {"body": "\x00"}),
        (b"caf\xe9", {"body_base64": "Y2Fm6Q=="}),
        (b"", {"body": ""}),
    ],
)
async def test_a_body_that_is_no_json_starts_what_it_should_all_the_same(
    site: Site, body: bytes, told: dict[str, str]
) -> None:
    status, *_ = await site.call(f"/hooks/signed/{TOKEN}", body, {HEADER: signature(body)})
    assert status == 202
    [fire] = site.started
    assert {name: fire["payload"].get(name) for name in told} == told


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize("levels", [MOST_LEVELS - 1, MOST_LEVELS, 150, *range(195, 206), 250])
async def test_a_body_is_read_by_who_waits_for_it_however_deeply_it_is_nested(tmp_path: Path, levels: int) -> None:
    script = ScriptedModel.by_turn([calls("subscribe_to_trigger", {"trigger": "hook"}), says("Read.")])
    hook = Trigger(slug="hook", when=Webhook(token_digest=digest_of(TOKEN)), starts=Starts(bot="b", message="new"))
    app = App(name="a", agents=[Agent(name="b", toolsets=["workspace_ext"], model=script)], triggers=[hook])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.settle()
        session_id = await kit.start("b", "wait", surface="workspace")
        webhooks = Webhooks(triggers=kit.runtime.triggers, tenant="default")
        called = await webhooks.called("hook", TOKEN)
        assert called is not None
        assert (await webhooks.receive(called, headers={}, body=nested(levels))).status == 202
        await kit.settle()
        read = from_json((await kit.tool_results(session_id))["call_1"])["payload"]["body"]
        assert read == (from_json(nested(levels).decode()) if levels < MOST_LEVELS else nested(levels).decode())
        assert {each.status for each in await kit.store.sessions(tenant=None, statuses=None, limit=9)} <= {
            "idle",
            "waiting",
        }
        with pytest.raises(TriggerInvalidError, match="give them as a text"):
            await kit.runtime.triggers.fire(called.row, payload=from_json(nested(MOST_LEVELS + 1).decode()))


async def spoken(site: Site, request: bytes) -> int:
    """The status of a call whose bytes no client would send."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(site.address.rpartition(":")[2]))
    try:
        writer.write(request)
        async with asyncio.timeout(20):
            line = await reader.readline()
    finally:
        writer.close()
        await writer.wait_closed()
    await site.kit.settle()
    return int(line.split()[1])


def posted(path: bytes, *headers: bytes, body: bytes = b"{}", length: int | None = None) -> bytes:
    lines = [b"POST " + path + b" HTTP/1.1", b"Host: x", b"Content-Length: %d" % (length or len(body)), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


@pytest.mark.behaviour("W32")
@pytest.mark.parametrize(
    ("request_bytes", "status", "runs"),
    [
        (posted(b"/hooks/open/%FF"), 404, 0),
        (posted(b"/hooks/%FF%00/" + TOKEN.encode()), 404, 0),
        (posted(b"/hooks/open", b"Authorization: Bearer \xff\xfe"), 404, 0),
        (posted(b"/hooks/open/" + TOKEN.encode(), b"Webhook-Id: \xff"), 400, 0),
        (posted(b"/hooks/open/" + TOKEN.encode(), b"Content-Encoding: gzip"), 415, 0),
        (posted(b"/hooks/open/" + TOKEN.encode(), b"Content-Encoding: identity", b"Content-Encoding: br"), 415, 0),
        (posted(b"/hooks/open/" + TOKEN.encode(), b"Content-Encoding: Identity"), 202, 1),
        (posted(b"/hooks/open/wrong", b"Content-Encoding: gzip"), 404, 0),
        (posted(b"/hooks/open", b"Authorization: bearer  " + TOKEN.encode()), 202, 1),
        (posted(b"/hooks/open", b"Authorization: Basic Bearer " + TOKEN.encode()), 404, 0),
        (posted(b"/hooks/open/" + TOKEN.encode(), length=10), 408, 0),
        (posted(b"/hooks/open/" + TOKEN.encode(), b"Content-Type: text/\xff"), 202, 1),
    ],
)
async def test_a_call_of_odd_bytes_is_answered_as_any_other(
    site: Site, request_bytes: bytes, status: int, runs: int
) -> None:
    assert await spoken(site, request_bytes) == status
    assert len(site.started) == runs


@pytest.mark.parametrize("signed", ["as it is sent", "as it is meant"])
async def test_a_compressed_body_is_refused_and_says_so(site: Site, signed: str) -> None:
    packed = gzip.compress(b'{"n":1}')
    headers = {"Content-Encoding": "gzip", HEADER: signature(packed if signed == "as it is sent" else b'{"n":1}')}
    status, answer, _ = await site.call(f"/hooks/signed/{TOKEN}", packed, headers)
    assert (status, answer["error"]) == (415, "the body is compressed; send it as it is")
    assert site.started == []


@pytest.mark.parametrize("begun", [b"", b"POST /hooks/open/x HTTP/1.1\r\nHost: x\r\nX-Slow: "])
async def test_a_connection_that_never_comes_to_a_request_is_closed(begun: bytes) -> None:
    async with serving(web.Application(), host="127.0.0.1", port=0, idle_s=0.3) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(begun)
            async with asyncio.timeout(10):
                ended = asyncio.create_task(reader.read())
                while not ended.done():
                    if begun:
                        writer.write(b"x")
                    await asyncio.wait({ended}, timeout=0.05)
            assert ended.exception() is not None or ended.result() == b""
        finally:
            writer.close()
            await asyncio.wait({asyncio.create_task(writer.wait_closed())})


@pytest.mark.parametrize("method", ["get", "put", "delete", "head", "options"])
async def test_another_method_does_nothing_and_tells_nothing(site: Site, method: str) -> None:
    for path in (f"/hooks/open/{TOKEN}", "/hooks/nothing/wrong"):
        async with site.http.request(method, site.address + path) as response:
            assert response.status == 405
    assert site.started == []


@pytest.mark.parametrize(
    ("webhook", "why"),
    [
        (Webhook(token_digest=digest_of("")), "everybody would know it"),
        (Webhook(token_digest="f" * 63), "no digest"),
        (Webhook(token_digest=digest_of(TOKEN), secret=""), "everybody could sign"),
        (Webhook(token_digest=digest_of(TOKEN), secret=" \n"), "everybody could sign"),
        (Webhook(token_digest=digest_of(TOKEN), signature_header=""), "names no header"),
        (Webhook(token_digest=digest_of(TOKEN), max_bytes=0), "takes no call"),
        (Webhook(token_digest=digest_of(TOKEN), per_minute=-1), "takes no call"),
    ],
)
def test_a_webhook_that_is_open_to_everybody_or_to_nobody_is_refused(webhook: Webhook, why: str) -> None:
    with pytest.raises(TriggerInvalidError, match=why):
        check(Trigger(slug="w", when=webhook))
