"""Single operators of TOSA against their definitions, written as slow loops over numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ir.network import Table
from core.ir.tosa import Element
from core.tosa.call import Call, Unpredictable
from core.tosa.run import RULES

WORDS = st.integers(-(1 << 31), (1 << 31) - 1)
HALF = 1 << 30


def made(kind, arrays, elements, shape, element, **fields):
    return RULES[kind](
        Call(
            kind=kind,
            inputs=tuple(np.asarray(a, e.numpy) for a, e in zip(arrays, elements, strict=True)),
            elements=tuple(elements),
            attribute=Table(kind="", fields=tuple(fields.items())),
            shape=shape,
            element=element,
        )
    )


def rescaled(value, multiplier, shift, rounding, zero_in=0, zero_out=0):
    """By the letter: halves up, after a first rounding away from zero where both are asked for."""
    sum_ = (value - zero_in) * multiplier + (1 << (shift - 1))
    if rounding == 3 and shift > 31:
        sum_ += HALF if value - zero_in >= 0 else -HALF
    return sum_ // (1 << shift) + zero_out


@given(
    st.lists(st.integers(-30000, 30000), min_size=1, max_size=6),
    st.integers(0, (1 << 31) - 1),
    st.integers(16, 62),
    st.sampled_from([1, 2, 3]),
    st.integers(-128, 127),
)
def test_rescale_has_three_roundings(values, multiplier, shift, rounding, zero):
    wanted = [rescaled(value, multiplier, shift, rounding, 0, zero) for value in values]
    arrays = [values, [multiplier], [shift], [0], [zero]]
    elements = [Element.INT32, Element.INT32, Element.INT8, Element.INT32, Element.INT8]
    call = ("RESCALE", arrays, elements, (len(values),), Element.INT8)
    fields = {"scale32": True, "rounding_mode": rounding}
    if any(not -(1 << 31) <= value - zero < 1 << 31 for value in wanted):
        with pytest.raises(Unpredictable):
            made(*call, **fields)
        return
    assert made(*call, **fields).tolist() == [max(-128, min(127, value)) for value in wanted]


BITS = {
    "ARITHMETIC_RIGHT_SHIFT": lambda a, b: a >> b,
    "LOGICAL_RIGHT_SHIFT": lambda a, b: (a % (1 << 32)) >> b,
    "LOGICAL_LEFT_SHIFT": lambda a, b: a << b,
}


@pytest.mark.parametrize("kind", BITS)
@given(WORDS, st.integers(0, 31))
def test_shifts(kind, value, by):
    result = made(kind, [[value], [by]], [Element.INT32] * 2, (1,), Element.INT32)
    assert (int(result[0]) - BITS[kind](value, by)) % (1 << 32) == 0


@given(WORDS, st.integers(0, 31))
def test_an_arithmetic_shift_that_rounds_has_halves_up(value, by):
    arrays = [[value], [by]]
    result = made(
        "ARITHMETIC_RIGHT_SHIFT", arrays, [Element.INT32] * 2, (1,), Element.INT32, round=True
    )
    half = (1 << by) >> 1
    assert (int(result[0]) - ((value + half) >> by)) % (1 << 32) == 0


PAIRS = {
    "BITWISE_AND": lambda a, b: a & b,
    "BITWISE_OR": lambda a, b: a | b,
    "BITWISE_XOR": lambda a, b: a ^ b,
    "MAXIMUM": max,
    "MINIMUM": min,
    "INTDIV": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
}


@pytest.mark.parametrize("kind", PAIRS)
@given(WORDS, WORDS.filter(bool))
def test_what_is_made_of_two_numbers(kind, one, other):
    call = (kind, [[one], [other]], [Element.INT32] * 2, (1,), Element.INT32)
    wanted = PAIRS[kind](one, other)
    if wanted >= 1 << 31:
        with pytest.raises(Unpredictable):
            made(*call)
        return
    assert made(*call).tolist() == [wanted]


@given(WORDS)
def test_leading_zeros(value):
    (found,) = made("CLZ", [[value]], [Element.INT32], (1,), Element.INT32)
    assert found == 32 - (value % (1 << 32)).bit_length()


@given(WORDS)
def test_a_cast_to_fewer_bits_takes_the_low_ones(value):
    (found,) = made("CAST", [[value]], [Element.INT32], (1,), Element.INT8)
    assert (int(found) - value) % 256 == 0


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3), st.integers(0, 1 << 30))
def test_a_pad_and_a_tile_put_each_element_where_they_say(height, width, times, seed):
    values = np.random.default_rng(seed).integers(-128, 128, (height, width))
    shape = (height + 3, width + 1)
    elements = [Element.INT8, Element.SHAPE, Element.INT8]
    padded = made("PAD", [values, [1, 2, 0, 1], [7]], elements, shape, Element.INT8)
    for y, x in itertools.product(range(shape[0]), range(shape[1])):
        inside = 1 <= y <= height and x < width
        assert padded[y, x] == (values[y - 1, x] if inside else 7)
    tiled = made(
        "TILE", [values, [times, 2]], elements[:2], (height * times, width * 2), Element.INT8
    )
    for y, x in itertools.product(range(height * times), range(width * 2)):
        assert tiled[y, x] == values[y % height, x % width]


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.integers(0, 1 << 30))
def test_convolutions_are_sums_over_their_windows(height, width, depth, seed):
    random = np.random.default_rng(seed)
    values = random.integers(-128, 128, (1, height, width, depth))
    weights, bias = random.integers(-128, 128, (2, 2, 3, depth)), random.integers(-99, 99, 2)
    zeros = (int(random.integers(-9, 9)), int(random.integers(-9, 9)))
    elements = [Element.INT8, Element.INT8, Element.INT32, Element.INT8, Element.INT8]
    found = made(
        "CONV2D",
        [values, weights, bias, [zeros[0]], [zeros[1]]],
        elements,
        (1, height + 1, width, 2),
        Element.INT32,
        pad=(1, 1, 1, 1),
        stride=(1, 1),
        dilation=(1, 1),
    )
    for y, x, out in itertools.product(range(height + 1), range(width), range(2)):
        total = int(bias[out])
        for ky, kx, c in itertools.product(range(2), range(3), range(depth)):
            iy, ix = y + ky - 1, x + kx - 1
            if 0 <= iy < height and 0 <= ix < width:
                weight = int(weights[out, ky, kx, c]) - zeros[1]
                total += (int(values[0, iy, ix, c]) - zeros[0]) * weight
        assert found[0, y, x, out] == total


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 1 << 30))
def test_means_divide_by_what_is_there_of_the_input(height, width, seed):
    values = np.random.default_rng(seed).integers(-128, 128, (1, height, width, 1))
    found = made(
        "AVG_POOL2D",
        [values, [3], [-5]],
        [Element.INT8] * 3,
        (1, height + 1, width, 1),
        Element.INT8,
        pad=(1, 1, 1, 1),
        stride=(1, 1),
        kernel=(2, 3),
    )
    for y, x in itertools.product(range(height + 1), range(width)):
        window = values[0, max(y - 1, 0) : y + 1, max(x - 1, 0) : x + 2].reshape(-1)
        count, total = len(window), int((window - 3).sum())
        bits = (count - 1).bit_length()
        multiplier = ((1 << 30) + 1 << bits) // count
        mean = rescaled(total, multiplier, 30 + bits, 1) - 5
        assert found[0, y, x, 0] == max(-128, min(127, mean))
