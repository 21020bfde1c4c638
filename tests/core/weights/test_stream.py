"""Weight streams give the weights back, and what is no stream is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.base.errors import InputError
from core.weights.decode import decode_stream
from core.weights.slices import Effort
from core.weights.stream import encode_streams, stream_sizes
from tests.core.weights.cases import KINDS, drawn, weight_arrays

EFFORTS = st.sampled_from(Effort)


@given(arrays=st.lists(weight_arrays(), min_size=1, max_size=4), effort=EFFORTS)
@example(arrays=[np.array([255], np.int16)], effort=Effort.FAST)
@example(arrays=[np.array([-255, 255], np.int16)], effort=Effort.DENSE)
@example(arrays=[np.zeros(1, np.int16), np.zeros(70_000, np.int16)], effort=Effort.FAST)
def test_streams_decode_to_the_weights(arrays: list[np.ndarray], effort: Effort) -> None:
    streams = encode_streams(arrays, effort)
    assert len(streams) == len(arrays)
    for weights, stream in zip(arrays, streams, strict=True):
        assert len(stream) % 16 == 0
        assert np.array_equal(decode_stream(stream), weights)


@given(arrays=st.lists(weight_arrays(), min_size=1, max_size=4), effort=EFFORTS)
@example(arrays=[np.zeros(1, np.int16), np.zeros(70_000, np.int16)], effort=Effort.FAST)
def test_sizes_are_known_before_there_are_bytes(arrays: list[np.ndarray], effort: Effort) -> None:
    lengths = [len(stream) for stream in encode_streams(arrays, effort)]
    assert list(stream_sizes(arrays, effort)) == lengths


@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=16)
def test_sizes_are_known_of_streams_of_many_slices(kind: str, seed: int) -> None:
    weights = drawn(kind, 150_000, seed)
    (stream,) = encode_streams([weights])
    assert stream_sizes([weights]) == (len(stream),)


@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=16)
def test_streams_of_many_slices_decode_to_the_weights(kind: str, seed: int) -> None:
    weights = drawn(kind, 150_000, seed)
    (stream,) = encode_streams([weights])
    assert np.array_equal(decode_stream(stream), weights)


@pytest.mark.slow
@pytest.mark.parametrize("effort", Effort)
@pytest.mark.parametrize("kind", KINDS)
def test_two_million_weights(kind: str, effort: Effort) -> None:
    weights = drawn(kind, 2_000_000, 1)
    (stream,) = encode_streams([weights], effort)
    assert np.array_equal(decode_stream(stream), weights)


@given(arrays=st.lists(weight_arrays(), min_size=2, max_size=5), effort=EFFORTS)
def test_a_stream_does_not_depend_on_its_neighbours(
    arrays: list[np.ndarray], effort: Effort
) -> None:
    alone = tuple(encode_streams([weights], effort)[0] for weights in arrays)
    assert encode_streams(arrays, effort) == alone


@given(arrays=st.lists(weight_arrays(), min_size=1, max_size=4))
def test_streams_behind_each_other_decode_to_all_their_weights(arrays: list[np.ndarray]) -> None:
    joined = b"".join(encode_streams(arrays))
    assert np.array_equal(decode_stream(joined), np.concatenate(arrays))


@given(weights=weight_arrays())
def test_dense_streams_are_hardly_ever_longer(weights: np.ndarray) -> None:
    # What chunks waste at the end of a slice is estimated, hence the slack of one alignment unit.
    (fast,), (dense,) = (encode_streams([weights], effort) for effort in Effort)
    assert len(dense) <= len(fast) + 16


@pytest.mark.parametrize(
    ("kind", "bits"),
    [("zero", 0.13), ("equal", 1.0), ("two values", 1.0), ("extremes", 3.0), ("uniform", 9.0)],
)
def test_simple_weights_need_about_as_many_bits_as_they_must(kind: str, bits: float) -> None:
    weights = drawn(kind, 100_000, 3)
    (stream,) = encode_streams([weights])
    assert len(stream) * 8 <= bits * weights.size + 1000


@pytest.mark.parametrize("scale", [2.0, 5.0, 12.0])
@pytest.mark.parametrize("sparsity", [0.0, 0.5, 0.9])
def test_streams_come_near_the_entropy(scale: float, sparsity: float) -> None:
    rng = np.random.default_rng(0)
    weights = np.clip(rng.laplace(0, scale, 100_000).round(), -255, 255).astype(np.int16)
    weights[rng.random(weights.size) < sparsity] = 0
    share = np.bincount(weights + 255) / weights.size
    entropy = -np.sum(share[share > 0] * np.log2(share[share > 0])) * weights.size
    (stream,) = encode_streams([weights], Effort.DENSE)
    assert entropy <= len(stream) * 8 <= 1.12 * entropy


@pytest.mark.parametrize("weight", [256, -256, 300])
def test_weights_out_of_range_are_refused_by_name(weight: int) -> None:
    with pytest.raises(InputError, match=f"^conv: .*{weight}"):
        encode_streams([np.array([1, weight], np.int16)], where="conv")


def test_no_weights_are_refused() -> None:
    with pytest.raises(InputError, match="no weights"):
        encode_streams([np.zeros(0, np.int16)])


@given(weights=weight_arrays(400), data=st.data())
def test_a_damaged_stream_is_decoded_or_refused_with_its_place(
    weights: np.ndarray, data: st.DataObject
) -> None:
    damaged = bytearray(encode_streams([weights])[0])
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    where = "flash, byte "
    try:
        assert np.abs(decode_stream(bytes(damaged), "flash")).max(initial=0) <= 255
    except InputError as error:
        where = error.where
    assert where.startswith("flash, byte ")


@given(weights=weight_arrays(400), data=st.data())
def test_a_stream_that_was_cut_short_is_refused(weights: np.ndarray, data: st.DataObject) -> None:
    (stream,) = encode_streams([weights])
    last = len(stream.rstrip(b"\xff"))
    with pytest.raises(InputError, match=r"byte \d+: "):
        decode_stream(stream[: data.draw(st.integers(1, max(1, last - 2)))])


def bits(*fields: tuple[int, int]) -> bytes:
    """Fields (value, width) packed from the low end, filled up with ones."""
    value, size = 0, 0
    for field, width in fields:
        value |= field << size
        size += width
    value |= -1 << size
    return (value & ((1 << 128) - 1)).to_bytes(16, "little")


@pytest.mark.parametrize(
    ("stream", "why"),
    [
        (bits((4, 3)), "zero divisor 4"),
        (bits((6, 3), (0, 15), (6, 3), (0, 1)), "weight divisor 6"),
        (bits((6, 3), (0, 15), (0, 3), (0, 1), (0, 1)), "brings no palette"),
        (bits((6, 3), (9, 15), (7, 3), (0, 1), (1, 1), (31, 5), (0, 5), (7, 3)), "9 bits"),
        (bits((6, 3), (500, 15), (7, 3), (0, 1), (1, 1), (0, 5), (0, 5), (7, 3)), "ends inside"),
        (bits((6, 3), (0, 15), (0, 3), (0, 1), (1, 1), (0, 5), (0, 5), (0, 3)), "ends inside"),
    ],
)
def test_corrupt_headers_are_refused_with_the_reason(stream: bytes, why: str) -> None:
    with pytest.raises(InputError, match=why):
        decode_stream(stream)
