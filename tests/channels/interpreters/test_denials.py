"""What speaks against refusing, or says nothing about the matter, is no refusal."""

from __future__ import annotations

import pytest

from overwinter.actors.asks import Understood
from overwinter.channels.interpreters.rules import read_by_rules

from .asks import CHOICES, PROMPT, refund


def decision(reply: str) -> str:
    chosen, approved = (read_by_rules(form, PROMPT, reply) for form in (CHOICES, refund("1234.56")))
    if not isinstance(chosen, Understood):
        assert not isinstance(approved, Understood)
        return "asked"
    assert isinstance(approved, Understood)
    assert approved.decision["approved"] is (chosen.decision == "approve")
    return chosen.decision


@pytest.mark.parametrize(
    "reply",
    [
        "under no circumstances reject it",
        "by no means declined",
        "no chance of rejecting this",
        "no veto",
        "by no means sure",
        "I disagree that this should be rejected",
        "No veto from me",
        "auf keinen Fall ablehnen",
        "keinesfalls verweigern",
        "en aucun cas refuser",
        "in geen geval afwijzen",
        "de ninguna manera rechazado",
        "in nessun caso rifiutare",
        "de jeito nenhum recusado",
        "under inga omständigheter avslå",
        "under ingen omstændigheder afvist",
        "ikke i det hele tatt avvist",
        "ei missään nimessä hylätty",
        "w żadnym wypadku odrzucone",
        "ни в коем случае отклонено",
        "asla reddedildi",
    ],
)
def test_a_refusal_that_is_denied_refuses_nothing(reply: str) -> None:
    assert decision(reply) == "asked"


@pytest.mark.parametrize(
    "reply",
    [
        "under no circumstances",
        "under no circumstances approve this",
        "by no means approved",
        "no way, rejected",
        "no, veto",
        ":x: rejected",
        "auf keinen Fall freigeben",
        "keinesfalls genehmigen",
        "en aucun cas approuver",
        "in geen geval goedkeuren",
        "de ninguna manera apruebo",
        "in nessun caso approvare",
        "de jeito nenhum autorizar",
        "under inga omständigheter godkänna",
        "under ingen omstændigheder godkendt",
        "ei missään nimessä hyväksyä",
        "w żadnym wypadku zatwierdzać",
        "ни в коем случае одобрять",
    ],
)
def test_a_denial_refuses_by_itself_and_whatever_approves_behind_it(reply: str) -> None:
    assert decision(reply) == "reject"


@pytest.mark.parametrize(
    "reply", ["yes, under no circumstances", "approved under no circumstances", "ja auf keinen Fall"]
)
def test_a_yes_before_a_denial_is_a_doubt(reply: str) -> None:
    assert decision(reply) == "asked"


@pytest.mark.parametrize("reply", ["No. 4471 is fine", "no 4471", "no.4471", "No. 12"])
def test_a_no_before_a_number_may_be_a_number_sign(reply: str) -> None:
    assert decision(reply) == "asked"


@pytest.mark.parametrize("reply", ["No, 4471 was paid in January.", "No. Order 4471 was paid in January.", "no\n4471"])
def test_a_no_apart_from_a_number_refuses(reply: str) -> None:
    assert decision(reply) == "reject"


@pytest.mark.parametrize(
    "reply",
    [
        "I am not allowed to approve this",
        "I'm not authorised to approve",
        "we're not permitted to approve that",
        "ich darf das nicht genehmigen",
        "ik mag dit niet goedkeuren",
        "jag får inte godkänna det här",
        "jeg må ikke godkende det",
        "je ne suis pas autorisé à approuver",
        "no estoy autorizada",
        "non sono autorizzato",
        "não tenho autorização",
    ],
)
def test_who_may_not_decide_has_not_refused(reply: str) -> None:
    assert decision(reply) == "asked"


@pytest.mark.parametrize("reply", ["this is not allowed", "not authorised", "I can't approve this", "nicht erlaubt"])
def test_what_may_not_be_done_is_refused(reply: str) -> None:
    assert decision(reply) == "reject"


@pytest.mark.parametrize(
    "reply",
    [
        "unfortunately I can't",
        "leider nicht da",
        "leider kann ich nicht",
        "purtroppo non ci sono",
        "tyvärr kan jag inte",
        "helaas kan ik niet",
        "unfortunately not here",
        "I'm afraid I don't know",
    ],
)
def test_regretting_something_else_is_no_refusal(reply: str) -> None:
    assert decision(reply) == "asked"


@pytest.mark.parametrize(
    "reply", ["unfortunately not", "leider nicht", "purtroppo no", "tyvärr inte", "helaas niet", "leider nein, danke"]
)
def test_regretting_no_more_than_a_not_is_one(reply: str) -> None:
    assert decision(reply) == "reject"
