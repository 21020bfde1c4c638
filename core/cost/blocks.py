"""The block in which an operator costs least: its cycles, and the memories that it keeps busy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, replace
from core.base.geometry import Block
from core.base.many import most
from core.cost.alike import as_one, without_sizes
from core.cost.formulas import cycles_in_blocks
from core.cost.rates import Rates
from core.cost.traffic import traffic
from core.cost.work import Step
from core.ir.cost import Direction
from core.target.block import BlockConfig, BlockQuery
from core.target.blocks import block_search
from core.target.target import Area
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


class BlockQuestion(NamedTuple):
    """A step that is given its usual block, which wins where all is equal."""

    query: BlockQuery
    step: Step


def choose_blocks(rates: Rates, questions: Sequence[BlockQuestion]) -> list[BlockChoice]:
    """The cheapest blocks for each step; those that are alike are priced together."""
    asked = [list(_in_all_blocks(rates, question)) for question in questions]
    prices = iter(_prices(rates, [step for steps in asked for step in steps]))
    return [
        _choice(rates, question, steps, [next(prices) for _ in steps])
        for question, steps in zip(questions, asked, strict=True)
    ]


def _in_all_blocks(rates: Rates, question: BlockQuestion) -> Iterator[Step]:
    """The step in its usual block and all others, by the orders in which weights can be taken."""
    query, step = question
    usual, accelerator = step.work.block, rates.accelerator
    search, is_part = block_search(accelerator), usual.is_part_kernel
    blocks = search.blocks_worth_asking(accelerator, query, is_part_kernel=is_part)
    yield _in(step, _after(usual, blocks))
    if query.unit is Unit.CONVOLUTION:
        other = search.blocks_worth_asking(accelerator, query, is_part_kernel=not is_part)
        yield _in(step, other)


def _choice(
    rates: Rates, question: BlockQuestion, asked: Sequence[Step], prices: Sequence[_Prices]
) -> BlockChoice:
    query, step = question
    cycles, fetched = (np.concatenate(each) for each in zip(*prices, strict=True))

    def price(at: int) -> BlockPrice:
        return BlockPrice(*_nth(asked, at), float(cycles[at]), float(fetched[at]))

    first, *others = np.lexsort((fetched, cycles))[:_BEST].tolist()
    best, usual = price(first), price(0)
    block: BlockConfig | None = step.work.block
    if first:
        accelerator = rates.accelerator
        block_of = block_search(accelerator).block_of
        block = block_of(accelerator, query, best.ofm_block, is_part_kernel=best.is_part_kernel)
    assert block is not None
    return BlockChoice(usual, (best, *map(price, others)), block, len(cycles) - 1)


def _prices(rates: Rates, asked: Sequence[Step]) -> list[_Prices]:
    """Each step in each of its blocks."""
    alike: defaultdict[Step, list[int]] = defaultdict(list)
    for place, step in enumerate(asked):
        alike[without_sizes(step)].append(place)
    found: dict[int, _Prices] = {}
    for places in alike.values():
        steps = [asked[place] for place in places]
        ends = np.cumsum([np.size(step.work.block.ofm_block.h) for step in steps])
        priced = (np.broadcast_to(each, ends[-1]) for each in _price(rates, as_one(steps)))
        parts = (np.split(each, ends[:-1]) for each in priced)
        found |= zip(places, map(_Prices._make, zip(*parts, strict=True)), strict=True)
    return [found[place] for place in range(len(asked))]


def _after(first: BlockConfig, blocks: BlockConfig) -> BlockConfig:
    """Many blocks, with a single one in front of them."""
    return replace(
        blocks,
        ofm_block=_longer(first.ofm_block, blocks.ofm_block),
        ifm_block=_longer(first.ifm_block, blocks.ifm_block),
    )


def _longer(first: Block, many: Block) -> Block:
    sides = (np.concatenate(((one,), more)) for one, more in zip(first, many, strict=True))
    return Block(*cast("Iterator[int]", sides))


def _in(step: Step, block: BlockConfig) -> Step:
    return replace(step, work=replace(step.work, block=block))


def _price(rates: Rates, step: Step) -> tuple[float, float]:
    """Cycles of a step in its block, or in each of its many, and bytes that are fetched."""
    moved = traffic(rates, step)
    weights = step.weights
    least = weights.buffer.whole_cycles if weights is not None and weights.buffer else 0
    cycles = most(cycles_in_blocks(rates, step.work), least) * 1.0
    for area in Area:
        busy = sum(part.busy_bytes for part in moved if part.area is area)
        cycles = most(cycles, busy / rates.areas[area].bytes_per_cycle)
    fetched = sum(part.size_bytes for part in moved if part.direction is Direction.READ)
    return cycles, fetched


def _nth(asked: Sequence[Step], at: int) -> tuple[Block, bool]:
    """A block by its place in all that were compared, and its order of weights."""
    for step in asked:
        blocks = step.work.block
        sides = np.array(blocks.ofm_block)
        if at < sides.shape[1]:
            return Block(*sides[:, at].tolist()), blocks.is_part_kernel
        at -= sides.shape[1]
    raise IndexError(at)
