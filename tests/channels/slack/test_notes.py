"""The small messages around a question."""

from __future__ import annotations

import pytest
from hypothesis import given

from overwinter.actors.asks import Ask, Reminder
from overwinter.channels.slack.carried import PostKind, delivery_key, key_in, session_key
from overwinter.channels.slack.messages import Message
from overwinter.channels.slack.notes import (
    asked_again,
    came_too_late,
    edited_too_late,
    refused,
    reminded,
    session_root,
    which_one,
)
from overwinter.channels.slack.people import Person

from ...fakes.block_kit import buttons_in, check_message, texts_in
from .asking import CHANNEL, PAUSE, answer, ask, choice
from .strategies import asks, unhurried


def seen(message: Message) -> str:
    return "".join(texts_in(message.blocks))


@unhurried
@given(asks)
def test_whatever_was_asked_slack_takes_every_note(found: Ask) -> None:
    person = Person(name=found.owner)
    for message in (
        session_root(bot=found.bot, owner=person, channel=CHANNEL, session_id=found.session_id),
        refused(found.prompt),
        came_too_late(found.prompt),
        edited_too_late(found.prompt),
        asked_again(found, reason=found.role, said=found.prompt, understood=found.owner),
        which_one([(found.role, found)] * 30),
        reminded(waiting(found), channel=CHANNEL, people=[person] * 30),
    ):
        check_message(message.as_post())
        assert buttons_in(message.as_post()) == []


def test_the_root_of_a_session_says_whose_bot_it_is() -> None:
    message = session_root(bot="support", owner=Person(name="ana", user_id="U0ANA"), channel=CHANNEL, session_id="s1")
    assert message.text == "support works for ana. It asks in this thread."
    assert key_in(message.metadata) == session_key(channel=CHANNEL, session_id="s1")


def test_a_refused_person_is_told_why() -> None:
    assert seen(refused("Only finance may answer.")) == "Your answer does not count. Only finance may answer."
    assert seen(refused("")) == "Your answer does not count."


def test_an_answer_to_a_closed_question_is_told_how_it_closed() -> None:
    assert seen(came_too_late("Approved by kim.")) == "Your answer came too late. Approved by kim."
    assert "The decision stays" in seen(edited_too_late("Approved by kim."))


@pytest.mark.parametrize(
    ("found", "advice"),
    [
        (ask(), "“yes” or “no”"),
        (ask(choice("Berlin", "Paris")), "one of: Berlin, Paris"),
        (ask(answer({"type": "string"})), "in other words"),
    ],
)
def test_an_unclear_reply_is_asked_again_with_what_was_understood(found: Ask, advice: str) -> None:
    message = asked_again(found, reason="It may be a condition.", said="yes if Tom agrees", understood="yes")
    text = seen(message)
    for part in (
        "not taken this as an answer",
        "It may be a condition.",
        "yes if Tom agrees",
        "I understood: yes",
        advice,
    ):
        assert part in text
    assert "I understood" not in seen(asked_again(found, reason="a", said="b"))


def test_which_question_is_meant_is_asked_by_the_labels_of_those_open() -> None:
    text = seen(which_one([("Q1", ask(prompt="Refund 4471?")), ("Q2", ask(prompt="Refund 4472?"))]))
    assert text.startswith("2 questions are open here. Which one do you mean?")
    assert "Q1: Refund 4471?" in text
    assert "Q2: Refund 4472?" in text
    assert "“Q1: yes”" in text


def waiting(asked: Ask) -> Reminder:
    summary = "Still waiting for an answer, for 4 hours now"
    return Reminder(ask=asked, ref=None, number=1, at_ms=asked.asked_at_ms, summary=summary)


def test_a_reminder_calls_people_and_says_until_when() -> None:
    message = reminded(
        waiting(ask()), channel=CHANNEL, people=[Person(name="mara", user_id="U0MARA"), Person(name="kim")]
    )
    elements = message.blocks[0]["elements"][0]["elements"]
    assert elements[0] == {"type": "user", "user_id": "U0MARA"}
    assert "kim" in seen(message)
    assert elements[-1]["type"] == "date"
    assert message.text.endswith("Answer by 2026-03-03 10:12 UTC")


def test_each_message_of_a_question_has_its_own_key_from_which_the_pause_cannot_be_told() -> None:
    keys = {delivery_key(kind, channel=channel, pause_id=PAUSE) for kind in PostKind for channel in ("a", "b")}
    assert len(keys) == 2 * len(PostKind)
    assert not any(PAUSE in key for key in keys)
    # Where one field ends and the next begins counts too.
    assert session_key(channel="ab", session_id="c") != session_key(channel="a", session_id="bc")


@pytest.mark.parametrize(
    "metadata",
    [None, {}, [], {"event_type": "other", "event_payload": {"key": "a"}}, {"event_type": "overwinter_question"}],
)
def test_metadata_of_others_has_no_key_of_ours(metadata: object) -> None:
    assert key_in(metadata) is None
