"""What a board has to offer: bytes of each kind, what the runtime adds, and what must be set up."""

from __future__ import annotations

from dataclasses import dataclass

from core.base.geometry import round_up
from core.base.ids import TensorId
from core.emit.conventions import CUSTOM_CODE
from core.ir.network import Network
from core.ir.scheduled import Scheduled
from core.report.board.device import Device, device_needs, reads_constants_from_arena
from core.report.board.runtime import RuntimeEstimate, counts_of, estimate, expected_counts
from core.report.ecosystem_names import AREA_TITLES
from core.report.options_text import options_text
from core.target.region import Region

_ARENA_STEP_BYTES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSizes:
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

    @property
    def planned_bytes(self) -> int:
        """What the interpreter plans in its arena.

        It gives the tensor that stands for dedicated fast storage room from the arena's start on,
        too, although the driver puts another address in its place.
        """
        return max(self.arena_bytes, self.fast_scratch_bytes)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
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
    limit = target.mode.arena_cache_size
    told = "no limit" if limit is None else f"a limit of {limit} bytes"
    return (
        f"{material.name}, scheduled by Reefpoint",
        f"for {target.accelerator.name}, {target.system.name}, {target.mode.name}",
        f"with {told}, {options_text(material.options)}",
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
    )


def _stream_bytes(compiled: Network) -> int:
    """Payloads of the accelerator's operators: their first inputs, each once."""
    payloads: set[tuple[int, TensorId]] = set()
    for ref, op in compiled.operators():
        if op.custom_code == CUSTOM_CODE and op.inputs and op.inputs[0] is not None:
            payloads.add((ref.subgraph, op.inputs[0]))
    found = (compiled.subgraphs[graph].tensors[tensor].data for graph, tensor in payloads)
    return sum(data.size_bytes for data in found if data is not None)
