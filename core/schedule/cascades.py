"""Groups neighbouring operators into cascades wherever that lowers the peak of memory.

From the first operator that can run in stripes a cascade is grown one operator at a time. Without
spilling, all maps count: the first input and the last output whole, and what is between as rolling
buffers; growing goes on while it lowers the peak. With spilling only the rolling buffers are in
fast storage: growing goes on until an operator fits whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from core.base.geometry import Shape4, round_up
from core.ir.decisions import CascadeEnd, CascadeGrown
from core.schedule.draft import CascadeDraft, Draft, OpDraft
from core.schedule.problem import Node, Port
from core.target.format import Format


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the cascades of some nodes have to live with."""

    nodes: Sequence[Node]
    limit_bytes: int
    """The peak that costs nothing; with spilling, the most that buffers may take."""
    beside_bytes: Mapping[int, int]
    """What is live beside each node and belongs to others."""
    is_spilling: bool


def with_cascades(draft: Draft, whole: Mapping[int, OpDraft], around: Surroundings) -> Draft:
    """The draft with cascades; nodes outside of them run as in `whole`."""
    builder = _Builder(draft, whole, around)
    for node in around.nodes:
        if node.index not in builder.built.ops:
            builder.start(node)
    return builder.built


def rolling_shape(whole: Shape4, producer: OpDraft, consumer: OpDraft) -> Shape4:
    """Rows between two operators: what is made at once, and whole windows of what is read."""
    made, read = producer.cost.stripe.ofm, consumer.cost.stripe.ifm
    return Shape4(
        1,
        min(round_up(made.h + read.h, read.h), whole.h),
        # Strides can leave the last columns of a map unread.
        max(made.w, read.w),
        Format.BRICKS.stored(made).c,
    )


def hindrance(node: Node, reader: Node) -> CascadeEnd | None:
    """Why a node that can be striped cannot hand rows to its only reader, which can be too."""
    if reader.needs_whole_ifm or node.needs_whole_ofm:
        return CascadeEnd.WHOLE_MAP
    if reader.ifm.shape != node.ofm.shape or reader.ifm.fm != node.ofm.fm:
        return CascadeEnd.SHAPES_DIFFER
    return None if reader.index == node.index + 1 else CascadeEnd.NEXT_IS_ELSEWHERE


def links(node: Node, reader: Node) -> bool:
    """Whether a node can hand rows to the next one through a rolling buffer."""
    return (
        node.can_stripe
        and reader.can_stripe
        and node.readers == (reader.index,)
        and hindrance(node, reader) is None
    )


class _Growth(NamedTuple):
    """The best cascade from a node, and how the search for it ended."""

    nodes: list[Node]
    size_bytes: int
    tried_until: int
    end: CascadeEnd


@dataclass(slots=True)
class _Builder:
    """The result while it grows, and the peak of memory up to here."""

    draft: Draft
    whole: Mapping[int, OpDraft]
    around: Surroundings
    peak_bytes: int = field(init=False)
    built: Draft = field(init=False)
    _places: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.peak_bytes = self.around.limit_bytes
        self.built = Draft(ops={})
        self._places = {node.index: place for place, node in enumerate(self.around.nodes)}

    def start(self, node: Node) -> None:
        """Give a node its plan, with as many after it as pay in a cascade."""
        if not self._is_striped(node):
            self._leave_whole(node)
            return
        alone = self._whole_bytes(node)
        growth = self._grow(node, alone)
        self.built.decisions.append(
            CascadeGrown(
                first=node.op.id,
                last=growth.nodes[-1].op.id,
                tried_until=self.around.nodes[growth.tried_until].op.id,
                size_bytes=growth.size_bytes,
                uncascaded_bytes=alone,
                limit_bytes=self.peak_bytes,
                end=growth.end,
            )
        )
        if len(growth.nodes) > 1:
            self._keep(growth)
        else:
            self._leave_whole(node)

    def _leave_whole(self, node: Node) -> None:
        self.built.ops[node.index] = self.whole[node.index]
        if not self.around.is_spilling:
            self.peak_bytes = max(self.peak_bytes, self._whole_bytes(node))

    def _keep(self, growth: _Growth) -> None:
        first, last = growth.nodes[0].index, growth.nodes[-1].index
        plans = [self.draft.ops[node.index]._replace(cascade=last) for node in growth.nodes]
        for node, plan in zip(growth.nodes, plans, strict=True):
            self.built.ops[node.index] = plan
        beside = self.around.beside_bytes.get(first, 0)
        self.built.cascades[last] = CascadeDraft(
            first=first,
            last=last,
            rolling=tuple(
                rolling_shape(node.ofm.shape, one, other)
                for node, (one, other) in zip(growth.nodes, pairwise(plans), strict=False)
            ),
            size_bytes=growth.size_bytes - (0 if self.around.is_spilling else beside),
        )
        if not self.around.is_spilling:
            self.peak_bytes = max(self.peak_bytes, growth.size_bytes)

    def _grow(self, first: Node, alone: int) -> _Growth:
        """Add nodes while they can be added and it may pay."""
        is_spilling = self.around.is_spilling
        chain, best_count, best_size = [first], 1, alone
        entry = 0 if is_spilling else first.ifm.size_bytes
        beside = self.around.beside_bytes.get(first.index, 0)
        buffers = self.draft.ops[first.index].buffer_bytes
        while True:
            following = self._next(chain[-1])
            if isinstance(following, CascadeEnd):
                end = following
                break
            buffers += self._between(chain[-1], following)
            buffers += self.draft.ops[following.index].buffer_bytes
            chain.append(following)
            uncascaded = self._whole_bytes(following)
            if is_spilling:
                if uncascaded < self.peak_bytes or buffers > self.peak_bytes:
                    end = _why(uncascaded < self.peak_bytes)
                    break
                best_count, best_size = len(chain), buffers
                continue
            size = entry + buffers + following.ofm.size_bytes + beside
            both_fit = uncascaded < self.peak_bytes and best_size < self.peak_bytes
            if both_fit or entry + buffers > best_size:
                end = _why(both_fit)
                break
            # A longer cascade may be larger than a shorter one and yet smaller than the operator
            # after the shorter one, which would need both of its maps whole.
            if size < best_size or size < uncascaded:
                best_count, best_size = len(chain), size
        last_tried = self._places[chain[-1].index]
        return _Growth(chain[:best_count], best_size, last_tried, end)

    def _next(self, node: Node) -> Node | CascadeEnd:
        """The node that can follow in a cascade, or why there is none."""
        if len(node.readers) != 1:
            return CascadeEnd.LAST
        place = self._places.get(node.readers[0])
        if place is None:
            return CascadeEnd.LAST
        reader = self.around.nodes[place]
        if not self._is_striped(reader):
            return CascadeEnd.CANNOT
        return hindrance(node, reader) or reader

    def _is_striped(self, node: Node) -> bool:
        height = self.draft.ops[node.index].cost.stripe.ofm.h
        return node.can_stripe and height < node.ofm.shape.h

    def _between(self, node: Node, following: Node) -> int:
        """Bytes of the rolling buffer between two nodes."""
        plans = self.draft.ops
        shape = rolling_shape(node.ofm.shape, plans[node.index], plans[following.index])
        return shape.elements * node.ofm.element_bytes

    def _whole_bytes(self, node: Node) -> int:
        """Memory that a node takes when its maps exist whole, with all that is live beside it."""
        # A second input counts where it is a map of its own and not a constant or scalar, to
        # which the ecosystem's compiler reduces all binary operators.
        second = 0 if node.ifm2 is None or node.op.kind.is_binary else node.ifm2.size_bytes
        made = 0 if node.overwrites else _bricks_unless(node.ofm, node.needs_whole_ofm)
        read = _bricks_unless(node.ifm, node.needs_whole_ifm)
        return read + second + made + self.around.beside_bytes.get(node.index, 0)


def _bricks_unless(port: Port, needs_whole: str) -> int:
    """Bytes of a map, in bricks where nothing speaks against them."""
    if needs_whole:
        return port.size_bytes
    return Format.BRICKS.stored(port.shape).elements * port.element_bytes


def _why(fits_whole: bool) -> CascadeEnd:  # noqa: FBT001 - one fact, named by the call
    return CascadeEnd.FITS_WHOLE if fits_whole else CascadeEnd.TOO_LARGE
