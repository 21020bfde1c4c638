"""Ethos-U55: one core of 32 to 256 MACs."""

from __future__ import annotations

from core.base.geometry import Block
from core.target.accelerator import Accelerator
from core.target.families import first_architecture as first
from core.target.family import Concurrency, Defaults, Family, Product

FAMILY = Family(
    name="ethos-u55",
    product=Product(title="Ethos-U55", kit_letter="H", number=0, architecture=first.ARCHITECTURE),
    defaults=Defaults(system_config="Ethos_U55_High_End_Embedded", memory_mode="Shared_Sram"),
    algorithms=first.ALGORITHMS,
    limits=first.LIMITS,
    concurrency=Concurrency(
        transfers=1, kernels=first.MOST_UNFINISHED_KERNELS, blocks=first.MOST_UNFINISHED_BLOCKS
    ),
    # Held by `tests/core/cost/test_measured.py`.
    estimate_error=0.03,
    dispatch=first.DISPATCH,
    port_bytes_per_cycle=8,
    burst_bytes=first.BURST_BYTES,
    writes_at_both_ports=False,
    address_bits=32,
    max_ofm_block=first.MAX_OFM_BLOCK,
    max_subkernel=first.MAX_SUBKERNEL,
    weights=first.WEIGHTS,
)

ACCELERATORS = (
    Accelerator(
        name="ethos-u55-32",
        family=FAMILY,
        macs=32,
        cores=1,
        ofm_ublock=Block(1, 1, 4),
        ifm_ublock=Block(1, 1, 8),
        buffer=first.BANKS_16_OF_32_MACS,
        tables=first.tables_in(first.BANKS_16_OF_32_MACS),
        throughput=first.MACS_32,
    ),
    Accelerator(
        name="ethos-u55-64",
        family=FAMILY,
        macs=64,
        cores=1,
        ofm_ublock=Block(1, 1, 8),
        ifm_ublock=Block(1, 1, 8),
        buffer=first.BANKS_16,
        tables=first.tables_in(first.BANKS_16),
        throughput=first.MACS_64,
    ),
    Accelerator(
        name="ethos-u55-128",
        family=FAMILY,
        macs=128,
        cores=1,
        ofm_ublock=Block(1, 2, 8),
        ifm_ublock=Block(1, 2, 8),
        buffer=first.BANKS_24,
        tables=first.tables_in(first.BANKS_24),
        throughput=first.MACS_128,
    ),
    Accelerator(
        name="ethos-u55-256",
        family=FAMILY,
        macs=256,
        cores=1,
        ofm_ublock=Block(2, 2, 8),
        ifm_ublock=Block(2, 2, 8),
        buffer=first.BANKS_48,
        tables=first.tables_in(first.BANKS_48),
        throughput=first.MACS_256,
    ),
)
