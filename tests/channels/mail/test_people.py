"""Who wrote a mail: by ``From`` and our border server's word alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from overwinter.channels.mail.addresses import canonical_address, mailboxes
from overwinter.channels.mail.authentication import parse_results
from overwinter.channels.mail.results import MailClass
from overwinter.channels.mail.settings import Authentication

from .letters import MARA, PROVEN, SETTINGS, mail, read

EVIL = "mx.ask.example.net; dmarc=pass header.from=attacker.example"
FAILED = "mx.ask.example.net; dkim=none; spf=pass smtp.mailfrom=x.example; dmarc=fail (p=none) header.from=corp.example"


def test_an_answerer_is_allowed() -> None:
    result = read(mail("Approve"))
    assert (result.sender, result.sender_name, result.sender_allowed) == (MARA, "Mara Lind", True)


@pytest.mark.parametrize(
    ("written", "is_allowed"),
    [
        (f"Mara Lind <{MARA}>", True),
        ("Mara.Lind@Corp.Example", True),
        (f'"Lind, Mara" <{MARA}>', True),
        (f"=?utf-8?Q?M=C3=A1ra_Lind?= <{MARA}>", True),
        (f"{MARA} (Mara)", True),
        (f"Lind, Mara (Finance) <{MARA}>", True),
        (f"Mara: Lind, [Corp] <{MARA}>", True),
        (f"Lind, mallory@attacker.example <{MARA}>", False),
        (f"mallory at attacker.example; Mara <{MARA}>", False),
        (f"Lind, Mara <{MARA}> <{MARA}>", False),
        (f"Lind, Mara <{MARA}>, Sam", False),
        (f"Lind, Mara <mallory@attacker.example> [{MARA}]", False),
        ("mara.lind+x@corp.example", False),
        ("mara.lind@corp.example.evil.example", False),
        ("mаra.lind@corp.example", False),
        ("mara.lind@cŏrp.example", False),
        ("mara.lind@ｃorp.example", False),
        ('"mara.lind"@corp.example', False),
        (f'"Mara <{MARA}>" <mallory@attacker.example>', False),
        (f"=?utf-8?Q?Mara_=3C{MARA}=3E?= <mallory@attacker.example>", False),
        (f"{MARA}, mallory@attacker.example", False),
        (f"<{MARA}> <mallory@attacker.example>", False),
        (f"Answerers: {MARA};", False),
        (f"mallory@attacker.example({MARA})", False),
        (f"<{MARA}", False),
        (f'"unclosed <{MARA}>', False),
        (f"@attacker.example:{MARA}", False),
        ("mara.lind @corp.example", False),
        ("", False),
    ],
)
@pytest.mark.case("em31")
@pytest.mark.case("se17")
def test_only_the_plain_address_of_an_answerer_is_one(written: str, is_allowed: bool) -> None:
    settings = replace(SETTINGS, authentication=Authentication.NONE)
    assert read(mail("Approve", headers={"From": written}), settings).sender_allowed is is_allowed


def test_a_subaddress_answers_only_if_settings_say_so() -> None:
    raw = mail("Approve", headers={"From": "mara.lind+x@corp.example"})
    assert not read(raw).sender_allowed
    assert read(raw, replace(SETTINGS, takes_subaddresses=True)).sender_allowed


def test_answerers_may_be_written_in_any_case() -> None:
    assert read(mail("Approve"), replace(SETTINGS, answerers=("Mara.Lind@CORP.example",))).sender_allowed
    assert not read(mail("Approve"), replace(SETTINGS, answerers=("", "Mara Lind", "@corp.example"))).sender_allowed


def test_two_from_headers_name_nobody() -> None:
    result = read(mail("Approve", more=(("From", MARA),)))
    assert (result.sender, result.sender_allowed, result.question_stays_open) == (None, False, True)


def test_who_sends_in_anothers_name_is_not_that_person() -> None:
    other = read(mail("Approve", headers={"Sender": "assistant@corp.example"}))
    assert (other.sender_allowed, other.question_stays_open) == (False, True)
    assert read(mail("Approve", headers={"Sender": MARA.upper()})).sender_allowed


def test_reply_to_is_nobody() -> None:
    forged = mail("Approve", headers={"From": "mallory@attacker.example", "Reply-To": MARA}, results=EVIL)
    assert not read(forged).sender_allowed
    assert read(mail("Approve", headers={"Reply-To": "elsewhere@corp.example"})).sender_allowed


@pytest.mark.parametrize(
    "results",
    [
        None,
        FAILED,
        EVIL,
        "mx.other.example; dmarc=pass header.from=corp.example",
        "mx.ask.example.net.evil.example; dmarc=pass header.from=corp.example",
        "mx.ask.example.net; none",
        "mx.ask.example.net; spf=pass (dmarc=pass) smtp.mailfrom=corp.example",
        'mx.ask.example.net; spf=pass smtp.mailfrom="x; dmarc=pass header.from=corp.example"',
        "mx.ask.example.net; dmarc=pass header.from=corp.example; dmarc=fail header.from=corp.example",
        "mx.ask.example.net; dmarc = temperror header.from=corp.example",
        "mx.ask.example.net (comment without end; dmarc=pass header.from=corp.example",
        "mx.ask.example.net; dmarc=pass=pass",
        "; dmarc=pass header.from=corp.example",
    ],
)
@pytest.mark.case("em29")
def test_what_the_border_server_did_not_prove_is_not_proven(results: str | None) -> None:
    result = read(mail("Approve", results=results))
    assert (result.mail_class, result.text) == (MailClass.UNAUTHENTICATED, "")
    assert (result.sender_allowed, result.question_stays_open, result.is_forgery_suspected) == (False, True, True)


@pytest.mark.parametrize(
    "results",
    [
        "mx.ask.example.net; dmarc=pass",
        "MX.ask.example.net 1; DMARC=Pass (p=reject dis=none) header.from=Corp.Example",
        'mx.ask.example.net (rspamd) ; dkim=fail reason="bad; key" header.d=x.example; dmarc = pass policy.p=none',
        "mx.ask.example.net;\r\n\tspf=pass smtp.mailfrom=x.example;\r\n\tdmarc=pass header.from=corp.example",
    ],
)
def test_what_the_border_server_proved_is_proven(results: str) -> None:
    assert read(mail("Approve", results=results)).sender_allowed


@pytest.mark.case("em29")
def test_results_below_the_border_are_the_senders_own() -> None:
    forged = mail("Approve", results=None, more=(("Authentication-Results", PROVEN),))
    assert read(forged).mail_class is MailClass.UNAUTHENTICATED
    assert read(mail("Approve", results=FAILED, more=(("Authentication-Results", PROVEN),))).is_forgery_suspected


def test_results_right_below_the_border_count_if_settings_say_so() -> None:
    below = replace(SETTINGS, results_below_received=True)
    hop = ("Received", "from evil.example by corp.example with ESMTP")
    proven = mail("Approve", results=None, more=(("Authentication-Results", PROVEN), hop))
    assert read(proven, below).sender_allowed
    assert not read(proven).sender_allowed
    forged = mail("Approve", results=None, more=(hop, ("Authentication-Results", PROVEN)))
    assert not read(forged, below).sender_allowed
    both = mail("Approve", results=None, more=(("Authentication-Results", FAILED), ("Authentication-Results", PROVEN)))
    assert not read(both, below).sender_allowed


@pytest.mark.parametrize(
    ("received", "inner_hosts", "is_allowed"),
    [
        ("from mx.ask.example.net by mx.ask.example.net with LMTP id 1", (), True),
        ("from mx.ask.example.net by store.ask.example.net with ESMTP id 1", ("store.ask.example.net",), True),
        ("from mx.ask.example.net by store.ask.example.net with ESMTP id 1", (), False),
        ("from mx.ask.example.net by mx.ask.example.net with ESMTP id 1", (), False),
        ("from nowhere", (), False),
    ],
)
def test_servers_of_ours_behind_the_border_may_stand_above_it(
    received: str, inner_hosts: tuple[str, ...], is_allowed: bool
) -> None:
    raw = f"Received: {received}\r\n".encode() + mail("Approve")
    assert read(raw, replace(SETTINGS, inner_hosts=inner_hosts)).sender_allowed is is_allowed


@pytest.mark.parametrize(
    ("results", "is_proven"),
    [
        ("mx.ask.example.net; dkim=pass header.d=corp.example", True),
        ("mx.ask.example.net; dkim=pass header.d=example; dmarc=none", False),
        ("mx.ask.example.net; spf=pass smtp.mailfrom=bounce@corp.example; dmarc=none header.from=corp.example", True),
        ("mx.ask.example.net; dkim=pass header.d=attacker.example; dmarc=none header.from=corp.example", False),
        ("mx.ask.example.net; dkim=pass header.d=corp.example; dmarc=fail header.from=corp.example", False),
        ("mx.ask.example.net; dkim=pass header.d=x.corp.example", False),
    ],
)
def test_a_domain_without_dmarc_may_be_proven_by_its_signature(results: str, is_proven: bool) -> None:
    raw = mail("Approve", results=results)
    assert read(raw, replace(SETTINGS, authentication=Authentication.ALIGNED)).sender_allowed is is_proven
    assert not read(raw).sender_allowed


def test_a_stranger_is_no_forgery() -> None:
    result = read(mail("Approve", headers={"From": "sam@corp.example"}, results=FAILED))
    assert (result.mail_class, result.is_forgery_suspected) == (MailClass.UNAUTHENTICATED, False)


def test_addresses_have_one_spelling() -> None:
    assert canonical_address("Ä@bücher.example") == "Ä@xn--bcher-kva.example"
    assert canonical_address("a@" + "b" * 400) is None
    assert canonical_address("a@-b.example") is None
    assert canonical_address("a\x00@b.example") is None


def test_a_list_of_addresses_is_taken_apart_at_its_commas_alone() -> None:
    value = 'A <a@x.example>, "B, c@x.example" <b@x.example> (not, d@x.example), G: e@x.example;, "f@x.example"'
    assert [box.address for box in mailboxes(value)] == ["a@x.example", "b@x.example", None, None]


def test_results_are_read_with_their_properties() -> None:
    server, found = parse_results(
        'mx.example; dkim=pass (2048 (rsa)) header.d=a.example header.i="@a.example"; auth=pass'
    )
    assert server == "mx.example"
    assert [(each.method, each.result, each.properties) for each in found] == [
        ("dkim", "pass", {"header.d": "a.example", "header.i": "@a.example"}),
        ("auth", "pass", {}),
    ]
