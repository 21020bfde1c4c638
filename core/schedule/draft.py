"""A candidate schedule of an island, or of some of its nodes, while the search looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from core.base.frozen import Changing, Frozen, NamedTuple, field, replace
from core.base.geometry import Shape4
from core.base.ids import FmId, NpuOpId
from core.cost.spent import Cycles
from core.ir.decisions import Buffering, CascadeGrown, WeightsBuffered, WeightsReason
from core.ir.schedule import Overlay, WeightPlan
from core.liveness.lives import TIMES_PER_STEP, Buffers, Life, Lives, Visit
from core.liveness.sizes import rolling_bytes
from core.schedule.estimates import StreamSizes, StripeCost
from core.schedule.problem import IslandProblem, Node
from core.target.format import Format


class WeightDraft(Frozen, kw_only=False, dict=True):
    """A weight stream with its slices and buffers."""

    stream: StreamSizes
    depth_slices: tuple[int, ...]
    buffers: tuple[int, ...] = ()
    lead_steps: int = 0
    transfer_cycles: int = 0

    @property
    def is_prefetched(self) -> bool:
        """Whether the first buffer is filled while operators before run."""
        return self.lead_steps > 0

    @property
    def buffering(self) -> Buffering:
        """Through how many buffers they come."""
        return (Buffering.DIRECT, Buffering.SINGLE, Buffering.DOUBLE)[len(self.buffers)]

    @cached_property
    def plan(self) -> WeightPlan:
        """As a schedule has it."""
        return WeightPlan(
            encoding=self.stream.encoding,
            depth_slices=self.depth_slices,
            slice_bytes=self.stream.slice_bytes,
            buffer_bytes=self.buffers,
            lead_steps=self.lead_steps,
            transfer_cycles=self.transfer_cycles,
        )


class OpDraft(Frozen, kw_only=False):
    """How a node runs."""

    cost: StripeCost
    weights: WeightDraft | None = None
    cascade: int | None = None
    """The last node of its cascade."""
    slack_cycles: int = 0
    slack_bytes: int = 0

    @property
    def buffer_bytes(self) -> int:
        """Bytes of its weight buffers."""
        return sum(self.weights.buffers) if self.weights is not None else 0


class Buffered(NamedTuple):
    """How the weights of an operator reach it, and why."""

    op: NpuOpId
    weights: WeightDraft
    reason: WeightsReason
    limit_bytes: int
    """Room for buffers."""
    slack_cycles: int
    tried: Sequence[tuple[Buffering, float]] = ()
    """Ways that were compared, with what the operator costs."""

    @property
    def record(self) -> WeightsBuffered:
        """As the decision log has it."""
        weights = self.weights
        return WeightsBuffered(
            op=self.op,
            buffering=weights.buffering,
            reason=self.reason,
            depth_slices=weights.depth_slices,
            stream_bytes=weights.stream.stream_bytes,
            buffer_bytes=sum(weights.buffers),
            limit_bytes=self.limit_bytes,
            slack_cycles=self.slack_cycles,
            transfer_cycles=weights.transfer_cycles,
            is_prefetched=weights.is_prefetched,
            tried=tuple(way for way, _ in self.tried),
            cycles=tuple(cycles for _, cycles in self.tried),
        )


class Ring(NamedTuple):
    """What exists at once of a map that is made and last read in a cascade."""

    fm: FmId
    shape: Shape4


class CascadeDraft(Frozen, kw_only=False):
    """Neighbouring nodes that run stripe by stripe."""

    first: int
    last: int
    rolling: tuple[Ring, ...]
    """By the node that first makes the map."""
    size_bytes: int
    overlays: tuple[Overlay, ...] = ()
    """Maps at its ends that may lie over each other."""


class Snapshot(Frozen, kw_only=False):
    """Fast storage over time."""

    times: dict[int, int]
    """When each node runs."""
    usage: list[int]
    """Bytes at each time, with what is live beside the island."""
    lives: tuple[Life, ...]
    needed_until: dict[FmId, int]
    """By map: the last time at which its bytes are needed."""

    @property
    def peak_bytes(self) -> int:
        """Most bytes that are live at once."""
        return max(self.usage, default=0)


class Draft(Changing):
    """Nodes with their plans, and cascades by their last node."""

    ops: dict[int, OpDraft]
    cascades: dict[int, CascadeDraft] = field(default_factory=dict)
    grown: list[CascadeGrown] = field(default_factory=list)
    """How its cascades were found."""
    buffered: list[Buffered] = field(default_factory=list)
    """How its weights were: records are made of these for what is taken, as most is not."""
    near: frozenset[FmId] = frozenset()
    """Whole maps that its cuts count on being in fast storage."""
    has_kept: bool = False
    """Whether the weights that stay near in its cascades were decided with them."""
    prices: dict[tuple[tuple[Format, ...], frozenset[FmId]], Cycles] = field(default_factory=dict)
    """Of the whole island, by how its maps are stored and which have moved to fast storage."""


def copied(draft: Draft) -> Draft:
    """A draft that can be changed without changing the one it was."""
    return replace(draft, ops=dict(draft.ops), cascades=dict(draft.cascades), prices={})


def replace_cascade(draft: Draft, cascade: CascadeDraft, found: Draft) -> None:
    """Let a draft that can be changed have other stripes for the operators of a cascade."""
    del draft.cascades[cascade.last]
    draft.ops |= found.ops
    draft.cascades |= found.cascades


def sized(
    problem: IslandProblem,
    ops: Mapping[int, OpDraft],
    first: int,
    last: int,
    rolling: tuple[Ring, ...],
) -> CascadeDraft:
    """The cascade of these nodes, with these rolling buffers, and what it takes."""
    nodes = problem.nodes[first : last + 1]
    maps = problem.graph.feature_maps
    size = sum(ops[node.index].buffer_bytes for node in nodes)
    size += sum(rolling_bytes(maps[ring.fm], ring.shape) for ring in rolling)
    rolls = {ring.fm for ring in rolling}
    ends: dict[FmId, int] = {}
    for node in nodes:
        ports = (node.ifm, node.ofm) if node.ifm2 is None else (node.ifm, node.ifm2, node.ofm)
        for port in ports:
            if port.fm not in rolls and not port.is_constant:
                ends[port.fm] = max(ends.get(port.fm, 0), port.size_bytes)
    size += problem.storage.bytes_of(sum(ends.values()))
    return CascadeDraft(first=first, last=last, rolling=rolling, size_bytes=size)


def rolling_maps(draft: Draft) -> dict[FmId, Shape4]:
    """The shape of each rolling buffer, by the map that goes through it."""
    return {ring.fm: ring.shape for cascade in draft.cascades.values() for ring in cascade.rolling}


def snapshot(problem: IslandProblem, draft: Draft, fast: Iterable[FmId] = ()) -> Snapshot:
    """What is live in fast storage when the draft runs, with these maps moved there."""
    rolling = rolling_maps(draft)
    lives = Lives(size_of=_sizes(problem, rolling), holds=problem.storage.holds({*rolling, *fast}))
    nodes = [problem.nodes[index] for index in sorted(draft.ops)]
    times = lives.run([_visit(node, draft.ops[node.index]) for node in nodes])
    for fm in problem.island.outputs:
        lives.touch(problem.graph.feature_maps[fm].storage, lives.time)
    at = {node.index: time for node, time in zip(nodes, times, strict=True)}
    closed = (*lives.closed(), *_reserved(problem, at))
    usage = problem.beside.usage(closed, lives.time + 1)
    for cascade in draft.cascades.values():
        saved = _laid_over_bytes(problem, cascade, lives.holds)
        if saved:
            # Both maps are there while it runs, and until the next one does.
            start = at[cascade.first]
            usage[start : start + TIMES_PER_STEP] = [
                size - saved for size in usage[start : start + TIMES_PER_STEP]
            ]
    return Snapshot(
        times=at,
        usage=usage,
        lives=closed,
        needed_until={fm: life.end_time for life in closed for fm in life.fms},
    )


def _laid_over_bytes(
    problem: IslandProblem, cascade: CascadeDraft, holds: Callable[[FmId], bool]
) -> int:
    """What maps in fast storage take less that lie over each other."""
    sizes = problem.sizes
    return sum(
        each.saved_bytes(sizes[each.given], sizes[each.made])
        for each in cascade.overlays
        if holds(each.given) and holds(each.made)
    )


def _reserved(problem: IslandProblem, times: Mapping[int, int]) -> Iterator[Life]:
    """What others need while operators of the island run."""
    for reserve in problem.reserves:
        inside = [times[at] for at in problem.at(reserve) if at in times]
        if inside and reserve.size_bytes:
            yield Life(reserve.size_bytes, min(inside), max(inside))


def _sizes(problem: IslandProblem, rolling: Mapping[FmId, Shape4]) -> Callable[[FmId], int]:
    maps = problem.graph.feature_maps

    def size(fm: FmId) -> int:
        shape = rolling.get(fm)
        return problem.sizes[fm] if shape is None else rolling_bytes(maps[fm], shape)

    return size


def _visit(node: Node, plan: OpDraft) -> Visit:
    weights = plan.weights
    buffers = None
    if weights is not None and weights.buffers:
        buffers = Buffers(weights.buffers, len(weights.depth_slices) - 1, weights.lead_steps)
    return Visit(
        op=node.op.id,
        cascade=plan.cascade,
        fms=node.maps,
        ofm=node.ofm.fm,
        overwrites=node.overwrites,
        buffers=buffers,
    )
