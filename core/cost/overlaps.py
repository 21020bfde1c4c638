"""What lies where something else has just been: then transfers wait for operations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Protocol

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import FmId, NpuOpId
from core.ir.layout import MemoryLayout, Purpose
from core.ir.npugraph import NpuGraph
from core.ir.schedule import MapPlan, OpPlan, WeightPlan
from core.liveness.overwrite import readers


class Use(NamedTuple):
    """A slice of an operator's weights, which are brought or read."""

    op: NpuOpId
    weights: WeightPlan | None
    depth_slice: int

    @classmethod
    def of(cls, plan: OpPlan, depth_slice: int) -> Use:
        """A slice of what is planned."""
        return cls(plan.op, plan.weights, depth_slice)

    @property
    def buffer(self) -> int:
        """Which of the operator's buffers it goes through."""
        return self.depth_slice % max(len(self.weights.buffer_bytes), 1) if self.weights else 0

    @property
    def size_bytes(self) -> int:
        """Bytes of the slice."""
        return self.weights.slice_bytes[self.depth_slice] if self.weights else 0


class Overlaps(Protocol):
    """What is known of addresses."""

    def disturbs(self, brought: Use, running: Use) -> bool:
        """Whether a slice comes to where an operation that may still run has bytes."""

    def is_in_place(self, source: FmId, destination: FmId) -> bool:
        """Whether a copy's bytes are where they should be."""


class Assumed(Frozen, kw_only=False):
    """Before there are addresses: what is only live with its operator takes others' places, and
    what is copied within one memory lies where it is copied to, where nobody else reads it."""

    graph: NpuGraph
    map_of: Callable[[FmId], MapPlan]

    def disturbs(self, brought: Use, running: Use) -> bool:
        """Whether a slice may come to where an operation before has bytes."""
        del running
        weights = brought.weights
        return weights is not None and (brought.buffer > 0 or not weights.is_prefetched)

    def is_in_place(self, source: FmId, destination: FmId) -> bool:
        """Whether two maps are the same bytes in any case, or can be."""
        maps = self.graph.feature_maps
        if maps[source].storage == maps[destination].storage:
            return True
        if self.map_of(source).region is not self.map_of(destination).region:
            return False
        return readers(self.graph)[source] == 1


class _Range(NamedTuple):
    memory: int
    start: int
    end: int

    def overlaps(self, other: _Range) -> bool:
        is_apart = self.start >= other.end or other.start >= self.end
        return self.memory == other.memory and not is_apart


class Laid:
    """With the addresses of a layout."""

    def __init__(self, graph: NpuGraph, layout: MemoryLayout) -> None:
        self._maps: dict[FmId, _Range] = {}
        self._buffers: dict[tuple[NpuOpId, int], _Range] = {}
        self._views: defaultdict[NpuOpId, list[_Range]] = defaultdict(list)
        for number, area in enumerate(layout.areas):
            for item in area.placements:
                found = _Range(number, item.address, item.address + item.size_bytes)
                self._maps.update(dict.fromkeys(item.fms, found))
                is_buffer = item.purpose is Purpose.WEIGHTS and not item.region.is_permanent
                if item.op is not None and is_buffer:
                    self._buffers[item.op, item.buffer] = found
        for op in graph.ops:
            known = [self._maps.get(graph.fm(view).storage) for view in op.views]
            self._views[op.id] += [found for found in known if found is not None]

    def disturbs(self, brought: Use, running: Use) -> bool:
        """Whether a slice comes to where an operation that may still run has bytes."""
        own, read = self._place(brought), self._place(running)
        others = (*self._views[running.op], *((read,) if read else ()))
        return own is not None and any(own.overlaps(other) for other in others)

    def _place(self, use: Use) -> _Range | None:
        buffer = self._buffers.get((use.op, use.buffer))
        if buffer is None:
            return None
        return _Range(buffer.memory, buffer.start, buffer.start + use.size_bytes)

    def is_in_place(self, source: FmId, destination: FmId) -> bool:
        """Whether a copy's bytes are where they should be."""
        return self._maps[source] == self._maps[destination]
