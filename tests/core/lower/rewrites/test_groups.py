"""Convolutions in groups against LiteRT; where each channel is a group, one operator does it."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.freedoms import ALL, NONE
from core.ir.network import Network, Quantization
from core.ir.npugraph import NpuOp, OpKind
from core.ir.options import Options, Search
from core.lower.draft import Draft
from core.lower.rewrites.conv2d import lower_conv2d
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled
from tests.core.lower.rewrites.workbench import drafted, noise, single, tensor

CHANNELS = 12


def grouped(
    groups: int, filters: int, *, stride: int = 1, width: int = 7, dtype: DType = DType.INT8
) -> Network:
    """A 3x3 convolution, with a scale for each filter."""
    shape, made = (1, 9, width, CHANNELS), (1, 9, -(-width // stride), filters)
    taps = noise((filters, 3, 3, CHANNELS // groups), 4, DType.INT8)
    weights = tensor("w", taps.shape, data=taps)
    scales = tuple(float(np.float32(0.01 + 0.001 * each)) for each in range(filters))
    own = Quantization(scales=scales, zero_points=(0,) * filters, axis=0)
    weights = replace(weights, quantization=own)
    x = tensor("x", shape, dtype, 0.03, 0 if dtype is DType.INT16 else 5)
    y = tensor("y", made, dtype, 0.4, 0 if dtype is DType.INT16 else -3)
    options = {"padding": 0, "stride_w": stride, "stride_h": 1}
    sums = DType.INT64 if dtype is DType.INT16 else DType.INT32
    bias = tensor("b", (filters,), sums, None, data=np.arange(filters) * 50)
    bias = replace(bias, quantization=replace(own, scales=tuple(0.03 * each for each in scales)))
    given = [x, weights, bias]
    return single("CONV_2D", given, y, options, record="Conv2DOptions")


def kinds(draft: Draft) -> list[OpKind]:
    ops = [item for item in draft.items if isinstance(item, NpuOp)]
    return [op.kind for op in ops if op.weights is not None]


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize(("groups", "filters"), [(12, 12), (12, 24), (4, 8), (3, 12), (2, 2)])
@pytest.mark.parametrize("search", [Search.DIRECT, Search.COMPATIBLE])
def test_groups_equal_the_reference(
    dtype: DType, groups: int, filters: int, search: Search
) -> None:
    net = grouped(groups, filters, dtype=dtype)
    target = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
    scheduled, compiled = scheduled_and_compiled(net, target, Options(search=search))
    assert scheduled.graph.rejections == ()
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


def test_channels_that_are_groups_are_one_operator_where_that_is_free() -> None:
    """A ConvNeXt has 18 such convolutions of up to 768 channels."""
    net = grouped(CHANNELS, CHANNELS)
    assert kinds(drafted(lower_conv2d, net, ALL)) == [OpKind.DEPTHWISE_CONV_2D]
    assert kinds(drafted(lower_conv2d, net, NONE)) == [OpKind.CONV_2D] * CHANNELS


def test_a_stride_that_has_to_be_folded_leaves_the_groups() -> None:
    net = grouped(CHANNELS, CHANNELS, stride=4, width=16)
    assert set(kinds(drafted(lower_conv2d, net, ALL))) == {OpKind.CONV_2D}
