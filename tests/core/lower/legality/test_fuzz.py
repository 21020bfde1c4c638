"""Whatever an operator looks like, it is accepted or rejected: judging it never fails."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.errors import DoesNotFit
from core.base.frozen import replace
from core.base.ids import SubgraphId
from core.check.network import demand_addressable
from core.ir.constdata import ConstData
from core.ir.network import Network, Quantization, Table, Tensor
from core.ir.options import LoweringOptions
from core.lower.fold import fold_constants
from core.lower.legality.table import place, rules_of
from core.lower.run import run
from core.lower.source import SourceGraph
from core.target.families.ethos_u55 import FAMILY
from core.target.registry import accelerator_named
from tests.core.lower.legality.cases import GOOD, Case
from tests.effort import some_of

ACCELERATOR = accelerator_named("ethos-u55-128")
DIMENSIONS = st.sampled_from((-1, 0, 1, 2, 3, 4, 6, 8, 257, 65535, 65536))
SHAPES = st.lists(DIMENSIONS, max_size=6).map(tuple)
NUMBERS = st.sampled_from((-129, -3, -1, 0, 1, 2, 3, 4, 5, 7, 64, 127, 300))
SCALES = st.sampled_from((-1.0, 0.0, 1e-45, 0.5, 1.0, 3e38, float("inf"), float("nan")))
QUANTIZATIONS = st.none() | st.builds(
    Quantization,
    scales=st.lists(SCALES, max_size=4).map(tuple),
    zero_points=st.lists(NUMBERS, max_size=4).map(tuple),
    axis=NUMBERS,
    minimum=st.lists(SCALES, max_size=2).map(tuple),
)
OPTION_NAMES = (
    *("axis", "num_splits", "values_count", "num", "mode", "beta", "alpha", "keep_dims"),
    *("stride_h", "stride_w", "dilation_h_factor", "dilation_w_factor", "padding"),
    *("filter_height", "filter_width", "depth_multiplier", "fused_activation_function"),
    *("weights_format", "keep_num_dims", "begin_mask", "end_mask", "ellipsis_mask", "offset"),
    *("new_axis_mask", "shrink_axis_mask", "align_corners", "half_pixel_centers", "adj_x"),
    *("adj_y", "time_major", "squeeze_dims", "new_shape"),
)
OPTION_VALUES = NUMBERS | st.booleans() | st.none() | st.just((1, 2)) | st.just(0.5)

RULES = rules_of(FAMILY)


@st.composite
def constants(draw: Any, shape: tuple[int, ...], dtype: DType) -> ConstData | None:
    """Elements of a tensor, where it can have some; few of them differ."""
    bound = prod(max(dim, 1) for dim in shape)
    if dtype.numpy is None or min(shape, default=1) < 0 or bound > 4096:
        return None
    numbers = draw(st.lists(NUMBERS, min_size=1, max_size=8))
    array = np.resize(np.asarray(numbers, np.int64), shape).astype(dtype.numpy)
    return ConstData.of(array)


@st.composite
def shapes(draw: Any, base: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with one other dimension, one more, one less, or all of them others."""
    dims = list(base)
    place_ = draw(st.integers(0, len(dims)))
    match draw(st.sampled_from(("other", "other", "more", "less", "all"))):
        case "other" if dims:
            dims[place_ % len(dims)] = draw(DIMENSIONS)
        case "more":
            dims.insert(place_, draw(DIMENSIONS))
        case "less" if dims:
            del dims[place_ % len(dims)]
        case _:
            return draw(SHAPES)
    return tuple(dims)


@st.composite
def tensors(draw: Any, base: Tensor) -> Tensor:
    """A tensor with one other property."""
    match draw(st.sampled_from(("shape", "shape", "values", "values", "dtype", "quant", "kind"))):
        case "shape":
            made = replace(base, shape=draw(shapes(base.shape)))
        case "dtype":
            made = replace(base, dtype=draw(st.sampled_from(DType)))
        case "quant":
            return replace(base, quantization=draw(QUANTIZATIONS))
        case "values" if base.data is not None:
            return replace(base, data=draw(constants(base.shape, base.dtype)))
        case _:
            data = None if base.data is not None else draw(constants(base.shape, base.dtype))
            return replace(base, data=data, is_variable=draw(st.booleans()))
    return (
        made if base.data is None else replace(made, data=draw(constants(made.shape, made.dtype)))
    )


@st.composite
def changes(draw: Any, case: Case) -> Case:
    """An operator with one part changed, added or left out."""
    what = draw(st.sampled_from(("input",) * 4 + ("output", "options", "options", "rare")))
    if what == "input" and case.inputs:
        place_ = draw(st.integers(0, len(case.inputs) - 1))
        made = draw(tensors(case.inputs[place_] or GOOD["RELU"].outputs[0]))
        return replace(case, inputs=(*case.inputs[:place_], made, *case.inputs[place_ + 1 :]))
    if what == "output":
        made = replace(draw(tensors(case.outputs[0])), data=None)
        return replace(case, outputs=(made, *case.outputs[1:]))
    if what == "options":
        fields = dict(() if case.options is None else case.options.fields)
        names = sorted(fields) * 2 + list(OPTION_NAMES)
        fields[draw(st.sampled_from(names))] = draw(OPTION_VALUES)
        return replace(case, options=Table(kind="Options", fields=tuple(fields.items())))
    return draw(losses(case))


@st.composite
def losses(draw: Any, case: Case) -> Case:
    """An operator that lacks a part."""
    kept = draw(st.integers(0, len(case.inputs)))
    match draw(st.sampled_from(("cut", "hole", "options", "intermediates", "outputs"))):
        case "cut":
            return replace(case, inputs=case.inputs[:kept])
        case "hole":
            return case.without(kept)
        case "options":
            return replace(case, options=None)
        case "intermediates":
            return replace(case, intermediates=case.intermediates[:kept])
        case _:
            return replace(case, outputs=case.outputs[:1] * draw(st.integers(1, 3)))


@st.composite
def cases(draw: Any) -> Case:
    """An accepted operator of some kind, changed a few times."""
    case = GOOD[draw(st.sampled_from(sorted(RULES)))]
    for _ in range(draw(st.integers(0, 4))):
        case = draw(changes(case))
    return case


@settings(max_examples=some_of(700))
@given(cases(), st.booleans())
def test_any_operator_is_judged(case: Case, is_forced: bool) -> None:
    graph = SourceGraph.of(fold_constants(case.subgraph(), SubgraphId(0)), SubgraphId(0))
    options = LoweringOptions(force_symmetric_int_weights=is_forced)
    for op_ref, rejection in place(graph, FAMILY, options).items():
        assert rejection.op == op_ref
        assert rejection.rule
        assert rejection.found
        assert rejection.accepted
    op = case.bound()
    for rule in RULES[case.kind]:
        found = rule.check(op)
        if found is not None:
            assert found
            break


@settings(max_examples=some_of(250))
@given(cases())
def test_an_accepted_operator_can_be_lowered(case: Case) -> None:
    """A rewrite may rely on the rules: nothing that they let through is too odd for it."""
    network = Network(subgraphs=(case.subgraph(),))
    try:
        demand_addressable(network)
    except DoesNotFit:
        return
    lowered = run(network, ACCELERATOR, LoweringOptions())
    assert len(lowered.cpu_ops) == len(lowered.rejections)


@given(st.lists(cases(), max_size=4))
def test_operators_are_judged_each_for_itself(several: list[Case]) -> None:
    """Placing a graph of several operators is placing each of them."""
    alone = [bool(place(case.graph(), FAMILY, LoweringOptions())) for case in several]
    graphs = [case.subgraph() for case in several]
    tensors_: list[Tensor] = []
    operators, inputs, outputs = [], [], []
    for graph in graphs:
        shift = len(tensors_)
        tensors_.extend(graph.tensors)
        (operator,) = graph.operators
        moved = replace(
            operator,
            inputs=tuple(None if i is None else i + shift for i in operator.inputs),
            outputs=tuple(i + shift for i in operator.outputs),
            intermediates=tuple(None if i is None else i + shift for i in operator.intermediates),
        )
        operators.append(moved)
        inputs.extend(i + shift for i in graph.inputs)
        outputs.extend(i + shift for i in graph.outputs)
    joined = replace(
        (graphs or [GOOD["RELU"].subgraph()])[0],
        tensors=tuple(tensors_),
        operators=tuple(operators),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
    )
    rejected = place(SourceGraph.of(joined, SubgraphId(0)), FAMILY, LoweringOptions())
    assert [ref.op for ref in rejected] == [index for index, is_out in enumerate(alone) if is_out]
