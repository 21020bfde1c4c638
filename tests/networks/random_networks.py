"""Random small networks by seed, for tests that hold a whole pipeline against an oracle."""

from __future__ import annotations

import math

import numpy as np

from core.base.dtype import DType
from core.ir.network import Network
from core.synth.builder import Builder
from core.synth.draws import Draws
from core.synth.graph import QUANTIZED, Value
from tests.networks.random_steps import STEPS, Step, branch, reach

FEATURED: tuple[tuple[Step, DType], ...] = tuple(
    (step, dtype) for step in STEPS for dtype in step.dtypes
)
"""Every operator kind with every element type; consecutive seeds feature one after the other."""

_MOST_ELEMENTS = 12_000
_MOST_REACH = 1e4
_LEAST_SPREAD = 0.05
_ODD_SIZES = (1, 2, 3, 5, 7, 8, 9, 11, 13, 16, 17, 20)
_ODD_DEPTHS = (1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 24, 33)


def random_network(seed: int) -> Network:
    """A network of a few operators; `seed` modulo the featured pairs says which one is sure."""
    featured, dtype = FEATURED[seed % len(FEATURED)]
    b = Builder(seed, dtype)
    x = b.input(_shape_for(featured, b.draws), -1.0, float(b.draws.uniform((), 0.5, 3.0)))
    pool = [x]
    if b.draws.chance(0.4):
        pool.append(branch(b, x))
    _extend(b, pool, featured, pool[-1])
    for _ in range(b.draws.integer(1, 5)):
        latest = pool[-1] if b.draws.chance(0.7) else b.draws.pick(pool)
        _extend(b, pool, _step_for(b, latest), latest)
    return b.build(b.ends(), f"random_{seed}")


def _extend(b: Builder, pool: list[Value], step: Step, value: Value) -> None:
    found = step.apply(b, value)
    results = found if isinstance(found, tuple) else (found,)
    pool.extend(result for result in results if _can_go_on(b, result))


def _can_go_on(b: Builder, value: Value) -> bool:
    """Whether a value is an image, not too large, and lively enough to say something."""
    if len(value.shape) != 4 or value.shape[0] != 1 or b.dtype_of(value) not in QUANTIZED:
        return False
    is_small = math.prod(value.shape) <= _MOST_ELEMENTS
    spread = max(float(np.ptp(sample)) for sample in b.samples(value))
    return is_small and reach(b, value) < _MOST_REACH and spread > _LEAST_SPREAD


def _step_for(b: Builder, value: Value) -> Step:
    dtype = b.dtype_of(value)
    fitting = [step for step in STEPS if dtype in step.dtypes and step.fits(value.shape)]
    return b.draws.pick(fitting)


def _shape_for(step: Step, draws: Draws) -> tuple[int, int, int, int]:
    while True:
        height, width = draws.pick(_ODD_SIZES), draws.pick(_ODD_SIZES)
        shape = (1, height, width, draws.pick(_ODD_DEPTHS))
        if step.fits(shape):
            return shape
