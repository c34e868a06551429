"""Expressions of others on texts of strangers: what ``re`` finds is found, and nothing takes longer than it may."""

from __future__ import annotations

import re
import threading
import time

import pytest

from overwinter.actors.pattern_errors import PatternInvalidError, PatternSlowError
from overwinter.actors.patterns import Effort, compiled

WITHIN_S = 0.05
NESTED = pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
SLOW = [
    (r"(a|a)*$", "a" * 40 + "!"),
    (r"^(a|aa)+$", "a" * 60 + "!"),
    (r"(?:x+x+)+y", "x" * 600_000),
    (r"a{1,1000}a{1,1000}a{1,1000}z", "a" * 600_000),
]


@pytest.mark.parametrize(("pattern", "text"), SLOW)
def test_a_search_that_takes_too_long_ends_as_neither_yes_nor_no(pattern: str, text: str) -> None:
    begun_s = time.thread_time()
    with pytest.raises(PatternSlowError) as raised:
        Effort(within_s=WITHIN_S).is_found(pattern, text)
    assert time.thread_time() - begun_s < 10 * WITHIN_S
    assert raised.value.code == "pattern.slow"
    assert f"{len(text):,} characters" in str(raised.value)
    assert text[:20] not in str(raised.value).replace(pattern, "")


def test_searches_share_their_work_and_nothing_is_searched_when_it_is_done() -> None:
    effort = Effort(within_s=WITHIN_S)
    begun_s = time.thread_time()
    for _ in range(50):
        with pytest.raises(PatternSlowError):
            effort.is_found(*SLOW[0])
    with pytest.raises(PatternSlowError):
        effort.is_found("a", "a")
    assert time.thread_time() - begun_s < 10 * WITHIN_S


def test_work_is_left_for_what_comes_after_quick_searches() -> None:
    effort = Effort(within_s=WITHIN_S)
    assert all(effort.is_found(r"order \d+", "order 4471") for _ in range(100))


def test_others_run_while_a_text_is_searched() -> None:
    searched = threading.Event()

    def search() -> None:
        with pytest.raises(PatternSlowError):
            Effort(within_s=0.3).is_found(*SLOW[0])
        searched.set()

    searching = threading.Thread(target=search)
    searching.start()
    rounds = 0
    while not searched.wait(0.001):
        rounds += 1
    searching.join()
    assert rounds > 20


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("grüße", "VIELE GRÜSSE"),
        ("grüße", "viele GRÜẞE"),
        ("ÄNDERUNG", "änderung"),
        ("straße", "STRASSE"),
        ("ﬁ", "fi"),
        (r"^order \d+$", "order 4471"),
        (r"^order \d+$", "order 4471\n"),
        (r"^order \d+\Z", "order 4471\n"),
        (r"^b", "a\nb"),
        (r"(?m)^b", "a\nb"),
        (r"a.b", "a\nb"),
        (r"(?s)a.b", "a\nb"),
        (r"(?=.*[0-9])(?=.*[a-z]).{4,}", "abc1"),
        (r"(?<!un)paid", "unpaid"),
        (r"(?<=no )refund", "no refund"),
        (r"\bäpfel\b", "Zwei Äpfel."),
        (r"(?P<word>\w+) (?P=word)", "so so"),
        (r"(?x) a  b # together", "ab"),
        pytest.param(r"[a&&b]", "&", marks=NESTED),
        pytest.param(r"[a||b]", "|", marks=NESTED),
        pytest.param(r"[[a]b]", "b", marks=NESTED),
        (r"[]a]", "]"),
        (r"a{,2}b", "aab"),
        (r"a{b", "a{b"),
        (r"{}", "{}"),
        (r"\{e\}", "{e}"),
        (r"[{e}]", "e"),
        (r"\N{EURO SIGN}", "3 €"),
        (r"", ""),
    ],
)
@pytest.mark.parametrize("is_any_case", [True, False])
def test_what_python_finds_is_found_and_nothing_else(pattern: str, text: str, is_any_case: bool) -> None:
    wanted = re.search(pattern, text, re.IGNORECASE if is_any_case else 0) is not None
    assert Effort(within_s=1).is_found(pattern, text, is_any_case=is_any_case) is wanted


@pytest.mark.parametrize("pattern", ["(", "[", "*", "a**", "\\", r"\1", "(?P<1>a)", r"\L<names>", "a{2,1}", "(" * 5000])
def test_what_is_no_expression_is_refused(pattern: str) -> None:
    with pytest.raises(PatternInvalidError, match="is no regular expression") as raised:
        compiled(pattern)
    assert raised.value.code == "pattern.invalid"


@pytest.mark.parametrize("pattern", ["a{e}", "(?:colour){e<=1}", "a{1<=e<=2}", "a{2i+2d+1s<=4}", "a{s<=1:[a-z]}"])
def test_what_python_takes_literally_and_the_library_would_not_is_refused(pattern: str) -> None:
    with pytest.raises(PatternInvalidError, match=r"approximately"):
        compiled(pattern)
