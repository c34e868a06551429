"""What our border server found out about a sender: its ``Authentication-Results``, and nobody else's.

A sender may write such headers too, in our server's name. What our own servers write stands above the ``Received`` of the
border, so reading ends there. RFC 8601 gives the grammar; a header that does not follow it proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .parts import Part, unfolded
from .settings import Authentication, MailReading

_TOKEN = re.compile(
    r'(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<comment>\()|(?P<mark>[;=])|(?P<word>[^\s"();=]+)|(?P<space>\s+)|.'
)
_BY = re.compile(r"\bby\s+([^\s();]+)", re.IGNORECASE)
_WITH = re.compile(r"\bwith\s+(\w+)", re.IGNORECASE)
_INNER_PROTOCOLS = frozenset({"lmtp", "lmtps", "lmtpa", "lmtpsa"})
_MOST = 20
"""Headers of the border server that are read; one server writes two or three."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One method's result, as ``dkim=pass header.d=corp.example``; all in lower case."""

    method: str
    result: str
    properties: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Whether a sender is who it says, and from what that follows."""

    is_proven: bool
    reason: str


def prove(message: Part, from_domain: str, settings: MailReading) -> Proof:
    """Whether the domain of ``From`` is proven to have sent the message."""
    if settings.authentication is Authentication.NONE:
        return Proof(is_proven=True, reason="no proof is asked for")
    found = tuple(findings(message, settings))
    if not found:
        return Proof(is_proven=False, reason=f"no Authentication-Results of {settings.authserv_id}")
    dmarc = [each for each in found if each.method == "dmarc"]
    fits = [each for each in dmarc if each.properties.get("header.from", from_domain) == from_domain]
    if dmarc and len(fits) == len(dmarc) and all(each.result == "pass" for each in dmarc):
        return Proof(is_proven=True, reason=f"dmarc=pass for {from_domain}, says {settings.authserv_id}")
    said = ", ".join(f"{each.method}={each.result}" for each in found)
    unpublished = all(each.result == "none" for each in dmarc)
    if settings.authentication is Authentication.ALIGNED and unpublished:
        for each in found:
            if each.result == "pass" and _is_aligned(_domain(each), from_domain):
                return Proof(is_proven=True, reason=f"{each.method}=pass for {from_domain}, which publishes no DMARC")
    return Proof(is_proven=False, reason=f"{settings.authserv_id} says {said} for {from_domain}")


def findings(message: Part, settings: MailReading) -> Iterator[Finding]:
    """What our border server found, from the headers that it wrote."""
    ours = settings.authserv_id.lower()
    inner = {host.lower() for host in settings.inner_hosts}
    read = 0
    is_past_border = False
    for name, value in message.headers.raw_items():
        match name.lower():
            case "received" if is_past_border or _is_border(str(value), ours, inner):
                if is_past_border or not settings.results_below_received:
                    return
                is_past_border = True
            case "authentication-results" if read < _MOST:
                read += 1
                authserv_id, found = parse_results(unfolded(str(value)))
                if authserv_id == ours:
                    yield from found
            case _:
                pass


def parse_results(value: str) -> tuple[str, tuple[Finding, ...]]:
    """The server's name and what it found, from the value of one header; an empty name if it cannot be read."""
    clauses: list[list[str]] = [[]]
    position, depth = 0, 0
    while position < len(value):
        match = _TOKEN.match(value, position)
        assert match is not None, "the last alternative matches any character"
        position = match.end()
        if match.lastgroup == "comment":
            depth = 1
            while depth and position < len(value):
                char = value[position]
                depth += (char == "(") - (char == ")")
                position += 2 if char == "\\" else 1
            if depth:
                return "", ()
        elif match.lastgroup is None:
            return "", ()
        elif match.group() == ";":
            clauses.append([])
        elif match.lastgroup != "space":
            clauses[-1].append(match.group().lower())
    head, *rest = clauses
    if not 1 <= len(head) <= 2:
        return "", ()
    return head[0].strip('"'), tuple(found for clause in rest if (found := _finding(clause)) is not None)


def _finding(clause: list[str]) -> Finding | None:
    """``method=result`` and then ``name=value`` pairs; None for ``none`` and for what is not of this form."""
    if len(clause) < 3 or len(clause) % 3 or any(mark != "=" for mark in clause[1::3]):
        return None
    pairs = [(name, value.strip('"')) for name, value in zip(clause[0::3], clause[2::3], strict=True)]
    (method, result), *properties = pairs
    return Finding(method=method.partition("/")[0], result=result, properties=dict(properties))


def _is_border(received: str, ours: str, inner: set[str]) -> bool:
    """Whether a ``Received`` was written where mail comes in from outside, or cannot be told from one that was."""
    line = unfolded(received).lower()
    by = _BY.search(line)
    if by is None:
        return True
    protocol = _WITH.search(line, by.end())
    is_local = by[1] == ours and protocol is not None and protocol[1] in _INNER_PROTOCOLS
    return not (by[1] in inner or is_local)


def _domain(finding: Finding) -> str:
    match finding.method:
        case "dkim":
            return finding.properties.get("header.d", "")
        case "spf":
            return finding.properties.get("smtp.mailfrom", "").rpartition("@")[2]
        case _:
            return ""


def _is_aligned(domain: str, from_domain: str) -> bool:
    """Whether a domain is that of ``From`` or one above it, as DMARC's relaxed alignment allows."""
    return "." in domain and (from_domain == domain or from_domain.endswith(f".{domain}"))
