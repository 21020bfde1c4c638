"""What each pass of the lowering leaves, shown on networks of a few operators."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.check.npugraph import verify
from core.ir.freedoms import ALL, NONE
from core.ir.npugraph import LinearReason, SourceFate
from core.ir.options import LoweringOptions
from core.lower import run as lower
from core.synth.builder import Builder
from core.synth.examples import EXAMPLES, SEED
from core.synth.windows import window
from core.target.registry import accelerator_named
from tests.core.lower.nets import PICTURE, Line, lowered, network, story

FLAT = {"flat": (1, 1024)}
TO_FLAT = {"new_shape": (1, 1024)}
HALF = (1, 8, 8, 8)


def test_a_reshape_with_one_reader_costs_nothing() -> None:
    net = network(
        [("ABS", "a", "b"), ("RESHAPE", "b", "flat", TO_FLAT), ("ABS", "flat", "c")],
        inputs="a",
        outputs="c",
        shapes=FLAT | {"c": (1, 1024)},
    )
    graph = lowered(net)
    assert story(graph) == ["abs: a -> flat", "abs: flat -> c"]
    assert [entry.fate for entry in graph.lineage] == [
        SourceFate.NPU,
        SourceFate.REMOVED,
        SourceFate.NPU,
    ]


def test_a_resize_to_the_same_size_is_nothing_before_and_after_a_reshape() -> None:
    same = {"align_corners": False, "half_pixel_centers": False}
    net = network(
        [
            ("ABS", "a", "b"),
            ("RESIZE_NEAREST_NEIGHBOR", "b size", "c", same),
            ("RESHAPE", "c", "flat", TO_FLAT),
            ("ABS", "flat", "d"),
        ],
        inputs="a",
        outputs="d",
        shapes=FLAT | {"d": (1, 1024)},
        constants={"size": [8, 8]},
    )
    graph = lowered(net)
    assert story(graph) == ["abs: a -> flat", "abs: flat -> d"]
    assert verify(graph) == ()


@pytest.mark.parametrize(
    ("lines", "inputs", "outputs"),
    [
        ([("RESHAPE", "a", "flat", TO_FLAT), ("ABS", "flat", "c")], "a", "c"),
        ([("ABS", "a", "b"), ("RESHAPE", "b", "flat", TO_FLAT), ("ABS", "b", "d")], "a", "flat d"),
        ([("ABS", "a", "b"), ("RESHAPE", "b", "flat", TO_FLAT)], "a", "flat b"),
        ([("CUSTOM", "a", "b"), ("RESHAPE", "b", "flat", TO_FLAT), ("ABS", "flat", "c")], "a", "c"),
    ],
    ids=["of an input", "of a map with another reader", "of an output", "of a map of the CPU's"],
)
def test_a_reshape_that_others_would_notice_is_a_copy(
    lines: list[Line], inputs: str, outputs: str
) -> None:
    net = network(lines, inputs=inputs, outputs=outputs, shapes=FLAT | {"c": (1, 1024)})
    graph = lowered(net, freedoms=NONE)
    assert [line.split(":")[0] for line in story(graph)].count("copy") == 1
    assert verify(graph) == ()


BOTH_ARE_KNOWN: list[Line] = [("ABS", "a", "b"), ("RESHAPE", "b", "flat", TO_FLAT)]
READ_IN_TWO_SHAPES: list[tuple[list[Line], str, list[str]]] = [
    ([*BOTH_ARE_KNOWN, ("ABS", "b", "d")], "flat d", ["abs: a -> flat", "abs: flat -> d"]),
    (
        [*BOTH_ARE_KNOWN, ("RESHAPE", "b", "c", TO_FLAT), ("ABS", "b", "d")],
        "flat c d",
        ["abs: a -> flat", "abs: flat -> d", "copy: flat -> c"],
    ),
]


@pytest.mark.parametrize(("lines", "outputs", "expected"), READ_IN_TWO_SHAPES)
def test_readers_on_the_npu_see_the_same_bytes_in_their_own_shapes(
    lines: list[Line], outputs: str, expected: list[str]
) -> None:
    net = network(lines, inputs="a", outputs=outputs, shapes=FLAT | {"c": (1, 1024)})
    graph = lowered(net)
    assert sorted(story(graph)) == expected
    assert verify(graph) == ()


@pytest.mark.parametrize(
    ("lines", "outputs"),
    [
        (BOTH_ARE_KNOWN, "flat b"),
        ([("RESHAPE", "a", "flat", TO_FLAT), ("CUSTOM", "flat", "c")], "c"),
        ([*BOTH_ARE_KNOWN, ("CUSTOM", "b", "d")], "flat d"),
        ([("RESHAPE", "a", "flat", TO_FLAT), ("ABS", "flat", "c")], "c"),
        ([("CUSTOM", "a", "b"), *BOTH_ARE_KNOWN[1:], ("ABS", "flat", "c")], "c"),
    ],
    ids=["of an output", "for the CPU", "beside the CPU", "of an input", "of the CPU's"],
)
def test_a_reshape_of_what_others_know_too_is_a_copy(lines: list[Line], outputs: str) -> None:
    net = network(lines, inputs="a", outputs=outputs, shapes=FLAT | {"c": (1, 1024)})
    graph = lowered(net)
    assert [line.split(":")[0] for line in story(graph)].count("copy") == 1
    assert verify(graph) == ()


def test_concatenation_is_a_copy_into_each_part() -> None:
    net = network(
        [("ABS", "a", "b"), ("CONCATENATION", "b a", "c", {"axis": 3})],
        inputs="a",
        outputs="c",
        shapes={"c": (1, 8, 8, 32)},
    )
    assert story(lowered(net, freedoms=NONE)) == [
        "abs: a -> b",
        "average pool: b -> c@0,0,0,0",
        "average pool: a -> c@0,0,0,16",
    ]


SPLIT: list[Line] = [("SPLIT", "axis a", "b c", {"num_splits": 2})]
AXIS = {"axis": [3]}
NO_ACTIVATION = {"fused_activation_function": 0}
PARTS: list[Line] = [("SPLIT", "axis whole", "b other", {"num_splits": 2})]


def test_parts_are_read_where_they_lie() -> None:
    net = network(
        [*SPLIT, ("ABS", "b", "d"), ("ABS", "c", "e")],
        inputs="a",
        outputs="d e",
        shapes=dict.fromkeys("bcde", HALF),
        constants=AXIS,
    )
    assert sorted(story(lowered(net))) == ["abs: a@0,0,0,0 -> d", "abs: a@0,0,0,8 -> e"]


def test_both_inputs_of_an_operator_can_be_parts() -> None:
    net = network(
        [*SPLIT, ("MUL", "c c", "d", NO_ACTIVATION), ("ADD", "b d", "e", NO_ACTIVATION)],
        inputs="a",
        outputs="e",
        shapes=dict.fromkeys("bcde", HALF),
        constants=AXIS,
    )
    graph = lowered(net)
    assert story(graph) == ["mul: a@0,0,0,8, a@0,0,0,8 -> d", "add: a@0,0,0,0, d -> e"]
    assert verify(graph) == ()


@pytest.mark.parametrize(("rows", "is_one"), [(64, True), (65, False)])
def test_an_average_takes_padding_over_where_a_convolution_has_its_window(
    rows: int, is_one: bool
) -> None:
    window = {"stride_h": 1, "stride_w": 1, "filter_height": rows, "filter_width": 1, "padding": 1}
    net = network(
        [("PAD", "a amounts", "b"), ("AVERAGE_POOL_2D", "b", "c", window)],
        inputs="a",
        outputs="c",
        constants={"amounts": [[0, 0], [rows // 2, rows // 2], [0, 0], [0, 0]]},
        shapes={"a": (1, 64, 8, 16), "b": (1, 128, 8, 16), "c": (1, 129 - rows, 8, 16)},
    )
    lines = story(lowered(net))
    assert (len(lines) == 1) is is_one
    assert not any(line.startswith("cpu") for line in lines)


def test_what_the_cpu_pads_is_not_taken_over() -> None:
    """Amounts in one dimension are no PAD's."""
    window = {"stride_h": 1, "stride_w": 1, "filter_height": 3, "filter_width": 3, "padding": 1}
    net = network(
        [("PAD", "a amounts", "b"), ("AVERAGE_POOL_2D", "b", "c", window)],
        inputs="a",
        outputs="c",
        constants={"amounts": [0, 0, 1, 1, 1, 1, 0, 0]},
        shapes={"b": (1, 10, 10, 16)},
    )
    assert story(lowered(net)) == ["cpu PAD", "average pool: b -> c"]


def test_a_part_of_a_part_is_a_part() -> None:
    """MIRROR_PAD reads parts of its input; where that is a part itself, nothing is copied first."""
    net = network(
        [("SLICE", "a begin size", "b", {"": 0}), ("MIRROR_PAD", "b amounts", "c", {"mode": 1})],
        inputs="a",
        outputs="c",
        shapes={"b": (1, 6, 6, 16), "c": (1, 8, 6, 16)},
        constants={
            "begin": [0, 2, 1, 0],
            "size": [1, 6, 6, 16],
            "amounts": [[0, 0], [1, 1], [0, 0], [0, 0]],
        },
    )
    graph = lowered(net)
    assert story(graph) == [
        "average pool: a@0,2,1,0 -> c@0,1,0,0",
        "average pool: a@0,2,1,0 -> c@0,0,0,0",
        "average pool: a@0,7,1,0 -> c@0,0,0,0",
    ]
    assert verify(graph) == ()


def test_a_part_that_leaves_the_npu_is_copied() -> None:
    net = network(
        [*SPLIT, ("ABS", "c", "d")],
        inputs="a",
        outputs="b d",
        shapes=dict.fromkeys("bcd", HALF),
        constants=AXIS,
    )
    assert "average pool: a@0,0,0,0 -> b" in story(lowered(net))


def test_a_clamp_merges_into_the_operator_before_it() -> None:
    net = network([("ABS", "a", "b"), ("RELU6", "b", "c")], inputs="a", outputs="c")
    graph = lowered(net)
    assert story(graph) == ["abs: a -> c +clamp"]
    assert [entry.fate for entry in graph.lineage] == [SourceFate.NPU, SourceFate.FUSED]


def test_clamps_intersect() -> None:
    net = network(
        [("ABS", "a", "b"), ("RELU6", "b", "c"), ("RELU_N1_TO_1", "c", "d")],
        inputs="a",
        outputs="d",
    )
    (op,) = lowered(net).ops
    assert op.activation is not None
    assert (op.activation.minimum, op.activation.maximum) == (0.0, 1.0)


def test_clamps_that_no_operator_can_take_are_one() -> None:
    net = network([("RELU6", "a", "b"), ("RELU_0_TO_1", "b", "c")], inputs="a", outputs="c")
    assert story(lowered(net)) == ["average pool: a -> c +clamp"]


def test_an_activation_does_not_merge_into_what_others_read() -> None:
    net = network([("ABS", "a", "b"), ("RELU", "b", "c")], inputs="a", outputs="c b")
    assert sorted(story(lowered(net))) == ["abs: a -> b", "average pool: b -> c +clamp"]


@pytest.mark.parametrize(
    ("lines", "shapes", "clamped"),
    [
        (
            [("RESHAPE", "a", "b", TO_FLAT), ("RELU", "b", "c")],
            dict.fromkeys("bc", (1, 1024)),
            "b -> c",
        ),
        ([("LOGISTIC", "a", "b"), ("RELU", "b", "c")], {}, "b -> c"),
        (
            [("ABS", "a", "whole"), *PARTS, ("RELU", "b", "c")],
            dict.fromkeys(("b", "other", "c"), HALF),
            "whole@0,0,0,0 -> c",
        ),
    ],
    ids=["of a copy", "of a table", "of a part"],
)
def test_a_clamp_that_would_be_lost_is_an_operator_of_its_own(
    lines: list[Line], shapes: dict[str, tuple[int, ...]], clamped: str
) -> None:
    """The ecosystem's compiler merges it into the operator before it all the same."""
    net = network(lines, inputs="a", outputs="c", shapes=shapes, constants=AXIS)
    graph = lowered(net, freedoms=NONE)
    assert story(graph)[-1] == f"average pool: {clamped} +clamp"
    assert len(graph.ops) == 2


@pytest.mark.parametrize(
    ("accelerator", "freedoms", "count"),
    [("ethos-u55-128", NONE, 1), ("ethos-u55-64", NONE, 2), ("ethos-u55-64", ALL, 1)],
)
def test_a_table_merges_by_rule_only_where_it_has_banks_of_its_own(accelerator, freedoms, count):
    net = network([("ABS", "a", "b"), ("LOGISTIC", "b", "c")], inputs="a", outputs="c")
    options = LoweringOptions(freedoms=freedoms)
    assert len(lower.run(net, accelerator_named(accelerator), options).ops) == count


@pytest.mark.parametrize(
    ("accelerator", "channels", "depth", "is_apart"),
    [
        *(("ethos-u65-512", 1, 8, True), ("ethos-u65-512", 4, 16, True)),
        *(("ethos-u65-512", 5, 8, False), ("ethos-u65-512", 1, 24, False)),
        *(("ethos-u65-256", 1, 8, False), ("ethos-u55-256", 1, 8, False)),
    ],
)
def test_two_cores_look_up_few_channels_apart(accelerator, channels, depth, is_apart):
    builder = Builder(SEED, DType.INT8)
    sums = builder.conv(builder.input((1, 32, 32, depth)), channels, window(3), "NONE")
    options = LoweringOptions(freedoms=ALL)
    net = builder.build([builder.logistic(sums)])
    graph = lower.run(net, accelerator_named(accelerator), options)
    assert len(graph.ops) == 1 + is_apart
    if channels == 1:
        assert graph.ops[-1].ofm.shape.c == (16 if is_apart else 1)
    assert verify(graph) == ()


@pytest.mark.parametrize("merged", [Builder.logistic, Builder.leaky_relu])
def test_what_is_written_by_columns_stays_in_rows_with_what_merges_into_it(merged) -> None:
    b = Builder(1, DType.INT8)
    turned = b.transpose(b.input((1, 5, 5, 24), -1.0, 1.0), (0, 2, 1, 3))
    graph = lower.run(
        b.build([b.conv(merged(b, turned), 8)], "turned"),
        accelerator_named("ethos-u55-128"),
        LoweringOptions(),
    )
    (first, *_) = graph.ops
    assert first.ofm.is_transposed
    assert graph.fm(first.ofm).linear_reason is LinearReason.WRITTEN_BY_COLUMNS
    assert len(first.sources) == 2


def test_cpu_operators_gather_so_that_there_are_few_islands() -> None:
    net = network(
        [
            ("ABS", "a", "b"),
            ("CUSTOM", "b", "p"),
            ("ABS", "b", "c"),
            ("CUSTOM", "c", "q"),
            ("ABS", "c", "d"),
        ],
        inputs="a",
        outputs="p q d",
    )
    graph = lowered(net)
    assert len(graph.islands) == 1
    assert story(graph)[-2:] == ["cpu CUSTOM", "cpu CUSTOM"]


def test_a_cpu_operator_on_the_networks_input_comes_first() -> None:
    net = network(
        [("ABS", "a", "b"), ("CUSTOM", "a", "p"), ("ADD", "b p", "c", NO_ACTIVATION)],
        inputs="a",
        outputs="c",
    )
    graph = lowered(net)
    assert story(graph)[0] == "cpu CUSTOM"
    assert len(graph.islands) == 1


def test_what_no_output_needs_is_left_out() -> None:
    net = network([("ABS", "a", "b"), ("ABS", "a", "c")], inputs="a", outputs="c")
    graph = lowered(net)
    assert story(graph) == ["abs: a -> c"]
    assert graph.lineage[0].fate is SourceFate.REMOVED


def test_a_quantised_constant_is_one() -> None:
    net = network(
        [("SHAPE", "a", "s"), ("ABS", "a", "b")],
        inputs="a",
        outputs="b s",
        shapes={"s": (4,)},
        dtypes={"s": DType.INT32},
    )
    graph = lowered(net)
    constant = next(fm for fm in graph.feature_maps if fm.data is not None and fm.name == "s")
    assert constant.data is not None
    assert constant.data.array.tolist() == list(PICTURE)


def test_a_chain_as_deep_as_it_likes() -> None:
    lines: list[Line] = [("ABS", f"t{n}", f"t{n + 1}") for n in range(3000)]
    graph = lowered(network(lines, inputs="t0", outputs="t3000"))
    assert [op.name for op in graph.ops] == [f"t{n + 1}" for n in range(3000)]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.booleans()), max_size=30))
def test_every_operator_runs_after_those_that_it_needs(
    recipe: list[tuple[int, int, bool]],
) -> None:
    """Random graphs of binary operators, some of them on the CPU."""
    names = ["t0"]
    lines: list[Line] = []
    for first, second, on_cpu in recipe:
        given_names = f"{names[first % len(names)]} {names[second % len(names)]}"
        names.append(f"t{len(names)}")
        lines.append(("CUSTOM" if on_cpu else "ADD", given_names, names[-1], NO_ACTIVATION))
    lines.append(("ABS", names[-1], "end"))
    graph = lowered(network(lines, inputs="t0", outputs="end"))
    assert verify(graph) == ()
    runs = [isinstance(step, int) for step in graph.steps[0]]
    assert all(not (a and b) for a, b in pairwise(runs))


def test_weights_can_be_taken_as_symmetric() -> None:
    """A signed convolution whose weights have a zero point runs on the CPU, unless told so."""
    plain = EXAMPLES["resnet8"](SEED)
    graph = plain.main
    weights = graph.operators[0].inputs[1]
    assert weights is not None
    tensor = graph.tensors[weights]
    assert tensor.quantization is not None
    shifted = replace(
        tensor,
        quantization=replace(
            tensor.quantization, zero_points=(3,) * len(tensor.quantization.zero_points)
        ),
    )
    tensors = (*graph.tensors[:weights], shifted, *graph.tensors[weights + 1 :])
    net = replace(plain, subgraphs=(replace(graph, tensors=tensors),))
    accelerator = accelerator_named("ethos-u55-256")

    kept = lower.run(net, accelerator, LoweringOptions())
    assert [step.kind for step in kept.cpu_ops] == ["CONV_2D"]
    forced = lower.run(net, accelerator, LoweringOptions(force_symmetric_int_weights=True))
    assert forced.cpu_ops == ()
    assert forced.warnings == (f"the zero points of '{tensor.name}' are taken as 0",)
    first = forced.ops[0].weights
    assert first is not None
    assert set(first.zero_points) == {0}
