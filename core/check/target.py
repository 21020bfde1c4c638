"""Judges a target: the hardware can exist, the memories can answer, and the limits can be met."""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.base.frozen import field_names, members
from core.check.finding import Finding
from core.target.accelerator import Accelerator
from core.target.family import Family
from core.target.shram import Granules
from core.target.target import Area, Memory, Target
from core.target.throughput import Arithmetic

_DOT_PRODUCT_WIDTH = 8
"""Multiplications in one cycle for each element that the MAC array makes."""

_WRITABLE = frozenset({Area.SRAM, Area.DRAM})


def verify(target: Target) -> tuple[Finding, ...]:
    """Everything that is wrong with the target."""
    return (
        *_family(target.accelerator.family),
        *_accelerator(target.accelerator),
        *_buffer(target.accelerator),
        *_system(target),
        *_uses(target),
        *_limit(target),
    )


def _family(family: Family) -> Iterator[Finding]:
    where = f"family '{family.name}'"
    yield from _counts(where, family, "port_bytes_per_cycle", "burst_bytes", "address_bits")
    for part in (family.weights, family.weights.record):
        names = [name for name in field_names(part) if name != "record"]
        yield from _counts(f"{where} weights", part, *names)
    yield from _counts(f"{where} concurrency", family.concurrency, "transfers", "kernels")
    if family.concurrency.blocks < 0:
        yield Finding(f"{where} concurrency blocks", "is below 0")
    if any(value < 0 for value in members(family.dispatch).values()):
        yield Finding(f"{where} dispatch", "is below 0")
    if min(family.max_subkernel) < 1:
        yield Finding(f"{where} max_subkernel", "has an empty side")
    yield from _limits(where, family)


def _limits(where: str, family: Family) -> Iterator[Finding]:
    for name, value in members(family.limits).items():
        if isinstance(value, int):
            yield from _counts(f"{where} limits", family.limits, name)
        elif not value:
            yield Finding(f"{where} limits {name}", "names nothing")


def _accelerator(accelerator: Accelerator) -> Iterator[Finding]:
    where = f"accelerator '{accelerator.name}'"
    if not accelerator.name.startswith(accelerator.family.name):
        yield Finding(f"{where} name", f"does not begin with {accelerator.family.name}")
    yield from _counts(where, accelerator, "macs", "cores")
    made = accelerator.ofm_ublock.elements * _DOT_PRODUCT_WIDTH
    if accelerator.macs != made:
        yield Finding(f"{where} macs", f"{accelerator.macs}, but the micro-block needs {made}")
    yield from _blocks(where, accelerator)
    yield from _throughput(f"{where} throughput", accelerator)


def _blocks(where: str, accelerator: Accelerator) -> Iterator[Finding]:
    most = accelerator.family.max_ofm_block
    for name, block in (
        ("ofm_ublock", accelerator.ofm_ublock),
        ("ifm_ublock", accelerator.ifm_ublock),
        ("max_ofm_block", most),
    ):
        if min(block) < 1:
            yield Finding(f"{where} {name}", f"{tuple(block)} has an empty side")
            return
    if any(size % least for size, least in zip(most, accelerator.ofm_ublock, strict=True)):
        yield Finding(f"{where} max_ofm_block", "is not made of whole micro-blocks")


def _throughput(where: str, accelerator: Accelerator) -> Iterator[Finding]:
    facts = accelerator.throughput
    if len(facts.output) != len(Arithmetic):
        yield Finding(f"{where} output", f"has {len(facts.output)} figures for {len(Arithmetic)}")
    if not all(_is_positive(cycles) for cycles in (*facts.output, facts.table, facts.clamp)):
        yield Finding(f"{where} output", "takes no time somewhere")
    yield from _counts(where, facts, "weights_per_cycle")
    if min(facts.stall_cycles, facts.wide_stall_cycles) < 0:
        yield Finding(f"{where} stall_cycles", "are below 0")


def _buffer(accelerator: Accelerator) -> Iterator[Finding]:
    where, buffer = f"accelerator '{accelerator.name}'", accelerator.buffer
    if min(accelerator.tables.size_bytes, accelerator.tables.unit_bytes) < 1:
        yield Finding(f"{where} tables", "have no memory")
    if buffer is None:
        return
    yield from _counts(f"{where} buffer", buffer, "bank_bytes", "output_banks", "table_banks")
    if not 0 <= accelerator.tables.start <= buffer.size_bytes - accelerator.tables.size_bytes:
        yield Finding(f"{where} tables", "are not in the shared buffer")
    free = buffer.end_of_blocks(uses_table=False) - buffer.output_banks
    yield from _granules(where, buffer.granules, free)


def _granules(where: str, granules: Granules, free: int) -> Iterator[Finding]:
    for name, banks in members(granules).items():
        if not 1 <= banks <= free:
            yield Finding(f"{where} granules {name}", f"is not within 1 to {free} banks")
    for narrow, wide in (("ifm8", "ifm32"), ("acc16", "acc32"), ("acc32", "acc40")):
        if getattr(granules, narrow) > getattr(granules, wide):
            yield Finding(f"{where} granules {narrow}", f"is more than {wide}")


def _counts(where: str, value: object, *names: str) -> Iterator[Finding]:
    for name in names:
        if (count := getattr(value, name)) < 1:
            yield Finding(f"{where} {name}", f"{count} is below 1")


def _system(target: Target) -> Iterator[Finding]:
    system = target.system
    where = f"system '{system.name}'"
    for port, memory in (("axi0", system.axi0), ("axi1", system.axi1)):
        yield from _memory(f"{where} {port}", memory)


def _memory(where: str, memory: Memory) -> Iterator[Finding]:
    # Other figures are refused where a memory is made.
    for name in ("burst_length", "ports_used"):
        if (value := getattr(memory, name)) < 1:
            yield Finding(f"{where} {name}", f"{value} is below 1")


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
    limit, most = mode.arena_cache_size, 1 << max(target.accelerator.family.address_bits, 0)
    if limit is not None and limit > most:
        yield Finding(
            f"memory mode '{mode.name}' arena_cache_size", f"{limit} is not within 0 to {most}"
        )


def _is_positive(number: float) -> bool:
    return math.isfinite(number) and number > 0
