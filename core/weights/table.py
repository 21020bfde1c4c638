"""The plan of a weight stream: which slices it has, and how each of them is coded."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.weights.bits import Ints
from core.weights.costs import IS_TRUNCATED, IS_UNCOMPRESSED
from core.weights.palette import Palette


class SliceTable(Frozen, eq=False):
    """Slices in order, one element of each array for each slice; streams follow each other."""

    stream: Ints
    count: Ints
    """Symbols of the weight alphabet; at least one."""
    width: Ints
    """Bits of a remainder, or of a whole index when uncompressed."""
    coding: Ints
    """Position in `CODINGS`."""
    zero_divisor: Ints
    """Or `NO_ZERO_RUNS`."""
    palette: Ints
    """Position of the palette that the slice brings along, or -1 to keep the last one."""
    palettes: tuple[Palette, ...]

    @property
    def is_truncated(self) -> npt.NDArray[np.bool_]:
        """Whether quotients end at two and then need no closing bit."""
        return IS_TRUNCATED[self.coding]

    @property
    def is_uncompressed(self) -> npt.NDArray[np.bool_]:
        """Whether indices have a fixed width and no unary part."""
        return IS_UNCOMPRESSED[self.coding]

    @property
    def size(self) -> int:
        return int(self.count.size)


def starts_of(counts: Ints) -> Ints:
    """Where each run begins when runs of these lengths follow each other."""
    starts = np.zeros(counts.size, dtype=np.int64)
    np.cumsum(counts[:-1], out=starts[1:])
    return starts


def ranges(starts: Ints, counts: Ints) -> Ints:
    """All positions of runs with these starts and lengths, one run after the other."""
    total = int(counts.sum())
    return np.repeat(starts - starts_of(counts), counts) + np.arange(total, dtype=np.int64)
