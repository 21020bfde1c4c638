"""Verification: what holds, what does not and where, and what cannot be compared at all."""

import pytest

from core.api import compiler, proof, schedules, targets
from core.base.dtype import DType
from core.base.errors import InputError, OptionError
from core.base.frozen import replace
from core.emit.conventions import VERSION_METADATA
from core.emit.open import open_program
from core.ir.network import Quantization
from core.ir.npugraph import Rounding
from core.ir.options import Options, Search
from core.ir.program import Curve, Job, NpuOperation, Wait
from core.pipeline.proof import litert
from core.pipeline.proof.random_inputs import random_inputs
from core.pipeline.proof.simulate import CompiledModel
from core.synth.builder import Builder
from core.tflite import reader, writer
from tests.core.lower.rewrites.workbench import single, tensor
from tests.core.pipeline.planted import (
    compiled,
    example,
    with_commands,
    with_constants,
    with_operation,
    with_payload,
)
from tests.networks.random_networks import random_network
from tests.shared import files, need

KWS = "kws_dscnn"
TOLERANT = (8, 1339)
"""Seeds of random networks with 16-bit FULLY_CONNECTED: off by one, and by more what follows."""


@pytest.mark.parametrize("name", [KWS, "resnet8", "shuffle_with_cpu", "denoise_int16"])
def test_what_we_compile_is_equal(name):
    found = proof.verify(compiled(name), example(name), inputs=2)
    assert found.holds
    assert all(output.is_equal for output in found.outputs)
    assert found.sentences()[-1].startswith("holds: ")
    assert all(": equal, " in line for line in found.sentences()[:-1])


def test_what_the_ecosystems_compiler_compiled_is_equal():
    model = need("models/person_detect.tflite").read_bytes()
    theirs = need("peer/compiled/person_detect_vela.tflite").read_bytes()
    assert proof.verify(theirs, model, inputs=3).sentences() == (
        "output 'MobilenetV1/Predictions/Reshape_1': equal, 2 elements for each of 3 inputs",
        "holds: 1 output, 0 findings",
    )


@pytest.mark.long
def test_inputs_and_outputs_of_real_numbers_are_quantised_on_the_cpu():
    """That model has both, as converters make them unless they are told otherwise."""
    model = need("models/omv_blazeface_front_128.tflite").read_bytes()
    scheduled = schedules.schedule(model, targets.resolve_target("ethos-u55-128"), Options())
    found = proof.verify(compiler.compile_model(scheduled).data, model)
    assert reader.read(model).main.tensors[0].dtype is DType.FLOAT32
    assert [output.is_equal for output in found.outputs] == [True] * 4
    assert found.holds


def operations(data: bytes) -> list[NpuOperation]:
    return list(open_program(reader.read(data)).parts[0].stream.operations)


def kernel_operators() -> list[int]:
    """Operators of the example that become one operation each."""
    graph = reader.read(example(KWS)).main
    return [
        number
        for number, op in enumerate(graph.operators)
        if op.kind in {"CONV_2D", "DEPTHWISE_CONV_2D"}
    ]


def off_center(op: NpuOperation) -> NpuOperation:
    return replace(op, ifm=replace(op.ifm, zero_point=op.ifm.zero_point + 3))


def test_a_wrong_zero_point_is_found_at_its_operator():
    """Whichever operation has it, the operator is named that it belongs to."""
    data, model = compiled(KWS), example(KWS)
    graph = reader.read(model).main
    weighted = [at for at, op in enumerate(operations(data)) if op.job.has_weights]
    named = []
    for at in weighted[:-1]:
        found = proof.verify(with_operation(data, at, off_center), model, inputs=2)
        assert not found.holds
        (line,) = (item for item in found.sentences() if "first at" in item)
        named.append(int(line.split("first at ")[1].split()[1]))
    assert named == sorted(named)
    assert set(named) == set(kernel_operators())
    assert {graph.operators[number].kind for number in named} <= {"CONV_2D", "DEPTHWISE_CONV_2D"}


def test_a_wrong_bias_is_found_at_its_operator():
    """Of the first depthwise operator, whose records are brought to fast memory to be read."""
    data, model = compiled(KWS), example(KWS)
    stream = open_program(reader.read(data)).parts[0].stream
    (records,) = next(op for op in stream.operations if op.job is Job.DEPTHWISE).scales
    source = next(
        item.source.address + records.address - item.destination.address
        for item in stream.transfers
        if 0 <= records.address - item.destination.address < item.size_bytes
    )

    def flip(content: bytearray) -> None:
        content[source + 1] ^= 0x40

    found = proof.verify(with_constants(data, flip), model)
    assert not found.holds
    assert found.outputs[0].where.startswith("first at DEPTHWISE_CONV_2D 1 ")


@pytest.mark.long
def test_a_missing_wait_fails_where_all_values_are_equal():
    model = need("models/person_detect.tflite").read_bytes()
    theirs = need("peer/compiled/person_detect_vela.tflite").read_bytes()

    def drop(commands):
        del commands[[at for at, item in enumerate(commands) if isinstance(item, Wait)][2]]

    found = proof.verify(with_commands(theirs, drop), model)
    assert found.outputs[0].is_equal
    assert not found.holds
    (fault,) = found.faults
    assert "does not wait" in fault
    assert "in CONV_2D 2 (" in fault


def test_a_stream_that_lacks_its_end_fails_where_it_ends():
    def cut(commands):
        at = [at for at, item in enumerate(commands) if isinstance(item, NpuOperation)][2]
        del commands[at:-1]

    found = proof.verify(with_commands(compiled(KWS), cut), example(KWS))
    assert not found.holds
    assert not found.outputs[0].is_equal
    assert found.outputs[0].where.startswith("first between ")
    assert "cannot be seen" in found.outputs[0].where


def test_a_map_that_is_wider_than_any_memory_is_a_finding():
    def wide(op: NpuOperation) -> NpuOperation:
        return replace(op, ofm=replace(op.ofm, strides=op.ofm.strides._replace(y=1 << 36)))

    found = proof.verify(with_operation(compiled(KWS), 2, wide), example(KWS), inputs=1)
    assert not found.holds
    assert found.faults


def test_a_repeated_edge_takes_no_room():
    """Where the picture fills its region, with its edge it is larger than that."""
    picture = tensor("x", (1, 13, 7, 33), DType.INT16, 0.5)
    doubled = tensor("y", (1, 26, 14, 33), DType.INT16, 0.5)
    size = tensor("size", (2,), DType.INT32, None, data=[26, 14])
    options = {"half_pixel_centers": True}
    kind = "RESIZE_BILINEAR"
    network = single(kind, [picture, size], doubled, options, record="ResizeBilinearOptions")
    model = writer.write(network)
    scheduled = schedules.schedule(model, targets.resolve_target("ethos-u65-256"), Options())
    assert proof.verify(compiler.compile_model(scheduled).data, model, inputs=2).holds


def test_bounds_that_are_not_of_the_tables_type_make_another_value():
    data = compiled(KWS)
    at = next(i for i, op in enumerate(operations(data)) if op.activation.curve is Curve.TABLE)

    def bounded_below_all(op: NpuOperation) -> NpuOperation:
        return replace(op, activation=replace(op.activation, minimum=-30000, maximum=-30000))

    found = proof.verify(with_operation(data, at, bounded_below_all), example(KWS), inputs=1)
    assert not found.holds
    assert found.outputs[0].is_computed


def test_a_stream_that_means_nothing_computes_nothing():
    def spoil(content):
        # A command and its payload are two words at most, so that one of these is a command.
        content[-400:-392] = b"\xff" * 8

    found = proof.verify(with_payload(compiled(KWS), spoil), example(KWS))
    assert not found.holds
    assert "could not be computed" in found.sentences()[0]
    assert any("the stream: " in fault for fault in found.faults)


@pytest.mark.parametrize("seed", TOLERANT)
def test_known_rounding_holds_and_says_why(seed):
    model = writer.write(random_network(seed))
    target = targets.resolve_target("ethos-u55-128")
    data = compiler.compile_model(schedules.schedule(model, target, Options())).data
    found = proof.verify(data, model, inputs=2)
    assert found.holds
    (off,) = (output for output in found.outputs if not output.is_equal)
    assert "FULLY_CONNECTED: " in off.sentence
    assert "exactly as the hardware computes it" in off.sentence


@pytest.mark.parametrize("has_bias", [True, False])
def test_16_bit_sums_have_the_hardwares_factor_with_and_without_a_bias(has_bias):
    """Today's converters leave a bias out where it is zero."""
    b = Builder(11, DType.INT16)
    net = b.build([b.fully_connected(b.input((1, 300)), 200)], "product")
    if not has_bias:
        (op,) = net.main.operators
        bare = replace(op, inputs=(*op.inputs[:2], None))
        net = replace(net, subgraphs=(replace(net.main, operators=(bare,)),))
    model = writer.write(net)
    found = proof.verify(for_u55_128(model), model, inputs=2)
    assert found.holds
    assert "16 bits of the multiplier" in found.outputs[0].sentence


@pytest.mark.long
def test_a_difference_of_one_does_not_hold_where_none_is_known():
    """The last operation of a network without such operators rounds one step too high."""
    data, model = compiled("unet_128"), example("unet_128")
    kinds = {op.kind for op in reader.read(model).main.operators}
    assert not kinds & {"FULLY_CONNECTED", "UNIDIRECTIONAL_SEQUENCE_LSTM"}

    def higher(op: NpuOperation) -> NpuOperation:
        return replace(op, ofm=replace(op.ofm, zero_point=op.ofm.zero_point + 1))

    found = proof.verify(with_operation(data, -1, higher), model)
    assert [output.largest for output in found.outputs if not output.is_equal] == [1]
    assert not found.holds


@pytest.mark.parametrize(
    ("made", "model", "reason"),
    [
        (example(KWS), example(KWS), "is not a compiled model"),
        (compiled(KWS), compiled(KWS), "has been compiled itself"),
    ],
)
def test_what_cannot_be_compared_is_refused(made, model, reason):
    with pytest.raises(InputError, match=reason):
        proof.verify(made, model)


@pytest.mark.parametrize(
    ("made", "model", "told"),
    [
        (KWS, "resnet8", "input 0 is 'input' int8 1x49x10x1, and 'input' int8 1x32x32x3 in"),
        ("shuffle_with_cpu", "camera_and_motion", "it has 1 input, and the original 2"),
    ],
)
def test_a_compiled_model_of_another_original_does_not_hold(made, model, told):
    found = proof.verify(compiled(made), example(model))
    assert not found.holds
    assert found.faults[0].startswith(told)


def with_main(data: bytes, change) -> bytes:
    network = reader.read(data)
    return writer.write(replace(network, subgraphs=(change(network.main),)))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda graph: replace(graph, inputs=graph.inputs[::-1]), "input 0 is "),
        (lambda graph: replace(graph, outputs=graph.outputs[:-1]), "it has "),
        (lambda graph: with_tensor(graph, graph.inputs[1], name="other"), "input 1 is 'other' "),
        (lambda graph: with_tensor(graph, graph.outputs[0], dtype=DType.UINT8), "output 0 is "),
    ],
    ids=["order", "number", "name", "type"],
)
def test_names_types_number_and_order_are_part_of_the_verdict(change, told):
    """What is computed is not asked then: nobody knows what belongs to what."""
    name = "camera_and_motion"
    found = proof.verify(with_main(compiled(name), change), example(name))
    assert not found.holds
    assert not found.outputs
    assert found.faults[0].startswith(told)
    assert found.sentences()[-1].startswith("does not hold: ")


def test_no_inputs_are_no_proof():
    with pytest.raises(OptionError, match="at least 1"):
        proof.verify(compiled(KWS), example(KWS), inputs=0)


def test_without_litert_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setattr(litert, "is_available", lambda: False)
    with pytest.raises(OptionError, match="pip install ai-edge-litert"):
        proof.verify(compiled(KWS), example(KWS))


def classifier() -> bytes:
    """LiteRT's softmax of a thousand classes ends its process where all of them are alike."""
    b = Builder(1, DType.INT8)
    x = b.input((1, 1000), -1.0, 2.0)
    return writer.write(b.build([b.softmax(x)], "classifier"))


def test_inputs_on_which_litert_ends_itself_are_left_out_and_that_is_said():
    model, target = classifier(), targets.resolve_target("ethos-u55-128")
    data = compiler.compile_model(schedules.schedule(model, target, Options())).data
    found = proof.verify(data, model, inputs=6)
    assert found.holds
    assert found.outputs[0].inputs < 6
    (note,) = found.notes
    assert note.startswith(f"not tried: {6 - found.outputs[0].inputs} of 6 inputs; LiteRT ends")


def test_a_model_that_litert_never_computes_is_one_sentence_with_the_way_on(monkeypatch):
    def ends(*_):
        raise litert.Ended("LiteRT ends itself")

    monkeypatch.setattr(litert.Session, "run", ends)
    with (
        pytest.raises(InputError, match="LiteRT ends itself; go without"),
        proof.way_on("go without"),
    ):
        proof.verify(compiled(KWS), example(KWS))


@pytest.mark.long
def test_an_original_that_litert_computes_otherwise_each_time_is_refused(monkeypatch):
    """As it does where it reads memory that nobody has written to."""
    run, runs = litert.Session.run, []

    def by_chance(session, given):
        runs.append(session)
        return {number: value + len(runs) for number, value in run(session, given).items()}

    monkeypatch.setattr(litert.Session, "run", by_chance)
    with pytest.raises(
        InputError, match="the original: LiteRT makes other values of output 'head/"
    ):
        proof.verify(compiled(KWS), example(KWS), inputs=1)


def test_what_the_cpu_makes_in_another_size_than_declared_is_one_sentence(monkeypatch):
    model = CompiledModel.of(reader.read(compiled("shuffle_with_cpu")))
    run = litert.Session.run

    def halved(session, given):
        return {number: value[..., ::2] for number, value in run(session, given).items()}

    monkeypatch.setattr(litert.Session, "run", halved)
    with pytest.raises(InputError, match="its shape is not what its operator gives"):
        model.run(random_inputs(model.network, 0, 0))


def with_tensor(graph, number, **changes):
    """A graph with something else about one tensor."""
    tensors = list(graph.tensors)
    tensors[number] = replace(tensors[number], **changes)
    return replace(graph, tensors=tuple(tensors))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"quantization": Quantization(scales=(0.5,), zero_points=(3,))}, "has scale 0.5 and zero"),
        ({"shape": (1, 1, 1, 12)}, "int8 1x1x1x12, and 'head/softmax' int8 1x12"),
    ],
)
def test_quantisation_and_shape_of_an_output_are_part_of_the_verdict(changes, told):
    data = with_main(compiled(KWS), lambda graph: with_tensor(graph, graph.outputs[0], **changes))
    found = proof.verify(data, example(KWS), inputs=1)
    assert found.outputs[0].is_equal
    assert not found.holds
    assert told in found.faults[0]


@pytest.mark.long
def test_our_own_8_bit_fully_connected_has_no_excuse():
    """Rounded twice, as other compilers have it, it is a difference in a file that is ours."""
    model = fully_connected()
    data = for_u55_128(model)
    assert proof.verify(data, model).outputs[0].is_equal
    ours = with_operation(data, -1, rounded_twice)
    found = proof.verify(ours, model)
    assert not found.holds
    assert found.outputs[0].largest == 1
    found = proof.verify(of_another_compiler(ours), model)
    assert found.holds
    assert "round sums of 32 bits twice" in found.outputs[0].sentence


@pytest.mark.long
def test_a_table_on_a_product_that_others_round_twice_holds_by_the_products_rule():
    """The product is never in memory itself: its rule, and then the kernel of what the table is."""
    model = fully_connected(ends_in_logistic=True)
    data = for_u55_128(model)
    (product,) = operations(data)
    assert product.activation.curve is Curve.TABLE
    theirs = of_another_compiler(with_operation(data, 0, rounded_twice))
    found = proof.verify(theirs, model)
    assert found.holds
    assert found.outputs[0].differing
    assert "round sums of 32 bits twice" in found.outputs[0].sentence
    spoilt = with_operation(theirs, 0, off_center)
    assert not proof.verify(spoilt, model).holds


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize(
    ("shape", "axes"), [((1, 6, 5, 8), (1, 2)), ((1, 6, 5, 8), (2,)), ((1, 1, 30, 8), (3,))]
)
def test_sums_hold_though_the_reference_kernel_makes_none(dtype, shape, axes):
    b = Builder(6, dtype)
    model = writer.write(b.build([b.sum(b.input(shape), axes)], "summed"))
    data = for_u55_128(model)
    found = proof.verify(data, model, inputs=3)
    assert found.holds
    (output,) = found.outputs
    assert output.is_equal or "SUM: LiteRT's reference kernel" in output.sentence
    assert not proof.verify(with_operation(data, -1, off_center), model).holds


def rounded_twice(op: NpuOperation) -> NpuOperation:
    return replace(op, rounding=Rounding.DOUBLE)


def of_another_compiler(data: bytes) -> bytes:
    network = reader.read(data)
    kept = tuple(item for item in network.metadata if item.name != VERSION_METADATA)
    return writer.write(replace(network, metadata=kept, description="another compiler"))


def for_u55_128(model: bytes) -> bytes:
    target = targets.resolve_target("ethos-u55-128")
    # One operation makes all of the output: the direct search would bring weights in slices.
    options = Options(search=Search.COMPATIBLE)
    return compiler.compile_model(schedules.schedule(model, target, options)).data


def fully_connected(*, ends_in_logistic: bool = False) -> bytes:
    b = Builder(4, DType.INT8)
    product = b.fully_connected(b.input((1, 600), -1.0, 2.0), 900)
    return writer.write(b.build([b.logistic(product) if ends_in_logistic else product], "product"))


@pytest.mark.slow
@pytest.mark.parametrize("model", files("models/*.tflite"), ids=lambda path: path.stem)
def test_shared_models_hold_as_we_compile_them(model):
    data = need(model).read_bytes()
    target = targets.resolve_target("ethos-u65-256", None, "Dedicated_Sram_384KB")
    compiled_model = compiler.compile_model(schedules.schedule(data, target, Options())).data
    assert proof.verify(compiled_model, data, inputs=3).holds
