"""The first scheduler's cascades: neighbours are joined while that makes the largest smaller.

It differs from its descendants in what it weighs: nothing that is live beside the operators counts
while the smallest stripes are joined, an output never takes the place of an input, element-wise
operators are in no cascade, and a longer cascade has to be smaller than all shorter ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from core.base.frozen import Changing, Frozen, field, later, replace
from core.base.geometry import Shape4, round_up
from core.ir.decisions import CascadeEnd, CascadeGrown
from core.schedule.draft import CascadeDraft, Draft, OpDraft, Ring
from core.schedule.estimates import Estimates
from core.schedule.links import hindrance, rolling_shape
from core.schedule.problem import IslandProblem, Node
from core.target.format import ALIGNMENT_BYTES


class Surroundings(Frozen):
    """What the cascades of some nodes have to live with."""

    problem: IslandProblem
    estimates: Estimates
    nodes: Sequence[Node]
    whole: Mapping[int, OpDraft]
    """Each node by itself."""
    guide_bytes: int
    """Up to where memory costs nothing."""
    beside_bytes: Mapping[int, int]
    """What is live beside each node and belongs to others, as far as it counts."""


def with_cascades(striped: Draft, around: Surroundings) -> Draft:
    """Nodes in stripes, as far as these make cascades; all others run whole."""
    builder = _Builder(striped, around)
    for node in around.nodes:
        if node.index not in builder.built.ops:
            builder.start(node)
    return builder.built


class _Builder(Changing):
    """The result while it grows, and up to where memory costs nothing."""

    striped: Draft
    around: Surroundings
    built: Draft = field(default_factory=lambda: Draft(ops={}))
    peak_bytes: int = later()
    _by_index: dict[int, Node] = later()

    def __post_init__(self) -> None:
        self.peak_bytes = self.around.guide_bytes
        self._by_index = {node.index: node for node in self.around.nodes}

    @property
    def _is_beside(self) -> bool:
        """Whether fast storage is a memory beside that of maps."""
        return not self.around.problem.storage.has_all_maps

    def start(self, node: Node) -> None:
        """Give a node its plan, with as many after it as pay in a cascade."""
        best, size = [node], self._whole_bytes(node)
        if self._can_join(node):
            best, size = self._grown(node)
        if len(best) > 1:
            self._keep(best, size)
        else:
            self.built.ops[node.index] = self.around.whole[node.index]
        if not self._is_beside:
            self.peak_bytes = max(self.peak_bytes, size)

    def _grown(self, first: Node) -> tuple[list[Node], int]:
        """The best cascade from a node, alone at least, and what is live while it runs."""
        entry = 0 if self._is_beside else first.ifm.size_bytes + self._beside(first)
        buffers = self.striped.ops[first.index].buffer_bytes
        nodes, best, best_bytes = [first], [first], self._whole_bytes(first)
        bonds = self.around.problem.bonds
        while isinstance(following := self._next(nodes[-1]), Node):
            buffers += self._between(nodes[-1], following)
            buffers += self.striped.ops[following.index].buffer_bytes
            nodes.append(following)
            exit_bytes = 0 if self._is_beside else following.ofm.size_bytes
            size = entry + buffers + exit_bytes
            if not bonds.may_end(following.index):
                continue
            if not bonds.are_one(first.index, following.index):
                end = self._end(following, entry + buffers, best_bytes)
                if end is not None:
                    following = end
                    break
                if not self._is_beside and size >= best_bytes:
                    continue
            best, best_bytes = list(nodes), size
        self.built.grown.append(
            CascadeGrown(
                first=first.op.id,
                last=best[-1].op.id,
                tried_until=nodes[-1].op.id,
                size_bytes=best_bytes,
                uncascaded_bytes=self._whole_bytes(first),
                limit_bytes=self.peak_bytes,
                end=following,
            )
        )
        return best, best_bytes

    def _end(self, following: Node, open_bytes: int, best_bytes: int) -> CascadeEnd | None:
        """Why longer cascades are not looked at."""
        alone = following.ifm.size_bytes + following.ofm.size_bytes + self._beside(following)
        fits = alone < self.peak_bytes
        if self._is_beside:
            if fits:
                return CascadeEnd.FITS_WHOLE
            return CascadeEnd.TOO_LARGE if open_bytes > self.peak_bytes else None
        if fits and best_bytes < self.peak_bytes:
            return CascadeEnd.FITS_WHOLE
        return CascadeEnd.TOO_LARGE if open_bytes > best_bytes else None

    def _next(self, node: Node) -> Node | CascadeEnd:
        """The node that can follow in a cascade, or why there is none."""
        reader = self._by_index.get(node.readers[0]) if len(node.readers) == 1 else None
        if reader is None:
            return CascadeEnd.LAST
        if reader.index in self.around.problem.bonds.cuts:
            return CascadeEnd.ASKED
        if not self._can_join(reader):
            return CascadeEnd.CANNOT
        return hindrance(node, reader) or reader

    def _can_join(self, node: Node) -> bool:
        is_lower = self.striped.ops[node.index].cost.stripe.ofm.h < node.ofm.shape.h
        is_asked = node.index in self.around.problem.bonds.chains
        return node.can_stripe and is_lower and (is_asked or not node.op.kind.is_elementwise)

    def _keep(self, nodes: Sequence[Node], size_bytes: int) -> None:
        first, last = nodes[0], nodes[-1]
        plans = [replace(self.striped.ops[node.index], cascade=last.index) for node in nodes]
        self.built.ops |= {node.index: plan for node, plan in zip(nodes, plans, strict=True)}
        beside = 0 if self._is_beside else self._beside(first)
        self.built.cascades[last.index] = CascadeDraft(
            first=first.index,
            last=last.index,
            rolling=tuple(Ring(one.ofm.fm, self._ring(one, two)) for one, two in pairwise(nodes)),
            size_bytes=size_bytes - beside,
        )

    def _between(self, node: Node, following: Node) -> int:
        """Bytes of the rolling buffer between two nodes."""
        elements = self._ring(node, following).elements
        return round_up(elements * node.ofm.element_bytes, ALIGNMENT_BYTES)

    def _ring(self, node: Node, following: Node) -> Shape4:
        made, read = (self.striped.ops[each.index] for each in (node, following))
        shape = rolling_shape(node.ofm.shape, node.ofm.format, made, read)
        rows = self.around.estimates.fixed.rolling_of.get(node.ofm.fm, 0)
        least = min(made.cost.stripe.ofm.h + read.cost.stripe.ifm.h - 1, node.ofm.shape.h)
        return shape._replace(h=rows) if rows >= least else shape

    def _whole_bytes(self, node: Node) -> int:
        """Memory that a node takes when its maps exist whole."""
        second = 0 if node.ifm2 is None else node.ifm2.size_bytes
        return node.ifm.size_bytes + second + node.ofm.size_bytes + self._beside(node)

    def _beside(self, node: Node) -> int:
        return self.around.beside_bytes.get(node.index, 0)
