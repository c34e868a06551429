"""The answer page over a whole app: a link in a mail, a person who answers there, and all that must not decide."""

from __future__ import annotations

import re
import socket
from dataclasses import replace
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import CookieJar
from aiohttp.test_utils import TestClient, TestServer

from overwinter.channels.mail.channel import MailChannel
from overwinter.channels.mail.receiving import Handled
from overwinter.channels.web.markup import HEADERS
from overwinter.channels.web.settings import PageSettings

from ..fakes.smtp_server import Mailed
from .mail_office import KEY, LONE, MARA, mail_office
from .page_site import BASE, CHOICE, FORM, HIDDEN, NUMBER, PAGE, Site, path_in, site


# -- people ------------------------------------------------------------------------------------------------------------
async def test_who_bears_the_link_decides_by_choosing_and_confirming(tmp_path: Path) -> None:
    async with site(tmp_path) as it, it.browser(await it.office.ask()) as browser:
        shown = await browser.open()
        assert browser.status == 200
        for words in ("support needs your answer", "<dt>To run</dt><dd>refund</dd>", "<dd>4471</dd>", "1234.56 EUR"):
            assert words in shown
        assert "checked" not in shown
        assert "Approve" in await browser.send(chosen="approve", reason="paid < twice")
        assert "Approve, because: paid &lt; twice" in browser.shown
        await it.settle()
        assert await it.office.is_open()
        assert "Thank you, your answer is recorded" in await browser.confirm()
        assert f"Approved by {MARA}" in browser.shown
        await it.settle()
        assert it.office.refunds == [{"order": 4471, "amount": "1234.56 EUR"}]
        assert it.office.smtp.mails[-1].text.startswith(f"Approved by {MARA}")


async def test_a_rejection_and_own_words_go_the_common_way(tmp_path: Path) -> None:
    async with site(tmp_path, times=2) as it:
        async with it.browser(await it.office.ask()) as browser:
            await browser.answer(chosen="words", words="Hm, let me think about it.")
            assert "That does not settle the question." in browser.shown
            assert await it.office.is_open()
            assert "Thank you" in await browser.answer(words="No, reject it.")
        await it.settle()
        async with it.browser(it.office.smtp.mails[-1]) as browser:
            assert "Thank you" in await browser.answer(chosen="reject")
        await it.settle()
        assert it.office.refunds == []


async def test_what_is_not_filled_in_is_asked_for_and_what_was_is_kept(tmp_path: Path) -> None:
    async with site(tmp_path) as it, it.browser(await it.office.ask()) as browser:
        await browser.open()
        assert "Nothing is chosen yet." in await browser.send()
        assert "Nothing is written yet." in await browser.send(chosen="words")
        assert "Please choose one of the two." in await browser.send(chosen="approve", words="<no>", reason='"why"')
        assert 'value="approve" checked' in browser.shown
        assert ">&lt;no&gt;</textarea>" in browser.shown
        assert 'value="&quot;why&quot;"' in browser.shown
        assert await it.office.is_open()


async def test_a_closed_question_says_how_it_closed(tmp_path: Path) -> None:
    async with site(tmp_path) as it:
        mailed = await it.office.ask()
        async with it.browser(mailed) as browser:
            await browser.open()
            await browser.send(chosen="approve")
            await it.office.answer(mailed, "No.")
            assert "This question is closed" in await browser.confirm()
            assert f"Rejected by {MARA}" in browser.shown
            for shown in (await browser.open(), await browser.got(await browser.client.post(browser.path, data={}))):
                assert f"Rejected by {MARA}" in shown
                assert "<form" not in shown
        assert it.office.refunds == []


async def test_a_question_whose_time_is_up_takes_no_answer(tmp_path: Path) -> None:
    async with (
        site(tmp_path, role={"deadline": timedelta(minutes=5)}) as it,
        it.browser(await it.office.ask()) as browser,
    ):
        await browser.open()
        await browser.send(chosen="approve")
        await it.office.kit.advance(timedelta(seconds=301))
        assert "This question is closed" in await browser.confirm()
        await it.settle()
        assert it.office.refunds == []


async def test_where_two_must_approve_each_has_a_link_of_their_own(tmp_path: Path) -> None:
    async with site(tmp_path, people=(MARA, LONE), role={"needs": 2}) as it:
        await it.office.ask()
        async with it.browser(it.office.smtp.to(MARA)[0]) as browser:
            assert "waits for other people" in await browser.answer(chosen="approve")
            assert "your answer stands" in (await browser.answer(chosen="approve")).lower()
        assert it.office.refunds == []
        async with it.browser(it.office.smtp.to(LONE)[0]) as browser:
            assert "Thank you" in await browser.answer(chosen="approve")
        await it.settle()
        assert len(it.office.refunds) == 1


async def test_the_same_confirmation_twice_is_one_answer(tmp_path: Path) -> None:
    async with site(tmp_path) as it, it.browser(await it.office.ask()) as browser:
        await browser.open()
        await browser.send(chosen="approve")
        fields = browser.hidden() | {"number": NUMBER.findall(browser.shown)[0]}
        await browser.confirm()
        again = await browser.got(await browser.client.post(browser.path, data=fields))
        assert f"Approved by {MARA}" in again
        await it.settle()
        assert len(it.office.refunds) == 1


async def test_who_may_no_longer_answer_finds_no_question(tmp_path: Path) -> None:
    async with site(tmp_path, people=(MARA, LONE)) as it:
        await it.office.ask()
        path = path_in(it.office.smtp.to(MARA)[0])
        it.office.connection.channel_for(MailChannel([LONE]))
        async with it.browser(path=path) as browser:
            assert "There is no question here" in await browser.open()
            assert browser.status == 404


# -- wrong links -------------------------------------------------------------------------------------------------------
async def test_every_link_that_is_none_of_ours_has_the_same_answer(tmp_path: Path) -> None:
    async with site(tmp_path) as it:
        path = path_in(await it.office.ask())
        token, _, signature = path.rpartition("/")[2].partition(".")
        other = PageSettings(base_url=BASE, host="", port=0, keys=(b"x" * 32,))
        unknown = PAGE.url_of("0" * 26).removeprefix("http://ask.example.net")
        wrong = [
            *(path[:-1], path + "a", path.upper(), path.replace(token, "0" * 26), path.replace(signature, "a" * 26)),
            *(path.replace(".", "/"), path.rpartition("/")[0] + "/x", unknown, path + "%00", path + "?a=1&b=%ff"),
            other.url_of(token).removeprefix("http://ask.example.net"),
        ]
        shown: set[tuple[int, str]] = set()
        async with it.browser(path=path) as browser:
            for each in wrong[:-2] + wrong[-1:]:
                for method in ("GET", "POST"):
                    response = await browser.client.request(method, each)
                    shown.add((response.status, await response.text()))
            assert (await browser.client.get(path + "?a=1")).status == 200
        pages = {each for each in shown if "404: Not Found" not in each[1]}
        assert len(pages) == 1
        assert {status for status, _ in shown} == {404}


async def test_a_link_signed_with_the_key_before_is_still_good(tmp_path: Path) -> None:
    async with site(tmp_path) as it:
        mailed = await it.office.ask()
        it.office.keys = (b"n" * 32, KEY)
        it.office.page = PageSettings(base_url=BASE, host="127.0.0.1", port=0, keys=it.office.keys)
        await it.office.kit.restart()
        server = TestServer(it.office.answer_page.app())
        await server.start_server()
        async with Site(office=it.office, server=server).browser(mailed) as browser:
            assert "Thank you" in await browser.answer(chosen="approve")
        await server.close()


# -- numbers that are sent ---------------------------------------------------------------------------------------------
SENDING = replace(PAGE, sends_numbers=True)
SENT = re.compile(r"to confirm it: (\d{8})\s")


def number_in(mailed: Mailed) -> str:
    found = SENT.search(mailed.text)
    assert found is not None, mailed.text
    return found[1]


async def test_a_page_says_whose_answer_it_takes(tmp_path: Path) -> None:
    async with site(tmp_path) as it, it.browser(await it.office.ask()) as browser:
        assert f"You answer as {MARA}." in await browser.open()
        assert f"The answer of {MARA}:" in await browser.send(chosen="approve")


async def test_where_numbers_are_sent_only_who_was_sent_the_question_can_confirm(tmp_path: Path) -> None:
    async with site(tmp_path, page=SENDING) as it, it.browser(await it.office.ask()) as browser:
        await browser.open()
        shown = await browser.send(chosen="approve")
        await it.settle()
        _, told = it.office.smtp.mails
        number = number_in(told)
        assert (told.recipient, number in shown, f"was sent to {MARA}" in shown) == (MARA, False, True)
        assert "in your name:\n\n    Approve" in told.text
        for wrong in ("", "4711", f"{(int(number) + 1) % 10**8:08}"):
            assert "not the number that was sent" in await browser.send(number=wrong)
        await it.settle()
        assert await it.office.is_open()
        assert len(it.office.smtp.mails) == 2
        assert "Thank you" in await browser.send(number=f" {number} ")
        await it.settle()
        assert len(it.office.refunds) == 1


async def test_a_number_that_was_sent_confirms_its_own_answer_alone(tmp_path: Path) -> None:
    async with site(tmp_path, page=SENDING) as it, it.browser(await it.office.ask()) as browser:
        await browser.open()
        await browser.send(chosen="reject")
        await it.settle()
        number = number_in(it.office.smtp.mails[-1])
        await browser.open()
        await browser.send(chosen="approve")
        assert "not the number that was sent" in await browser.send(number=number)
        assert await it.office.is_open()


async def test_only_so_many_numbers_are_sent_and_the_mail_can_still_be_answered(tmp_path: Path) -> None:
    async with site(tmp_path, page=SENDING) as it:
        mailed = await it.office.ask()
        async with it.browser(mailed) as browser:
            for _ in range(6):
                await browser.open()
                await browser.send(chosen="approve")
                await it.settle()
            await browser.open()
            assert "Too many numbers were sent" in await browser.send(chosen="approve")
        await it.settle()
        assert len(it.office.smtp.mails) == 7
        assert await it.office.answer(mailed, "No.") is Handled.ANSWERED
        await it.settle()
        assert it.office.refunds == []


async def test_a_number_that_waited_for_the_server_is_not_sent_when_its_question_is_closed(tmp_path: Path) -> None:
    async with site(tmp_path, page=SENDING) as it, it.browser(await it.office.ask()) as browser:
        it.office.smtp.refusals[MARA] = "451 4.3.0 later"
        await browser.open()
        await browser.send(chosen="approve")
        await it.settle()
        await it.office.kit.answer(decision={"approved": False}, by="olaf")
        it.office.smtp.refusals.clear()
        await it.office.kit.advance(timedelta(hours=1))
        assert [SENT.search(each.text) for each in it.office.smtp.mails] == [None, None]


# -- programs ----------------------------------------------------------------------------------------------------------
FILLINGS = ("", "test", "1234", "0000", "approve", "yes", "test@example.com")


async def scan(client: TestClient[Any, Any], path: str, *, depth: int = 3) -> None:
    """What a link scanner with a whole browser does: every method, every form, every choice, every field filled in."""
    for method in ("HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "PROPFIND", "POST", "GET"):
        await client.request(method, path, headers={"Sec-Purpose": "prefetch"} if method == "GET" else {})
    response = await client.get(path)
    await _submit_all(client, path, await response.text(), depth=depth)


async def _submit_all(client: TestClient[Any, Any], path: str, shown: str, *, depth: int) -> None:
    if depth == 0:
        return
    for form in FORM.finditer(shown):
        hidden = {name: unescape(text) for name, text in HIDDEN.findall(form[0])}
        names = set(re.findall(r'name="(\w+)"', form[0])) - hidden.keys() - {"chosen"}
        for chosen in (None, *CHOICE.findall(form[0])):
            for filling in FILLINGS:
                fields = hidden | dict.fromkeys(names, filling) | ({} if chosen is None else {"chosen": chosen})
                response = await client.request(form[1].upper(), path, data=fields if form[1] == "post" else None)
                if response.status == 200 and filling in ("", "yes"):
                    await _submit_all(client, path, await response.text(), depth=depth - 1)


@pytest.mark.parametrize("keeps_cookies", [True, False])
async def test_no_scanner_decides_even_one_that_fills_in_every_form(tmp_path: Path, keeps_cookies: bool) -> None:
    async with site(tmp_path) as it:
        mailed = await it.office.ask()
        jar = CookieJar(unsafe=True) if keeps_cookies else aiohttp.DummyCookieJar()
        client = TestClient(it.server, cookie_jar=jar)
        await scan(client, path_in(mailed))
        await client.session.close()
        await it.settle()
        assert await it.office.is_open()
        assert it.office.refunds == []
        await it.office.kit.advance(timedelta(seconds=3_600))
        async with it.browser(mailed) as browser:
            assert "Thank you" in await browser.answer(chosen="approve")


async def test_wrong_numbers_are_few(tmp_path: Path) -> None:
    async with site(tmp_path) as it, it.browser(await it.office.ask()) as browser:
        await browser.open()
        await browser.send(chosen="approve")
        for _ in range(5):
            right = NUMBER.findall(browser.shown)[0]
            assert "That is not the number" in await browser.confirm(f"{(int(right) + 1) % 10_000:04}")
        fields = browser.hidden() | {"number": NUMBER.findall(browser.shown)[0]}
        response = await browser.client.post(browser.path, data=fields)
        assert (response.status, int(response.headers["Retry-After"]) > 60) == (429, True)
        assert await it.office.is_open()
        await it.office.kit.advance(timedelta(seconds=200))
        assert "Thank you" in await browser.got(await browser.client.post(browser.path, data=fields))


async def test_a_form_is_good_in_its_own_browser_only_and_for_its_own_answer(tmp_path: Path) -> None:
    async with site(tmp_path, people=(MARA, LONE)) as it:
        await it.office.ask()
        mara, lone = it.office.smtp.to(MARA)[0], it.office.smtp.to(LONE)[0]
        async with it.browser(mara) as browser, it.browser(mara) as other, it.browser(lone) as elsewhere:
            await browser.open()
            await browser.send(chosen="reject")
            right = browser.hidden() | {"number": NUMBER.findall(browser.shown)[0]}
            await other.open()
            for client, path, fields, said in (
                (other.client, other.path, right, "came from another browser"),
                (elsewhere.client, elsewhere.path, right, "did not send back the cookie"),
                (browser.client, elsewhere.path, right, "came from another browser"),
                (browser.client, browser.path, right | {"answer": '{"decision":{"approved":true}}'}, "another browser"),
                (browser.client, browser.path, right | {"ticket": "0" * 59}, "another browser"),
                (browser.client, browser.path, right | {"step": "other"}, "support needs your answer"),
            ):
                assert said in await (await client.post(path, data=fields)).text()
            cross = await browser.client.post(browser.path, data=right, headers={"Sec-Fetch-Site": "cross-site"})
            assert "did not send back the cookie" in await cross.text()
            await it.settle()
            assert await it.office.is_open()
            await it.office.kit.advance(timedelta(seconds=3 * 3_600))
            assert "open for too long" in await (await browser.client.post(browser.path, data=right)).text()
            assert await it.office.is_open()


async def test_too_many_requests_of_one_caller_are_told_to_wait_and_others_are_not(tmp_path: Path) -> None:
    async with site(tmp_path) as it, it.browser(await it.office.ask()) as browser:
        statuses = [(await browser.client.get(browser.path)).status for _ in range(62)]
        assert (statuses[:60], statuses[60:]) == ([200] * 60, [429] * 2)
        for named, status in (("192.0.2.1", 200), ("192.0.2.1, 192.0.2.7", 200), ("", 429)):
            response = await browser.client.get(browser.path, headers={"X-Forwarded-For": named} if named else {})
            assert response.status == status
        await it.office.kit.advance(timedelta(seconds=10))
        assert (await browser.client.get(browser.path)).status == 200


async def test_every_answer_of_the_server_keeps_browsers_and_search_engines_away(tmp_path: Path) -> None:
    async with site(tmp_path) as it:
        path = path_in(await it.office.ask())
        async with it.browser(path=path) as browser:
            for method, each in (
                ("GET", path),
                ("HEAD", path),
                ("OPTIONS", path),
                ("POST", path),
                ("GET", "/"),
                ("GET", path + "x"),
            ):
                response = await browser.client.request(method, each)
                assert {name: response.headers.get(name) for name in HEADERS} == dict(HEADERS)
            response = await browser.client.get(path)
            cookie = response.headers["Set-Cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
            assert "Path=/overwinter/a/" in cookie
            assert "<script" not in await response.text()
            large = await browser.client.post(path, data={"words": "x" * 200_000})
            assert large.status == 413


async def test_the_page_is_served_beside_the_supervisor(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    page = PageSettings(base_url=f"http://127.0.0.1:{port}", host="127.0.0.1", port=port, keys=(KEY,))
    async with mail_office(tmp_path, page=page) as office:
        mailed = await office.ask()
        found = re.search(r"http://127\.0\.0\.1:\d+/a/\S+", mailed.text)
        assert found is not None
        async with aiohttp.ClientSession() as session, session.get(found[0]) as response:
            assert "support needs your answer" in await response.text()
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get(found[0])
