"""An operator's encoded weights: what lies where, what it decodes to, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.errors import InputError, InternalError
from core.base.frozen import replace
from core.base.geometry import Kernel
from core.ir.constdata import ConstData
from core.ir.npugraph import NpuOp, OpKind
from core.ir.weightstream import EncodedWeights, WeightLayout
from core.target.accelerator import Accelerator
from core.target.families.first_architecture import WEIGHTS
from core.target.registry import ACCELERATORS
from core.weights.bricks import BrickShape
from core.weights.decode import decode_stream
from core.weights.encode import (
    EncodingCache,
    Request,
    encode,
    encode_many,
    measure,
    measure_many,
)
from core.weights.scales import scale_records
from tests.core.weights.cases import operator, weight_arrays
from tests.core.weights.reference import slow_brick_order

U55 = ACCELERATORS["ethos-u55-256"]
U65_512 = ACCELERATORS["ethos-u65-512"]


def layout(*depth_slices: int, block_depth: int = 16, part: bool = False) -> WeightLayout:
    return WeightLayout(block_depth=block_depth, is_part_kernel=part, depth_slices=depth_slices)


def encoded(op: NpuOp, accelerator: Accelerator, wanted: WeightLayout) -> EncodedWeights:
    return encode(op, DType.INT8, accelerator, wanted, cache=EncodingCache())


@st.composite
def cases(draw) -> tuple[NpuOp, Accelerator, WeightLayout]:
    kind = draw(st.sampled_from([OpKind.CONV_2D, OpKind.DEPTHWISE_CONV_2D]))
    accelerator = draw(st.sampled_from(list(ACCELERATORS.values())))
    depth = draw(st.integers(1, 40))
    channels = 1 if kind is OpKind.DEPTHWISE_CONV_2D else draw(st.integers(1, 20))
    side = draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    values = rng.integers(0, 256, (depth, side, side, channels)).astype(np.uint8)
    zero_points = tuple(rng.integers(0, 256, draw(st.sampled_from([1, depth]))).tolist())
    cuts = draw(st.sets(st.integers(1, depth - 1), max_size=3)) if depth > 1 else set()
    wanted = layout(
        0,
        *sorted(cuts),
        depth,
        block_depth=draw(st.sampled_from([8, 16, 24, 32])),
        part=draw(st.booleans()) and kind is OpKind.CONV_2D,
    )
    return operator(values, kind=kind, zero_points=zero_points), accelerator, wanted


@given(case=cases())
@settings(max_examples=40)
def test_every_range_holds_the_scales_and_weights_of_its_core_and_slice(case) -> None:
    op, accelerator, wanted = case
    made = encoded(op, accelerator, wanted)
    buffer = made.data.array.tobytes()
    zero_points = np.array(op.weights.zero_points).reshape(-1, 1, 1, 1)
    values = (op.weights.values.array.astype(np.int16) - zero_points).astype(np.int16)
    records = scale_records(op, DType.INT8, WEIGHTS.record)
    at = 0
    seen = 0
    for part in made.ranges:
        start, end = wanted.depth_slices[part.slice_index : part.slice_index + 2]
        own = slice(start + part.core, end, accelerator.cores)
        assert part.offset == at
        assert part.scale_bytes == len(records[own]) * WEIGHTS.record.size_bytes
        assert buffer[part.offset :][: part.scale_bytes] == records[own].tobytes()
        assert part.weight_offset == -(-(part.offset + part.scale_bytes) // 16) * 16
        bricks = BrickShape.of(
            accelerator,
            op.kind.unit,
            op.kernel,
            ifm_bits=8,
            block_depth=-(-(wanted.block_depth - part.core) // accelerator.cores),
            is_part_kernel=wanted.is_part_kernel,
        )
        stream = buffer[part.weight_offset : part.end]
        assert decode_stream(stream).tolist() == slow_brick_order(values[own], bricks)
        at = part.end
        seen += len(records[own])
    assert at == made.size_bytes
    assert seen == len(records)


def test_two_cores_take_channels_in_turn_and_one_channel_is_for_the_first() -> None:
    op = operator(np.ones((5, 1, 1, 1), dtype=np.int8))
    made = encoded(op, U65_512, layout(0, 4, 5))
    assert [(part.slice_index, part.core) for part in made.ranges] == [(0, 0), (0, 1), (1, 0)]
    assert made.of_slice(1) == made.ranges[2:]


def test_buffers_are_as_large_as_the_largest_slice_that_they_take() -> None:
    values = np.random.default_rng(0).integers(-99, 99, (64, 3, 3, 8)).astype(np.int8)
    made = encoded(operator(values), U55, layout(0, 8, 40, 48, 64, block_depth=8))
    sizes = made.slice_bytes
    assert len(sizes) == 4
    assert sum(sizes) == made.size_bytes
    assert made.buffer_bytes == (max(sizes[0], sizes[2]), max(sizes[1], sizes[3]))
    assert encoded(operator(values), U55, layout(0, 64)).buffer_bytes[1] == 0


def test_nothing_is_encoded_twice() -> None:
    op = operator(np.arange(32, dtype=np.int8).reshape(8, 1, 1, 4))
    cache = EncodingCache()
    first = encode(op, DType.INT8, U55, layout(0, 8), cache=cache)
    same_content = operator(np.arange(32, dtype=np.int8).reshape(8, 1, 1, 4))
    assert encode(same_content, DType.INT8, U55, layout(0, 8), cache=cache) is first
    other_scale = operator(np.arange(32, dtype=np.int8).reshape(8, 1, 1, 4), scales=(0.7,))
    assert encode(other_scale, DType.INT8, U55, layout(0, 8), cache=cache) != first
    assert (len(cache.streams), len(cache.encoded)) == (1, 2)


@pytest.mark.parametrize(
    ("other", "ifm", "accelerator", "wanted"),
    [
        ({}, DType.INT8, U55, layout(0, 16, 48)),
        ({}, DType.INT8, U55, layout(0, 48, block_depth=8)),
        ({}, DType.INT8, U55, layout(0, 48, part=True)),
        ({}, DType.INT16, U55, layout(0, 48)),
        ({}, DType.INT8, U65_512, layout(0, 48)),
        ({"kernel": Kernel(h=3, w=9, dilation_h=2, dilation_w=2)}, DType.INT8, U55, layout(0, 48)),
        ({"zero_points": (1,)}, DType.INT8, U55, layout(0, 48)),
    ],
)
def test_whatever_changes_the_bytes_is_told_apart(
    other: dict, ifm: DType, accelerator: Accelerator, wanted: WeightLayout
) -> None:
    values = np.random.default_rng(0).integers(-99, 99, (48, 3, 9, 24)).astype(np.int8)
    cache = EncodingCache()
    plain = encode(operator(values), DType.INT8, U55, layout(0, 48), cache=cache)
    changed = encode(operator(values, **other), ifm, accelerator, wanted, cache=cache)
    assert changed.data != plain.data
    fresh = encode(operator(values, **other), ifm, accelerator, wanted, cache=EncodingCache())
    assert changed == fresh


GOOD = np.ones((4, 3, 3, 2), dtype=np.int8)


@pytest.mark.parametrize(
    ("op", "why"),
    [
        (operator(GOOD, zero_points=(300,)), "is -299; it must be within 255"),
        (operator(GOOD.astype(np.int16) * 300), "is 300; it must be within 255"),
        (operator(GOOD, zero_points=(0, 0)), "2 zero points for 4 output channels"),
        (operator(GOOD, zero_points=()), "0 zero points for 4 output channels"),
        (operator(GOOD, kernel=Kernel(h=3, w=2)), "for a kernel of 3 x 2"),
        (operator(GOOD, kind=OpKind.DEPTHWISE_CONV_2D), "depthwise weights of 2 input channels"),
        (operator(GOOD[..., 0], kernel=Kernel(h=3, w=3)), "weights of the shape"),
        (operator(GOOD[:, :, :, :0]), "weights of the shape"),
        (operator(GOOD, scales=(0.0,)), "scale of the weights is 0.0"),
        (operator(GOOD, scales=()), "no scale"),
        (operator(GOOD, bias=np.zeros(3, np.int32)), "3 biases for 4"),
        (replace(operator(GOOD), weights=None), "has no weights"),
    ],
)
def test_bad_weights_are_refused_by_name(op: NpuOp, why: str) -> None:
    with pytest.raises(InputError, match=f"^the operator: .*{why}"):
        encoded(op, U55, layout(0, 4))


@pytest.mark.parametrize("slices", [(0, 3), (1, 4), (0, 2, 2, 4), (0, 5)])
def test_slices_that_leave_channels_out_are_our_own_fault(slices: tuple[int, ...]) -> None:
    with pytest.raises(InternalError, match="depth slices"):
        encoded(operator(GOOD), U55, layout(*slices))


def test_data_is_read_only() -> None:
    made = encoded(operator(GOOD), U55, layout(0, 4))
    assert isinstance(made.data, ConstData)
    assert not made.data.array.flags.writeable


@given(st.lists(cases(), min_size=1, max_size=5))
@settings(max_examples=20)
def test_encoding_many_at_once_gives_each_the_streams_that_it_has_alone(found) -> None:
    accelerator = found[0][1]
    requests = [Request(op, DType.INT8, wanted) for op, _, wanted in found]
    together, alone = EncodingCache(), EncodingCache()
    encode_many(requests, accelerator, cache=together)
    known = dict(together.streams)
    for op, ifm, wanted in requests:
        one = encode(op, ifm, accelerator, wanted, cache=alone)
        assert encode(op, ifm, accelerator, wanted, cache=together) == one
    assert together.streams == known == alone.streams


@given(st.lists(cases(), min_size=1, max_size=5))
@settings(max_examples=20)
def test_what_is_measured_is_what_is_encoded(found) -> None:
    accelerator = found[0][1]
    requests = [Request(op, DType.INT8, wanted) for op, _, wanted in found]
    together, alone = EncodingCache(), EncodingCache()
    measure_many(requests, accelerator, cache=together)
    known = dict(together.sizes)
    for op, ifm, wanted in requests:
        one = measure(op, ifm, accelerator, wanted, cache=alone)
        assert measure(op, ifm, accelerator, wanted, cache=together) == one
        assert one.slice_bytes == encoded(op, accelerator, wanted).slice_bytes
    assert together.sizes == known == alone.sizes
    assert not together.streams


@given(
    weight_arrays(most=2000),
    st.integers(9, 64),
    st.sampled_from([8, 16, 48]),
    st.sampled_from([U55, U65_512]),
)
@settings(max_examples=40)
def test_weights_of_one_tap_are_not_shorter_by_parts_of_the_kernel(
    values: np.ndarray, channels: int, block_depth: int, accelerator: Accelerator
) -> None:
    """They are the same with zeros between them, so nobody has to measure that."""
    filters = -(-values.size // channels)
    op = operator(np.resize(values, (filters, 1, 1, channels)).astype(np.int16))
    by_depth, by_parts = (
        encoded(op, accelerator, layout(0, filters, block_depth=block_depth, part=part))
        for part in (False, True)
    )
    assert sum(by_depth.slice_bytes) <= sum(by_parts.slice_bytes)


def test_equal_digests_are_those_of_equal_bytes() -> None:
    values = np.arange(32, dtype=np.int8).reshape(8, 1, 1, 4)
    digests: dict[str, ConstData] = {}
    for scales in ((0.5,), (0.7,)):
        for wanted in (layout(0, 8), layout(0, 4, 8), layout(0, 8, block_depth=32)):
            op, cache = operator(values, scales=scales), EncodingCache()
            name = measure(op, DType.INT8, U55, wanted, cache=cache).encoding
            data = encode(op, DType.INT8, U55, wanted, cache=cache).data
            assert digests.setdefault(name, data) == data
    assert len(digests) == 4
