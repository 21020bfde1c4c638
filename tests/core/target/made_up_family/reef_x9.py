"""Reef-X9, which does not exist: other figures than any real family, and commands of its own."""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import Block
from core.target.accelerator import Accelerator
from core.target.families.first_architecture import ALGORITHMS, LIMITS, WEIGHTS
from core.target.family import Concurrency, Defaults, Dispatch, Family, Product
from core.target.shram import Granules, SharedBuffer
from core.target.tables import TableMemory
from core.target.throughput import Throughput

FAMILY = Family(
    name="reef-x9",
    product=Product(title="Reef-X9", kit_letter="R", number=9, architecture=(9, 1, 2)),
    defaults=Defaults(system_config="Ethos_U65_High_End", memory_mode="Dedicated_Sram_384KB"),
    algorithms=ALGORITHMS,
    limits=replace(LIMITS, longest_stride=2, most_kernel_rows=5),
    concurrency=Concurrency(transfers=3, kernels=4, blocks=5),
    estimate_error=0.5,
    dispatch=Dispatch(operation_cycles=16, transfer_cycles=8, command_bytes=32),
    port_bytes_per_cycle=32,
    burst_bytes=128,
    writes_at_both_ports=True,
    address_bits=36,
    max_ofm_block=Block(16, 32, 64),
    max_subkernel=(4, 4),
    weights=replace(WEIGHTS, ifm_block_depth=64, depthwise_taps=8),
)

ACCELERATORS = tuple(
    Accelerator(
        name=f"reef-x9-{macs}",
        family=FAMILY,
        macs=macs,
        cores=1,
        ofm_ublock=Block(2, 4, depth),
        ifm_ublock=Block(2, 4, 8),
        buffer=SharedBuffer(
            banks=96,
            granules=Granules(ifm8=4, ifm16=4, ifm32=8, acc16=4, acc32=8, acc40=16),
            has_tables_apart=True,
        ),
        tables=TableMemory(start=94 * 1024, size_bytes=2048, unit_bytes=512, is_apart=True),
        throughput=Throughput(
            output=(0.5, 1.0, 0.25, 0.25, 0.25, 0.5, 0.0625, 0.125),
            table=0.5,
            clamp=0.125,
            stall_cycles=1,
            wide_stall_cycles=4,
            stalls_in_thin_blocks=True,
            pools_16_bits_at_half_speed=True,
            weights_per_cycle=16,
        ),
    )
    for depth, macs in ((8, 512), (16, 1024))
)
SMALL, LARGE = ACCELERATORS
