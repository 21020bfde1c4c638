"""What a device must have, and how its driver must be set up, to run a compiled network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.base.errors import InputError
from core.emit.conventions import CUSTOM_CODE
from core.emit.open import open_program
from core.ir.network import Network
from core.ir.npugraph import NpuGraph
from core.report.ecosystem_names import AREA_TITLES
from core.target.accelerator import Accelerator
from core.target.target import Area, Port, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """Settings by the names that drivers and build systems have for them."""

    product: str
    macs: int
    """Of all cores in one cycle; another number makes the driver refuse the file."""
    config_id: str
    """As evaluation kits write it: H256, Y512."""
    driver_config: str
    """As the core driver's build takes it: ethos-u55-256."""
    kconfig: str
    """The symbol of Zephyr's driver."""
    stream_version: str | None
    """Architecture that the streams ask for; None before there is a compiled file."""
    routes: tuple[tuple[str, int], ...]
    """Compile definitions of the core driver: which port serves which region."""
    resolver_ops: tuple[str, ...]
    """Operators that the interpreter must know."""
    notes: tuple[str, ...]


def device_needs(
    target: Target, graph: NpuGraph, compiled: Network | None, fast_scratch_bytes: int
) -> Device:
    """What must be there for a target's files, or for this one."""
    accelerator = target.accelerator
    product, macs = accelerator.family.product, accelerator.macs_per_cycle
    return Device(
        product=product.title,
        macs=macs,
        config_id=f"{product.kit_letter}{macs}",
        driver_config=accelerator.name,
        kconfig=f"CONFIG_{accelerator.name.upper().replace('-', '_')}",
        stream_version=None if compiled is None else _stream_version(compiled),
        routes=_routes(target),
        resolver_ops=_resolver_ops(graph, compiled),
        notes=tuple(_notes(target, accelerator, fast_scratch_bytes)),
    )


def _stream_version(compiled: Network) -> str | None:
    try:
        parts = open_program(compiled).parts
    except InputError:
        return None
    versions = {
        (part.architecture.major, part.architecture.minor, part.architecture.patch)
        for part in parts
    }
    return ", ".join(".".join(map(str, version)) for version in sorted(versions)) or None


def _routes(target: Target) -> tuple[tuple[str, int], ...]:
    """Selectors 0 and 1 are the first port, 2 and 3 the second one.

    Read-only traffic and the arena get different ones of a port, each with limits of its own.
    """
    arena, cache = target.mode.arena, target.mode.cache
    constants = arena if reads_constants_from_arena(target) else target.mode.constants
    routes = [
        ("NPU_QCONFIG", 1 if constants is Port.AXI0 else 2),
        ("NPU_REGIONCFG_0", 1 if constants is Port.AXI0 else 3),
        ("NPU_REGIONCFG_1", 0 if arena is Port.AXI0 else 3),
    ]
    if target.is_spilling:
        routes.append(("NPU_REGIONCFG_2", 0 if cache is Port.AXI0 else 3))
    return tuple(routes)


def reads_constants_from_arena(target: Target) -> bool:
    """Whether constants are in the memory of the arena: their own is only a double of it."""
    return target.permanent == replace(target.arena, area=Area.ON_CHIP_FLASH)


def _resolver_ops(graph: NpuGraph, compiled: Network | None) -> tuple[str, ...]:
    if compiled is not None:
        return tuple(sorted({op.title for _, op in compiled.operators()}))
    custom = {CUSTOM_CODE} if graph.islands else set()
    return tuple(sorted({op.kind for op in graph.cpu_ops} | custom))


def _notes(target: Target, accelerator: Accelerator, fast_scratch_bytes: int) -> Iterator[str]:
    arena, fast = AREA_TITLES[target.arena.area], AREA_TITLES[target.fast.area]
    yield (
        "The driver compares the file with the hardware: it runs on"
        f" {accelerator.macs_per_cycle} MACs of this product, and on nothing else."
    )
    yield (
        "The core driver must have ethosu_invoke_v3(), which TensorFlow Lite Micro's kernel calls;"
        " register that kernel as the custom operator 'ethos-u' (AddEthosU())."
    )
    if target.is_spilling:
        yield (
            f"Dedicated fast storage: give the driver {fast_scratch_bytes:,} bytes of {fast}"
            " as fast_memory and fast_memory_size of ethosu_init(); with less it refuses to run."
            f" The tensor arena lies in {arena}."
        )
    else:
        yield (
            f"Shared: fast scratch is a part of the tensor arena, which lies in {arena};"
            " ethosu_init() gets no fast_memory (NULL and 0)."
        )
    if reads_constants_from_arena(target):
        yield f"The file is read from the arena's {arena}, too: it must lie there as a whole."
    else:
        where = AREA_TITLES[target.permanent.area]
        yield f"The file is read from {where}, where the accelerator must reach it."
    yield "Model, arena and fast scratch begin at multiples of 16 bytes."
    yield "Where the CPU has a data cache, the driver's cache hooks must flush and invalidate it."
