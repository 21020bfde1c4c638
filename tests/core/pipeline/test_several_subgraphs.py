"""What is called by itself is proved, and what operators call is run with them."""

from __future__ import annotations

import numpy as np
import pytest

from core.api import proof
from core.base.errors import InputError
from core.base.frozen import replace
from core.ir.network import Network, Tensor
from core.pipeline.proof.branching import branched
from core.pipeline.proof.entries import entries, uncalled
from core.synth.builder import Builder
from core.tflite import reader, writer
from tests.core.pipeline.planted import compiled_here
from tests.networks.calling_networks import chosen, filtered, repeated, with_signatures

ONE, OTHER, THIRD = filtered(1), filtered(2), filtered(3)


def verified(made: Network, original: Network | None = None) -> proof.Verification:
    """What the proof says of a network as we compile it, of which there may be another original."""
    compiled = compiled_here(writer.write(made))
    return proof.verify(compiled, writer.write(original or made), inputs=4)


def streams(network: Network) -> list[int]:
    """The subgraphs of each command stream."""
    compiled = reader.read(compiled_here(writer.write(network)))
    return [ref.subgraph for ref, op in compiled.operators() if op.custom_code == "ethos-u"]


def test_each_signature_is_proved():
    network = with_signatures(ONE, OTHER)
    assert streams(network) == [0, 1]
    found = verified(network)
    assert found.holds, found.sentences()
    assert [output.role for output in found.outputs] == ["output", "signature 'call_1', output"]


def test_what_is_wrong_with_a_signature_is_told_as_its_own():
    found = verified(with_signatures(ONE, OTHER), with_signatures(ONE, _alike(OTHER, THIRD)))
    assert [output.holds for output in found.outputs] == [True, False]
    assert "signature 'call_1', output" in found.sentences()[1]


def test_a_subgraph_that_nothing_calls_is_said_to_be_unproved():
    network = replace(with_signatures(ONE, OTHER), signatures=())
    assert [each.subgraph for each in entries(network)] == [0]
    assert list(uncalled(network)) == [1]
    assert "not proved: subgraph 1, which nothing runs" in verified(network).notes


def test_both_branches_run_their_streams():
    network = chosen(ONE, _alike(ONE, OTHER))
    assert streams(network) == [1, 2]
    assert not list(uncalled(network))
    assert verified(network).holds


@pytest.mark.parametrize("number", range(2))
def test_another_branch_does_not_hold(number):
    branches = [ONE, _alike(ONE, OTHER)]
    others = list(branches)
    others[number] = _alike(ONE, THIRD)
    assert not verified(chosen(*branches), chosen(*others)).holds


def test_a_loop_runs_its_streams_as_often_as_it_says():
    network = repeated(ONE, rounds=3)
    assert streams(network) == [2]
    found = verified(network)
    assert found.holds, found.sentences()
    assert not verified(network, repeated(ONE, rounds=2)).holds


def test_a_loop_without_end_is_left():
    (loop,) = repeated(ONE, rounds=3).main.operators
    with pytest.raises(InputError, match="has not come to its end"):
        branched(loop, [np.zeros(1)], lambda *_: [np.ones(1)])


def test_an_output_without_elements_needs_nobody_to_make_it():
    b = Builder(4)
    network = b.build([b.conv(b.input((1, 4, 4, 8)), 8)], "empty")
    graph = network.main
    nothing = Tensor(name="nothing", shape=(1, 0), dtype=graph.tensors[0].dtype)
    main = replace(
        graph, tensors=(*graph.tensors, nothing), outputs=(len(graph.tensors), *graph.outputs)
    )
    found = verified(replace(network, subgraphs=(main,)))
    assert found.holds, found.sentences()
    assert found.outputs[0].elements == 0


def _alike(known: Network, other: Network) -> Network:
    """The other network, called and quantised as the known one is."""
    tensors = list(other.main.tensors)
    for here, there in zip(
        (*other.main.inputs, *other.main.outputs),
        (*known.main.inputs, *known.main.outputs),
        strict=True,
    ):
        tensors[here] = known.main.tensors[there]
    return replace(other, subgraphs=(replace(other.main, tensors=tuple(tensors)),))
