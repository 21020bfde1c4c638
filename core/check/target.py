"""Judges a target: the hardware can exist, the memories can answer, and the limits can be met."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields

from core.base.geometry import Block
from core.check.finding import Finding
from core.target.accelerator import Accelerator
from core.target.target import Area, Memory, Target

_DOT_PRODUCT_WIDTH = 8
"""Multiplications in one cycle for each element that the MAC array makes."""

_WRITABLE = frozenset({Area.SRAM, Area.DRAM})


def verify(target: Target) -> tuple[Finding, ...]:
    """Everything that is wrong with the target."""
    return (
        *_accelerator(target.accelerator),
        *_granules(target.accelerator),
        *_system(target),
        *_uses(target),
        *_limit(target),
    )


def _accelerator(accelerator: Accelerator) -> Iterator[Finding]:
    where = f"accelerator '{accelerator.name}'"
    for name in (
        "macs",
        "cores",
        "elementwise_units",
        "axi_bytes_per_cycle",
        "address_bits",
        "max_outstanding_dma",
        "max_outstanding_kernels",
        "shram_bank_bytes",
    ):
        if (value := getattr(accelerator, name)) < 1:
            yield Finding(f"{where} {name}", f"{value} is below 1")
    made = accelerator.ofm_ublock.elements * _DOT_PRODUCT_WIDTH
    if accelerator.macs != made:
        yield Finding(f"{where} macs", f"{accelerator.macs}, but the micro-block needs {made}")
    if not 0 <= accelerator.max_block_dependency <= 3:
        yield Finding(f"{where} max_block_dependency", "does not fit into two bits")
    yield from _blocks(where, accelerator)


def _blocks(where: str, accelerator: Accelerator) -> Iterator[Finding]:
    for name in ("ofm_ublock", "ifm_ublock", "max_ofm_block"):
        block: Block = getattr(accelerator, name)
        if min(block) < 1:
            yield Finding(f"{where} {name}", f"{tuple(block)} has an empty side")
            return
    sides = zip(accelerator.max_ofm_block, accelerator.ofm_ublock, strict=True)
    if any(most % least for most, least in sides):
        yield Finding(f"{where} max_ofm_block", "is not made of whole micro-blocks")


def _granules(accelerator: Accelerator) -> Iterator[Finding]:
    where = f"accelerator '{accelerator.name}'"
    free = accelerator.shram_banks - accelerator.shram_output_banks - accelerator.shram_end_banks
    granules = accelerator.granules
    for field in fields(granules):
        if not 1 <= getattr(granules, field.name) <= free:
            yield Finding(f"{where} granules {field.name}", f"is not within 1 to {free} banks")
    for narrow, wide in (("ifm8", "ifm32"), ("acc16", "acc32"), ("acc32", "acc40")):
        if getattr(granules, narrow) > getattr(granules, wide):
            yield Finding(f"{where} granules {narrow}", f"is more than {wide}")


def _system(target: Target) -> Iterator[Finding]:
    system = target.system
    where = f"system '{system.name}'"
    if not _is_positive(system.core_clock_hz):
        yield Finding(f"{where} core_clock_hz", f"{system.core_clock_hz} is no clock")
    for port, memory in (("axi0", system.axi0), ("axi1", system.axi1)):
        yield from _memory(f"{where} {port}", memory)


def _memory(where: str, memory: Memory) -> Iterator[Finding]:
    if not _is_positive(memory.clock_scale):
        yield Finding(f"{where} clock_scale", f"{memory.clock_scale} is no clock")
    for name, least in (
        ("burst_length", 1),
        ("read_latency", 0),
        ("write_latency", 0),
        ("ports_used", 1),
    ):
        if (value := getattr(memory, name)) < least:
            yield Finding(f"{where} {name}", f"{value} is below {least}")


def _uses(target: Target) -> Iterator[Finding]:
    where = f"memory mode '{target.mode.name}'"
    if target.permanent.area is Area.SRAM:
        yield Finding(f"{where} constants", "are in SRAM, which forgets")
    if target.arena.area not in _WRITABLE:
        yield Finding(f"{where} arena", f"{target.arena.area.value} cannot be written")
    if target.fast.area is not Area.SRAM:
        yield Finding(f"{where} cache", f"{target.fast.area.value} is not fast storage")


def _limit(target: Target) -> Iterator[Finding]:
    mode = target.mode
    limit, most = mode.arena_cache_size, 1 << max(target.accelerator.address_bits, 0)
    if limit is not None and not 0 <= limit <= most:
        yield Finding(
            f"memory mode '{mode.name}' arena_cache_size", f"{limit} is not within 0 to {most}"
        )


def _is_positive(number: float) -> bool:
    return math.isfinite(number) and number > 0
