"""The formulas for cycles, of which each family names one set."""

from __future__ import annotations

from types import MappingProxyType
from typing import Protocol

from core.cost import first_architecture
from core.cost.cycles import IDLE, OpCycles, Unplaced
from core.cost.rates import Rates
from core.cost.work import Work
from core.target.unit import Unit


class Formulas(Protocol):
    """A module that knows how long operators take some families."""

    def unplaced(self, rates: Rates, work: Work, /) -> Unplaced:
        """An operator wherever its maps and constants are."""

    def cycles_in_parts(self, rates: Rates, work: Work, /) -> float:
        """Cycles that no two or more operations do without that make all of this between them; for
        as many blocks at once as the work has."""


_FORMULAS = MappingProxyType[str, Formulas]({"first architecture": first_architecture})


def unplaced(rates: Rates, work: Work) -> Unplaced:
    """An operator wherever its maps and constants are, in one block or as many at once as the work
    has."""
    return IDLE if work.unit is Unit.DMA else _formulas(rates).unplaced(rates, work)


def operator_cycles(rates: Rates, work: Work) -> OpCycles:
    """Cycles of an operator whose inputs, output and weights are where it says."""
    own = unplaced(rates, work)
    return own.told(own.first.waits(rates, work))


def cycles_in_blocks(rates: Rates, work: Work) -> int:
    """The cycles alone, for as many blocks at once as the work has."""
    own = unplaced(rates, work)
    return own.cycles(own.first.waits(rates, work))


def cycles_in_parts(rates: Rates, work: Work) -> float:
    """Cycles that no two or more operations do without that make all of this between them."""
    return _formulas(rates).cycles_in_parts(rates, work)


def _formulas(rates: Rates) -> Formulas:
    family = rates.accelerator.family
    return family.chosen("formula for cycles", family.algorithms.cycles, _FORMULAS)
