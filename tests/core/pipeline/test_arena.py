"""The tensor arena lives through one inference: streams find there what earlier ones have left."""

from __future__ import annotations

from core.api import compiler, proof, schedules, targets
from core.base.dtype import DType
from core.base.frozen import replace
from core.emit.conventions import CUSTOM_CODE, OFFLINE_ALLOCATION
from core.ir.network import Network
from core.ir.options import Options
from core.synth.builder import Builder
from core.tflite import reader, writer


def original() -> bytes:
    """What the first stream makes is read by the CPU, and by the second stream beside it."""
    b = Builder(1, DType.INT8)
    slope = b.leaky_relu(b.input((1, 6, 5, 8), -1.0, 2.0), 0.3)
    shuffled = b.gather(slope, (2, 0, 1, 3, 4, 5, 6, 7), 3)
    return writer.write(b.build([b.add(slope, shuffled)], "beside"))


def compiled(model: bytes) -> Network:
    scheduled = schedules.schedule(model, targets.resolve_target("ethos-u55-128"), Options())
    return reader.read(compiler.compile_model(scheduled).data)


def handed_less(network: Network) -> Network:
    """The same file, but its second stream is not given what the first has made."""
    graph = network.main
    streams = [at for at, op in enumerate(graph.operators) if op.custom_code == CUSTOM_CODE]
    (made,) = graph.operators[streams[0]].outputs
    operators = list(graph.operators)
    reader_of_it = operators[streams[1]]
    assert made in reader_of_it.inputs
    kept = tuple(item for item in reader_of_it.inputs if item != made)
    operators[streams[1]] = replace(reader_of_it, inputs=kept)
    return replace(network, subgraphs=(replace(graph, operators=tuple(operators)),))


def without_plan(network: Network) -> Network:
    kept = tuple(item for item in network.metadata if item.name != OFFLINE_ALLOCATION)
    return replace(network, metadata=kept)


def test_a_stream_reads_what_an_earlier_one_has_left_where_the_file_plans_the_arena():
    model = original()
    found = proof.verify(writer.write(handed_less(compiled(model))), model)
    assert found.holds, found.sentences()


def test_a_runtime_that_plans_by_itself_leaves_nothing():
    model = original()
    found = proof.verify(writer.write(without_plan(handed_less(compiled(model)))), model)
    assert not found.holds
    assert any("reads bytes that nothing has written" in fault for fault in found.faults)
