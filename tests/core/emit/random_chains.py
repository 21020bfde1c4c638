"""Random chains of windows and sums: with little memory they run as cascades and depth slices."""

from __future__ import annotations

from core.base.dtype import DType
from core.ir.network import Network
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import window

_HEIGHTS, _WIDTHS = (17, 24, 31, 40), (5, 8, 11, 16)
_DEPTHS = (3, 8, 16, 17, 24, 40, 64)
_TYPES = (DType.INT8, DType.INT8, DType.UINT8, DType.INT16)
_MOST_HEIGHT = 64


def random_chain(seed: int) -> Network:
    b = Builder(seed, _TYPES[seed % len(_TYPES)])
    x = b.input((1, b.draws.pick(_HEIGHTS), b.draws.pick(_WIDTHS), b.draws.pick(_DEPTHS)))
    for _ in range(b.draws.integer(3, 8)):
        x = _next(b, x)
    return b.build(b.ends(), f"chain_{seed}")


def _next(b: Builder, x: Value) -> Value:
    rows, columns = b.draws.pick((1, 2, 3, 5)), b.draws.pick((1, 3, 4))
    stride = b.draws.pick((1, 1, 1, 2))
    dilation = b.draws.pick((1, 1, 2, 3)) if stride == 1 else 1
    over = window((rows, columns), stride, dilation)
    kind = b.draws.pick(("conv", "conv", "depthwise", "depthwise", "pool", "mean", "sum", "grow"))
    if kind == "conv":
        return b.conv(x, b.draws.pick(_DEPTHS), over)
    if kind == "depthwise":
        return b.depthwise(x, over)
    pooled = window((min(rows, 3), min(columns, 3)), stride)
    if kind == "pool":
        return b.max_pool(x, pooled)
    if kind == "mean":
        return b.avg_pool(x, pooled)
    if kind == "sum":
        return b.add(x, b.conv(x, x.shape[3], window(3), "NONE"))
    return _grown(b, x)


def _grown(b: Builder, x: Value) -> Value:
    """Twice as high and wide, where it stays small."""
    height, width, depth = x.shape[1], x.shape[2], x.shape[3]
    if height * 2 > _MOST_HEIGHT:
        return b.max_pool(x, window(2, 2))
    if b.draws.chance(0.4):
        return b.transpose_conv(x, min(depth, 16), window(b.draws.pick((2, 3)), 2))
    if b.dtype_of(x) is not DType.INT16 and b.draws.chance(0.5):
        return b.resize_bilinear(x, (height * 2, width * 2))
    return b.resize_nearest(x, (height * 2, width * 2))
