"""What is said of an operator's cycles, whatever the formulas."""

from __future__ import annotations

from typing import Protocol

from core.base.frozen import Frozen, NamedTuple
from core.cost.rates import Rates
from core.cost.waits import NOTHING_FIRST, FirstBlock, Waits
from core.cost.work import Work
from core.ir.cost import Limit
from core.target.unit import Unit

ONE_CHANNEL_A_TAP = frozenset({Unit.DEPTHWISE, Unit.POOLING})


class OwnTerms(NamedTuple):
    """Cycles that each part of the accelerator takes by itself."""

    macs: float = 0.0
    decoder: float = 0.0
    output: float = 0.0
    latency: float = 0.0


NOTHING_OWN = OwnTerms()


class OpCycles(Frozen):
    """MACs and cycles of an operator, and what limits its blocks."""

    macs: int
    cycles: int
    limit: Limit
    terms: OwnTerms = NOTHING_OWN


class Unplaced(Protocol):
    """An operator wherever its maps and constants are."""

    @property
    def first(self) -> FirstBlock:
        """What it waits for."""

    def stored_as(self, rates: Rates, work: Work, /) -> Unplaced:
        """The same where its maps are stored as those of a work that is the same otherwise."""

    def cycles(self, waits: Waits, /) -> int:
        """Cycles that it takes in its place."""

    def told(self, waits: Waits, /) -> OpCycles:
        """The same, and what they are spent on."""


class _Idle(Frozen):
    """Nothing, as where the accelerator copies."""

    first: FirstBlock = NOTHING_FIRST

    def stored_as(self, rates: Rates, work: Work, /) -> Unplaced:
        del rates, work
        return self

    def cycles(self, waits: Waits, /) -> int:
        del waits
        return 0

    def told(self, waits: Waits, /) -> OpCycles:
        return OpCycles(macs=0, cycles=self.cycles(waits), limit=Limit.NOTHING)


IDLE = _Idle()


def macs(work: Work) -> int:
    """Multiplications that the operator asks for."""
    if work.unit is Unit.ELEMENTWISE or work.unit is Unit.DMA:
        return 0
    channels = 1 if work.unit in ONE_CHANNEL_A_TAP else work.ifm.shape.c
    return work.kernel_h * work.kernel_w * channels * work.ofm.shape.elements
