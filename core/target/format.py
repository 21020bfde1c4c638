"""How the elements of a feature map lie in memory."""

from __future__ import annotations

from core.base.geometry import Shape4, round_up
from core.base.named import Named

BRICK_DEPTH = 16

ALIGNMENT_BYTES = 16
"""Of every address that the accelerator is given, and that its driver asks for."""


class Format(Named):
    """An order of elements, by the name that the ecosystem gives it."""

    LINEAR = "NHWC"
    BRICKS = "NHCWB16"
    """Rows of bricks: 16 channels of one column beside those of the next."""

    @property
    def depth_multiple(self) -> int:
        """Channels are stored in multiples of this."""
        return BRICK_DEPTH if self is Format.BRICKS else 1

    def stored(self, shape: Shape4) -> Shape4:
        """The shape with the channels that are stored and not used."""
        return shape.with_depth(round_up(shape.c, self.depth_multiple))
