"""Groups neighbouring operators into cascades wherever that lowers the peak of memory.

From the first operator that can run in stripes a cascade is grown one operator at a time. What is
between two of them is a rolling buffer; what the maps at its ends take, how long growing goes on,
and which of the cascades is best depends on what fast storage is (`fast_storage.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from core.base.frozen import Changing, Frozen, later, replace
from core.base.geometry import Shape4, round_up
from core.base.ids import FmId
from core.ir.decisions import CascadeEnd, CascadeGrown
from core.schedule.bonds import FREE, Bonds
from core.schedule.buffering import expect_ways
from core.schedule.draft import CascadeDraft, Draft, OpDraft, Ring, snapshot
from core.schedule.estimates import Estimates
from core.schedule.fast_storage import FastStorage, LongerCascade
from core.schedule.limitless import Limitless, Ready
from core.schedule.links import hindrance, rolling_shape
from core.schedule.problem import IslandProblem, Node
from core.target.format import ALIGNMENT_BYTES


class Surroundings(Frozen):
    """What the cascades of some nodes have to live with."""

    nodes: Sequence[Node]
    storage: FastStorage
    limit_bytes: int
    """Up to where memory costs nothing."""
    beside_bytes: Mapping[int, int]
    """What is live beside each node and belongs to others."""
    bonds: Bonds = FREE
    rolling_rows: Mapping[FmId, int] = MappingProxyType({})
    """Of buffers whose height is fixed, by the map that goes through."""


def in_cascades(
    known: Limitless, problem: IslandProblem, estimates: Estimates, limit_bytes: int
) -> Ready:
    """The smallest stripes, with cascades as far as what is live without them is above a limit."""
    smallest, beside_bytes = known.smallest_stripes(problem, estimates)
    around = Surroundings(
        nodes=problem.nodes,
        storage=problem.storage,
        limit_bytes=limit_bytes,
        beside_bytes=beside_bytes,
        bonds=problem.bonds,
        rolling_rows=estimates.fixed.rolling_of,
    )
    built = with_cascades(smallest, known.whole_maps(problem, estimates).ops, around)
    striped = [node for node in problem.nodes if built.ops[node.index].cascade is not None]
    expect_ways(built, striped, estimates)
    return Ready(built, snapshot(problem, built))


def with_cascades(draft: Draft, whole: Mapping[int, OpDraft], around: Surroundings) -> Draft:
    """The draft with cascades; nodes outside of them run as in `whole`."""
    builder = _Builder(draft, whole, around)
    for node in around.nodes:
        if node.index not in builder.built.ops:
            builder.start(node)
    return builder.built


class _Chain(Frozen, kw_only=False):
    """Neighbouring nodes in one cascade; a single one runs with whole maps."""

    nodes: tuple[Node, ...]
    open_bytes: int
    """Of the buffers and the map that it begins with, as far as that is in fast storage."""
    size_bytes: int
    """Of all that is live while it runs."""


class _Growth(Frozen, kw_only=False):
    """The best cascade from a node, and how the search for it ended."""

    best: _Chain
    last_tried: Node
    end: CascadeEnd


class _Builder(Changing):
    """The result while it grows, and up to where memory costs nothing."""

    draft: Draft
    whole: Mapping[int, OpDraft]
    around: Surroundings
    free_bytes: int = later()
    built: Draft = later()
    _by_index: dict[int, Node] = later()

    def __post_init__(self) -> None:
        self.free_bytes = self.around.limit_bytes
        self.built = Draft(ops={})
        self._by_index = {node.index: node for node in self.around.nodes}

    def start(self, node: Node) -> None:
        """Give a node its plan, with as many after it as pay in a cascade."""
        if not self._is_striped(node):
            self._leave_whole(node)
            return
        growth = self._grow(node)
        self.built.grown.append(
            CascadeGrown(
                first=node.op.id,
                last=growth.best.nodes[-1].op.id,
                tried_until=growth.last_tried.op.id,
                size_bytes=growth.best.size_bytes,
                uncascaded_bytes=self._whole_bytes(node),
                limit_bytes=self.free_bytes,
                end=growth.end,
            )
        )
        if len(growth.best.nodes) > 1:
            self._keep(growth.best)
        else:
            self._leave_whole(node)

    def _leave_whole(self, node: Node) -> None:
        self.built.ops[node.index] = self.whole[node.index]
        self._take(self._whole_bytes(node))

    def _keep(self, chain: _Chain) -> None:
        first, last = chain.nodes[0].index, chain.nodes[-1].index
        plans = [replace(self.draft.ops[node.index], cascade=last) for node in chain.nodes]
        for node, plan in zip(chain.nodes, plans, strict=True):
            self.built.ops[node.index] = plan
        self.built.cascades[last] = CascadeDraft(
            first=first,
            last=last,
            rolling=tuple(
                Ring(node.ofm.fm, self._rolling(node, one, other))
                for node, (one, other) in zip(chain.nodes, pairwise(plans), strict=False)
            ),
            size_bytes=chain.size_bytes - self._beside_bytes(first),
        )
        self._take(chain.size_bytes)

    def _take(self, size_bytes: int) -> None:
        self.free_bytes = self.around.storage.free_after(self.free_bytes, size_bytes)

    def _grow(self, first: Node) -> _Growth:
        """Add nodes while they can be added and it may pay."""
        storage = self.around.storage
        entry = storage.bytes_of(first.ifm.size_bytes)
        buffers = self.draft.ops[first.index].buffer_bytes
        chain = best = _Chain((first,), entry + buffers, self._whole_bytes(first))
        while isinstance(following := self._next(chain.nodes[-1]), Node):
            chain = self._longer(chain, following)
            longer = LongerCascade(chain.open_bytes, chain.size_bytes, self._whole_bytes(following))
            if not self.around.bonds.may_end(following.index):
                continue
            if self.around.bonds.are_one(first.index, following.index):
                best = chain
                continue
            end = storage.end_of_growth(longer, best.size_bytes, self.free_bytes)
            if end is not None:
                return _Growth(best, following, end)
            if storage.is_better(longer, best.size_bytes):
                best = chain
        return _Growth(best, chain.nodes[-1], following)

    def _longer(self, chain: _Chain, following: Node) -> _Chain:
        first, last = chain.nodes[0], chain.nodes[-1]
        between = self._between(last, following) + self.draft.ops[following.index].buffer_bytes
        exit_bytes = self.around.storage.bytes_of(following.ofm.size_bytes)
        taken = chain.open_bytes + between
        return _Chain(
            nodes=(*chain.nodes, following),
            open_bytes=taken,
            size_bytes=taken + exit_bytes + self._beside_bytes(first.index),
        )

    def _beside_bytes(self, index: int) -> int:
        return self.around.beside_bytes.get(index, 0)

    def _next(self, node: Node) -> Node | CascadeEnd:
        """The node that can follow in a cascade, or why there is none."""
        if len(node.readers) != 1:
            return CascadeEnd.LAST
        reader = self._by_index.get(node.readers[0])
        if reader is None:
            return CascadeEnd.LAST
        if reader.index in self.around.bonds.cuts:
            return CascadeEnd.ASKED
        if not self._is_striped(reader):
            return CascadeEnd.CANNOT
        return hindrance(node, reader) or reader

    def _is_striped(self, node: Node) -> bool:
        height = self.draft.ops[node.index].cost.stripe.ofm.h
        return node.can_stripe and height < node.ofm.shape.h

    def _between(self, node: Node, following: Node) -> int:
        """Bytes of the rolling buffer between two nodes."""
        plans = self.draft.ops
        shape = self._rolling(node, plans[node.index], plans[following.index])
        return round_up(shape.elements * node.ofm.element_bytes, ALIGNMENT_BYTES)

    def _rolling(self, node: Node, one: OpDraft, other: OpDraft) -> Shape4:
        """The rolling buffer between two nodes."""
        shape = rolling_shape(node.ofm.shape, node.ofm.format, one, other)
        rows = self.around.rolling_rows.get(node.ofm.fm, 0)
        made, read = one.cost.stripe, other.cost.stripe
        least = made.ofm.h + read.ifm.h - 1
        return shape._replace(h=rows) if rows >= min(least, node.ofm.shape.h) else shape

    def _whole_bytes(self, node: Node) -> int:
        """Memory that a node takes when its maps exist whole, with all that is live beside it."""
        # A second input counts where it is a map of its own and not a constant or scalar, to
        # which the ecosystem's compiler reduces all binary operators.
        second = 0 if node.ifm2 is None or node.op.kind.is_binary else node.ifm2.size_bytes
        made = 0 if node.overwrites else node.ofm.size_bytes
        return node.ifm.size_bytes + second + made + self._beside_bytes(node.index)
