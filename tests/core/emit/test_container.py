"""Compiled networks: who hands what to whom, where it lies, and what stays what it was."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import DoesNotFit, InputError, InternalError
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.base.ids import IslandId, SubgraphId, TensorId
from core.base.version import VERSION
from core.emit.container.memory import region_sizes
from core.emit.container.run import contain
from core.emit.conventions import CUSTOM_CODE, OFFLINE_ALLOCATION
from core.emit.open import open_program
from core.ir.constdata import ConstData
from core.ir.freedoms import NONE
from core.ir.network import FieldValue, Metadata, Network, Operator, Table, Tensor
from core.ir.npugraph import CpuOp, NpuGraph
from core.ir.program import RegionRole
from core.pipeline.proof import litert
from core.pipeline.proof.simulate import CompiledModel
from core.synth.builder import Builder
from core.target.format import Format
from core.target.region import Region
from core.tflite import reader, writer
from tests.core.emit.arena import collisions, kept
from tests.core.emit.contained import (
    NOTHING,
    TARGETS,
    U55,
    Contained,
    calling,
    contained,
    graph_of,
    recurrent,
    shuffled,
)
from tests.core.emit.streams import flat, pool, stream
from tests.networks.random_networks import random_network
from tests.shared import need

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
MADE = {"shuffled": shuffled, "recurrent": recurrent, "calling": calling}
ROLES = (RegionRole.CONSTANTS, RegionRole.SCRATCH, RegionRole.SCRATCH_FAST)
PAIRS = (
    *(
        (path.stem, at)
        for path in sorted(EXAMPLES.glob("*.tflite"))
        for at in ("shared", "dedicated 48k")
    ),
    *((name, at) for name in MADE for at in TARGETS),
    # The first of these hands a map from island to island that has no name in the source.
    *((f"random {seed}", "shared") for seed in (232, 1, 2, 3)),
)


def source_of(name: str) -> Network:
    if name in MADE:
        return MADE[name]()
    if name.startswith("random"):
        return random_network(int(name.split()[1]))
    return reader.read_file(EXAMPLES / f"{name}.tflite")


@cache
def case_of(name: str, at: str) -> Contained:
    return contained(source_of(name), TARGETS[at])


@pytest.fixture(params=PAIRS, ids=" for ".join)
def case(request: pytest.FixtureRequest) -> Contained:
    return case_of(*request.param)


def tensor_of(network: Network, subgraph: int, number: int | None) -> Tensor | None:
    return None if number is None else network.subgraphs[subgraph].tensors[number]


def fixed(tensor: Tensor | None) -> Tensor | None:
    """A tensor without what compiling gives up: that it could be resized."""
    return None if tensor is None else replace(tensor, shape_signature=())


@pytest.mark.long
def test_inputs_and_outputs_are_what_they_were(case: Contained):
    pairs = zip(case.source.subgraphs, case.network.subgraphs, strict=True)
    for number, (before, after) in enumerate(pairs):
        for olds, news in ((before.inputs, after.inputs), (before.outputs, after.outputs)):
            assert [fixed(tensor_of(case.source, number, old)) for old in olds] == [
                fixed(tensor_of(case.network, number, new)) for new in news
            ]
        assert (after.name, after.debug_metadata_index) == (
            before.name,
            before.debug_metadata_index,
        )


def cpu_pairs(case: Contained) -> Iterator[tuple[int, Operator, Operator]]:
    """The CPU's operators in order of execution, before and after."""
    for number, (steps, graph) in enumerate(
        zip(case.graph.steps, case.network.subgraphs, strict=True)
    ):
        for step, op in zip(steps, graph.operators, strict=True):
            assert isinstance(step, CpuOp) != (op.custom_code == CUSTOM_CODE)
            if isinstance(step, CpuOp):
                yield number, case.source.operator(step.source), op


def test_operators_of_the_cpu_are_what_they_were(case: Contained):
    for number, before, after in cpu_pairs(case):
        assert replace(after, inputs=(), outputs=(), intermediates=()) == replace(
            before, inputs=(), outputs=(), intermediates=()
        )
        for name in ("inputs", "outputs", "intermediates"):
            olds, news = getattr(before, name), getattr(after, name)
            assert [fixed(tensor_of(case.source, number, old)) for old in olds] == [
                fixed(tensor_of(case.network, number, new)) for new in news
            ]


def test_islands_are_operators_as_the_driver_wants_them(case: Contained):
    sizes = region_sizes(case.scheduled.layout, case.scheduled.target)
    program = open_program(case.network)
    assert len(program.parts) == len(case.graph.islands)
    assert program.compiler == f"Reefpoint {VERSION}"
    for part, island in zip(program.parts, case.graph.islands, strict=True):
        op = case.network.operator(part.op)
        assert (op.kind, op.version, op.custom_options) == ("CUSTOM", 1, b"\x01\x04\x01")
        assert part.op.subgraph == island.subgraph
        assert tuple(region.role for region in part.regions[:3]) == ROLES
        assert tuple(region.size_bytes for region in part.regions[:3]) == sizes
        assert part.constants is not None
        assert part.constants.array.tobytes() == case.constants
        assert part.stream == NOTHING
        names = [case.graph.feature_maps[fm].name for fm in island.inputs]
        assert [bound.name for bound in part.inputs] == names
        names = [case.graph.feature_maps[fm].name for fm in island.outputs]
        assert [bound.name for bound in part.outputs] == names


def placed(case: Contained) -> dict[str, set[int]]:
    """Addresses in the arena by the names of maps."""
    found: dict[str, set[int]] = {}
    for area in case.scheduled.layout.areas:
        for item in area.placements:
            for fm in item.fms if Region.SCRATCH in area.regions else ():
                found.setdefault(case.graph.feature_maps[fm].name, set()).add(item.address)
    return found


def test_tensors_are_where_the_layout_has_them(case: Contained):
    where, scratch = (
        placed(case),
        region_sizes(case.scheduled.layout, case.scheduled.target).scratch,
    )
    for tensor in kept(case.network):
        assert tensor.address in where[tensor.name]
        assert tensor.address + tensor.size_bytes <= scratch
    for part in open_program(case.network).parts:
        assert all(bound.arena_address is not None for bound in (*part.inputs, *part.outputs))


def test_no_tensors_share_bytes_while_both_are_needed(case: Contained):
    assert not list(collisions(case.network))


def test_a_tensor_that_is_moved_onto_another_is_found():
    network = case_of("shuffled", "shared").network
    numbers = np.frombuffer(network.metadata[-1].data.array.tobytes(), "<i4").copy()
    numbers[3:][numbers[3:] > 0] = 0
    data = ConstData.of(numbers.view(np.uint8))
    moved = (*network.metadata[:-1], Metadata(name=OFFLINE_ALLOCATION, data=data))
    assert list(collisions(replace(network, metadata=moved)))


def test_every_tensor_is_used_and_scratch_memory_is_named_once(case: Contained):
    for graph in case.network.subgraphs:
        ops = graph.operators
        used = {n for op in ops for n in (*op.inputs, *op.outputs, *op.intermediates)}
        assert used - {None} | {*graph.inputs, *graph.outputs} == set(range(len(graph.tensors)))
        npu = [op for op in ops if op.custom_code == CUSTOM_CODE]
        assert len({op.inputs[1:4] for op in npu}) == min(len(npu), 1)


def test_the_file_says_the_same(case: Contained):
    data = writer.write(case.network)
    assert reader.read(data) == case.network
    assert data.count(case.constants) == 1
    assert data.index(case.constants) % 16 == 0
    assert data.index(b"COP1") % 16 == 0


@pytest.mark.parametrize("name", ["shuffle_with_cpu", "calling"])
def test_the_same_network_gives_the_same_file(name):
    first = writer.write(case_of(name, "dedicated").network)
    assert writer.write(contained(source_of(name), TARGETS["dedicated"]).network) == first


def test_what_nobody_needs_is_gone():
    names = {tensor.name for tensor in case_of("shuffled", "shared").network.main.tensors}
    source = shuffled().main
    weights = {
        source.tensors[op.inputs[1] or 0].name for op in source.operators if op.kind == "CONV_2D"
    }
    assert weights
    assert not names & weights


def gathers(network: Network) -> list[Operator]:
    return [op for op in network.main.operators if op.kind == "GATHER"]


def test_states_keep_their_places():
    case = case_of("recurrent", "dedicated")
    (part,) = open_program(case.network).parts
    states = [n for n, tensor in enumerate(case.network.main.tensors) if tensor.is_variable]
    assert len(states) == 2
    bound = {item.tensor: item.arena_address for item in part.inputs}
    assert all(bound[TensorId(number)] is not None for number in states)


def test_islands_of_a_called_subgraph_are_its_own_operators():
    case = case_of("calling", "shared")
    program = open_program(case.network)
    assert {part.op.subgraph for part in program.parts} == {SubgraphId(1)}
    (call,) = case.network.main.operators
    assert call.options == case.source.main.operators[0].options
    assert len(program.arena_addresses) == 2
    assert [len(part) for part in program.arena_addresses] == [
        len(graph.tensors) for graph in case.network.subgraphs
    ]


def test_the_stream_of_a_real_file_comes_through():
    old = reader.read_file(need("peer/compiled/person_detect_vela.tflite"))
    (part,) = open_program(old).parts
    case = contained(reader.read_file(need("models/person_detect.tflite")), TARGETS["shared"])
    network = again(case, streams={IslandId(0): part.stream})
    (ours,) = open_program(network).parts
    assert ours.stream == part.stream
    assert ours.architecture == part.architecture


def test_what_surrounds_payload_and_constants_is_no_larger_than_in_the_peers_file():
    peer = need("peer/compiled/person_detect_vela.tflite").read_bytes()
    case = contained(reader.read_file(need("models/person_detect.tflite")), TARGETS["shared"])
    assert overhead(writer.write(case.network)) <= overhead(peer)


def overhead(data: bytes) -> int:
    (part,) = open_program(reader.read(data)).parts
    graph = reader.read(data).main
    held = [graph.tensors[number or 0].data for number in graph.operators[0].inputs[:2]]
    assert part.constants is not None
    return len(data) - sum(item.size_bytes for item in held if item is not None)


def again(case: Contained, **changes: object) -> Network:
    """The same network in another container."""
    done = case.scheduled
    given = {
        "network": case.source,
        "graph": case.graph,
        "schedule": done.schedule,
        "layout": done.layout,
        "constants": case.constants,
        "streams": {island.id: NOTHING for island in case.graph.islands},
        **changes,
    }
    return contain(**given, target=done.target)


def test_metadata_stays_and_is_there_once():
    blob = Metadata(name="min_runtime_version", data=ConstData.of(np.zeros(16, np.uint8)))
    stale = Metadata(name=OFFLINE_ALLOCATION, data=ConstData.of(np.zeros(12, np.uint8)))
    source = replace(shuffled(), metadata=(blob, stale, blob))
    network = again(case_of("shuffled", "shared"), network=source)
    assert [item.name for item in network.metadata] == [
        "min_runtime_version",
        "reefpoint_version",
        OFFLINE_ALLOCATION,
    ]
    assert open_program(network).arena_addresses


def signature(inputs: tuple[int, ...], outputs: tuple[int, ...]) -> Table:
    def end(number: int) -> Table:
        fields: tuple[tuple[str, FieldValue], ...] = (("name", f"t{number}"),)
        return Table(
            kind="TensorMap", fields=(*fields, *((("tensor_index", number),) * bool(number)))
        )

    return Table(
        kind="SignatureDef",
        fields=(
            ("inputs", tuple(map(end, inputs))),
            ("outputs", tuple(map(end, outputs))),
            ("signature_key", "serve"),
        ),
    )


def test_signatures_follow_their_tensors():
    case = case_of("shuffled", "shared")
    graph = case.source.main
    known, lost = signature(graph.inputs, graph.outputs), signature(graph.inputs, (5, 6))
    network = again(case, network=replace(case.source, signatures=(known, lost)))
    (found,) = network.signatures
    for name, numbers in (("inputs", network.main.inputs), ("outputs", network.main.outputs)):
        ends = found.get(name)
        assert [end.integer("tensor_index") for end in ends] == list(numbers)
    assert found.get("signature_key") == "serve"
    assert reader.read(writer.write(network)) == network


def test_nothing_can_be_resized_beside_an_island():
    source = shuffled()
    tensors = tuple(
        replace(tensor, shape_signature=(-1, *tensor.shape[1:])) if tensor.data is None else tensor
        for tensor in source.main.tensors
    )
    source = replace(source, subgraphs=(replace(source.main, tensors=tensors),))
    network = contained(source).network
    assert all(tensor.shape_signature == () for tensor in network.main.tensors)


def test_a_network_of_the_cpu_alone_stays_what_it_was():
    graph = shuffled().main
    (op,) = gathers(shuffled())
    assert op.inputs[0] is not None
    alone = replace(graph, operators=(op,), inputs=(op.inputs[0],), outputs=op.outputs)
    network = contained(Network(subgraphs=(alone,))).network
    (after,) = network.main.operators
    assert after.kind == "GATHER"
    assert len(network.main.tensors) == 3
    feed = np.arange(math.prod(graph.tensors[op.inputs[0]].shape), dtype=np.int8)
    feed = feed.reshape(graph.tensors[op.inputs[0]].shape)
    before = litert.compute(Network(subgraphs=(alone,)), {op.inputs[0]: feed})
    made = litert.compute(network, {network.main.inputs[0]: feed})
    assert [x.tobytes() for x in made.values()] == [x.tobytes() for x in before.values()]


def test_a_runtime_reads_the_file_until_it_needs_the_driver():
    network = case_of("shuffle_with_cpu", "shared").network
    values = {
        number: np.zeros(network.main.tensors[number].shape, np.int8)
        for number in network.main.inputs
    }
    with pytest.raises(InputError, match="unresolved custom op: ethos-u"):
        litert.compute(network, values)


def test_what_one_island_leaves_in_the_arena_the_next_one_finds():
    b = Builder(8)
    x = b.conv(b.input((1, 4, 4, 16)), 16)
    y = b.conv(b.gather(x, range(15, -1, -1), 3), 16)
    case = contained(b.build((y,), "there_and_back"))
    # Whatever the islands compute in truth: these streams copy what comes in to what goes out.
    streams = {}
    for part, island in zip(open_program(case.network).parts, case.graph.islands, strict=True):
        shape = Shape4.of(part.outputs[0].shape)
        ends = [flat(shape, item.arena_address or 0) for item in (*part.inputs, *part.outputs)]
        streams[island.id] = stream(pool(*ends))
    model = CompiledModel.of(again(case, streams=streams))
    (given,) = model.network.main.inputs
    values = np.random.default_rng(1).integers(-128, 128, (1, 4, 4, 16), np.int8)
    result = model.run({given: values})
    assert result.faults == ()
    (made,) = result.outputs.values()
    assert np.array_equal(made, values[..., ::-1])


def cut_after_the_first_part(graph: NpuGraph) -> NpuGraph:
    """Its last island cut in two, where a map has one of its parts."""
    *before, island = graph.islands
    makers = [op for op in island.ops if graph.ops[op].origin == "CONCATENATION"]
    at = island.ops.index(makers[0]) + 1
    made = {graph.ops[op].ofm.fm for op in island.ops[:at]}
    read = {view.fm for op in island.ops[at:] for view in graph.ops[op].views[:-1]}
    first = replace(island, ops=island.ops[:at], outputs=tuple(sorted(made & read)))
    second = replace(
        island,
        id=IslandId(island.id + 1),
        ops=island.ops[at:],
        inputs=tuple(fm for fm in sorted(read) if fm in {*made, *island.inputs}),
    )
    steps = ((*graph.steps[0], second.id),)
    return replace(graph, islands=(*before, first, second), steps=steps)


def test_a_map_that_two_islands_make_is_handed_on_between_them():
    source = shuffled()
    graph = cut_after_the_first_part(graph_of(source, freedoms=NONE))
    case = contained(source, U55, graph)
    first, second = open_program(case.network).parts[-2:]
    assert {item.name for item in first.outputs} & {item.name for item in second.inputs} >= {
        graph.feature_maps[graph.ops[graph.islands[-1].ops[0]].ofm.fm].name
    }
    assert not list(collisions(case.network))


def test_an_island_that_hands_over_bricks_is_refused():
    case = case_of("shuffled", "shared")
    maps = tuple(replace(plan, format=Format.BRICKS) for plan in case.scheduled.schedule.maps)
    with pytest.raises(InternalError, match="no interpreter can read it"):
        again(case, schedule=replace(case.scheduled.schedule, maps=maps))


def test_a_layout_without_what_islands_hand_over_is_refused():
    case = case_of("shuffled", "shared")
    areas = tuple(replace(area, placements=()) for area in case.scheduled.layout.areas)
    with pytest.raises(InternalError, match="no interpreter can read it"):
        again(case, layout=replace(case.scheduled.layout, areas=areas))


def test_memory_that_no_file_can_name_is_refused():
    case = case_of("shuffled", "shared")
    first, *areas = case.scheduled.layout.areas
    *placed, last = first.placements
    last = replace(last, address=(1 << 31) - last.size_bytes)
    first = replace(first, placements=(*placed, last), height_bytes=1 << 31)
    with pytest.raises(DoesNotFit, match=f"2147483648 .*because of {re.escape(last.name)}"):
        again(case, layout=replace(case.scheduled.layout, areas=(first, *areas)))
