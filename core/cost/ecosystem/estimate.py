"""The ecosystem's estimate as one price."""

from __future__ import annotations

from core.cost.ecosystem.accesses import accesses
from core.cost.ecosystem.bursts import BURSTS
from core.cost.ecosystem.cycles import operator_cycles
from core.cost.ecosystem.works import seen_work_of
from core.cost.price import Price
from core.cost.rates import Rates

ECOSYSTEM = Price(
    rates_of=Rates.unlimited,
    work_of=seen_work_of,
    cycles=operator_cycles,
    accesses=accesses,
    bursts=BURSTS,
    buffered_weights_are_free=True,
)
