"""The shared buffer (SHRAM): what a block keeps in it, and in which banks.

From its first bank: what the output writes through, inputs, accumulators, the look-up table. An
element-wise operator has no accumulators; its second input takes their place. Inputs and
accumulators are double-buffered, and each takes banks by the granule of its element type. The facts
are those of the hardware's shared buffer description, as open-source compilers carry them.
"""

from __future__ import annotations

import enum

from core.base.frozen import Frozen
from core.base.geometry import Count, ceil_div, round_up

_BUFFERS = 2
_ROW_ALIGNMENT = 8


class Accumulator(enum.Enum):
    """Width of what the MAC units add up in."""

    ACC16 = 16
    ACC32 = 32
    ACC40 = 40

    @property
    def bits(self) -> int:
        """Width in bits."""
        return self.value


class Sharing(enum.Enum):
    """What lies in the shared buffer besides the first input."""

    ACCUMULATORS = "accumulators"
    SECOND_INPUT = "second input"
    NOTHING = "nothing"
    """The second input is one element, or there is none."""


class ShramLayout(Frozen):
    """Banks at which each part of the shared buffer starts or ends."""

    ib_start: int
    ib_end: int
    ib_start2: int
    """Start of the second input of an element-wise operator."""
    ab_start: int
    lut_start: int


class Granules(Frozen):
    """Banks of the shared buffer are handed out in multiples of these, by what they hold."""

    ifm8: int
    ifm16: int
    ifm32: int
    acc16: int
    acc32: int
    acc40: int

    def of_input(self, bits: int) -> int:
        """For inputs of this width."""
        if bits <= 8:
            return self.ifm8
        return self.ifm16 if bits == 16 else self.ifm32

    def of_accumulator(self, accumulator: Accumulator) -> int:
        """For accumulators of this width."""
        match accumulator:
            case Accumulator.ACC16:
                return self.acc16
            case Accumulator.ACC32:
                return self.acc32
            case Accumulator.ACC40:
                return self.acc40


class SharedBuffer(Frozen):
    """The shared buffer of one core."""

    banks: int
    granules: Granules
    has_tables_apart: bool
    """Look-up tables have banks to themselves, where no block lies."""
    bank_bytes: int = 1024
    output_banks: int = 2
    table_banks: int = 2

    @property
    def size_bytes(self) -> int:
        """Bytes of all banks."""
        return self.banks * self.bank_bytes

    def end_of_blocks(self, *, uses_table: bool) -> int:
        """The bank at which what a block can use ends."""
        return self.banks - (self.table_banks if uses_table or self.has_tables_apart else 0)

    def ifm_banks(self, area: Count, depth: Count, bits: int) -> Count:
        """Banks for an input block: rows of channels are aligned to eight bytes."""
        row_bytes = round_up(depth * bits // 8, _ROW_ALIGNMENT)
        return self._banks(area * row_bytes, self.granules.of_input(bits))

    def accumulator_banks(self, area: Count, depth: Count, accumulator: Accumulator) -> Count:
        """Banks for the accumulators of an output block."""
        size_bytes = area * round_up(depth, _ROW_ALIGNMENT) * accumulator.bits // 8
        return self._banks(size_bytes, self.granules.of_accumulator(accumulator))

    def layout(
        self, sharing: Sharing, ifm: int, accumulators: int, *, uses_table: bool
    ) -> ShramLayout:
        """Where things lie, given the banks that the first input and the accumulators take."""
        end, first_end = self.end_of_blocks(uses_table=uses_table), self.output_banks + ifm
        is_shared = sharing is Sharing.ACCUMULATORS
        return ShramLayout(
            ib_start=self.output_banks,
            ib_end=first_end if is_shared else end,
            ib_start2=first_end,
            ab_start=end - accumulators if is_shared else end,
            lut_start=end,
        )

    def _banks(self, size_bytes: Count, granule: int) -> Count:
        return round_up(ceil_div(size_bytes, self.bank_bytes) * _BUFFERS, granule)
