"""How weights and scales lie in memory for the decoders of a family, in numbers.

Who writes streams and who judges them read these, and each finds the order from them by itself.
"""

from __future__ import annotations

from core.base.frozen import Frozen


class ScaleRecord(Frozen):
    """What each output channel has: bias, multiplier and right shift, from the low end."""

    bias_bits: int
    multiplier_bits: int
    shift_bits: int

    @property
    def bias_bytes(self) -> int:
        """The bytes of the bias, which come first."""
        return self.bias_bits // 8

    @property
    def size_bytes(self) -> int:
        """Bytes of a record; the shift has the last one to itself."""
        return self.bias_bytes + self.multiplier_bits // 8 + 1


class WeightFormat(Frozen):
    """Sizes that the order of weights in a stream is made of, and what is beside them."""

    record: ScaleRecord
    ifm_block_depth: int
    """Input channels in a block, depth first, with inputs of 8 bits."""
    short_ifm_block_depth: int
    """With wider inputs, or where some taps are taken before more channels."""
    depthwise_taps: int
    """Taps of a sub-kernel are filled up to a multiple of this."""
    part_kernel_taps: int
    wide_part_kernel_taps: int
    """With inputs of 16 bits."""
