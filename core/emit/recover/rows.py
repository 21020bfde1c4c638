"""Which rows the operations of a layer make and read, and the whole maps that these belong to."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from core.base.frozen import NamedTuple
from core.base.geometry import Shape4
from core.ir.program import MapUse, NpuOperation, ScalarUse
from core.ir.schedule import Stripe
from core.liveness.stripes import RowStep


class Whole(NamedTuple):
    """A layer's maps over all of its operations, and its first stripe."""

    ofm: Shape4
    ifm: Shape4
    ifm2: Shape4 | None
    stripe: Stripe
    steps: tuple[RowStep, ...]
    """By operation."""
    channels: tuple[int, ...]
    """Output channels at which slices begin, and the end."""


def whole_of(ops: Sequence[NpuOperation], *, stripes: int) -> Whole:
    """The maps of a layer whose operations are stripes, slices, or just one."""
    first = ops[0]
    is_striped = stripes > 1
    steps = _steps(ops, is_striped=is_striped)
    rows = max(step.end for step in steps)
    read = max(step.reads_end for step in steps)
    channels = [0]
    for op in ops if not is_striped else ops[:1]:
        channels.append(channels[-1] + op.ofm.shape.c)
    ofm = first.ofm.shape.with_hw(rows, first.ofm.shape.w).with_depth(channels[-1])
    ifm = first.ifm.shape.with_hw(read, first.ifm.shape.w)
    if len(ops) > 1 and not is_striped and len({op.ifm.bases[0] for op in ops}) > 1:
        ifm = ifm.with_depth(sum(op.ifm.shape.c for op in ops))
    ifm2 = _second(ops, is_striped=is_striped)
    stripe = Stripe(ofm, ifm, ifm2)
    if is_striped:
        stripe = Stripe(
            ofm.with_hw(first.ofm.shape.h, ofm.w),
            ifm.with_hw(first.ifm.shape.h, ifm.w),
            shape_of(first.ifm2),
        )
    return Whole(ofm, ifm, ifm2, stripe, steps, tuple(channels))


def shape_of(use: MapUse | ScalarUse | None) -> Shape4 | None:
    """What is touched of a second input."""
    if use is None:
        return None
    return use.shape if isinstance(use, MapUse) else Shape4()


def _second(ops: Sequence[NpuOperation], *, is_striped: bool) -> Shape4 | None:
    shape = shape_of(ops[0].ifm2)
    if shape is None or not is_striped or ops[0].broadcast.h or isinstance(ops[0].ifm2, ScalarUse):
        return shape
    rows = sum(op.ifm2.shape.h for op in ops if isinstance(op.ifm2, MapUse))
    return shape.with_hw(rows, shape.w)


def _steps(ops: Sequence[NpuOperation], *, is_striped: bool) -> tuple[RowStep, ...]:
    heights = [op.ofm.shape.h for op in ops]
    begins = list(itertools.accumulate(heights[:-1], initial=0)) if is_striped else [0] * len(ops)
    reads = _reads_from(ops[0], begins)
    return tuple(
        RowStep(begin, begin + height, above, above + op.ifm.shape.h)
        for begin, height, above, op in zip(begins, heights, reads, ops, strict=True)
    )


def _reads_from(op: NpuOperation, rows: list[int]) -> list[int]:
    """The first row of the input that each of some rows of the output needs."""
    if op.job.is_elementwise:
        return rows if op.ifm.shape.h > 1 or op.ofm.shape.h == 1 else [0] * len(rows)
    stride, above, factor = op.kernel.stride_h, op.padding.top, op.upscale.factor
    return [max(row * stride - above, 0) // factor for row in rows]
