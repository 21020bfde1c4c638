"""Steps of a transposition make what it makes, and are few."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ir.network import Network
from core.ir.options import Options
from core.lower.turns import turns
from core.synth.builder import Builder
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

CASES = st.lists(st.integers(1, 4), min_size=1, max_size=5).flatmap(
    lambda shape: st.tuples(st.just(shape), st.permutations(range(len(shape))))
)


@given(CASES)
def test_steps_one_after_the_other_are_the_transposition(case):
    shape, order = case
    given = np.arange(np.prod(shape)).reshape(shape)
    turned = given.reshape(-1)
    for picture in turns(shape, order):
        turned = turned.reshape(picture).swapaxes(1, 2)
    np.testing.assert_array_equal(turned.reshape(-1), given.transpose(order).reshape(-1))


@pytest.mark.parametrize(
    ("shape", "order", "expected"),
    [
        ((1, 6, 8, 65), (0, 3, 1, 2), [(1, 48, 65, 1)]),
        ((1, 16, 4, 756), (0, 2, 3, 1), [(1, 16, 3024, 1)]),
        ((1, 4, 16, 756), (0, 2, 1, 3), [(1, 4, 16, 756)]),
        ((1, 5, 1, 7), (0, 2, 3, 1), [(1, 5, 7, 1)]),
        ((1, 5, 1, 7), (2, 0, 1, 3), []),
        ((4, 2, 1, 3), (1, 2, 3, 0), [(1, 4, 6, 1)]),
    ],
)
def test_axes_that_stay_together_and_those_of_one_element_take_no_step(shape, order, expected):
    assert [tuple(picture) for picture in turns(shape, order)] == expected


def test_no_order_of_four_takes_more_than_three_steps():
    orders = itertools.permutations(range(4))
    assert max(len(turns((2, 3, 4, 5), order)) for order in orders) == 3


def transposition(order: tuple[int, ...]) -> Network:
    b = Builder(7)
    x = b.relu(b.input((1, 5, 6, 7)))
    return b.build((b.relu(b.transpose(x, order)),), "turned")


@pytest.mark.parametrize("order", list(itertools.permutations(range(1, 4))))
def test_every_order_runs_on_the_npu_and_is_equal(order):
    network = transposition((0, *order))
    scheduled, compiled = scheduled_and_compiled(network, resolve("ethos-u55-64"), Options())
    assert scheduled.graph.cpu_ops == ()
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])
