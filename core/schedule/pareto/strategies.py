"""Strategies of an operator: what streams through fast storage, in which blocks, at what cost.

An operator runs alone, or as a part of a cascade in stripes as high as its block. Alone, its
weights pass through two buffers of a block's depth, are kept whole, or are read from where they are
stored; in a cascade, where every stripe needs all of them, they are kept or read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple, replace
from core.base.geometry import Resampling, ceil_div, round_up
from core.ir.decisions import Streaming
from core.ir.edits import WeightsAsked
from core.ir.fixed import NOTHING_FIXED, Fixed
from core.schedule.bonds import FREE, Bonds
from core.schedule.estimates import Estimates, Streams, StreamSizes, stripe_of
from core.schedule.links import links
from core.schedule.pace import SLICE_MULTIPLE
from core.schedule.pareto.front import pareto
from core.schedule.problem import Node
from core.target.block import BlockConfig
from core.target.format import ALIGNMENT_BYTES

Floats = npt.NDArray[np.float64]

_UNEVENNESS = 1.05
"""Slices compress unlike each other; a guess that is a little too high seldom breaks a limit."""


class Way(NamedTuple):
    """One way to run an operator."""

    block: BlockConfig
    streaming: Streaming
    slices: tuple[int, ...] = ()
    """Channels at which depth slices begin, and the end; empty without weights."""
    stream: StreamSizes | None = None
    height: int = 0
    """Rows that it makes at once in a cascade, where that is given; else those of the block."""
    buffer_count: int | None = None
    """How many buffers it has, where that is given."""

    @property
    def rows(self) -> int:
        """Rows that it makes at once in a cascade."""
        return self.height or self.block.ofm_block.h

    @property
    def buffers(self) -> tuple[int, ...]:
        """Sizes of its weight buffers."""
        if self.stream is None or self.streaming is Streaming.NOTHING:
            return ()
        if self.buffer_count == 1:
            return (max(self.stream.pair_bytes),)
        return tuple(size for size in self.stream.pair_bytes if size)


class Role(NamedTuple):
    """Which maps of an operator pass through rolling buffers."""

    reads_rolling: bool = False
    makes_rolling: bool = False


ALONE = Role()
FIRST = Role(makes_rolling=True)
MIDDLE = Role(reads_rolling=True, makes_rolling=True)
LAST = Role(reads_rolling=True)

Price = Callable[[Node, Way, Role], float]
"""What a way costs in a role."""


class Strategies(Frozen):
    """Ways of a node in one role, and what the search has to know of each, in columns."""

    ways: tuple[Way, ...]
    costs: Floats
    buffer_bytes: Floats
    heights: Floats
    """Rows that it makes at once; 0 where that does not matter."""
    reads: Floats
    """Rows of its input that it reads at once."""

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.ways)


class NodeStrategies(Frozen):
    """All strategies of a node; those of roles that it cannot have are empty."""

    alone: Strategies
    first: Strategies
    middle: Strategies
    last: Strategies


class Questions(Frozen):
    """What strategies are made of."""

    sizes: Streams
    price: Price
    blocks: Callable[[Node, bool], Sequence[BlockConfig]]
    """Blocks of a node, and whether it can run in stripes."""
    has_far_weights: Callable[[Node], bool]
    """Whether bringing its weights to fast storage can pay."""
    cascading: bool
    ifm_streaming: bool
    fixed: Fixed = NOTHING_FIXED
    bonds: Bonds = FREE


def strategies_of(nodes: Sequence[Node], questions: Questions) -> Iterator[NodeStrategies]:
    """The strategies of each node, in their order."""
    bonds, may_link = questions.bonds, questions.cascading and questions.ifm_streaming
    can_link = [
        links(one, other)
        and other.index not in bonds.cuts
        and (may_link or bonds.are_one(one.index, other.index))
        for one, other in pairwise(nodes)
    ]
    for node in nodes:
        after = can_link[node.index] if node.index < len(can_link) else False
        before = can_link[node.index - 1] if node.index else False
        reader = nodes[node.index + 1] if after else None
        yield _of_node(node, reader, questions, reads_rolling=before)


def _of_node(
    node: Node, reader: Node | None, questions: Questions, *, reads_rolling: bool
) -> NodeStrategies:
    is_striped = reads_rolling or reader is not None
    blocks = questions.blocks(node, is_striped)
    ways = _Ways(
        alone=[way for block in blocks for way in _alone(node, block, questions)],
        makers=[],
        readers=[],
    )
    if is_striped:
        linked = [way for block in blocks for way in _linked(node, block, questions)]
        ways = replace(
            ways,
            makers=[way for way in linked if _hands_on(node, reader, way)],
            readers=_able(node, linked) if reads_rolling else [],
        )
    ways = _bound(node, ways, questions)
    middle = [way for way in ways.makers if way in ways.readers]
    first = [] if _follows(node, questions.bonds) else ways.makers
    last = ways.readers if questions.bonds.may_end(node.index) else []
    return NodeStrategies(
        alone=_best(node, ways.alone, ALONE, questions.price),
        first=_best(node, first, FIRST, questions.price),
        middle=_best(node, middle, MIDDLE, questions.price),
        last=_best(node, last, LAST, questions.price),
    )


class _Ways(Frozen):
    """Ways of a node, by what it can be with them."""

    alone: list[Way]
    makers: list[Way]
    """It hands rows on."""
    readers: list[Way]
    """It is handed rows."""


def _follows(node: Node, bonds: Bonds) -> bool:
    """Whether a node must be in one cascade with the one before."""
    return bonds.are_one(node.index, node.index - 1)


def _bound(node: Node, ways: _Ways, questions: Questions) -> _Ways:
    """Those of the ways that a chain leaves, in the lowest stripes where there is none."""
    if node.index not in questions.bonds.chains:
        return ways
    least = 2 if node.needs_even_rows else 1
    rows = questions.fixed.height_of.get(node.op.id, least)
    low = [
        way
        for block in questions.blocks(node, rows > 0)
        for way in _kept(node, block, questions, min(rows, node.most_rows))
    ]
    touched = {node.ifm.fm, node.ofm.fm}
    # The fewer rows are made at once, the fewer a buffer needs, of which the rows are given.
    is_given = node.op.id in questions.fixed.height_of or not touched.isdisjoint(
        questions.fixed.rolling_of
    )
    goes_on, follows = not questions.bonds.may_end(node.index), _follows(node, questions.bonds)
    makers, readers = ways.makers, ways.readers
    if goes_on or makers:
        makers = low if is_given else makers or low
    if follows or readers:
        readers = low if is_given else readers or low
    if goes_on and follows and not any(way in readers for way in makers):
        makers = readers = low
    return _Ways(alone=[], makers=makers, readers=readers)


def _alone(node: Node, block: BlockConfig, questions: Questions) -> Iterator[Way]:
    weights = node.op.weights
    if weights is None:
        yield Way(block, Streaming.NOTHING)
        return
    if node.op.id in questions.fixed.weights_of:
        yield from _asked(node, block, questions)
        return
    depth = weights.values.shape[0]
    whole = (0, depth)
    yield Way(block, Streaming.NOTHING, whole, questions.sizes(node, block, whole))
    if not questions.has_far_weights(node):
        return
    step = round_up(block.ofm_block.c, SLICE_MULTIPLE)
    slices = (*range(0, depth, step), depth)
    yield Way(block, Streaming.WEIGHTS, slices, questions.sizes(node, block, slices))
    if questions.ifm_streaming and len(slices) > 2:
        yield Way(block, Streaming.FEATURE_MAP, whole, questions.sizes(node, block, whole))


def _linked(node: Node, block: BlockConfig, questions: Questions) -> Iterator[Way]:
    """As a part of a cascade: in stripes lower than the map, and even where it doubles rows."""
    height = block.ofm_block.h
    is_even = node.op.resampling is Resampling.NONE or height % 2 == 0
    if height < node.ofm.shape.h and is_even:
        yield from _kept(node, block, questions, 0)


def _kept(node: Node, block: BlockConfig, questions: Questions, height: int) -> Iterator[Way]:
    """As a part of a cascade in such stripes; all weights are kept, or read as they are used."""
    if node.op.weights is None:
        yield Way(block, Streaming.FEATURE_MAP, height=height)
        return
    whole = (0, node.op.weights.values.shape[0])
    stream = questions.sizes(node, block, whole)
    asked = questions.fixed.weights_of.get(node.op.id, WeightsAsked())
    if not asked.buffers:
        yield Way(block, Streaming.NOTHING, whole, stream, height)
    if asked.buffers or (asked.buffers is None and questions.has_far_weights(node)):
        yield Way(block, Streaming.FEATURE_MAP, whole, stream, height)


def _asked(node: Node, block: BlockConfig, questions: Questions) -> Iterator[Way]:
    """Alone, with weights as they are asked for."""
    assert node.op.weights is not None
    asked, depth = questions.fixed.weights_of[node.op.id], node.op.weights.values.shape[0]
    step = round_up(block.ofm_block.c, SLICE_MULTIPLE)
    every = {(0, depth), (*range(0, depth, step), depth), (*range(0, depth, SLICE_MULTIPLE), depth)}
    counts: tuple[int, ...] = (0, 1, 2) if questions.has_far_weights(node) else (0,)
    if asked.is_early:
        counts = (1, 2)
    for slices in sorted(every) if asked.depths is None else (asked.depths,):
        stream = questions.sizes(node, block, slices)
        is_cut = len(slices) > 2
        for count in counts if asked.buffers is None else (asked.buffers,):
            passing = Streaming.WEIGHTS if is_cut else Streaming.FEATURE_MAP
            streaming = passing if count else Streaming.NOTHING
            if count < 2 or is_cut:
                yield Way(block, streaming, slices, stream, 0, count)


def _hands_on(node: Node, reader: Node | None, way: Way) -> bool:
    """Whether its stripes leave room for what the next one reads of a map that is not whole."""
    height = way.block.ofm_block.h
    if reader is None or 2 * height > node.ofm.shape.h:
        return False
    return reader.op.resampling is Resampling.NONE or height % 2 == 0


def _able(node: Node, ways: Sequence[Way]) -> list[Way]:
    """Those that read no more than half of the map: a buffer is then never higher than the map."""
    most = node.ifm.shape.h // 2
    return [each for each in ways if rows_read(node, each) <= most]


def rows_read(node: Node, way: Way) -> int:
    """Rows of the input that a stripe as high as the block needs."""
    return stripe_of(node, way.rows).ifm.h


def _best(node: Node, ways: Sequence[Way], role: Role, price: Price) -> Strategies:
    """The ways that no other one is better than in every respect."""
    is_alone = role == ALONE
    table = np.array(
        [
            (
                price(node, way, role),
                sum(way.buffers),
                way.rows if role.makes_rolling else 0,
                0 if is_alone or not role.reads_rolling else rows_read(node, way),
            )
            for way in ways
        ],
        dtype=np.float64,
    ).reshape(len(ways), 4)
    kept = pareto(table)
    return Strategies(
        ways=tuple(ways[at] for at in kept),
        costs=table[kept, 0],
        buffer_bytes=table[kept, 1],
        heights=table[kept, 2],
        reads=table[kept, 3],
    )


def guessed_sizes(estimates: Estimates) -> Streams:
    """Sizes without an encoding for each block and slicing: shares of one stream."""

    scale_bytes = estimates.model.target.accelerator.family.weights.record.size_bytes

    def sizes(node: Node, block: BlockConfig, slices: tuple[int, ...]) -> StreamSizes:
        del block
        depth = slices[-1]
        whole = estimates.stream(node, estimates.whole(node).block, (0, depth))
        if len(slices) == 2:
            return whole
        weights = max(whole.stream_bytes - scale_bytes * depth, 0) * _UNEVENNESS
        return StreamSizes(
            "",
            tuple(
                round_up(ceil_div(int(weights * (end - start)), depth), ALIGNMENT_BYTES)
                + round_up(scale_bytes * (end - start), ALIGNMENT_BYTES)
                for start, end in pairwise(slices)
            ),
        )

    return sizes
