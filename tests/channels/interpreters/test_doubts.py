"""Replies that look like an approval and are none, kind by kind: each is asked again."""

from __future__ import annotations

from typing import Any

import pytest

from overwinter.actors.asks import AnswerForm, ApprovalForm, ChoiceForm, Form, Understood
from overwinter.channels.interpreters.rules import read_by_rules

from .asks import CHOICES, refund

PROMPT = "Approve refund of 80.00 EUR for order 4471?"
PLAIN = "The bot asks to run a tool. Approve?"


def decision(form: Form, reply: str, prompt: str = PROMPT) -> Any:
    """What was decided; the word "asked" if nothing was."""
    reading = read_by_rules(form, prompt, reply)
    if not isinstance(reading, Understood):
        return "asked"
    match reading.decision:
        case {"approved": True, "override_arguments": None}:
            return "approve"
        case {"approved": True, "override_arguments": changed}:
            return changed
        case {"approved": False}:
            return "reject"
        case other:
            return other


def call(tool: str = "refund_card", /, **arguments: Any) -> ApprovalForm:
    return ApprovalForm(tool=tool, arguments=arguments, schema={})


@pytest.mark.parametrize(
    "below",
    [
        "Cancel",
        "Stop",
        "Revoked",
        "Cancel Everything",
        "Fraud Suspected",
        "Storniert",
        "Отмена",
        "Scrap",
        "Zurück",
        "Mara Cancelled",
        "Mara Reversal",
        "Ana Betrug",
        "Mark",
        "Xyzzy",
    ],
)
@pytest.mark.parametrize(
    "reply", ["Approved\nThanks\n", "Genehmigt\nDanke,\n", "Одобрено\nСпасибо\n", "ok only half\nThanks\n"]
)
def test_a_word_below_a_sign_off_is_no_name_unless_it_is_known_as_one(reply: str, below: str) -> None:
    assert decision(refund(), reply + below) == "asked"


@pytest.mark.parametrize("name", ["Mara", "Mara Lind", "Jens-Peter", "Ольга", "José"])
def test_a_known_name_below_a_sign_off_is_cut_off(name: str) -> None:
    assert decision(refund(), f"Approved\nThanks,\n{name}") == "approve"


@pytest.mark.parametrize(
    "reply",
    [
        "ok if at most 50",
        "ok if not more than 50",
        "ok provided max 50",
        "ok wenn nicht mehr als 50",
        "oui, si pas plus de 50",
        "да, если не более 50",
        "ok unless half",
        "ok except max 50",
        "ok otherwise half",
        "hold on, ok only half",
        "wait, ok only half",
        "warte, ok, nur die hälfte",
        "ok, es sei denn nur die hälfte",
        "sí, salvo la mitad",
        "sim, caso só metade",
        "ok, tenzij de helft",
        "zgoda, jeśli tylko połowę",
    ],
)
def test_only_a_plain_but_stands_before_a_limit(reply: str) -> None:
    assert decision(refund(), reply) == "asked"


LEANING = [
    "yes",
    "ok",
    "👍",
    "ja",
    "oui",
    "sí",
    "да",
    "evet",
    "はい",
    "no problem",
    "go ahead",
    "fine by me",
    "ok only half",
]


@pytest.mark.parametrize(
    "prompt",
    [
        "Any concerns?",
        "Is there a problem?",
        "Anything wrong with it?",
        "Should I hold off?",
        "Skip it?",
        "Hast du Bedenken?",
        "¿Alguna objeción?",
        "¿Te opones?",
        "Vous opposez-vous ?",
        "Ti opponi?",
        "Sakıncası var mı?",
        "問題ありますか？",
        "有问题吗？",
        "Is approval premature?",
        "Has it been refunded already?",
        "Shall we wait?",
        "Tell me if something is off",
    ],
)
def test_a_yes_leans_on_a_question_that_plainly_asks_for_approval(prompt: str) -> None:
    assert [reply for reply in LEANING if decision(refund(), reply, prompt) != "asked"] == []
    assert [reply for reply in LEANING if decision(CHOICES, reply, prompt) != "asked"] == []


@pytest.mark.parametrize(
    "prompt",
    [
        PROMPT,
        PLAIN,
        "A customer wants a refund (order_id=4471). Approve?",
        "Refund order 4471?",
        "Do you approve?",
        "Shall I refund it?",
        "Bitte freigeben?",
        "¿Autorizar?",
        "Approuver ?",
        "Refund 80 EUR, approve?",
    ],
)
def test_a_plain_request_takes_a_bare_answer(prompt: str) -> None:
    assert [decision(refund(), reply, prompt) for reply in ("yes", "ok", "go ahead")] == ["approve"] * 3
    assert decision(refund(), "no", prompt) == "reject"


@pytest.mark.parametrize(
    "prompt", ["Should I hold off?", "Skip it?", "Shall I stop the refund?", "Is there a problem?"]
)
def test_approved_may_mean_holding_back_if_that_is_asked(prompt: str) -> None:
    assert decision(refund(), "approved", prompt) == "asked"
    assert decision(refund(), "approved", "Is it urgent?") == "approve"


def test_an_agreement_is_no_datum() -> None:
    flag = AnswerForm(schema={"type": "boolean"})
    for reply in ("no problem", "approved", "yes"):
        assert decision(flag, reply, "Any problem with the order?") == "asked"
    assert decision(flag, "no problem", "Is it urgent?") == "asked"
    assert decision(flag, "yes", "Is it urgent?") is True
    assert decision(flag, "no", "Is it urgent?") is False


@pytest.mark.parametrize(
    "reply",
    [
        "ok but only for 4472",
        "approve only 4472",
        "ok, max 4000",
        "ok only for 44",
        "yes, just 1 refund",
        "ok, max 1 refund of 8000",
        "ok, max 50 per order",
        "ja, nur für 50",
        "oui, seulement pour 50",
        "sí, solo para 44",
    ],
)
def test_a_number_that_may_be_something_else_is_no_limit(reply: str) -> None:
    assert decision(refund("8000.00"), reply, PLAIN) == "asked"


@pytest.mark.parametrize(("reply", "amount"), [("ok, max 4000 EUR", "4000.00"), ("ok, only 4000.00", "4000.00")])
def test_a_sum_that_says_it_is_one_is_a_limit(reply: str, amount: str) -> None:
    assert decision(refund("8000.00"), reply, PLAIN) == {"order_id": "4471", "amount": amount}


@pytest.mark.parametrize("code", ["THB", "SGD", "MXN", "NZD", "AED", "XOF"])
@pytest.mark.parametrize("reply", ["yes 80 USD", "yes, €80", "yes, $80", "ok only 50 €", "ok only $50"])
def test_a_currency_that_is_not_known_agrees_with_none(code: str, reply: str) -> None:
    assert decision(refund(currency=code, schema={}), reply, PLAIN) == "asked"
    assert decision(refund(), reply, f"Refund 80.00 {code}?") == "asked"
    assert decision(refund(), reply, f"Refund {code} 80.00?") == "asked"
    assert decision(refund(), reply, "Refund 80.00 baht?") == "asked"
    assert decision(refund(currency=code, schema={}), "yes", PLAIN) == "approve"


def test_where_no_currency_is_named_a_reply_may_name_one() -> None:
    assert decision(refund(), "ok, only 50 EUR", PLAIN) == {"order_id": "4471", "amount": "50.00"}


@pytest.mark.parametrize(
    "tool",
    """halt_payment pause_payment dispute_payment recall_payment waive_payment skip_payment terminate_payment
    suspend_payment zahlung_anhalten zahlung_stoppen suspendre_paiement suspender_pago приостановить_платеж hinder_payment
    payment_hold""".split(),  # noqa: SIM905
)
def test_approving_the_payment_is_not_approving_to_stop_it(tool: str) -> None:
    for reply in ("approve the payment", "Zahlung freigegeben", "apruebo el pago", "yes, payment"):
        assert decision(call(tool, id="x"), reply, f"The bot asks to run {tool}(id=x). Approve?") == "asked"
    for reply in ("approved", "yes"):
        assert decision(call(tool, id="x"), reply, f"The bot asks to run {tool}(id=x). Approve?") == "approve"


@pytest.mark.parametrize("name", ["amount_cents", "amountMinor", "price_pence", "total_centavos"])
@pytest.mark.parametrize(
    "reply", ["ok only half", "yes, max 40 EUR", "approve 8000 EUR", "approve 80 EUR", "yes, 8000"]
)
def test_an_amount_in_cents_is_not_spoken_of(name: str, reply: str) -> None:
    assert decision(call("refund_card", **{"order_id": "4471", name: 8000}), reply, PLAIN) == "asked"


def test_a_schema_or_an_argument_may_say_that_it_counts_cents() -> None:
    schema = {"properties": {"amount": {"type": "integer", "description": "In cents."}}}
    told = ApprovalForm(tool="refund", arguments={"amount": 8000}, schema=schema)
    assert decision(told, "approve 8000 EUR", PLAIN) == "asked"
    assert decision(call(amount=8000, unit="cents"), "ok only half", PLAIN) == "asked"


@pytest.mark.parametrize("name", ["discount", "minimum_amount", "min_price", "limit_amount", "quantity"])
@pytest.mark.parametrize("reply", ["ok only half", "ok, only 50%", "ok, max 10 EUR"])
def test_what_is_no_sum_of_money_is_not_lowered(name: str, reply: str) -> None:
    assert decision(call("refund_card", **{"order_id": "4471", name: 80}), reply, PLAIN) == "asked"


@pytest.mark.parametrize(
    "reply",
    [
        "yes, only 50 만",
        "네, 최대 50 천",
        "同意，只 50 万",
        "ok, only 50 thousand",
        "ok, max about 50",
        "ok, only circa 50",
        "ok, höchstens ungefähr 50",
        "oui, max environ 50",
        "evet, ama 50 kadar",
        "да, только примерно 50",
    ],
)
def test_a_multiple_or_an_estimate_is_no_limit(reply: str) -> None:
    assert decision(refund("8000000.00"), reply, PLAIN) == "asked"


@pytest.mark.parametrize("reply", ["don't approve", "not approved", "do not approve it"])
def test_not_approving_is_a_choice_only_if_one_other_is_left(reply: str) -> None:
    three = ChoiceForm(choices=("approve", "reject", "escalate"))
    assert decision(three, reply) == "asked"
    assert decision(CHOICES, reply) == "reject"
    assert decision(three, "rejected") == "reject"


@pytest.mark.parametrize("reply", ["yeah right, approved", "yeah sure, approved", "right, approved"])
def test_mockery_approves_nothing(reply: str) -> None:
    assert decision(refund(), reply) == "asked"


@pytest.mark.parametrize(
    "reply",
    ["ok", "Okay!", "ok, thanks", "vale", "tamam", "approved", "granted", "rejected", "denied", "no way", "abgelehnt"],
)
def test_who_agrees_or_turns_down_has_not_said_whether_a_thing_is_so(reply: str) -> None:
    flag = AnswerForm(schema={"type": "boolean"})
    assert decision(flag, reply, "Does the supplier charge VAT?") == "asked"
    expected = reply not in ("rejected", "denied", "no way", "abgelehnt")
    assert decision(flag, reply, "Shall I send it?") is expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("yes they do", True),
        ("Yes, it does.", True),
        ("true", True),
        ("True.", True),
        ("false", False),
        ("no, they don't", False),
        ("certainly not", False),
        ("no it isn't", False),
        ("no they do", "asked"),
        ("yes they don't", "asked"),
        ("they do", "asked"),
        ("true?", "asked"),
        ("not true", "asked"),
        ("true or false", "asked"),
    ],
)
def test_a_thing_is_so_or_it_is_not(reply: str, expected: bool | str) -> None:
    assert decision(AnswerForm(schema={"type": "boolean"}), reply, "Does the supplier charge VAT?") == expected
    of_one = AnswerForm(schema={"type": "object", "properties": {"vat": {"type": "boolean"}}, "required": ["vat"]})
    found = decision(of_one, reply, "Does the supplier charge VAT?")
    assert found == ("asked" if expected == "asked" else {"vat": expected})
