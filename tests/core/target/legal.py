"""Every block that an operator can work in, each asked for by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.geometry import Block
from core.target.accelerator import Accelerator
from core.target.block import BlockConfig, BlockQuery
from core.target.candidates import depths_to_try, search_space
from core.target.shared_buffer_search import block_of


def legal_blocks(
    accelerator: Accelerator, query: BlockQuery, traversals: Sequence[bool] = (False, True)
) -> Iterator[BlockConfig]:
    """Every block that fits, for both traversals or one, from the shallowest to the deepest."""
    unit, space = accelerator.ofm_ublock, search_space(accelerator, query)
    for is_part_kernel in traversals:
        for depth in depths_to_try(accelerator, query):
            for h in range(unit.h, space.h + 1, unit.h):
                for w in range(unit.w, space.w + 1, unit.w):
                    block = Block(h, w, depth)
                    found = block_of(accelerator, query, block, is_part_kernel=is_part_kernel)
                    if found is not None:
                        yield found
