"""A complete target: accelerator, system, and what each memory is used for."""

from __future__ import annotations

import enum

from core.base.checked import Checked, Count, Positive
from core.base.frozen import replace
from core.base.named import Named
from core.target.accelerator import Accelerator


class Area(Named):
    """A kind of memory, by the name that configuration files use."""

    SRAM = "Sram"
    DRAM = "Dram"
    ON_CHIP_FLASH = "OnChipFlash"
    OFF_CHIP_FLASH = "OffChipFlash"


class Memory(Checked):
    """How fast a memory answers; cycles are the accelerator's."""

    area: Area
    clock_scale: Positive = 1.0
    burst_length: Count = 1
    read_latency: Count = 0
    write_latency: Count = 0
    ports_used: Count = 1
    max_reads: Count = 0
    """That can be under way at once; 0 where nobody says."""
    max_writes: Count = 0


class SystemConfig(Checked):
    """The clock, and the memories at the accelerator's two ports."""

    name: str
    core_clock_hz: Positive
    axi0: Memory
    axi1: Memory
    command_cycles: Count | None = None
    """What a command takes beside its work, where somebody has measured that."""


class Port(enum.Enum):
    """One of the accelerator's two ports, by the name that configuration files use."""

    AXI0 = "Axi0"
    AXI1 = "Axi1"


class MemoryMode(Checked):
    """Which port serves constants, feature maps, and the fast copy of either."""

    name: str
    constants: Port
    arena: Port
    cache: Port
    arena_cache_size: Count | None = None
    """Bytes of fast storage; None means as many as the accelerator can address."""


class Target(Checked):
    """What a network is compiled for. The limits are part of it."""

    accelerator: Accelerator
    system: SystemConfig
    mode: MemoryMode

    def memory(self, port: Port) -> Memory:
        """The memory at a port."""
        return self.system.axi0 if port is Port.AXI0 else self.system.axi1

    @property
    def permanent(self) -> Memory:
        """Where weights and other constants are stored."""
        return self.memory(self.mode.constants)

    @property
    def arena(self) -> Memory:
        """Where feature maps are stored."""
        return self.memory(self.mode.arena)

    @property
    def fast(self) -> Memory:
        """Where what is used often can be moved to."""
        return self.memory(self.mode.cache)

    @property
    def is_spilling(self) -> bool:
        """Whether fast storage is dedicated: feature maps live elsewhere, move in if they fit."""
        return self.mode.cache is not self.mode.arena

    @property
    def has_far_constants(self) -> bool:
        """Whether constants are stored so far away that fetching them early pays."""
        area = self.permanent.area
        return area in {Area.DRAM, Area.OFF_CHIP_FLASH} and area is not self.fast.area

    @property
    def fast_limit_bytes(self) -> int:
        """Bytes of fast storage that a schedule may use."""
        limit = self.mode.arena_cache_size
        return self.accelerator.max_address if limit is None else limit

    def with_limit(self, size_bytes: int | None) -> Target:
        """The same target with another amount of fast storage; None is all that it can address."""
        return replace(self, mode=replace(self.mode, arena_cache_size=size_bytes))
