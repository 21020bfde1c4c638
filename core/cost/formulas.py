"""The formulas for cycles, of which each family names one set."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from core.cost import first_architecture
from core.cost.cycles import OpCycles
from core.cost.rates import Rates
from core.cost.work import Work
from core.ir.cost import Limit
from core.target.unit import Unit

Formula = Callable[[Rates, Work], OpCycles]

_FORMULAS = MappingProxyType[str, Formula](
    {"first architecture": first_architecture.operator_cycles}
)


def operator_cycles(rates: Rates, work: Work) -> OpCycles:
    """Cycles of an operator whose inputs, output and weights are where it says."""
    if work.unit is Unit.DMA:
        return OpCycles(macs=0, cycles=0, limit=Limit.NOTHING)
    family = rates.accelerator.family
    return family.chosen("formula for cycles", family.algorithms.cycles, _FORMULAS)(rates, work)
