"""A misspelt operator or map is told with the name that it may have meant, which can be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api import networks
from core.base.frozen import replace
from core.edits.spelled import near, spelled
from core.ir.edits import Edit, MapNamed, OpNamed, What
from core.ir.npugraph import NpuGraph
from core.ir.options import Options
from core.target.resolve import resolve

MODEL = Path(__file__).parents[3] / "resources" / "examples" / "mobilenet_v2_035_96.tflite"


@pytest.fixture(scope="module")
def graph() -> NpuGraph:
    return networks.run(MODEL.read_bytes(), resolve("ethos-u55-128"), Options()).graph


def found(graph: NpuGraph, told: str) -> OpNamed:
    """The operator that is found by what is told."""
    edit = Edit(subject=OpNamed(told), what=What.STRIPE, value=4)
    (edit,) = spelled([edit], graph)
    assert isinstance(edit.subject, OpNamed)
    return edit.subject


def test_a_title_with_a_wrong_letter_finds_its_operator(graph: NpuGraph):
    for op, title in zip(graph.ops, graph.titles.ops, strict=True):
        written = title.replace("conv2d", "conv2b").replace("add", "ad").replace("pool", "poool")
        if written != title:
            (told,) = near(OpNamed(written), graph)
            assert found(graph, told).name == op.name


def test_of_a_name_that_a_converter_has_joined_each_part_is_known(graph: NpuGraph):
    """Such a name has hundreds of letters: its title is told, and can be written."""
    op = graph.ops[5]
    joined = f"net/block_1/conv/Relu6;net/block_1/conv/add_fold;{'x' * 60}"
    ops = tuple(replace(each, name=joined) if each is op else each for each in graph.ops)
    renamed = replace(graph, ops=ops)
    for written in ("block_1/conv/Relu6", "block_1/konv/Relu6", "net/block_1/conv/ad_fold"):
        assert near(OpNamed(written), renamed) == (renamed.titles.ops[5],)
        assert found(renamed, renamed.titles.ops[5]).name == joined


def test_a_number_beyond_the_last_is_told_with_the_last(graph: NpuGraph):
    assert near(OpNamed("#999"), graph) == (f"#{len(graph.ops) - 1}",)
    assert near(MapNamed("#999"), graph) == (f"#{len(graph.ops) - 1}",)


def test_what_is_like_nothing_is_told_alone(graph: NpuGraph):
    assert near(OpNamed("qqqqqqqq"), graph) == ()
