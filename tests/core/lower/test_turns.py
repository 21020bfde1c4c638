"""Steps of a transposition make what it makes, and are few."""

from __future__ import annotations

import itertools
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ir.network import Network
from core.ir.npugraph import OpKind
from core.ir.options import Options
from core.ir.rewritten import Rewrite
from core.lower import run as lower
from core.lower.rewrites import transpose
from core.lower.scope import Scope
from core.lower.turns import copied, exchange, turns
from core.synth.builder import Builder
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled
from tests.core.pipeline.read_backs import back_from

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


@given(st.tuples(*[st.integers(2, 5)] * 4), st.booleans())
def test_copies_of_runs_that_change_places_make_what_the_transposition_makes(sizes, has_rest):
    shape = sizes if has_rest else sizes[:3]
    order = (0, 2, 1, 3)[: len(shape)]
    runs = exchange(shape, order)
    assert runs is not None
    given = np.arange(np.prod(shape))
    together, apart = given.reshape(runs.together)[0], np.zeros(runs.apart[1:], dtype=int)
    made = apart if runs.first <= runs.second else np.zeros(runs.together[1:], dtype=int)
    read = together if runs.first <= runs.second else given.reshape(runs.apart)[0]
    for copy in range(runs.copies):
        row = slice(copy * runs.apart.w, (copy + 1) * runs.apart.w)
        depth = slice(copy * runs.behind, (copy + 1) * runs.behind)
        if runs.first <= runs.second:
            made[:, :, depth] = read[:, row]
        else:
            made[:, row] = read[:, :, depth]
    np.testing.assert_array_equal(
        made.reshape(-1), given.reshape(shape).transpose(order).reshape(-1)
    )


@pytest.mark.parametrize(
    ("shape", "order"), [((4, 3), (1, 0)), ((5, 4, 3), (2, 1, 0)), ((5, 4, 3), (1, 0, 2))]
)
def test_other_orders_are_no_exchange_behind_others(shape, order):
    assert exchange(shape, order) is None


def test_copies_are_taken_where_they_are_few():
    assert copied((500, 2, 12), (0, 2, 1)) is not None
    assert copied((500, 40, 50), (0, 2, 1)) is None
    assert copied((2, 30, 31), (0, 2, 1)) is None


WAYS = (Rewrite.COPIED_APART, Rewrite.TURNED_BY_PRODUCT)


def shuffle(groups: int, channels: int, height: int) -> Network:
    """Channels change places between groups, as in networks that shuffle them."""
    b = Builder(3)
    x = b.relu(b.input((1, height, 6, groups * channels)))
    parts = b.reshape(x, (1, height, 6, groups, channels))
    turned = b.transpose(parts, (0, 1, 2, 4, 3))
    return b.build((b.relu(b.reshape(turned, (1, height, 6, groups * channels))),), "shuffled")


@pytest.mark.parametrize(
    ("accelerator", "groups", "channels", "height", "kinds"),
    [
        ("ethos-u55-256", 2, 12, 8, [OpKind.CONV_2D]),
        ("ethos-u55-256", 3, 5, 8, [OpKind.CONV_2D]),
        ("ethos-u55-256", 2, 24, 1, [OpKind.CONV_2D]),
        ("ethos-u55-256", 8, 16, 3, [OpKind.CONV_2D]),
        ("ethos-u55-32", 2, 24, 8, [OpKind.AVERAGE_POOL] * 2),
    ],
)
def test_channels_are_shuffled_by_a_product_where_that_takes_less_time(
    accelerator, groups, channels, height, kinds
):
    network = shuffle(groups, channels, height)
    scheduled, compiled = scheduled_and_compiled(network, resolve(accelerator), Options())
    assert scheduled.graph.cpu_ops == ()
    made = [op.kind for op in scheduled.graph.ops if op.origin == "TRANSPOSE"]
    assert made == kinds
    told = [each for each in scheduled.graph.rewrites if each.rewrite in WAYS]
    assert [each.rewrite for each in told if each.reason.speaks_for] == [
        Rewrite.TURNED_BY_PRODUCT if kinds == [OpKind.CONV_2D] else Rewrite.COPIED_APART
    ]
    assert all(each.reason.speaks_for is (each.figure_with < each.figure_without) for each in told)
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])


@pytest.mark.parametrize("accelerator", ["ethos-u55-32", "ethos-u55-256", "ethos-u65-512"])
@pytest.mark.parametrize(
    ("groups", "channels", "height"), [(2, 12, 8), (2, 24, 1), (8, 16, 3), (2, 100, 8), (2, 232, 4)]
)
def test_the_way_that_is_taken_is_the_fastest_by_the_price_of_its_commands(
    accelerator, groups, channels, height
):
    network, target = shuffle(groups, channels, height), resolve(accelerator)

    def cycles(ways: tuple[Rewrite, ...] = WAYS) -> float:
        def allowed(scope: Scope, way: Rewrite, *figures: float) -> bool:
            return way in ways and (ways != WAYS or is_cheaper(scope, way, *figures))

        with patch.object(transpose, "_is_cheaper", allowed):
            return scheduled_and_compiled(network, target, Options())[0].total.total_cycles

    is_cheaper = transpose._is_cheaper
    assert cycles() <= 1.02 * min(cycles((way,)) for way in WAYS)


def test_copies_that_take_longer_than_turns_are_told_and_left():
    b = Builder(3)
    turned = b.transpose(b.input((1, 2, 30, 31)), (0, 1, 3, 2))
    network = b.build((turned,), "long_runs")
    graph = lower.run(network, resolve("ethos-u55-32").accelerator, Options().lowering)
    (told,) = graph.rewrites
    assert told.rewrite is Rewrite.COPIED_APART
    assert not told.reason.speaks_for
    assert told.figure_with >= told.figure_without
    assert all(op.ofm.is_transposed for op in graph.ops)


@pytest.mark.parametrize("accelerator", ["ethos-u55-256", "ethos-u65-256"])
@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((1, 2, 30, 31), (0, 1, 3, 2)),
        ((1, 16, 48, 4), (0, 2, 1, 3)),
        ((1, 24, 24, 65), (0, 3, 1, 2)),
    ],
)
def test_a_turn_is_priced_as_what_its_commands_write(shape, order, accelerator):
    """Elements beside each other in a row lie far apart where they are written by columns."""
    b = Builder(3)
    network = b.build((b.transpose(b.input(shape), order),), "turned")
    target = resolve(accelerator)
    scheduled, compiled = scheduled_and_compiled(network, target, Options())
    read = back_from(compiled.data, target).scheduled
    assert read.total.total_cycles == pytest.approx(scheduled.total.total_cycles, rel=0.01)
