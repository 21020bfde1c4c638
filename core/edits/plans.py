"""What plans decide, kind by kind, in the values that edits ask for."""

from __future__ import annotations

from collections.abc import Iterator

from core.ir.edits import Living, Traversal, Value, WeightsAsked, What
from core.ir.npugraph import NpuOp, OpKind
from core.ir.schedule import MapPlan, OpPlan

Decision = tuple[What, Value]


def of_op(op: NpuOp, plan: OpPlan) -> Iterator[Decision]:
    """What is decided of an operator, as far as somebody could ask for it."""
    is_open = {
        What.STRIPE: plan.cascade is not None,
        What.BLOCK: op.kind is not OpKind.COPY,
        What.TRAVERSAL: plan.weights is not None,
        What.WEIGHTS: True,
    }
    return ((what, value) for what, value in of_plan(plan) if is_open[what])


def of_plan(plan: OpPlan) -> Iterator[Decision]:
    """All that the plan of an operator has."""
    yield What.STRIPE, plan.stripe.ofm.h
    yield What.BLOCK, plan.block.ofm_block
    yield What.TRAVERSAL, Traversal.of(plan.block.is_part_kernel)
    if plan.weights is not None:
        yield (
            What.WEIGHTS,
            WeightsAsked(
                buffers=len(plan.weights.buffer_bytes),
                depths=plan.weights.depth_slices,
                prefetch=plan.weights.is_prefetched,
            ),
        )


def of_map(plan: MapPlan, *, has_two: bool) -> Iterator[Decision]:
    """What is decided of a map; where there are two memories for maps, also which it is in."""
    yield What.FORMAT, plan.format
    if plan.rolling is not None:
        yield What.ROLLING, plan.rolling.h
    elif has_two:
        yield What.REGION, Living.of(plan.region)
