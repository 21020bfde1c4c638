"""What an operator does not do without, in whichever way it runs: all blocks are tried.

It may run at once, which is priced as it is, or in parts (stripes, slices), of which only what they
have in common is counted. Its maps may be in any memory and format, and its weights may be read
where they are stored or be brought to fast storage before.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from core.base.frozen import Changing, NamedTuple, field, later, replace
from core.base.geometry import round_up
from core.base.ids import NpuOpId
from core.base.many import most, rounded_up
from core.cost.accesses import accesses, accesses_of_parts
from core.cost.bursts import BURSTS
from core.cost.formulas import cycles_in_blocks, cycles_in_parts
from core.cost.from_graph import Place, block_query, use_of, whole
from core.cost.least_order import moves_constant
from core.cost.model import CostModel
from core.cost.parts import part_of, rows_read, scale_bytes, whole_work
from core.cost.spent import HIDDEN_LATENCY, operation_moves
from core.cost.traffic import busy_cycles
from core.cost.work import Work
from core.ir.constdata import ConstData
from core.ir.cost import Direction, Traffic
from core.ir.npugraph import NpuGraph, NpuOp, View
from core.ir.schedule import Stripe
from core.liveness.stripes import stripes_of
from core.target.block import BlockConfig, BlockQuery, ManyBlocks
from core.target.blocks import block_search
from core.target.format import ALIGNMENT_BYTES, Format
from core.target.target import Area
from core.target.unit import Unit

Floats = npt.NDArray[np.float64]

StreamBytes = Callable[[Sequence[tuple[NpuOp, BlockConfig]]], Sequence[int]]
"""Bytes of the whole encoded streams of operators that work in blocks: many at once take less
time."""

_LEAST_SHARE, _ALIGNED_BYTES = 0.99, 2 * ALIGNMENT_BYTES
"""What a stream takes in other blocks and slices of the same order: of 9 shared networks, and of
weights of which channels or groups of these are zero, none was shorter by more than the rest of
the share and two units of alignment for each core."""


class Way(NamedTuple):
    """Cycles of an operator in each of some blocks: of what cannot be used by two at once."""

    engine: Floats
    """In which it is the operation that runs."""
    port: Floats
    """In which the memory that has the constants is busy for it."""
    answers: float
    """From the beginning of the operation before, until the first bytes from far away are there."""


class _Tried(NamedTuple):
    """Blocks of an operator that runs at once, or in parts."""

    price: Callable[[NpuOp, Work, float], Way]
    usual: BlockConfig
    """One of them."""
    blocks: ManyBlocks

    @property
    def is_part_kernel(self) -> npt.NDArray[np.bool_]:
        """Of each block, in which order it takes weights."""
        is_part: npt.NDArray[np.bool_] = self.blocks.sides[-1] > 0
        return is_part


class Ways(Changing):
    """The ways of the operators of one network."""

    graph: NpuGraph
    model: CostModel
    stream_bytes: StreamBytes
    _known: dict[tuple[NpuOpId, bool], int] = field(default_factory=dict)
    """The shortest stream of an operator, by the order in which blocks take it."""
    _tables: Counter[str] = later()
    """How many operators look up in each table."""

    def __post_init__(self) -> None:
        tables = (_table(op) for op in self.graph.ops)
        self._tables = Counter(table.digest for table in tables if table is not None)

    def least(self, ops: Sequence[NpuOp]) -> dict[NpuOpId, Floats]:
        """Of each: rows of the three, of all ways and blocks in which no other is less in each."""
        tried = [(op, list(self._tried(op))) for op in ops]
        self._measure(tried)
        return {op.id: self._least(op, each) for op, each in tried}

    def _least(self, op: NpuOp, tried: Sequence[_Tried]) -> Floats:
        rows = [_least(way) for each in tried for way in self._ways(op, each)]
        return np.concatenate(rows) if rows else np.zeros((1, 3))

    def _tried(self, op: NpuOp) -> Iterator[_Tried]:
        """None where it may take no time at all."""
        if op.kind.unit is Unit.DMA:
            # A copy may be in place.
            return
        at_once = whole(op)
        stripes = [(at_once, self._at_once)]
        if op.made.h > 1 or op.weights is not None:
            # Blocks of one row need least of the shared buffer.
            row = Stripe(at_once.ofm.with_hw(1, at_once.ofm.w), at_once.ifm, at_once.ifm2)
            stripes.append((row, self._in_parts))
        for stripe, price in stripes:
            query = block_query(self.graph, op, stripe)
            usual = self.model.block(query)
            blocks = None if usual is None else self._blocks(query, usual)
            if usual is not None and blocks is not None and blocks.count:
                yield _Tried(price, usual, blocks)

    def _ways(self, op: NpuOp, tried: _Tried) -> Iterator[Way]:
        many = tried.blocks.instead_of(tried.usual)
        weight_bytes = self._weight_bytes(op, tried)
        target, table = self.model.target, self._table_cycles(op)
        sources = (
            {target.permanent.area, target.fast.area}
            if op.weights is not None
            else {target.permanent.area}
        )
        for places in self._places(op, many):
            for source in sorted(sources, key=lambda area: area.value):
                work = whole_work(self.graph, self.model, op, many, places, source)
                way = tried.price(op, work, weight_bytes)
                yield way._replace(port=way.port + table)

    def _blocks(self, query: BlockQuery, usual: BlockConfig) -> ManyBlocks:
        accelerator = self.model.target.accelerator
        ask, is_part = block_search(accelerator).all_blocks, usual.is_part_kernel
        # Of others the order decides nothing but the size of their streams.
        orders = (True, False) if query.has_kernel_weights else (is_part,)
        return ManyBlocks.joined(ask(accelerator, query, is_part_kernel=each) for each in orders)

    def _places(self, op: NpuOp, many: BlockConfig) -> Iterator[tuple[Place, ...]]:
        """Wherever its maps may be; constants are stored in rows."""
        target = self.model.target
        areas = dict.fromkeys((target.fast.area, target.arena.area))
        fixed = [Place(area=target.permanent.area, format=Format.LINEAR)]
        yield from itertools.product(
            *(
                [place for area in areas for place in self._orders(view, area, many)]
                if self.graph.fm(view).data is None
                else fixed
                for view in op.views
            )
        )

    def _orders(self, view: View, area: Area, many: BlockConfig) -> list[Place]:
        """Bricks alone, where they are nowhere moved in more bursts, and no channel is added."""
        rates, cores = self.model.rates, self.model.target.accelerator.cores
        places = [Place(area=area, format=order) for order in Format]
        bursts = {}
        for place in places:
            use, rate = use_of(self.graph, view, place), rates.areas[area]
            read = rate.busy_bytes(1, BURSTS.read(use, many.ifm_block))
            written = rate.busy_bytes(1, BURSTS.write(use, many.ofm_block, cores))
            bursts[place.format] = np.stack(np.broadcast_arrays(read, written))
        is_whole = view.touched.c % Format.BRICKS.depth_multiple == 0
        if is_whole and bool((bursts[Format.BRICKS] <= bursts[Format.LINEAR]).all()):
            return [place for place in places if place.format is Format.BRICKS]
        return places

    def _measure(self, tried: Sequence[tuple[NpuOp, Sequence[_Tried]]]) -> None:
        streams: dict[tuple[NpuOpId, bool], list[tuple[NpuOp, BlockConfig]]] = {}
        for op, each in ((op, each) for op, many in tried if op.weights for each in many):
            usual = each.usual
            depths = {usual.ofm_block.c, usual.ofm_ublock.c}
            for order in np.unique(each.is_part_kernel).tolist():
                used = replace(usual, is_part_kernel=order)
                blocks = (replace(used, ofm_block=used.ofm_block._replace(c=c)) for c in depths)
                streams.setdefault((op.id, order), [(op, block) for block in blocks])
        sizes = iter(self.stream_bytes([each for many in streams.values() for each in many]))
        self._known = {key: min(itertools.islice(sizes, len(m))) for key, m in streams.items()}

    def _weight_bytes(self, op: NpuOp, tried: _Tried) -> float:
        """Of the weights alone, by the order in which blocks take them."""
        if op.weights is None:
            return 0.0
        is_part, cores = tried.is_part_kernel, self.model.target.accelerator.cores
        scales = scale_bytes(self.model.target.accelerator, op.ofm.touched.c)
        sizes = np.zeros(is_part.size)
        for order in np.unique(is_part).tolist():
            weights = self._known[op.id, order] - scales
            sizes[is_part == order] = _LEAST_SHARE * weights - _ALIGNED_BYTES * cores
        return cast("float", np.maximum(sizes, 0.0))

    def _at_once(self, op: NpuOp, work: Work, weight_bytes: float) -> Way:
        (rows,) = stripes_of(op, op.ofm.touched.h)
        channels = range(op.ofm.touched.c)
        work = part_of(op, work, rows.end - rows.first, rows_read(op, rows), channels)
        rates = self.model.rates
        moved = operation_moves(rates, work, accesses(rates.accelerator, work), weight_bytes)
        own = cycles_in_blocks(rates, work) + rates.dispatch.operation_cycles
        return self._way(work, own, moved, weight_bytes)

    def _in_parts(self, op: NpuOp, work: Work, weight_bytes: float) -> Way:
        rows = {
            row
            for step in stripes_of(op, 1)
            for row in range(step.reads_first, step.reads_end, abs(op.ifm.step_h))
        }
        channels = range(op.ofm.touched.c)
        work = part_of(op, work, op.ofm.touched.h, len(rows), channels)
        rates = self.model.rates
        moved = operation_moves(
            rates, work, accesses_of_parts(rates.accelerator, work), weight_bytes
        )
        own = cycles_in_parts(rates, work) + 2 * rates.dispatch.operation_cycles
        return self._way(work, own, moved, weight_bytes)

    def _way(self, work: Work, own: float, moved: Sequence[Traffic], weight_bytes: float) -> Way:
        rates, target = self.model.rates, self.model.target
        busy = {area: rounded_up(cycles) for area, cycles in busy_cycles(rates, moved).items()}
        engine = own
        for cycles in busy.values():
            engine = most(engine, cycles)
        port = busy.get(target.permanent.area, 0.0)
        if work.constants is not None and work.constants is not target.permanent.area:
            port = port + self._brought(work, weight_bytes)
        answers = max([0, *self._latencies(moved)])
        count = np.size(work.block.ofm_block.h)
        return Way(
            np.broadcast_to(np.asarray(engine, float), count),
            np.broadcast_to(np.asarray(port, float), count),
            float(answers),
        )

    def _brought(self, work: Work, weight_bytes: float) -> float:
        """In which weights come to a buffer, in whatever slices."""
        rates = self.model.rates
        source = rates.areas[self.model.target.permanent.area]
        record = rates.accelerator.family.weights.record.size_bytes
        size = weight_bytes + work.ofm.shape.c * record
        # Of each transfer, less than a cycle is rounded down.
        begins = source.read_latency_cycles + rates.dispatch.transfer_cycles - 1
        return source.cycles(size, 0) + begins

    def _table_cycles(self, op: NpuOp) -> float:
        """In which its table comes, where no other operator may have brought it."""
        rates, table = self.model.rates, _table(op)
        if table is None or self._tables[table.digest] > 1:
            return 0.0
        size = round_up(table.size_bytes, ALIGNMENT_BYTES)
        cycles = rates.table_cycles(self.model.target.permanent.area, size)
        return cycles + rates.dispatch.transfer_cycles

    def copied_constants(self) -> float:
        """In which constants are copied to other memory; nothing else runs meanwhile."""
        return sum(self._copy_cycles(op) for op in self.graph.ops if moves_constant(self.graph, op))

    def _copy_cycles(self, op: NpuOp) -> int:
        rates, target = self.model.rates, self.model.target
        bits = self.graph.fm(op.ofm).dtype.bits
        size = round_up(op.ofm.touched.elements * bits // 8, ALIGNMENT_BYTES)
        goals = (target.fast.area, target.arena.area)
        cycles = min(rates.copy_cycles(target.permanent.area, goal, size) for goal in goals)
        return cycles + rates.dispatch.transfer_cycles

    def _latencies(self, moved: Sequence[Traffic]) -> Iterator[int]:
        for part in moved:
            latency = self.model.rates.areas[part.area].read_latency_cycles
            is_read = part.direction is Direction.READ and np.min(part.busy_bytes) > 0
            if is_read and latency > HIDDEN_LATENCY:
                yield latency


def _table(op: NpuOp) -> ConstData | None:
    return None if op.activation is None else op.activation.table


def _least(way: Way) -> Floats:
    """Of the blocks of a way, those in which no other takes less of either."""
    order = np.lexsort((way.port, way.engine))
    engine, port = way.engine[order], way.port[order]
    least = np.minimum.accumulate(port)
    is_kept = np.concatenate(([True], port[1:] < least[:-1]))
    answers = np.full(int(is_kept.sum()), way.answers)
    return np.stack((engine[is_kept], port[is_kept], answers), axis=1)
