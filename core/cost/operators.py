"""The whole cost of an operator: its cycles, what is moved for it, and which of them bounds it."""

from __future__ import annotations

from core.cost.price import Price
from core.cost.rates import Rates
from core.cost.traffic import busy_cycles, traffic
from core.cost.work import Step
from core.ir.cost import OperatorCost
from core.target.target import Area


def operator_cost(price: Price, rates: Rates, step: Step) -> OperatorCost:
    """The cost of an operator with all that is moved for it."""
    own = price.cycles(rates, step.work)
    moved = traffic(price, rates, step)
    cycles = busy_cycles(rates, moved)
    return OperatorCost(
        macs=own.macs,
        own_cycles=own.cycles,
        npu_cycles=_npu_cycles(rates, step, own.cycles),
        sram_cycles=cycles.get(Area.SRAM, 0.0),
        dram_cycles=cycles.get(Area.DRAM, 0.0),
        on_chip_flash_cycles=cycles.get(Area.ON_CHIP_FLASH, 0.0),
        off_chip_flash_cycles=cycles.get(Area.OFF_CHIP_FLASH, 0.0),
        limit=own.limit,
        traffic=moved,
    )


def _npu_cycles(rates: Rates, step: Step, own_cycles: int) -> int:
    """The operator's cycles, with the transfers that nothing hides."""
    loading = _load_cycles(rates, step)
    weights = step.weights
    if weights is None or weights.buffer is None:
        return own_cycles + max(loading - step.slack_cycles, 0)
    buffer = weights.buffer
    first = rates.copy_cycles(weights.area, buffer.area, buffer.first_bytes)
    if not buffer.is_double:
        return own_cycles + buffer.whole_cycles - min(first, step.slack_cycles) + loading
    hidden = own_cycles + max(first - step.slack_cycles, 0)
    return max(buffer.whole_cycles - step.slack_cycles + buffer.last_slice_cycles, hidden) + loading


def _load_cycles(rates: Rates, step: Step) -> int:
    cycles = 0
    if step.table is not None:
        cycles += rates.table_cycles(step.table.area, step.table.size_bytes)
    if step.is_moving:
        cycles += rates.copy_cycles(step.work.ifm.area, step.work.ofm.area, step.copied_bytes)
    return cycles
