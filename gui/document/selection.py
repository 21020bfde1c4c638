"""What the user has picked, in whichever view."""

from __future__ import annotations

from core.base.frozen import NamedTuple
from core.base.ids import FmId, IslandId, NpuOpId


class CascadeRef(NamedTuple):
    """A cascade of an answer."""

    island: IslandId
    cascade: int


class BufferRef(NamedTuple):
    """A weight buffer of an answer."""

    op: NpuOpId
    buffer: int


class Selection(NamedTuple):
    """One thing, or nothing; at most one field is set, but that operators may be several."""

    op: NpuOpId | None = None
    fm: FmId | None = None
    """A live range: that of a feature map, with all that share its bytes."""
    cascade: CascadeRef | None = None
    buffer: BufferRef | None = None
    cpu_op: int | None = None
    """Position among the graph's CPU operators."""
    more_ops: tuple[NpuOpId, ...] = ()
    """Picked beside `op`; what is told of one is told of `op`."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is picked."""
        return self == NOTHING_SELECTED

    @property
    def ops(self) -> tuple[NpuOpId, ...]:
        """All operators that are picked, in the order of their numbers."""
        return () if self.op is None else tuple(sorted({self.op, *self.more_ops}))


NOTHING_SELECTED = Selection()
