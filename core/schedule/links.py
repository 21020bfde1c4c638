"""Which neighbours can hand rows to each other, and through how many."""

from __future__ import annotations

from core.base.geometry import Shape4, round_up
from core.ir.decisions import CascadeEnd
from core.schedule.draft import OpDraft
from core.schedule.problem import IslandProblem, Node
from core.target.format import Format


def rolling_shape(whole: Shape4, order: Format, producer: OpDraft, consumer: OpDraft) -> Shape4:
    """Rows between two operators: what is made at once, and whole windows of what is read."""
    made, read = producer.cost.stripe.ofm, consumer.cost.stripe.ifm
    return Shape4(
        1,
        min(round_up(made.h + read.h, read.h), whole.h),
        # Strides can leave the last columns of a map unread.
        max(made.w, read.w),
        order.stored(made).c,
    )


def hindrance(node: Node, reader: Node) -> CascadeEnd | None:
    """Why a node that can be striped cannot hand rows to its only reader, which can be too."""
    if reader.needs_whole_ifm or node.needs_whole_ofm:
        return CascadeEnd.WHOLE_MAP
    if reader.ifm.shape != node.ofm.shape or reader.ifm.fm != node.ofm.fm:
        return CascadeEnd.SHAPES_DIFFER
    return None if reader.index == node.index + 1 else CascadeEnd.NEXT_IS_ELSEWHERE


def asks_for_branches(problem: IslandProblem) -> bool:
    """Whether cascades are fixed that are no chains."""
    return any(
        not links(problem.nodes[index - 1], problem.nodes[index])
        for index in problem.bonds.chains
        if problem.bonds.are_one(index, index - 1)
    )


def links(node: Node, reader: Node) -> bool:
    """Whether a node can hand rows to the next one through a rolling buffer."""
    return (
        node.can_stripe
        and reader.can_stripe
        and node.readers == (reader.index,)
        and hindrance(node, reader) is None
    )
