"""The shared buffer (SHRAM): what a block keeps in it, and in which banks.

From its first bank: what the output writes through, inputs, accumulators, the look-up table. An
element-wise operator has no accumulators; its second input takes their place. Inputs and
accumulators are double-buffered, and each takes banks by the granule of its element type. The facts
are those of the hardware's shared buffer description, as open-source compilers carry them.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from core.base.geometry import Count, ceil_div, round_up
from core.target.accelerator import Accelerator, Granules

LUT_BANKS = 2
"""Banks that a look-up table of 2 KiB takes."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ShramLayout:
    """Banks at which each part of the shared buffer starts or ends."""

    ib_start: int
    ib_end: int
    ib_start2: int
    """Start of the second input of an element-wise operator."""
    ab_start: int
    lut_start: int


def first_lut_bank(accelerator: Accelerator, lut_banks: int) -> int:
    """The bank at which the look-up table starts, and what a block can use ends."""
    return accelerator.shram_banks - max(lut_banks, accelerator.shram_end_banks)


def ifm_banks(accelerator: Accelerator, area: Count, depth: Count, bits: int) -> Count:
    """Banks for an input block: rows of channels are aligned to eight bytes."""
    row_bytes = round_up(depth * bits // 8, _ROW_ALIGNMENT)
    return _banks(accelerator, area * row_bytes, _ifm_granule(accelerator.granules, bits))


def accumulator_banks(
    accelerator: Accelerator, area: Count, depth: Count, accumulator: Accumulator
) -> Count:
    """Banks for the accumulators of an output block."""
    size_bytes = area * round_up(depth, _ROW_ALIGNMENT) * accumulator.bits // 8
    return _banks(accelerator, size_bytes, _accumulator_granule(accelerator.granules, accumulator))


def layout(
    accelerator: Accelerator, sharing: Sharing, ifm: int, accumulators: int, lut_banks: int
) -> ShramLayout:
    """Where things lie, given the banks that the first input and the accumulators take."""
    lut_start = first_lut_bank(accelerator, lut_banks)
    first_end = accelerator.shram_output_banks + ifm
    is_shared = sharing is Sharing.ACCUMULATORS
    return ShramLayout(
        ib_start=accelerator.shram_output_banks,
        ib_end=first_end if is_shared else lut_start,
        ib_start2=first_end,
        ab_start=lut_start - accumulators if is_shared else lut_start,
        lut_start=lut_start,
    )


def _banks(accelerator: Accelerator, size_bytes: Count, granule: int) -> Count:
    return round_up(ceil_div(size_bytes, accelerator.shram_bank_bytes) * _BUFFERS, granule)


def _ifm_granule(granules: Granules, bits: int) -> int:
    if bits <= 8:
        return granules.ifm8
    return granules.ifm16 if bits == 16 else granules.ifm32


def _accumulator_granule(granules: Granules, accumulator: Accumulator) -> int:
    match accumulator:
        case Accumulator.ACC16:
            return granules.acc16
        case Accumulator.ACC32:
            return granules.acc32
        case Accumulator.ACC40:
            return granules.acc40
