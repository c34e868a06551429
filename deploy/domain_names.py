"""What the domain name system says, as far as checks ask for it."""

from __future__ import annotations

from typing import Protocol

from dns.asyncresolver import Resolver
from dns.exception import DNSException
from dns.rdtypes.ANY.TXT import TXT
from dns.resolver import NXDOMAIN, NoAnswer

_PATIENCE_S = 5.0


class Names(Protocol):
    """Looks names up. Both give nothing for a name that has none, and raise ``OSError`` where nobody answers."""

    async def mail_servers(self, domain: str) -> tuple[str, ...]: ...

    async def texts(self, name: str) -> tuple[str, ...]: ...


class DomainNames:
    """The system's own resolver."""

    async def mail_servers(self, domain: str) -> tuple[str, ...]:
        return tuple(str(each).rpartition(" ")[2].rstrip(".") for each in await self._asked(domain, "MX"))

    async def texts(self, name: str) -> tuple[str, ...]:
        found = await self._asked(name, "TXT")
        return tuple(b"".join(each.strings).decode("utf-8", "replace") for each in found if isinstance(each, TXT))

    async def _asked(self, name: str, kind: str) -> tuple[object, ...]:
        try:
            return tuple(await Resolver().resolve(name, kind, lifetime=_PATIENCE_S))
        except (NXDOMAIN, NoAnswer):
            return ()
        except DNSException as error:
            raise OSError(f"the domain name system says nothing about {name}: {type(error).__name__}") from error
