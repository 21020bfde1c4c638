"""Operators that treat all elements alike see their maps in the shape that costs least.

a of 192x192x3 -> QUANTIZE -> b      becomes   a seen as 192x36x16 -> QUANTIZE -> b seen so too

The bytes stay where they are: in rows, any shape of as many elements has the same. So operators
that hand maps to each other are folded together, and what all of them see alike becomes that shape
itself, and may be bricks again. Maps at the border, which others see as before, have to be in rows:
that must cost the others less than it saves, and must not keep a map from passing in stripes.

a of 768x1x4 -> b[part of 1008x1x4]  becomes   a seen as 4x48x16 -> b[part of 5.25x48x16, in rows]

So do operators, each by itself, that read or write a part of a map in one piece, if its depth is
not whole bricks and can be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from core.base.frozen import Frozen, replace
from core.base.geometry import ONE_ELEMENT, Resampling, Shape4
from core.base.ids import FmId, NpuOpId
from core.ir.constdata import ConstData
from core.ir.npugraph import FeatureMap, FoldReason, NpuGraph, NpuOp, OpKind, ShapeFolded, View
from core.lower.fold_prices import Prices, Uses
from core.lower.joins import LONGEST_SIDE, first_element, lies_as_it_is
from core.target.accelerator import Accelerator
from core.target.format import BRICK_DEPTH, Format

_DEPTHS = (16, 48, 32, 24, 8, *range(17, 32), *range(15, 8, -1))
"""Depths to try, the first few that divide the elements: bricks, or what is near them."""

_MOST_DEPTHS = 3
_WHOLE_DEPTHS = tuple(depth for depth in _DEPTHS if depth % BRICK_DEPTH == 0)
"""For pieces: other depths save less of them than others may lose by rows."""
_LEAST_ELEMENTS = 256
"""Of maps whose shape is worth a thought."""
_LEAST_OF_A_PIECE = 1024
"""What is smaller is moved in about the time that an operator takes to begin."""
_LEAST_GAIN = 0.3
"""Of the cycles of operators, so that it pays to fix the format and rows of their maps."""
_LEAST_STEP = 0.05
"""What a shape has to save of them beyond one that comes before it."""


def fold_shapes(graph: NpuGraph, accelerator: Accelerator) -> NpuGraph:
    """The same graph, with operators in other shapes wherever that is cheaper."""
    uses = Uses.of(graph)
    for ops in _groups(graph, uses):
        graph = _with_cheapest(_Group(graph, uses, ops), accelerator)
    for op in graph.ops:
        if _moves_a_piece(graph, op) and not _may_pass_in_stripes(graph, uses, op):
            graph = _with_cheapest(_Piece(graph, uses, (op.id,)), accelerator)
    return graph


def _groups(graph: NpuGraph, uses: Uses) -> Iterator[tuple[NpuOpId, ...]]:
    """Operators that can be folded, those together that hand maps to each other."""
    left = {op.id for op in graph.ops if _is_alike_everywhere(graph, op)}
    for first in sorted(left):
        found, pending = set[NpuOpId](), [first]
        while pending:
            number = pending.pop()
            if number not in left:
                continue
            left.discard(number)
            found.add(number)
            shape = graph.ops[number].ofm.shape
            for view in _maps(graph.ops[number]):
                touching = uses.touching[view.fm]
                pending += (near for near in touching if graph.ops[near].ofm.shape == shape)
        if found:
            yield tuple(sorted(found))


def _is_alike_everywhere(graph: NpuGraph, op: NpuOp) -> bool:
    """Whether output elements depend on those in their place alone, and bricks are not full."""
    is_pool = op.kind in (OpKind.AVERAGE_POOL, OpKind.MAX_POOL) and op.kernel == ONE_ELEMENT
    return (
        (op.kind.is_elementwise or is_pool)
        and op.ofm.shape.c % BRICK_DEPTH != 0
        and op.ofm.shape.elements >= _LEAST_ELEMENTS
        and op.resampling is Resampling.NONE
        and all(_is_plain(view) for view in op.views)
        and all(_is_spread(graph, op, view) for view in op.views if view not in _maps(op))
    )


def _is_plain(view: View) -> bool:
    return view.offset is None and lies_as_it_is(view)


def _moves_a_piece(graph: NpuGraph, op: NpuOp) -> bool:
    """Whether an operator handles each element by itself, of which some lie in a larger map."""
    is_pool = op.kind in (OpKind.AVERAGE_POOL, OpKind.MAX_POOL) and op.kernel == ONE_ELEMENT
    return (
        is_pool
        and op.ofm.touched.elements >= _LEAST_OF_A_PIECE
        and op.ofm.touched.c % BRICK_DEPTH != 0
        and op.ofm.touched.elements == op.ifm.touched.elements
        and op.resampling is Resampling.NONE
        and not all(_is_plain(view) for view in op.views)
        and all(lies_as_it_is(view) for view in op.views)
        and all(graph.fm(view).data is None for view in op.views)
        and all(first_element(view) is not None for view in op.views)
    )


def _maps(op: NpuOp) -> list[View]:
    """The output, and the inputs of its shape."""
    return [view for view in op.views if view.shape == op.ofm.shape]


def _is_spread(graph: NpuGraph, op: NpuOp, view: View) -> bool:
    """Whether an input is one number, or constant numbers for each channel."""
    is_constant = graph.fm(view).data is not None
    for_each_channel = Shape4(1, 1, 1, op.ofm.shape.c)
    return view.shape.elements == 1 or (is_constant and view.shape == for_each_channel)


def _may_pass_in_stripes(graph: NpuGraph, uses: Uses, op: NpuOp) -> bool:
    """Whether one other operator has a map of its whole, and sees it as this one does."""
    for view in op.views:
        others = [graph.ops[at] for at in uses.touching[view.fm] if at != op.id]
        if view.offset is None and view.fm not in uses.shared and len(others) == 1:
            return any(each.fm == view.fm and each.shape == view.shape for each in others[0].views)
    return False


class _Group(Frozen, kw_only=False, dict=True):
    """Operators that are folded together, in a graph."""

    graph: NpuGraph
    uses: Uses
    ops: tuple[NpuOpId, ...]

    @cached_property
    def members(self) -> frozenset[NpuOpId]:
        """All of them."""
        return frozenset(self.ops)

    @property
    def shape(self) -> Shape4:
        """As which all of them see their maps."""
        return self.graph.ops[self.ops[0]].ofm.shape

    @property
    def touched(self) -> tuple[FmId, ...]:
        """The maps that they see in that shape."""
        ops = (self.graph.ops[number] for number in self.ops)
        return tuple(dict.fromkeys(view.fm for op in ops for view in _maps(op)))

    def knows_alone(self, fm: FmId) -> bool:
        """Whether nobody else touches a map, so that its shape is nobody else's business."""
        source = self.graph.feature_maps[fm]
        is_plain = source.data is None and not source.is_variable and source.storage == fm
        touching = self.uses.touching[fm]
        return is_plain and fm not in self.uses.shared and self.members.issuperset(touching)

    def shapes(self) -> Iterator[Shape4]:
        """Others of as many elements."""
        return _other_shapes(self)

    def seen_as(self, shape: Shape4) -> NpuGraph:
        """The graph with all of them in another shape."""
        ops, maps = list(self.graph.ops), list(self.graph.feature_maps)
        for fm in filter(self.knows_alone, self.touched):
            maps[fm] = replace(maps[fm], shape=tuple(shape))
        for number in self.ops:
            op = ops[number]
            ifm, *second, ofm = (_seen_as(maps, op, view, shape) for view in op.views)
            ops[number] = replace(op, ifm=ifm, ifm2=second[0] if second else None, ofm=ofm)
        return replace(self.graph, ops=tuple(ops), feature_maps=tuple(maps))


class _Piece(Frozen, kw_only=False):
    """An operator by itself that reads or writes a part of a map in one piece."""

    graph: NpuGraph
    uses: Uses
    ops: tuple[NpuOpId, ...]

    @property
    def _op(self) -> NpuOp:
        return self.graph.ops[self.ops[0]]

    @property
    def shape(self) -> Shape4:
        """Of the piece."""
        return self._op.ofm.touched

    @property
    def touched(self) -> tuple[FmId, ...]:
        """Both maps."""
        return tuple(dict.fromkeys(view.fm for view in self._op.views))

    @property
    def _least_row(self) -> int:
        """Callers have maps in slower memory as well, where pieces of rows take longer."""
        is_apart = any(view.fm in self.uses.shared for view in self._op.views)
        return self.shape.w * self.shape.c if is_apart else 0

    def knows_alone(self, _: FmId) -> bool:
        """Others make the map that it reads, and read the one that it writes."""
        return False

    def shapes(self) -> Iterator[Shape4]:
        """Others of as many elements, of whose rows both maps are made, and what lies before."""
        numbers = [self.shape.elements]
        for view in self._op.views:
            numbers += [view.shape.elements, first_element(view) or 0]
        common = math.gcd(*numbers)
        for depth in (depth for depth in _WHOLE_DEPTHS if common % depth == 0):
            longest = common // depth
            for width in dict.fromkeys(
                (_near_root(longest), longest // _near_root(longest), longest)
            ):
                rows = [number // (width * depth) for number in numbers]
                if max(*rows, width) <= LONGEST_SIDE and width * depth >= self._least_row:
                    yield Shape4(1, rows[0], width, depth)

    def seen_as(self, shape: Shape4) -> NpuGraph:
        """The graph with it in another shape."""
        ops = list(self.graph.ops)
        ifm, ofm = (_piece_seen_as(view, shape) for view in (self._op.ifm, self._op.ofm))
        ops[self.ops[0]] = replace(self._op, ifm=ifm, ofm=ofm)
        return replace(self.graph, ops=tuple(ops))


def _piece_seen_as(view: View, shape: Shape4) -> View:
    row = shape.w * shape.c
    seen = replace(view, shape=shape.with_hw(view.shape.elements // row, shape.w))
    if view.offset is None:
        return seen
    return replace(seen, offset=Shape4(0, (first_element(view) or 0) // row, 0, 0), extent=shape)


def _seen_as(maps: list[FeatureMap], op: NpuOp, view: View, shape: Shape4) -> View:
    """A view in another shape; numbers for each channel are repeated to the new depth."""
    if view.shape == op.ofm.shape:
        return replace(view, shape=shape)
    data = maps[view.fm].data
    if view.shape.elements == 1 or data is None:
        return view
    repeated = np.tile(data.array.reshape(-1), shape.c // view.shape.c).reshape(1, 1, 1, -1)
    fm = FmId(len(maps))
    constant = ConstData.of(repeated)
    source = replace(maps[view.fm], id=fm, storage=fm, shape=repeated.shape, data=constant)
    maps.append(source)
    return replace(view, fm=fm, shape=Shape4.of(repeated.shape))


def _with_cheapest(group: _Group | _Piece, accelerator: Accelerator) -> NpuGraph:
    """The graph with a group in the shape that costs least, and the record of the choice."""
    graph, shape = group.graph, group.shape
    border = [fm for fm in group.touched if not group.knows_alone(fm)]
    prices = Prices(graph, group.uses, accelerator)
    # Others notice a fold only by rows where they had bricks.
    lost = (fm for fm in border if prices.format(fm) is Format.BRICKS)
    beside = (number for fm in lost for number in group.uses.touching[fm])
    priced = tuple(dict.fromkeys((*group.ops, *beside)))
    own, cycles = prices.cycles(group.ops), prices.cycles(priced)
    best, cheapest, seen_as, gain = graph, cycles, shape, _LEAST_GAIN
    for other in group.shapes():
        folded = group.seen_as(other)
        price = Prices(folded, group.uses, accelerator).cycles(priced)
        if price < cheapest - own * gain:
            best, cheapest, seen_as, gain = folded, price, other, _LEAST_STEP
    if best is graph:
        return graph
    is_kept = prices.would_break_stripes(border)
    record = ShapeFolded(
        ops=group.ops,
        shape=shape,
        seen_as=seen_as,
        cycles=cycles,
        cycles_folded=cheapest,
        reason=FoldReason.STRIPES_ARE_WORTH_MORE if is_kept else FoldReason.CHEAPER,
    )
    return replace(graph if is_kept else best, folds=(*graph.folds, record))


def _other_shapes(group: _Group) -> Iterator[Shape4]:
    """Shapes of as many elements, those first whose rows have the same bytes."""
    shape = group.shape
    multiple = shape.c if _has_numbers_for_channels(group) else 1
    fitting = [depth for depth in _DEPTHS if shape.elements % depth == 0 and depth % multiple == 0][
        :_MOST_DEPTHS
    ]
    heights = [shape.h] if shape.n == 1 else []
    for height in (*heights, None):
        for depth in fitting:
            places = shape.elements // depth
            rows = height or _near_root(places)
            seen = Shape4(1, rows, places // rows, depth)
            if seen.elements == shape.elements and seen != shape and max(seen) <= LONGEST_SIDE:
                yield seen


def _has_numbers_for_channels(group: _Group) -> bool:
    ops = (group.graph.ops[number] for number in group.ops)
    return any(1 < view.shape.elements < op.ofm.shape.elements for op in ops for view in op.views)


def _near_root(number: int) -> int:
    """The divisor of a number that is next to its root."""
    return next(each for each in range(int(number**0.5), 0, -1) if number % each == 0)
