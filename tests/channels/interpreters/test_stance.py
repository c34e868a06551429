"""Yes, no, or neither: what people write in many languages."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from overwinter.actors.asks import ApprovalForm, Form, NotUnderstood, Reading, Understood
from overwinter.channels.decisions import validate_decision
from overwinter.channels.interpreters.languages import LANGUAGES, VOCABULARY
from overwinter.channels.interpreters.lexicon import Kind, Language, language
from overwinter.channels.interpreters.rules import read_by_rules
from overwinter.channels.interpreters.subject import subject_of
from overwinter.channels.interpreters.text import folded

from .asks import CHOICES, PROMPT, ask, refund
from .replies import APPROVE, ASK, NOT_YES, REJECT, lines, listed

APPROVAL = refund("1234.56")


def verdict(reading: Reading) -> str:
    match reading:
        case Understood(decision="approve") | Understood(decision={"approved": True}):
            return "approve"
        case Understood(decision="reject") | Understood(decision={"approved": False}):
            return "reject"
        case NotUnderstood(reason=reason, by="rules"):
            assert reason
            return "ask"
        case _:
            raise AssertionError(reading)


def read(form: Form, reply: str, prompt: str = PROMPT) -> str:
    reading = read_by_rules(form, prompt, reply)
    if isinstance(reading, Understood):
        assert reading.by == "rules"
        assert reading.evidence
        assert reading.evidence in reply
        assert validate_decision(ask(form), reading.decision) == reading.decision
    return verdict(reading)


@pytest.mark.parametrize(("tongue", "reply"), listed(APPROVE))
def test_a_plain_yes_approves(tongue: str, reply: str) -> None:
    assert read(CHOICES, reply) == "approve"
    assert read(APPROVAL, reply) == "approve"


@pytest.mark.parametrize(("tongue", "reply"), listed(REJECT))
def test_a_plain_no_rejects(tongue: str, reply: str) -> None:
    assert read(CHOICES, reply) == "reject"
    assert read(APPROVAL, reply) == "reject"


@pytest.mark.parametrize(("kind", "reply"), listed(ASK))
def test_anything_in_doubt_is_asked_again(kind: str, reply: str) -> None:
    assert read(CHOICES, reply) == "ask"


@pytest.mark.parametrize("reply", lines(NOT_YES))
def test_what_is_no_plain_yes_never_approves(reply: str) -> None:
    assert read(CHOICES, reply) in ("reject", "ask")
    assert read(APPROVAL, reply) in ("reject", "ask")


@pytest.mark.parametrize(("tongue", "reply"), listed(APPROVE))
def test_one_thing_unaccounted_for_undoes_a_yes(tongue: str, reply: str) -> None:
    tails = ("?", " ...", " (not)", ' "', " if", " / no", " @tom", "\u202e", " xyzzy", " - ні")
    assert [tail for tail in tails if read(CHOICES, reply + tail) == "approve"] == []


@pytest.mark.parametrize(
    "sign_off", ["Thanks,\nMara", "Best regards\nMara Lind", "Viele Grüße,\nJens-Peter", "Mvh\nÅsa"]
)
def test_a_name_below_a_sign_off_changes_nothing(sign_off: str) -> None:
    assert read(CHOICES, f"Yes, go ahead with the refund.\n\n{sign_off}") == "approve"


@pytest.mark.parametrize(
    "name", ["Not Now", "Tomorrow", "Only Half", "Nein", "If Legal Agrees Too", "mara", "M4ra", "Mara?"]
)
def test_what_means_something_is_no_name(name: str) -> None:
    assert read(CHOICES, f"Yes\nThanks,\n{name}") == "ask"


@pytest.mark.parametrize(
    ("prompt", "reply", "expected"),
    [
        ("Any objection to refunding order 4471?", "yes", "ask"),
        ("Any objection to refunding order 4471?", "no", "ask"),
        ("Any objection to refunding order 4471?", "no objections", "ask"),
        ("Any objection to refunding order 4471?", "approved", "approve"),
        ("Any objection to refunding order 4471?", "rejected", "reject"),
        ("Do you mind if I refund 1234.56 EUR?", "ok", "ask"),
        ("Shall I not refund it?", "yes", "ask"),
        ("Approve or reject?", "yes", "ask"),
        ("Haben Sie Einwände?", "ja", "ask"),
        ("Haben Sie Einwände?", "nein", "ask"),
        ("Avez-vous une objection?", "oui", "ask"),
        ("Вы не против?", "да", "ask"),
        ("異議はありますか？", "はい", "ask"),
        ("Reply APPROVE or reject.\nApprove refund of 5 EUR?", "yes", "approve"),
        ("Approve refund for order no. 4471?", "yes", "approve"),
    ],
)
def test_a_question_in_the_negative_takes_no_bare_yes(prompt: str, reply: str, expected: str) -> None:
    assert read(CHOICES, reply, prompt) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("approve order 4471", "approve"),
        ("approve order 4472", "ask"),
        ("approve 80 EUR", "approve"),
        ("approve 80,00 €", "approve"),
        ("approve 80 USD", "ask"),
        ("approve 80.01 EUR", "ask"),
        ("approve 8 EUR", "ask"),
        ("ok for 50", "ask"),
        ("ok for 50 EUR", "ask"),
        ("approve 4471 EUR", "ask"),
    ],
)
def test_only_what_was_asked_may_be_named(reply: str, expected: str) -> None:
    assert read(refund(currency="EUR", schema={}), reply, "Refund the customer?") == expected


@pytest.mark.parametrize(
    "prompt", ["Cancel the refund?", "Approve blocking the refund?", "Stop the refund of order 4471?"]
)
@pytest.mark.parametrize("reply", ["yes, refund", "approve the refund", "ok, refund order 4471"])
def test_approving_the_thing_is_not_approving_to_undo_it(prompt: str, reply: str) -> None:
    assert read(CHOICES, reply, prompt) == "ask"
    assert read(CHOICES, "approved", prompt) == "approve"


def test_of_two_orders_naming_one_is_no_approval() -> None:
    assert read(CHOICES, "approve order 4471", "Refund orders 4471 and 4472?") == "ask"
    both = ApprovalForm(tool="refund", arguments={"orders": ["4471", "4472"]}, schema={})
    assert read(both, "approve 4471", "Refund?") == "ask"


def test_a_rejection_tells_why_if_the_reply_does() -> None:
    told = read_by_rules(APPROVAL, PROMPT, "No, wrong account.")
    bare = read_by_rules(APPROVAL, PROMPT, "No.")
    assert isinstance(told, Understood)
    assert told.decision == {"approved": False, "reason": "No, wrong account.", "override_arguments": None}
    assert isinstance(bare, Understood)
    assert bare.decision == {"approved": False, "reason": None, "override_arguments": None}


@pytest.mark.parametrize("reply", ["ok\u200bay", "yes\U000e0020", "approve\u202e", "a\u00adpproved"])
def test_hidden_text_never_approves_and_is_named_as_the_cause(reply: str) -> None:
    reading = read_by_rules(CHOICES, PROMPT, reply)
    assert isinstance(reading, NotUnderstood)
    assert reading.cause == "reply.hidden"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (f"> {PROMPT}\nYes", "approve"),
        (f"> {PROMPT}\n> \nNo, wrong account", "reject"),
        ("yes\n> refund of 1234.56 EUR for order 4471", "approve"),
        (f"> {PROMPT}", "ask"),
        (f"> {PROMPT} Yes\nok", "ask"),
        ("> Approve refund of 12 EUR for order 4471?\nYes", "ask"),
        ("> not the refund for order 4471\nYes", "ask"),
        ("> approve\nthanks", "ask"),
        (f"> {PROMPT}\nonly if Anna agrees", "ask"),
    ],
)
def test_lines_that_quote_the_question_word_for_word_say_nothing(reply: str, expected: str) -> None:
    assert read(CHOICES, reply) == expected
    assert read(APPROVAL, reply) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("do not refund", "reject"),
        ("Don't refund, please", "reject"),
        ("we do not refund", "ask"),
        ("please do not refund him", "reject"),
        ("couldn't refund", "ask"),
        ("don't refund yet", "ask"),
        ("do not refund half", "ask"),
        ("not the refund", "ask"),
        ("do not ship", "ask"),
    ],
)
def test_forbidding_the_very_deed_is_a_refusal(reply: str, expected: str) -> None:
    assert read(APPROVAL, reply) == expected


def test_a_very_long_reply_is_not_read() -> None:
    assert read(CHOICES, "yes " * 600) == "ask"
    assert read(CHOICES, "no. " + "because " * 600) == "ask"


# Properties.

_LETTERS = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyzäéøñßабвгдежзийклмн承認不네승인"), min_size=1, max_size=9)
_SUBJECT = subject_of(CHOICES, PROMPT)
_UNKNOWN = _LETTERS.filter(lambda word: folded(word) not in VOCABULARY | _SUBJECT.words)
_APPROVALS = st.sampled_from([reply for _, reply in listed(APPROVE)])


@given(reply=_APPROVALS, word=_UNKNOWN, where=st.integers(0, 12), glue=st.sampled_from([" ", ", ", ". ", "\n", " - "]))
@settings(max_examples=400, deadline=None)
def test_no_reply_with_an_unknown_word_approves(reply: str, word: str, where: int, glue: str) -> None:
    words = reply.split(" ")
    at = min(where, len(words))
    spoiled = glue.join(filter(None, (" ".join(words[:at]), word, " ".join(words[at:]))))
    assert read(CHOICES, spoiled) != "approve"
    assert read(APPROVAL, spoiled) != "approve"


def _single(each: Language, kinds: set[Kind]) -> list[str]:
    found = (phrase for phrases in each.phrases.values() for phrase in phrases)
    return sorted(words[0] for words, kind in found if kind in kinds and len(words) == 1)


@st.composite
def _spoiled_by_its_own_language(draw: st.DrawFn) -> str:
    each = draw(st.sampled_from(LANGUAGES))
    yes = draw(st.sampled_from(_single(each, {Kind.YES, Kind.APPROVE})))
    spoils = {Kind.NO, Kind.REJECT, Kind.NEGATION, Kind.BUT, Kind.LIMIT, Kind.CONDITION, Kind.AUXILIARY}
    other = draw(st.sampled_from(_single(each, spoils)))
    glue = draw(st.sampled_from([" ", ", ", ". "]))
    pair = draw(st.permutations([yes, other]))
    assume(not any(words == tuple(pair) for words, _ in each.phrases.get(pair[0], ())))
    return glue.join(pair)


@given(reply=_spoiled_by_its_own_language())
@settings(max_examples=600, deadline=None)
def test_a_yes_beside_a_no_or_a_condition_never_approves(reply: str) -> None:
    assert read(CHOICES, reply) != "approve"


_ANY: list[Any] = [
    st.text(max_size=60),
    _APPROVALS,
    st.lists(st.sampled_from(sorted(VOCABULARY)), max_size=8).map(" ".join),
]


@given(reply=st.one_of(*_ANY), form=st.sampled_from([CHOICES, APPROVAL]))
@settings(max_examples=400, deadline=None)
def test_no_reply_breaks_the_reader_and_every_decision_is_valid(reply: str, form: Form) -> None:
    reading = read_by_rules(form, PROMPT, reply)
    if isinstance(reading, Understood):
        validate_decision(ask(form), reading.decision)


@given(words=st.lists(st.sampled_from(sorted(VOCABULARY)), min_size=1, max_size=7))
@settings(max_examples=600, deadline=None)
def test_an_approval_is_all_of_one_language(words: list[str]) -> None:
    if read(CHOICES, " ".join(words)) == "approve":
        assert any(all(word in each.words | each.nouns for word in words) for each in LANGUAGES)


def test_a_phrase_of_two_kinds_is_refused() -> None:
    with pytest.raises(ValueError, match="'yes' is both yes and no"):
        language("xx", {Kind.YES: "yes", Kind.NO: "yes"})
