"""What operators may ask of a family's hardware: the numbers that legality rules ask about."""

from __future__ import annotations

from core.base.dtype import DType
from core.base.frozen import Frozen
from core.base.geometry import Kernel


class OperatorLimits(Frozen):
    """The largest operators, and the types of elements, that the hardware takes."""

    most_dimensions: int
    greatest_dimension: int
    element_types: tuple[DType, ...]
    fused_activations: tuple[str, ...]
    """By the names of the file format."""
    bias_bits: int
    greatest_weight_sum: int
    """Of the distances of a filter's weights from their zero point."""
    longest_stride: int
    most_kernel_rows: int
    most_kernel_span: int
    """Height by width, gaps of the dilation included."""
    most_pool_rows: int
    most_pool_taps: int
    most_padded_taps: int
    """Rows or columns of an average's window that padding may cut into."""
    resize_factors: tuple[int, ...]
    half_pixel_factor: int
    most_summed_columns: int
    most_summed_depth: int
    most_summed: tuple[tuple[DType, int], ...]
    """Elements whose sum does not overflow the accumulator."""
    most_searched_depth: int
    """Channels among which the position of the greatest can be told."""

    def convolves(self, kernel: Kernel) -> bool:
        """Whether a convolution may have such a kernel."""
        is_low = kernel.dilated_h <= self.most_kernel_rows
        return is_low and kernel.dilated_h * kernel.dilated_w <= self.most_kernel_span
