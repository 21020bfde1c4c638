"""The bytes of fast storage that an island needs at each time, whatever the scheduler says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import accumulate

from core.base.frozen import NamedTuple
from core.base.ids import FmId, NpuOpId
from core.check.lifetimes import Uses, is_fast, overwritable, stored_bytes
from core.ir.npugraph import Island, NpuGraph
from core.ir.schedule import IslandSchedule, OpPlan, Schedule
from core.target.target import Target


class Span(NamedTuple):
    """Two times, both of them included."""

    start: int
    end: int


def weight_spans(plan: OpPlan, time: int) -> Iterator[tuple[int, Span]]:
    """Each weight buffer of an operator: its size, and when it is in use."""
    weights = plan.weights
    if weights is None:
        return
    last_used = len(weights.depth_slices) % 2
    for number, size in enumerate(weights.buffer_bytes):
        lead_steps = 0 if number else weights.lead_steps
        start = max(time + 1 - 2 * lead_steps, 0) if lead_steps else time
        is_done_early = weights.is_double_buffered and number != last_used
        yield size, Span(start, time if is_done_early else time + 1)


def map_spans(
    graph: NpuGraph, island: Island, times: Mapping[NpuOpId, int], end_time: int
) -> dict[FmId, Span]:
    """When each map is in use in an island; what it hands on, until its end."""
    spans: dict[FmId, Span] = {}

    def use(fm: FmId, start: int, end: int) -> None:
        before = spans.get(fm, Span(start, end))
        spans[fm] = Span(min(before.start, start), max(before.end, end))

    for number in island.ops:
        for view in graph.ops[number].views:
            use(view.fm, times[number], times[number] + 1)
    for fm in island.outputs:
        use(fm, end_time, end_time)
    return spans


def least_bytes(
    graph: NpuGraph, target: Target, schedule: Schedule, uses: Uses, island: IslandSchedule
) -> list[int]:
    """Bytes of fast storage without which an island cannot run, at each of its times."""
    end_time = max(plan.time for plan in island.ops) + 3
    changes = [0] * (end_time + 2)

    def add(size: int, span: Span) -> None:
        changes[span.start] += size
        changes[span.end + 1] -= size

    times = {plan.op: plan.time for plan in island.ops}
    spans = map_spans(graph, graph.islands[island.island], times, end_time)
    for size, span in _stored(graph, target, schedule, spans):
        add(size, span)
    for plan in island.ops:
        for size, span in weight_spans(plan, plan.time):
            add(size, span)
        add(-_saved(graph, target, schedule, uses, plan), Span(plan.time, plan.time + 1))
    for cascade in island.cascades:
        start = times[cascade.ops[0]]
        for overlay in cascade.overlays:
            sizes = [stored_bytes(graph.feature_maps[fm], schedule.maps[fm]) for fm in overlay[:2]]
            if all(is_fast(target, schedule.maps[fm]) for fm in overlay[:2]):
                add(-overlay.saved_bytes(*sizes), Span(start, start + 1))
    return list(accumulate(changes))[:-1]


def _stored(
    graph: NpuGraph, target: Target, schedule: Schedule, spans: Mapping[FmId, Span]
) -> Iterator[tuple[int, Span]]:
    """Size and times of what is in fast storage; maps that share their bytes count once."""
    groups: dict[FmId, list[FmId]] = defaultdict(list)
    for fm in spans:
        if is_fast(target, schedule.maps[fm]):
            groups[graph.feature_maps[fm].storage].append(fm)
    for fms in groups.values():
        size = max(stored_bytes(graph.feature_maps[fm], schedule.maps[fm]) for fm in fms)
        counted = -1
        for start, end in sorted(spans[fm] for fm in fms):
            if end > counted:
                yield size, Span(max(start, counted + 1), end)
                counted = end


def _saved(graph: NpuGraph, target: Target, schedule: Schedule, uses: Uses, plan: OpPlan) -> int:
    """Bytes that are not needed twice, since an operator can write over one of its inputs."""
    op = graph.ops[plan.op]
    made = schedule.maps[op.ofm.fm]
    if plan.cascade is not None or not is_fast(target, made):
        return 0
    given = overwritable(graph, target, schedule, uses, op)
    most = max((stored_bytes(fm, schedule.maps[fm.id]) for fm in given), default=0)
    return min(most, stored_bytes(graph.fm(op.ofm), made)) if most else 0
