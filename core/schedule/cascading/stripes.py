"""Makes the cascades of the min schedule faster: weights are buffered, then stripes made higher.

Higher stripes need more memory and mostly take less time, but not always: a height that leaves the
last block of each stripe nearly empty is slow. A better search only has to be another function with
the signature of `best_height`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from core.base.frozen import Changing, field, replace
from core.base.geometry import Resampling
from core.ir.decisions import Decision, StripeTried
from core.schedule.buffering import Room, with_buffers
from core.schedule.candidates import plain
from core.schedule.cascading.cascades import Surroundings, with_cascades
from core.schedule.draft import (
    CascadeDraft,
    Draft,
    OpDraft,
    Snapshot,
    WeightDraft,
    copied,
    replace_cascade,
    rolling_maps,
)
from core.schedule.estimates import Estimates, Wanted
from core.schedule.fast_storage import FastStorage
from core.schedule.problem import IslandProblem, Node

Attempt = TypeVar("Attempt")

_NEIGHBOURS = 3
"""Heights right below the highest that are tried as well."""


def with_higher_stripes(
    problem: IslandProblem, estimates: Estimates, draft: Draft, now: Snapshot, limit_bytes: int
) -> tuple[Draft, tuple[Decision, ...]]:
    """The draft with each cascade in the highest stripes that fit, and what was tried."""
    result, told = copied(draft), list[Decision]()
    for number, cascade in enumerate(draft.cascades.values()):
        estimates.progress.advance("choosing stripes", number, len(draft.cascades))
        trial = _trial(problem, estimates, draft, cascade, now, limit_bytes)
        best = trial.best()
        told += trial.tried
        if best is not None:
            told += best.grown
            replace_cascade(result, cascade, best)
    return result, tuple(told)


def _trial(
    problem: IslandProblem,
    estimates: Estimates,
    draft: Draft,
    cascade: CascadeDraft,
    now: Snapshot,
    limit_bytes: int,
) -> _Trial:
    """What tries heights for one cascade."""
    nodes = problem.nodes[cascade.first : cascade.last + 1]
    part = Draft(
        ops={node.index: draft.ops[node.index] for node in nodes},
        cascades={cascade.last: cascade},
    )
    room = Room(limit_bytes=limit_bytes, now=now, evicted_bytes={})
    asked = estimates.fixed.height_of.get(nodes[-1].op.id)
    return _Trial(
        nodes=nodes,
        estimates=estimates,
        buffered=with_buffers(part, nodes, estimates, room),
        around=Surroundings(
            nodes=nodes,
            storage=problem.storage,
            limit_bytes=limit_bytes,
            beside_bytes=_beside(problem.storage, nodes, cascade, now),
            bonds=problem.bonds,
            rolling_rows=estimates.fixed.rolling_of,
        ),
        whole={node.index: plain(estimates, node, estimates.whole(node)) for node in nodes},
        lowest=part.ops[cascade.last].cost.stripe.ofm.h + 1 if asked is None else asked,
        highest=nodes[-1].ofm.shape.h // 2 if asked is None else asked,
    )


def _beside(
    storage: FastStorage, nodes: Sequence[Node], cascade: CascadeDraft, now: Snapshot
) -> dict[int, int]:
    """What is live beside each node of a cascade and belongs to others."""
    # Where others read the first input too, it stays until they have.
    time = now.times[nodes[0].index]
    stays = now.needed_until.get(nodes[0].ifm.fm, time) > time + 1
    kept = storage.bytes_of(nodes[0].ifm.size_bytes) if stays else 0
    others = now.usage[time] - cascade.size_bytes
    return {node.index: others + (kept if place else 0) for place, node in enumerate(nodes)}


class _Trial(Changing, kw_only=True):
    """Tries heights for the last stripe of the nodes of a cascade."""

    nodes: Sequence[Node]
    estimates: Estimates
    buffered: Draft
    around: Surroundings
    whole: dict[int, OpDraft]
    lowest: int
    highest: int
    tried: list[StripeTried] = field(default_factory=list)
    most_cascades: int | None = None
    """In how many cascades the nodes are with the lowest stripes: long ones move the least."""

    def best(self) -> Draft | None:
        """The nodes in the height that is fastest; None where none fits or is faster than the
        lowest."""
        if self.lowest > self.highest:
            return None
        return best_height(self.lowest, self.highest, self._attempt, _cycles_of)

    def _attempt(self, height: int) -> Draft | None:
        """The nodes with this height, where they fit."""
        proposed = striped(self.nodes, self.estimates, self.buffered, height)
        built = with_cascades(proposed, self.whole, self.around)
        size_bytes, count = self._size_bytes(built), len(built.cascades)
        if self.most_cascades is None:
            self.most_cascades = count
        of = {index: plan.cascade for index, plan in built.ops.items()}
        may_be = (
            count <= self.most_cascades
            and self.around.bonds.hold_in(of)
            and self._rolls_as_asked(built)
        )
        fits = size_bytes <= self.around.limit_bytes and may_be
        self.tried.append(
            StripeTried(
                first=self.nodes[0].op.id,
                last=self.nodes[-1].op.id,
                height=height,
                size_bytes=size_bytes,
                limit_bytes=self.around.limit_bytes,
                cascades=count,
                fits=fits,
            )
        )
        return built if fits else None

    def _size_bytes(self, draft: Draft) -> int:
        """Most memory that the nodes take."""
        most = 0
        for node in self.nodes:
            plan = draft.ops[node.index]
            if plan.cascade is not None:
                size = draft.cascades[plan.cascade].size_bytes
            else:
                size = node.ifm.size_bytes + node.ofm.size_bytes + plan.buffer_bytes
            most = max(most, size + self.around.beside_bytes[node.index])
        return most

    def _rolls_as_asked(self, built: Draft) -> bool:
        """Whether buffers whose rows are fixed have these, and need no more."""
        asked = self.estimates.fixed.rolling_of
        return not asked or all(
            asked.get(fm, shape.h) == shape.h for fm, shape in rolling_maps(built).items()
        )


def _cycles_of(built: Draft) -> int:
    return sum(plan.cost.cycles for plan in built.ops.values())


def best_height(
    first: int,
    last: int,
    attempt: Callable[[int], Attempt | None],
    cycles: Callable[[Attempt], float],
) -> Attempt | None:
    """The fastest of the attempts that fit; None where not even the first height does.

    Bisection finds the highest that fits, where a height that fits means that all below it do.
    The fastest of those on the way, and of some below the highest, is taken.
    """
    found: dict[int, Attempt] = {}
    low, high, height = first, last, first
    while low <= high:
        tried = attempt(height)
        if tried is not None:
            found[height] = tried
            low = height + 1
        elif height == first:
            return None
        else:
            high = height - 1
        height = (low + high + 1) // 2
    for height in range(max(first, high - _NEIGHBOURS), high):
        if height not in found:
            tried = attempt(height)
            if tried is not None:
                found[height] = tried
    best = min(found, key=lambda height: (cycles(found[height]), -height), default=None)
    return None if best is None else found[best]


def striped(
    nodes: Sequence[Node],
    estimates: Estimates,
    buffered: Draft,
    last_height: int,
) -> Draft:
    """The nodes in stripes that give the last one so many rows; weights stay buffered as before."""
    ops: dict[int, OpDraft] = {}
    wanted = _wanted(nodes, estimates, last_height)
    for (node, *_), cost in zip(wanted, estimates.costs(wanted), strict=True):
        plan = plain(estimates, node, cost)
        before = buffered.ops[node.index].weights
        if plan.weights is not None and before is not None and before.buffers:
            plan = replace(plan, weights=_buffered_alike(plan.weights, before))
        ops[node.index] = plan
    return Draft(ops=ops)


def _wanted(nodes: Sequence[Node], estimates: Estimates, last_height: int) -> list[Wanted]:
    """The nodes, the last one first, in stripes that give it so many rows."""
    is_even = any(node.needs_even_rows for node in nodes)
    found: list[Wanted] = []
    # A stripe that begins between the two rows of a pair could not be read.
    height = last_height + last_height % 2 if nodes[-1].needs_even_rows else last_height
    for node in reversed(nodes):
        height = estimates.fixed.height_of.get(node.op.id, min(height, node.ofm.shape.h))
        found.append(Wanted(node, height))
        height = (height + _odd_rows(node, height, is_even=is_even)) * node.op.kernel.stride_h
    return found


def _buffered_alike(weights: WeightDraft, before: WeightDraft) -> WeightDraft:
    """Another block may order the weights in another way, which changes the size of the stream."""
    return replace(weights, buffers=weights.stream.pair_bytes[: len(before.buffers)])


def _odd_rows(node: Node, height: int, *, is_even: bool) -> int:
    """Rows to add, where rows come in pairs."""
    doubles = is_even or node.op.resampling is not Resampling.NONE
    return height % 2 if doubles else 0
