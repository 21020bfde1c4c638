"""Short names: a number, a kind, and the part of the name that tells most; no two are the same."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.api import networks, targets
from core.ir.layout import Placement, Purpose
from core.ir.options import Options
from core.ir.titles import Called, telling, titles_of
from core.target.region import Region
from tests import shared

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
NAMES = st.lists(st.text(st.sampled_from("ab1/;_.:'·é "), max_size=40), max_size=12)
HEADS = st.sampled_from(["0 add", "1 conv2d", "input", ""])
LONGEST_PART = 24


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        ([], ()),
        (["model_1/tf.math.add_29/Add", "model_1/tf.math.add_30/Add"], ("add_29", "add_30")),
        (["n/re_lu_5/Relu6;n/conv2d_5/BiasAdd", "n/re_lu/Relu6;n/b"], ("re_lu_5", "re_lu")),
        (["/model.22/cv3.1.0/act/Mul", "/model.22/cv3.1.1/act/Mul"], ("cv3.1.0", "cv3.1.1")),
        (["camera/conv_1", "motion/conv_1"], ("camera", "motion")),
        (["add", ""], ("add", "")),
        ([";a", "///"], ("a", "")),
    ],
)
def test_what_tells_most_is_what_fewest_others_have(names, parts):
    assert telling(names) == parts


def test_a_long_part_loses_its_middle_and_keeps_its_number():
    (part,) = telling(["unidirectional_sequence_lstm_output#0.26_h"])
    assert len(part) == LONGEST_PART
    assert part.endswith("#0.26_h")


def test_a_name_that_is_a_kind_with_the_same_number_is_not_told_again():
    ops = [Called("9 depthwise conv2d", "depthwise 9"), Called("10 conv2d", "depthwise 9")]
    maps = [
        Called("9 output", "depthwise 9: output"),
        Called("input", "input"),
        Called("input", "input 9"),
    ]
    found = titles_of(ops, maps, [])
    assert found.ops == ("9 depthwise conv2d", "10 conv2d · depthwise 9")
    assert found.maps == ("9 output", "input", "input · input 9")


def test_a_part_that_says_the_kind_is_not_told_again():
    ops = [Called("0 sub", "n/sub"), Called("1 depthwise conv2d", "n/a/depthwise_conv2d")]
    maps = [Called("0 output", "n/sub"), Called("input", "n/input")]
    found = titles_of(ops, maps, [])
    assert found.ops == ("0 sub", "1 depthwise conv2d")
    assert found.maps == ("0 output · sub", "input")
    assert titles_of([], [], [Called("CPU 0 QUANTIZE", "n/quantize")]).cpu_ops == (
        "CPU 0 QUANTIZE",
    )


def test_bytes_are_named_by_whose_they_are_and_what():
    ops = [Called("0 conv2d", "n/stem"), Called("1 conv2d", "convolution 1")]
    titles = titles_of(ops, [], [])

    def place(op, **fields):
        lies = {"address": 0, "size_bytes": 16, "start_time": 0, "end_time": 0}
        return Placement(name="", op=op, region=Region.SCRATCH, **lies, **fields)

    assert titles.place(place(0, purpose=Purpose.WEIGHTS, buffer=1)) == "0 weight buffer 2 · stem"
    assert titles.place(place(1, purpose=Purpose.TABLE)) == "1 table"


@given(st.lists(st.tuples(HEADS, st.text(max_size=30))), NAMES, NAMES)
def test_no_two_titles_are_the_same(ops, maps, cpu_ops) -> None:
    told = titles_of(
        [Called(head, name) for head, name in ops],
        [Called("0 output", name) for name in maps],
        [Called("CPU 0 MUL", name) for name in cpu_ops],
    )
    every = (*told.ops, *told.maps, *told.cpu_ops)
    assert len(set(every)) == len(ops) + len(maps) + len(cpu_ops)
    assert all(text.isprintable() for text in every)


@cache
def graph_of(model: bytes):
    return networks.run(model, targets.resolve_target("ethos-u65-256"), Options()).graph


@pytest.mark.parametrize(
    "path",
    [
        EXAMPLES / "unet_128.tflite",
        EXAMPLES / "shuffle_with_cpu.tflite",
        *shared.files("regressions/trials/*.tflite"),
    ],
    ids=lambda path: path.stem,
)
def test_titles_of_a_network_are_short_and_tell_its_operators_apart(path):
    graph = graph_of(shared.need(path).read_bytes())
    titles = graph.titles
    every = (*titles.ops, *titles.maps, *titles.cpu_ops)
    assert len(set(every)) == len(every)
    for op in graph.ops:
        head, between, part = titles.op(op.id).partition(" · ")
        assert head == f"{op.id} {op.kind.value}" or not between
        assert part.replace("_", " ").casefold() != op.kind.value
        assert len(titles.op_parts[op.id]) <= LONGEST_PART
    for fm, op in graph.makers.items():
        assert titles.map(fm).startswith(f"{op} output · ")
