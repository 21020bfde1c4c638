"""The memory of a compiled network: its sizes, places in it, and tensors that stand for it.

Order and types of these tensors, and that fast scratch memory is the arena once more where it is
not dedicated, are facts of the driver and of the files that the ecosystem's compiler writes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.base.dtype import DType
from core.base.frozen import NamedTuple
from core.base.geometry import round_up
from core.base.ids import FmId
from core.ir.constdata import ConstData
from core.ir.layout import MemoryLayout
from core.ir.network import Tensor
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region
from core.target.target import Target


class RegionSizes(NamedTuple):
    """Bytes that a driver must bind to each region of the streams."""

    constants: int
    scratch: int
    """Of the tensor arena, tensors of the CPU included."""
    scratch_fast: int
    """Of dedicated fast storage; where there is none, the arena once more."""


def region_sizes(layout: MemoryLayout, target: Target) -> RegionSizes:
    """What a layout needs of each region."""
    # A tensor of no bytes at all would have no address.
    scratch = max(_height(layout, Region.SCRATCH), ALIGNMENT_BYTES)
    return RegionSizes(
        constants=_height(layout, Region.PERMANENT_NPU),
        scratch=scratch,
        scratch_fast=_height(layout, Region.SCRATCH_FAST) if target.is_spilling else scratch,
    )


def maps_in(layout: MemoryLayout, region: Region) -> Mapping[FmId, int]:
    """Addresses of the maps in a region, and in those that it shares them with."""
    return {
        fm: item.address
        for area in layout.areas
        if region in area.regions
        for item in area.placements
        for fm in item.fms
    }


def shared_tensors(sizes: RegionSizes, constants: bytes) -> tuple[Tensor, ...]:
    """The tensors of the three regions, in the driver's order."""
    # A tensor of no bytes at all would have no address either.
    padded = constants.ljust(max(round_up(len(constants), ALIGNMENT_BYTES), ALIGNMENT_BYTES), b"\0")
    return (
        bytes_tensor("flash", padded),
        _empty_tensor("scratch", sizes.scratch),
        _empty_tensor("scratch_fast", sizes.scratch_fast),
    )


def bytes_tensor(name: str, content: bytes) -> Tensor:
    """A tensor of the accelerator's that holds some bytes."""
    data = np.frombuffer(content, np.uint8)
    return Tensor(name=name, shape=data.shape, dtype=DType.UINT8, data=ConstData.of(data))


def _empty_tensor(name: str, size_bytes: int) -> Tensor:
    return Tensor(name=name, shape=(size_bytes,), dtype=DType.UINT8)


def _height(layout: MemoryLayout, region: Region) -> int:
    heights = (area.height_bytes for area in layout.areas if region in area.regions)
    return round_up(max(heights, default=0), ALIGNMENT_BYTES)
