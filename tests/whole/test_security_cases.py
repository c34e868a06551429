"""The cases of ``tests/cases/security.yaml`` about links in mails and webhooks, over a whole app."""

from __future__ import annotations

import base64
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from overwinter.actors.errors import TriggerInvalidError
from overwinter.actors.run import Run
from overwinter.actors.trigger_kinds import Trigger, Webhook, check, digest_of
from overwinter.actors.webhooks import Webhooks
from overwinter.bots.app import App
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.web.links import token_in
from overwinter.channels.webhooks import serving, webhook_app

from .mail_office import KEY, MARA
from .page_site import BASE, path_in, site

CASES: dict[str, dict[str, Any]] = {
    found["id"].partition("_")[0]: found
    for found in yaml.safe_load((Path(__file__).parents[1] / "cases" / "security.yaml").read_text())
}
BASE_PATH = BASE.removeprefix("http://ask.example.net")


# -- links in mails ----------------------------------------------------------------------------------------------------
@pytest.mark.case("se01")
async def test_no_link_is_found_by_trying(tmp_path: Path) -> None:
    found = CASES["se01"]
    expected = found["expect"]
    async with site(tmp_path) as it:
        link = path_in(await it.office.ask()).rpartition("/")[2]
        token, signature = link.split(".")
        alphabet = {len(token): 36, len(signature): 32}
        assert all(size**length >= 2 ** expected["token_bits_min"] for length, size in alphabet.items())
        guesses = [f"{_token()}.{_signature()}" for _ in range(found["input"]["tries"])]
        beside = [f"{token}.{_signature()}" for _ in range(100)]
        hits = [guess for guess in (*guesses, *beside) if token_in(guess, (KEY,)) is not None]
        assert len(hits) == expected["hit_by_guessing"]
        async with it.browser(path="/") as browser:
            tried = [
                *(BASE_PATH + each for each in found["input"]["links"]),
                *(f"{BASE_PATH}/a/{each}" for each in guesses[:80]),
            ]
            responses = [await browser.client.get(each) for each in tried]
            statuses = [response.status for response in responses]
            assert set(statuses[:60]) == {404}
            assert set(statuses[60:]) == {429}
            assert len({await response.text() for response in responses[:60]}) == 1
        assert await it.office.is_open()


def _token() -> str:
    return "".join(secrets.choice("0123456789abcdefghijklmnopqrstuvwxyz") for _ in range(26))


def _signature() -> str:
    return base64.b32encode(secrets.token_bytes(17))[:26].decode().lower()


@pytest.mark.case("se02")
async def test_whoever_opens_a_link_has_not_answered(tmp_path: Path) -> None:
    found = CASES["se02"]
    async with site(tmp_path) as it:
        mailed = await it.office.ask()
        path = path_in(mailed)
        async with it.browser(path=path) as scanner:
            for request in found["input"]["requests"]:
                agent = {"User-Agent": request.get("ua", "")}
                for each in (path, path + request["path"].removeprefix("/a/TOKEN"), path + "?decision=approve"):
                    response = await scanner.client.request(request["method"], each, headers=agent)
                    assert response.headers["Cache-Control"] == "no-store"
                    assert response.headers["Referrer-Policy"] == "no-referrer"
                    assert "form-action 'self'" in response.headers["Content-Security-Policy"]
                    assert "<script" not in await response.text()
        await it.settle()
        assert await it.office.is_open()
        assert it.office.refunds == []
        async with it.browser(mailed) as browser:
            shown = await browser.open()
            assert "1234.56 EUR" in shown
            assert '<form method="post"' in shown
            assert "Thank you" in await browser.answer(chosen="approve")


@pytest.mark.case("se13")
async def test_the_link_of_a_closed_question_does_nothing_more(tmp_path: Path) -> None:
    repeated = set(CASES["se13"]["expect"]["status_for_repeat"])
    async with site(tmp_path) as it, it.browser(await it.office.ask()) as browser:
        await browser.open()
        chosen = browser.hidden()
        await browser.send(chosen="approve")
        confirming = browser.hidden()
        await browser.confirm()
        assert (browser.status, "Thank you" in browser.shown) == (200, True)
        await it.settle()
        for fields in (confirming, chosen | {"chosen": "approve"}, chosen | {"chosen": "reject"}):
            shown = await browser.got(await browser.client.post(browser.path, data=fields))
            assert browser.status in repeated
            assert f"Approved by {MARA}" in shown
        assert f"Approved by {MARA}" in await browser.open()
        assert (browser.status, "<form" in browser.shown) == (200, False)
        await it.office.kit.advance(timedelta(days=30))
        gone = await browser.got(await browser.client.post(browser.path, data=confirming))
        assert (browser.status, "closed some time ago" in gone) == (404, True)
        assert len(it.office.refunds) == CASES["se13"]["expect"]["effects"]


async def test_a_form_from_elsewhere_is_refused_and_asks_again(tmp_path: Path) -> None:
    async with site(tmp_path) as it, it.browser(await it.office.ask()) as browser:
        await browser.open()
        fields = browser.hidden() | {"chosen": "approve"}
        crossing = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
        assert (await browser.client.post(browser.path, data=fields, headers=crossing)).status == 403
        async with it.browser(path=browser.path) as without_cookie:
            assert (await without_cookie.client.post(browser.path, data=fields)).status == 403
        assert await it.office.is_open()


@workflow(version="1")
async def idle(run: Run) -> None:
    """What an app has to have."""


# -- webhooks ----------------------------------------------------------------------------------------------------------
@pytest.mark.case("se15")
async def test_without_a_secret_nobody_gets_in(tmp_path: Path) -> None:
    found = CASES["se15"]
    secrets_set: list[str | None] = found["input"]["config_secret"]
    accepted: list[list[str]] = found["expect"]["accepted"]
    for secret in secrets_set:
        if secret is None or secret in {each for each, _ in accepted}:
            continue
        for webhook in (Webhook(token_digest=digest_of(secret)), Webhook(token_digest=digest_of("t"), secret=secret)):
            with pytest.raises(TriggerInvalidError, match="everybody"):
                check(Trigger(slug="open", when=webhook))
    [good] = {each for each, _ in accepted}
    trigger = Trigger(slug="hook", when=Webhook(token_digest=digest_of(good)))
    app = App(name="a", workflows=[idle], triggers=[trigger])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.settle()
        webhooks = Webhooks(triggers=kit.runtime.triggers, tenant="default")
        async with serving(webhook_app(webhooks), host="127.0.0.1", port=0) as port, aiohttp.ClientSession() as http:
            got_in: list[list[str | None]] = []
            for shown in found["input"]["header"]:
                headers = {} if shown is None else {"Authorization": f"Bearer {shown}"}
                async with http.post(f"http://127.0.0.1:{port}/hooks/hook", data=b"{}", headers=headers) as response:
                    if response.status == 202:
                        got_in.append([good, shown])
        assert got_in == accepted
        assert len(await kit.runtime.triggers.fires_of("default", "hook", limit=10)) == len(accepted)
