"""What fast storage is to a search: the arena itself, or a memory beside it that maps move to.

Both are asked the same questions. Which of the two a target has is decided once, where a network is
prepared; from then on each `IslandProblem` carries the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar, Protocol

from core.base.frozen import Frozen
from core.base.ids import FmId, IslandId
from core.ir.decisions import CascadeEnd
from core.ir.npugraph import NpuGraph
from core.schedule.beside import Beside, around_islands
from core.target.target import Target


class LongerCascade(Frozen, kw_only=False):
    """What a cascade takes with one operator more."""

    open_bytes: int
    """Of its buffers and the map that it begins with, without the one that it ends with."""
    size_bytes: int
    """Of all of it, with what is live beside it."""
    uncascaded_bytes: int
    """Of its last operator outside of it."""


class FastStorage(Protocol):
    """The one signature of both."""

    has_all_maps: ClassVar[bool]
    """Whether each map is there, so that no schedule can do without the memory for it."""

    def holds(self, moved: Collection[FmId]) -> Callable[[FmId], bool]:
        """Which maps are there, given those that were moved there."""

    def others(self, graph: NpuGraph, sizes: Sequence[int]) -> Mapping[IslandId, Beside]:
        """What it holds beside each island, given the sizes of maps; islands without are alone."""

    def bytes_of(self, map_bytes: int) -> int:
        """What a whole map of a size takes of it, if nobody has moved it there."""

    def limit_for_size(self, smallest_bytes: int, limit_bytes: int) -> int:
        """What a schedule may take with Size, whose smallest stripes take so much."""

    def free_after(self, free_bytes: int, taken_bytes: int) -> int:
        """Up to where memory costs nothing, once a part of the network takes so much."""

    def end_of_growth(
        self, longer: LongerCascade, best_bytes: int, free_bytes: int
    ) -> CascadeEnd | None:
        """Why it does not pay to look at longer cascades than this; None if it may."""

    def is_better(self, longer: LongerCascade, best_bytes: int) -> bool:
        """Whether a longer cascade is better than the best of the shorter ones."""


class ArenaIsFast(Frozen, kw_only=False):
    """All maps are in fast storage: a cascade has to lower the peak of all that is live."""

    has_all_maps: ClassVar[bool] = True

    def holds(self, moved: Collection[FmId]) -> Callable[[FmId], bool]:
        """Every map."""
        del moved
        return lambda fm: True  # noqa: ARG005 - whichever it is

    def others(self, graph: NpuGraph, sizes: Sequence[int]) -> Mapping[IslandId, Beside]:
        """Maps of other islands and of operators on the CPU."""
        return around_islands(graph, sizes)

    def bytes_of(self, map_bytes: int) -> int:
        """All of it."""
        return map_bytes

    def limit_for_size(self, smallest_bytes: int, limit_bytes: int) -> int:
        """What others need anyway is there for all."""
        return max(smallest_bytes, limit_bytes)

    def free_after(self, free_bytes: int, taken_bytes: int) -> int:
        """What one part takes, all others may take at other times."""
        return max(free_bytes, taken_bytes)

    def end_of_growth(
        self, longer: LongerCascade, best_bytes: int, free_bytes: int
    ) -> CascadeEnd | None:
        """Go on while that may lower the peak."""
        if max(longer.uncascaded_bytes, best_bytes) < free_bytes:
            return CascadeEnd.FITS_WHOLE
        return CascadeEnd.TOO_LARGE if longer.open_bytes > best_bytes else None

    def is_better(self, longer: LongerCascade, best_bytes: int) -> bool:
        """It may be larger than a shorter one, and yet smaller than its last operator alone.

        That would need both of its maps whole after the shorter one.
        """
        return longer.size_bytes < max(best_bytes, longer.uncascaded_bytes)


class FastIsBeside(Frozen, kw_only=False):
    """Maps live elsewhere and move to fast storage: cascades are for those that have no room."""

    has_all_maps: ClassVar[bool] = False

    def holds(self, moved: Collection[FmId]) -> Callable[[FmId], bool]:
        """Those that were moved, and no others."""
        return moved.__contains__

    def others(self, graph: NpuGraph, sizes: Sequence[int]) -> Mapping[IslandId, Beside]:
        """Nothing: what an island moves there is gone when it is done."""
        del graph, sizes
        return {}

    def bytes_of(self, map_bytes: int) -> int:
        """Nothing: it stays where it lives."""
        del map_bytes
        return 0

    def limit_for_size(self, smallest_bytes: int, limit_bytes: int) -> int:
        """No more than the buffers of cascades: maps can stay where they live."""
        del limit_bytes
        return smallest_bytes

    def free_after(self, free_bytes: int, taken_bytes: int) -> int:
        """As before: what has room is moved there only once all cascades are known."""
        del taken_bytes
        return free_bytes

    def end_of_growth(
        self, longer: LongerCascade, best_bytes: int, free_bytes: int
    ) -> CascadeEnd | None:
        """Go on until an operator's whole maps have room, as long as the buffers have."""
        del best_bytes
        if longer.uncascaded_bytes < free_bytes:
            return CascadeEnd.FITS_WHOLE
        return None if longer.open_bytes <= free_bytes else CascadeEnd.TOO_LARGE

    def is_better(self, longer: LongerCascade, best_bytes: int) -> bool:
        """Always: one more map has not to be moved at all."""
        del longer, best_bytes
        return True


def fast_storage_of(target: Target) -> FastStorage:
    """What fast storage is on a target."""
    return FastIsBeside() if target.is_spilling else ArenaIsFast()
