"""A stride that the hardware does not have: each row of places, or each place, by itself.

ifm 66x8, kernel 10x1, stride 8x1      becomes   rows 0 to 9 -> the first row of the output,
                                                 rows 8 to 17 -> the second row, and so on

A window over one place has no stride. Along the width a stride is first folded as far as that goes
(`width_stride`), which takes no further operators, and where windows touch there are other ways
(`patches`, `max_pool`).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import replace
from core.base.geometry import Padding, Shape4, span_under
from core.lower.rewrites.convolution import Convolution
from core.lower.strides import apart


def with_short_strides(
    whole: Convolution, longest_stride: int
) -> Iterator[tuple[str, Convolution]]:
    """The same window over all places, by as many operators as that takes; each has a name."""
    kernel, made = whole.kernel, whole.ofm.shape
    rows = apart(made.h, kernel.stride_h, longest_stride)
    columns = apart(made.w, kernel.stride_w, longest_stride)
    # The padding follows from the stride as it is in the file.
    whole = replace(whole, is_same=False, padding=whole.settled_padding)
    if len(rows) * len(columns) == 1:
        yield "", replace(whole, kernel=kernel.stepping(made, longest_stride))
        return
    for row in rows:
        for column in columns:
            piece = _piece(whole, row, column)
            stepping = kernel.stepping(piece.ofm.touched, longest_stride)
            yield f"{row.start}_{column.start}", replace(piece, kernel=stepping)


def _piece(whole: Convolution, rows: range, columns: range) -> Convolution:
    """The window over some of its places: it reads no more than it needs, and pads its own part."""
    kernel, given, padding = whole.kernel, whole.ifm.shape, whole.settled_padding
    height = span_under(rows, kernel.stride_h, kernel.dilated_h, padding.top, given.h, 1)
    width = span_under(columns, kernel.stride_w, kernel.dilated_w, padding.left, given.w, 1)
    read = Shape4(given.n, len(height.inputs), len(width.inputs), given.c)
    made = whole.ofm.shape.with_hw(len(rows), len(columns))
    return replace(
        whole,
        ifm=replace(
            whole.ifm, offset=Shape4(0, height.inputs.start, width.inputs.start, 0), extent=read
        ),
        ofm=replace(whole.ofm, offset=Shape4(0, rows.start, columns.start, 0), extent=made),
        padding=Padding(
            top=height.before, bottom=height.after, left=width.before, right=width.after
        ),
    )
