"""Random networks that are worth scheduling, random targets, and what judges say of the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from core.base.dtype import DType
from core.check import memory as memory_check
from core.check import schedule as schedule_check
from core.check.finding import Finding
from core.ir.network import Network
from core.ir.options import Allocator, EvictionPolicy, Options, Strategy
from core.ir.scheduled import Run, Scheduled
from core.lower import run as lower
from core.pipeline.scheduled import Workbench
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import window
from core.target.resolve import resolve
from core.target.target import Target
from tests.canonical import canonical_text
from tests.networks.random_steps import STEPS

KIB = 1024
_MOST_ELEMENTS = 1 << 16

_EMBEDDED = "Ethos_U55_High_End_Embedded"
TARGETS = (
    ("ethos-u55-32", "Ethos_U55_Deep_Embedded", "Shared_Sram"),
    ("ethos-u55-64", "Ethos_U55_Deep_Embedded", "Sram_Only"),
    ("ethos-u55-128", _EMBEDDED, "Shared_Sram"),
    ("ethos-u55-256", _EMBEDDED, "Shared_Sram"),
    ("ethos-u65-256", "Ethos_U65_Embedded", "Shared_Sram"),
    ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
    ("ethos-u65-512", "Ethos_U65_Mid_End", "Dedicated_Sram"),
)


class Case(NamedTuple):
    """What is scheduled: the seed and the number of steps of a network, and for what."""

    seed: int
    steps: int
    target: tuple[str, str, str]
    limit_bytes: int
    options: Options


CASES = st.builds(
    Case,
    seed=st.integers(0, 1 << 20),
    steps=st.integers(1, 60),
    target=st.sampled_from(TARGETS),
    # Small limits are the interesting ones.
    limit_bytes=st.one_of(st.integers(8, 128), st.integers(128, 1024)).map(lambda n: n * KIB),
    options=st.builds(
        Options,
        strategy=st.sampled_from(Strategy),
        eviction=st.sampled_from(EvictionPolicy),
        allocator=st.sampled_from((Allocator.HILL_CLIMB, Allocator.GREEDY, Allocator.LINEAR)),
    ),
)
SHORT_CASES = CASES.map(lambda case: case._replace(steps=min(case.steps, 25)))
"""With all that others have but length, which multiplies the time of a search. What is tried by
hundreds has networks of any length."""


def network(seed: int, steps: int) -> Network:
    """Images of up to 64 Ki elements: chains, branches, sums over long ways, and joins."""
    b = Builder(seed, dtype_of(seed))
    side = b.draws.pick((7, 16, 24, 33, 48))
    pool = [b.input((1, side, b.draws.pick((side, side, 5)), b.draws.pick((1, 3, 8, 16))))]
    if b.draws.chance(0.3):
        # Another input, which may be read late.
        pool.insert(0, b.input(pool[0].shape))
    for _ in range(steps):
        value = pool[-1] if b.draws.chance(0.75) else b.draws.pick(pool)
        step = b.draws.pick(_STEPS)
        pool += [found for found in step(b, pool, value) if _can_go_on(b, found)]
    return b.build(b.ends(), f"random_{seed}_{steps}")


def dtype_of(seed: int) -> DType:
    return DType.INT16 if seed % 7 == 3 else DType.INT8


def scheduled(case: Case) -> Scheduled:
    """The case's schedule."""
    return bench(case).schedule(target_of(case), case.options)


def bench(case: Case) -> Workbench:
    """The case's network, lowered."""
    target = target_of(case)
    net = network(case.seed, case.steps)
    graph = lower.run(net, target.accelerator, case.options.lowering)
    return Workbench(Run(network=net, accelerator=target.accelerator, graph=graph))


def target_of(case: Case) -> Target:
    return resolve(*case.target, arena_cache_size=case.limit_bytes)


def findings(done: Scheduled) -> tuple[Finding, ...]:
    """Everything that the judges of schedules and of layouts find."""
    graph, target = done.run.graph, done.target
    return (
        *schedule_check.verify(graph, target, done.schedule),
        *memory_check.verify(graph, target, done.schedule, done.layout),
    )


def text_of(done: Scheduled) -> str:
    """All that was decided."""
    return canonical_text(done.schedule) + canonical_text(done.layout)


Step = Callable[[Builder, list[Value], Value], tuple[Value, ...]]


def _can_go_on(b: Builder, value: Value) -> bool:
    if len(value.shape) != 4 or value.shape[0] != 1 or b.dtype_of(value) is not b.dtype:
        return False
    reach = max(float(np.abs(sample).max()) for sample in b.samples(value))
    return int(np.prod(value.shape)) <= _MOST_ELEMENTS and 1e-3 < reach < 1e4


def _conv(b: Builder, _: list[Value], x: Value) -> tuple[Value, ...]:
    size = b.draws.pick(((3, 3), (1, 1), (3, 3), (5, 3)))
    stride = b.draws.pick((1, 1, 1, 2))
    channels = b.draws.pick((4, 8, 16, 16, 24, 32, 40))
    return (b.conv(x, channels, window(size, stride), b.draws.pick(("NONE", "RELU"))),)


def _depthwise(b: Builder, _: list[Value], x: Value) -> tuple[Value, ...]:
    return (b.depthwise(x, window(3, b.draws.pick((1, 1, 2)))),) if x.shape[3] > 1 else ()


def _pool(b: Builder, _: list[Value], x: Value) -> tuple[Value, ...]:
    over = window(2, 2, same=True)
    return (b.max_pool(x, over) if b.draws.chance(0.5) else b.avg_pool(x, over),)


def _sum(b: Builder, pool: list[Value], x: Value) -> tuple[Value, ...]:
    """With whatever has this shape, be it far back, or with a constant."""
    others = [other for other in pool if other.shape == x.shape and other.index != x.index]
    if others and b.draws.chance(0.85):
        other = b.draws.pick(others)
        return (b.draws.pick((b.add, b.mul, b.maximum, b.sub))(x, other),)
    row = b.constant(b.draws.uniform((1, 1, 1, x.shape[3]), -1.5, 1.5), b.dtype_of(x))
    return (b.add(x, row),)


def _join(b: Builder, pool: list[Value], x: Value) -> tuple[Value, ...]:
    """Beside up to two others of the same height and width."""
    others = [other for other in pool if other.shape[:3] == x.shape[:3]]
    return (b.concat([x, *(b.draws.pick(others) for _ in range(b.draws.integer(1, 2)))]),)


def _resize(b: Builder, _: list[Value], x: Value) -> tuple[Value, ...]:
    size = (2 * x.shape[1], 2 * x.shape[2])
    return (b.resize_nearest(x, size) if b.draws.chance(0.5) else b.resize_bilinear(x, size),)


def _fork(b: Builder, _: list[Value], x: Value) -> tuple[Value, ...]:
    """Two ways that can be summed up later."""
    return (b.conv(x, x.shape[3], window(3)), b.conv(x, x.shape[3], window(1)))


def _alone(b: Builder, _: list[Value], x: Value) -> tuple[Value, ...]:
    return (b.draws.pick((b.relu, b.tanh, b.leaky_relu, b.logistic))(x),)


def _any(b: Builder, _: list[Value], x: Value) -> tuple[Value, ...]:
    """Any operator that there is, where it does not make too much of a large image."""
    if int(np.prod(x.shape)) > 12_000:
        return _pool(b, [], x)
    dtype = b.dtype_of(x)
    fitting = [step for step in STEPS if dtype in step.dtypes and step.fits(x.shape)]
    found = b.draws.pick(fitting).apply(b, x)
    return found if isinstance(found, tuple) else (found,)


_STEPS: tuple[Step, ...] = (
    _conv,
    _conv,
    _conv,
    _depthwise,
    _depthwise,
    _pool,
    _sum,
    _sum,
    _join,
    _resize,
    _fork,
    _alone,
    _any,
)
