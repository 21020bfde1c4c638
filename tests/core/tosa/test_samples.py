"""What our reference makes of graphs is what TOSA's own reference model makes of them."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import numpy as np
import pytest

from core.flatbuf.decode import decode
from core.flatbuf.view import Source
from core.tosa import reader
from core.tosa.run import RULES, run
from core.tosa.schema import TOSA
from tests.core.executorch.test_reader import unknown_fields
from tests.core.tosa.samples import GRAPHS, reference, title
from tests.shared import need


def different() -> list[Path]:
    """One path for each graph that differs from the others."""
    found: dict[str, Path] = {}
    for path in GRAPHS:
        if path.exists():
            found.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    return list(found.values()) or GRAPHS


@pytest.mark.parametrize("path", different(), ids=title)
def test_each_graph_makes_what_the_reference_model_makes(path: Path):
    graph = reader.read(need(path).read_bytes())
    given, wanted = reference(path)
    shapes = [graph.tensors[number].shape for number in graph.inputs]
    inputs = [each.reshape(shape) for each, shape in zip(given, shapes, strict=True)]
    values = run(graph, inputs)
    for number, expected in zip(graph.outputs, wanted, strict=True):
        made = values[number]
        assert made.dtype == expected.dtype
        assert made.tobytes() == expected.tobytes()


@pytest.mark.parametrize("path", different(), ids=title)
def test_the_list_of_fields_knows_all_that_graphs_set(path: Path):
    root = Source(need(path).read_bytes(), TOSA).root("TosaGraph")
    assert unknown_fields(decode(root)) == []


def test_the_samples_have_most_operators():
    kinds = {
        op.kind for path in different() for op in reader.read(need(path).read_bytes()).operators
    }
    assert kinds <= RULES.keys()
    assert len(kinds) >= 34


def test_a_mobilenet_takes_less_than_two_seconds():
    path = need("executorch/real/mobilenet_v2_035_u55-128.delegate0.tosa")
    graph = reader.read(path.read_bytes())
    (given,) = reference(path).inputs
    start = time.process_time()
    run(graph, [given.reshape(graph.tensors[graph.inputs[0]].shape)])
    assert time.process_time() - start < 2
    assert np.prod(given.shape) == 3 * 96 * 96
