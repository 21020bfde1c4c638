"""Ethos-U65: one core of 256 MACs, or two."""

from __future__ import annotations

from core.base.geometry import Block
from core.target.accelerator import Accelerator
from core.target.families import first_architecture as first
from core.target.family import Concurrency, Defaults, Family, Product

FAMILY = Family(
    name="ethos-u65",
    product=Product(title="Ethos-U65", kit_letter="Y", number=1, architecture=first.ARCHITECTURE),
    defaults=Defaults(system_config="Ethos_U65_Client_Server", memory_mode="Dedicated_Sram_384KB"),
    algorithms=first.ALGORITHMS,
    limits=first.LIMITS,
    concurrency=Concurrency(
        transfers=2, kernels=first.MOST_UNFINISHED_KERNELS, blocks=first.MOST_UNFINISHED_BLOCKS
    ),
    # Held by `tests/core/cost/test_measured.py`.
    estimate_error=0.10,
    dispatch=first.DISPATCH,
    port_bytes_per_cycle=16,
    burst_bytes=first.BURST_BYTES,
    writes_at_both_ports=True,
    address_bits=40,
    max_ofm_block=first.MAX_OFM_BLOCK,
    max_subkernel=first.MAX_SUBKERNEL,
    weights=first.WEIGHTS,
)

ACCELERATORS = tuple(
    Accelerator(
        name=f"ethos-u65-{256 * cores}",
        family=FAMILY,
        macs=256,
        cores=cores,
        ofm_ublock=Block(2, 2, 8),
        ifm_ublock=Block(2, 2, 8),
        buffer=first.BANKS_48,
        tables=first.tables_in(first.BANKS_48),
        throughput=first.MACS_256,
    )
    for cores in (1, 2)
)
