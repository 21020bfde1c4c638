"""The block in which an operator costs least: its cycles, and the memories that it keeps busy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from core.base.frozen import Frozen, replace
from core.base.geometry import Block
from core.base.many import most
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
    """A block, and what decides between blocks."""

    block: BlockConfig
    cycles: float
    fetched_bytes: float
    """Read in all of its blocks, weights too: fewer win where cycles tie."""


class BlockChoice(Frozen, kw_only=False):
    """What was found for an operator."""

    usual: BlockPrice
    """The block for which least is fetched, by the rules of the ecosystem's compiler."""
    best: tuple[BlockPrice, ...]
    """The cheapest in their order, of which the first is the one to take."""
    asked: int
    """How many were compared."""


def choose_block(rates: Rates, query: BlockQuery, step: Step) -> BlockChoice:
    """The cheapest blocks for a step that is given its usual one, which wins where all is equal."""
    usual = step.work.block
    own, *others = _columns(rates, query, usual)
    many = (_after(usual, own), *others)
    prices = [_price(rates, _in(step, blocks)) for blocks in many]
    sizes = [np.size(blocks.ofm_block.h) for blocks in many]
    cycles, fetched = (
        np.concatenate([np.broadcast_to(each, size) for each, size in zip(key, sizes, strict=True)])
        for key in zip(*prices, strict=True)
    )

    def price(at: int, block: BlockConfig) -> BlockPrice:
        return BlockPrice(block, float(cycles[at]), float(fetched[at]))

    order = np.lexsort((fetched, cycles))[:_BEST].tolist()
    best = (price(at, _nth(rates, query, many, at) if at else usual) for at in order)
    return BlockChoice(price(0, usual), tuple(best), len(cycles) - 1)


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


def _columns(rates: Rates, query: BlockQuery, usual: BlockConfig) -> Iterator[BlockConfig]:
    """Blocks by the orders in which weights can be taken."""
    search, is_part = block_search(rates.accelerator), usual.is_part_kernel
    for order in (is_part, not is_part) if query.unit is Unit.CONVOLUTION else (is_part,):
        yield search.blocks_worth_asking(rates.accelerator, query, is_part_kernel=order)


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


def _nth(rates: Rates, query: BlockQuery, many: tuple[BlockConfig, ...], at: int) -> BlockConfig:
    """A block by its place in all that were compared."""
    for blocks in many:
        sizes = np.stack(blocks.ofm_block, axis=-1)
        if at < len(sizes):
            found = block_search(rates.accelerator).block_of(
                rates.accelerator,
                query,
                Block(*sizes[at].tolist()),
                is_part_kernel=blocks.is_part_kernel,
            )
            assert found is not None
            return found
        at -= len(sizes)
    raise IndexError(at)
