"""Makes the answer page of a configuration, for the people whom its mail connection asks."""

from __future__ import annotations

from ..channels.mail.connection import MailConnection
from ..channels.web.bearers import Bearer
from ..channels.web.connection import PageConnection
from ..channels.web.settings import PageSettings
from .mail_settings import ConfirmBy, MailConfig


class MailBearers:
    """Whoever bears a link from one of our mails."""

    def __init__(self, connection: MailConnection) -> None:
        self._connection = connection

    async def find(self, token: str) -> Bearer | None:
        about = await self._connection.asked(token)
        if about is None:
            return None
        return Bearer(tenant=about.tenant, pause_id=about.pause_id, answered_by=about.recipient)

    async def send_number(self, token: str, number: str, *, shown: str) -> bool:
        return await self._connection.send_number(token, number, shown=shown)


def page_settings_of(mail: MailConfig) -> PageSettings | None:
    """The page; None if there is none."""
    if mail.page is None:
        return None
    page = mail.page
    return PageSettings(
        base_url=page.base_url,
        host=page.host,
        port=page.port,
        keys=mail.secret_keys,
        sends_numbers=page.confirm_by is ConfirmBy.MAIL,
    )


def page_connection_of(settings: PageSettings, connection: MailConnection) -> PageConnection:
    """The page for what a mail connection asks."""
    return PageConnection(settings, bearers=MailBearers(connection))
