"""The message of a question, in every state and for everything that may be asked."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given

from overwinter.actors.asks import AnswerForm, ApprovalForm, Ask, AskedCall, ChoiceForm, Progress, Withdrawal
from overwinter.actors.errors import ChannelRejectedError
from overwinter.channels.slack.carried import Action, QuestionRef, carried_by, pressed, question_in
from overwinter.channels.slack.messages import Message
from overwinter.channels.slack.people import Person
from overwinter.channels.slack.questions import closed, handed_on, progressed, question
from overwinter.channels.slack.submissions import ToDecide, on_press

from ...fakes.block_kit import BlockKitError, buttons_in, check_message, texts_in
from .asking import ASKED_AT_MS, CHANNEL, PAUSE, answer, approval, ask, case, choice, refund
from .strategies import asks, unhurried

MARA = Person(name="mara", user_id="U0MARA")


def seen(message: Message) -> str:
    return "\n".join(texts_in(message.blocks))


def labels(message: Message) -> list[str]:
    return [button["text"]["text"] for button in buttons_in(message.as_post())]


def withdrawal(
    found: Ask,
    why: Literal["decided", "replied", "timed_out", "withdrawn", "cancelled"] = "decided",
    summary: str = "Approved by mara",
    answered_by: str | None = "mara",
) -> Withdrawal:
    return Withdrawal(ask=found, ref=None, why=why, answered_by=answered_by, summary=summary)


@unhurried
@given(asks)
def test_whatever_is_asked_slack_takes_the_message_in_every_state(found: Ask) -> None:
    check_message(question(found, channel=CHANNEL).as_post())
    check_message(question(found, channel=CHANNEL, owner=MARA, progress=found.prompt).as_post())
    check_message(
        closed(withdrawal(found, summary=found.prompt), channel=CHANNEL, at_ms=1, details=found.owner).as_update()
    )
    check_message(handed_on(found, channel=CHANNEL, at_ms=10**18, to=found.bot).as_update())


@unhurried
@given(asks)
def test_every_button_names_its_question_and_does_what_its_form_allows(found: Ask) -> None:
    for button in buttons_in(question(found, channel=CHANNEL).as_post()):
        press = pressed(button["action_id"], button["value"])
        assert press is not None
        assert press.question == QuestionRef(tenant=found.tenant, pause_id=found.pause_id)
        assert on_press(found.form, press) is not None


@unhurried
@given(asks)
def test_an_approval_can_be_rejected_and_nothing_else_can(found: Ask) -> None:
    found_actions = [button["action_id"] for button in buttons_in(question(found, channel=CHANNEL).as_post())]
    is_approval = isinstance(found.form, ApprovalForm)
    assert (Action.APPROVE in found_actions) == (Action.REJECT in found_actions) == is_approval


def test_an_approval_is_shown_field_by_field() -> None:
    form = approval({"order_id": "4471", "amount": 80.5, "urgent": True, "note": None, "customer": {"name": "Kim"}})
    message = question(ask(form, needs=2), channel=CHANNEL, owner=Person(name="ana", user_id="U0ANA"))
    texts = list(texts_in(message.blocks))
    for name, value in (("order_id", "4471"), ("amount", "80.5"), ("urgent", "yes"), ("customer.name", "Kim")):
        assert texts[texts.index(name) + 2] == value
    assert texts[texts.index("note") + 2] == "none"
    assert "support" in texts
    assert " · 2 people have to approve" in texts
    assert labels(message) == ["Approve", "Approve with changes …", "Reject …"]
    assert '{"' not in seen(message)
    rich = [each for block in message.blocks for part in block.get("elements", ()) for each in part.get("elements", ())]
    assert {"type": "user", "user_id": "U0ANA"} in rich
    assert (ASKED_AT_MS + 3_600_000) // 1000 in [each["timestamp"] for each in rich if each["type"] == "date"]


def test_what_is_to_run_is_named_whatever_the_prompt_says() -> None:
    for arguments, rest in (({"a": "b"}, " with:"), ({}, ", without arguments.")):
        message = question(ask(approval(arguments, tool="drop_database"), prompt="Say hello?"), channel=CHANNEL)
        assert f"To run: \ndrop_database\n{rest}" in seen(message)
        assert "To run: drop_database" in message.text


def test_a_name_that_is_cut_counts_as_left_out() -> None:
    message = question(ask(approval({"a" * 200: "b"})), channel=CHANNEL)
    assert "Show all" in labels(message)
    assert "120 characters" in buttons_in(message.as_post())[0]["confirm"]["text"]["text"]


def test_a_prompt_that_says_who_asks_is_not_told_so_twice() -> None:
    for prompt, times in (("support asks to run it. Approve?", 1), ("Run it?", 1)):
        message = question(ask(prompt=prompt), channel=CHANNEL)
        assert seen(message).count("asks") == times
        assert message.text.count("asks") == times


def test_a_text_that_looks_like_a_value_of_another_kind_looks_different() -> None:
    for text, value in (("none", None), ("yes", True), ("empty", "")):
        _, one = question(ask(approval({"a": text})), channel=CHANNEL).blocks[1]["elements"]
        _, other = question(ask(approval({"a": value})), channel=CHANNEL).blocks[1]["elements"]
        assert one["elements"][-1]["text"] == other["elements"][-1]["text"] == text
        assert one["elements"][-1]["style"] != other["elements"][-1]["style"]


def test_how_far_a_question_is_stands_in_it_and_its_buttons_stay() -> None:
    found = ask(needs=2)
    progress = Progress(ask=found, ref=None, approved_by=("mara",), rejected_by=(), summary="1 of 2 approved (mara)")
    message = progressed(progress, channel=CHANNEL)
    assert "1 of 2 approved (mara)" in seen(message)
    assert "Approve" in labels(message)


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        (choice("Berlin", "Paris"), ["Berlin", "Paris"]),
        (choice("Berlin"), ["Berlin"]),
        (answer({"type": "boolean"}), ["Yes", "No"]),
        (answer({"enum": ["red", 3, None]}), ["red", "3", "None"]),
        (answer({"$ref": "#/$defs/C", "$defs": {"C": {"enum": ["a", "b"]}}}), ["a", "b"]),
        (choice(*"abcdef"), ["Choose …"]),
        (choice("Berlin", "berlin"), ["Choose …"]),
        (choice("a" * 76, "b"), ["Choose …"]),
        (choice(*map(str, range(100))), ["Choose …", "Show all"]),
        (choice(*map(str, range(101))), ["Show all"]),
        (answer({"type": "string"}), []),
        (answer({"type": "object", "properties": {"city": {"type": "string"}}}), ["Fill in …"]),
        (answer({"type": "object"}), []),
    ],
)
def test_the_buttons_are_those_of_the_form(form: ChoiceForm | AnswerForm, wanted: list[str]) -> None:
    message = question(ask(form), channel=CHANNEL)
    assert labels(message) == wanted
    invitation = "Or answer in this thread." if wanted else "Please answer in this thread."
    assert invitation in seen(message)


def test_a_call_without_editable_arguments_is_not_offered_for_editing() -> None:
    assert labels(question(ask(approval({"cmd": "ls"}, schema={"type": "object"})), channel=CHANNEL)) == [
        "Approve",
        "Reject …",
    ]


def test_a_question_whose_tenant_no_button_can_hold_is_refused() -> None:
    question(ask(tenant="t" * 300), channel=CHANNEL)
    with pytest.raises(ChannelRejectedError, match="too long for a Slack button"):
        question(ask(tenant="t" * 400), channel=CHANNEL)


def test_what_a_button_carries_has_nothing_that_slack_would_give_back_changed() -> None:
    found = ask(tenant='a&b <c> "d" \\ é 😀')
    carried = carried_by(found)
    assert carried.isascii()
    assert not set("&<>") & set(carried)
    assert question_in(carried) == QuestionRef(tenant=found.tenant, pause_id=PAUSE)


def test_the_fullest_message_fits() -> None:
    """Quotes and backslashes count double in JSON, and double again in the JSON that a button carries."""
    quotes = '"' * 5_000
    call = AskedCall(call_id="c1", tool="t", arguments={quotes + str(at): quotes for at in range(50)})
    form = ChoiceForm(choices=tuple(f"{at}" + '"' * 74 for at in range(5)), call=call)
    found = ask(form, prompt=quotes, tenant='"' * 170, role=quotes, bot=quotes, owner=quotes, needs=2)
    message = question(found, channel=CHANNEL, progress=quotes)
    check_message(message.as_post())
    assert len(labels(message)) == 6
    check_message(closed(withdrawal(found), channel=CHANNEL, at_ms=1, details=quotes).as_update())


def test_the_pause_is_named_by_buttons_alone() -> None:
    message = question(ask(), channel=CHANNEL)
    held = message.as_post()
    assert PAUSE not in str(held["metadata"])
    assert PAUSE not in message.text
    for block in held["blocks"]:
        assert (PAUSE in str(block)) == (block["type"] == "actions")


def dangerous() -> dict[str, Any]:
    """The arguments of the case, their harmless middle spelled out."""
    found = case("sl17")["input"]
    length, text = found["args_chars"], found["args"]["cmd"]
    head, _, tail = text.partition("...600 characters of harmless text...")
    return {"cmd": head + "x" * (length - len(head) - len(tail)) + tail}


@pytest.mark.case("sl17")
def test_the_end_of_a_long_argument_is_seen_and_the_gap_is_counted() -> None:
    arguments = dangerous()
    short = question(ask(approval(arguments, tool="shell"), prompt="Run this?"), channel=CHANNEL)
    assert arguments["cmd"] in list(texts_in(short.blocks))

    arguments["cmd"] = arguments["cmd"].replace("x" * 60, "x" * 60_000, 1)
    message = question(ask(approval(arguments, tool="shell"), prompt="Run this?"), channel=CHANNEL)
    texts = list(texts_in(message.blocks))
    assert any(text.endswith("; rm -rf /srv/data") for text in texts)
    shown = sum(len(text) for text in texts if "x" in text and ("echo" in text or "rm -rf" in text))
    missing = f"{len(arguments['cmd']) - shown:,}"
    assert any(text.startswith(f"… {missing} of {len(arguments['cmd']):,} characters left out") for text in texts)
    assert "Show all" in labels(message)
    (approve,) = [each for each in buttons_in(message.as_post()) if each["action_id"] == Action.APPROVE]
    assert f"{missing} characters" in approve["confirm"]["text"]["text"]


@pytest.mark.case("sl17")
def test_the_end_of_many_arguments_is_seen_and_the_gap_is_counted() -> None:
    form = approval({"steps": [f"step {at}" for at in range(500)] + ["rm -rf /srv/data"]})
    message = question(ask(form), channel=CHANNEL)
    assert "rm -rf /srv/data" in list(texts_in(message.blocks))
    assert "… 485 more fields, not shown here …" in list(texts_in(message.blocks))
    assert "Show all" in labels(message)


def test_whoever_sees_everything_is_not_asked_twice() -> None:
    for button in buttons_in(question(ask(), channel=CHANNEL).as_post()):
        assert "confirm" not in button


@pytest.mark.case("sl15")
def test_a_closing_edit_fits_however_full_the_question_was() -> None:
    found = case("sl15")
    text = "a" * found["input"]["section_text_chars_sent"]
    asked = ask(approval({"text": text}), prompt=text)
    message = closed(withdrawal(asked), channel=CHANNEL, at_ms=ASKED_AT_MS, by=MARA, details=text)
    check_message(message.as_update())
    longest = max(len(each) for each in texts_in(message.blocks))
    assert longest <= found["expect"]["every_section_text_chars_max"]
    assert buttons_in(message.as_update()) == []
    assert " Approved" in list(texts_in(message.blocks))


@pytest.mark.parametrize(
    ("why", "summary", "answered_by", "symbol", "words"),
    [
        ("decided", "Approved by mara", "mara", "white_check_mark", " Approved"),
        ("replied", "Rejected by mara", "mara", "x", " Rejected"),
        ("replied", "Answered by mara", "mara", "white_check_mark", " Answered"),
        ("timed_out", "Timed out without an answer", None, "hourglass", " Timed out without an answer"),
        ("withdrawn", "Not needed any more", None, "heavy_minus_sign", " Not needed any more"),
        ("cancelled", "Cancelled by mara", "mara", "heavy_minus_sign", " Cancelled"),
        ("cancelled", "Cancelled", None, "heavy_minus_sign", " Cancelled"),
    ],
)
def test_a_closed_question_says_what_happened_by_whom_and_when(
    why: Any, summary: str, answered_by: str | None, symbol: str, words: str
) -> None:
    found = withdrawal(ask(), why, summary, answered_by)
    message = closed(found, channel=CHANNEL, at_ms=ASKED_AT_MS, by=MARA if answered_by else None)
    (said,) = message.blocks[-1]["elements"]
    assert said["elements"][0] == {"type": "emoji", "name": symbol}
    assert said["elements"][1]["text"] == words
    assert ({"type": "user", "user_id": "U0MARA"} in said["elements"]) == (answered_by is not None)
    assert said["elements"][-1]["timestamp"] == ASKED_AT_MS // 1000
    assert buttons_in(message.as_update()) == []
    assert message.text.startswith(f"{summary}, 2026-03-03 09:12 UTC")
    assert "4471" in list(texts_in(message.blocks))


def test_an_answer_from_elsewhere_names_whoever_gave_it() -> None:
    found = withdrawal(ask(), answered_by="kim@corp.example", summary="Approved by kim@corp.example")
    message = closed(found, channel=CHANNEL, at_ms=ASKED_AT_MS, details="fine by me")
    assert "kim@corp.example" in list(texts_in(message.blocks))
    assert "fine by me" in list(texts_in(message.blocks))


def test_a_question_that_was_handed_on_has_no_buttons_and_says_to_whom() -> None:
    message = handed_on(ask(), channel=CHANNEL, at_ms=ASKED_AT_MS, to="the directors")
    assert buttons_in(message.as_update()) == []
    assert "the directors" in seen(message)


@pytest.mark.case("sl21")
def test_every_copy_of_a_message_leads_to_the_same_question() -> None:
    """A post that timed out may stand there twice: both copies bear the same key, and buttons of the same question."""
    first, again = (question(ask(), channel=CHANNEL) for _ in range(2))
    assert first.metadata == again.metadata
    assert first == again
    other = question(ask(pause_id="f" * 32), channel=CHANNEL)
    assert other.metadata != first.metadata
    closing = closed(withdrawal(ask()), channel=CHANNEL, at_ms=ASKED_AT_MS)
    assert closing.metadata == first.metadata


@pytest.mark.case("sl06")
def test_a_click_is_understood_with_nothing_but_what_the_button_carries() -> None:
    (approve,) = [
        each for each in buttons_in(question(ask(), channel=CHANNEL).as_post()) if each.get("style") == "primary"
    ]
    press = pressed(str(approve["action_id"]), str(approve["value"]))
    assert press is not None
    assert press.question == QuestionRef(tenant="acme", pause_id=PAUSE)
    assert on_press(refund(), press) == ToDecide(
        decision={"approved": True, "reason": None, "override_arguments": None}
    )


REFUSED: list[dict[str, Any]] = [
    {"blocks": []},
    {"text": ""},
    {"text": "<!channel>"},
    {"text": "see https://evil.example"},
    {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "a", "verbatim": False}}]},
    {"blocks": [{"type": "section", "text": {"type": "plain_text", "text": "a" * 3001, "emoji": False}}]},
    {"blocks": [{"type": "rich_text", "elements": []}]},
    {"blocks": [{"type": "input"}]},
    {"blocks": [{"type": "divider", "colour": "red"}]},
]


@pytest.mark.parametrize("change", REFUSED)
def test_the_validator_refuses_what_slack_would(change: dict[str, Any]) -> None:
    held = question(ask(), channel=CHANNEL).as_post()
    check_message(held)
    with pytest.raises(BlockKitError):
        check_message({**held, **change})
