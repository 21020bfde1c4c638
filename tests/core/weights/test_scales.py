"""Scale and bias records say the factor and the bias of each channel, in ten bytes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.ids import FmId
from core.ir.npugraph import ExplicitScaling, OpKind, Quant, Rounding, View
from core.target.families.first_architecture import WEIGHTS
from core.weights.scales import channel_factors, scale_records
from tests.core.weights.cases import operator

SCALES = st.floats(1e-6, 1e3, allow_subnormal=False).map(lambda value: float(np.float32(value)))
RECORD = WEIGHTS.record
BIAS40 = st.integers(-(1 << 39), (1 << 39) - 1)


def weights(channels: int) -> np.ndarray:
    return np.ones((channels, 1, 1, 1), dtype=np.int8)


def read(record: np.ndarray) -> tuple[int, int, int]:
    """Bias, multiplier and shift of a record."""
    number = int.from_bytes(record.tobytes(), "little")
    bias = number & ((1 << 40) - 1)
    return bias - (bias >> 39 << 40), number >> 40 & 0xFFFFFFFF, number >> 72


@given(scales=st.lists(SCALES, min_size=1, max_size=8), data=st.data())
def test_a_record_says_bias_and_factor(scales: list[float], data: st.DataObject) -> None:
    bias = data.draw(st.lists(BIAS40, min_size=len(scales), max_size=len(scales)))
    op = operator(weights(len(scales)), scales=tuple(scales), bias=np.array(bias))
    records = scale_records(op, DType.INT8, RECORD)
    assert records.shape == (len(scales), RECORD.size_bytes)
    for record, scale, wanted in zip(records, scales, bias, strict=True):
        found, multiplier, shift = read(record)
        assert found == wanted
        assert (multiplier, shift) == (0, 16) or math.isclose(
            math.ldexp(multiplier, -shift), scale * 0.25 / 2.0, rel_tol=2**-31
        )


@given(scale=SCALES)
def test_one_scale_holds_for_all_channels(scale: float) -> None:
    records = scale_records(operator(weights(3), scales=(scale,)), DType.INT8, RECORD)
    assert len({read(record)[1:] for record in records}) == 1


@given(scale=SCALES)
def test_wide_biases_of_16_bit_inputs_have_the_reduced_form(scale: float) -> None:
    bias = np.array([5, -7], dtype=np.int64)
    op = operator(weights(2), scales=(scale,), bias=bias)
    (reduced,) = channel_factors(op, DType.INT16)
    (full,) = channel_factors(op, DType.INT8)
    assert reduced.multiplier < 1 << 15
    assert math.isclose(reduced.real, full.real, rel_tol=2**-14)
    narrow = operator(weights(2), scales=(scale,), bias=bias.astype(np.int32))
    assert channel_factors(narrow, DType.INT16) == channel_factors(narrow, DType.INT8)


def test_rounding_away_from_zero_takes_the_next_multiplier() -> None:
    plain = operator(weights(2), scales=(0.3, 0.7))
    away = operator(weights(2), scales=(0.3, 0.7), rounding=Rounding.AWAY_FROM_ZERO)
    pairs = zip(channel_factors(plain, DType.INT8), channel_factors(away, DType.INT8), strict=True)
    for before, after in pairs:
        assert after == (before.multiplier + 1, before.shift)


@given(odd=st.integers(0, 255).map(lambda half: 2 * half + 1), power=st.integers(1, 12))
def test_matrix_products_take_halves_away_from_zero_where_there_are_any(
    odd: int, power: int
) -> None:
    """A sum that a factor makes an output and a half of, on either side of zero."""
    op = operator(weights(1), origin="FULLY_CONNECTED", scales=(math.ldexp(odd, 3 - power),))
    (factor,) = channel_factors(op, DType.INT8)
    half = 1 << power >> 1
    for total in (half, -half):
        exact = total * odd / 2**power
        scaled = (total * factor.multiplier + (1 << factor.shift >> 1)) >> factor.shift
        assert scaled == math.copysign(math.floor(abs(exact) + 0.5), exact)


def test_explicit_scaling_replaces_what_the_scales_would_give() -> None:
    scaling = ExplicitScaling(multiplier=3, shift=4)
    op = operator(weights(2), scales=(), scaling=scaling)
    assert [read(record)[1:] for record in scale_records(op, DType.INT8, RECORD)] == [
        (3, 4),
        (3, 4),
    ]


@pytest.mark.parametrize(
    ("kind", "origin", "ifm", "is_single"),
    [
        (OpKind.CONV_2D, "CONV_2D", DType.INT8, False),
        (OpKind.CONV_2D, "CONV_2D", DType.UINT8, True),
        (OpKind.FULLY_CONNECTED, "FULLY_CONNECTED", DType.INT8, False),
        (OpKind.CONV_2D, "FULLY_CONNECTED", DType.INT8, False),
        (OpKind.FULLY_CONNECTED, "FULLY_CONNECTED", DType.UINT8, False),
        (OpKind.FULLY_CONNECTED, "BATCH_MATMUL", DType.INT8, True),
        (OpKind.CONV_2D, "BATCH_MATMUL", DType.INT8, True),
        (OpKind.FULLY_CONNECTED, "CONV_2D", DType.INT8, False),
        (OpKind.CONV_2D, "CONV_2D", DType.INT16, False),
    ],
)
def test_the_product_of_scales_has_the_precision_of_the_reference(
    kind: OpKind, origin: str, ifm: DType, is_single: bool
) -> None:
    a, b = float(np.float32(0.9)), float(np.float32(0.37))
    op = operator(
        weights(1),
        kind=kind,
        origin=origin,
        scales=(b,),
        ifm=View(fm=FmId(0), shape=operator(weights(1)).ifm.shape, quant=Quant(scale=a)),
        ofm=View(fm=FmId(1), shape=operator(weights(1)).ofm.shape, quant=Quant(scale=1.0)),
    )
    single = float(np.float32(a) * np.float32(b))
    assert single != pytest.approx(a * b, rel=2**-29)
    (factor,) = channel_factors(op, ifm)
    assert factor.real == pytest.approx(single if is_single else a * b, rel=2**-31)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"scales": (0.0,)}, "scale of the weights is 0.0"),
        ({"scales": (0.5, float("nan"))}, "scale of the weights is nan"),
        ({"scales": ()}, "weights have no scale"),
        ({"scales": (0.5, 0.5, 0.5)}, "3 weight scales for 2 output channels"),
        ({"bias": np.zeros(3, np.int32)}, "3 biases for 2 output channels"),
        ({"bias": np.array([0, 1 << 39])}, "more than 40 bits"),
        ({"bias": np.array([0, -(1 << 39) - 1])}, "more than 40 bits"),
    ],
)
def test_what_has_no_record_is_refused_by_name(changed: dict, why: str) -> None:
    with pytest.raises(InputError, match=f"^the operator: .*{why}"):
        scale_records(operator(weights(2), **changed), DType.INT8, RECORD)


@pytest.mark.parametrize(("role", "what"), [("ifm", "input"), ("ofm", "output")])
def test_a_zero_scale_of_a_feature_map_is_refused(role: str, what: str) -> None:
    view = View(fm=FmId(0), shape=operator(weights(1)).ifm.shape, quant=Quant(scale=0.0))
    with pytest.raises(InputError, match=f"the operator: the scale of the {what} is 0.0"):
        scale_records(operator(weights(1), **{role: view}), DType.INT8, RECORD)
