"""The two ends between which the search looks: whole maps, and the smallest stripes."""

from __future__ import annotations

from collections.abc import Sequence

from core.schedule.draft import Draft, OpDraft, WeightDraft
from core.schedule.estimates import Estimates, Streams, StripeCost, Wanted
from core.schedule.problem import IslandProblem, Node


def plain(estimates: Estimates, node: Node, cost: StripeCost) -> OpDraft:
    """A node in such stripes, with its weights read from where they are stored."""
    return OpDraft(cost=cost, weights=direct_weights(estimates.stream, node, cost))


def direct_weights(streams: Streams, node: Node, cost: StripeCost) -> WeightDraft | None:
    """The whole weight stream, without a buffer."""
    if node.op.weights is None:
        return None
    slices = (0, node.op.weights.values.shape[0])
    return WeightDraft(streams(node, cost.block, slices), slices)


def plain_plans(estimates: Estimates, wanted: Sequence[Wanted]) -> list[OpDraft]:
    """Nodes in such stripes; blocks and streams are found together, which takes less time."""
    costs = estimates.costs(wanted)
    estimates.expect(
        [
            (each.node.op, cost.block, (0, each.node.op.weights.values.shape[0]))
            for each, cost in zip(wanted, costs, strict=True)
            if each.node.op.weights is not None
        ]
    )
    pairs = zip(wanted, costs, strict=True)
    return [plain(estimates, each.node, cost) for each, cost in pairs]


def plain_draft(estimates: Estimates, wanted: Sequence[Wanted]) -> Draft:
    """Nodes in such stripes, each of them once."""
    plans = plain_plans(estimates, wanted)
    return Draft(ops={each.node.index: plan for each, plan in zip(wanted, plans, strict=True)})


def max_schedule(problem: IslandProblem, estimates: Estimates) -> Draft:
    """Every operator makes its whole output at once."""
    wanted = [Wanted(node, node.ofm.shape.h) for node in problem.nodes]
    return plain_draft(estimates, wanted)


def min_schedule(problem: IslandProblem, estimates: Estimates) -> Draft:
    """Every operator makes as few rows at once as the next one can use."""
    wanted: list[Wanted] = []
    height = 1
    for node in reversed(problem.nodes):
        rows = height + height % 2 if node.needs_even_rows else height
        rows = min(rows, node.ofm.shape.h)
        if node.index in problem.bonds.chains:
            # What has a single row only runs whole, between others of a cascade across branches.
            rows = min(rows, max(node.most_rows, 1))
        rows = estimates.fixed.height_of.get(node.op.id, rows)
        wanted.append(Wanted(node, rows))
        height = node.op.kernel.stride_h
    return plain_draft(estimates, wanted)
