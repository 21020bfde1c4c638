"""Small graphs with branches, and every schedule of them, one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from core.base.frozen import replace
from core.base.geometry import Kernel, Shape4
from core.base.ids import FmId
from core.cost.rates import Rates
from core.ir.decisions import Streaming
from core.ir.freedoms import ALL
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.options import ParetoWeights
from core.schedule.draft import CascadeDraft, Draft, OpDraft, Ring, WeightDraft, snapshot
from core.schedule.estimates import stripe_of
from core.schedule.pareto.islands import without_overlap
from core.schedule.pareto.pricing import Pricing
from core.schedule.pareto.strategies import (
    ALONE,
    FIRST,
    LAST,
    MIDDLE,
    NodeStrategies,
    Questions,
    Role,
    Way,
    strategies_of,
)
from core.schedule.pareto.weighing import Weighing
from core.schedule.problem import IslandProblem, Node
from core.schedule.spans import Spans, spans_of
from core.target.block import BlockConfig
from core.target.format import Format
from core.target.target import Target
from tests.core.schedule.sketch import DEDICATED, NEAR, SHARED, Bench, Sketch, bench


class Layer(NamedTuple):
    """An operator of a small graph, and how far back it reads."""

    kind: OpKind
    kernel: int
    stride: int
    channels: int
    back: int
    """0 reads what was made last, 1 what was made before that, and so on."""


class Small(NamedTuple):
    """A small graph on a target."""

    layers: tuple[Layer, ...]
    target: Target
    counts_maps: bool
    """Whether maps are taken to move to fast storage, where they live elsewhere."""
    overlap: bool
    cascading: bool
    ifm_streaming: bool


_KINDS = (
    OpKind.CONV_2D,
    OpKind.CONV_2D,
    OpKind.DEPTHWISE_CONV_2D,
    OpKind.MAX_POOL,
    OpKind.ABS,
    OpKind.ADD,
)
LAYERS = st.builds(
    Layer,
    kind=st.sampled_from(_KINDS),
    kernel=st.sampled_from((1, 3)),
    stride=st.sampled_from((1, 1, 1, 2)),
    channels=st.sampled_from((16, 24, 40)),
    back=st.sampled_from((0, 0, 0, 0, 1, 2)),
)
MOSTLY = st.sampled_from((True, True, True, False))


def smalls(least: int, most: int, targets: Sequence[Target]) -> st.SearchStrategy[Small]:
    return st.builds(
        Small,
        layers=st.lists(LAYERS, min_size=least, max_size=most).map(tuple),
        target=st.sampled_from(targets),
        counts_maps=st.booleans(),
        overlap=MOSTLY,
        cascading=MOSTLY,
        ifm_streaming=MOSTLY,
    )


WITH_BUFFERS = smalls(1, 4, (SHARED, DEDICATED))
"""Weights are far away, so that there are up to three ways to bring them."""
WITHOUT_BUFFERS = smalls(5, 6, (NEAR,))


def graph_of(layers: Sequence[Layer]) -> NpuGraph:
    s = Sketch()
    made = [s.input((1, 24, 8, 16))]
    for layer in layers:
        given = made[-1 - min(layer.back, len(made) - 1)]
        made.append(_add_layer(s, made, given, layer))
    read = {view.fm for op in s.ops for view in op.views[:-1]}
    return s.build(*(fm for fm in made[1:] if fm not in read))


def _add_layer(s: Sketch, made: Sequence[FmId], given: FmId, layer: Layer) -> FmId:
    if layer.kind is OpKind.ABS:
        return s.alone(given)
    if layer.kind is OpKind.ADD:
        shape = s.maps[given].shape
        others = [fm for fm in made if s.maps[fm].shape == shape and fm != given]
        return s.add(given, others[0]) if others else s.alone(given)
    if layer.kind is OpKind.MAX_POOL:
        return s.conv(given, None, Kernel(h=2, w=2, stride_h=layer.stride), layer.kind)
    kernel = Kernel(h=layer.kernel, w=layer.kernel, stride_h=layer.stride, stride_w=layer.stride)
    channels = layer.channels if layer.kind is OpKind.CONV_2D else None
    return s.conv(given, channels, kernel, layer.kind)


class Ground(NamedTuple):
    """What both the search and the enumeration stand on."""

    small: Small
    found: Bench
    problem: IslandProblem
    pricing: Pricing
    fast: frozenset[FmId]
    """Maps that are counted beside those in rolling buffers."""

    def blocks(self, node: Node) -> Sequence[BlockConfig]:
        """The block for the whole output, and one for very low stripes."""
        estimates = self.found.estimates
        height = min(2, node.ofm.shape.h)
        found = (estimates.whole(node).block, estimates.stripe(node, height).block)
        return tuple(dict.fromkeys(found))

    def has_far_weights(self, node: Node) -> bool:
        return node.op.weights is not None and self.small.target.has_far_constants

    def strategies(self) -> tuple[NodeStrategies, ...]:
        questions = Questions(
            sizes=self.found.estimates.stream,
            price=self.pricing.price,
            blocks=lambda node, _: self.blocks(node),
            has_far_weights=self.has_far_weights,
            cascading=self.small.cascading,
            ifm_streaming=self.small.ifm_streaming,
        )
        return tuple(strategies_of(self.problem.nodes, questions))

    def spans(self) -> Spans:
        return spans_of(self.problem, self.fast)


def ground(small: Small) -> Ground:
    # In bricks, in which maps of 24 channels take more than their rows would.
    found = bench(graph_of(small.layers), small.target, replace(ALL, formats_by_cost=False))
    problem = found.problem if small.overlap else without_overlap(found.problem)
    if small.target.is_spilling:
        fast = problem.movable if small.counts_maps else frozenset()
    else:
        fast = frozenset(fm for node in problem.nodes for fm in node.maps)
    pricing = Pricing(
        estimates=found.estimates,
        defaults=found.prepared.stored.defaults,
        weighing=Weighing.of(Rates.of(small.target), ParetoWeights()),
        problem=problem,
        resident=fast,
    )
    return Ground(small, found, problem, pricing, fast)


class Whole(NamedTuple):
    """A complete schedule: its cost, and the peak that a snapshot shows."""

    cost: float
    peak_bytes: int


def every_schedule(at: Ground) -> Iterator[Whole]:
    """All ways to cut the operators into neighbours, and to run each part."""
    count = len(at.problem.nodes)
    for cuts in itertools.product((False, True), repeat=count - 1):
        starts = [0, *(place + 1 for place, is_cut in enumerate(cuts) if is_cut)]
        parts = [range(a, b) for a, b in zip(starts, [*starts[1:], count], strict=True)]
        ways = [list(_ways(at, part)) for part in parts]
        for combination in itertools.product(*ways):
            yield _whole(at, parts, combination)


PricedWays = tuple[tuple[Way, ...], tuple[float, ...]]


def _ways(at: Ground, part: range) -> Iterator[PricedWays]:
    nodes = [at.problem.nodes[index] for index in part]
    if len(nodes) == 1:
        for choice in _alone(at, nodes[0]):
            yield (choice,), (at.pricing.price(nodes[0], choice, ALONE),)
        return
    if not (at.small.cascading and at.small.ifm_streaming):
        return
    if not all(_hands_rows(*pair) for pair in itertools.pairwise(nodes)):
        return
    roles: list[Role] = [FIRST, *[MIDDLE] * (len(nodes) - 2), LAST]
    for choices in itertools.product(*(list(_striped(at, node)) for node in nodes)):
        if _packs(nodes, choices):
            prices = (
                at.pricing.price(node, choice, role)
                for node, choice, role in zip(nodes, choices, roles, strict=True)
            )
            yield choices, tuple(prices)


def _hands_rows(node: Node, reader: Node) -> bool:
    return (
        node.can_stripe
        and reader.can_stripe
        and node.readers == (reader.index,)
        and reader.ifm.fm == node.ofm.fm
        and reader.ifm.shape == node.ofm.shape
        and not node.needs_whole_ofm
        and not reader.needs_whole_ifm
    )


def _alone(at: Ground, node: Node) -> Iterator[Way]:
    for block in at.blocks(node):
        if node.op.weights is None:
            yield Way(block, Streaming.NOTHING)
            continue
        depth = node.op.weights.values.shape[0]
        yield _choice(at, node, block, Streaming.NOTHING, (0, depth))
        if at.has_far_weights(node):
            deep = -(-block.ofm_block.c // 16) * 16
            cuts = (*range(0, depth, deep), depth)
            yield _choice(at, node, block, Streaming.WEIGHTS, cuts)
            if at.small.ifm_streaming:
                yield _choice(at, node, block, Streaming.FEATURE_MAP, (0, depth))


def _striped(at: Ground, node: Node) -> Iterator[Way]:
    for block in at.blocks(node):
        if node.op.weights is None:
            yield Way(block, Streaming.FEATURE_MAP)
            continue
        depth = node.op.weights.values.shape[0]
        yield _choice(at, node, block, Streaming.NOTHING, (0, depth))
        if at.has_far_weights(node):
            yield _choice(at, node, block, Streaming.FEATURE_MAP, (0, depth))


def _choice(
    at: Ground, node: Node, block: BlockConfig, streaming: Streaming, cuts: tuple[int, ...]
) -> Way:
    return Way(block, streaming, cuts, at.found.estimates.stream(node, block, cuts))


def _packs(nodes: Sequence[Node], choices: Sequence[Way]) -> bool:
    """Stripes are lower than maps; no buffer can be higher than the map that passes through it."""
    for place, (node, choice) in enumerate(zip(nodes, choices, strict=True)):
        height = choice.block.ofm_block.h
        if height >= node.ofm.shape.h:
            return False
        if place < len(nodes) - 1 and 2 * height > node.ofm.shape.h:
            return False
        if place and 2 * stripe_of(node, height).ifm.h > node.ifm.shape.h:
            return False
    return True


def _whole(at: Ground, parts: Sequence[range], ways: Sequence[PricedWays]) -> Whole:
    draft = Draft(ops={})
    cost = 0.0
    for part, (choices, prices) in zip(parts, ways, strict=True):
        last = part[-1] if len(part) > 1 else None
        for index, choice, price in zip(part, choices, prices, strict=True):
            cost += price
            draft.ops[index] = _op(at, at.problem.nodes[index], choice, last)
        if last is not None:
            draft.cascades[last] = _cascade(at, part, choices)
    rolling = {
        at.problem.nodes[index].ofm.fm
        for cascade in draft.cascades.values()
        for index in range(cascade.first, cascade.last)
    }
    now = snapshot(at.problem, draft, at.fast.difference(rolling))
    return Whole(cost, now.peak_bytes)


def _op(at: Ground, node: Node, choice: Way, cascade: int | None) -> OpDraft:
    height = node.ofm.shape.h if cascade is None else choice.block.ofm_block.h
    weights = None
    if choice.stream is not None:
        first, second = choice.stream.pair_bytes
        is_kept = choice.streaming is not Streaming.NOTHING
        buffers = () if not is_kept else (first, second) if second else (first,)
        weights = WeightDraft(choice.stream, choice.slices, buffers)
    return OpDraft(at.found.estimates.blocked(node, height, choice.block), weights, cascade)


def _cascade(at: Ground, part: range, choices: Sequence[Way]) -> CascadeDraft:
    nodes = [at.problem.nodes[index] for index in part]
    shapes = []
    for place in range(len(nodes) - 1):
        made = choices[place].block.ofm_block.h
        read = stripe_of(nodes[place + 1], choices[place + 1].block.ofm_block.h).ifm.h
        full, order = nodes[place].ofm.shape, nodes[place].ofm.format
        depth = -(-full.c // 16) * 16 if order is Format.BRICKS else full.c
        shape = Shape4(1, made + read - 1, full.w, depth)
        shapes.append(Ring(nodes[place].ofm.fm, shape))
    return CascadeDraft(first=part[0], last=part[-1], rolling=tuple(shapes), size_bytes=0)
