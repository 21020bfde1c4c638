"""What a sweep finds: one cell for each model and each settings that it was scheduled with."""

from __future__ import annotations

import enum

from core.base.frozen import Frozen


class Verdict(enum.Enum):
    """What became of a cell."""

    FITS = "fits"
    EXCEEDS = "exceeds"
    """There is a schedule, and it needs more than the limit."""
    DIFFERS = "differs"
    """It was compiled, and does not compute what the model does."""
    REFUSED = "refused"
    """There is none, and the error says why."""
    LOST = "lost"
    """Workers came to no end with it; the next sweep tries again."""


class Totals(Frozen):
    """The figures of a schedule; each is a column of a sweep's file."""

    cycles: float
    npu_cycles: int
    sram_cycles: float
    dram_cycles: float
    on_chip_flash_cycles: float
    off_chip_flash_cycles: float
    seconds: float
    fast_bytes: int
    """Of the memory that has fast storage, or is it."""
    excess_bytes: int
    """By which limits are exceeded."""
    sram_moved_bytes: float
    """Read and written in one inference, like the next three."""
    dram_moved_bytes: float
    on_chip_flash_moved_bytes: float
    off_chip_flash_moved_bytes: float
    evicted_maps: int
    evicted_bytes: int
    cascades: int
    cascaded_ops: int
    npu_ops: int
    cpu_ops: int

    @property
    def moved_bytes(self) -> float:
        """Read and written in one inference, in whichever memory."""
        on_chip = self.sram_moved_bytes + self.on_chip_flash_moved_bytes
        return on_chip + self.dram_moved_bytes + self.off_chip_flash_moved_bytes


class Outcome(Frozen):
    """What a cell's schedule is, the same wherever it was found."""

    verdict: Verdict
    totals: Totals | None = None
    error: str = ""
    """Why there are no totals, or what does not hold."""


class SweptModel(Frozen):
    """A model by its content."""

    digest: str
    name: str
    size_bytes: int


class SweptSettings(Frozen):
    """What was asked for, with the names that hold where none was given."""

    digest: str
    reefpoint: str
    """The version that scheduled."""
    accelerator: str
    system_config: str
    memory_mode: str
    limit_bytes: int
    strategy: str
    search: str
    engine: str
    allocator: str
    words: tuple[str, ...]
    """On a command line they ask for the same, but for files of configs."""
    configs: tuple[str, ...]

    @property
    def target_name(self) -> str:
        """The target without its limit."""
        return f"{self.accelerator} {self.system_config} {self.memory_mode}"

    @property
    def choice_name(self) -> str:
        """How schedules were searched."""
        return f"{self.strategy} {self.engine} {self.search}"


class Cell(Frozen):
    """A cell as a sweep's file has it."""

    model: SweptModel
    settings: SweptSettings
    outcome: Outcome
