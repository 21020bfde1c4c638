"""What the Pareto engine says of the schedule that was taken."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.geometry import Block
from core.ir.decisions import (
    Buffering,
    Decision,
    FrontFound,
    StrategyTaken,
    Streaming,
    WeightsBuffered,
)
from core.schedule.buffering import near_reason, needs_dma
from core.schedule.pareto.drafting import groups
from core.schedule.pareto.islands import IslandFront, Point
from core.schedule.pareto.sets import Step
from core.target.target import Target
from core.target.unit import Unit

_KINDS = (Buffering.DIRECT, Buffering.SINGLE, Buffering.DOUBLE)
_REASONS = {
    Streaming.WEIGHTS: "they pass in slices as deep as a block",
    Streaming.FEATURE_MAP: "all are kept while the input passes in rows of blocks",
    Streaming.NOTHING: "no buffer that the search tried is better for so much memory",
}


def decisions(front: IslandFront, point: Point, target: Target) -> Iterator[Decision]:
    """The records of an island, of whose front this point was taken."""
    yield from front.problem.decisions
    yield FrontFound(
        island=front.problem.island.id,
        combinations=front.combinations,
        smallest_bytes=front.smallest_bytes,
        limit_bytes=front.limit_bytes,
        is_above_limit=front.is_above_limit,
        sizes=tuple(each.peak_bytes for each in front.points),
        cycles=tuple(each.cycles for each in front.points),
    )
    for group in groups(point.steps):
        yield _strategy(point, group)
    for index in sorted(point.solved.draft.ops):
        yield from _weights(point, index, target)
    yield from point.solved.decisions


def _strategy(point: Point, group: list[Step]) -> StrategyTaken:
    solved = point.solved
    blocks = [step.choice.block.ofm_block for step in group]
    return StrategyTaken(
        ops=tuple(solved.problem.nodes[step.node].op.id for step in group),
        streaming=tuple(step.choice.streaming for step in group),
        blocks=tuple(_triple(block) for block in blocks),
        size_bytes=solved.now.usage[solved.now.times[group[0].node]],
    )


def _triple(block: Block) -> tuple[int, int, int]:
    return block.h, block.w, block.c


def _weights(point: Point, index: int, target: Target) -> Iterator[WeightsBuffered]:
    solved = point.solved
    plan, weights = solved.draft.ops[index], solved.draft.ops[index].weights
    if weights is None:
        return
    before = solved.draft.ops.get(index - 1)
    yield WeightsBuffered(
        op=solved.problem.nodes[index].op.id,
        buffering=_KINDS[len(weights.buffers)],
        reason=_reason(point, index, target),
        depth_slices=weights.depth_slices,
        stream_bytes=weights.stream.stream_bytes,
        buffer_bytes=sum(weights.buffers),
        limit_bytes=plan.slack_bytes + sum(weights.buffers),
        slack_cycles=0 if before is None else before.slack_cycles,
        transfer_cycles=weights.transfer_cycles,
        is_prefetched=weights.is_prefetched,
    )


def _reason(point: Point, index: int, target: Target) -> str:
    streaming = point.steps[index].choice.streaming
    node, plan = point.solved.problem.nodes[index], point.solved.draft.ops[index]
    is_far = needs_dma(target)
    if not is_far or node.op.kind.unit is Unit.VECTOR_PRODUCT:
        return near_reason(is_far)
    if streaming is not Streaming.NOTHING and not plan.buffer_bytes:
        return "it has no room, being larger than the search took it to be"
    return _REASONS[streaming]
