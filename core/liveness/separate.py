"""Inputs and outputs that may have memory of their own, outside of the tensor arena."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from core.base.errors import OptionError
from core.base.ids import FmId
from core.ir.npugraph import Island, NpuGraph, OpKind
from core.target.format import ALIGNMENT_BYTES

FIRST_SEPARATE_REGION = 3
"""Constants, the arena, and fast storage come first; what an operator takes and gives follows."""
_MOST_REGIONS = 8
"""Base addresses that the hardware has."""


def regions_of(island: Island) -> Mapping[FmId, int]:
    """The region that a driver binds to each map which an island takes and gives."""
    maps = (*island.inputs, *island.outputs)
    return {fm: FIRST_SEPARATE_REGION + at for at, fm in enumerate(maps)}


def separate_maps(graph: NpuGraph) -> frozenset[FmId]:
    """What the network takes and gives, as far as streams can have it in regions of its own.

    States and what shares its bytes stay in the arena, as does what several streams make. So does
    what is copied by the DMA, which moves 16 bytes at a time and would go beyond a tensor's end.
    """
    ends = {*graph.inputs[0], *graph.outputs[0]}
    makers = Counter(fm for island in graph.islands for fm in _made(graph, island))
    sharing = Counter(fm.storage for fm in graph.feature_maps)
    copied = {view.fm for op in graph.ops if op.kind is OpKind.COPY for view in op.views}
    found: set[FmId] = set()
    for island in graph.islands:
        for number, region in regions_of(island).items():
            fm = graph.feature_maps[number]
            is_own = sharing[fm.storage] == 1 and makers[number] < 2 and not fm.is_variable
            size_bytes = math.prod(fm.shape) * fm.dtype.size_bytes
            is_whole = number not in copied or size_bytes % ALIGNMENT_BYTES == 0
            if number not in ends or fm.data is not None or not (is_own and is_whole):
                continue
            if region >= _MOST_REGIONS:
                count, most = len(regions_of(island)), _MOST_REGIONS - FIRST_SEPARATE_REGION
                raise OptionError(
                    f"--separate-io-regions: a command stream takes and gives {count} maps, and the"
                    f" NPU has regions for {most} of them"
                )
            found.add(number)
    return frozenset(found)


def _made(graph: NpuGraph, island: Island) -> set[FmId]:
    return {graph.ops[op].ofm.fm for op in island.ops}
