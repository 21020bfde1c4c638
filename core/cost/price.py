"""What an operator costs, by one of two prices: ours, and the estimate of the ecosystem's compiler.

Ours is held against what was measured. It is what is shown, and what all searches go by but the
compatible one. The ecosystem's own estimate has a package to itself (`core/cost/ecosystem/`), which
keeps its oversights to the figure: compatible schedules are decided by it.
"""

from __future__ import annotations

from collections.abc import Callable

from core.base.frozen import Frozen
from core.cost.accesses import Accesses, accesses
from core.cost.bursts import BURSTS, Bursts
from core.cost.cycles import OpCycles
from core.cost.formulas import operator_cycles
from core.cost.from_graph import Place, work_of
from core.cost.rates import Rates
from core.cost.work import Work
from core.ir.npugraph import NpuGraph, NpuOp
from core.target.accelerator import Accelerator
from core.target.block import BlockConfig
from core.target.target import Area, Target

WorkOf = Callable[[NpuGraph, NpuOp, BlockConfig, tuple[Place, ...], Area], Work]
"""The work of an operator in a block, given the places of its views, and of its constants."""


class Price(Frozen):
    """Formulas that belong together."""

    rates_of: Callable[[Target], Rates]
    work_of: WorkOf
    cycles: Callable[[Rates, Work], OpCycles]
    accesses: Callable[[Accelerator, Work], Accesses]
    bursts: Bursts
    buffered_weights_are_free: bool
    """Weights that DMA has brought to fast storage keep it no longer busy."""


OURS = Price(
    rates_of=Rates.of,
    work_of=work_of,
    cycles=operator_cycles,
    accesses=accesses,
    bursts=BURSTS,
    # With half the SRAM bandwidth Arm's FVP takes 1.64 of the cycles for ad_medium, whose weights
    # are all buffered; where they were free, 1.14.
    buffered_weights_are_free=False,
)
