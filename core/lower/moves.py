"""What a row of reshapes and transpositions comes to: one transposition of the elements that were
there, in whichever order they lay.

    4x16x720 of 64x720, in the order (0, 2, 1), of what lay as 720x64      720x4x16 in (1, 0, 2)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import prod
from typing import NamedTuple

Shape = tuple[int, ...]


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
    sizes = {group[0]: prod(given[place].length for place in group) for group in together}
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
