"""How fast each accelerator makes outputs, and where its pipeline stalls.

The figures are with the families (`core/target/families/`).
"""

from __future__ import annotations

from core.base.frozen import Frozen
from core.base.named import Named


class Arithmetic(Named):
    """What is done to an element on its way out."""

    BINARY_32 = "two 32-bit inputs"
    UNARY_32 = "one 32-bit input"
    MULTIPLY_32 = "multiply to 32 bits"
    MULTIPLY = "multiply, or read 40-bit accumulators"
    ADD_SIMPLE = "add without scaling"
    ADD = "add with scaling"
    MAXIMUM = "maximum of a window"
    OTHER = "other"


class Finish(Named):
    """What is done to an element after scaling."""

    NONE = "none"
    CLAMP = "clamp"
    TABLE = "table"


class Throughput(Frozen):
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
    weights_per_cycle: int
    """That the decoder of one core makes."""

    def output_cycles(self, arithmetic: Arithmetic, finish: Finish) -> float:
        """Cycles in which one core makes one output element."""
        made = self.output[_POSITIONS[arithmetic]]
        if finish is Finish.NONE:
            return made
        return max(made, self.table if finish is Finish.TABLE else self.clamp)


_POSITIONS = {arithmetic: position for position, arithmetic in enumerate(Arithmetic)}
