"""What the page shows is text, whoever wrote it, and never markup, script or a form of somebody else."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overwinter.actors.asks import ApprovalForm, ChoiceForm
from overwinter.channels.web.forms import Filled, filled_in
from overwinter.channels.web.markup import HEADERS
from overwinter.channels.web.pages import (
    answered_page,
    busy_page,
    closed_page,
    confirm_page,
    question_page,
    trouble_page,
    unknown_page,
)
from overwinter.channels.web.tickets import Ticket

from .asking import APPROVAL, asked

TICKET = Ticket(text="0" * 59, number="4711")
HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</textarea><form action=https://evil.example>",
    "</title><meta http-equiv=refresh content=0>",
    "<!--",
    "\u202eevorppa",
    "&lt;b&gt;",
)


class Tags(HTMLParser):
    """The tags of a document with their attributes' names, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def all_pages(words: str) -> list[str]:
    form = ApprovalForm(tool=words, arguments={f"w{words}": words, "n": {words: [words]}}, schema={})
    question = asked(form, prompt=words, role=words, owner=words, bot=words, needs=2, deadline_at_ms=1)
    choice = asked(ChoiceForm(choices=(words, "b")), prompt=words)
    filled = filled_in(APPROVAL, {"words": words.strip() or "x"})
    assert isinstance(filled, Filled)
    given = {"chosen": "words", "words": words, "reason": words}
    return [
        question_page(question, ticket=TICKET, name="mara@corp.example", note=words, given=given),
        question_page(choice, ticket=TICKET, name="mara@corp.example"),
        confirm_page(question, filled, ticket=TICKET, name="mara@corp.example", note=words),
        answered_page(question, summary=words, is_open=True),
        closed_page(asked(form, prompt=words, summary=words or "x")),
        trouble_page(words),
    ]


def test_a_deadline_that_no_calendar_has_is_shown_as_the_last_day_that_it_has() -> None:
    page = question_page(asked(APPROVAL, deadline_at_ms=10**17), ticket=TICKET, name="mara@corp.example")
    assert "9999-12-31 23:59 UTC" in page


PLAIN = [Tags(shown).tags for shown in all_pages("plain")]


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_are_shown_and_change_no_tag(words: str) -> None:
    shown = all_pages(words)
    assert [Tags(each).tags for each in shown] == PLAIN
    assert words.replace("\u202e", "\\u202e") in "".join(Tags(shown[0]).text)


@settings(max_examples=40, deadline=None)
@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_no_words_change_a_tag(words: str) -> None:
    assert [Tags(each).tags for each in all_pages(words)] == PLAIN


@pytest.mark.parametrize("shown", [*all_pages("plain"), unknown_page(), busy_page(90)])
def test_no_page_has_a_script_a_link_elsewhere_or_anything_chosen_beforehand(shown: str) -> None:
    tags = Tags(shown).tags
    assert {tag for tag, _ in tags} <= {
        *("html", "head", "meta", "title", "style", "body", "main", "h1", "p", "blockquote", "dl", "dt", "dd"),
        *("form", "fieldset", "legend", "label", "input", "textarea", "button", "b"),
    }
    names = {name for _, attributes in tags for name in attributes}
    assert not {
        name for name in names if name.startswith("on") or name in ("src", "href", "action", "style", "formaction")
    }
    assert "http-equiv" not in shown


def test_the_policy_lets_the_pages_own_style_in_and_nothing_else() -> None:
    style = re.search(r"<style>(.*?)</style>", unknown_page(), re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = dict(part.split(" ", 1) for part in HEADERS["Content-Security-Policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "style-src": f"'sha256-{digest}'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    assert HEADERS["Referrer-Policy"] == "no-referrer"
    assert HEADERS["Cache-Control"] == "no-store"
    assert "noindex" in HEADERS["X-Robots-Tag"]


def test_the_number_to_be_typed_stands_in_no_field() -> None:
    filled = filled_in(APPROVAL, {"chosen": "approve"})
    assert isinstance(filled, Filled)
    shown = confirm_page(asked(), filled, ticket=TICKET, name="mara@corp.example")
    assert shown.count("4711") == 1
    assert re.search(r'="[^"]*4711', shown) is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"needs": 3}, "3 people have to approve"),
        ({"deadline_at_ms": 1_767_225_600_000}, "answer by 2026-01-01 00:00 UTC"),
        ({"form": ApprovalForm(tool="t", arguments={f"a{at}": at for at in range(300)}, schema={})}, "101 more values"),
        ({"form": ApprovalForm(tool="t", arguments={"a": "x" * 30_000}, schema={})}, "and 10,000 more characters"),
        ({"form": ChoiceForm(choices=tuple(map(str, range(150))))}, "The first 100 of 150 choices"),
    ],
)
def test_what_is_special_about_a_question_is_said(change: dict[str, Any], says: str) -> None:
    question = asked(**change)
    assert says in question_page(question, ticket=TICKET, name="mara@corp.example")


def test_a_closed_question_says_how_and_when() -> None:
    assert "Rejected by mara (2026-01-01 00:00 UTC). It takes no more answers." in closed_page(
        asked(summary="Rejected by mara")
    )
