"""PAD is taken over in all forms that the hardware can apply, and in no others."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.freedoms import ALL, NONE
from core.ir.network import Network
from core.ir.npugraph import OpKind
from core.ir.options import LoweringOptions, Options, Strategy
from core.lower import run as lower
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import Window, window
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

Amounts = tuple[tuple[int, int], tuple[int, int]]
"""Rows above and below, columns left and right."""

EVEN: Amounts = ((1, 1), (1, 1))
VALID3, SAME3 = window(3, same=False), window(3)


def conv(b: Builder, x: Value, over: Window) -> Value:
    return b.conv(x, 8, over)


def depthwise(b: Builder, x: Value, over: Window) -> Value:
    return b.depthwise(x, over)


def max_pool(b: Builder, x: Value, over: Window) -> Value:
    return b.max_pool(x, over)


def avg_pool(b: Builder, x: Value, over: Window) -> Value:
    return b.avg_pool(x, over)


USUAL = [(conv, EVEN, VALID3), (depthwise, EVEN, VALID3), (avg_pool, EVEN, VALID3)]
FREE = [
    (conv, ((1, 2), (1, 2)), window(3, 2, same=False)),
    (depthwise, ((1, 2), (1, 2)), window(3, 2, same=False)),
    (conv, ((1, 0), (1, 0)), window(3, 2)),
    (depthwise, ((1, 0), (1, 0)), window(3, 2)),
    (max_pool, EVEN, VALID3),
    (max_pool, EVEN, window(3, 2, same=False)),
    (max_pool, ((1, 0), (1, 0)), window(3, 2)),
    (avg_pool, ((1, 0), (0, 2)), window(5, same=False)),
    (conv, ((2, 2), (2, 2)), VALID3),
    (depthwise, ((2, 0), (0, 2)), VALID3),
    (conv, EVEN, SAME3),
    (conv, ((4, 4), (3, 3)), window(5, 2, same=False)),
    (conv, ((0, 0), (4, 0)), window((1, 3), 1, (1, 2), same=False)),
]
NEVER = [
    (conv, ((3, 0), (0, 0)), VALID3),
    (depthwise, ((0, 0), (0, 3)), VALID3),
    (conv, EVEN, window(1)),
    (avg_pool, EVEN, window(5)),
    (max_pool, ((2, 2), (2, 2)), VALID3),
]


def padded(
    make, amounts: Amounts, over: Window, dtype: DType = DType.INT8, clamp: str = "RELU"
) -> Network:
    b = Builder(11, dtype)
    x = b.conv(b.input((1, 13, 13, 6)), 8, window(3), clamp)
    x = b.pad(x, ((0, 0), *amounts, (0, 0)))
    return b.build((make(b, x, over),), "padded")


def operators(network: Network, freedoms=ALL) -> int:
    options = LoweringOptions(freedoms=replace(freedoms, folded_shapes=False))
    return len(lower.run(network, accelerator_named("ethos-u55-256"), options).ops)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT16])
@pytest.mark.parametrize(("make", "amounts", "over"), [*USUAL, *FREE])
def test_what_takes_over_a_pad_computes_the_same(make, amounts, over, dtype):
    network = padded(make, amounts, over, dtype)
    assert operators(network) == 2
    _, compiled = scheduled_and_compiled(network, resolve("ethos-u55-128"), Options())
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])


@pytest.mark.parametrize(("make", "amounts", "over"), FREE)
def test_without_the_freedom_unusual_forms_stay_operators(make, amounts, over):
    assert operators(padded(make, amounts, over), NONE) > 2


@pytest.mark.parametrize(("make", "amounts", "over"), USUAL)
def test_usual_forms_are_taken_over_at_every_level(make, amounts, over):
    assert operators(padded(make, amounts, over), NONE) == 2


@pytest.mark.parametrize(("make", "amounts", "over"), NEVER)
def test_what_would_need_zeros_in_memory_stays_an_operator(make, amounts, over):
    assert operators(padded(make, amounts, over)) > 2


def test_a_greatest_element_below_zero_keeps_the_pad():
    network = padded(max_pool, EVEN, VALID3, clamp="NONE")
    assert operators(network) > 2


def test_a_pad_with_two_readers_goes_where_both_take_it_over():
    b = Builder(12)
    x = b.pad(b.input((1, 8, 8, 16)), ((0, 0), *EVEN, (0, 0)))
    both = b.conv(x, 8, VALID3), b.depthwise(x, VALID3)
    network = b.build(both, "both")
    assert {
        op.kind
        for op in lower.run(network, accelerator_named("ethos-u55-256"), LoweringOptions()).ops
    } == {OpKind.CONV_2D, OpKind.DEPTHWISE_CONV_2D}


@pytest.mark.long
@settings(max_examples=25)
@given(data=st.data(), on=st.sampled_from(["ethos-u55-64", "ethos-u55-256", "ethos-u65-512"]))
def test_long_paddings_pass_in_stripes(data, on):
    b = Builder(data.draw(st.integers(0, 99)))
    x = b.input((1, 20, 12, 4))
    for make in data.draw(st.lists(st.sampled_from([conv, depthwise]), min_size=2, max_size=4)):
        height, width = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
        step = data.draw(st.sampled_from([1, 1, 2]))
        sides = [data.draw(st.integers(0, size - 1)) for size in (height, height, width, width)]
        x = b.pad(x, ((0, 0), (sides[0], sides[1]), (sides[2], sides[3]), (0, 0)))
        x = make(b, x, window((height, width), step, same=False))
        if min(b.samples(x)[0].shape[1:3]) < 6:
            break
    network = b.build((x,), "striped")
    target = resolve(on, arena_cache_size="2048")
    for strategy in Strategy:
        _, compiled = scheduled_and_compiled(network, target, Options(strategy=strategy))
        assert largest_differences(network, compiled.data, range(2)) == ({}, [])


def causal(dilation: int, *, is_shown: bool = False, rows: int = 1) -> Network:
    """A sequence that only looks back: of three dimensions, and of four for its convolution."""
    b = Builder(12)
    x = b.pad(b.input((rows, 32, 8)), ((0, 0), (2 * dilation, 0), (0, 0)))
    seen = b.reshape(x, (1, rows, 32 + 2 * dilation, 8))
    made = b.conv(seen, 8, window((1, 3), 1, (1, dilation), same=False))
    return b.build((made, x) if is_shown else (made,), "causal")


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("dilation", [1, 2, 4])
def test_a_sequence_is_padded_through_its_reshape(dilation, rows):
    network = causal(dilation, rows=rows)
    assert operators(network) == 1
    assert operators(network, NONE) > 1
    _, compiled = scheduled_and_compiled(network, resolve("ethos-u55-128"), Options())
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])


def test_what_others_see_through_the_reshape_is_made():
    network = causal(2, is_shown=True)
    assert operators(network) > 1
    _, compiled = scheduled_and_compiled(network, resolve("ethos-u55-128"), Options())
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])


def test_another_reshape_is_not_looked_through():
    b = Builder(13)
    x = b.reshape(b.pad(b.input((1, 30, 8)), ((0, 0), (2, 0), (0, 0))), (1, 4, 8, 8))
    network = b.build((b.conv(x, 8, window(3, same=False)),), "turned")
    assert operators(network) > 1
    _, compiled = scheduled_and_compiled(network, resolve("ethos-u55-128"), Options())
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])
