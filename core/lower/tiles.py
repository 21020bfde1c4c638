"""A repetition along several dimensions as steps of one: pictures whose width is repeated.

4x1x4x8 two times along the second axis      is one step: 4 x 1 x 32, of which the 1 becomes 2
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.base.geometry import Shape4


def tile_pictures(shape: Sequence[int], multiples: Sequence[int]) -> tuple[tuple[Shape4, int], ...]:
    """What each step takes its input for, and how often it repeats the width; inner axes first."""
    sizes, found = list(shape), []
    for axis in reversed(range(len(sizes))):
        if multiples[axis] > 1:
            rows, columns = math.prod(sizes[:axis]), sizes[axis]
            found.append((Shape4(1, rows, columns, math.prod(sizes[axis + 1 :])), multiples[axis]))
            sizes[axis] *= multiples[axis]
    return tuple(found)
