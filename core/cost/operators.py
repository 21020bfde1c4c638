"""The whole cost of an operator: its cycles, what is moved for it, and which of them bounds it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from core.cost.cycles import Limit, operator_cycles
from core.cost.rates import Rates
from core.cost.step import Step
from core.cost.traffic import Traffic, traffic
from core.target.target import Area


class Bound(enum.Enum):
    """What an operator waits for."""

    NPU = "npu"
    SRAM = "sram"
    DRAM = "dram"
    ON_CHIP_FLASH = "on-chip flash"
    OFF_CHIP_FLASH = "off-chip flash"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorCost:
    """Cycles and bytes of one operator; its parts run side by side, so the slowest counts."""

    macs: int
    npu_cycles: int
    sram_cycles: float
    dram_cycles: float
    on_chip_flash_cycles: float
    off_chip_flash_cycles: float
    limit: Limit
    """What the blocks wait for inside the accelerator."""
    traffic: tuple[Traffic, ...]

    @property
    def parts(self) -> tuple[float, ...]:
        """Cycles in the order of `Bound`."""
        return (
            self.npu_cycles,
            self.sram_cycles,
            self.dram_cycles,
            self.on_chip_flash_cycles,
            self.off_chip_flash_cycles,
        )

    @property
    def total_cycles(self) -> float:
        """Cycles until the slowest part is done."""
        return max(self.parts)

    @property
    def bound(self) -> Bound:
        """The slowest part; the accelerator where it ties."""
        parts = self.parts
        return tuple(Bound)[parts.index(max(parts))]


def operator_cost(rates: Rates, step: Step) -> OperatorCost:
    """The cost of an operator with all that is moved for it."""
    own = operator_cycles(rates, step.work)
    moved = traffic(rates, step)
    busy = dict.fromkeys(Area, 0.0)
    for part in moved:
        busy[part.area] += part.busy_bytes
    cycles = {area: busy[area] / rates.areas[area].bytes_per_cycle for area in Area}
    return OperatorCost(
        macs=own.macs,
        npu_cycles=_npu_cycles(rates, step, own.cycles),
        sram_cycles=cycles[Area.SRAM],
        dram_cycles=cycles[Area.DRAM],
        on_chip_flash_cycles=cycles[Area.ON_CHIP_FLASH],
        off_chip_flash_cycles=cycles[Area.OFF_CHIP_FLASH],
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
