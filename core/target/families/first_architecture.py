"""What U55 and U65 have in common: the first architecture of Ethos-U.

Figures are those of the hardware's public register and performance descriptions, as the ecosystem's
open-source compilers carry them.
"""

from __future__ import annotations

from core.base.dtype import DType
from core.base.geometry import Block
from core.target.family import Algorithms, Dispatch
from core.target.limits import OperatorLimits
from core.target.shram import Granules, SharedBuffer
from core.target.tables import TableMemory
from core.target.throughput import Throughput
from core.target.weight_format import ScaleRecord, WeightFormat

ARCHITECTURE = (1, 0, 6)
ALGORITHMS = Algorithms(
    lowering="first architecture",
    block_search="shared buffer",
    cycles="first architecture",
)
MAX_OFM_BLOCK = Block(32, 64, 128)
MAX_SUBKERNEL = (8, 8)
MOST_UNFINISHED_KERNELS = 2
MOST_UNFINISHED_BLOCKS = 3
# With ideal memory Arm's FVP takes 0.97 to 1.02 of the cycles that follow from these for rnnoise,
# which is 48 small operators, and 1.09 to 1.13 without (`tests/core/cost/test_measured.py`); 64 to
# 80 of an operation fit the five measured networks best, and 500 are excluded. A transfer has a
# fifth of the registers. Bytes are what the FVP reads at the external port beyond weights and maps.
DISPATCH = Dispatch(operation_cycles=80, transfer_cycles=16, command_bytes=64)
# The driver leaves AXI_LIMIT.MAX_BEATS at 0, by which bursts end at multiples of 64 bytes.
BURST_BYTES = 64
WEIGHTS = WeightFormat(
    record=ScaleRecord(bias_bits=40, multiplier_bits=32, shift_bits=6),
    ifm_block_depth=32,
    short_ifm_block_depth=16,
    depthwise_taps=4,
    part_kernel_taps=4,
    wide_part_kernel_taps=2,
)

LIMITS = OperatorLimits(
    most_dimensions=4,
    greatest_dimension=65535,
    element_types=(DType.INT8, DType.UINT8, DType.INT16, DType.INT32),
    fused_activations=("NONE", "RELU", "RELU6", "RELU_N1_TO_1", "TANH"),
    bias_bits=WEIGHTS.record.bias_bits,
    greatest_weight_sum=127 * 65536,
    longest_stride=3,
    most_kernel_rows=64,
    most_kernel_span=64 * 64,
    most_pool_rows=256,
    most_pool_taps=256 * 256,
    most_padded_taps=8,
    resize_factors=(1, 2, 4, 8),
    half_pixel_factor=2,
    most_summed_columns=64 * 64,
    most_summed_depth=64 * 64,
    most_summed=((DType.INT8, 1 << 24), (DType.UINT8, 1 << 23), (DType.INT16, 1 << 16)),
    most_searched_depth=127,
)

# With 16 banks a look-up table has none to itself: it shares those of the accumulators.
BANKS_16_OF_32_MACS = SharedBuffer(
    banks=16,
    has_tables_apart=False,
    granules=Granules(ifm8=2, ifm16=2, ifm32=4, acc16=4, acc32=4, acc40=4),
)
BANKS_16 = SharedBuffer(
    banks=16,
    has_tables_apart=False,
    granules=Granules(ifm8=2, ifm16=2, ifm32=4, acc16=4, acc32=4, acc40=8),
)
BANKS_24 = SharedBuffer(
    banks=24,
    has_tables_apart=True,
    granules=Granules(ifm8=4, ifm16=4, ifm32=8, acc16=4, acc32=8, acc40=12),
)
BANKS_48 = SharedBuffer(
    banks=48,
    has_tables_apart=True,
    granules=Granules(ifm8=8, ifm16=8, ifm32=16, acc16=8, acc32=16, acc40=20),
)


def tables_in(buffer: SharedBuffer) -> TableMemory:
    """Look-up tables are in the last banks of the shared buffer."""
    size_bytes = buffer.table_banks * buffer.bank_bytes
    return TableMemory(
        start=buffer.size_bytes - size_bytes,
        size_bytes=size_bytes,
        unit_bytes=256,
        is_apart=buffer.has_tables_apart,
    )


# All are exact as binary fractions, so sums of them do not depend on the order.
MACS_32 = Throughput(
    output=(2.0, 3.0, 3.0, 3.0, 4.0, 6.0, 1.0, 2.0),
    table=1.0,
    clamp=1.0,
    stall_cycles=3,
    wide_stall_cycles=7,
    stalls_in_thin_blocks=True,
    pools_16_bits_at_half_speed=False,
    weights_per_cycle=8,
)
MACS_64 = Throughput(
    output=(1.0, 1.5, 1.5, 1.5, 2.0, 3.0, 0.5, 1.0),
    table=1.0,
    clamp=1.0,
    stall_cycles=2,
    wide_stall_cycles=3,
    stalls_in_thin_blocks=False,
    pools_16_bits_at_half_speed=True,
    weights_per_cycle=8,
)
MACS_128 = Throughput(
    output=(0.75, 1.25, 0.75, 0.75, 1.0, 1.5, 0.25, 0.5),
    table=1.0,
    clamp=0.5,
    stall_cycles=2,
    wide_stall_cycles=3,
    stalls_in_thin_blocks=False,
    pools_16_bits_at_half_speed=True,
    weights_per_cycle=8,
)
MACS_256 = Throughput(
    output=(0.625, 1.125, 0.5, 0.375, 0.5, 0.75, 0.125, 0.25),
    table=1.0,
    clamp=0.25,
    stall_cycles=2,
    wide_stall_cycles=2,
    stalls_in_thin_blocks=False,
    pools_16_bits_at_half_speed=True,
    weights_per_cycle=8,
)
