"""Repetitions along several dimensions: steps of one, or each row and column of a picture doubled.

4x1x4x8 two times along the second axis      is one step: 4 x 1 x 32, of which the 1 becomes 2
1x4x4x8 two times along the first axis       is one step: 4 x 4 x 8, two times below each other
1x4x1x4x8 two times along the third axis,    are each row and each column of 4x4x8, two times
then 1x8x4x1x8 along the fourth
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.base.frozen import NamedTuple
from core.base.geometry import Shape4

_MOST_TIMES = 8
"""As often as a resize repeats what it reads."""


class TileStep(NamedTuple):
    """What a step takes its input for, and how often it repeats that: below itself, or beside."""

    picture: Shape4
    times: int
    is_below: bool

    @property
    def made(self) -> Shape4:
        """What comes of it."""
        height, width = (self.times, 1) if self.is_below else (1, self.times)
        return self.picture.with_hw(self.picture.h * height, self.picture.w * width)


def tile_steps(shape: Sequence[int], multiples: Sequence[int]) -> tuple[TileStep, ...]:
    """Each step of a repetition; inner axes first."""
    sizes, found = list(shape), []
    for axis in reversed(range(len(sizes))):
        if multiples[axis] > 1:
            found.append(_tile_step(sizes, axis, multiples[axis]))
            sizes[axis] *= multiples[axis]
    return tuple(found)


def _tile_step(sizes: Sequence[int], axis: int, times: int) -> TileStep:
    """What is repeated as a whole is a picture as it is; else it is runs, one for each row."""
    rows, (columns, *behind) = math.prod(sizes[:axis]), sizes[axis:]
    runs = TileStep(Shape4(1, rows, columns, math.prod(behind)), times, is_below=False)
    if rows > 1 or not behind:
        return runs
    *high, wide, deep = columns, *behind
    whole = TileStep(Shape4(1, math.prod(high), wide, deep), times, is_below=True)
    return min(whole, runs, key=lambda step: max(step.made))


class Repetition(NamedTuple):
    """A tensor and how often it is repeated along each of its dimensions."""

    shape: Sequence[int]
    multiples: Sequence[int]


class _Runs(NamedTuple):
    """How many runs of neighbours are repeated, each right behind itself."""

    pieces: int
    elements: int
    times: int


def enlarged(first: Repetition, second: Repetition) -> tuple[Shape4, int] | None:
    """The picture whose rows and columns two repetitions repeat, and how often; None where they do
    something else."""
    one, other = _runs(first), _runs(second)
    if one is None or other is None or one.times != other.times:
        return None
    rows, pixels = (one, other) if one.elements > other.elements else (other, one)
    height, depth, times = rows.pieces, pixels.elements, one.times
    # What is repeated second is longer, or more often there, for what was repeated first.
    width, rest = divmod(pixels.pieces, height * (times if pixels is other else 1))
    is_whole = rest == 0 and rows.elements == width * depth * (times if rows is other else 1)
    is_power = times & (times - 1) == 0
    if not (is_whole and is_power and times <= _MOST_TIMES):
        return None
    return Shape4(1, height, width, depth), times


def _runs(repetition: Repetition) -> _Runs | None:
    """What is repeated along a dimension of one element."""
    shape, multiples = repetition
    axes = [axis for axis, times in enumerate(multiples) if times > 1]
    if len(axes) != 1 or shape[axes[0]] != 1:
        return None
    (axis,) = axes
    return _Runs(math.prod(shape[:axis]), math.prod(shape[axis + 1 :]), multiples[axis])
