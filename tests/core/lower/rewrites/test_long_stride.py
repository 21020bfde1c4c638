"""Strides that the hardware does not have: the numbers stay, with one operator for each place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.geometry import Kernel
from core.check.npugraph import verify
from core.ir.network import Network
from core.ir.npugraph import OpKind
from core.ir.options import Options, Search
from core.synth.builder import Builder
from core.synth.windows import Window, window
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled
from tests.core.lower.nets import lowered
from tests.effort import some_of

KINDS = {
    "convolution": lambda b, x, over: b.conv(x, 8, over),
    "depthwise": lambda b, x, over: b.depthwise(x, over),
    "most": lambda b, x, over: b.max_pool(x, over),
    "mean": lambda b, x, over: b.avg_pool(x, over),
}

PAIRS = st.tuples(st.integers(1, 9), st.integers(1, 9))
"""Rows and columns of windows, and of their steps."""
MIXED = st.tuples(PAIRS, st.integers(1, 9)).map(
    lambda drawn: ((drawn[0][0], drawn[1]), (drawn[0][0], drawn[0][1]))
)
"""Windows that touch each other in one direction."""


def net(kind: str, size: tuple[int, int], channels: int, over: object, seed: int = 0) -> Network:
    b = Builder(seed)
    return b.build((KINDS[kind](b, b.input((1, *size, channels)), over),), kind)


def test_patches_become_pixels_of_many_channels():
    graph = lowered(net("convolution", (64, 64), 3, window(8, 8, same=False)))
    assert verify(graph) == ()
    *copies, convolution = graph.ops
    assert len(copies) == 8
    for row, op in enumerate(copies):
        assert op.ifm.start.h == row
        assert op.ifm.step_h == 8
        assert op.ifm.touched == op.ofm.touched == (1, 8, 8, 24)
        assert op.ofm.start.c == 24 * row
    assert convolution.ifm.touched == (1, 8, 8, 192)
    assert convolution.kernel == Kernel()


def test_other_windows_go_row_by_row_with_their_columns_as_channels():
    graph = lowered(net("convolution", (64, 64), 3, window((10, 8), 8, same=False)))
    assert verify(graph) == ()
    assert [op.ifm.start.h for op in graph.ops] == [*range(0, 56, 8)]
    for row, op in enumerate(graph.ops):
        assert op.ifm.touched == (1, 10, 8, 24)
        assert op.ofm.start.h == row
        assert op.ofm.touched == (1, 1, 8, 8)
        assert op.kernel == Kernel(h=10, w=1)


@pytest.mark.parametrize(
    ("size", "windows", "found"),
    [
        (4, (4, 4), [(2, 2), (2, 2)]),
        ((6, 2), (12, 8), [(3, 1), (2, 2)]),
        ((1, 12), (3, 25), [(1, 3), (1, 2), (1, 2)]),
        ((2, 8), (2, 8), [(1, 2), (1, 2), (2, 2)]),
    ],
)
def test_windows_of_a_max_pool_that_touch_are_looked_through_in_steps(size, windows, found):
    network = net("most", tuple(8 * each for each in windows), 8, window(size, size, same=False))
    graph = lowered(network)
    assert [(op.kernel.stride_h, op.kernel.stride_w) for op in graph.ops] == found
    assert all(
        (op.kernel.h, op.kernel.w) == each for op, each in zip(graph.ops, found, strict=True)
    )


@pytest.mark.parametrize("size", [5, 7, (4, 10)])
def test_those_without_short_factors_are_not(size):
    network = net("most", (40, 40), 8, window(size, size, same=False))
    assert len(lowered(network).ops) > 3
    _, compiled = scheduled_and_compiled(network, resolve("ethos-u55-64"), Options())
    assert largest_differences(network, compiled.data, range(1)) == ({}, [])


@pytest.mark.parametrize("kind", KINDS)
def test_many_places_stay_on_the_cpu(kind):
    few, many = (net(kind, (5 * count, 8), 4, window(3, (5, 1))) for count in (8, 257))
    assert lowered(few).cpu_ops == ()
    (rejection,) = lowered(many).rejections
    assert "257 places" in rejection.found


@settings(max_examples=some_of(60))
@given(
    kind=st.sampled_from([*KINDS]),
    shape=st.one_of(st.tuples(PAIRS, PAIRS), PAIRS.map(lambda patch: (patch, patch)), MIXED),
    is_same=st.booleans(),
    size=st.tuples(st.integers(9, 23), st.integers(9, 23)),
    channels=st.integers(1, 20),
    on=st.sampled_from(["ethos-u55-64", "ethos-u55-256", "ethos-u65-512"]),
    search=st.sampled_from([Search.COMPATIBLE, Search.DIRECT]),
    seed=st.integers(0, 20),
)
def test_any_stride_computes_the_same(kind, shape, is_same, size, channels, on, search, seed):
    kernel, stride = shape
    network = net(kind, size, channels, window(kernel, stride, same=is_same), seed)
    done, compiled = scheduled_and_compiled(network, resolve(on), Options(search=search))
    assert kind == "mean" or done.graph.cpu_ops == ()
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])


def kinds_of_mean(
    size: tuple[int, int], channels: int, over: Window, on: str = "ethos-u55-256"
) -> set[OpKind]:
    return {op.kind for op in lowered(net("mean", size, channels, over), on).ops}


def test_a_mean_over_deep_maps_goes_place_by_place_and_decodes_no_weights():
    """By rows, each channel's weights for each other one are decoded for each row."""
    assert kinds_of_mean((24, 24), 56, window(8, 8, same=False)) == {OpKind.AVERAGE_POOL}
    assert kinds_of_mean((64, 64), 8, window(4, 4, same=False)) == {OpKind.CONV_2D}


def test_a_mean_goes_by_rows_only_where_the_array_has_multiplied_them_by_then():
    """A convolution multiplies each channel with each other one; few MACs take long for that."""
    over = window(4, 4, same=False)
    assert kinds_of_mean((56, 56), 24, over) == {OpKind.CONV_2D}
    assert kinds_of_mean((56, 56), 24, over, "ethos-u55-32") == {OpKind.AVERAGE_POOL}


@pytest.mark.parametrize("accelerator", ["ethos-u55-128", "ethos-u55-256", "ethos-u65-256"])
def test_a_mean_whose_weights_are_decoded_no_sooner_than_places_are_made_goes_by_places(
    accelerator: str,
):
    """By the price, rows take 1.01 of the time of places here, and 1.17 where all is in DRAM."""
    kinds = kinds_of_mean((56, 56), 32, window(4, 4, same=False), accelerator)
    assert kinds == {OpKind.AVERAGE_POOL}


def test_a_mean_of_few_places_goes_by_places():
    """One operator takes some time whatever it does, a convolution as well."""
    over = window(8, 8, same=False)
    assert kinds_of_mean((24, 24), 8, over) == {OpKind.AVERAGE_POOL}
    assert kinds_of_mean((56, 56), 8, over) == {OpKind.CONV_2D}


def test_a_mean_of_more_places_than_operators_may_be_made_of_it_goes_by_rows():
    few, many = (net("mean", (side, side), 64, window(4, 4, same=False)) for side in (64, 68))
    assert len(lowered(few).ops) == 16 * 16
    assert len(lowered(many).ops) == 17


@pytest.mark.parametrize("accelerator", ["ethos-u55-32", "ethos-u65-512"])
def test_a_mean_by_places_is_as_in_the_file(accelerator: str):
    network = net("mean", (22, 26), 40, window((6, 5), (8, 7), same=False))
    _, compiled = scheduled_and_compiled(network, resolve(accelerator), Options())
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])
