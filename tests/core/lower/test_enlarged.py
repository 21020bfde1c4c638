"""Rows and columns that are repeated one after the other are one enlargement; numbers stay."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.check.npugraph import verify
from core.ir.freedoms import ALL, NONE
from core.ir.network import Network
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.options import LoweringOptions, Options, Search
from core.lower import run as lower
from core.lower.tiles import Repetition, enlarged
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

SIDES = st.integers(1, 5)
TIMES = st.sampled_from([2, 3, 4, 8, 16])


def graph_of(net: Network, freedoms=ALL) -> NpuGraph:
    options = LoweringOptions(freedoms=freedoms)
    return lower.run(net, accelerator_named("ethos-u55-256"), options)


def kinds(graph: NpuGraph) -> list[OpKind]:
    return [op.kind for op in graph.ops]


def upsampled(times: int, *, columns_first: bool = False, is_read_twice: bool = False) -> Network:
    """Rows and columns are repeated as today's Keras does."""
    b = Builder(35)
    x = b.conv(b.input((1, 6, 5, 4)), 8, window(3))
    steps = [
        ((1, 6, 1, 5, 8), (1, 1, times, 1, 1)),
        ((1, 6 * times, 5, 1, 8), (1, 1, 1, times, 1)),
    ]
    if columns_first:
        steps = [
            ((1, 6, 5, 1, 8), (1, 1, 1, times, 1)),
            ((1, 6, 1, 5 * times, 8), (1, 1, times, 1, 1)),
        ]
    made = []
    for shape, multiples in steps:
        x = b.tile(b.reshape(x, shape), multiples)
        made.append(x)
    x = b.conv(b.reshape(x, (1, 6 * times, 5 * times, 8)), 4, window(3))
    rest = (b.reshape(made[0], (1, 6 * 5, times, 8)),) if is_read_twice else ()
    return b.build((x, *rest), "upsampled")


@pytest.mark.parametrize("columns_first", [False, True])
@pytest.mark.parametrize("times", [2, 4, 8])
def test_both_are_repeated_at_once(times: int, columns_first: bool) -> None:
    graph = graph_of(upsampled(times, columns_first=columns_first))
    assert verify(graph) == ()
    doublings = [OpKind.RESIZE_NEAREST] * (times.bit_length() - 1)
    assert kinds(graph) == [OpKind.CONV_2D, *doublings, OpKind.CONV_2D]


def twice() -> Network:
    b = Builder(36)
    x, height, width = b.conv(b.input((1, 3, 4, 4)), 8, window(3)), 3, 4
    for _ in range(2):
        x = b.tile(b.reshape(x, (1, height, 1, width, 8)), (1, 1, 2, 1, 1))
        x = b.tile(b.reshape(x, (1, 2 * height, width, 1, 8)), (1, 1, 1, 2, 1))
        height, width = 2 * height, 2 * width
        x = b.reshape(x, (1, height, width, 8))
    return b.build((b.conv(x, 4, window(3)),), "twice")


def test_what_is_enlarged_is_enlarged_again() -> None:
    graph = graph_of(twice())
    assert verify(graph) == ()
    assert kinds(graph) == [OpKind.CONV_2D, *[OpKind.RESIZE_NEAREST] * 2, OpKind.CONV_2D]


@pytest.mark.parametrize(
    "net", [upsampled(3), upsampled(16), upsampled(2, is_read_twice=True)], ids=str
)
def test_others_are_repeated_one_after_the_other(net: Network) -> None:
    graph = graph_of(net)
    assert verify(graph) == ()
    assert OpKind.RESIZE_NEAREST not in kinds(graph)


def test_what_is_not_free_stays_as_in_the_file() -> None:
    assert OpKind.RESIZE_NEAREST not in kinds(graph_of(upsampled(2), NONE))


@pytest.mark.parametrize("search", [Search.DIRECT, Search.COMPATIBLE])
@pytest.mark.parametrize("columns_first", [False, True])
@pytest.mark.parametrize("times", [2, 4])
def test_numbers_stay(times: int, columns_first: bool, search: Search) -> None:
    assert_equal(upsampled(times, columns_first=columns_first), search)


def test_numbers_stay_where_it_is_enlarged_again() -> None:
    assert_equal(twice(), Search.DIRECT)


def assert_equal(net: Network, search: Search) -> None:
    target = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
    _, compiled = scheduled_and_compiled(net, target, Options(search=search))
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


@given(SIDES, SIDES, SIDES, TIMES, TIMES, st.booleans())
def test_a_picture_is_found_where_both_repeat_it_alone(height, width, depth, one, other, is_rows):
    """Whatever the shapes: what is found is what the two repetitions make of the elements."""
    first = (height, 1, width, depth) if is_rows else (height, width, 1, depth)
    axis = 1 if is_rows else 2
    given_elements = np.arange(math.prod(first))
    times = [1] * 4
    times[axis] = one
    between = np.tile(given_elements.reshape(first), times).reshape(-1)
    assume(between.size < 1 << 12)
    for second in splits(between.size):
        assert_is_made(first, tuple(times), second, other, given_elements)


def splits(size: int) -> list[tuple[int, int, int]]:
    """All runs of neighbours that can be repeated."""
    return [(size // n, 1, n) for n in range(1, size + 1) if size % n == 0]


def assert_is_made(first, times, second, other, elements) -> None:
    repeated = (1, other, 1)
    found = enlarged(Repetition(first, times), Repetition(second, repeated))
    made = np.tile(np.tile(elements.reshape(first), times).reshape(second), repeated).reshape(-1)
    if found is not None:
        picture, count = found
        grown = elements.reshape(picture).repeat(count, axis=1).repeat(count, axis=2)
        assert np.array_equal(grown.reshape(-1), made)
