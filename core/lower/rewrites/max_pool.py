"""MAX_POOL_2D: windows of long strides that touch each other are looked through in short steps.

kernel 4x4, stride 4x4      becomes   kernel 2x2, stride 2x2, twice
kernel 6x3, stride 6x2      becomes   kernel 3x1, stride 3x1, and then kernel 2x3, stride 2x2

7x40x8, kernel 1x4, stride 1x4      becomes   70x4x8, kernel 1x4, which makes 70x1x8

What windows of one row see one after the other are rows of the same bytes, with one window each:
nothing is stored between steps, and beside DRAM the output would be written in short bursts. So it
is done where memory is saved.
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import Kernel, Padding
from core.ir.npugraph import OpKind
from core.lower.rewrites.convolution import Convolution
from core.lower.rewrites.windowed import emit_pool
from core.lower.scope import Scope
from core.lower.strides import short_steps
from core.target.limits import OperatorLimits


def lower(scope: Scope) -> None:
    """Lower MAX_POOL_2D."""
    pool = Convolution.of_window(scope, OpKind.MAX_POOL)
    if scope.saves_memory:
        pool = _with_windows_as_rows(pool, scope.limits)
    padding = pool.settled_padding
    *early, last = _steps(pool.kernel, padding, scope.limits.longest_stride)
    for number, kernel in enumerate(early):
        given = pool.ifm.shape
        height, width = (given.h - kernel.h) // kernel.h + 1, (given.w - kernel.w) // kernel.w + 1
        shape = given.with_hw(height, width)
        made = scope.temporary(f"step{number}", shape, scope.dtype(pool.ifm), pool.ifm.quant)
        scope.emit(OpKind.MAX_POOL, pool.ifm, made, f"step{number}", kernel=kernel)
        pool = replace(pool, ifm=made)
    emit_pool(scope, replace(pool, kernel=last, is_same=False, padding=padding))


def _with_windows_as_rows(pool: Convolution, limits: OperatorLimits) -> Convolution:
    """The same windows of a stride that the hardware has not, each as the whole of a row."""
    kernel, given, made = pool.kernel, pool.ifm.shape, pool.ofm.shape
    windows = made.h * made.w
    is_alone = kernel == Kernel(w=kernel.w, stride_w=kernel.w)
    is_whole = given.h == made.h and given.w == made.w * kernel.w
    fits = windows <= limits.greatest_dimension
    if kernel.w <= limits.longest_stride or not (is_alone and is_whole and fits):
        return pool
    return replace(
        pool,
        ifm=replace(pool.ifm, shape=given.with_hw(windows, kernel.w)),
        ofm=replace(pool.ofm, shape=made.with_hw(windows, 1)),
        kernel=Kernel(w=kernel.w),
        is_same=False,
    )


def _steps(kernel: Kernel, padding: Padding, longest_stride: int) -> list[Kernel]:
    """Windows one after the other that find what one does; all but the last touch each other."""
    rows = short_steps(kernel.h, kernel.stride_h, padding.top + padding.bottom, longest_stride)
    columns = short_steps(kernel.w, kernel.stride_w, padding.left + padding.right, longest_stride)
    count = max(len(rows), len(columns))
    both = zip(_behind(rows, count), _behind(columns, count), strict=True)
    return [
        Kernel(h=height, w=width, stride_h=down, stride_w=right)
        for (height, down), (width, right) in both
    ]


def _behind(steps: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """So many steps, of which the first ones do nothing."""
    return [(1, 1)] * (count - len(steps)) + steps
