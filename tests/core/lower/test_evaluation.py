"""What follows from constants and shapes alone is what LiteRT makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import SubgraphId, TensorId
from core.ir.constdata import ConstData
from core.ir.network import FieldValue, Network, Operator, Subgraph, Table, Tensor
from core.ir.options import Options
from core.lower.fold import fold_constants
from core.pipeline.proof.verify import verify
from core.target.resolve import resolve
from core.tflite.writer import write
from tests.core.emit.executed import scheduled_and_compiled
from tests.core.lower.rewrites.workbench import single, tensor
from tests.core.synth.oracle import execute
from tests.effort import some_of

INT32, INT64, FLOAT32, BOOL = DType.INT32, DType.INT64, DType.FLOAT32, DType.BOOL
MOVED = (DType.INT8, DType.UINT8, DType.INT16, INT32, INT64, FLOAT32)


class Question:
    """An operator over arrays: those that LiteRT is given as inputs, and those it has to know."""

    def __init__(
        self,
        kind: str,
        arrays: Sequence[np.ndarray],
        dtypes: Sequence[DType],
        shape: tuple[int, ...],
        made: DType,
        known_from: int = 99,
        record: str = "",
        **fields: FieldValue,
    ) -> None:
        self.arrays, self.known_from = arrays, known_from
        given = [
            tensor(f"x{at}", array.shape, dtype, None, data=array)
            for at, (array, dtype) in enumerate(zip(arrays, dtypes, strict=True))
        ]
        self.network = single(
            kind,
            given,
            tensor("y", shape, made, None),
            fields,
            record=record,
            version=_VERSIONS.get(kind, 1),
        )

    def folded(self) -> np.ndarray | None:
        graph = self.network.main
        # What the caller gets is computed by the operator; here somebody else reads it.
        graph = replace(graph, outputs=())
        data = fold_constants(graph, SubgraphId(0)).tensors[-1].data
        return None if data is None else data.array

    def litert(self) -> np.ndarray:
        graph = self.network.main
        fed = [at for at in range(len(self.arrays)) if at < self.known_from]
        tensors = tuple(
            replace(each, data=None) if at in fed else each for at, each in enumerate(graph.tensors)
        )
        graph = replace(graph, tensors=tensors, inputs=tuple(TensorId(at) for at in fed))
        feeds = [self.arrays[at] for at in fed]
        return execute(Network(subgraphs=(graph,)), feeds).outputs()[0]


_VERSIONS = {"STRIDED_SLICE": 4, "SELECT_V2": 1, "BROADCAST_TO": 2, "GATHER": 1}
SIDES = st.integers(1, 4)
Draw = Callable[[st.SearchStrategy[Any]], Any]


def _array(
    draw: Draw, shape: Sequence[int], dtype: DType, low: int = -9, high: int = 9
) -> np.ndarray:
    generator = np.random.default_rng(draw(st.integers(0, 1 << 16)))
    low = 0 if dtype in (DType.UINT8, BOOL) else low
    array = generator.integers(low, high if dtype is not BOOL else 1, tuple(shape), endpoint=True)
    return (array / 2 if dtype is FLOAT32 else array).astype(dtype.numpy)


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def _moved(draw: Draw) -> tuple[DType, tuple[int, ...], np.ndarray]:
    dtype = draw(st.sampled_from(MOVED))
    shape = tuple(draw(st.lists(SIDES, min_size=1, max_size=4)))
    return dtype, shape, _array(draw, shape, dtype)


def _strided_slice(draw: Draw) -> Question:
    dtype, shape, array = _moved(draw)
    masks = {name: draw(st.integers(0, 15)) for name in ("begin_mask", "end_mask")}
    begin = [draw(st.integers(-dim, dim - 1)) for dim in shape]
    end = [draw(st.integers(-dim - 1, dim + 1)) for dim in shape]
    steps = [draw(st.sampled_from((1, 1, 2, -1))) for _ in shape]
    gone = draw(st.integers(0, 15)) & draw(st.integers(0, 15))
    taken = [
        (0 if masks["begin_mask"] >> axis & 1 else at)
        if gone >> axis & 1
        else slice(
            None if masks["begin_mask"] >> axis & 1 else at,
            None if masks["end_mask"] >> axis & 1 else last,
            step,
        )
        for axis, (at, last, step) in enumerate(zip(begin, end, steps, strict=True))
    ]
    steps = [1 if gone >> axis & 1 else step for axis, step in enumerate(steps)]
    made = np.asarray(array[tuple(taken)])
    return Question(
        "STRIDED_SLICE",
        [array, _ints(*begin), _ints(*end), _ints(*steps)],
        [dtype, INT32, INT32, INT32],
        made.shape,
        dtype,
        1,
        "StridedSliceOptions",
        shrink_axis_mask=gone,
        **masks,
    )


def _slice(draw: Draw) -> Question:
    dtype, shape, array = _moved(draw)
    begin = [draw(st.integers(0, dim - 1)) for dim in shape]
    size = [draw(st.integers(1, dim - at)) for dim, at in zip(shape, begin, strict=True)]
    return Question(
        "SLICE", [array, _ints(*begin), _ints(*size)], [dtype, INT32, INT32], tuple(size), dtype, 1
    )


def _pack(draw: Draw) -> Question:
    dtype, shape, _ = _moved(draw)
    shape = shape[:3]
    arrays = [_array(draw, shape, dtype) for _ in range(draw(st.integers(1, 3)))]
    axis = draw(st.integers(-len(shape) - 1, len(shape)))
    made = np.stack(arrays, axis)
    return Question(
        "PACK",
        arrays,
        [dtype] * len(arrays),
        made.shape,
        dtype,
        record="PackOptions",
        axis=axis,
        values_count=len(arrays),
    )


def _concatenation(draw: Draw) -> Question:
    dtype, shape, array = _moved(draw)
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    other = list(shape)
    other[axis] = draw(SIDES)
    arrays = [array, _array(draw, other, dtype)]
    made = np.concatenate(arrays, axis)
    return Question(
        "CONCATENATION",
        arrays,
        [dtype] * 2,
        made.shape,
        dtype,
        record="ConcatenationOptions",
        axis=axis,
    )


def _tile(draw: Draw) -> Question:
    dtype, shape, array = _moved(draw)
    times = [draw(st.integers(1, 3)) for _ in shape]
    made = np.tile(array, times)
    return Question("TILE", [array, _ints(*times)], [dtype, INT32], made.shape, dtype, 1)


def _fill(draw: Draw) -> Question:
    dtype = draw(st.sampled_from((DType.INT8, DType.INT16, INT32, INT64, FLOAT32)))
    shape = tuple(draw(st.lists(SIDES, min_size=1, max_size=4)))
    return Question("FILL", [_ints(*shape), _array(draw, (), dtype)], [INT32, dtype], shape, dtype)


def _gather(draw: Draw) -> Question:
    dtype, shape, array = _moved(draw)
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    picks = [draw(st.integers(0, shape[axis] - 1)) for _ in range(draw(SIDES))]
    made = np.take(array, picks, axis)
    return Question(
        "GATHER",
        [array, _ints(*picks)],
        [dtype, INT32],
        made.shape,
        dtype,
        record="GatherOptions",
        axis=axis,
    )


def _broadcast_to(draw: Draw) -> Question:
    dtype, shape, _ = _moved(draw)
    small = [1 if draw(st.booleans()) else dim for dim in shape][draw(st.integers(0, 1)) :]
    array = _array(draw, small or (1,), dtype)
    return Question("BROADCAST_TO", [array, _ints(*shape)], [dtype, INT32], shape, dtype, 1)


def _transpose(draw: Draw) -> Question:
    dtype, shape, array = _moved(draw)
    order = draw(st.permutations(range(len(shape))))
    made = array.transpose(order)
    return Question("TRANSPOSE", [array, _ints(*order)], [dtype, INT32], made.shape, dtype, 1)


def _expand_dims(draw: Draw) -> Question:
    dtype, shape, array = _moved(draw)
    axis = draw(st.integers(-len(shape) - 1, len(shape)))
    made = np.expand_dims(array, axis)
    return Question("EXPAND_DIMS", [array, _ints(axis)], [dtype, INT32], made.shape, dtype, 1)


def _range(draw: Draw) -> Question:
    start, limit, step = (
        draw(st.integers(-5, 5)),
        draw(st.integers(-9, 9)),
        draw(st.integers(-3, 3)),
    )
    step = step or 1
    made = (len(range(start, limit, step)),)
    arrays = [np.array(each, np.int32) for each in (start, limit, step)]
    return Question("RANGE", arrays, [INT32] * 3, made, INT32)


def _cast(draw: Draw) -> Question:
    given, made = (
        draw(st.sampled_from((INT32, INT64, FLOAT32, DType.INT8, BOOL))) for _ in range(2)
    )
    array = _array(draw, (2, 3), given, -100, 100)
    return Question(
        "CAST",
        [array],
        [given],
        (2, 3),
        made,
        record="CastOptions",
        in_data_type=given.code,
        out_data_type=made.code,
    )


ARITHMETIC = {
    "ADD": ("AddOptions", (INT32, INT64, FLOAT32)),
    "SUB": ("SubOptions", (INT32, INT64, FLOAT32)),
    "MUL": ("MulOptions", (INT32, INT64, FLOAT32)),
    "DIV": ("DivOptions", (INT32, FLOAT32)),
    "FLOOR_DIV": ("", (INT32,)),
    "FLOOR_MOD": ("", (INT32, INT64)),
    "MINIMUM": ("", (INT32, INT64)),
    "MAXIMUM": ("", (INT32, INT64)),
    "EQUAL": ("", (INT32, INT64, FLOAT32)),
    "NOT_EQUAL": ("", (INT32, INT64, FLOAT32)),
    "GREATER": ("", (INT32, INT64, FLOAT32)),
    "GREATER_EQUAL": ("", (INT32, INT64, FLOAT32)),
    "LESS": ("", (INT32, INT64, FLOAT32)),
    "LESS_EQUAL": ("", (INT32, INT64, FLOAT32)),
}
_COMPARING = frozenset(list(ARITHMETIC)[-6:])


def _arithmetic(draw: Draw) -> Question:
    kind = draw(st.sampled_from(tuple(ARITHMETIC)))
    record, dtypes = ARITHMETIC[kind]
    dtype = draw(st.sampled_from(dtypes))
    shape = tuple(draw(st.lists(SIDES, min_size=1, max_size=4)))
    one = _array(draw, [1 if draw(st.booleans()) else dim for dim in shape], dtype)
    other = _array(draw, shape, dtype)
    if kind in ("DIV", "FLOOR_DIV", "FLOOR_MOD"):
        other = np.where(other == 0, other.dtype.type(3), other)
    made = BOOL if kind in _COMPARING else dtype
    arrays = [one, other] if draw(st.booleans()) or "DIV" in kind or "MOD" in kind else [other, one]
    return Question(kind, arrays, [dtype] * 2, shape, made, record=record)


def _select(draw: Draw) -> Question:
    dtype, shape, array = _moved(draw)
    flags, other = _array(draw, shape, BOOL), _array(draw, shape, dtype)
    return Question("SELECT_V2", [flags, array, other], [BOOL, dtype, dtype], shape, dtype)


def _reduce(draw: Draw) -> Question:
    kind = draw(st.sampled_from(("REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN", "SUM")))
    shape = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)))
    array = _array(draw, shape, INT32)
    axes = draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True))
    keeps = draw(st.booleans())
    made = array.sum(axis=tuple(axes), keepdims=keeps)
    return Question(
        kind,
        [array, _ints(*axes)],
        [INT32] * 2,
        np.shape(made),
        INT32,
        1,
        "ReducerOptions",
        keep_dims=keeps,
    )


QUESTIONS = (
    *(_strided_slice, _slice, _pack, _concatenation, _tile, _fill, _gather, _broadcast_to),
    *(_transpose, _expand_dims, _range, _cast, _arithmetic, _select, _reduce),
)


@pytest.mark.parametrize("ask", QUESTIONS, ids=lambda ask: ask.__name__.strip("_"))
@settings(max_examples=some_of(20))
@given(data=st.data())
def test_constants_are_what_the_reference_makes(ask: Callable[[Draw], Question], data: Any) -> None:
    question = ask(data.draw)
    if 0 in question.network.main.tensors[-1].shape:
        return
    ours, theirs = question.folded(), question.litert()
    assert ours is not None
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(ours, theirs)


def test_what_a_kernel_would_refuse_or_no_machine_agrees_on_stays() -> None:
    low = np.array([-(1 << 31), 7], np.int32)
    zero = np.zeros(2, np.int32)
    pair = [INT32] * 2
    refused = (
        Question("DIV", [low, zero], pair, (2,), INT32, record="DivOptions"),
        Question("SUB", [low, low[::-1].copy()], pair, (2,), INT32, record="SubOptions"),
        Question("GATHER", [low, _ints(-1)], pair, (1,), INT32, record="GatherOptions"),
        Question("GATHER", [low, _ints(2)], pair, (1,), INT32, record="GatherOptions"),
        Question("TILE", [low, _ints(-1)], pair, (0,), INT32),
        Question(
            "RANGE", [np.array(1, np.int32)] * 2 + [np.array(0, np.int32)], [INT32] * 3, (0,), INT32
        ),
        Question(
            "CAST",
            [np.array([3e9, np.nan], np.float32)],
            [FLOAT32],
            (2,),
            INT32,
            record="CastOptions",
        ),
        Question("SLICE", [low, _ints(1), _ints(2)], [INT32] * 3, (2,), INT32),
        Question(
            "FILL",
            [_ints(1 << 20, 1 << 10), np.array(1, np.int32)],
            pair,
            (1 << 20, 1 << 10),
            INT32,
        ),
    )
    assert [question.folded() for question in refused] == [None] * len(refused)


def open_batch() -> Network:
    """How converters of Keras write a reshape whose batch is left open."""
    scores = tensor("x", (1, 6, 4))
    scores = replace(scores, shape_signature=(-1, 6, 4))
    whole = [
        tensor(name, shape, INT32, None)
        for name, shape in (("sides", (3,)), ("batch", ()), ("to", (3,)))
    ]
    numbers = [tensor(f"number{at}", (1,), INT32, None, data=[at]) for at in (0, 1)] + [
        tensor("step", (1,), INT32, None, data=[1])
    ]
    side = [tensor(name, (), INT32, None, data=at) for name, at in (("three", 3), ("eight", 8))]
    made = replace(tensor("y", (1, 3, 8)), shape_signature=(-1, 3, 8))
    tensors: tuple[Tensor, ...] = (scores, *whole, *numbers, *side, made)
    at = {each.name: TensorId(place) for place, each in enumerate(tensors)}

    def operator(kind: str, inputs: str, output: str, **fields: FieldValue) -> Operator:
        record = {
            "STRIDED_SLICE": "StridedSlice",
            "SHAPE": "Shape",
            "PACK": "Pack",
            "RESHAPE": "Reshape",
        }
        return Operator(
            kind=kind,
            inputs=tuple(at[name] for name in inputs.split()),
            outputs=(at[output],),
            options=Table(kind=f"{record[kind]}Options", fields=tuple(fields.items())),
        )

    return Network(
        subgraphs=(
            Subgraph(
                name="",
                tensors=tensors,
                inputs=(at["x"],),
                outputs=(at["y"],),
                operators=(
                    operator("SHAPE", "x", "sides", out_type=INT32.code),
                    operator(
                        "STRIDED_SLICE", "sides number0 number1 step", "batch", shrink_axis_mask=1
                    ),
                    operator("PACK", "batch three eight", "to", axis=0, values_count=3),
                    operator("RESHAPE", "x to", "y"),
                ),
            ),
        )
    )


def test_a_shape_whose_batch_is_open_is_the_one_that_the_file_has() -> None:
    graph = fold_constants(open_batch().main, SubgraphId(0))
    to = next(each for each in graph.tensors if each.name == "to")
    assert to.data == ConstData.of(_ints(1, 3, 8))


def test_a_network_whose_batch_is_open_runs_on_the_npu_alone() -> None:
    network = open_batch()
    target, options = resolve("ethos-u55-128"), Options()
    scheduled, compiled = scheduled_and_compiled(network, target, options)
    assert scheduled.run.graph.rejections == ()
    found = verify(compiled.data, write(network))
    assert found.holds, found.sentences()
