"""Whole numbers of 32 bits: what is known of them, and what runs on the NPU because of that."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import SubgraphId
from core.ir.constdata import ConstData
from core.ir.freedoms import NONE
from core.ir.network import Network
from core.ir.options import LoweringOptions, Options
from core.lower.bounds import Bounds, computed_bounds, known_bounds
from core.lower.run import run
from core.lower.source import SourceGraph
from core.pipeline.proof.verify import verify
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from core.tflite.writer import write
from tests.core.emit.executed import scheduled_and_compiled
from tests.core.lower.nets import Line, network

U55 = accelerator_named("ethos-u55-128")
FREE = LoweringOptions()
ROWS, COLUMNS, DEPTH = 3, 5, 48
PLACES: list[Line] = [
    ("ARG_MAX", "x axis", "i", {"output_type": 2}),
    ("FLOOR_DIV", "i width", "row"),
    ("MUL", "row width", "first", {}),
    ("SUB", "i first", "column", {}),
]

_OPTIONS = {
    "ARG_MAX": "ArgMaxOptions",
    "ADD": "AddOptions",
    "MAXIMUM": "MaximumMinimumOptions",
    "MINIMUM": "MaximumMinimumOptions",
    "MUL": "MulOptions",
    "SUB": "SubOptions",
}
"""As the schema writes them."""


def places(lines: list[Line], outputs: str, **constants: int) -> Network:
    """Where in a row of pixels the greatest element is, and what is made of that."""
    names = {name for _, _, made, *_ in lines for name in made.split()}
    plane = (1, ROWS, COLUMNS)
    made = network(
        lines,
        inputs="x",
        outputs=outputs,
        shapes={"x": (*plane, DEPTH), **dict.fromkeys(names, plane)},
        constants={"axis": [3], "width": [8], **{name: [n] for name, n in constants.items()}},
        dtypes=dict.fromkeys(names, DType.INT32),
    )
    tensors = tuple(
        replace(each, quantization=None) if each.dtype is DType.INT32 else each
        for each in made.main.tensors
    )
    operators = tuple(
        replace(each, options=replace(each.options, kind=_OPTIONS[each.kind]))
        if each.options is not None
        else each
        for each in made.main.operators
    )
    graph = replace(made.main, tensors=tensors, operators=operators)
    return replace(made, subgraphs=(graph,))


def kept(made: Network, options: LoweringOptions = FREE) -> dict[str, str]:
    """The kinds that stay on the CPU, each with what was found."""
    kinds = [operator.kind for operator in made.main.operators]
    return {kinds[r.op.op]: r.found for r in run(made, U55, options).rejections}


def last_bounds(made: Network) -> Bounds | None:
    graph = SourceGraph.of(made.main, SubgraphId(0))
    return computed_bounds(graph.ops[-1], known_bounds(graph))


def test_places_of_a_greatest_element_are_computed_on_the_npu() -> None:
    made = places(PLACES, "column")
    assert kept(made) == {"FLOOR_DIV": "FLOOR_DIV"}
    _, compiled = scheduled_and_compiled(made, resolve("ethos-u55-128"), Options())
    held = verify(compiled.data, write(made), inputs=3)
    assert held.holds, held.sentences()


@pytest.mark.parametrize("far", [70_000, -32_769])
def test_a_number_that_no_command_holds_is_read_as_a_constant(far: int) -> None:
    made = places([PLACES[0], ("SUB", "far i", "y", {})], "y", far=far)
    tensors = tuple(
        replace(each, shape=(), data=ConstData.of(np.array(far, np.int32)))
        if each.name == "far"
        else each
        for each in made.main.tensors
    )
    made = replace(made, subgraphs=(replace(made.main, tensors=tensors),))
    assert not kept(made)
    _, compiled = scheduled_and_compiled(made, resolve("ethos-u55-128"), Options())
    held = verify(compiled.data, write(made), inputs=1)
    assert held.holds, held.sentences()


def test_they_are_not_where_the_older_compiler_is_followed() -> None:
    assert {"MUL", "SUB"} <= kept(places(PLACES, "column"), LoweringOptions(freedoms=NONE)).keys()


@pytest.mark.parametrize(
    ("line", "bounds"),
    [
        (("ADD", "i n", "y", {}), (7, 54)),
        (("SUB", "n i", "y", {}), (-40, 7)),
        (("MUL", "i n", "y", {}), (0, 329)),
        (("FLOOR_DIV", "i n", "y"), (0, 6)),
        (("FLOOR_MOD", "i n", "y"), (0, 6)),
        (("MINIMUM", "i n", "y", {}), (0, 7)),
        (("MAXIMUM", "i n", "y", {}), (7, 47)),
        (("FLOOR_DIV", "i zero", "y"), None),
        (("FLOOR_DIV", "n i", "y"), None),
        (("ADD", "i n", "y", {"fused_activation_function": 1}), None),
    ],
)
def test_bounds_follow_from_those_of_what_is_given(
    line: Line, bounds: tuple[int, int] | None
) -> None:
    assert last_bounds(places([PLACES[0], line], "y", n=7, zero=0)) == bounds


def test_what_may_leave_32_bits_stays_on_the_cpu() -> None:
    powers: list[Line] = [
        PLACES[0],
        ("MUL", "i great", "a", {}),
        ("MUL", "a a", "b", {}),
        ("ADD", "b i", "c", {}),
    ]
    found = kept(places(powers, "c", great=2_000))
    assert found.keys() == {"MUL", "ADD"}
    assert found["MUL"] == f"0 to {(47 * 2_000) ** 2}"
    assert found["ADD"] == f"{np.iinfo(np.int32).min} to {np.iinfo(np.int32).max + 47}"


def test_an_activation_behind_32_bits_stays_on_the_cpu() -> None:
    line: Line = ("ADD", "i n", "y", {"fused_activation_function": 1})
    assert kept(places([PLACES[0], line], "y", n=7)) == {"ADD": "RELU behind 32 bits"}


@pytest.mark.parametrize("kind", ["ARG_MAX", "FLOOR_DIV", "MUL", "CONCATENATION"])
@pytest.mark.parametrize("inputs", [(), (None, None)])
def test_what_lacks_its_inputs_says_nothing(kind: str, inputs: tuple[None, ...]) -> None:
    made = places(PLACES, "column").main
    operators = tuple(
        replace(each, kind=kind, inputs=inputs) if each.kind == "MUL" else each
        for each in made.operators
    )
    graph = SourceGraph.of(replace(made, operators=operators), SubgraphId(0))
    named = {graph.tensors[each].name for each in known_bounds(graph)}
    assert "first" not in named
