"""A network with its schedule: what the stages have made of it, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import Frozen
from core.ir.calls import Call
from core.ir.cost import NetworkCost, OperatorCost
from core.ir.edits import EditOutcome
from core.ir.layout import MemoryLayout
from core.ir.network import Network
from core.ir.notes import Note
from core.ir.npugraph import NpuGraph, NpuOp, View
from core.ir.options import Options
from core.ir.schedule import IslandSchedule, MapPlan, OpPlan, Schedule
from core.ir.shown import Around
from core.ir.untold import Untold
from core.target.accelerator import Accelerator
from core.target.target import Target


class Run(Frozen):
    """A network as it was read, and lowered for an accelerator."""

    network: Network
    accelerator: Accelerator
    graph: NpuGraph
    saves_memory: bool = False
    """Whether it is lowered for a strategy that saves memory."""


class Scheduled(Frozen):
    """A run with its schedule, its layout, and what they cost."""

    run: Run
    target: Target
    options: Options
    schedule: Schedule
    layout: MemoryLayout
    costs: tuple[OperatorCost, ...]
    """By operator."""
    total: NetworkCost
    edits: tuple[EditOutcome, ...] = ()
    """What became of the edits, in their order."""
    around: Around | None = None
    """What it was shown as before these edits, where all else stays as it was."""
    compiled_by: str | None = None
    """What a file says of its origin, where all of this was read out of a compiled model."""
    untold: tuple[Untold, ...] = ()
    """What such a model cannot tell."""
    calls: tuple[Call, ...] = ()
    """Of such a model: who runs what, in which order."""
    hints: tuple[str, ...] = ()
    """What such a model shows of itself that would help it."""
    notes: tuple[Note, ...] = ()
    """What its user has to say of it."""
    name: str = ""
    """What reports call the network."""

    @property
    def network(self) -> Network:
        """The network as it was read."""
        return self.run.network

    @property
    def graph(self) -> NpuGraph:
        """The network as it was lowered."""
        return self.run.graph

    @property
    def fast_bytes(self) -> int:
        """Bytes of the memory that has fast storage, or is it."""
        return self.layout.fast_bytes

    @property
    def limit_bytes(self) -> int | None:
        """Fast storage that it may use; None of a compiled model, which does not tell its limit."""
        return self.target.fast_limit_bytes if self.compiled_by is None else None

    @property
    def excess_bytes(self) -> int | None:
        """Bytes above limits; None where these are not told."""
        if self.compiled_by is not None:
            return None
        return sum(area.excess_bytes for area in self.layout.areas)

    @property
    def evicted_maps(self) -> int | None:
        """How many groups of maps could be in fast storage and are not; None where nobody knows."""
        return len(self.schedule.evicted) if self.compiled_by is None else None

    @property
    def evicted_bytes(self) -> int | None:
        """Bytes of the same."""
        return self.schedule.evicted_bytes if self.compiled_by is None else None

    def op(self, plan: OpPlan) -> NpuOp:
        """The operator that a plan is for."""
        return self.graph.ops[plan.op]

    def cost(self, plan: OpPlan) -> OperatorCost:
        """What the operator of a plan costs."""
        return self.costs[plan.op]

    def map_plan(self, view: View) -> MapPlan:
        """The plan of the feature map behind a view."""
        return self.schedule.maps[view.fm]

    def start_time(self, island: IslandSchedule) -> int:
        """When an island begins, counted from the start of the network; 0 where nothing runs."""
        if not island.ops:
            return 0
        first = island.ops[0]
        return self.layout.op_times[first.op] - first.time

    def snapshot_bytes(self, island: IslandSchedule) -> tuple[int, ...]:
        """Bytes of fast storage that are live at each time from the start of the network on."""
        return (0,) * self.start_time(island) + island.snapshot

    def cascade_numbers(self) -> dict[tuple[int, int], int]:
        """Numbers of cascades in order of execution, by island and position there."""
        first_ops = sorted(
            (self.layout.op_times[cascade.ops[0]], island.island, position)
            for island in self.schedule.islands
            for position, cascade in enumerate(island.cascades)
        )
        return {(island, at): number for number, (_, island, at) in enumerate(first_ops, 1)}

    def plans(self) -> Iterator[OpPlan]:
        """The plans of all operators in order of execution."""
        for island in self.schedule.islands:
            yield from island.ops
