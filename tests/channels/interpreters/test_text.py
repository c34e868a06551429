"""Normalising and cutting a reply."""

from __future__ import annotations

import pytest

from overwinter.channels.interpreters.text import (
    TokenKind,
    folded,
    hidden_characters,
    is_spoken_in,
    normalised,
    read_text,
    tokens_of,
    without_hidden,
)

TAGS = "".join(chr(0xE0000 + ord(char)) for char in " approve it")


@pytest.mark.parametrize(
    ("reply", "visible", "name"),
    [
        (f"no{TAGS}", "no", "tag characters"),
        ("re\u200bject", "reject", "zero width space"),
        ("app\u00adrove", "approve", "soft hyphen"),
        ("\u202eevorppa", "evorppa", "right-to-left override"),
        ("ap\u2060prove", "approve", "word joiner"),
        ("no\u3164", "no", "hangul filler"),
        ("o\ufe01k", "ok", "variation selector-2"),
        ("o\u200dk", "ok", "zero width joiner"),
        ("o\ufe0fk", "ok", "variation selector-16"),
        ("no\U000e0101", "no", "variation selector-18"),
        ("o\x00k", "ok", "U+0000"),
        ("ok\u200cنه", "okنه", "zero width non-joiner"),
        ("ने\u200dहा", "नेहा", "zero width joiner"),
    ],
)
@pytest.mark.case("in11")
def test_what_cannot_be_seen_is_taken_out_and_named(reply: str, visible: str, name: str) -> None:
    text = read_text(reply)
    assert text.visible == visible
    assert text.hidden == (name,)
    assert without_hidden(reply) == visible


@pytest.mark.parametrize(
    "reply",
    [
        *("👍🏽", "✅\ufe0f", "🙆\u200d♂\ufe0f ok", "ok", "\ufeffyes\u200b", "café", "네, 승인합니다", "a\nb"),
        *("نمی\u200cپذیرم", "क्\u200dष", "ക്\u200c"),
    ],
)
def test_honest_replies_hide_nothing(reply: str) -> None:
    assert hidden_characters(reply) == ()


def test_emoji_keep_their_joiners_and_styles() -> None:
    assert without_hidden("🙆\u200d♂\ufe0f x\u200dy\ufe0f") == "🙆\u200d♂\ufe0f xy"


def test_private_characters_do_not_turn_into_joiners() -> None:
    assert without_hidden("a\ue000b\ue001c") == "abc"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ａｐｐｒｏｖｅ", "approve"),
        ("ﾀﾞﾒ", "ダメ"),
        ("D’accord", "D'accord"),
        ("a\r\nb\u2028c", "a\nb\nc"),
        ("  a \u00a0 b ", "a b"),
        ("cafe\u0301", "café"),
        ("50²", "50²"),
        ("½", "½"),
        ("①", "①"),
    ],
)
def test_text_has_one_form(text: str, expected: str) -> None:
    assert normalised(text) == expected


@pytest.mark.parametrize(("one", "other"), [("HAYIR", "hayır"), ("İade", "iade"), ("GRUSS", "gruß"), ("ЁЛКА", "елка")])
def test_spellings_of_one_word_compare_equal(one: str, other: str) -> None:
    assert folded(one) == folded(other)


def test_look_alike_letters_stay_another_word() -> None:
    assert folded("аpprove") != folded("approve")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("yes, 1.234,56 €", ["yes", "1.234,56", "€"]),
        ("don't approve-nothing", ["don't", "approve-nothing"]),
        ("J'approuve", ["j", "approuve"]),
        ("EUR 900,-", ["eur", "900,-"]),
        ("1 234,56 x", ["1 234,56", "x"]),
        ("47l1", ["47l1"]),
        ("a -50", ["a", "-50"]),
        ("4711-4712", ["4711", "4712"]),
        ("+1", ["+1"]),
        (":thumbsup::skin-tone-3: 👍🏿", [":thumbsup:", "👍"]),
        ("50%", ["50", "%"]),
    ],
)
def test_text_is_cut_into_tokens(text: str, tokens: list[str]) -> None:
    assert [token.text for token in tokens_of(text)] == tokens


def test_a_number_glued_to_letters_is_a_word() -> None:
    assert [token.kind for token in tokens_of("47l1 4711")] == [TokenKind.WORD, TokenKind.NUMBER]


def test_marks_part_clauses_and_odd_ones_are_kept() -> None:
    text = read_text('he said "no", ok...')
    assert [clause.text for clause in text.clauses] == ["he said", "no", "ok"]
    assert [clause.is_quoted for clause in text.clauses] == [True, True, False]
    assert text.odd_marks == {'"', "..."}


@pytest.mark.parametrize("mark", ["?", "？", "؟", "¿"])
def test_a_question_mark_anywhere_is_seen(mark: str) -> None:
    assert read_text(f"ok{mark} thanks").has_question


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        ("go ahead", "Yes, GO  ahead please", True),
        ("approve", "disapprove", False),
        ("approve", "do not approve-nothing", False),
        ("", "yes", False),
        ("?!", "yes?!", False),
        ("👍", "ok 👍🏽", True),
        ("ahead go", "go ahead", False),
    ],
)
def test_a_quote_must_stand_there_word_for_word(quote: str, text: str, expected: bool) -> None:
    assert is_spoken_in(quote, text) is expected
