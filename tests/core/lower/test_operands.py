"""Which input of an element-wise operator is the second, and what of it commands hold."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.freedoms import ALL
from core.ir.network import Network
from core.ir.npugraph import NpuGraph
from core.ir.options import LoweringOptions, Options
from core.lower import run as lower
from core.synth.builder import Builder
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

TARGET = resolve("ethos-u55-128")
SHAPES = [(), (1,), (1, 1, 1, 1)]
KINDS = ["add", "sub", "mul", "minimum", "maximum"]


def with_number(
    kind: str, shape: tuple[int, ...], dtype: DType = DType.INT8, *, first: bool = False
) -> Network:
    """An operator of a map and one number, which may come first."""
    b = Builder(49, dtype)
    x = b.input((1, 6, 5, 20))
    number = b.constant(np.full(shape, 0.75))
    if kind in {"minimum", "maximum"}:
        x, number = b.united((x, number))
    made = getattr(b, kind)(*((number, x) if first else (x, number)))
    return b.build((made,), kind)


def constants_read(graph: NpuGraph) -> list[tuple[int, ...]]:
    """The shapes of constants that are second inputs."""
    seconds = (graph.fm(op.ifm2) for op in graph.ops if op.ifm2 is not None)
    return [fm.shape for fm in seconds if fm.data is not None]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT16])
@pytest.mark.parametrize("kind", KINDS)
def test_a_number_is_a_part_of_the_command_whatever_its_dimensions(kind, shape, dtype):
    for first in (False, True):
        net = with_number(kind, shape, dtype, first=first)
        scheduled, compiled = scheduled_and_compiled(net, TARGET, Options())
        assert set(constants_read(scheduled.graph)) <= {()}
        assert largest_differences(net, compiled.data, range(2)) == ({}, [])


def test_without_the_freedom_it_has_the_dimensions_of_the_file():
    net = with_number("sub", (1, 1, 1, 1))
    for is_near, shape in ((True, ()), (False, (1, 1, 1, 1))):
        freedoms = replace(ALL, composed_tables=False, near_constants=is_near)
        graph = lower.run(net, TARGET.accelerator, LoweringOptions(freedoms=freedoms))
        assert constants_read(graph) == [shape]


def test_numbers_for_channels_are_read():
    b = Builder(50)
    x = b.add(b.input((1, 6, 5, 20)), b.constant(np.linspace(0.1, 0.9, 20)))
    graph = lower.run(b.build((x,), "channels"), TARGET.accelerator, LoweringOptions(freedoms=ALL))
    assert () not in constants_read(graph)
