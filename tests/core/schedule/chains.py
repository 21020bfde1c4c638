"""Random chains of operators, and a cascade that runs row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from core.base.geometry import Kernel, Resampling
from core.ir.npugraph import NpuGraph, NpuOp, OpKind
from tests.core.schedule.sketch import Sketch


class Link(NamedTuple):
    """An operator of a chain."""

    kind: OpKind
    channels: int
    kernel: Kernel
    resampling: Resampling = Resampling.NONE


KERNELS = st.builds(
    Kernel,
    h=st.integers(1, 5),
    w=st.sampled_from((1, 3)),
    stride_h=st.sampled_from((1, 1, 1, 2, 3)),
    stride_w=st.sampled_from((1, 1, 2)),
    dilation_h=st.sampled_from((1, 1, 2)),
)
LINKS = st.one_of(
    st.builds(
        Link,
        kind=st.sampled_from((OpKind.CONV_2D, OpKind.DEPTHWISE_CONV_2D, OpKind.MAX_POOL)),
        channels=st.sampled_from((8, 16, 24)),
        kernel=KERNELS,
    ),
    st.builds(
        Link,
        kind=st.sampled_from((OpKind.RESIZE_NEAREST, OpKind.RESIZE_BILINEAR)),
        channels=st.just(0),
        kernel=st.sampled_from((Kernel(), Kernel(h=2, w=2))),
        resampling=st.just(Resampling.NEAREST),
    ),
)


def chain(links: Sequence[Link], height: int, width: int = 6) -> NpuGraph:
    """The operators one behind the other."""
    s = Sketch()
    value = s.input((1, height, width, 8))
    for link in links:
        makes_other_depth = link.kind is OpKind.CONV_2D
        value = s.conv(
            value,
            link.channels if makes_other_depth else None,
            link.kernel,
            link.kind,
            resampling=link.resampling,
        )
    return s.build(value)


def rows_read(op: NpuOp, row: int) -> set[int]:
    """Rows of the input under the window of one row of the output; padding left out."""
    factor = op.resampling.factor
    taps = (
        row * op.kernel.stride_h - op.padding.top + tap * op.kernel.dilation_h
        for tap in range(op.kernel.h)
    )
    return {tap // factor for tap in taps if 0 <= tap < op.ifm.shape.h * factor}


def lost_rows(ops: Sequence[NpuOp], heights: Sequence[int], rolling: Sequence[int]) -> list[str]:
    """Runs a cascade stripe by stripe; a row of a map is stored in slot `row % height`.

    Says which rows an operator did not find in its rolling buffer.
    """
    slots: list[dict[int, int]] = [{} for _ in rolling]
    made = [0] * len(ops)
    lost: list[str] = []

    def make(at: int) -> None:
        end = min(made[at] + heights[at], ops[at].ofm.shape.h)
        needed = set().union(*(rows_read(ops[at], row) for row in range(made[at], end)))
        if at and needed:
            while made[at - 1] <= max(needed):
                make(at - 1)
            found = slots[at - 1]
            height = rolling[at - 1]
            lost.extend(f"{at}: {row}" for row in needed if found.get(row % height) != row)
        if at < len(rolling):
            for row in range(made[at], end):
                slots[at][row % rolling[at]] = row
        made[at] = end

    while made[-1] < ops[-1].ofm.shape.h:
        make(len(ops) - 1)
    return lost
