"""What needs addresses: maps and buffers of a whole network over time, constants for ever."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from core.base.frozen import Frozen, replace
from core.base.geometry import round_up
from core.base.ids import FmId, IslandId, NpuOpId
from core.ir.fixed import NOTHING_FIXED, Fixed, Reserve
from core.ir.layout import Purpose
from core.ir.npugraph import CpuOp, NpuGraph, View
from core.ir.schedule import MapPlan, OpPlan, Schedule
from core.liveness.lives import TIMES_PER_STEP, Buffers, Life, Lives, Visit
from core.liveness.overwrite import overwritable
from core.liveness.sizes import map_bytes, rolling_bytes
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region


class Timeline(Frozen):
    """When operators run, and when what bytes are needed."""

    op_times: tuple[int, ...]
    lives: tuple[Life, ...]
    end_time: int


def timeline(
    graph: NpuGraph,
    schedule: Schedule,
    regions: Iterable[Region],
    fixed: Fixed = NOTHING_FIXED,
    separate: Container[FmId] = (),
) -> Timeline:
    """The lives of everything in these regions, from the start of the network to its end.

    Maps that are to be at different addresses do not take the place of each other; those that are
    separate are in that region alone.
    """
    wanted = frozenset(regions)
    sizes = _sizes(graph, schedule.maps)

    def holds(fm: FmId) -> bool:
        region = Region.SEPARATE_IO if fm in separate else schedule.maps[fm].region
        return region in wanted

    lives = Lives(size_of=sizes.__getitem__, holds=holds)
    overwrites = [
        tuple(fm for fm in fms if not (_are_apart(fixed, fm, op.ofm.fm) or op.ofm.fm in separate))
        for op, fms in zip(
            graph.ops, overwritable(graph, [plan.format for plan in schedule.maps]), strict=True
        )
    ]
    walk = _Walk(graph, schedule, lives, overwrites, has_buffers=Region.SCRATCH_FAST in wanted)
    # An application fills in all inputs before the first operator runs.
    walk.touch(graph.inputs[0])
    for subgraph in range(len(graph.steps)):
        walk.subgraph(subgraph)
    end_time = lives.time + 1
    for fm in _always_live(graph):
        lives.keep_always(graph.feature_maps[fm].storage, end_time)
    shared = _sharers(graph)
    beside_callers = {op for island in graph.islands if island.subgraph != 0 for op in island.ops}
    return Timeline(
        op_times=tuple(walk.op_times),
        lives=(
            *(
                replace(
                    life,
                    fms=tuple(fm for storage in life.fms for fm in shared[storage]),
                    start_time=0 if life.op in beside_callers else life.start_time,
                    end_time=end_time if life.op in beside_callers else life.end_time,
                )
                for life in lives.closed()
            ),
            *(
                _reserved(reserve, walk.op_times, beside_callers, end_time)
                for reserve in fixed.reserves
                if Region.SCRATCH_FAST in wanted
            ),
        ),
        end_time=end_time,
    )


def _are_apart(fixed: Fixed, one: FmId, other: FmId) -> bool:
    addresses = {fixed.address_of.get(fm) for fm in (one, other)} - {None}
    return len(addresses) > 1


def _reserved(
    reserve: Reserve, op_times: Sequence[int], beside_callers: Container[NpuOpId], end_time: int
) -> Life:
    """Bytes that belong to nobody here while some operators run."""
    if reserve.first in beside_callers or reserve.last in beside_callers:
        return Life(reserve.size_bytes, 0, end_time)
    ends = op_times[reserve.first], op_times[reserve.last]
    return Life(reserve.size_bytes, min(ends), max(ends))


def _sharers(graph: NpuGraph) -> dict[FmId, list[FmId]]:
    """By map: the maps that have its bytes, itself first."""
    found: dict[FmId, list[FmId]] = {fm.id: [] for fm in graph.feature_maps}
    for fm in graph.feature_maps:
        found[fm.storage].append(fm.id)
    return found


def _always_live(graph: NpuGraph) -> Iterator[FmId]:
    """States of recurrent operators, and what other subgraphs hold: their callers run beside."""
    for fm in graph.feature_maps:
        if fm.is_variable or fm.storage != fm.id:
            yield fm.id
    for fms in (*graph.inputs[1:], *graph.outputs[1:]):
        yield from (fm for fm in fms if graph.feature_maps[fm].data is None)
    for steps in graph.steps[1:]:
        for step in steps:
            if isinstance(step, CpuOp):
                yield from (*step.inputs, *step.outputs)
                continue
            for number in graph.islands[step].ops:
                yield from (view.fm for view in graph.ops[number].views)


def _sizes(graph: NpuGraph, plans: Sequence[MapPlan]) -> list[int]:
    return [
        map_bytes(fm, plan.format) if plan.rolling is None else rolling_bytes(fm, plan.rolling)
        for fm, plan in zip(graph.feature_maps, plans, strict=True)
    ]


class _Walk:
    """Visits everything that runs, in order."""

    def __init__(
        self,
        graph: NpuGraph,
        schedule: Schedule,
        lives: Lives,
        overwrites: Sequence[tuple[FmId, ...]],
        *,
        has_buffers: bool,
    ) -> None:
        self._graph = graph
        self._islands = {island.island: island for island in schedule.islands}
        self._lives = lives
        self._overwrites = overwrites
        self._has_buffers = has_buffers
        self.op_times = [0] * len(graph.ops)

    def subgraph(self, number: int) -> None:
        """Let a subgraph run from its first step to its last."""
        for step in self._graph.steps[number]:
            if isinstance(step, CpuOp):
                self.touch((*step.inputs, *step.outputs))
                self._lives.time += TIMES_PER_STEP
            else:
                self._island(step)
        self.touch(self._graph.outputs[number])

    def _island(self, number: IslandId) -> None:
        island = self._graph.islands[number]
        plans = self._islands[number].ops
        self.touch(island.inputs)
        times = self._lives.run([self._visit(plan) for plan in plans])
        for plan, time in zip(plans, times, strict=True):
            self.op_times[plan.op] = time
        self.touch(island.outputs)

    def touch(self, fms: Iterable[FmId]) -> None:
        """These maps are needed now."""
        for fm in fms:
            source = self._graph.feature_maps[fm]
            if source.data is None:
                self._lives.touch(source.storage, self._lives.time)

    def _visit(self, plan: OpPlan) -> Visit:
        op = self._graph.ops[plan.op]
        buffers = None
        if self._has_buffers and plan.weights is not None and plan.weights.buffer_bytes:
            buffers = Buffers.of(plan.weights)
        return Visit(
            op=plan.op,
            cascade=plan.cascade,
            fms=tuple(self._maps(op.views)),
            ofm=op.ofm.fm,
            overwrites=self._overwrites[plan.op],
            buffers=buffers,
        )

    def _maps(self, views: Iterable[View]) -> Iterator[FmId]:
        for view in views:
            fm = self._graph.fm(view)
            if fm.data is None:
                yield fm.storage


class Constant(Frozen):
    """Bytes that do not change, and who reads them."""

    name: str
    purpose: Purpose
    region: Region
    size_bytes: int
    content: str
    fms: tuple[FmId, ...] = ()
    op: NpuOpId | None = None


def constants(graph: NpuGraph, schedule: Schedule) -> Iterator[Constant]:
    """Everything in permanent storage, in the order in which operators need it."""
    seen: set[FmId] = set()
    for plan in schedule.ops:
        op = graph.ops[plan.op]
        for view in op.views:
            fm = graph.fm(view)
            if fm.data is not None and fm.id not in seen:
                seen.add(fm.id)
                yield _constant_map(graph, schedule, fm.id)
        if op.activation is not None and op.activation.table is not None:
            table = op.activation.table
            yield Constant(
                name=f"{op.name}: table",
                purpose=Purpose.TABLE,
                region=Region.PERMANENT_NPU,
                size_bytes=round_up(table.size_bytes, ALIGNMENT_BYTES),
                content=table.digest,
                op=op.id,
            )
        if plan.weights is not None:
            yield Constant(
                name=f"{op.name}: weights",
                purpose=Purpose.WEIGHTS,
                region=Region.PERMANENT_NPU,
                size_bytes=plan.weights.stream_bytes,
                content=plan.weights.encoding,
                op=op.id,
            )
    for cpu_op in graph.cpu_ops:
        for number in cpu_op.inputs:
            fm = graph.feature_maps[number]
            if fm.data is not None and number not in seen:
                seen.add(number)
                yield _constant_map(graph, schedule, number)


def _constant_map(graph: NpuGraph, schedule: Schedule, number: FmId) -> Constant:
    fm = graph.feature_maps[number]
    assert fm.data is not None
    return Constant(
        name=fm.name,
        purpose=Purpose.FEATURE_MAP,
        region=schedule.maps[number].region,
        size_bytes=round_up(max(fm.data.size_bytes, 1), ALIGNMENT_BYTES),
        content=fm.data.digest,
        fms=(number,),
    )
