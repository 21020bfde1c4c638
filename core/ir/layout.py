"""Where everything lies: addresses for what a schedule needs, region by region."""

from __future__ import annotations

import enum
from collections import defaultdict
from itertools import accumulate

from core.base.frozen import Frozen, NamedTuple, replace
from core.base.ids import FmId, NpuOpId
from core.ir.fixed import Against
from core.ir.options import Allocator
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region
from core.target.target import Area


class Purpose(enum.Enum):
    """What a range of bytes holds, by the name that the ecosystem gives it."""

    FEATURE_MAP = "FeatureMap"
    WEIGHTS = "Weights"
    TABLE = "LUT"
    RESERVED = "Reserved"
    """Nothing of the network's: an edit sets it aside for others."""


class Placement(Frozen):
    """Bytes with an address, from one time to another; both are included."""

    name: str
    purpose: Purpose
    region: Region
    address: int
    size_bytes: int
    start_time: int
    end_time: int
    fms: tuple[FmId, ...] = ()
    """Feature maps that have these bytes, one after the other."""
    op: NpuOpId | None = None
    """The operator whose weights or table it holds."""
    buffer: int = 0
    """Which of the operator's weight buffers it is."""
    alignment: int = ALIGNMENT_BYTES
    content: str | None = None
    """Digest of bytes that do not change; equal ones may lie on each other."""


class Common(NamedTuple):
    """Bytes that two ranges have at once, as one is filled while the other is given up.

    Ranges are told by their positions in the layout of their area.
    """

    filled: int
    given_up: int

    start_time: int
    """When the one begins to be filled."""
    end_time: int
    """The last time at which the other is read."""
    address: int
    size_bytes: int


class AreaLayout(Frozen):
    """Regions that share one range of addresses in one memory."""

    area: Area
    regions: tuple[Region, ...]
    placements: tuple[Placement, ...]
    height_bytes: int
    lower_bound_bytes: int
    """Proven: no layout of these ranges is lower."""
    limit_bytes: int | None
    """What it may take, where there is a limit."""
    common: tuple[Common, ...] = ()

    @property
    def excess_bytes(self) -> int:
        """Bytes by which it stands above its limit."""
        return 0 if self.limit_bytes is None else max(self.height_bytes - self.limit_bytes, 0)

    @property
    def live_bytes(self) -> int:
        """The most that is needed at once; what two ranges have at once is needed once."""
        changes: defaultdict[int, int] = defaultdict(int)
        for item in self.placements:
            changes[item.start_time] += item.size_bytes
            changes[item.end_time + 1] -= item.size_bytes
        for both in self.common:
            changes[both.start_time] -= both.size_bytes
            changes[both.end_time + 1] += both.size_bytes
        return max(accumulate(changes[time] for time in sorted(changes)), default=0)

    @property
    def is_torn(self) -> bool:
        """Whether it stands above its limit, although all that is live at once is within it.

        Ranges that may have bytes in common need not have found addresses where they do; the bound
        knows of those that may, and of what a row of them cannot do without.
        """
        least = min(self.live_bytes, self.lower_bound_bytes)
        return self.excess_bytes > 0 and self.height_bytes - least >= self.excess_bytes


class MemoryLayout(Frozen):
    """Addresses for everything that a schedule needs."""

    areas: tuple[AreaLayout, ...]
    op_times: tuple[int, ...]
    """By operator: when it runs, counted from the start of the network."""
    end_time: int
    against: tuple[Against, ...] = ()
    """Why addresses that were asked for are others, or elsewhere."""
    allocator: Allocator | None = None
    """Who found those of fast storage: not always whom the options ask; None of a compiled file."""

    @property
    def addresses(self) -> tuple[object, ...]:
        """All of it that does not tell of limits."""
        areas = ((area.placements, area.height_bytes, area.common) for area in self.areas)
        return self.op_times, *areas

    def within(self, limits: MemoryLayout) -> MemoryLayout:
        """The same addresses under the limits of another layout of the same areas."""
        pairs = zip(self.areas, limits.areas, strict=True)
        areas = (replace(own, limit_bytes=other.limit_bytes) for own, other in pairs)
        return replace(self, areas=tuple(areas))

    def used_bytes(self, area: Area) -> int:
        """Bytes of one memory, all regions together but for buffers of the application's."""
        return sum(
            part.height_bytes
            for part in self.areas
            if part.area is area and Region.SEPARATE_IO not in part.regions
        )

    @property
    def fast_area(self) -> AreaLayout:
        """What lies next to the accelerator: in fast storage, or with all else in its memory."""
        return next(area for area in self.areas if Region.SCRATCH_FAST in area.regions)

    @property
    def fast_bytes(self) -> int:
        """Bytes of it."""
        return self.fast_area.height_bytes

    @property
    def is_within_limits(self) -> bool:
        """Whether nothing stands above its limit."""
        return all(part.excess_bytes == 0 for part in self.areas)
