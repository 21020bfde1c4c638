"""Random networks with branches of every kind, high enough to run stripe by stripe."""

from __future__ import annotations

from core.ir.network import Network
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import window

_HEIGHTS = (16, 20, 24, 30)
_WIDTHS = (8, 12, 16)
_DEPTHS = (4, 8, 16, 20, 32)


def branching_network(seed: int) -> Network:
    """Residuals, joins by channels and by rows, splits, slices, several readers, other sizes."""
    b = Builder(seed)
    draws = b.draws
    x = b.input((1, draws.pick(_HEIGHTS), draws.pick(_WIDTHS), draws.pick((3, 8, 16))))
    x = b.conv(x, draws.pick(_DEPTHS), window(3))
    side: list[Value] = []
    for _ in range(draws.integer(2, 5)):
        if draws.chance(0.2):
            side.append(x)
        x = draws.pick(BRANCHES)(b, x)
    ends = [b.conv(each, 4) for each in (*side[-2:], x)]
    return b.build(ends, f"branching_{seed}")


def _worked(b: Builder, x: Value) -> Value:
    """One operator that keeps height and width."""
    draws = b.draws
    match draws.integer(0, 5):
        case 0:
            return b.depthwise(x, window(3, 1, draws.pick((1, 2))))
        case 1:
            return b.max_pool(x, window(3))
        case 2:
            return b.leaky_relu(x)
        case 3:
            return b.conv(x, x.shape[3], window((draws.pick((1, 3, 5)), 3)), "NONE")
        case 4:
            return b.avg_pool(x, window(3))
        case _:
            return b.conv(x, x.shape[3])


def _path(b: Builder, x: Value) -> Value:
    for _ in range(b.draws.integer(1, 3)):
        x = _worked(b, x)
    return x


def _residual(b: Builder, x: Value) -> Value:
    return b.draws.pick((b.add, b.sub, b.maximum, b.mul))(_path(b, x), x)


def _both(b: Builder, x: Value) -> Value:
    return b.add(_path(b, x), _path(b, x), "RELU")


def _joined(b: Builder, x: Value) -> Value:
    parts = [_path(b, x), x, b.conv(x, b.draws.pick(_DEPTHS), window(3))]
    return b.conv(b.concat(parts[: b.draws.integer(2, 3)]), b.draws.pick(_DEPTHS))


def _stacked(b: Builder, x: Value) -> Value:
    """Joined by rows, and then not as high any more."""
    return b.max_pool(b.concat((_path(b, x), _path(b, x)), 1), window(2, (2, 1), same=True))


def _split(b: Builder, x: Value) -> Value:
    if x.shape[3] % 2:
        return _residual(b, x)
    left, right = b.split(x, 2, 3)
    return b.concat((left, _path(b, right), right))


def _sliced(b: Builder, x: Value) -> Value:
    depth = x.shape[3]
    some = b.slice(x, (0, 0, 0, depth // 4), (1, x.shape[1], x.shape[2], depth // 2))
    return b.concat((_path(b, some), x))


def _halved(b: Builder, x: Value) -> Value:
    if min(x.shape[1:3]) < 8:
        return _residual(b, x)
    down = b.conv(x, b.draws.pick(_DEPTHS), window(3, 2), "NONE")
    return b.add(_path(b, down), down)


def _up(b: Builder, x: Value) -> Value:
    """Halved, made as high as before, and joined with what was there."""
    height, width = x.shape[1:3]
    if height % 2 or width % 2 or min(height, width) < 8:
        return _both(b, x)
    down = _path(b, b.max_pool(x, window(2, 2)))
    return b.concat((b.resize_nearest(down, (height, width)), x))


BRANCHES = (_residual, _both, _joined, _stacked, _split, _sliced, _halved, _up)

_LEVEL = (_residual, _both, _joined, _split, _sliced)
"""Those after which a map is as high and wide as before."""


def long_branching_network(operators: int, seed: int = 3) -> Network:
    """So many source operators, or a few more: branch after branch on maps of one size."""
    b = Builder(seed)
    x = b.conv(b.input((1, 32, 16, 16)), 16, window(3))
    while b.size < operators:
        x = b.draws.pick(_LEVEL)(b, x)
    return b.build([b.conv(x, 4)], f"long_branching_{operators}")
