"""A transposition as steps that the hardware can write: two runs of axes change places.

    8x6x65 in the order (2, 0, 1)      is one step: 48 x 65, the two exchanged
    8x6x65 in the order (0, 2, 1)      is three

Axes of one element do not count, and axes that stay neighbours are one. In a step, the first run is
the height, the second the width, and all axes behind them are the depth, which stays where it is.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from core.base.geometry import Shape4

_Order = tuple[int, ...]


def turns(shape: Sequence[int], order: Sequence[int]) -> tuple[Shape4, ...]:
    """The pictures whose height and width are exchanged one after the other, as few as can be."""
    sizes, wanted = _merged(shape, order)
    given = tuple(range(len(sizes)))
    before: dict[_Order, tuple[_Order, Shape4]] = {}
    pending = deque([given])
    while wanted not in before and wanted != given:
        now = pending.popleft()
        for turned, picture in _steps(now, sizes):
            if turned not in before and turned != given:
                before[turned] = (now, picture)
                pending.append(turned)
    found = []
    while wanted != given:
        wanted, picture = before[wanted]
        found.append(picture)
    return tuple(reversed(found))


def _merged(shape: Sequence[int], order: Sequence[int]) -> tuple[tuple[int, ...], _Order]:
    """Sizes of the runs of axes that stay together, and the order of these."""
    runs: list[list[int]] = []
    for axis in (axis for axis in order if shape[axis] > 1):
        skipped = range(runs[-1][-1] + 1, axis) if runs and runs[-1][-1] < axis else None
        if skipped is not None and all(shape[other] == 1 for other in skipped):
            runs[-1].append(axis)
        else:
            runs.append([axis])
    ranks = sorted(runs)
    sizes = tuple(math.prod(shape[axis] for axis in run) for run in ranks)
    return sizes, tuple(ranks.index(run) for run in runs)


def _steps(now: _Order, sizes: Sequence[int]) -> list[tuple[_Order, Shape4]]:
    """All that one step can make of runs in some order, and the picture that it takes them for."""
    found = []
    for middle in range(1, len(now)):
        for end in range(middle + 1, len(now) + 1):
            first, second, rest = now[:middle], now[middle:end], now[end:]
            sides = (math.prod(sizes[run] for run in part) for part in (first, second, rest))
            found.append(((*second, *first, *rest), Shape4(1, *sides)))
    return found
