"""The door: the operations and transfers of each island, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from core.base.errors import InternalError
from core.base.frozen import Frozen
from core.base.geometry import Box, round_up
from core.base.ids import IslandId, NpuOpId
from core.base.progress import SILENT, Progress
from core.emit.commands.addresses import Addresses
from core.emit.commands.operands import Operands
from core.emit.commands.operations import Recipe, operation
from core.emit.commands.streams import WeightFeed
from core.emit.commands.tables import TableStore
from core.ir.layout import MemoryLayout
from core.ir.npugraph import NpuGraph, NpuOp, OpKind
from core.ir.program import DmaPlace, DmaTransfer, NpuOperation
from core.ir.schedule import IslandSchedule, OpPlan, Schedule, brought_ahead, steps_of
from core.ir.weightstream import EncodedWeights
from core.liveness.separate import regions_of
from core.liveness.stripes import cascade_steps
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region
from core.target.target import Target

StreamOf = Callable[[OpPlan], EncodedWeights]
"""Gives the encoded weights of an operator."""


class IslandCommands(Frozen):
    """What an island is told, before anything waits for anything."""

    island: IslandId
    commands: tuple[NpuOperation | DmaTransfer, ...]
    origins: tuple[NpuOpId, ...]
    """By command: the operator that it is for."""


def run(
    graph: NpuGraph,
    schedule: Schedule,
    layout: MemoryLayout,
    target: Target,
    stream_of: StreamOf,
    progress: Progress = SILENT,
) -> tuple[IslandCommands, ...]:
    """The commands of all islands."""
    addresses = Addresses.of(layout, target)
    has_own = any(Region.SEPARATE_IO in area.regions for area in layout.areas)
    found = []
    for number, island in enumerate(schedule.islands):
        progress.advance("commands", number, len(schedule.islands))
        if has_own:
            addresses = Addresses.of(layout, target, regions_of(graph.islands[island.island]))
        writer = _Writer(graph, schedule, addresses, target, stream_of)
        pairs = list(writer.island(island))
        found.append(
            IslandCommands(
                island=island.island,
                commands=tuple(command for _, command in pairs),
                origins=tuple(op for op, _ in pairs),
            )
        )
    return tuple(found)


OwnedCommand = tuple[NpuOpId, NpuOperation | DmaTransfer]


class _Writer:
    """Writes the commands of one island; tables and buffers hold what was brought before."""

    def __init__(
        self,
        graph: NpuGraph,
        schedule: Schedule,
        addresses: Addresses,
        target: Target,
        stream_of: StreamOf,
    ) -> None:
        self._graph = graph
        self._addresses = addresses
        self._cores = target.accelerator.cores
        self._stream_of = stream_of
        self._operands = Operands(graph, schedule, addresses)
        self._tables = TableStore(target.accelerator, addresses)
        self._feeds: dict[NpuOpId, WeightFeed] = {}
        self._recipes: dict[NpuOpId, Recipe] = {}

    def island(self, island: IslandSchedule) -> Iterator[OwnedCommand]:
        """All commands of an island, cascade by cascade."""
        cascades = {
            island.cascades[steps.cascade].ops[0]: steps.steps
            for steps in cascade_steps(self._graph, island)
        }
        plans = {plan.op: plan for plan in island.ops}
        steps = tuple(steps_of(island.ops))
        ahead = brought_ahead(steps)
        for number, (plan, *_) in enumerate(steps):
            for early in ahead.get(number, ()):
                yield from self._first_slice(early)
            if plan.cascade is None:
                height, step = self._graph.ops[plan.op].ofm.touched.h, max(plan.stripe.ofm.h, 1)
                for first in range(0, height, step):
                    yield from self._stripe(plan, range(first, min(first + step, height)))
            for stripe in cascades.get(plan.op, ()):
                yield from self._stripe(plans[stripe.op], range(stripe.first_row, stripe.end_row))

    def _first_slice(self, plan: OpPlan) -> Iterator[OwnedCommand]:
        feed = self._feed(plan)
        if feed is not None:
            yield from ((plan.op, command) for command in feed.bring(0))

    def _stripe(self, plan: OpPlan, rows: range) -> Iterator[OwnedCommand]:
        op = self._graph.ops[plan.op]
        commands = self._copy(op, rows) if op.kind is OpKind.COPY else self._slices(plan, op, rows)
        yield from ((op.id, command) for command in commands)

    def _slices(self, plan: OpPlan, op: NpuOp, rows: range) -> Iterator[NpuOperation | DmaTransfer]:
        """The depth slices of a stripe, each after what it needs in the shared buffer."""
        recipe, feed = self._recipe(plan), self._feed(plan)
        touched = op.ofm.touched
        cuts = (0, touched.c) if plan.weights is None else plan.weights.depth_slices
        for number, (start, end) in enumerate(pairwise(cuts)):
            made = Box(rows, range(touched.w), range(start, end))
            if feed is not None:
                yield from feed.bring(number)
            table = op.activation.table if op.activation is not None else None
            if table is not None:
                yield from self._tables.bring(op.id, table)
            else:
                self._tables.forget_without_table()
            slot = None if table is None else self._tables.slot_of(table)
            if feed is None:
                yield operation(recipe, self._operands, made, table=slot)
            else:
                streams = feed.streams(number)
                yield operation(recipe, self._operands, made, streams=streams, table=slot)

    def _recipe(self, plan: OpPlan) -> Recipe:
        known = self._recipes.get(plan.op)
        if known is None:
            known = self._recipes[plan.op] = Recipe.of(self._graph, plan, self._cores)
        return known

    def _feed(self, plan: OpPlan) -> WeightFeed | None:
        if plan.weights is None:
            return None
        known = self._feeds.get(plan.op)
        if known is None:
            encoded = self._stream_of(plan)
            known = WeightFeed(plan.op, plan.weights, encoded, self._addresses, self._cores)
            self._feeds[plan.op] = known
        return known

    def _copy(self, op: NpuOp, rows: range) -> Iterator[DmaTransfer]:
        """A copy of a whole map; bytes that are where they should be need none."""
        if len(rows) != op.ofm.touched.h:
            raise InternalError(f"'{op.name}' copies in stripes")
        source, destination = self._addresses.maps[op.ifm.fm], self._addresses.maps[op.ofm.fm]
        if source != destination:
            fm = self._graph.fm(op.ofm)
            size_bytes = op.ofm.touched.elements * fm.dtype.size_bytes
            yield DmaTransfer(
                source=DmaPlace(source.region, source.address),
                destination=DmaPlace(destination.region, destination.address),
                size_bytes=round_up(size_bytes, ALIGNMENT_BYTES),
            )
