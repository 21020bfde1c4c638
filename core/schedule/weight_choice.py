"""How weights reach one operator: sliced, whole, or directly, whichever way costs least."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.errors import InternalError
from core.base.frozen import Frozen, replace
from core.base.geometry import ceil_div, round_up
from core.base.ids import NpuOpId
from core.cost.blocks import BlockPrice
from core.cost.from_graph import block_query
from core.ir.decisions import Buffering, WeightsReason
from core.ir.edits import WeightsAsked
from core.schedule.candidates import direct_weights
from core.schedule.draft import OpDraft, WeightDraft
from core.schedule.estimates import (
    Estimates,
    Foreseen,
    GuessedStreams,
    Streams,
    StreamSizes,
    StripeCost,
    Wanted,
    guessed,
)
from core.schedule.pace import SLICE_MULTIPLE, Pace
from core.schedule.problem import Node
from core.schedule.reach import Reach
from core.schedule.weight_ways import busy_cycles, cycles_with
from core.target.block import BlockConfig
from core.target.blocks import block_search
from core.target.unit import Unit

SMALLEST_BUFFER_BYTES = 2 * SLICE_MULTIPLE
"""Scales and weights of a slice are aligned to 16 bytes each."""


_DOUBLE = 2


class Slack(Frozen, kw_only=False):
    """What the operator before leaves: cycles under which DMA can run, and free memory."""

    cycles: int = 0
    size_bytes: int = 0


def near_reason(has_far_weights: bool) -> WeightsReason:  # noqa: FBT001 - one fact, named by the call
    """Why nobody thinks of a buffer for some weights."""
    return WeightsReason.USED_ONCE if has_far_weights else WeightsReason.NEAR


class _Question(Frozen, kw_only=False):
    node: Node
    plan: OpDraft
    slack_cycles: int
    """What the operator before leaves."""
    beside: Reach
    """Memory that is free while the operator before runs."""
    room: Reach
    """For buffers."""
    streams: Streams
    wanted_cycles: int | None
    """How long the next operator's weights could arrive meanwhile, if somebody looks ahead."""
    foreseen: Foreseen | None
    """Blocks for weights that come in the other way, most of which will be asked for."""

    @property
    def was_buffered(self) -> bool:
        """Whether there was a buffer before the search for stripes."""
        return self.plan.weights is not None and bool(self.plan.weights.buffers)

    @property
    def place(self) -> tuple[bool, bool]:
        """Whether it is asked inside a cascade, and of weights that have had a buffer there."""
        in_cascade = self.plan.cascade is not None
        return in_cascade, in_cascade and self.was_buffered


class _Answer(Frozen, kw_only=False):
    weights: WeightDraft
    slack_cycles: int
    reason: WeightsReason
    used_bytes: int = 0
    """What is taken of the room while the last slice is used."""
    cost: StripeCost | None = None
    """The operator in another block, which suits this way better."""
    tried: tuple[tuple[Buffering, float], ...] = ()
    """Ways that were compared, with what the operator costs."""


class Asker(Frozen, kw_only=False):
    """Who asks how the weights of operators reach them."""

    estimates: Estimates
    guesses: GuessedStreams | None = None
    """In place of streams that nobody has encoded yet."""
    foreseen: Foreseen | None = None
    """Blocks for weights that come in the other way."""

    def answer(
        self, node: Node, plan: OpDraft, slack: Slack, limit_bytes: int, wanted_cycles: int | None
    ) -> _Answer:
        """The best way for an operator; most are the same with more memory or with less."""
        estimates, guesses = self.estimates, self.guesses
        streams = estimates.stream if guesses is None else guesses.stream
        beside, room = Reach(slack.size_bytes), Reach(limit_bytes)
        question = _Question(
            node, plan, slack.cycles, beside, room, streams, wanted_cycles, self.foreseen
        )
        asked = estimates.fixed.weights_of.get(node.op.id)
        place = estimates.known_by(node, plan.cost), question.place
        key = *place, slack.cycles, wanted_cycles, asked
        known: tuple[NpuOpId, _Answer] | None = estimates.ways.find(key, beside, room)
        if known is not None:
            of, answer = known
            return answer if of == node.op.id else _with_own_stream(answer, node, plan, streams)
        guessed = 0 if guesses is None else len(guesses.demands)
        if asked is not None:
            answer = _as_asked(estimates, question, _usual(estimates, question), asked)
        elif compares_ways(estimates):
            answer = _fastest(estimates, question)
        else:
            answer = _usual(estimates, question)
        if guesses is None or len(guesses.demands) == guessed:
            estimates.ways.keep(key, (node.op.id, answer), beside, room)
        return answer


def _with_own_stream(answer: _Answer, node: Node, plan: OpDraft, streams: Streams) -> _Answer:
    """The answer for a twin, whose stream is as long but has other scales."""
    weights, block = answer.weights, (answer.cost or plan.cost).block
    stream = streams(node, block, weights.depth_slices)
    return replace(answer, weights=replace(weights, stream=stream))


def compares_ways(estimates: Estimates) -> bool:
    """Whether weights come in the way that costs least, and not in the usual one."""
    return estimates.model.target.has_far_constants and estimates.options.freedoms.direct_weights


def _usual(estimates: Estimates, question: _Question) -> _Answer:
    """As the place of the operator asks for it: through buffers wherever there is room."""
    is_far = estimates.model.target.has_far_constants
    if not is_far or question.node.op.kind.unit is Unit.VECTOR_PRODUCT:
        return _direct(estimates, question, near_reason(is_far))
    if question.plan.cascade is not None:
        return _kept_whole(estimates, question)
    return _sliced(estimates, question)


def _fastest(estimates: Estimates, question: _Question) -> _Answer:
    """The way in which the operator costs least: the usual one, in slices, whole, or directly.

    They are compared by the sizes that streams are guessed to have, and that of the one that is
    taken is asked for: to encode what is not taken would take most of the time.
    """
    guessing = replace(question, streams=_guesses(question))
    ways = list(_ways(estimates, guessing))
    usual = ways[0]
    prices = [_cycles(estimates, question, way) for way in ways]
    losses = [
        price - min(_left(estimates, question, way, price), question.wanted_cycles or 0)
        for price, way in zip(prices, ways, strict=True)
    ]
    found = dict(zip((way.weights.buffering for way in ways), prices, strict=True))
    for place in sorted(range(len(ways)), key=losses.__getitem__):
        chosen = _encoded(estimates, question, ways[place])
        if chosen is None:
            continue
        if ways[place].weights != usual.weights or chosen.cost is not None:
            chosen = replace(chosen, reason=WeightsReason.FASTEST)
        cycles = _cycles(estimates, question, chosen)
        found[chosen.weights.buffering] = cycles
        left = int(_left(estimates, question, chosen, cycles))
        return replace(chosen, slack_cycles=left, tried=tuple(found.items()))
    raise InternalError(f"'{question.node.op.name}': its weights cannot even be read directly")


def _ways(estimates: Estimates, question: _Question) -> Iterator[_Answer]:
    """All ways that are compared, the usual one first."""
    usual = _usual(estimates, question)
    direct = _direct(estimates, question, WeightsReason.FASTEST)
    yield usual
    if question.plan.cascade is None:
        yield _sliced(estimates, question)
        yield direct
        yield _buffered(question, direct)
        is_exposed = usual.weights.transfer_cycles > question.plan.cost.cycles
        is_product = question.node.op.kind.unit is Unit.VECTOR_PRODUCT
        if is_exposed and (is_product or question.wanted_cycles is not None):
            # Nothing hides the transfer, and how soon the last slice is used up counts.
            yield _sliced(estimates, question, is_finer=True)
            yield from _in_other_blocks(estimates, question, direct)
    else:
        yield direct
    if estimates.options.freedoms.blocks_by_cost:
        yield from _the_other_way(estimates, question)


def _guesses(question: _Question) -> Streams:
    """Streams as long as the whole one of the same order, of which each channel has its share.

    How deep blocks are changes that by less than a hundredth: of 589 streams of real networks, none
    differed by more than 4 in 1,000 from that of another depth.
    """
    own = question.plan.cost.block

    def stream(node: Node, block: BlockConfig, slices: tuple[int, ...]) -> StreamSizes:
        whole = 0, slices[-1]
        basis = own if block.is_part_kernel is own.is_part_kernel else block
        known = question.streams(node, basis, whole)
        is_known = slices == whole and block.ofm_block.c == basis.ofm_block.c
        return known if is_known else guessed(known.stream_bytes, slices)

    return stream


def _encoded(estimates: Estimates, question: _Question, way: _Answer) -> _Answer | None:
    """A way with the sizes that its stream has; nothing where these have no room."""
    block = (way.cost or question.plan.cost).block
    stream = question.streams(question.node, block, way.weights.depth_slices)
    if stream == way.weights.stream:
        return way
    weights = replace(way.weights, stream=stream)
    if not weights.buffers:
        cycles = transfer_cycles(estimates, weights)
        return replace(way, weights=replace(weights, transfer_cycles=cycles))
    found = _buffered(question, replace(way, weights=replace(weights, buffers=())))
    return found if len(found.weights.buffers) == len(weights.buffers) else None


def _as_asked(
    estimates: Estimates, question: _Question, usual: _Answer, asked: WeightsAsked
) -> _Answer:
    """The cheapest of the ways that are as asked and have room, or of all where none has."""
    if not estimates.model.target.has_far_constants:
        return usual
    ways = [_made(question, way, asked) for way in _starts(estimates, question, usual, asked)]
    fitting = [way for way in ways if question.room.holds(sum(way.weights.buffers))]
    best = min(fitting or ways, key=lambda way: _cycles(estimates, question, way))
    return replace(best, reason=WeightsReason.ASKED)


def _starts(
    estimates: Estimates, question: _Question, usual: _Answer, asked: WeightsAsked
) -> Iterator[_Answer]:
    """Ways whose slices may be as asked."""
    node, cost, depth = question.node, question.plan.cost, usual.weights.depth_slices[-1]
    whole = _direct(estimates, question, WeightsReason.ASKED)
    found: set[tuple[int, ...]] = {(0, depth)}
    if question.plan.cascade is None and asked.depths is not None:
        found = {asked.depths}
    elif question.plan.cascade is None and asked.buffers != 0:
        step = round_up(cost.block.ofm_block.c, SLICE_MULTIPLE)
        found |= {
            usual.weights.depth_slices,
            _sliced(estimates, question).weights.depth_slices,
            (*range(0, depth, step), depth),
        }
    if asked.buffers == _DOUBLE and asked.depths is None:
        # Only slices take turns; those that are shallower than a block are better than none.
        half = round_up(ceil_div(depth, _DOUBLE), SLICE_MULTIPLE)
        found |= {(0, half, depth), (*range(0, depth, SLICE_MULTIPLE), depth)}
        found = {slices for slices in found if len(slices) > _DOUBLE}
    for slices in sorted(found):
        stream = question.streams(node, cost.block, slices)
        weights = replace(whole.weights, stream=stream, depth_slices=slices)
        tail = cost.cycles
        if len(slices) > _DOUBLE:
            tail = estimates.cycles_of_depth(node, cost.block, slices[-1] - slices[-2])
        yield replace(whole, weights=weights, slack_cycles=tail)


def _made(question: _Question, way: _Answer, asked: WeightsAsked) -> _Answer:
    """A way with as many buffers as asked, filled when it was asked for."""
    weights, in_cascade = way.weights, question.plan.cascade is not None
    first, second = weights.stream.pair_bytes
    usual = way if in_cascade else _buffered(question, way)
    count = len(usual.weights.buffers) if asked.buffers is None else asked.buffers
    if in_cascade and asked.buffers is None:
        count = int(question.room.holds(first))
    if asked.is_early and not count:
        count = 1
    buffers = {0: (), 1: (max(first, second),)}.get(count, (first, second) if second else (first,))
    is_early = asked.is_early
    if is_early is None:
        is_early = question.beside.holds_more_than(first + second)
    last_used = (len(weights.depth_slices) - _DOUBLE) % max(len(buffers), 1)
    return replace(
        way,
        weights=replace(
            weights,
            buffers=buffers,
            lead_steps=(asked.lead_steps or 1) if is_early and buffers and not in_cascade else 0,
            transfer_cycles=0 if in_cascade and buffers else weights.transfer_cycles,
        ),
        used_bytes=buffers[last_used] if buffers else 0,
    )


def _left(estimates: Estimates, question: _Question, way: _Answer, cycles: float) -> float:
    """Cycles in which the next weights can arrive: not those in which these come from there."""
    if way.weights.buffers:
        return way.slack_cycles
    busy = busy_cycles(estimates.model, question.node, way.cost or question.plan.cost, way.weights)
    target = estimates.model.target
    busy += estimates.model.copy_cycles(target.permanent.area, target.fast.area, 0)
    return max(cycles - busy, 0)


def _the_other_way(estimates: Estimates, question: _Question) -> Iterator[_Answer]:
    """Not as the place asks for it, in the block that suits that."""
    (cost,) = estimates.costs([otherwise(question.node, question.plan)], question.foreseen)
    other = replace(question, plan=replace(question.plan, cost=cost))
    direct = replace(_direct(estimates, other, WeightsReason.FASTEST), cost=cost)
    if question.node.op.kind.unit is not Unit.VECTOR_PRODUCT:
        yield direct
    elif question.plan.cascade is None:
        yield replace(_sliced(estimates, other), cost=cost)
        yield _buffered(other, direct)


def otherwise(node: Node, plan: OpDraft) -> Wanted:
    """The operator in a block that suits weights which come in the other way."""
    cost = plan.cost
    return Wanted(node, cost.stripe.ofm.h, cost.moved, is_otherwise=True)


def _in_other_blocks(
    estimates: Estimates, question: _Question, usual: _Answer
) -> Iterator[_Answer]:
    """In blocks that would be as good, but for the size of the stream that they ask for."""
    for cost in _as_good(estimates, question.node, question.plan.cost):
        other = replace(question, plan=replace(question.plan, cost=cost))
        direct = _direct(estimates, other, WeightsReason.FASTEST)
        yield replace(direct, cost=cost)
        if direct.weights.stream.stream_bytes < usual.weights.stream.stream_bytes:
            yield replace(_sliced(estimates, other), cost=cost)


def _as_good(estimates: Estimates, node: Node, cost: StripeCost) -> Iterator[StripeCost]:
    """The operator in blocks that cost the same and take weights in another order."""
    if cost.choice is None:
        return
    told = {(cost.block.ofm_block.c, cost.block.is_part_kernel)}
    # By parts of the kernel, the weights of one tap are the same with zeros between them.
    has_one_tap = node.op.kernel.taps == 1 and not cost.block.is_part_kernel
    for price in (*cost.choice.best, cost.choice.usual):
        order = price.ofm_block.c, price.is_part_kernel
        is_longer = has_one_tap and price.is_part_kernel
        if price.cycles == cost.choice.best[0].cycles and order not in told and not is_longer:
            told.add(order)
            yield _in_told_block(estimates, node, cost, price)


def _in_told_block(
    estimates: Estimates, node: Node, cost: StripeCost, price: BlockPrice
) -> StripeCost:
    """The operator in one of the blocks that its own was chosen from."""
    accelerator = estimates.model.target.accelerator
    query = block_query(estimates.graph, node.op, cost.stripe)
    block_of, order = block_search(accelerator).block_of, price.is_part_kernel
    block = block_of(accelerator, query, price.ofm_block, is_part_kernel=order)
    assert block is not None
    other = estimates.blocked(node, cost.stripe.ofm.h, block, cost.moved)
    return replace(other, choice=cost.choice)


def _cycles(estimates: Estimates, question: _Question, way: _Answer) -> float:
    """What the operator costs; what is not brought early waits until the one before has ended."""
    is_early = way.weights.is_prefetched or question.plan.cascade is not None
    return cycles_with(
        estimates.model,
        question.node,
        way.cost or question.plan.cost,
        way.weights,
        slack_cycles=question.slack_cycles if is_early else 0,
        tail_cycles=way.slack_cycles,
    )


def _direct(estimates: Estimates, question: _Question, reason: WeightsReason) -> _Answer:
    node, cost = question.node, question.plan.cost
    weights = direct_weights(question.streams, node, cost)
    assert weights is not None
    transfer = (
        transfer_cycles(estimates, weights) if estimates.model.target.has_far_constants else 0
    )
    return _Answer(replace(weights, transfer_cycles=transfer), cost.cycles, reason)


def transfer_cycles(estimates: Estimates, weights: WeightDraft) -> int:
    """In which the whole stream comes from where it is stored."""
    target = estimates.model.target
    size = weights.stream.stream_bytes
    return estimates.model.copy_cycles(target.permanent.area, target.fast.area, size)


def _kept_whole(estimates: Estimates, question: _Question) -> _Answer:
    """Inside a cascade: one buffer for everything, or none."""
    answer = _direct(estimates, question, WeightsReason.USED_IN_EVERY_STRIPE)
    # The ecosystem's compiler has no transfer time for these; it is part of how it estimates.
    weights = replace(answer.weights, transfer_cycles=0)
    size = weights.stream.stream_bytes
    has_room = question.room.holds(size)
    if not has_room and not question.was_buffered:
        reason = WeightsReason.NO_ROOM_BESIDE_CASCADE
        return replace(answer, weights=weights, reason=reason)
    used = size if has_room else 0
    return replace(answer, weights=replace(weights, buffers=(size,)), used_bytes=used)


def _sliced(estimates: Estimates, question: _Question, *, is_finer: bool = False) -> _Answer:
    """Outside a cascade: slices as large as room and time allow, or half as large."""
    whole = _direct(estimates, question, WeightsReason.FITS_WHOLE)
    if not question.room.holds(SMALLEST_BUFFER_BYTES):
        return replace(whole, reason=WeightsReason.NO_ROOM_FOR_BUFFER)
    first = _first_bytes(question, whole.weights)
    if first >= whole.weights.stream.stream_bytes:
        return _buffered(question, whole)
    node, block = question.node, question.plan.cost.block
    block_depth = block.ofm_block.c

    def cycles_of_depth(depth: int) -> int:
        return estimates.cycles_of_depth(node, block, depth)

    pace = Pace.of(whole.weights, first, block_depth, question.room, cycles_of_depth)
    if is_finer:
        pace = pace.in_multiples(block_depth).finer()
    while True:
        pace = pace.in_multiples(block_depth)
        slices = pace.slices()
        stream = question.streams(node, block, slices)
        if question.room.holds(sum(stream.pair_bytes)) or pace.first == SLICE_MULTIPLE:
            break
        pace = pace.halved()
    weights = replace(whole.weights, stream=stream, depth_slices=slices)
    tail = cycles_of_depth(slices[-1] - slices[-2])
    if not question.room.holds(max(stream.pair_bytes)):
        return replace(whole, reason=WeightsReason.NO_ROOM_FOR_SLICE)
    is_one = len(stream.slice_bytes) == 1
    reason = WeightsReason.ONE_SLICE if is_one else WeightsReason.SLICE_BY_SLICE
    return _buffered(question, _Answer(weights, tail, reason))


def _first_bytes(question: _Question, whole: WeightDraft) -> float:
    """How much can be fetched while the operator before runs."""
    size, cycles = whole.stream.stream_bytes, whole.transfer_cycles
    wanted = size if cycles <= question.slack_cycles else question.slack_cycles / cycles * size
    return wanted if question.room.half_holds(wanted) else question.room.half_bytes


def _buffered(question: _Question, answer: _Answer) -> _Answer:
    """One buffer or two, filled early where the operator before leaves room."""
    weights = answer.weights
    first, second = weights.stream.pair_bytes
    is_double = bool(second) and question.room.holds(first + second)
    if not is_double and not question.room.holds(max(first, second)):
        return replace(answer, reason=WeightsReason.NO_ROOM)
    buffers = (first, second) if is_double else (max(first, second),)
    last_used = (len(weights.depth_slices) - 2) % len(buffers)
    return replace(
        answer,
        weights=replace(
            weights,
            buffers=buffers,
            lead_steps=int(question.beside.holds_more_than(first + second)),
        ),
        used_bytes=buffers[last_used],
    )
