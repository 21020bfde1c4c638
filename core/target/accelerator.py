"""One configuration of a family of accelerators."""

from __future__ import annotations

from core.base.errors import OptionError
from core.base.frozen import Frozen
from core.base.geometry import Block
from core.target.family import Family
from core.target.shram import SharedBuffer
from core.target.tables import TableMemory
from core.target.throughput import Throughput


class Accelerator(Frozen):
    """One configuration of the hardware."""

    name: str
    family: Family
    macs: int
    """Multiplications in one cycle of one core."""
    cores: int
    """Whole pipelines, which share the channels of each block."""
    ofm_ublock: Block
    ifm_ublock: Block
    buffer: SharedBuffer | None
    """Where a block's input, accumulators and look-up table lie, if they share one memory."""
    tables: TableMemory
    throughput: Throughput

    def __hash__(self) -> int:
        """By name, as accelerators are part of what searches look up."""
        return hash(self.name)

    @property
    def macs_per_cycle(self) -> int:
        """Multiplications in one cycle of all cores."""
        return self.macs * self.cores

    @property
    def max_address(self) -> int:
        """Bytes that a region can span."""
        return 1 << self.family.address_bits

    @property
    def shared_buffer(self) -> SharedBuffer:
        """The shared buffer; an error where the family has other memories for its parts."""
        if self.buffer is None:
            raise OptionError(f"{self.name} has no shared buffer")
        return self.buffer
