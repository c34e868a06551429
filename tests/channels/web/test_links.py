"""Links, tickets and allowances: what is signed, what is counted, and for whom."""

from __future__ import annotations

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.actors.errors import ChannelRejectedError
from overwinter.actors.ids import RandomIds
from overwinter.actors.notes import Note
from overwinter.channels.mail.channel import MailChannel
from overwinter.channels.web import allowance
from overwinter.channels.web.allowance import Allowance
from overwinter.channels.web.bearers import Bearer
from overwinter.channels.web.connection import PageConnection
from overwinter.channels.web.links import page_url, path_of, token_in
from overwinter.channels.web.settings import PageSettings
from overwinter.channels.web.tickets import LIFETIME_MS, Tickets, is_cookie

KEY, OLD = b"k" * 32, b"o" * 32
TOKEN = "7f3k9w2hx4dm5c8t1r6pjv0znb"


# -- links -------------------------------------------------------------------------------------------------------------
def test_a_link_gives_its_token_back_under_every_key_that_is_known() -> None:
    url = page_url("https://ask.example.net/x/", TOKEN, KEY)
    assert url.startswith(f"https://ask.example.net/x/a/{TOKEN}.")
    signed = url.rpartition("/")[2]
    assert token_in(signed, (KEY,)) == token_in(signed, (OLD, KEY)) == TOKEN
    assert token_in(signed, (OLD,)) is None
    assert token_in(signed, ()) is None


@pytest.mark.parametrize("at", range(0, 53, 4))
def test_a_link_with_one_letter_changed_is_none_of_ours(at: int) -> None:
    signed = page_url("https://ask.example.net", TOKEN, KEY).rpartition("/")[2]
    changed = signed[:at] + ("b" if signed[at] != "b" else "c") + signed[at + 1 :]
    assert token_in(changed, (KEY,)) is None


@pytest.mark.parametrize(
    "text", ["", ".", TOKEN, f"{TOKEN}.", f".{'a' * 26}", "é" * 53, f"{TOKEN}.{'a' * 26}\n", "a" * 10_000]
)
def test_what_has_not_the_form_of_a_link_is_none(text: str) -> None:
    assert token_in(text, (KEY,)) is None


def test_a_link_is_no_reply_address_and_no_other_tokens_link() -> None:
    one, other = (page_url("https://a.example", token, KEY).rpartition(".")[2] for token in (TOKEN, TOKEN[::-1]))
    assert one != other
    assert token_in(f"{TOKEN[::-1]}.{one}", (KEY,)) is None


@pytest.mark.parametrize(
    ("base_url", "path", "is_secure"),
    [
        ("https://a.example", "/a/", True),
        ("http://a.example/", "/a/", False),
        ("https://a.example/x/y/", "/x/y/a/", True),
    ],
)
def test_the_pages_lie_below_the_base_address(base_url: str, path: str, is_secure: bool) -> None:
    settings = PageSettings(base_url=base_url, host="127.0.0.1", port=0, keys=(KEY,))
    assert (settings.path, path_of(base_url), settings.is_secure) == (path, path, is_secure)
    assert "kkkk" not in repr(settings)


# -- tickets -----------------------------------------------------------------------------------------------------------
def test_a_ticket_is_good_for_what_it_was_made_for_and_for_a_while() -> None:
    tickets = Tickets((KEY,), ids=RandomIds())
    made = {"token": TOKEN, "cookie": "c" * 32, "answer": "{}"}
    ticket = tickets.issue(**made, now_ms=1_000)
    assert tickets.taken(ticket.text, **made, now_ms=1_000 + LIFETIME_MS) == ticket
    assert tickets.taken(ticket.text, **made, now_ms=1_001 + LIFETIME_MS) is None
    assert tickets.taken(ticket.text, **made, now_ms=999) is None
    for name in made:
        assert tickets.taken(ticket.text, **made | {name: "other"}, now_ms=1_000) is None
    assert Tickets((OLD, KEY), ids=RandomIds()).taken(ticket.text, **made, now_ms=1_000) == ticket
    assert Tickets((OLD,), ids=RandomIds()).taken(ticket.text, **made, now_ms=1_000) is None
    assert tickets.taken(ticket.text[:-1] + "x", **made, now_ms=1_000) is None
    assert tickets.taken("", **made, now_ms=1_000) is None


def test_each_ticket_has_a_number_of_its_own() -> None:
    tickets = Tickets((KEY,), ids=RandomIds())
    numbers = {tickets.issue(token=TOKEN, cookie="", answer="", now_ms=0).number for _ in range(200)}
    assert all(len(number) == 4 and number.isdigit() for number in numbers)
    assert len(numbers) > 150


def test_a_cookie_is_one_of_ours_by_its_form() -> None:
    assert is_cookie("0" * 32)
    assert not any(is_cookie(text) for text in (None, "", "0" * 31, "g" * 32, "0" * 33, "A" * 32))


# -- allowances --------------------------------------------------------------------------------------------------------
async def test_an_allowance_is_used_up_and_comes_back_with_time() -> None:
    clock = ManualClock()
    calls = Allowance(at_once=2, per_minute=6, clock=clock)
    assert [calls.take("a") for _ in range(3)] == [True, True, False]
    assert calls.take("b")
    assert (calls.has("a"), calls.has("c")) == (False, True)
    assert 10 <= calls.wait_s("a") <= 11
    await clock.advance(ms=10_000)
    assert [calls.take("a") for _ in range(2)] == [True, False]
    await clock.advance(ms=3_600_000)
    assert [calls.take("a") for _ in range(3)] == [True, True, False]


def test_an_allowance_remembers_only_so_many_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "_MOST_CALLERS", 3)
    calls = Allowance(at_once=1, per_minute=1, clock=ManualClock())
    assert all(calls.take(caller) for caller in "abcd")
    assert [calls.has(caller) for caller in "abcd"] == [True, False, False, False]


# -- the connection ----------------------------------------------------------------------------------------------------
class Nobody:
    async def find(self, token: str) -> Bearer | None:
        return None

    async def send_number(self, token: str, number: str, *, shown: str) -> bool:
        return False


async def test_nothing_is_sent_by_the_page() -> None:
    page = PageConnection(
        PageSettings(base_url="http://a.example", host="127.0.0.1", port=0, keys=(KEY,)), bearers=Nobody()
    )
    with pytest.raises(ValueError, match="sends nothing"):
        page.channel_for(MailChannel(["mara@corp.example"]))
    with pytest.raises(ChannelRejectedError):
        await page.tell(Note(note_id="n", channel="page", kind="told", session_id="s", body={}))
    with pytest.raises(RuntimeError, match="not open"):
        page.app()
