"""``overwinter mail read``: what is made of a message, in the words of the cases, without a database."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from overwinter.deploy.cli.exits import Exit

from ..channels.mail.letters import CASES, MARA, OTHER_TOKEN, QUESTION, TOKEN, mail, quoted
from .conftest import Overwinter, Ran

CONFIG = 'reply_address = "agent@ask.example.net"\nauthserv_id = "mx.ask.example.net"\nanswerers = ["mara.lind@corp.example"]\n'


@pytest.fixture
def read(overwinter: Overwinter) -> Any:
    def run(*arguments: str, config: str = CONFIG, file: str = "mail.toml") -> Ran:
        Path(file).write_text(config)
        return overwinter("mail", "read", *arguments, "--config", file)

    return run


def written(raw: bytes, name: str = "reply.eml") -> str:
    Path(name).write_bytes(raw)
    return name


@pytest.mark.case("em01")
def test_a_reply_is_read_in_the_words_of_the_cases(read: Any) -> None:
    ran = read(str(CASES / "emails" / "em01_gmail_web_en.eml"), "--json")
    assert ran.code == 0
    found = ran.document
    assert {word: found[word] for word in found if word not in ("why", "file", "message_id")} == {
        "class": "human_reply",
        "question": TOKEN,
        "matched_by": ["plus_address", "references"],
        "text": "Yes, go ahead with the refund.",
        "sender": MARA,
        "sender_allowed": True,
        "question_stays_open": False,
        "doubts": [],
        "hidden_text_found": False,
        "send_no_mail_back": False,
        "security_event": None,
        "failed_recipient": None,
        "permanent": None,
    }
    assert [set(step) for step in found["why"]] == [{"step", "found", "reason"}] * len(found["why"])
    assert not Path("overwinter.db").exists()


def test_people_read_the_same_in_words(read: Any) -> None:
    ran = read(written(mail("Approve.\n\n" + quoted())), written(mail("x\x1b[2J", results=None), "other.eml"))
    assert ran.code == 0
    for words in (
        f"question  {TOKEN}",
        "its text may be read as the answer",
        "| Approve.",
        "dmarc=pass for corp.example",
    ):
        assert words in ran.out
    assert "class     unauthenticated" in ran.out
    assert "no Authentication-Results of mx.ask.example.net" in ran.out
    assert "\x1b" not in ran.out


def test_a_message_comes_in_on_standard_input(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(mail("Reject."))))
    assert read("-", "--json").document["text"] == "Reject."
    twice = read("-", "-", "--json")
    assert (twice.code, twice.error["code"]) == (Exit.USAGE, "input.invalid")


def test_several_files_are_a_list_and_all_that_cannot_be_read_are_named(read: Any, tmp_path: Path) -> None:
    one, two = written(mail("Yes."), "one.eml"), written(mail("No."), "two.eml")
    found = read(one, two, "--json").document
    assert [(each["file"], each["text"]) for each in found] == [("one.eml", "Yes."), ("two.eml", "No.")]
    ran = read(one, "none.eml", str(tmp_path), "--json")
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert "none.eml cannot be read: No such file" in ran.error["message"]
    assert "cannot be read: Is a directory" in ran.error["message"]


@pytest.mark.parametrize(
    ("config", "file"),
    [
        (f'[mail]\n{CONFIG}[nobody.knows]\nx = 1\n[model]\nname = ""', "service.toml"),
        (CONFIG.replace("agent@", "agent+<token>@").replace("answerers", "approvers"), "mail.toml"),
        (
            json.dumps(
                {"reply_address": "agent@ask.example.net", "authserv_id": "mx.ask.example.net", "answerers": MARA}
            ),
            "a.json",
        ),
        (
            json.dumps(
                {"mail": {"reply_address": "agent@ask.example.net", "authentication": "none", "approvers": [MARA]}}
            ),
            "b.JSON",
        ),
    ],
)
def test_a_configuration_may_be_the_services_or_of_mail_alone(read: Any, config: str, file: str) -> None:
    found = read(written(mail("Yes.")), "--json", config=config, file=file).document
    assert (found["question"], found["sender_allowed"], found["question_stays_open"]) == (TOKEN, True, False)


@pytest.mark.parametrize(
    ("config", "file", "says"),
    [
        ("", "mail.toml", "mail.reply_address or OVERWINTER_MAIL_REPLY_ADDRESS: it is missing"),
        ('tenant = "a"', "mail.toml", "mail.reply_address or OVERWINTER_MAIL_REPLY_ADDRESS: it is missing"),
        ("mail = 1", "mail.toml", "it is no table"),
        ("[1]", "mail.json", "it is no JSON object: it is a list, a text or a number"),
        ("{", "mail.json", "it is no JSON object"),
        (CONFIG + "reply_adress = 'a@b.example'", "mail.toml", "there is no such key; did you mean reply_address?"),
    ],
)
def test_a_configuration_that_cannot_be_used_says_why(read: Any, config: str, file: str, says: str) -> None:
    ran = read(written(mail("Yes.")), "--json", config=config, file=file)
    assert (ran.code, ran.error["code"]) == (Exit.CONFIG, "config.invalid")
    assert says in ran.error["message"]


def test_variables_alone_will_do(overwinter: Overwinter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVERWINTER_MAIL_REPLY_ADDRESS", "agent@ask.example.net")
    monkeypatch.setenv("OVERWINTER_MAIL_AUTHSERV_ID", "mx.ask.example.net")
    monkeypatch.setenv("OVERWINTER_LOG_LEVEL", "nonsense")
    found = overwinter("mail", "read", written(mail("Yes.")), "--answerer", f"Mara <{MARA}>", "--json").document
    assert found["sender_allowed"] is True
    refused = overwinter("mail", "read", written(mail("Yes.")), "--answerer", "mara", "--json")
    assert (refused.code, refused.error["code"]) == (Exit.USAGE, "input.invalid")


def test_what_its_headers_do_not_say_can_be_told(read: Any) -> None:
    plain = {"To": "Ops <ops@ask.example.net>", "Delivered-To": None, "In-Reply-To": None, "References": None}
    file = written(mail("Yes.", headers=dict[str, str | None](plain)))
    assert read(file, "--json").document["question"] is None
    found = read(file, "--delivered-to", f"agent+{OTHER_TOKEN}@ask.example.net", "--json").document
    assert (found["question"], found["matched_by"]) == (OTHER_TOKEN, ["envelope"])


def test_what_was_written_into_the_quoted_question_is_seen_by_its_original(read: Any) -> None:
    file = written(mail("See below.\n\n" + quoted() + "\n> but only 200"))
    Path("question.txt").write_text("\n".join(QUESTION))
    assert read(file, "--json").document["doubts"] == []
    found = read(file, "--original", "question.txt", "--json").document
    assert (found["doubts"], found["question_stays_open"]) == (["written_into_quote"], True)
    assert read(file, "--original", "none.txt", "--json").error["code"] == "input.invalid"
    Path("question.txt").write_bytes(b"\xff")
    assert "no text in UTF-8" in read(file, "--original", "question.txt", "--json").error["message"]


@pytest.mark.case("em44")
def test_a_file_beyond_the_limit_is_read_no_further(read: Any) -> None:
    ran = read(written(mail("Yes.\n" + "x\n" * 5_000)), "--json", config=CONFIG + "[limits]\nmessage_bytes = 2000\n")
    assert (ran.document["class"], ran.document["question_stays_open"]) == ("oversize", True)
