"""Slack's payloads become what people did; nothing that is sent raises."""

from __future__ import annotations

import copy
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.channels.slack.events import (
    Author,
    Click,
    Deleted,
    DirectMessage,
    Edited,
    Event,
    Ignored,
    Mention,
    ModalSubmitted,
    Reaction,
    SharedFile,
    ThreadReply,
)
from overwinter.channels.slack.reading import reaction_decides, read_event

from .asking import US, case
from .strategies import unhurried

Json = dict[str, Any]
REASONS = {
    "it is for another app",
    "a modal was closed without being sent",
    "no kind of payload that we read",
    "no kind of event that we read",
    "no message that a person wrote",
    "an app wrote it",
    "a message without channel, time or author",
    "a message in a channel, outside every thread",
    "a change without channel, time or author",
    "a change that is not in the words",
    "somebody else changed it",
    "a deletion without channel or time",
    "a reaction to something else than a message",
    "a reaction without a name",
    "our own reaction",
    "a click without a person, or not on one button",
    "a click on nothing",
    "a modal without a person or a name",
}


def happened(**event: Any) -> Json:
    return {
        "type": "event_callback",
        "team_id": "T0HOME",
        "api_app_id": "A0APP",
        "event_id": "Ev01",
        "event": {
            "type": "message",
            "channel": "C0OPS",
            "user": "U0MARA",
            "text": "approve",
            "ts": "1772529600.000200",
            "thread_ts": "1772529120.000100",
            "channel_type": "channel",
            **event,
        },
    }


def read(**event: Any) -> Event:
    return read_event(happened(**event), US)


def clicked(**more: Any) -> Json:
    return {**copy.deepcopy(case("sl04")["input"]["clicks"][0]), **more}


def submitted(values: Any, **more: Any) -> Json:
    view = {
        "id": "V1",
        "callback_id": "q:changes",
        "private_metadata": "carried",
        "hash": "h",
        "state": {"values": values},
    }
    return {
        "type": "view_submission",
        "team": {"id": "T0HOME"},
        "user": {"id": "U0MARA", "team_id": "T0HOME"},
        "api_app_id": "A0APP",
        "view": {**view, **more},
    }


EXAMPLES: tuple[Json, ...] = (
    happened(),
    happened(
        subtype="message_changed",
        message={"user": "U0MARA", "text": "no", "ts": "1.1", "edited": {"ts": "2.1", "user": "U0MARA"}},
    ),
    happened(subtype="message_deleted", deleted_ts="1.1", previous_message={"user": "U0MARA"}),
    happened(type="reaction_added", reaction="+1", item={"type": "message", "channel": "C0OPS", "ts": "1.1"}),
    happened(type="app_mention"),
    clicked(),
    submitted({"field:0": {"typed": {"type": "plain_text_input", "value": "a"}}}),
)


@pytest.mark.case("sl01")
def test_every_delivery_of_an_event_is_the_same_reply() -> None:
    replies = [read_event(delivery["body"], US) for delivery in case("sl01")["input"]["deliveries"]]
    assert replies[0] == ThreadReply(
        external_id="C0OPS:1772529600.000200",
        author=Author(user_id="U0MARA", team_id="T0HOME"),
        team_id="T0HOME",
        channel_id="C0OPS",
        ts="1772529600.000200",
        thread_ts="1772529120.000100",
        text="approve",
        raw_text="approve",
    )
    assert replies == [replies[0]] * 4


@pytest.mark.case("sl04")
def test_a_click_names_its_person_its_message_and_what_its_button_carries() -> None:
    first, second = (read_event(click, US) for click in case("sl04")["input"]["clicks"])
    assert first == Click(
        external_id="U0MARA:1772529120.000100:q:approve:1772529601.1",
        author=Author(user_id="U0MARA", team_id="T0HOME"),
        team_id="T0HOME",
        channel_id="C0OPS",
        message_ts="1772529120.000100",
        thread_ts=None,
        action_id="q:approve",
        value="Q-1042",
        trigger_id="9.9.a",
    )
    assert second == first


@pytest.mark.case("sl07")
def test_who_clicked_is_who_the_signed_payload_names() -> None:
    (click,) = case("sl07")["input"]["clicks"]
    found = read_event({**click, "message": {**click["message"], "user": "U0MARA"}}, US)
    assert isinstance(found, Click)
    assert found.author.user_id == "U0RANDOM"


@pytest.mark.case("sl09")
def test_an_unfurled_link_is_no_second_answer() -> None:
    first, second = (read_event(event, US) for event in case("sl09")["input"]["events"])
    assert isinstance(first, ThreadReply)
    assert second == Ignored(reason="a change that is not in the words")


@pytest.mark.case("sl10")
def test_an_edit_of_the_words_is_told_with_its_author_and_its_message() -> None:
    first, second = (read_event(event, US) for event in case("sl10")["input"]["events"])
    assert isinstance(first, ThreadReply)
    assert isinstance(second, Edited)
    assert (second.ts, second.author, second.text) == (first.ts, first.author, "yes")
    assert second.external_id != first.external_id


@pytest.mark.case("sl12")
def test_a_reply_that_is_also_sent_to_the_channel_counts_once() -> None:
    first, second = (read_event(event, US) for event in case("sl12")["input"]["events"])
    assert isinstance(first, ThreadReply)
    assert first.text == "reject, wrong account"
    assert isinstance(second, Ignored)


@pytest.mark.case("sl13")
def test_what_an_app_writes_is_no_answer() -> None:
    found = [read_event(event, US) for event in case("sl13")["input"]["events"]]
    app, bot = Ignored(reason="an app wrote it"), Ignored(reason="no message that a person wrote")
    assert found == [app, bot, app]


@pytest.mark.case("sl24")
def test_the_words_of_a_person_are_read_without_slacks_markup() -> None:
    found = case("sl24")
    (event,) = found["input"]["events"]
    reply = read_event(event, US)
    assert isinstance(reply, ThreadReply)
    assert reply.text == found["expect"]["text_given_to_interpreter"]
    assert reply.raw_text == event["event"]["text"]


@pytest.mark.case("sl18")
@pytest.mark.parametrize(
    ("raw", "text"),
    [("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"), ("&amp;lt;", "&lt;"), ("&quot;&#60;", "&quot;&#60;")],
)
def test_three_entities_are_turned_back_and_only_once(raw: str, text: str) -> None:
    reply = read(text=raw)
    assert isinstance(reply, ThreadReply)
    assert reply.text == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("<@U0BOT> approve", "approve"),
        (" <@U0BOT|support>: approve", "approve"),
        ("ask <@U0TOM> or <@U0KIM|kim>", "ask @U0TOM or @kim"),
        ("ask <@U0BOT>", "ask @U0BOT"),
        ("<#C0OPS|ops> and <#C0ALL>", "#ops and #C0ALL"),
        ("<!here> <!channel|@channel> <!subteam^S1|@finance> <!subteam^S1>", "@here @channel @finance @S1"),
        ("<!date^1772529600^{date}|3 March>", "3 March"),
        ("<https://x.example|reject>", "reject (https://x.example)"),
        ("<tel:+4930123|030 123>", "030 123"),
        ("‘no’", "'no'"),
        ("a < b", "a < b"),
        ("<>", ""),
    ],
)
def test_people_channels_and_links_are_read_by_their_names(raw: str, text: str) -> None:
    reply = read(text=raw)
    assert isinstance(reply, ThreadReply)
    assert reply.text == text


@pytest.mark.case("sl25")
def test_a_reaction_counts_on_the_question_from_an_approver_where_it_was_allowed() -> None:
    found = case("sl25")["input"]
    events = [read_event({**happened(), "event": event}, US) for event in found["events"]]
    assert events[1] == Ignored(reason="our own reaction")
    reactions = [event for event in events if isinstance(event, Reaction)]
    counted = [
        (events.index(each), reaction_decides(each, found["allow_reactions"]))
        for each in reactions
        if each.message_ts == "1772529120.000100"
        and each.author.user_id in found["approvers"]
        and reaction_decides(each, found["allow_reactions"])
    ]
    assert counted == [(4, "approve")]
    removed = events[5]
    assert isinstance(removed, Reaction)
    assert not removed.is_added
    assert removed.external_id != reactions[-2].external_id
    assert events[3] == Reaction(
        external_id="C0OPS:1772529300.000900:added:U0MARA:+1:Ev01",
        author=Author(user_id="U0MARA", team_id="T0HOME"),
        team_id="T0HOME",
        channel_id="C0OPS",
        message_ts="1772529300.000900",
        name="+1",
        is_added=True,
    )
    assert all(reaction_decides(each, {}) is None for each in reactions)
    assert reaction_decides(reactions[-2], {"thumbsup": "approve"}) == "approve"


@pytest.mark.case("sl27")
def test_a_message_outside_every_thread_belongs_to_no_question() -> None:
    root, _, reply = (read_event(each, US) for each in case("sl27")["input"]["events"] if "event" in each)
    assert root == Ignored(reason="a message in a channel, outside every thread")
    assert isinstance(reply, ThreadReply)
    assert reply.thread_ts == "10.1"


def test_a_mention_and_the_message_it_is_made_of_are_one() -> None:
    mention = read(type="app_mention", text="<@U0BOT> approve")
    message = read(text="<@U0BOT> approve")
    assert isinstance(mention, ThreadReply)
    assert isinstance(message, ThreadReply)
    assert mention.is_mention
    assert mention.external_id == message.external_id


def test_a_mention_in_a_channel_and_a_direct_message_begin_a_conversation() -> None:
    mention = read(type="app_mention", text="<@U0BOT> refund 4471", thread_ts=None)
    assert isinstance(mention, Mention)
    assert mention.text == "refund 4471"
    direct = read(channel="D0MARA", channel_type="im", thread_ts=None)
    assert isinstance(direct, DirectMessage)
    assert direct.external_id == "D0MARA:1772529600.000200"
    assert isinstance(read(channel="D0MARA", channel_type="im"), ThreadReply)
    assert isinstance(read(thread_ts="1772529600.000200"), Ignored)
    assert isinstance(read(channel_type="mpim", channel="G0MPIM", thread_ts=None), Ignored)


def test_files_come_with_their_message() -> None:
    files = [
        {"id": "F1", "name": "a.pdf", "mimetype": "application/pdf", "size": 12},
        {"id": "F2", "size": True},
        {},
        "x",
    ]
    reply = read(subtype="file_share", files=files)
    assert isinstance(reply, ThreadReply)
    assert reply.files == (
        SharedFile(file_id="F1", name="a.pdf", mimetype="application/pdf", size_bytes=12),
        SharedFile(file_id="F2", name="", mimetype="", size_bytes=0),
    )


def test_the_workspace_of_a_stranger_is_told() -> None:
    for names in ({"user_team": "T0ELSE"}, {"source_team": "T0ELSE"}, {"team": "T0ELSE"}):
        reply = read(**names)
        assert isinstance(reply, ThreadReply)
        assert (reply.author.team_id, reply.team_id) == ("T0ELSE", "T0HOME")
    click = read_event(clicked(user={"id": "U0X", "team_id": "T0ELSE"}), US)
    assert isinstance(click, Click)
    assert (click.author.team_id, click.team_id) == ("T0ELSE", "T0HOME")


@pytest.mark.parametrize(
    "event",
    [
        {"bot_id": "B0OTHER"},
        {"app_id": "A0OTHER"},
        {"bot_profile": {"id": "B1"}},
        {"user": "U0BOT"},
        {"user": "USLACKBOT"},
        {"subtype": "channel_join"},
        {"subtype": "message_replied"},
        {"subtype": {"a": 1}},
        {"type": "app_mention", "bot_id": "B0OTHER"},
        {"type": "app_mention", "subtype": "bot_message"},
        {"type": "channel_archive"},
        {"user": None},
        {"ts": None},
        {"ts": "now"},
        {"channel": "C 1"},
    ],
)
def test_nothing_is_an_answer_that_no_person_wrote(event: Json) -> None:
    assert isinstance(read(**event), Ignored)


def change(*, edited: Any, text: str = "yes", before: str = "no", **message: Any) -> Event:
    new = {"user": "U0MARA", "ts": "1.1", "text": text, "edited": edited, **message}
    return read(subtype="message_changed", message=new, previous_message={"text": before, "thread_ts": "0.5"})


def test_an_edit_counts_if_its_author_changed_its_words() -> None:
    by_mara = {"user": "U0MARA", "ts": "2.1"}
    edit = change(edited=by_mara)
    assert isinstance(edit, Edited)
    assert (edit.ts, edit.thread_ts, edit.external_id) == ("1.1", "0.5", "C0OPS:1.1:edited:2.1")
    assert change(edited=by_mara, text="no") == Ignored(reason="a change that is not in the words")
    assert change(edited=None) == Ignored(reason="a change that is not in the words")
    assert change(edited={"user": "U0ADMIN", "ts": "2.1"}) == Ignored(reason="somebody else changed it")
    assert change(edited=by_mara, bot_id="B0SELF") == Ignored(reason="an app wrote it")


def test_a_change_or_a_deletion_that_does_not_say_of_what_is_ignored() -> None:
    by_mara = {"user": "U0MARA", "ts": "2.1"}
    assert change(edited=by_mara, ts=None) == Ignored(reason="a change without channel, time or author")
    assert read(subtype="message_deleted") == Ignored(reason="a deletion without channel or time")


def test_a_deleted_message_is_told_and_whether_it_was_ours() -> None:
    ours = read(subtype="message_deleted", deleted_ts="1.1", previous_message={"user": "U0BOT", "thread_ts": "0.5"})
    assert ours == Deleted(
        external_id="C0OPS:1.1:deleted",
        author=Author(user_id="U0BOT", team_id="T0HOME"),
        team_id="T0HOME",
        channel_id="C0OPS",
        ts="1.1",
        thread_ts="0.5",
        is_ours=True,
    )
    theirs = read(subtype="message_deleted", deleted_ts="1.1", previous_message={"user": "U0MARA"})
    assert isinstance(theirs, Deleted)
    assert not theirs.is_ours
    root = read(
        subtype="message_changed",
        message={"subtype": "tombstone", "ts": "1.1", "user": "USLACKBOT"},
        previous_message={"bot_id": "B0SELF"},
    )
    assert isinstance(root, Deleted)
    assert root.is_ours
    assert root.author is None


def test_a_modal_is_read_by_the_blocks_of_its_inputs() -> None:
    values: Json = {
        "text": {"typed": {"type": "plain_text_input", "value": "a"}},
        "empty": {"typed": {"type": "plain_text_input", "value": None}},
        "select": {"typed": {"type": "static_select", "selected_option": {"value": "3", "text": {}}}},
        "none": {"typed": {"type": "static_select", "selected_option": None}},
        "date": {"typed": {"type": "datepicker", "selected_date": "2026-03-03"}},
        "odd": {},
        "odder": 3,
    }
    found = read_event(submitted(values), US)
    assert isinstance(found, ModalSubmitted)
    assert found == ModalSubmitted(
        external_id=found.external_id,
        author=Author(user_id="U0MARA", team_id="T0HOME"),
        team_id="T0HOME",
        view_id="V1",
        callback_id="q:changes",
        carried="carried",
        values={
            "text": "a",
            "empty": None,
            "select": "3",
            "none": None,
            "date": "2026-03-03",
            "odd": None,
            "odder": None,
        },
    )


def test_a_modal_that_is_sent_again_with_other_values_is_another_answer() -> None:
    sent, corrected = ({"a": {"typed": {"type": "plain_text_input", "value": value}}} for value in ("x", "3"))
    first, again, second = (read_event(submitted(values), US) for values in (sent, sent, corrected))
    assert isinstance(first, ModalSubmitted)
    assert isinstance(second, ModalSubmitted)
    assert first == again
    assert first.external_id != second.external_id


def test_a_click_in_a_modal_carries_what_the_modal_does() -> None:
    view = {"id": "V1", "private_metadata": "carried"}
    action = {"action_id": "q:page:1", "action_ts": "1.1"}
    found = read_event(clicked(view=view, message=None, channel=None, actions=[action]), US)
    assert isinstance(found, Click)
    assert (found.value, found.view_id, found.message_ts, found.channel_id) == ("carried", "V1", None, None)


@pytest.mark.parametrize(
    "payload",
    [
        clicked(actions=[]),
        clicked(actions=[{"action_id": "a"}] * 2),
        clicked(actions="q:approve"),
        clicked(actions=[{}]),
        clicked(user={}),
        clicked(api_app_id="A0OTHER"),
        {**clicked(), "type": "block_suggestion"},
        {**submitted({}), "type": "view_closed"},
        submitted({}, id=None),
        {**happened(), "api_app_id": "A0OTHER"},
        {"type": "url_verification", "challenge": "x"},
        None,
        [],
        "approve",
        3,
    ],
)
def test_what_we_do_not_read_is_ignored(payload: object) -> None:
    found = read_event(payload, US)
    assert isinstance(found, Ignored)
    assert found.reason in REASONS


def test_half_a_character_is_replaced_since_no_database_takes_it() -> None:
    reply = read(text="yes \ud83d")
    assert isinstance(reply, ThreadReply)
    assert reply.text == reply.raw_text == "yes \ufffd"


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)


@unhurried
@given(junk)
def test_no_payload_raises(payload: object) -> None:
    assert isinstance(read_event(payload, US), Ignored)


def paths(found: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in a payload."""
    members: list[tuple[Any, Any]] = []
    if isinstance(found, dict):
        members = list(cast("Json", found).items())
    elif isinstance(found, list):
        members = list(enumerate(cast("list[Any]", found)))
    inside = [path for key, each in members for path in paths(each, (*at, key))]
    return [at, *inside] if at else inside


@unhurried
@given(st.sampled_from(EXAMPLES), st.data())
def test_no_payload_raises_whatever_stands_in_one_place(payload: Json, data: st.DataObject) -> None:
    broken = copy.deepcopy(payload)
    *way, last = data.draw(st.sampled_from(paths(payload)))
    place: Any = broken
    for step in way:
        place = place[step]
    place[last] = data.draw(junk)
    found = read_event(broken, US)
    if isinstance(found, Ignored):
        assert found.reason in REASONS
    else:
        assert found.external_id


@pytest.mark.parametrize("payload", EXAMPLES)
def test_each_example_is_read(payload: Json) -> None:
    assert not isinstance(read_event(payload, US), Ignored)
