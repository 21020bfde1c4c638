"""Networks by seed of what the random ones do not draw: shapes, ranges and ends that are odd."""

from __future__ import annotations

from math import prod

from core.base.dtype import DType
from core.ir.network import Network
from core.synth.builder import Builder
from core.synth.graph import Value
from tests.networks.odd_steps import ODD_STEPS
from tests.networks.random_steps import branch, reach

_TYPES = (DType.INT8, DType.INT8, DType.UINT8, DType.INT16)
_HEIGHTS, _WIDTHS = (1, 2, 5, 9, 16, 33), (1, 1, 3, 7, 12)
_DEPTHS = (1, 2, 7, 16, 17, 24)
_RANGES = ((-1.0, 1.0), (0.0, 3.0), (-2.0, 0.0), (-0.1, 0.2), (-300.0, 500.0))
"""Zero points in the middle and at either end, and scales far apart."""
_MOST_ELEMENTS = 12_000
_LEAST_REACH = 0.005
"""What is nearly zero everywhere has scales under which LiteRT takes no bias."""


def odd_network(seed: int) -> Network:
    """A network of some steps; the first is the one that the seed names."""
    b = Builder(seed, _TYPES[seed // len(ODD_STEPS) % len(_TYPES)])
    shape = (1, b.draws.pick(_HEIGHTS), b.draws.pick(_WIDTHS), b.draws.pick(_DEPTHS))
    given = b.input(shape, *b.draws.pick(_RANGES))
    x = ODD_STEPS[seed % len(ODD_STEPS)](b, given)
    pool = [x]
    for _ in range(b.draws.integer(0, 3)):
        value = x if b.draws.chance(0.8) else given
        if prod(value.shape) <= _MOST_ELEMENTS and reach(b, value) > _LEAST_REACH:
            x = branch(b, value) if b.draws.chance(0.3) else b.draws.pick(ODD_STEPS)(b, value)
            pool.append(x)
    return b.build(_outputs(b, given, pool), f"odd_{seed}")


def _outputs(b: Builder, given: Value, pool: list[Value]) -> tuple[Value, ...]:
    """All ends, now and then with what others read as well, or with the input itself."""
    found = list(b.ends())
    if b.draws.chance(0.3):
        found.append(b.draws.pick(pool))
    if b.draws.chance(0.15):
        found.append(given)
    return tuple(dict.fromkeys(found))
