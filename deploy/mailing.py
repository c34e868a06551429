"""Makes the mail connection of a configuration."""

from __future__ import annotations

from ..actors.reception import Connection
from ..channels.mail.connection import MailConnection, MailSettings
from ..channels.mail.servers import ImapServer, LmtpListener, SmtpServer
from .mail_settings import ImapConfig, LmtpConfig, MailConfig, SmtpConfig, reading_of
from .paging import page_connection_of, page_settings_of


def mail_connections_of(mail: MailConfig, *, tenant: str, receives: bool) -> list[Connection]:
    """The connection to an operator's mail servers, and the page that its mails lead to, if there is one.

    Args:
        tenant: whose triggers the mails may set off that are about no question.
        receives: whether this process takes in what arrives, and what is answered on the page; the service alone does.
    """
    connection = mail_connection_of(mail, tenant=tenant, receives=receives)
    page = page_settings_of(mail)
    return [connection] if page is None or not receives else [connection, page_connection_of(page, connection)]


def mail_connection_of(mail: MailConfig, *, tenant: str, receives: bool) -> MailConnection:
    """The connection to an operator's mail servers.

    Args:
        tenant: whose triggers the mails may set off that are about no question.
        receives: whether this process takes in what arrives; the service alone does.
    """
    page = page_settings_of(mail)
    return MailConnection(
        MailSettings(
            reading=reading_of(mail, ()),
            keys=mail.secret_keys,
            smtp=None if mail.smtp is None else smtp_server_of(mail.smtp),
            imap=None if mail.imap is None or not receives else imap_server_of(mail.imap),
            lmtp=None if mail.lmtp is None or not receives else _lmtp(mail.lmtp),
            page_of=None if page is None else page.url_of,
        ),
        tenant=tenant,
    )


def smtp_server_of(smtp: SmtpConfig) -> SmtpServer:
    return SmtpServer(
        host=smtp.host,
        port=smtp.port_used,
        tls=smtp.tls,
        user=smtp.user,
        password=None if smtp.password is None else smtp.password.get_secret_value(),
    )


def imap_server_of(imap: ImapConfig) -> ImapServer:
    if imap.user is None or imap.password is None:
        raise ValueError("the configuration lets nobody read a mailbox without a name")
    return ImapServer(
        host=imap.host,
        port=imap.port_used,
        tls=imap.tls,
        user=imap.user,
        password=imap.password.get_secret_value(),
        mailbox=imap.mailbox,
    )


def _lmtp(lmtp: LmtpConfig) -> LmtpListener:
    return LmtpListener(host=lmtp.host, port=lmtp.port)
