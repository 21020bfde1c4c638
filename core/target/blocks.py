"""The searches for blocks, of which each family names one."""

from __future__ import annotations

from types import MappingProxyType
from typing import Protocol

from core.base.geometry import Block
from core.target import shared_buffer_search
from core.target.accelerator import Accelerator
from core.target.block import BlockConfig, BlockQuery, ManyBlocks


class BlockSearch(Protocol):
    """A module that knows which blocks some families can work in."""

    def find_block(self, accelerator: Accelerator, query: BlockQuery, /) -> BlockConfig | None:
        """The block that costs least, or None where not even the smallest fits."""

    def block_of(
        self,
        accelerator: Accelerator,
        query: BlockQuery,
        ofm_block: Block,
        /,
        *,
        is_part_kernel: bool,
    ) -> BlockConfig | None:
        """The config with this block, or None where the hardware does not allow it."""

    def blocks_worth_asking(
        self, accelerator: Accelerator, query: BlockQuery, /, *, is_part_kernel: bool
    ) -> ManyBlocks:
        """All blocks that fit, less those that are only larger than another."""

    def all_blocks(
        self, accelerator: Accelerator, query: BlockQuery, /, *, is_part_kernel: bool
    ) -> ManyBlocks:
        """All blocks that fit, but such as an operator takes no less in than in another."""

    def blocks_at_both_ends(
        self, accelerator: Accelerator, query: BlockQuery, per_end: int, /
    ) -> tuple[BlockConfig, ...]:
        """So many of the largest and of the smallest blocks that fit, by area and then by depth."""


_SEARCHES = MappingProxyType[str, BlockSearch]({"shared buffer": shared_buffer_search})


def block_search(accelerator: Accelerator) -> BlockSearch:
    """The search of an accelerator's family."""
    family = accelerator.family
    return family.chosen("block search", family.algorithms.block_search, _SEARCHES)
