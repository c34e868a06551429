"""What others wrote can do nothing in Slack."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.channels.slack.escaping import escaped, shown
from overwinter.channels.slack.limits import chunks_of, clipped, end_of, start_of, units
from overwinter.channels.slack.modals import full_text_modal
from overwinter.channels.slack.questions import question
from overwinter.channels.visible import visible

from ...fakes.block_kit import texts_in, texts_with_markup
from ...fakes.block_kit import units as slack_units
from .asking import CHANNEL, approval, ask, case
from .strategies import texts, unhurried

ACTING = re.compile(r"[<>]|&(?!(?:amp|lt|gt);)|@(?:here|channel|everyone)|://|```|:[\w+-]+:", re.IGNORECASE)


@pytest.mark.case("sl18")
def test_what_a_model_wrote_is_shown_and_does_nothing() -> None:
    found = case("sl18")
    arguments: dict[str, str] = found["input"]["args"]
    message = question(ask(approval(arguments), prompt=arguments["note"]), channel=CHANNEL)
    for wanted in found["expect"]["sent_text_contains"]:
        assert wanted in message.text
    assert list(texts_with_markup(message.as_post())) == [message.text]
    assert ACTING.search(message.text) is None
    # In the blocks everything stands as it was written, where Slack looks for no markup.
    assert set(arguments.values()) <= {text.rstrip("\n") for text in texts_in(message.blocks)}
    kinds = {
        element["type"] for block in message.blocks[:2] for part in block["elements"] for element in part["elements"]
    }
    assert kinds == {"text"}


@unhurried
@given(texts)
def test_no_text_acts_once_it_is_escaped(text: str) -> None:
    assert ACTING.search(escaped(text)) is None


@unhurried
@given(texts)
def test_what_is_escaped_reads_the_same(text: str) -> None:
    back = escaped(text).replace("\u200b", "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert back == visible(text)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("invoice\u202efdp.exe", "invoice\\u202efdp.exe"),
        ("pay\u200bpal", "pay\\u200bpal"),
        ("\u2066a\u2069", "\\u2066a\\u2069"),
        ("a\u2028b", "a\\u2028b"),
        ("\ud800", "\\ud800"),
        ("\x1b[2J", "\\u001b[2J"),
        ("\U000e0041", "\\ue0041"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("👩\u200d💻 ❤\ufe0f 👍🏽", "👩\u200d💻 ❤\ufe0f 👍🏽"),
        ("Zürich, 東京, שלום", "Zürich, 東京, שלום"),
        ("e" + "\u0301" * 6, "e" + "\u0301" * 4 + "\\u0301" * 2),
    ],
)
def test_what_nobody_would_see_is_written_out(text: str, seen: str) -> None:
    assert visible(text) == seen


@unhurried
@given(texts)
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    assert shown(text).strip()


@unhurried
@given(texts, st.integers(min_value=2, max_value=300))
def test_a_text_is_cut_to_fit_and_never_within_a_character(text: str, longest: int) -> None:
    assert units(text) == slack_units(text)
    assert units(clipped(text, longest)) <= longest
    assert text.startswith(start_of(text, longest))
    assert text.endswith(end_of(text, longest))
    if units(text) <= longest:
        assert clipped(text, longest) == start_of(text, longest) == end_of(text, longest) == text
    else:
        assert units(start_of(text, longest)) >= longest - 1


@unhurried
@given(texts, st.integers(min_value=2, max_value=300))
def test_chunks_are_the_whole_text(text: str, longest: int) -> None:
    chunks = chunks_of(text, longest)
    assert "".join(chunks) == text
    assert all(units(chunk) <= longest for chunk in chunks)


@pytest.mark.case("sl18")
def test_the_full_text_is_shown_where_no_markup_is_looked_for() -> None:
    arguments: dict[str, str] = case("sl18")["input"]["args"]
    view = full_text_modal(ask(approval(arguments)))
    assert list(texts_with_markup(view)) == []
