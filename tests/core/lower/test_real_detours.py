"""What a file computes in real numbers of one byte is one table, whose entries are LiteRT's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import TensorId
from core.check.npugraph import verify
from core.ir.freedoms import ALL, NONE, Freedoms
from core.ir.network import Network, Operator, Quantization, Subgraph, Table, Tensor
from core.ir.npugraph import NpuGraph
from core.ir.options import LoweringOptions, Options, Search
from core.ir.rewritten import Rewrite
from core.lower import run as lower
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled
from tests.core.lower.rewrites.workbench import tensor
from tests.core.synth.oracle import execute

BYTES = (DType.INT8, DType.UINT8)
VALUES = (1, 2, 8, 16)
"""The shape of all values that a byte can have."""
Step = tuple[str, float | None]
"""An operator, and the number that is its second input."""

UNARY = ("ABS", "NEG", "RELU", "RELU6", "SQUARE")
FUSED = ("ADD", "DIV", "MUL", "SUB")
BINARY = ("ADD", "DIV", "MAXIMUM", "MINIMUM", "MUL", "SUB")
STEPS = st.one_of(
    st.tuples(st.sampled_from(UNARY), st.none()),
    st.tuples(st.sampled_from(BINARY), st.floats(0.125, 3.0, width=32)),
)


def detour(
    steps: list[Step],
    given: Tensor,
    made: Tensor,
    *,
    is_turned: bool = False,
    activation: int = 0,
    is_read_apart: bool = False,
) -> Network:
    """Bytes, real numbers, and bytes again; turned, the numbers are first inputs."""
    tensors, ops = [given], list[Operator]()

    def new(one: Tensor) -> TensorId:
        tensors.append(one)
        return TensorId(len(tensors) - 1)

    def add(kind: str, inputs: tuple[TensorId, ...], out: Tensor) -> TensorId:
        is_fused = kind in FUSED
        fields = (("fused_activation_function", activation),) if is_fused else ()
        options = Table(kind=f"{kind.title()}Options", fields=fields) if fields else None
        ops.append(Operator(kind=kind, inputs=inputs, outputs=(new(out),), options=options))
        return ops[-1].outputs[0]

    def real(name: str) -> Tensor:
        return tensor(name, given.shape, DType.FLOAT32, None)

    now = add("DEQUANTIZE", (TensorId(0),), real("real"))
    for number, (kind, constant) in enumerate(steps):
        inputs = (now,)
        if constant is not None:
            known = tensor(f"constant{number}", (1,), DType.FLOAT32, None, data=[constant])
            inputs = (now, new(known))
        now = add(kind, inputs[::-1] if is_turned else inputs, real(f"step{number}"))
    last = add("QUANTIZE", (now,), made)
    outputs = (last, now) if is_read_apart else (last,)
    graph = Subgraph(
        name="",
        tensors=tuple(tensors),
        operators=tuple(ops),
        inputs=(TensorId(0),),
        outputs=outputs,
    )
    return Network(subgraphs=(graph,))


def negated(dtype: DType = DType.INT8, **more: bool) -> Network:
    """As converters leave it where a layer is normalised."""
    given = tensor("x", VALUES, dtype, 0.0217, 3)
    return detour([("NEG", None)], given, tensor("y", VALUES, dtype, 0.0217, 5), **more)


def graph_of(net: Network, freedoms: Freedoms = ALL) -> NpuGraph:
    graph = lower.run(net, accelerator_named("ethos-u55-128"), LoweringOptions(freedoms=freedoms))
    assert verify(graph) == ()
    return graph


def every_value(dtype: DType) -> np.ndarray:
    low, high = dtype.limits
    return np.arange(low, high + 1).astype(dtype.numpy).reshape(VALUES)


def looked_up(net: Network) -> np.ndarray:
    """What the one operator of a network makes of every value."""
    (op,) = graph_of(net).ops
    assert op.activation is not None
    assert op.activation.table is not None
    return op.activation.table.array.reshape(VALUES)


@pytest.mark.parametrize("dtype", BYTES)
def test_a_detour_is_one_operator_and_the_numbers_stay(dtype: DType) -> None:
    net = negated(dtype)
    graph = graph_of(net)
    assert graph.rejections == ()
    (op,) = graph.ops
    assert [source.op for source in op.sources] == [2, 1, 0]
    assert graph.rewrites[0].rewrite is Rewrite.LOOKED_UP
    target = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
    _, compiled = scheduled_and_compiled(net, target, Options(search=Search.DIRECT))
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


@given(
    steps=st.lists(STEPS, max_size=4),
    dtype=st.sampled_from(BYTES),
    scales=st.tuples(st.floats(2**-9, 0.5), st.floats(2**-9, 0.5)),
    zeros=st.tuples(st.integers(0, 127), st.integers(0, 127)),
    is_turned=st.booleans(),
    activation=st.sampled_from([0, 1, 2, 3]),
)
def test_entries_are_what_the_reference_makes_of_each_value(
    steps, dtype, scales, zeros, is_turned, activation
) -> None:
    given_, made = (
        tensor(name, VALUES, dtype, scale, zero)
        for name, scale, zero in zip("xy", scales, zeros, strict=True)
    )
    net = detour(steps, given_, made, is_turned=is_turned, activation=activation)
    # There are quotients of zero, and factors that no operator rescales by.
    assume(not graph_of(net).rejections)
    theirs = execute(net, [every_value(dtype)]).outputs()[0]
    np.testing.assert_array_equal(looked_up(net), theirs)


@pytest.mark.parametrize("kind", ["SQRT", "RSQRT"])
def test_roots_are_taken_where_all_values_have_one(kind: str) -> None:
    steps: list[Step] = [("ABS", None), ("ADD", 0.5), (kind, None)]
    net = detour(steps, tensor("x", VALUES, scale=0.03), tensor("y", VALUES, scale=0.02))
    theirs = execute(net, [every_value(DType.INT8)]).outputs()[0]
    np.testing.assert_array_equal(looked_up(net), theirs)
    without = detour([(kind, None)], tensor("x", VALUES), tensor("y", VALUES))
    assert len(graph_of(without).rejections) == 3


STAYS = {
    "a scale for each channel": detour(
        [("NEG", None)],
        replace(
            tensor("x", VALUES),
            quantization=Quantization(scales=(0.5,) * 16, zero_points=(0,) * 16, axis=3),
        ),
        tensor("y", VALUES),
    ),
    "an exponential": detour([("EXP", None)], tensor("x", VALUES), tensor("y", VALUES)),
    "by zero": detour([("DIV", 0.0)], tensor("x", VALUES), tensor("y", VALUES)),
    "other bytes": detour(
        [("NEG", None)], tensor("x", VALUES), tensor("y", VALUES, DType.UINT8, zero_point=9)
    ),
    "16 bits": detour(
        [("NEG", None)], tensor("x", VALUES, DType.INT16), tensor("y", VALUES, DType.INT16)
    ),
}


@pytest.mark.parametrize("net", STAYS.values(), ids=STAYS.keys())
def test_what_is_no_table_of_bytes_stays_on_the_cpu(net: Network) -> None:
    assert len(graph_of(net).rejections) == 3


def test_an_operator_that_reads_what_it_makes_is_no_end_of_steps() -> None:
    net = negated()
    operators = list(net.main.operators)
    operators[1] = replace(operators[1], inputs=operators[1].outputs)
    broken = replace(net, subgraphs=(replace(net.main, operators=tuple(operators)),))
    lowered = lower.run(broken, accelerator_named("ethos-u55-128"), LoweringOptions())
    assert len(lowered.ops) == 0


def test_who_else_reads_the_real_numbers_still_has_them() -> None:
    net = negated(is_read_apart=True)
    graph = graph_of(net)
    assert [net.operator(each.op).kind for each in graph.rejections] == ["DEQUANTIZE", "NEG"]
    assert len(graph.ops) == 1


def test_what_is_not_free_stays_as_in_the_file() -> None:
    assert len(graph_of(negated(), NONE).rejections) == 3
