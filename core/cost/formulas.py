"""The formulas for cycles, of which each family names one set."""

from __future__ import annotations

from types import MappingProxyType
from typing import Protocol

from core.cost import first_architecture
from core.cost.cycles import OpCycles
from core.cost.rates import Rates
from core.cost.work import Work
from core.ir.cost import Limit
from core.target.unit import Unit


class Formulas(Protocol):
    """A module that knows how long operators take some families."""

    def operator_cycles(self, rates: Rates, work: Work, /) -> OpCycles:
        """Cycles of an operator, and what they are spent on."""

    def cycles_in_blocks(self, rates: Rates, work: Work, /) -> int:
        """The cycles alone, for as many blocks at once as the work has."""

    def cycles_in_parts(self, rates: Rates, work: Work, /) -> float:
        """Cycles that no two or more operations do without that make all of this between them; for
        as many blocks at once as the work has."""


_FORMULAS = MappingProxyType[str, Formulas]({"first architecture": first_architecture})


def operator_cycles(rates: Rates, work: Work) -> OpCycles:
    """Cycles of an operator whose inputs, output and weights are where it says."""
    if work.unit is Unit.DMA:
        return OpCycles(macs=0, cycles=0, limit=Limit.NOTHING)
    return _formulas(rates).operator_cycles(rates, work)


def cycles_in_blocks(rates: Rates, work: Work) -> int:
    """The cycles alone, for as many blocks at once as the work has."""
    return _formulas(rates).cycles_in_blocks(rates, work)


def cycles_in_parts(rates: Rates, work: Work) -> float:
    """Cycles that no two or more operations do without that make all of this between them."""
    return _formulas(rates).cycles_in_parts(rates, work)


def _formulas(rates: Rates) -> Formulas:
    family = rates.accelerator.family
    return family.chosen("formula for cycles", family.algorithms.cycles, _FORMULAS)
