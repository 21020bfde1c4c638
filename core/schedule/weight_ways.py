"""What an operator costs by the way in which its weights reach it."""

from __future__ import annotations

from itertools import pairwise

from core.base.frozen import replace
from core.cost.accesses import SAME_CHANNELS
from core.cost.model import CostModel
from core.cost.work import FmUse, Step, WeightBuffer, WeightUse, Work
from core.schedule.draft import WeightDraft
from core.schedule.estimates import StripeCost
from core.schedule.problem import Node

_ENDS_OF_ONE = 2
"""Of a single slice."""


def cycles_with(
    model: CostModel,
    node: Node,
    cost: StripeCost,
    weights: WeightDraft,
    *,
    slack_cycles: int,
    tail_cycles: int,
) -> float:
    """Cycles of an operator with its weights read directly, or through the buffers of a draft.

    The slack is what the operator before leaves to transfers, the tail what this one leaves.
    """
    step = _step(model, node, cost, weights, slack_cycles=slack_cycles, tail_cycles=tail_cycles)
    in_slices = _cycles_in_slices(model, step.work, weights, slack_cycles)
    return max(model.cost(step).total_cycles, in_slices)


def busy_cycles(model: CostModel, node: Node, cost: StripeCost, weights: WeightDraft) -> float:
    """Cycles in which weights that are read directly keep their memory busy, each block anew."""
    source = model.target.permanent.area
    step = _step(model, node, cost, weights, slack_cycles=0, tail_cycles=0)
    alone = model.cost(replace(step, weights=None))
    return model.cost(step).busy_cycles(source) - alone.busy_cycles(source)


def _step(
    model: CostModel,
    node: Node,
    cost: StripeCost,
    weights: WeightDraft,
    *,
    slack_cycles: int,
    tail_cycles: int,
) -> Step:
    """What is priced of an operator whose weights come in one way."""
    target, buffer = model.target, None
    work = replace(cost.work, constants=(target.fast if weights.buffers else target.permanent).area)
    if weights.buffers:
        buffer = WeightBuffer(
            area=target.fast.area,
            is_double=len(weights.buffers) > 1,
            first_bytes=weights.stream.slice_bytes[0],
            whole_cycles=sum(
                # Each slice is a transfer of its own, which waits for the memory once.
                model.copy_cycles(target.permanent.area, target.fast.area, size)
                for size in weights.stream.slice_bytes
            ),
            last_slice_cycles=tail_cycles,
        )
    assert node.op.weights is not None
    use = WeightUse(
        area=target.permanent.area,
        stream_bytes=weights.stream.stream_bytes,
        elements=node.op.weights.values.array.size,
        scale_bytes=target.accelerator.family.weights.record.size_bytes,
        buffer=buffer,
    )
    return Step(work=work, weights=use, slack_cycles=slack_cycles)


def _cycles_in_slices(
    model: CostModel, work: Work, weights: WeightDraft, slack_cycles: int
) -> float:
    """Cycles of an operator that reads its input again for each slice of its output, or reads and
    writes thin rows.

    The first slice comes as far as it can under the operator before. The next one comes meanwhile
    where it has a buffer of its own, through the port that maps may keep busy too; else when this
    one has been used.
    """
    if len(weights.depth_slices) == _ENDS_OF_ONE:
        return 0.0
    depths = [end - first for first, end in pairwise(weights.depth_slices)]
    costs = {depth: model.cost(Step(work=_slice_of(work, depth))) for depth in set(depths)}
    if not weights.buffers:
        return sum(costs[depth].total_cycles for depth in depths)
    source, fast = model.target.permanent.area, model.target.fast.area
    latency = model.copy_cycles(source, fast, 0)
    command = model.rates.dispatch.transfer_cycles
    first, *later = (
        model.copy_cycles(source, fast, size) + command for size in weights.stream.slice_bytes
    )
    cycles = float(max(first - slack_cycles, 0))
    for depth, arriving in zip(depths, (*later, 0), strict=True):
        own, busy = costs[depth].total_cycles, costs[depth].busy_cycles(source)
        if len(weights.buffers) > 1:
            # While it waits for its first bytes, a transfer leaves the port to maps.
            cycles += max(own, arriving, busy + arriving - latency)
        else:
            cycles += own + arriving
    return cycles


def _slice_of(work: Work, depth: int) -> Work:
    ifm = _channels_of(work.ifm, depth) if work.unit in SAME_CHANNELS else work.ifm
    return replace(work, ifm=ifm, ofm=_channels_of(work.ofm, depth))


def _channels_of(use: FmUse, depth: int) -> FmUse:
    return replace(use, shape=use.shape.with_depth(min(depth, use.shape.c)))
