"""Values that an edit can ask for, as far as the hardware decides; what fits, a search decides."""

from __future__ import annotations

from itertools import count, takewhile

from core.base.frozen import Frozen
from core.base.geometry import Block, Resampling
from core.base.ids import FmId, NpuOpId
from core.base.memo import of_the_very
from core.cost.from_graph import block_query
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.ir.decisions import FormatReason, StripesImpossible, UnstripedReason
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.scheduled import Scheduled
from core.liveness.order import needs_of
from core.liveness.sizes import map_bytes
from core.schedule.formats import choose_formats
from core.schedule.pace import SLICE_MULTIPLE
from core.target.accelerator import Accelerator
from core.target.blocks import block_search
from core.target.format import Format

_PER_END = 12
"""So many of the largest and of the smallest blocks are offered."""
_GRAPHS_AT_HAND = 2
_BY_CHOICE = frozenset({FormatReason.NOTHING_AGAINST_BRICKS, FormatReason.LIES_ON_ROWS})
"""Neither demands rows."""


class FormatOffer(Frozen):
    """An order of elements that a map can be in."""

    format: Format
    size_bytes: int


class BlockOffer(Frozen):
    """A block that an operator can work in."""

    block: Block
    cycles: float
    """Of the operator in it, all else as it is scheduled; its weights are taken to be as large."""


def legal_formats(scheduled: Scheduled) -> tuple[tuple[FormatOffer, ...], ...]:
    """By feature map: the orders of elements that every operator which touches it can work with."""
    return _legal_formats(scheduled.graph, scheduled.run.accelerator)


@of_the_very(_GRAPHS_AT_HAND)
def _legal_formats(
    graph: NpuGraph, accelerator: Accelerator
) -> tuple[tuple[FormatOffer, ...], ...]:
    return tuple(
        tuple(
            FormatOffer(format=order, size_bytes=map_bytes(graph.feature_maps[rule.fm], order))
            for order in Format
            if order is Format.LINEAR or rule.reason in _BY_CHOICE
        )
        for rule in choose_formats(graph, accelerator)
    )


def kept_in_place(scheduled: Scheduled) -> frozenset[FmId]:
    """Maps that no edit brings into fast storage beside another memory: what passes into, out of or
    between command streams, and what is kept from one inference to the next."""
    graph = scheduled.graph
    if not scheduled.target.is_spilling:
        return frozenset()
    passing = {fm for island in graph.islands for fm in (*island.inputs, *island.outputs)}
    ops = [graph.ops[op] for island in graph.islands for op in island.ops]
    made = {op.ofm.fm for op in ops}
    read = {view.fm for op in ops for view in (op.ifm, op.ifm2) if view is not None}
    return frozenset(
        fm.id
        for fm in graph.feature_maps
        if fm.id in passing or fm.id not in made & read or fm.is_variable or fm.storage != fm.id
    )


def unstriped(scheduled: Scheduled) -> dict[NpuOpId, UnstripedReason]:
    """Operators that make their whole output at once, whatever is asked for; and why."""
    found = (each for each in scheduled.schedule.decisions if isinstance(each, StripesImpossible))
    return {each.op: each.reason for each in found}


def legal_heights(scheduled: Scheduled, op: NpuOpId) -> tuple[int, ...]:
    """Rows that a stripe of an operator can have, from the lowest to the whole output."""
    whole = scheduled.graph.ops[op].made.h
    if op in unstriped(scheduled):
        return (whole,)
    # A stripe that begins between the two rows of a pair could not be read.
    step = 2 if scheduled.graph.ops[op].resampling is Resampling.NEAREST else 1
    return tuple(dict.fromkeys((*range(step, whole, step), whole)))


def legal_blocks(scheduled: Scheduled, op: NpuOpId) -> tuple[BlockOffer, ...]:
    """Blocks for an operator as it is scheduled, from the fastest on: the usual one, some of the
    largest and some of the smallest."""
    plan, target = scheduled.schedule.ops[op], scheduled.target
    subject = scheduled.graph.ops[op]
    if subject.kind is OpKind.COPY:
        return ()
    prices = StripePrices(scheduled.graph, CostModel(target))
    query = block_query(scheduled.graph, subject, plan.stripe)
    search = block_search(target.accelerator)
    ends = search.blocks_at_both_ends(target.accelerator, query, _PER_END)
    cheapest: dict[Block, float] = {}
    for config in (plan.block, *ends):
        height, maps = plan.stripe.ofm.h, scheduled.schedule.maps.__getitem__
        cycles = prices.cycles(prices.key(subject, height, config, plan.weights, maps))
        known = cheapest.get(config.ofm_block)
        if known is None or cycles < known:
            cheapest[config.ofm_block] = cycles
    offers = (BlockOffer(block=block, cycles=cycles) for block, cycles in cheapest.items())
    return tuple(sorted(offers, key=lambda offer: (offer.cycles, offer.block)))


def legal_slices(scheduled: Scheduled, op: NpuOpId) -> tuple[tuple[int, ...], ...]:
    """Where equal slices of an operator's weights can begin and end, from the whole on."""
    weights = scheduled.graph.ops[op].weights
    if weights is None:
        return ()
    depth = weights.values.shape[0]
    steps = takewhile(lambda step: step < depth, (SLICE_MULTIPLE << at for at in count()))
    return ((0, depth), *((*range(0, depth, step), depth) for step in reversed(tuple(steps))))


def most_lead_steps(scheduled: Scheduled, op: NpuOpId) -> int:
    """How many operators ahead of one its weights can come at most: of all that run before it."""
    if scheduled.graph.ops[op].weights is None or not scheduled.target.has_far_constants:
        return 0
    orders = ([plan.op for plan in island.ops] for island in scheduled.schedule.islands)
    return next(order.index(op) for order in orders if op in order)


def free_of(scheduled: Scheduled, op: NpuOpId) -> frozenset[NpuOpId]:
    """Operators that can run before one and behind it, as neither needs the other."""
    island = next(island for island in scheduled.graph.islands if op in island.ops)
    ops, needs = island.ops, needs_of(scheduled.graph, island.ops)
    before, behind = {op}, {op}
    for each in ops:
        if not behind.isdisjoint(needs.of[each]):
            behind.add(each)
    for each in reversed(ops):
        if each in before:
            before.update(needs.of[each])
    return frozenset(ops) - before - behind


def kept_in_order(scheduled: Scheduled, first: NpuOpId, last: NpuOpId) -> tuple[NpuOpId, ...]:
    """Operators from one to another, each of which needs the one before it, so that the first never
    runs behind the last; none where the order of both is free."""
    for island in scheduled.graph.islands:
        if first in island.ops and last in island.ops:
            return needs_of(scheduled.graph, island.ops).path(first, last)
    return (first, last)
