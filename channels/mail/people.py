"""Who wrote a mail, and whether that is somebody who may answer.

The one address in ``From`` decides. Display names, ``Reply-To`` and ``Sender`` are chosen by whoever writes: the first two
are not looked at, and another address in ``Sender`` means that somebody else wrote in this person's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .addresses import canonical_address, domain_of, mailboxes, only_mailbox, without_subaddress
from .authentication import prove
from .parts import Part
from .settings import MailReading


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """The writer of a mail.

    Attributes:
        address: canonical; None if ``From`` does not give exactly one.
        is_proven: our border server says that it comes from the domain of ``address``.
        is_answerer: ``address`` is one of those who may answer, proven or not.
        reason: what ``is_proven`` follows from.
        objection: why this person may not answer; empty if they may.
    """

    address: str | None
    name: str
    is_proven: bool
    is_answerer: bool
    reason: str
    objection: str

    @property
    def is_allowed(self) -> bool:
        return self.is_proven and not self.objection


def read_sender(message: Part, settings: MailReading) -> Sender:
    """Who wrote the message."""
    fields = message.all("from")
    box = only_mailbox(fields[0]) if len(fields) == 1 else None
    if box is None or (address := box.address) is None:
        boxes = [box for field in fields for box in mailboxes(field)]
        reason = f"From holds {len(boxes)} addresses in {len(fields)} headers, none of them plainly the sender's"
        return Sender(address=None, name="", is_proven=False, is_answerer=False, reason=reason, objection=reason)
    proof = prove(message, domain_of(address), settings)
    is_answerer = is_one_of(address, settings.answerers, takes_subaddresses=settings.takes_subaddresses)
    objection = "" if is_answerer else f"{address} is not one of the answerers"
    if not objection and (other := _other_sender(message, address)) is not None:
        objection = f"{other} sent it in the name of {address}"
    return Sender(
        address=address,
        name=box.name,
        is_proven=proof.is_proven,
        is_answerer=is_answerer,
        reason=proof.reason,
        objection=objection,
    )


def is_one_of(address: str, answerers: Sequence[str], *, takes_subaddresses: bool = False) -> bool:
    """Whether a canonical address is one of those that may answer."""
    known = {canonical_address(each) for each in answerers}
    return address in known or (takes_subaddresses and without_subaddress(address) in known)


def _other_sender(message: Part, address: str) -> str | None:
    """Whoever ``Sender`` names, if it is not ``address``."""
    for field in message.all("sender"):
        for box in mailboxes(field) or (None,):
            if box is None or box.address != address:
                return (box.address if box else None) or "somebody"
    return None
