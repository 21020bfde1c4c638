"""Against the other compiler: its decoder reads our streams, and its own are not shorter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.base.geometry import round_up
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.weightstream import EncodedWeights, WeightLayout
from core.target.accelerator import Accelerator
from core.target.registry import ACCELERATORS
from core.target.unit import Unit
from core.weights.decode import decode_stream
from core.weights.encode import EncodingCache, encode
from core.weights.slices import Effort
from core.weights.stream import encode_streams
from tests.core.peer import peer_python
from tests.core.weights.cases import KINDS, drawn
from tests.core.weights.peer_codec import peer_decode
from tests.peer import FINISHED, SAMPLE, lowered, name_of, pairs
from tests.shared import files

MODELS = files("models/*.tflite")
SMALL = ("kws_dscnn_int8", "omv_blazeface_front_128", "str_ww_int8", "vww_96_int8", "resnet8_int8")


def streams_of(made: EncodedWeights) -> list[bytes]:
    buffer = made.data.array.tobytes()
    return [buffer[part.weight_offset : part.end] for part in made.ranges]


def some_layout(op: NpuOp, accelerator: Accelerator) -> WeightLayout:
    """A layout that differs from operator to operator: block depth, traversal, slices."""
    depth = op.weights.values.shape[0]
    step = accelerator.ofm_ublock.c * accelerator.cores
    block_depth = min(round_up(depth, step), step * (1 + op.id % 5))
    cut = block_depth * (1 + op.id % 3)
    return WeightLayout(
        block_depth=block_depth,
        is_part_kernel=op.kind.unit is Unit.CONVOLUTION and op.id % 2 == 1,
        depth_slices=(0, cut, depth) if cut < depth else (0, depth),
    )


def distinct(graph: NpuGraph) -> list[NpuOp]:
    """Operators with weights, each content once."""
    return list({op.weights.values: op for op in graph.ops if op.weights}.values())


@pytest.mark.slow
@pytest.mark.parametrize("accelerator", ACCELERATORS)
@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_both_decoders_read_all_layers_alike(model: Path, accelerator: str) -> None:
    peer_python()
    target = ACCELERATORS[accelerator]
    _, graph = lowered(model.name, accelerator)
    cache = EncodingCache()
    streams = []
    for op in distinct(graph):
        made = encode(op, graph.fm(op.ifm).dtype, target, some_layout(op, target), cache=cache)
        streams += streams_of(made)
    for ours, theirs in zip(map(decode_stream, streams), peer_decode(streams), strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("effort", Effort)
def test_both_decoders_read_made_up_weights_alike(effort: Effort) -> None:
    peer_python()
    sizes = (1, 2, 11, 12, 13, 500, 40_000, 150_000)
    arrays = [drawn(kind, size, seed) for kind in KINDS for size in sizes for seed in range(4)]
    streams = encode_streams(arrays, effort)
    for weights, theirs in zip(arrays, peer_decode(streams), strict=True):
        assert np.array_equal(weights, theirs)


def sizes_against_the_peer(schedule: Path, effort: Effort) -> tuple[int, int]:
    """Bytes of all encoded weights and scales of a schedule, ours and the peer's."""
    cache = EncodingCache()
    ours = theirs = 0
    for pair in pairs(schedule):
        peer_bytes = pair.peer["encoded_weight_bytes"]
        if not peer_bytes:
            continue
        layout = WeightLayout(
            block_depth=pair.peer["ofm_block"][-1],
            is_part_kernel=pair.peer["is_partkernel"],
            depth_slices=tuple(pair.peer["depth_slices"]),
        )
        made = encode(
            pair.op,
            pair.graph.fm(pair.op.ifm).dtype,
            pair.target.accelerator,
            layout,
            cache=cache,
            effort=effort,
        )
        ours += made.size_bytes
        theirs += peer_bytes
    return ours, theirs


def test_no_sampled_model_takes_more_bytes_than_the_peers() -> None:
    for schedule in FINISHED:
        if name_of(schedule) in SAMPLE:
            ours, theirs = sizes_against_the_peer(schedule, Effort.FAST)
            assert ours <= theirs, name_of(schedule)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", FINISHED, ids=name_of)
def test_no_model_takes_more_bytes_than_the_peers(schedule: Path) -> None:
    ours, theirs = sizes_against_the_peer(schedule, Effort.FAST)
    assert ours <= theirs


@pytest.mark.slow
@pytest.mark.parametrize("model", SMALL)
def test_dense_streams_are_shorter_still(model: str) -> None:
    for schedule in FINISHED:
        if schedule.stem == model and schedule.parent.name == "u55-256-shared-perf":
            fast, theirs = sizes_against_the_peer(schedule, Effort.FAST)
            dense, _ = sizes_against_the_peer(schedule, Effort.DENSE)
            assert dense < fast <= theirs
