"""What a file leaves open is as its operators give it once the inputs are fixed."""

from __future__ import annotations

import pytest

from core.base.frozen import replace
from core.ir.options import Options
from core.lower import run as lower
from core.pipeline.open_shapes import with_shapes_settled
from core.pipeline.proof.verify import verify
from core.pipeline.run import read
from core.target.resolve import resolve
from core.tflite import writer
from tests.core.emit.executed import scheduled_and_compiled
from tests.networks.open_networks import CLASSES, head
from tests.networks.random_networks import FEATURED, random_network

TARGET = resolve("ethos-u55-256")


def shapes(network):
    return {tensor.name: tensor.shape for tensor in network.main.tensors}


def test_rows_are_as_many_as_the_picture_gives():
    open_ones, settled = shapes(head()), shapes(with_shapes_settled(head()))
    rows = (1, 12 * 12 * 3, CLASSES)
    changed = {name: shape for name, shape in settled.items() if shape != open_ones[name]}
    assert changed == dict.fromkeys(("scores", "offsets", "moved"), rows)


@pytest.mark.parametrize("is_filled", [False, True])
def test_a_head_of_a_batch_that_is_left_open_runs_on_the_npu_and_holds(is_filled: bool):
    model = writer.write(head(is_filled=is_filled))
    network = read(model)
    graph = lower.run(network, TARGET.accelerator, Options().lowering)
    assert graph.rejections == ()
    _, compiled = scheduled_and_compiled(network, TARGET, Options())
    assert verify(compiled.data, model).holds


def test_what_the_file_says_of_a_shape_stays_where_it_leaves_nothing_open():
    network = head()
    graph = network.main
    told = tuple(replace(tensor, shape_signature=()) for tensor in graph.tensors)
    closed = replace(network, subgraphs=(replace(graph, tensors=told),))
    assert shapes(with_shapes_settled(closed))["scores"] == (1, 1, CLASSES)


@pytest.mark.parametrize("seed", range(0, len(FEATURED), 5))
def test_a_network_with_all_shapes_is_as_it_was(seed: int):
    network = random_network(seed)
    assert with_shapes_settled(network) == network
