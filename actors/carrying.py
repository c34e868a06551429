"""What a process carries of all that is due, where that is not everything: a command shows what its own session asks.

The rest is left to others, who find it as they find anything that is due: it is not held when it is written, not claimed as long
as it alone is due, and given back where it was claimed together with what this process carries.
"""

from __future__ import annotations

from typing import Protocol

from ..store.changes import ClaimDeliveries, ClaimDeliveriesResult, SettleDelivery, SettleResult
from ..store.rows import DeliveryRow
from .delivering import Carries, DeliveryStore

_AGAIN_IN_MS = 1_000
"""How soon what was given back is due again: late enough to be left alone here, while the rest is carried."""


class DueStore(DeliveryStore, Protocol):
    """What is needed of the store."""

    async def due_deliveries(self, *, now_ms: int) -> frozenset[tuple[str, str]]: ...


class CarriedDeliveries:
    """The deliveries of a store, for a dispatcher that carries some of them."""

    def __init__(self, *, store: DueStore, carries: Carries) -> None:
        self._store = store
        self._carries = carries

    async def claim_deliveries(self, change: ClaimDeliveries) -> ClaimDeliveriesResult:
        due = await self._store.due_deliveries(now_ms=change.now_ms)
        if not any(self._carries(channel, session_id) for channel, session_id in due):
            return ClaimDeliveriesResult(deliveries=())
        result = await self._store.claim_deliveries(change)
        carried = [each for each in result.deliveries if self._carries(each[0].channel, each[0].session_id)]
        for delivery, _ in result.deliveries:
            # What somebody had taken before stays held until its time is up, so that whoever takes it then knows of it.
            if not self._carries(delivery.channel, delivery.session_id) and delivery.key not in result.abandoned:
                await self._give_back(delivery, change)
        return ClaimDeliveriesResult(deliveries=tuple(carried), abandoned=result.abandoned)

    async def settle_delivery(self, change: SettleDelivery) -> SettleResult:
        return await self._store.settle_delivery(change)

    async def _give_back(self, delivery: DeliveryRow, change: ClaimDeliveries) -> None:
        await self._store.settle_delivery(
            SettleDelivery(
                delivery=delivery.key,
                holder=change.holder,
                created_at_ms=delivery.created_at_ms,
                outcome="passed_on",
                ref=None,
                error=f"another process shows on {delivery.channel} what this session asks",
                due_at_ms=change.now_ms + _AGAIN_IN_MS,
                now_ms=change.now_ms,
            )
        )
