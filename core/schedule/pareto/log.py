"""What the Pareto engine says of the schedule that was taken."""

from __future__ import annotations

from collections.abc import Iterator

from core.ir.decisions import (
    Decision,
    FrontFound,
    GroupsTried,
    StrategyTaken,
    Streaming,
    WeightsBuffered,
    WeightsReason,
)
from core.schedule.branches.rival import still_true
from core.schedule.buffering import Slack, near_reason, record_of
from core.schedule.pareto.drafting import groups
from core.schedule.pareto.islands import IslandFront, Point
from core.schedule.pareto.sets import SetStep
from core.schedule.solved import block_records
from core.target.target import Target
from core.target.unit import Unit

_REASONS = {
    Streaming.WEIGHTS: WeightsReason.IN_BLOCKS,
    Streaming.FEATURE_MAP: WeightsReason.INPUT_PASSES,
    Streaming.NOTHING: WeightsReason.NOTHING_BETTER,
}


def decisions(front: IslandFront, point: Point, target: Target) -> Iterator[Decision]:
    """The records of an island, of whose front this point was taken."""
    yield from front.problem.decisions if point.steps else still_true(point.solved)
    yield FrontFound(
        island=front.problem.island.id,
        combinations=front.combinations,
        smallest_bytes=front.smallest_bytes,
        limit_bytes=front.limit_bytes,
        is_above_limit=front.is_above_limit,
        sizes=tuple(each.peak_bytes for each in front.points),
        cycles=tuple(each.cycles for each in front.points),
    )
    if point.steps:
        for group in groups(point.steps):
            yield _strategy(point, group)
        for index in sorted(point.solved.draft.ops):
            yield from _weights(point, index, target)
    else:
        yield _across(front, point)
        yield from block_records(point.solved)
    yield from point.solved.decisions


def _across(front: IslandFront, point: Point) -> GroupsTried:
    """Cascades across branches, beside the fastest of strategies in as much memory."""
    fitting = [each for each in front.chains if each.peak_bytes <= point.peak_bytes]
    before = fitting[-1] if fitting else front.chains[0]
    return GroupsTried(
        island=front.problem.island.id,
        peak_bytes=point.peak_bytes,
        peak_bytes_before=before.peak_bytes,
        cycles=point.cycles,
        cycles_before=before.cycles,
        limit_bytes=front.limit_bytes,
        is_taken=True,
    )


def _strategy(point: Point, group: list[SetStep]) -> StrategyTaken:
    solved = point.solved
    return StrategyTaken(
        ops=tuple(solved.problem.nodes[step.node].op.id for step in group),
        streaming=tuple(step.way.streaming for step in group),
        blocks=tuple(step.way.block.ofm_block for step in group),
        size_bytes=solved.now.usage[solved.now.times[group[0].node]],
    )


def _weights(point: Point, index: int, target: Target) -> Iterator[WeightsBuffered]:
    solved = point.solved
    plan, weights = solved.draft.ops[index], solved.draft.ops[index].weights
    if weights is None:
        return
    before = solved.draft.ops.get(index - 1)
    slack = Slack() if before is None else Slack(before.slack_cycles)
    yield record_of(
        solved.problem.nodes[index].op.id,
        weights,
        _reason(point, index, target),
        plan.slack_bytes + plan.buffer_bytes,
        slack,
    )


def _reason(point: Point, index: int, target: Target) -> WeightsReason:
    streaming = point.steps[index].way.streaming
    node, plan = point.solved.problem.nodes[index], point.solved.draft.ops[index]
    is_far = target.has_far_constants
    if not is_far or node.op.kind.unit is Unit.VECTOR_PRODUCT:
        return near_reason(is_far)
    if streaming is not Streaming.NOTHING and not plan.buffer_bytes:
        return WeightsReason.LARGER_THAN_PRICED
    return _REASONS[streaming]
