"""Whether what has to be in the SRAM of a board fits there, beside what else it has to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.base.frozen import Frozen, NamedTuple
from core.base.harmless import visible
from core.ir.pools import Pools
from core.ir.program import ProgramPart, RegionRole
from core.report.board.sizes import Board as Sheet
from core.target.accelerator import Accelerator
from core.target.boards import Board
from core.target.target import Area, Target


class Need(NamedTuple):
    """Bytes in SRAM, and what they are for."""

    what: str
    size_bytes: int


class Room(Frozen, kw_only=False):
    """The SRAM of a board, and what a program takes of it."""

    board: Board
    needs: tuple[Need, ...]
    accelerator: Accelerator | None
    """That command streams are for."""

    @property
    def needed_bytes(self) -> int:
        """All of it together."""
        return sum(each.size_bytes for each in self.needs)

    @property
    def missing_bytes(self) -> int:
        """What the board lacks."""
        return max(0, self.needed_bytes - self.board.sram_bytes)

    @property
    def other_npu(self) -> str:
        """Why the board's driver refuses the streams; empty where it does not."""
        own = self.board.accelerator.value
        if self.accelerator is None or self.accelerator.name == own:
            return ""
        return f"has an {own}, and the streams are for {self.accelerator.name}: it REFUSES them"

    def text(self) -> str:
        """In a line or two."""
        board, needed = self.board, self.needed_bytes
        parts = " + ".join(f"{each.size_bytes:,} {each.what}" for each in self.needs)
        left = board.sram_bytes - needed
        told = f"{left:,} are left" if left >= 0 else f"{-left:,} ARE MISSING"
        held = f"{needed:,} of {board.sram_bytes:,} bytes of SRAM ({parts})"
        lines = [f"{board.name}: {held}, {told}; source: {board.source}"]
        lines += [f"{board.name} {self.other_npu}"] * bool(self.other_npu)
        return "\n".join(map(visible, lines))

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "board": self.board.name,
            "accelerator": self.board.accelerator.value,
            "fits_accelerator": not self.other_npu,
            "sram_bytes": self.board.sram_bytes,
            "needed_bytes": self.needed_bytes,
            "missing_bytes": self.missing_bytes,
        }


def needs_of_pools(pools: Sequence[Pools], target: Target) -> tuple[Need, ...]:
    """Of the plan that takes most, what is in SRAM."""
    all_of_them = (_needs(each, target) for each in pools)
    return max(all_of_them, key=lambda needs: sum(each.size_bytes for each in needs))


def _needs(pools: Pools, target: Target) -> tuple[Need, ...]:
    near = [
        Need("fast scratch", pools.fast_scratch_bytes),
        Need("planned fast", pools.planned_fast_bytes),
    ]
    if target.arena.area is Area.SRAM:
        near.append(Need("method pool", pools.method_bytes))
        near.append(Need("temporary pool", pools.temporary_bytes))
    return tuple(each for each in near if each.size_bytes)


def needs_of_arena(sheet: Sheet, target: Target) -> tuple[Need, ...]:
    """Of a model for TensorFlow Lite Micro, what is in SRAM."""
    near = [Need("fast scratch", sheet.sizes.fast_scratch_bytes)]
    if target.arena.area is Area.SRAM:
        near.append(Need("tensor arena", sheet.tensor_arena_bytes))
    return tuple(each for each in near if each.size_bytes)


def needs_of_regions(part: ProgramPart, target: Target) -> tuple[Need, ...]:
    """Of a delegate that stands alone, what is in SRAM."""
    sizes = {region.role: region.size_bytes for region in part.regions}
    near = [Need("fast scratch", sizes.get(RegionRole.SCRATCH_FAST, 0))]
    if target.arena.area is Area.SRAM:
        near.append(Need("scratch", sizes.get(RegionRole.SCRATCH, 0)))
    return tuple(each for each in near if each.size_bytes)
