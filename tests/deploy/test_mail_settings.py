"""The table ``[mail]``: what may be set, what is derived, and what is refused with its remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from overwinter.channels.mail.settings import Authentication, Limits, MailReading
from overwinter.deploy.config import load_config
from overwinter.deploy.errors import ConfigError
from overwinter.deploy.mail_settings import MailConfig, Tls, reading_of
from overwinter.deploy.mailing import mail_connections_of
from overwinter.deploy.paging import page_settings_of

pytestmark = pytest.mark.usefixtures("clean_environment")

LEAST = 'reply_address = "agent@ask.example.net"\nauthserv_id = "mx.ask.example.net"\n'


def mail(toml: str = LEAST, environ: dict[str, str] | None = None) -> MailConfig:
    Path("overwinter.toml").write_text(f"[mail]\n{toml}")
    config = load_config(environ=environ or {}).mail
    assert config is not None
    return config


def faults(toml: str, environ: dict[str, str] | None = None) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        mail(toml, environ)
    return caught.value.faults


def test_two_keys_are_enough_to_read_mail() -> None:
    read = reading_of(mail(), ("mara@corp.example",))
    assert read == MailReading(
        reply_address="agent@ask.example.net", authserv_id="mx.ask.example.net", answerers=("mara@corp.example",)
    )
    assert read.limits == Limits()


def test_every_key_of_reading_reaches_the_reading() -> None:
    read = reading_of(
        mail(
            LEAST
            + 'authentication = "aligned"\ndisplay_name = "Ops"\nseparator = "-"\nmessage_id_domain = "id.example"\n'
            'inner_hosts = ["in.example"]\nresults_below_received = true\ntakes_subaddresses = true\n'
            "[mail.limits]\nparts = 7\n"
        ),
        (),
    )
    assert read == MailReading(
        reply_address="agent@ask.example.net",
        authserv_id="mx.ask.example.net",
        authentication=Authentication.ALIGNED,
        display_name="Ops",
        separator="-",
        message_id_domain="id.example",
        inner_hosts=("in.example",),
        results_below_received=True,
        takes_subaddresses=True,
        limits=Limits(parts=7),
    )


def test_an_address_that_shows_where_the_token_stands_says_its_separator() -> None:
    config = mail('reply_address = "Ops <agent@ask.example.net>"\nauthentication = "none"')
    assert (config.reply_address, config.separator) == ("agent@ask.example.net", "+")
    for shown in ("agent-<token>@ask.example.net", "agent-{token}@ask.example.net"):
        config = mail(f'reply_address = "{shown}"\nauthentication = "none"')
        assert (config.reply_address, config.separator) == ("agent@ask.example.net", "-")


def test_lists_may_be_written_with_commas() -> None:
    config = mail(environ={"OVERWINTER_MAIL_ANSWERERS": "Mara <Mara@corp.example>, jens@corp.example"})
    assert config.answerers == ("mara@corp.example", "jens@corp.example")
    assert mail(LEAST + 'approvers = ["mara@corp.example"]').answerers == ("mara@corp.example",)


def test_ports_follow_from_how_a_connection_is_kept_secret() -> None:
    for tls, smtp_port, imap_port in ((Tls.TLS, 465, 993), (Tls.STARTTLS, 587, 143), (Tls.NONE, 25, 143)):
        config = mail(
            LEAST + f'[mail.smtp]\nhost = "smtp.example"\ntls = "{tls}"\n'
            f'[mail.imap]\nhost = "imap.example"\ntls = "{tls}"\nuser = "agent"\npassword = "x"'
        )
        assert config.smtp is not None
        assert config.imap is not None
        assert (config.smtp.port_used, config.imap.port_used) == (smtp_port, imap_port)
    config = mail(LEAST + '[mail.smtp]\nhost = "smtp.example"\nport = 2525')
    assert config.smtp is not None
    assert (config.smtp.tls, config.smtp.port_used) == (Tls.STARTTLS, 2525)


def test_variables_reach_the_innermost_keys() -> None:
    key = "k" * 32
    config = mail(
        environ={
            "OVERWINTER_MAIL_SMTP_HOST": "smtp.example",
            "OVERWINTER_MAIL_TOKEN_KEYS": f"{key},{key}2",
            "OVERWINTER_MAIL_PAGE_BASE_URL": "https://ask.example.net",
            "OVERWINTER_MAIL_LMTP_PORT": "24",
        }
    )
    assert config.secret_keys == (key.encode(), f"{key}2".encode())
    assert config.page is not None
    assert config.lmtp is not None
    assert (config.page.base_url, config.lmtp.port) == ("https://ask.example.net", 24)
    assert key not in repr(config)


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        (
            'authserv_id = "mx.example"',
            "mail.reply_address or OVERWINTER_MAIL_REPLY_ADDRESS: it is missing; expected: where",
        ),
        ('reply_address = "agent"\nauthserv_id = "mx.example"', "mail.reply_address: it is not one plain address, not"),
        ('reply_address = "a@b.example"', "mail: authserv_id is missing, so no sender could be proven"),
        (LEAST + 'answerers = ["a@b.example, c"]', "mail.answerers: it is not one plain address"),
        (
            LEAST + 'authentification = "none"',
            "mail.authentification: there is no such key; did you mean authentication?",
        ),
        (LEAST + 'authentication = "maybe"', "expected: one of dmarc, aligned"),
        (LEAST + 'separator = "ab"', "expected: what stands between the local part and the token"),
        (LEAST + 'message_id_domain = "mx example"', "it is no host's name"),
        (LEAST + '[mail.smtp]\nhost = "h.example"\nuser = "a"', "mail.smtp: user and password go together"),
        (LEAST + '[mail.imap]\nhost = "h.example"', "mail.imap: nobody reads a mailbox without a name"),
        (LEAST + '[mail.page]\nbase_url = "ask"', "mail.page.base_url: it is no http or https address; expected"),
        (LEAST + '[mail.page]\nbase_url = "https://ask.example"', "mail: page needs token_keys"),
        (LEAST + "[mail.limits]\nparts = 0", "mail.limits.parts: it should be greater than or equal to 1"),
    ],
)
def test_a_fault_says_the_remedy(toml: str, says: str) -> None:
    (told,) = faults(toml)
    assert says in told


def test_secrets_of_mail_are_shown_nowhere() -> None:
    told = faults(
        LEAST + 'token_keys = ["secret"]\n[mail.smtp]\nhost = "h.example"\nuser = "u"\npassword = 12345',
    )
    assert len(told) == 2
    assert "openssl rand -base64 32" in told[0] + told[1]
    assert not any("secret'" in line or "12345" in line for line in told)


def test_the_page_is_served_by_the_service_alone_and_its_links_stand_in_every_mail() -> None:
    page = f'token_keys = ["{"k" * 32}"]\n[mail.page]\nbase_url = "https://ask.example.net/x"\nport = 8080\n'
    Path("overwinter.toml").write_text(f"[mail]\n{LEAST}{page}")
    config = load_config(environ={})
    assert config.mail is not None
    assert [each.name for each in mail_connections_of(config.mail, tenant="default", receives=True)] == ["mail", "page"]
    assert [each.name for each in mail_connections_of(config.mail, tenant="default", receives=False)] == ["mail"]
    settings = page_settings_of(config.mail)
    assert settings is not None
    assert (settings.host, settings.port, settings.keys) == ("127.0.0.1", 8080, (b"k" * 32,))
    assert settings.url_of("t" * 26).startswith(f"https://ask.example.net/x/a/{'t' * 26}.")
    assert page_settings_of(mail()) is None


@pytest.mark.parametrize(("confirm_by", "sends_numbers"), [("page", False), ("mail", True)])
def test_a_page_may_want_a_number_that_is_mailed(confirm_by: str, sends_numbers: bool) -> None:
    settings = page_settings_of(
        mail(
            LEAST
            + f'token_keys = ["{"k" * 32}"]\n[mail.page]\nbase_url = "https://a.example"\nconfirm_by = "{confirm_by}"\n'
        )
    )
    assert settings is not None
    assert settings.sends_numbers is sends_numbers
