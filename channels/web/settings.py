"""Where the answer page is, and what its links are signed with."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .links import page_url, path_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """What an operator gives.

    Attributes:
        base_url: the address people reach the page under.
        host, port: where it listens; a server in front of it is to bear the certificate.
        keys: each of at least 32 bytes, the present one first.
        sends_numbers: the number that confirms an answer is sent to whom the link was sent, and not shown: so a link that
            was handed on answers nothing.
    """

    base_url: str
    host: str
    port: int
    keys: tuple[bytes, ...] = field(repr=False)
    sends_numbers: bool = False

    @property
    def path(self) -> str:
        """The path below which all pages are."""
        return path_of(self.base_url)

    @property
    def is_secure(self) -> bool:
        return urlsplit(self.base_url).scheme == "https"

    def url_of(self, token: str) -> str:
        """The address of a token's page."""
        return page_url(self.base_url, token, self.keys[0])
