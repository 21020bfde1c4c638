"""What an operator costs by the way in which its weights reach it."""

from __future__ import annotations

from dataclasses import replace

from core.cost.model import CostModel
from core.cost.work import Step, WeightBuffer, WeightUse
from core.schedule.draft import WeightDraft
from core.schedule.estimates import StripeCost
from core.schedule.problem import Node


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
    target, buffer = model.target, None
    work = replace(cost.work, constants=(target.fast if weights.buffers else target.permanent).area)
    if weights.buffers:
        buffer = WeightBuffer(
            area=target.fast.area,
            is_double=len(weights.buffers) > 1,
            first_bytes=weights.stream.slice_bytes[0],
            whole_cycles=model.copy_cycles(
                target.permanent.area, target.fast.area, weights.stream.stream_bytes
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
    step = Step(work=work, weights=use, slack_cycles=slack_cycles)
    return model.cost(step).total_cycles
