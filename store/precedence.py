"""Which deliveries of one question in one channel wait for which, so that what people see last is what holds.

A question is put to people before anything else is told of it, and that it is closed is told after all else. What is still to
be sent when that happens is dropped; so whatever a later delivery finds still due is being sent right now.
"""

from __future__ import annotations

from collections.abc import Mapping

from .drafts import DeliveryDraft
from .rows import DeliveryKind, DeliveryStatus
from .view import View

_DUE = DeliveryStatus.DUE.value

BEFORE: Mapping[str, tuple[str, ...]] = {
    DeliveryKind.POST.value: (),
    DeliveryKind.UPDATE.value: (DeliveryKind.POST.value,),
    DeliveryKind.REMIND.value: (DeliveryKind.POST.value,),
    DeliveryKind.RELIEVE.value: (
        DeliveryKind.POST.value,
        DeliveryKind.UPDATE.value,
        DeliveryKind.REMIND.value,
    ),
    DeliveryKind.WITHDRAW.value: (
        DeliveryKind.POST.value,
        DeliveryKind.UPDATE.value,
        DeliveryKind.REMIND.value,
        DeliveryKind.RELIEVE.value,
    ),
}
"""For each kind those that have to be over before it may be sent."""


def has_to_wait(view: View, pause_id: str, kind: str, channel: str) -> bool:
    """Whether another delivery of the same question in the same channel has to be over first."""
    return any(_is_due(view.deliveries.get((pause_id, other, channel))) for other in BEFORE[kind])


def _is_due(delivery: DeliveryDraft | None) -> bool:
    return delivery is not None and delivery.status == _DUE
