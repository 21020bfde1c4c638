"""What a board has to offer: bytes of each kind, what the runtime adds, and what must be set up."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.errors import InputError
from core.base.frozen import Frozen, replace
from core.base.geometry import round_up
from core.base.ids import TensorId
from core.emit.conventions import CUSTOM_CODE
from core.emit.open import open_program
from core.ir.network import Network
from core.ir.npugraph import NpuGraph
from core.ir.scheduled import Scheduled
from core.report.board.runtime import RuntimeEstimate, counts_of, estimate, expected_counts
from core.report.ecosystem_names import AREA_TITLES
from core.report.options_text import UNTOLD, options_text
from core.target.accelerator import Accelerator
from core.target.region import Region
from core.target.target import Area, Port, Target

_ARENA_STEP_BYTES = 1024


class Device(Frozen):
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


class BoardSizes(Frozen):
    """Bytes that the schedule, or the compiled file, asks for; nothing here is an estimate."""

    arena_bytes: int
    """Feature maps; with the fast scratch among them where both are in one memory."""
    fast_scratch_bytes: int
    """Dedicated fast storage; 0 where it is a part of the arena."""
    npu_constants_bytes: int
    cpu_constants_bytes: int
    command_stream_bytes: int | None
    """None before there is a compiled file."""
    file_bytes: int | None
    separate_io_bytes: int = 0
    """Inputs and outputs in buffers of the application's."""

    @property
    def planned_bytes(self) -> int:
        """What the interpreter plans in its arena.

        It gives the tensor that stands for dedicated fast storage room from the arena's start on,
        too, although the driver puts another address in its place. Inputs and outputs that have
        buffers of their own are tensors for it as well, until an application sets their addresses.
        """
        return max(self.arena_bytes, self.fast_scratch_bytes) + self.separate_io_bytes

    @property
    def flash_bytes(self) -> int:
        """The whole file; before there is one, the constants that will be in it."""
        if self.file_bytes is not None:
            return self.file_bytes
        return self.npu_constants_bytes + self.cpu_constants_bytes

    @property
    def other_file_bytes(self) -> int | None:
        """What is in the file besides constants and command streams."""
        if self.file_bytes is None:
            return None
        known = self.npu_constants_bytes + (self.command_stream_bytes or 0)
        return max(self.file_bytes - known - self.cpu_constants_bytes, 0)


class Board(Frozen):
    """Everything that somebody who brings a schedule to a board needs to know."""

    subject: tuple[str, ...]
    """Lines that name the model, the target, and the schedule."""
    sizes: BoardSizes
    runtime: RuntimeEstimate
    """What TensorFlow Lite Micro keeps in its arena beside the maps: an estimate."""
    device: Device
    arena_memory: str
    fast_memory: str
    constants_memory: str

    @property
    def tensor_arena_bytes(self) -> int:
        """The arena to begin with, estimate included, in whole KiB."""
        needed = self.sizes.planned_bytes + self.runtime.size_bytes
        return round_up(needed, _ARENA_STEP_BYTES)


def board_of(
    material: Scheduled, compiled: Network | None = None, file_bytes: int | None = None
) -> Board:
    """What a board needs for a schedule; with the compiled network and its size, for that file."""
    target = material.target
    counts = expected_counts(material.graph) if compiled is None else counts_of(compiled)
    sizes = _sizes(material, compiled, file_bytes)
    return Board(
        subject=_subject(material),
        sizes=sizes,
        runtime=estimate(counts, sizes.planned_bytes),
        device=device_needs(target, material.graph, compiled, sizes.fast_scratch_bytes),
        arena_memory=AREA_TITLES[target.arena.area],
        fast_memory=AREA_TITLES[target.fast.area],
        constants_memory=AREA_TITLES[
            (target.arena if reads_constants_from_arena(target) else target.permanent).area
        ],
    )


def _subject(material: Scheduled) -> tuple[str, ...]:
    target = material.target
    about = f"for {target.accelerator.name}, {target.system.name}, {target.mode.name}"
    if material.compiled_by is not None:
        return f"{material.name}, compiled by {material.compiled_by}", about, UNTOLD
    limit = target.mode.arena_cache_size
    told = "no limit" if limit is None else f"a limit of {limit} bytes"
    return (
        f"{material.name}, scheduled by Reefpoint",
        about,
        f"with {told}, {options_text(material)}",
    )


def _sizes(material: Scheduled, compiled: Network | None, file_bytes: int | None) -> BoardSizes:
    heights: dict[Region, int] = {}
    for area in material.layout.areas:
        for region in area.regions:
            heights[region] = max(heights.get(region, 0), area.height_bytes)
    dedicated = material.target.is_spilling
    return BoardSizes(
        arena_bytes=heights.get(Region.SCRATCH, 0),
        fast_scratch_bytes=heights.get(Region.SCRATCH_FAST, 0) if dedicated else 0,
        npu_constants_bytes=heights.get(Region.PERMANENT_NPU, 0),
        cpu_constants_bytes=heights.get(Region.PERMANENT_CPU, 0),
        command_stream_bytes=None if compiled is None else _stream_bytes(compiled),
        file_bytes=file_bytes,
        separate_io_bytes=heights.get(Region.SEPARATE_IO, 0),
    )


def _stream_bytes(compiled: Network) -> int:
    """Payloads of the accelerator's operators: their first inputs, each once."""
    payloads: set[tuple[int, TensorId]] = set()
    for ref, op in compiled.operators():
        if op.custom_code == CUSTOM_CODE and op.inputs and op.inputs[0] is not None:
            payloads.add((ref.subgraph, op.inputs[0]))
    found = (compiled.subgraphs[graph].tensors[tensor].data for graph, tensor in payloads)
    return sum(data.size_bytes for data in found if data is not None)
