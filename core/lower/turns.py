"""A transposition as steps that the hardware can write: two runs of axes change places.

    8x6x65 in the order (2, 0, 1)      is one step: 48 x 65, the two exchanged
    8x6x65 in the order (0, 2, 1)      is three

Axes of one element do not count, and axes that stay neighbours are one. In a step, the first run is
the height, the second the width, and all axes behind them are the depth, which stays where it is.

Where two neighbouring runs change places behind others, each element of the shorter one can be
copied to where it belongs by itself, all of them in the time of one step:

    8x2x6 in the order (0, 2, 1)       is two copies: 8 x 6 of every 12 to every second of 8 x 6 x 2

A row of reshapes and transpositions comes to one transposition of the elements that were there, in
whichever order they lay:

    4x16x720 of 64x720, in the order (0, 2, 1), of what lay as 720x64      720x4x16 in (1, 0, 2)
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import groupby

from core.base.frozen import NamedTuple
from core.base.geometry import Shape4, ceil_div

Shape = tuple[int, ...]
_Order = tuple[int, ...]

_MOST_COPIES = 32
_START_CYCLES = 80
"""Of an operator, as measured programs have it."""
_RUN_CHANNELS = 16
"""Of a row, so many are written at a time."""
_RUN_CYCLES = 4
"""Of each such write, however short: SRAM takes a burst of 32 bytes, 8 in a cycle."""
_READ_PER_CYCLE = 8
_MATRIX_BYTES_PER_CYCLE = 6
"""About as fast as ones and zeros are decoded."""


class Exchange(NamedTuple):
    """Two neighbouring runs of axes that change places, and what is before and behind them."""

    before: int
    first: int
    second: int
    behind: int

    @property
    def depth(self) -> int:
        """Elements that change places among each other."""
        return self.first * self.second * self.behind

    @property
    def copies(self) -> int:
        """One for each element of the shorter run."""
        return min(self.first, self.second)

    @property
    def can_be_copied(self) -> bool:
        """Whether that is not too many."""
        return self.copies <= _MOST_COPIES

    @property
    def cycles_of_copies(self) -> int:
        """About how long these take."""
        return self.copies * _START_CYCLES + _moving(math.prod(self), self.behind)

    def cycles_of_product(self, macs: int) -> int:
        """About how long the array takes to multiply each place's elements with ones and zeros."""
        multiplying = math.prod(self) * self.depth // macs
        return _START_CYCLES + max(multiplying, self.depth**2 // _MATRIX_BYTES_PER_CYCLE)

    @property
    def together(self) -> Shape4:
        """Where a copy is a part of a row, in one of the two maps."""
        return Shape4(1, self.before, self.first * self.second, self.behind)

    @property
    def apart(self) -> Shape4:
        """Where it is a part of the depth, in the other one."""
        longer = max(self.first, self.second)
        return Shape4(1, self.before, longer, self.copies * self.behind)


def exchange(shape: Sequence[int], order: Sequence[int]) -> Exchange | None:
    """The two runs that change places behind others, where that is all."""
    sizes, wanted = _merged(shape, order)
    if wanted not in ((0, 2, 1), (0, 2, 1, 3)):
        return None
    return Exchange(*sizes, *[1] * (len(Exchange._fields) - len(sizes)))


def exchanged(shape: Sequence[int], order: Sequence[int]) -> tuple[int, int] | None:
    """The height and the width of all that is there, where these change places."""
    sizes, wanted = _merged(shape, order)
    return (sizes[0], sizes[1]) if wanted == (1, 0) else None


def copied(shape: Sequence[int], order: Sequence[int]) -> Exchange | None:
    """The same where copies take less time than turns."""
    found = exchange(shape, order)
    if found is None or not found.can_be_copied:
        return None
    return found if found.cycles_of_copies < cycles_of_turns(shape, order) else None


def cycles_of_turns(shape: Sequence[int], order: Sequence[int]) -> int:
    """About how long as many turns take as an order needs."""
    return sum(
        _START_CYCLES + _moving(picture.elements, picture.c) for picture in turns(shape, order)
    )


def _moving(elements: int, run: int) -> int:
    """Cycles in which so many bytes are read in a row and written in runs of so many."""
    writes = elements // run * ceil_div(run, _RUN_CHANNELS)
    return elements // _READ_PER_CYCLE + writes * _RUN_CYCLES


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


class Move(NamedTuple):
    """A transposition; its order is that of the axes where nothing is turned."""

    shape: Shape
    order: Shape

    @property
    def made(self) -> Shape:
        """The shape of what it makes."""
        return tuple(self.shape[axis] for axis in self.order)

    @property
    def is_still(self) -> bool:
        """Whether all stays where it is."""
        return self.order == tuple(range(len(self.order)))


class _Run(NamedTuple):
    """Some elements in a row of either side of a picture."""

    side: int
    """0 of columns and 1 of rows, by which they lie at first."""
    step: int
    """From each to the next, in elements of the side."""
    length: int


Step = tuple[Shape, Sequence[int] | None]
"""The shape of what is made, and the order in which axes are taken where that is not the given."""


def move_of(rows: int, columns: int, steps: Iterable[Step]) -> Move | None:
    """What steps come to that take a picture with its sides exchanged, of the picture itself; None
    where a side of some shape begins within a run and does not divide it."""
    axes = [[_Run(0, 1, columns)], [_Run(1, 1, rows)]]
    for shape, order in steps:
        if order is not None:
            axes = [axes[axis] for axis in order]
            continue
        divided = _divided([run for axis in axes for run in axis], shape)
        if divided is None:
            return None
        axes = divided
    made = [run for axis in axes for run in axis if run.length > 1]
    # Rows lie outside of columns where nothing is exchanged, and large steps outside of small ones.
    given = sorted(made, key=lambda run: (-run.side, -run.step))
    places = [given.index(run) for run in made]
    together = [
        [place for _, place in group]
        for _, group in groupby(enumerate(places), lambda pair: pair[1] - pair[0])
    ]
    firsts = sorted(group[0] for group in together)
    sizes = {group[0]: math.prod(given[place].length for place in group) for group in together}
    shape = (1, *(sizes[first] for first in firsts))
    return Move(shape, (0, *(1 + firsts.index(group[0]) for group in together)))


def _divided(runs: list[_Run], shape: Shape) -> list[list[_Run]] | None:
    """The runs by the axes of a shape that holds the same elements."""
    left, axes = runs[::-1], list[list[_Run]]()
    for size in shape:
        axis, missing = list[_Run](), size
        while missing > 1 and left:
            run = left.pop()
            if run.length > missing and run.length % missing == 0:
                inner = run.length // missing
                left.append(_Run(run.side, run.step, inner))
                run = _Run(run.side, run.step * inner, missing)
            if missing % run.length:
                return None
            axis.append(run)
            missing //= run.length
        if missing > 1:
            return None
        axes.append(axis)
    return axes if all(run.length == 1 for run in left) else None
