"""What has to be known of an operator to say what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from core.base.geometry import Shape4
from core.target.block import BlockConfig
from core.target.format import Format
from core.target.target import Area
from core.target.throughput import Arithmetic, Finish
from core.target.unit import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class FmUse:
    """A feature map as one operator reads or writes it: the part that it touches, and where."""

    shape: Shape4
    bits: int
    format: Format
    area: Area

    @property
    def element_bytes(self) -> int:
        return self.bits // 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One operator over its whole output, in the blocks that were chosen for it."""

    unit: Unit
    arithmetic: Arithmetic
    """`MULTIPLY`, `ADD`, `MAXIMUM` or `OTHER`; widths of elements refine it."""
    finish: Finish
    kernel_h: int
    kernel_w: int
    ifm: FmUse
    ofm: FmUse
    ifm2: FmUse | None
    block: BlockConfig
    constants: Area | None
    """Where weights, scales and biases are read from, if there are any."""
