"""Columns are read as channels where that is cheaper, and numbers stay."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.frozen import replace
from core.check.npugraph import verify
from core.ir.freedoms import ALL
from core.ir.network import Network
from core.ir.npugraph import NpuGraph
from core.ir.options import LoweringOptions, Options
from core.lower import run as lower
from core.lower.fold_prices import Prices, Uses
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled


def lowered(net: Network, on: str, *, is_free: bool = True) -> NpuGraph:
    options = LoweringOptions(freedoms=replace(ALL, folded_shapes=is_free))
    return lower.run(net, accelerator_named(on), options)


def picture(channels: int = 3, stride: int = 2, kernel: int = 3, size: int = 48) -> Network:
    b = Builder(51)
    image = b.input((1, size, size, channels))
    return b.build((b.conv(image, 16, window(kernel, stride)),), "picture")


def two_sizes() -> Network:
    b = Builder(52)
    image = b.input((1, 48, 48, 3))
    fine, coarse = b.conv(image, 8, window(3)), b.conv(image, 16, window(3, 2))
    return b.build((fine, coarse), "two sizes")


def cycles(graph: NpuGraph, on: str) -> float:
    return Prices(graph, Uses.of(graph), accelerator_named(on)).cycles(op.id for op in graph.ops)


@pytest.mark.parametrize("on", ["ethos-u55-32", "ethos-u55-256", "ethos-u65-512"])
@pytest.mark.parametrize("kernel", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("channels", [1, 3, 8])
def test_it_never_costs_more_than_the_stride_as_it_is(channels, kernel, on, monkeypatch):
    net = picture(channels, 2, kernel)
    free = cycles(lowered(net, on), on)
    monkeypatch.setattr(lower, "fold_widths", lambda graph, _: graph)
    assert free <= cycles(lowered(net, on), on)


def test_some_are_folded_and_some_are_not():
    def depth(net: Network, on: str) -> int:
        return lowered(net, on).ops[0].ifm.shape.c

    assert depth(picture(3, 2, 3, 48), "ethos-u55-256") == 6
    assert depth(picture(8, 2, 3, 96), "ethos-u65-512") == 8


def test_one_that_is_not_the_first_is_folded_as_well():
    assert {op.ifm.shape.c for op in lowered(two_sizes(), "ethos-u55-256").ops} == {3, 6}


@settings(max_examples=40)
@given(
    channels=st.integers(1, 8),
    kernel=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    stride=st.sampled_from([2, 3, (1, 2), (1, 3)]),
    is_same=st.booleans(),
    size=st.sampled_from([(18, 24), (17, 36), (9, 12)]),
    on=st.sampled_from(["ethos-u55-64", "ethos-u55-256", "ethos-u65-512"]),
    seed=st.integers(0, 20),
)
def test_any_convolution_computes_the_same(channels, kernel, stride, is_same, size, on, seed):
    b = Builder(seed)
    image = b.input((1, *size, channels))
    over = window(kernel, stride, same=is_same)
    net = b.build((b.conv(image, 8, over),), "any")
    assert verify(lowered(net, on)) == ()
    _, compiled = scheduled_and_compiled(net, resolve(on), Options())
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])
