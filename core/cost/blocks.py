"""The block in which an operator costs least: its cycles, and the memories that it keeps busy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple
from core.base.geometry import Block
from core.base.many import most
from core.cost.alike import as_one, without_sizes
from core.cost.formulas import cycles_in_blocks
from core.cost.price import OURS
from core.cost.rates import Rates
from core.cost.traffic import busy_cycles, traffic
from core.cost.work import Step
from core.ir.cost import Direction
from core.target.block import BlockConfig, BlockQuery, ManyBlocks
from core.target.blocks import block_search
from core.target.unit import Unit

_BEST = 3
"""So many are told of."""


class BlockPrice(Frozen, kw_only=False):
    """A block with its order of weights, and what decides between blocks."""

    ofm_block: Block
    is_part_kernel: bool
    cycles: float
    fetched_bytes: float
    """Read in all of its blocks, weights too: fewer win where cycles tie."""


class BlockChoice(Frozen, kw_only=False):
    """What was found for an operator."""

    usual: BlockPrice
    """The block for which least is fetched, by the rules of the ecosystem's compiler."""
    best: tuple[BlockPrice, ...]
    """The cheapest in their order, of which the first is the one to take."""
    block: BlockConfig
    """That one."""
    asked: int
    """How many were compared."""


class _Prices(NamedTuple):
    """Of many blocks."""

    cycles: npt.NDArray[np.float64]
    fetched_bytes: npt.NDArray[np.float64]
    commanded_cycles: npt.NDArray[np.float64]
    """With the command's, where no weights are read: beside memories that decide, one block may
    leave it room, and another not."""


class BlockQuestion(NamedTuple):
    """A step that is given its usual block, which wins where all is equal."""

    query: BlockQuery
    step: Step


def choose_blocks(rates: Rates, questions: Sequence[BlockQuestion]) -> list[BlockChoice]:
    """The cheapest blocks for each step; those that are alike are priced together."""
    blocks = [_all_blocks(rates, question) for question in questions]
    prices = _prices(rates, [question.step for question in questions], blocks)
    return [_choice(rates, *each) for each in zip(questions, blocks, prices, strict=True)]


def _all_blocks(rates: Rates, question: BlockQuestion) -> ManyBlocks:
    """The usual block, then all others by the orders in which weights can be taken."""
    query, usual, accelerator = question.query, question.step.work.block, rates.accelerator
    ask, is_part = block_search(accelerator).blocks_worth_asking, usual.is_part_kernel
    orders = (is_part, not is_part) if query.unit is Unit.CONVOLUTION else (is_part,)
    others = (ask(accelerator, query, is_part_kernel=order) for order in orders)
    return ManyBlocks.joined((ManyBlocks.of(usual), *others))


def _choice(
    rates: Rates, question: BlockQuestion, blocks: ManyBlocks, prices: _Prices
) -> BlockChoice:
    query, usual = question.query, question.step.work.block
    cycles, fetched, commanded = prices
    places = [0, *np.lexsort((commanded, fetched, cycles))[:_BEST].tolist()]
    found = zip(blocks.at(places), cycles[places].tolist(), fetched[places].tolist(), strict=True)
    told, best, *others = (BlockPrice(*block, *price) for block, *price in found)
    block: BlockConfig | None = usual
    if places[1]:
        block_of, is_part = block_search(rates.accelerator).block_of, best.is_part_kernel
        block = block_of(rates.accelerator, query, best.ofm_block, is_part_kernel=is_part)
    assert block is not None
    return BlockChoice(told, (best, *others), block, blocks.count - 1)


def _prices(rates: Rates, steps: Sequence[Step], blocks: Sequence[ManyBlocks]) -> list[_Prices]:
    """Each step in each of its blocks."""
    alike: defaultdict[Step, list[int]] = defaultdict(list)
    for place, step in enumerate(steps):
        alike[without_sizes(step)].append(place)
    found: dict[int, _Prices] = {}
    for places in alike.values():
        own = [blocks[place] for place in places]
        ends = [0, *accumulate(each.count for each in own)]
        together = _price(rates, as_one([steps[place] for place in places], own))
        columns = [np.broadcast_to(each, ends[-1]) for each in together]
        for place, (first, end) in zip(places, pairwise(ends), strict=True):
            found[place] = _Prices(*(each[first:end] for each in columns))
    return [found[place] for place in range(len(steps))]


def _price(rates: Rates, step: Step) -> tuple[float, float, float]:
    """Cycles of a step in its block, or in each of its many, bytes that are fetched, and cycles
    with those of its command."""
    moved = traffic(OURS, rates, step)
    weights = step.weights
    least = weights.buffer.whole_cycles if weights is not None and weights.buffer else 0
    own_cycles = cycles_in_blocks(rates, step.work)
    cycles = most(own_cycles, least) * 1.0
    for busy in busy_cycles(rates, moved).values():
        cycles = most(cycles, busy)
    # Streams of weights differ by block, and where they come from is decided later.
    command_cycles = rates.dispatch.operation_cycles if weights is None else 0
    commanded_cycles = most(cycles, own_cycles + command_cycles)
    fetched = sum(part.size_bytes for part in moved if part.direction is Direction.READ)
    return cycles, fetched, commanded_cycles
