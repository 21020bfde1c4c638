"""What the search asks of its operators again and again, each answer worked out once.

The answers do not depend on limits or strategies, so a rerun with another limit finds them all.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from core.base.errors import InternalError
from core.base.frozen import Frozen, NamedTuple, field, replace
from core.base.geometry import Shape4, ceil_div, ifm_area_required
from core.base.ids import FmId
from core.base.progress import SILENT, Progress
from core.cost.blocks import BlockChoice, BlockQuestion
from core.cost.from_graph import Place, block_query, whole
from core.cost.island import Pieces
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.cost.work import FmUse, Step, WeightBuffer, WeightUse, Work
from core.ir.edits import Traversal
from core.ir.fixed import NOTHING_FIXED, Fixed, Pin
from core.ir.npugraph import NpuGraph, NpuOp, View
from core.ir.options import Options
from core.ir.schedule import Stripe
from core.schedule.problem import Node
from core.schedule.reach import Answers
from core.schedule.rings import ExactRows
from core.target.block import BlockConfig, BlockQuery
from core.target.blocks import block_search
from core.target.format import Format
from core.target.target import Area
from core.target.unit import Unit


class StreamSizes(Frozen, kw_only=False):
    """An encoded weight stream, as far as the search has to know it."""

    encoding: str
    """Digest of its bytes."""
    slice_bytes: tuple[int, ...]

    @property
    def stream_bytes(self) -> int:
        """Bytes of all slices."""
        return sum(self.slice_bytes)

    @property
    def pair_bytes(self) -> tuple[int, int]:
        """Sizes of two buffers that take the slices in turn; the second may be none."""
        return max(self.slice_bytes[0::2], default=0), max(self.slice_bytes[1::2], default=0)


Encoder = Callable[[NpuOp, BlockConfig, tuple[int, ...]], StreamSizes]
"""Encodes an operator's weights for a block and depth slices, and says how large they are."""


Demand = tuple[NpuOp, BlockConfig, tuple[int, ...]]
"""What an encoder is asked for."""

_ENDS = 16
"""Blocks from either end that are tried where the usual one has not the order that is fixed."""

_TOGETHER = 1 << 17
"""So many weights, or one operator's, are encoded together: who has asked for something else
meanwhile waits for that."""

_BLOCKS_TOGETHER = 512
"""Of how many questions the blocks are chosen together: enough that calls cost little."""

Prepare = Callable[[Sequence[Demand]], None]
"""Tells an encoder what it will be asked for soon; together that may take less time."""


def ignore(demands: Sequence[Demand]) -> None:
    """Leave it to the questions themselves."""
    del demands


Streams = Callable[[Node, BlockConfig, tuple[int, ...]], StreamSizes]
"""How large an operator's weight stream is, for a block and depth slices."""

Moved = tuple[bool, ...]
"""By view of an operator: whether its map has moved to fast storage; empty where none has."""


def moved_of(node: Node, near: Container[FmId]) -> Moved:
    """Which of the maps of an operator are among some."""
    found = tuple([view.fm in near for view in node.op.views])
    return found if True in found else ()


_StreamKey = tuple[int, int, bool, tuple[int, ...]]
_Situation = tuple[int, tuple[Format, ...], Pin | None]
"""The twin of an operator, the formats of its maps, and what of its block is fixed."""
_CostKey = tuple[_Situation, int, Moved, bool]
"""An operator in stripes of some height, which of its maps have moved, how weights come."""


class StripeCost(Frozen, kw_only=False):
    """An operator that runs in stripes of some height."""

    stripe: Stripe
    block: BlockConfig
    macs: int
    cycles: int
    work: Work
    """The operator as the estimate sees it, whole, where its maps are taken to be."""
    choice: BlockChoice | None = None
    """What the block was chosen from, where it was by its cost."""
    moved: Moved = ()
    """Which of its maps were taken to have moved to fast storage."""


class Wanted(NamedTuple):
    """An operator whose block is to be chosen by its cost."""

    node: Node
    height: int
    """Rows of output in a stripe."""
    moved: Moved = ()
    """Which of its maps have moved to fast storage."""
    is_otherwise: bool = False
    """Weights are read where they are stored, where they usually go through a buffer, and the other
    way round."""


Foreseen = Callable[[], Sequence[Wanted]]
"""What will most likely be asked for as well, where anything has to be worked out."""


class Estimates(Frozen, kw_only=False, eq=False):
    """Stripes, blocks, cycles and stream sizes of the operators of one network on one target."""

    pieces: Pieces
    """Prices of schedules, by their commands."""
    model: CostModel
    """By whose price an operator is judged on its own."""
    formats: tuple[Format, ...]
    encoder: Encoder
    options: Options
    """What of them one search is told."""
    fixed: Fixed = NOTHING_FIXED
    """Of which each is possible."""
    prepare: Prepare = ignore
    progress: Progress = SILENT
    """Of the question that is being answered; whoever hears it can cancel."""
    exact_rows: ExactRows = field(default_factory=ExactRows)
    """The rows that a ring between two nodes needs, where it may have just these."""
    ways: Answers[Any] = field(default_factory=Answers)
    """What is remembered of how weights reach operators."""
    in_parts: dict[Hashable, dict[Any, Any]] = field(default_factory=dict)
    """What is remembered of how much nodes that are alike cost in parts of an island."""
    _situations: dict[int, _Situation] = field(default_factory=dict)
    _costs: dict[_CostKey, StripeCost] = field(default_factory=dict)
    _works: dict[tuple[_Situation, BlockConfig, Moved], Work] = field(default_factory=dict)
    _streams: dict[_StreamKey, StreamSizes] = field(default_factory=dict)
    _parts: dict[tuple[_Situation, BlockConfig, int], int] = field(default_factory=dict)
    _reads: dict[tuple[_Situation, BlockConfig], tuple[int, ...]] = field(default_factory=dict)

    @property
    def prices(self) -> StripePrices:
        """Of operators as they run, stripe by stripe."""
        return self.pieces.prices

    @property
    def graph(self) -> NpuGraph:
        """The network."""
        return self.prices.graph

    def with_formats(self, formats: tuple[Format, ...]) -> Estimates:
        """The same with maps in other formats."""
        return replace(self, formats=formats, _situations={})

    def with_fixed(self, fixed: Fixed) -> Estimates:
        """The same where other decisions are fixed."""
        return replace(self, fixed=fixed, _situations={})

    def _situation(self, node: Node) -> _Situation:
        """All that the answers about a node depend on, beside the question."""
        known = self._situations.get(node.op.id)
        if known is None:
            orders = tuple(self.formats[view.fm] for view in node.op.views)
            known = self._situations[node.op.id] = (
                self.prices.twins[node.op.id],
                orders,
                self.fixed.pin_of.get(node.op.id),
            )
        return known

    def known_by(self, node: Node, cost: StripeCost) -> Hashable:
        """All that cycles and sizes depend on of an operator with weights, at this cost."""
        first = self.prices.weights_twins[node.op.id]
        return first, self._situation(node), cost.stripe.ofm.h, cost.block, cost.moved

    def alike_in_parts(self, node: Node) -> Hashable:
        """The same for nodes that cost as much, in whichever part of an island they are."""
        asked = self.fixed.weights_of.get(node.op.id)
        return self.prices.weights_twins[node.op.id], self._situation(node), asked

    def whole(self, node: Node) -> StripeCost:
        """The operator as one stripe."""
        return self.stripe(node, node.ofm.shape.h)

    def stripe(self, node: Node, height: int) -> StripeCost:
        """The operator in stripes of some rows of output."""
        (found,) = self.costs([Wanted(node, height)])
        return found

    def costs(self, wanted: Sequence[Wanted], foreseen: Foreseen | None = None) -> list[StripeCost]:
        """Operators in blocks that suit them; together that takes less time."""
        keys = [_cost_key(self._situation(each.node), each) for each in wanted]
        fresh = [(k, each) for k, each in zip(keys, wanted, strict=True) if k not in self._costs]
        if fresh and foreseen is not None:
            more = [(_cost_key(self._situation(each.node), each), each) for each in foreseen()]
            fresh += [(key, each) for key, each in more if key not in self._costs]
        for first in range(0, len(fresh), _BLOCKS_TOGETHER):
            self.progress.advance("choosing blocks", first, len(fresh))
            some = dict(fresh[first : first + _BLOCKS_TOGETHER])
            self._costs.update(zip(some, self._chosen(list(some.values())), strict=True))
        return [self._costs[key] for key in keys]

    def blocked(
        self,
        node: Node,
        height: int,
        block: BlockConfig,
        moved: Moved = (),
        choice: BlockChoice | None = None,
    ) -> StripeCost:
        """The operator in stripes of some rows of output, in blocks that are given."""
        work = self._work(node, block, moved)
        done, stripe = self.model.cycles(work), stripe_of(node, height)
        return StripeCost(stripe, block, done.macs, done.cycles, work, choice, moved)

    def stream(self, node: Node, block: BlockConfig, slices: tuple[int, ...]) -> StreamSizes:
        """The weight stream of an operator; blocks of one depth and traversal have the same."""
        known = self.known_stream(node, block, slices)
        if known is None:
            _tell(self.progress, self.prices.weighted, len(self._streams))
            known = self.encoder(node.op, block, slices)
            self._streams[_stream_key(node, block, slices)] = known
        return known

    def known_stream(
        self, node: Node, block: BlockConfig, slices: tuple[int, ...]
    ) -> StreamSizes | None:
        """The same stream where somebody has asked for it before."""
        return self._streams.get(_stream_key(node, block, slices))

    def expect(self, demands: Sequence[Demand]) -> None:
        """Have the encoder know what it will be asked for, some at a time, as it can be stopped."""
        for some in _together(demands):
            _tell(self.progress, self.prices.weighted, len(self._streams))
            self.prepare(some)

    def cycles_of_depth(self, node: Node, block: BlockConfig, depth: int) -> int:
        """Cycles in which so many channels of the output are made."""
        key = (self._situation(node), block, depth)
        known = self._parts.get(key)
        if known is None:
            work = self._work(node, block)
            part = replace(work.ofm, shape=work.ofm.shape.with_depth(depth))
            known = self._parts[key] = self.model.cycles(replace(work, ofm=part)).cycles
        return known

    def accesses(self, node: Node, block: BlockConfig) -> tuple[int, ...]:
        """Elements that the operator reads or writes of each of its maps, in their order."""
        key = (self._situation(node), block)
        known = self._reads.get(key)
        if known is None:
            moved = self.model.accesses(self._work(node, block))
            inputs = (moved.ifm,) if node.ifm2 is None else (moved.ifm, moved.ifm2)
            known = self._reads[key] = (*inputs, moved.ofm)
        return known

    def _chosen(self, wanted: Sequence[Wanted]) -> list[StripeCost]:
        """Each operator in its usual block, or in the cheapest where blocks are free."""
        found, questions = [], {}
        for place, each in enumerate(wanted):
            stripe = stripe_of(each.node, each.height)
            query = block_query(self.graph, each.node.op, stripe)
            block = self.model.block(query)
            if block is None:
                raise InternalError(f"'{each.node.op.name}': not even the smallest block fits")
            found.append((query, block))
            if self.options.freedoms.blocks_by_cost and each.node.op.kind.unit is not Unit.DMA:
                questions[place] = BlockQuestion(query, self._step(each, stripe, block))
        choices = dict(zip(questions, self.model.choices([*questions.values()]), strict=True))
        return [
            self._in_block(each, *found[place], choices.get(place))
            for place, each in enumerate(wanted)
        ]

    def _in_block(
        self, wanted: Wanted, query: BlockQuery, usual: BlockConfig, choice: BlockChoice | None
    ) -> StripeCost:
        node = wanted.node
        block = usual if choice is None else choice.block
        pinned = _pinned(self.model, query, self.fixed.pin_of.get(node.op.id), block)
        if pinned is not None:
            block, choice = pinned, None
        return self.blocked(node, wanted.height, block, wanted.moved, choice)

    def _step(self, wanted: Wanted, stripe: Stripe, block: BlockConfig) -> Step:
        """One stripe of the operator, with its weights."""
        node, target = wanted.node, self.model.target
        weights, unit = node.op.weights, node.op.kind.unit
        work = self._work(node, block, wanted.moved)
        ifm2, second = work.ifm2, stripe.ifm2
        striped = replace(
            work,
            ifm=_rows_of(work.ifm, stripe.ifm),
            ifm2=ifm2 if ifm2 is None or second is None else _rows_of(ifm2, second),
            ofm=_rows_of(work.ofm, stripe.ofm),
        )
        if weights is None:
            return Step(work=striped)
        buffer, size = None, weights.values.size_bytes
        is_buffered = wanted.is_otherwise is (unit is Unit.VECTOR_PRODUCT)
        if not (is_buffered and target.has_far_constants):
            striped = replace(striped, constants=target.permanent.area)
        else:
            stripes = ceil_div(node.ofm.shape.h, stripe.ofm.h)
            arriving = self.model.copy_cycles(target.permanent.area, target.fast.area, size)
            buffer = WeightBuffer(
                area=target.fast.area,
                is_double=False,
                first_bytes=size,
                whole_cycles=arriving // stripes,
                last_slice_cycles=0,
            )
        return Step(
            work=striped,
            weights=WeightUse(
                area=target.permanent.area,
                # Nobody has encoded them yet, and that depends on the block.
                stream_bytes=size,
                elements=weights.values.array.size,
                scale_bytes=0,
                buffer=buffer,
            ),
        )

    def _work(self, node: Node, block: BlockConfig, moved: Moved = ()) -> Work:
        """The operator where some maps have moved to fast storage."""
        key = self._situation(node), block, moved
        known = self._works.get(key)
        if known is None:
            target, views = self.model.target, node.op.views
            places = tuple(
                Place(_area(self, view, is_near=is_near), self.formats[view.fm])
                for view, is_near in zip(views, moved or (False,) * len(views), strict=True)
            )
            known = self.model.work(self.graph, node.op, block, places, target.fast.area)
            if not self.options.freedoms.measured_price:
                # The ecosystem's compiler takes an operator that makes some channels of a map to
                # make all.
                made = known.ofm.shape.with_depth(node.ofm.shape.c)
                known = replace(known, ofm=replace(known.ofm, shape=made))
            self._works[key] = known
        return known


def _together(demands: Sequence[Demand]) -> Iterator[Sequence[Demand]]:
    """Demands in order, as many at once as are encoded together."""
    some: list[Demand] = []
    weights = 0
    for demand in demands:
        some.append(demand)
        weights += demand[0].weights.values.array.size if demand[0].weights is not None else 0
        if weights >= _TOGETHER:
            yield some
            some, weights = [], 0
    if some:
        yield some


def _cost_key(situation: _Situation, wanted: Wanted) -> _CostKey:
    return situation, wanted.height, wanted.moved, wanted.is_otherwise


def _area(estimates: Estimates, view: View, *, is_near: bool) -> Area:
    target = estimates.model.target
    if estimates.graph.fm(view).data is not None:
        return target.permanent.area
    return target.fast.area if is_near else target.arena.area


def _tell(progress: Progress, most: int, encoded: int) -> None:
    """Say that weights are being encoded."""
    progress.advance("encoding weights", min(encoded, most), most)


def _pinned(
    model: CostModel, query: BlockQuery, pin: Pin | None, found: BlockConfig
) -> BlockConfig | None:
    """The block that is fixed; what of it is open is as in the one that was found."""
    if pin is None:
        return None
    wanted, accelerator = pin.block or found.ofm_block, model.target.accelerator
    orders: tuple[bool, ...] = (found.is_part_kernel, not found.is_part_kernel)
    if pin.traversal is not None:
        orders = (pin.traversal is Traversal.PART_KERNEL,)
    search = block_search(accelerator)
    of, blocks = search.block_of, [wanted]
    if pin.block is None and of(accelerator, query, wanted, is_part_kernel=orders[0]) is None:
        ends = search.blocks_at_both_ends(accelerator, query, _ENDS)
        blocks = [each.ofm_block for each in ends]
    configs = (
        of(accelerator, query, block, is_part_kernel=order) for block in blocks for order in orders
    )
    return next((config for config in configs if config is not None), None)


def _rows_of(use: FmUse, stripe: Shape4) -> FmUse:
    return replace(use, shape=use.shape._replace(h=min(use.shape.h, stripe.h)))


def _stream_key(node: Node, block: BlockConfig, slices: tuple[int, ...]) -> _StreamKey:
    return node.op.id, block.ofm_block.c, block.is_part_kernel, slices


class GuessedStreams(Frozen, kw_only=False, eq=False):
    """Guesses at streams that nobody has asked for yet, and which those were."""

    estimates: Estimates
    demands: list[Demand] = field(default_factory=list)

    def stream(self, node: Node, block: BlockConfig, slices: tuple[int, ...]) -> StreamSizes:
        """What is known, or a guess by the whole stream, encoded or not."""
        known = self.estimates.known_stream(node, block, slices)
        if known is not None:
            return known
        self.demands.append((node.op, block, slices))
        depth = slices[-1]
        whole = self.estimates.known_stream(node, block, (0, depth))
        values = node.op.weights.values.size_bytes if node.op.weights else 0
        total = values if whole is None else whole.stream_bytes
        return guessed(total, slices)


def guessed(whole_bytes: int, slices: tuple[int, ...]) -> StreamSizes:
    """A stream as if each channel took the same of what all take together."""
    depth = slices[-1]
    return StreamSizes("", tuple((b - a) * whole_bytes // depth for a, b in pairwise(slices)))


def stripe_of(node: Node, height: int) -> Stripe:
    """Rows of output, and what of the inputs they need."""
    shape = node.ofm.shape
    if height == shape.h:
        return whole(node.op)
    rows, columns = ifm_area_required(height, shape.w, node.op.kernel, node.op.resampling)
    second = node.ifm2
    ifm = _at_most(node.ifm.shape, rows, columns)
    return Stripe(
        ofm=shape.with_hw(height, shape.w),
        ifm=ifm,
        # The second input follows the first, as far as each is large enough.
        ifm2=None if second is None else _at_most(second.shape, rows, columns),
    )


def _at_most(shape: Shape4, rows: int, columns: int) -> Shape4:
    return shape.with_hw(min(rows, shape.h), min(columns, shape.w))
