"""The messages of ``messages/``: what clients, servers and robots of the world send is read as ``messages.yaml`` says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from overwinter.actors.asks import Understood
from overwinter.channels.interpreters.rules import read_by_rules
from overwinter.channels.mail.addresses import mailboxes, only_mailbox
from overwinter.channels.mail.bodies import read_body
from overwinter.channels.mail.header_blocks import Surroundings
from overwinter.channels.mail.new_text import read_answer
from overwinter.channels.mail.parts import Part, parse_message
from overwinter.channels.mail.phrases import words_of
from overwinter.channels.mail.reading import read_mail
from overwinter.channels.mail.results import MailReadingResult

from ..interpreters.asks import CHOICES, PROMPT
from .letters import SETTINGS, SUBJECT, TOKEN

FOLDER = Path(__file__).parent / "messages"
ROWS: list[dict[str, Any]] = yaml.safe_load((FOLDER / "messages.yaml").read_text(encoding="utf-8"))
USUAL = {"class": "human_reply", "question": TOKEN, "question_stays_open": False}
ABOUT_TEXT = ("text", "text_may_end_with", "must_contain", "must_not_contain")


def eml(row: dict[str, Any]) -> bytes:
    return (FOLDER / f"{row['id']}.eml").read_bytes()


def parsed(row: dict[str, Any]) -> Part:
    message = parse_message(eml(row), SETTINGS.limits)
    assert isinstance(message, Part)
    return message


ANSWERERS = tuple(
    sorted(
        {
            box.address
            for row in ROWS
            if row.get("answerer", True)
            for box in mailboxes(parsed(row).first("from"))
            if box.address is not None
        }
    )
)


def read(row: dict[str, Any]) -> MailReadingResult:
    return read_mail(eml(row), settings=replace(SETTINGS, answerers=ANSWERERS))


def is_as_expected(text: str, expect: dict[str, Any]) -> bool:
    return text in (expect["text"], f"{expect['text']}\n\n{expect.get('text_may_end_with', '')}".rstrip())


PARAMS = [pytest.param(row, id=row["id"]) for row in ROWS]
WITH_TEXT = [
    param
    for param, row in zip(PARAMS, ROWS, strict=True)
    if row["expect"].get("class") is None and "text" in row["expect"]
]


@pytest.mark.parametrize("row", PARAMS)
def test_a_message_is_read_as_it_was_meant(row: dict[str, Any]) -> None:
    expect = row["expect"]
    found = read(row).as_json()
    wanted = USUAL | {word: value for word, value in expect.items() if word not in ABOUT_TEXT}
    if not wanted["question_stays_open"]:
        wanted["doubts"] = []
    assert {word: found[word] for word in wanted} == wanted
    text = found["text"]
    assert isinstance(text, str)
    assert "text" not in expect or is_as_expected(text, expect)
    assert [words for words in expect.get("must_contain", []) if words not in text] == []
    assert [words for words in expect.get("must_not_contain", []) if words in text] == []


@pytest.mark.parametrize("row", WITH_TEXT)
@pytest.mark.parametrize("kept", ["text/plain", "text/html"])
def test_either_half_of_a_message_alone_says_the_same(row: dict[str, Any], kept: str) -> None:
    body = read_body(half(parsed(row), kept), SETTINGS.limits)
    around = Surroundings(address=SETTINGS.reply_address, name="ops agent", subject=SUBJECT.lower())
    box = only_mailbox(parsed(row).first("from"))
    assert box is not None
    names = frozenset(words_of(box.name)) | frozenset((box.address or "").partition("@")[0].split("."))
    text = read_answer(body, around, names, SETTINGS.limits).text.replace("[image: image.png]\n", "")
    assert is_as_expected(text, row["expect"] | {"text": row["expect"]["text"].replace("[image: image.png]\n", "")})


DECIDED = [pytest.param(row, id=row["id"]) for row in ROWS if "decision" in row]


@pytest.mark.parametrize("row", DECIDED)
def test_rules_decide_what_a_careful_clerk_would_or_nothing(row: dict[str, Any]) -> None:
    result = read(row)
    reading = None if result.question_stays_open else read_by_rules(CHOICES, PROMPT, result.text)
    found = reading.decision if isinstance(reading, Understood) else "ask"
    assert found == "ask" or found == row["decision"]


def test_most_of_what_a_clerk_would_decide_is_decided() -> None:
    certain = [row for row in ROWS if row.get("decision") in ("approve", "reject")]
    decided = [
        row
        for row in certain
        if not (result := read(row)).question_stays_open
        and isinstance(read_by_rules(CHOICES, PROMPT, result.text), Understood)
    ]
    assert len(certain) >= 50
    assert len(decided) * 8 > len(certain) * 7


def half(part: Part, kept: str) -> Part:
    """A message whose alternatives are only those of one type, or whatever leads to it."""
    if part.content_type == "multipart/alternative":
        other = "text/html" if kept == "text/plain" else "text/plain"
        return replace(part, parts=tuple(each for each in part.parts if each.content_type != other) or part.parts)
    return replace(part, parts=tuple(half(each, kept) for each in part.parts))


def test_nothing_but_a_persons_answer_beyond_doubt_may_close_a_question() -> None:
    closing = [row["id"] for row in ROWS if not read(row).question_stays_open]
    assert closing == [row["id"] for row in ROWS if not row["expect"].get("question_stays_open", False)]


def test_the_messages_are_of_many_languages_clients_and_kinds() -> None:
    assert len({row["language"] for row in ROWS}) >= 36
    assert len({row["client"] for row in ROWS}) >= 100
    kinds = Counter(row["expect"].get("class", "human_reply") for row in ROWS)
    assert kinds.total() == len(ROWS) >= 400
    assert len(kinds) == 11


def test_the_files_are_those_of_the_table_and_as_they_go_over_the_wire() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.eml")) == sorted(row["id"] for row in ROWS)
    for row in ROWS:
        raw = eml(row)
        assert (raw.count(b"\r\n") == raw.count(b"\n")) is (row["id"] != "lf_only_en")
