"""Steps that differ in sizes alone, as one whose sizes are arrays: formulas answer for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from core.base.frozen import replace
from core.base.geometry import ORIGIN, Block, Shape4
from core.cost.work import FmUse, Step, WeightUse
from core.target.block import ManyBlocks

_NO_BLOCK = Block(0, 0, 0)


def without_sizes(step: Step) -> Step:
    """What is the same in all steps that are alike."""
    work, weights = step.work, step.weights
    block = replace(
        work.block, ofm_block=_NO_BLOCK, ifm_block=_NO_BLOCK, is_part_kernel=False, layout=None
    )
    return replace(
        step,
        work=replace(
            work,
            ifm=_of_size(work.ifm, ORIGIN, 0),
            ifm2=None if work.ifm2 is None else _of_size(work.ifm2, ORIGIN, 0),
            ofm=_of_size(work.ofm, ORIGIN, 0),
            block=block,
        ),
        weights=None if weights is None else _weighing(weights, 0, 0, 0),
    )


def as_one(steps: Sequence[Step], blocks: Sequence[ManyBlocks]) -> Step:
    """Steps that are alike, each in many blocks, as one step in all of their blocks."""
    counts = [each.count for each in blocks]
    rows = np.array([_sizes(step) for step in steps], dtype=np.int64)
    columns = iter(np.repeat(rows, counts, axis=0).T)
    step = steps[0]
    work, weights = step.work, step.weights
    return replace(
        step,
        work=replace(
            work,
            ifm=_of_size(work.ifm, _shape(columns), *_numbers(columns, 1)),
            ofm=_of_size(work.ofm, _shape(columns), *_numbers(columns, 1)),
            ifm2=None
            if work.ifm2 is None
            else _of_size(work.ifm2, _shape(columns), *_numbers(columns, 1)),
            block=ManyBlocks.joined(blocks).instead_of(work.block),
        ),
        weights=None if weights is None else _weighing(weights, *_numbers(columns, 3)),
    )


def _sizes(step: Step) -> tuple[int, ...]:
    """In the order in which `as_one` takes them."""
    work, weights = step.work, step.weights
    maps = (use for use in (work.ifm, work.ofm, work.ifm2) if use is not None)
    sizes = [size for use in maps for size in (*use.shape, use.pitch)]
    weighing: tuple[int, ...] = ()
    if weights is not None:
        cycles = 0 if weights.buffer is None else weights.buffer.whole_cycles
        weighing = weights.stream_bytes, weights.elements, cycles
    return (*sizes, *weighing)


def _numbers(columns: Iterator[npt.NDArray[np.int64]], count: int) -> tuple[int, ...]:
    """The next columns, typed as the numbers that formulas take them for."""
    return cast("tuple[int, ...]", tuple(next(columns) for _ in range(count)))


def _shape(columns: Iterator[npt.NDArray[np.int64]]) -> Shape4:
    return Shape4(*_numbers(columns, len(Shape4._fields)))


def _of_size(use: FmUse, shape: Shape4, pitch: int) -> FmUse:
    return replace(use, shape=shape, pitch=pitch)


def _weighing(weights: WeightUse, stream_bytes: int, elements: int, cycles: int) -> WeightUse:
    buffer = weights.buffer
    if buffer is not None:
        # Nothing else of a buffer decides between blocks.
        buffer = replace(buffer, first_bytes=0, whole_cycles=cycles, last_slice_cycles=0)
    return replace(weights, stream_bytes=stream_bytes, elements=elements, buffer=buffer)
