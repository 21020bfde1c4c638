"""What stripes read, held against counting rows one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.base.geometry import Box, Kernel, Padding, Resampling, Shape4
from core.base.ids import FmId, NpuOpId
from core.emit.commands.windows import first_input
from core.ir.npugraph import NpuOp, OpKind, View


def operator(height: int, window: Kernel, top: int, rows: int, resampling: Resampling) -> NpuOp:
    return NpuOp(
        id=NpuOpId(0),
        kind=OpKind.MAX_POOL,
        name="pool",
        ifm=View(fm=FmId(0), shape=Shape4(1, height, 4, 8)),
        ofm=View(fm=FmId(1), shape=Shape4(1, rows, 4, 8)),
        kernel=window,
        padding=Padding(top=top),
        resampling=resampling,
    )


def rows_under(op: NpuOp, made: range) -> tuple[set[int], int, int]:
    """Rows of the input, and windows' rows above and below it, counted one by one."""
    factor = op.resampling.factor
    touched, last = set(), op.ifm.shape.h * factor
    for row in made:
        first = row * op.kernel.stride_h - op.padding.top
        touched |= set(range(first, first + op.kernel.dilated_h))
    inside = {row // factor for row in touched if 0 <= row < last}
    return inside, sum(row < 0 for row in touched), sum(row >= last for row in touched)


@st.composite
def cases(draw) -> tuple[NpuOp, range]:
    kernel = Kernel(
        h=draw(st.integers(1, 5)),
        stride_h=draw(st.integers(1, 3)),
        dilation_h=draw(st.integers(1, 2)),
    )
    resampling = draw(st.sampled_from((Resampling.NONE, Resampling.NEAREST)))
    height = draw(st.integers(kernel.dilated_h, 20))
    top = draw(st.integers(0, kernel.dilated_h - 1)) if resampling is Resampling.NONE else 0
    rows = 1 + (height * resampling.factor + top - kernel.dilated_h) // kernel.stride_h
    start = draw(st.integers(0, rows - 1))
    if resampling is Resampling.NEAREST and start * kernel.stride_h % 2:
        start -= start % 2
    end = draw(st.integers(start + 1, rows))
    return operator(height, kernel, top, rows, resampling), range(start, end)


@given(cases())
def test_a_stripe_reads_from_the_first_to_the_last_row_under_its_windows(case: tuple[NpuOp, range]):
    op, made = case
    inside, above, below = rows_under(op, made)
    window = first_input(op, Box(made, range(4), range(8)))
    assert (window.box.rows.start, window.box.rows.stop) == (min(inside), max(inside) + 1)
    assert (window.padding.top, window.padding.bottom) == (above, below)


def test_a_row_of_zeros_between_two_rows_is_padding():
    kernel = Kernel(h=3)
    op = operator(8, kernel, 1, 16, Resampling.TRANSPOSE)
    window = first_input(op, Box(range(4, 8), range(4), range(8)))
    # Doubled, the rows under the windows are 3 to 8; row 3 is one of zeros, row 4 is row 2.
    assert (window.box.rows, window.padding.top) == (range(2, 5), 1)
