"""How fast each accelerator makes outputs, and where its pipeline stalls.

Figures are those of the hardware's public performance description, as the ecosystem's open-source
compilers carry them. All are exact as binary fractions, so sums of them do not depend on the order.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from core.target.accelerator import Accelerator


class Arithmetic(enum.Enum):
    """What is done to an element on its way out."""

    BINARY_32 = "two 32-bit inputs"
    UNARY_32 = "one 32-bit input"
    MULTIPLY_32 = "multiply to 32 bits"
    MULTIPLY = "multiply, or read 40-bit accumulators"
    ADD_SIMPLE = "add without scaling"
    ADD = "add with scaling"
    MAXIMUM = "maximum of a window"
    OTHER = "other"


class Finish(enum.Enum):
    """What is done to an element after scaling."""

    NONE = "none"
    CLAMP = "clamp"
    TABLE = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """Cycles that one core takes for an output element, and its stalls."""

    output: tuple[float, ...]
    """In the order of `Arithmetic`."""
    table: float
    clamp: float
    stall_cycles: int
    """Between two steps over the kernel when there is nothing else to do in between."""
    wide_stall_cycles: int
    """The same with 40-bit accumulators."""
    stalls_in_thin_blocks: bool
    """Blocks of one micro-block in height or width stall too, with 40-bit accumulators."""
    pools_16_bits_at_half_speed: bool


def throughput_of(accelerator: Accelerator) -> Throughput:
    """The figures for each core of an accelerator."""
    return _BY_MACS[accelerator.macs]


def output_cycles(accelerator: Accelerator, arithmetic: Arithmetic, finish: Finish) -> float:
    """Cycles in which all cores together make one output element."""
    facts = throughput_of(accelerator)
    made = facts.output[_POSITIONS[arithmetic]]
    if finish is Finish.NONE:
        return made / accelerator.cores
    return max(made, facts.table if finish is Finish.TABLE else facts.clamp) / accelerator.cores


_POSITIONS = {arithmetic: position for position, arithmetic in enumerate(Arithmetic)}

_BY_MACS = {
    32: Throughput(
        output=(2.0, 3.0, 3.0, 3.0, 4.0, 6.0, 1.0, 2.0),
        table=1.0,
        clamp=1.0,
        stall_cycles=3,
        wide_stall_cycles=7,
        stalls_in_thin_blocks=True,
        pools_16_bits_at_half_speed=False,
    ),
    64: Throughput(
        output=(1.0, 1.5, 1.5, 1.5, 2.0, 3.0, 0.5, 1.0),
        table=1.0,
        clamp=1.0,
        stall_cycles=2,
        wide_stall_cycles=3,
        stalls_in_thin_blocks=False,
        pools_16_bits_at_half_speed=True,
    ),
    128: Throughput(
        output=(0.75, 1.25, 0.75, 0.75, 1.0, 1.5, 0.25, 0.5),
        table=1.0,
        clamp=0.5,
        stall_cycles=2,
        wide_stall_cycles=3,
        stalls_in_thin_blocks=False,
        pools_16_bits_at_half_speed=True,
    ),
    256: Throughput(
        output=(0.625, 1.125, 0.5, 0.375, 0.5, 0.75, 0.125, 0.25),
        table=1.0,
        clamp=0.25,
        stall_cycles=2,
        wide_stall_cycles=2,
        stalls_in_thin_blocks=False,
        pools_16_bits_at_half_speed=True,
    ),
}
