"""What the Pareto engine says of the schedule that was taken."""

from __future__ import annotations

from collections.abc import Iterator

from core.ir.decisions import (
    Decision,
    FrontFound,
    StrategyTaken,
    Streaming,
    WeightsBuffered,
    WeightsReason,
)
from core.ir.options import Engine
from core.schedule.draft import Buffered
from core.schedule.pareto.drafting import groups
from core.schedule.pareto.islands import IslandFront, Point
from core.schedule.pareto.sets import SetStep
from core.schedule.weight_choice import near_reason
from core.target.target import Target
from core.target.unit import Unit

_REASONS = {
    Streaming.WEIGHTS: WeightsReason.IN_BLOCKS,
    Streaming.FEATURE_MAP: WeightsReason.INPUT_PASSES,
    Streaming.NOTHING: WeightsReason.NOTHING_BETTER,
}


def decisions(front: IslandFront, point: Point, target: Target) -> Iterator[Decision]:
    """The records of an island, of whose front this point was taken."""
    is_of_strategies = bool(point.steps)
    if is_of_strategies:
        yield from front.problem.decisions
    yield FrontFound(
        island=front.problem.island.id,
        combinations=front.combinations,
        smallest_bytes=front.smallest_bytes,
        limit_bytes=front.limit_bytes,
        is_above_limit=front.is_above_limit,
        sizes=tuple(each.peak_bytes for each in front.points),
        cycles=tuple(each.cycles for each in front.points),
        taken_of=Engine.PARETO if is_of_strategies else Engine.CASCADING,
    )
    if is_of_strategies:
        for group in groups(point.steps):
            yield _strategy(point, group)
        for index in sorted(point.solved.draft.ops):
            yield from _weights(point, index, target)
    yield from point.solved.decisions


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
    yield Buffered(
        solved.problem.nodes[index].op.id,
        weights,
        _reason(point, index, target),
        limit_bytes=plan.slack_bytes + plan.buffer_bytes,
        slack_cycles=0 if before is None else before.slack_cycles,
    ).record


def _reason(point: Point, index: int, target: Target) -> WeightsReason:
    streaming = point.steps[index].way.streaming
    node, plan = point.solved.problem.nodes[index], point.solved.draft.ops[index]
    is_far = target.has_far_constants
    if not is_far or node.op.kind.unit is Unit.VECTOR_PRODUCT:
        return near_reason(is_far)
    if streaming is not Streaming.NOTHING and not plan.buffer_bytes:
        return WeightsReason.LARGER_THAN_PRICED
    return _REASONS[streaming]
