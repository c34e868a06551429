"""How a question is put, by the sentences of its prompt that ask."""

from __future__ import annotations

import time

import pytest

from overwinter.channels.interpreters.questions import is_even


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Shall I pay?", True),
        ("Shall I pay?!", True),
        ("Shall I pay (now?) …", True),
        ("お支払いしますか？", True),
        ("I do not mind. Shall I pay?", True),
        ("Shall I not pay?", False),
        ("Is it late? Shall I not pay?", False),
        ("Why? I do not know", True),
        ("I do not know", False),
        ("??", True),
        ("", False),
    ],
)
def test_only_the_sentences_that_end_in_a_question_mark_count_if_there_are_any(prompt: str, expected: bool) -> None:
    assert is_even(prompt) is expected


@pytest.mark.parametrize("marks", ["?", "? ", "?!", "!", " ", "？_"])
def test_a_long_row_of_marks_takes_no_longer_than_a_long_text(marks: str) -> None:
    begun_s = time.thread_time()
    is_even("Shall I pay" + marks * 100_000 + "x")
    assert time.thread_time() - begun_s < 2.0
