"""The figures of a schedule, whose names say their units."""

from __future__ import annotations

from core.api import schedules
from core.base.frozen import Frozen
from core.target.target import Area


class Figures(Frozen, eq=False):
    """What a schedule comes to."""

    scheduled: schedules.Scheduled
    """All of it, as the compiler has it; what is in it may change from version to version."""

    @property
    def cycles(self) -> float:
        """Of one inference, by our estimate."""
        return self.scheduled.total.total_cycles

    @property
    def seconds(self) -> float:
        """Of one inference, at the target's clock."""
        return self.scheduled.total.seconds

    @property
    def inferences_per_second(self) -> float:
        """One behind the other."""
        return self.scheduled.total.inferences_per_second

    @property
    def macs(self) -> int:
        """Of one inference."""
        return self.scheduled.total.macs

    @property
    def fast_storage_bytes(self) -> int:
        """That it takes of the memory that has a limit."""
        return self.scheduled.fast_bytes

    @property
    def limit_bytes(self) -> int | None:
        """That it may take; None of a compiled model, which does not tell."""
        return self.scheduled.limit_bytes

    @property
    def excess_bytes(self) -> int:
        """By which limits are exceeded; 0 where it fits."""
        return self.scheduled.excess_bytes or 0

    @property
    def fits(self) -> bool:
        """Whether no limit is exceeded."""
        return not self.excess_bytes

    @property
    def sram_bytes(self) -> int:
        """That are held in SRAM."""
        return self.scheduled.layout.used_bytes(Area.SRAM)

    @property
    def dram_bytes(self) -> int:
        """That are held in DRAM."""
        return self.scheduled.layout.used_bytes(Area.DRAM)

    @property
    def flash_bytes(self) -> int:
        """That are held in flash, on the chip and beside it."""
        used_bytes = self.scheduled.layout.used_bytes
        return used_bytes(Area.ON_CHIP_FLASH) + used_bytes(Area.OFF_CHIP_FLASH)

    @property
    def evicted_bytes(self) -> int:
        """Of maps that could be in fast storage and are not."""
        return self.scheduled.evicted_bytes or 0
