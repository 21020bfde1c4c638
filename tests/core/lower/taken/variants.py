"""Operators of each kind in the forms in which networks have them, each a network of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.base.dtype import DType
from core.base.frozen import Frozen, replace
from core.ir.network import Network
from core.synth.versions import version_of
from tests.core.lower.legality.cases import (
    GOOD,
    HALF,
    INT8,
    INT16,
    INT32,
    UINT8,
    Case,
    binary,
    changed,
    const,
    fm,
    options,
    scaled,
    unary,
)
from tests.core.lower.legality.shaped import padded, reduced, turned


class Variant(Frozen, kw_only=False):
    """An operator, and what is special about it."""

    what: str
    case: Case

    @property
    def name(self) -> str:
        """As the table has it."""
        return f"{self.case.kind}: {self.what}"

    @property
    def network(self) -> Network:
        """A network of nothing but this operator."""
        graph = self.case.subgraph()
        (operator,) = graph.operators
        types = [t.dtype for t in self.case.inputs if t is not None and t.data is None]
        version = version_of(operator.kind, types[0] if types else INT8, operator.options)
        return Network(subgraphs=(replace(graph, operators=(replace(operator, version=version),)),))


_PLAIN = "as usual"
_BIAS = {"CONV_2D": 2, "DEPTHWISE_CONV_2D": 2, "FULLY_CONNECTED": 2, "TRANSPOSE_CONV": 3}
_NO_BATCHES = frozenset(
    {
        *("EXPAND_DIMS", "FULLY_CONNECTED", "PACK", "RESHAPE", "SQUEEZE", "TILE", "TRANSPOSE"),
        *("UNPACK", "UNIDIRECTIONAL_SEQUENCE_LSTM", "BATCH_MATMUL", "SLICE", "STRIDED_SLICE"),
    }
)
"""Whose shapes or parameters say in another way how many there are."""


_CURVES = {
    INT8: {"LOGISTIC": (1 / 256, -128), "SOFTMAX": (1 / 256, -128), "TANH": (1 / 128, 0)},
    UINT8: {"LOGISTIC": (1 / 256, 0), "SOFTMAX": (1 / 256, 0), "TANH": (1 / 128, 128)},
    INT16: dict.fromkeys(("LOGISTIC", "SOFTMAX", "TANH"), (1 / 32768, 0)),
}
"""In what steps the reference stores curves, whatever the file says."""


def _usual(case: Case, dtype: DType) -> Case:
    """The same in steps and over ranges that its reference kernel knows."""
    if case.kind in _CURVES[dtype]:
        scale, zero_point = _CURVES[dtype][case.kind]
        case = case.output(quantization=scaled(scale, zero_points=(zero_point,)))
    if case.kind in {"RSQRT", "LOG", "EXP"}:
        zero_point = dtype.limits[0] if dtype is not INT16 and case.kind != "EXP" else 0
        step = 1 / 4096 if dtype is INT16 else 1 / 64
        case = case.input(0, quantization=scaled(step, zero_points=(zero_point,)))
    if dtype is INT16 and case.kind == "UNIDIRECTIONAL_SEQUENCE_LSTM":
        for place in range(12, 16):
            case = case.input(place, dtype=DType.INT64)
    if case.kind in _BIAS:
        case = case.input(_BIAS[case.kind], quantization=scaled(0.25))
    return case


def _of_type(case: Case, dtype: DType) -> Case:
    """The same over elements of another type."""
    for place, tensor in enumerate(case.inputs):
        is_map = tensor is not None and tensor.quantization is not None
        if tensor is not None and is_map and tensor.dtype is INT8 and tensor.name != "weights":
            case = case.input(place, dtype=dtype)
        if tensor is not None and tensor.name == "weights" and dtype is UINT8:
            case = case.input(place, dtype=dtype)
    for place, made in enumerate(case.outputs):
        case = case.output(place, dtype=dtype) if made.dtype is INT8 else case
    if dtype is INT16 and case.kind in _BIAS:
        case = case.input(_BIAS[case.kind], dtype=DType.INT64)
    return _usual(case, dtype) if dtype in _CURVES else case


def _unscaled(case: Case, dtype: DType) -> Case:
    """The same over plain numbers of a type."""
    case = _of_type(case, dtype)
    for place, tensor in enumerate(case.inputs):
        case = case if tensor is None else case.input(place, quantization=None)
    return case.output(quantization=None)


def _of_batch(case: Case, count: int) -> Case:
    """The same over several pictures."""
    for place, tensor in enumerate(case.inputs):
        if tensor is not None and tensor.data is None:
            case = case.input(place, shape=(count, *tensor.shape[1:]))
        if tensor is not None and tensor.name == "shape" and case.kind == "TRANSPOSE_CONV":
            case = case.input(place, values=(count, 8, 12, 6))
    for place, made in enumerate(case.outputs):
        case = case.output(place, shape=(count, *made.shape[1:]))
    return case


def _of_five(case: Case) -> Case:
    """The same over maps of five dimensions."""
    for place, tensor in enumerate(case.inputs):
        if tensor is not None and tensor.data is None:
            case = case.input(place, shape=(1, 2, *tensor.shape[1:]))
    return case.output(shape=(1, 2, *case.outputs[0].shape[1:]))


_ELEMENTWISE = (
    *("ABS", "ADD", "ELU", "EXP", "GELU", "HARD_SWISH", "LEAKY_RELU", "LOG", "LOGISTIC"),
    *("MAXIMUM", "MINIMUM", "MUL", "NEG", "PRELU", "QUANTIZE", "RELU", "RELU6", "RELU_0_TO_1"),
    *("RELU_N1_TO_1", "RSQRT", "SOFTMAX", "SQUARED_DIFFERENCE", "SUB", "TANH"),
)


def _derived() -> Iterator[Variant]:
    for kind, good in GOOD.items():
        case = _usual(good, INT8)
        yield Variant(_PLAIN, case)
        yield Variant("uint8", _of_type(case, UINT8))
        yield Variant("int16", _of_type(case, INT16))
        if kind not in _NO_BATCHES:
            yield Variant("a batch of 3", _of_batch(case, 3))
    for kind in _ELEMENTWISE:
        yield Variant("five dimensions", _of_five(_usual(GOOD[kind], INT8)))


CONV, DEPTHWISE, DENSE = (
    _usual(GOOD[kind], INT8) for kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
)
BILINEAR, NEAREST, CONCAT = (
    GOOD[kind] for kind in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "CONCATENATION")
)


def _multiplied(channels: int, times: int, dtype: DType = INT8) -> Case:
    made = channels * times
    case = _of_type(DEPTHWISE, dtype).input(0, shape=(1, 5, 7, channels))
    case = case.input(1, values=np.arange(9 * made).reshape(1, 3, 3, made) % 5)
    case = case.input(2, values=range(made)).output(shape=(1, 3, 5, made))
    return case.option(depth_multiplier=times)


def _resized(case: Case, given: tuple[int, int], made: tuple[int, int], **fields: bool) -> Case:
    case = case.input(0, shape=(1, *given, 8)).output(shape=(1, *made, 8))
    return case.input(1, values=made).option(**fields)


def _joined(*shapes: tuple[int, ...], axis: int) -> Case:
    made = list(shapes[0])
    made[axis] = sum(shape[axis] for shape in shapes)
    given = tuple(fm(f"x{place}", *shape) for place, shape in enumerate(shapes))
    return Case("CONCATENATION", given, (fm("y", *made),), options("Concatenation", axis=axis))


def _softmax(*shape: int) -> Case:
    return _usual(GOOD["SOFTMAX"], INT8).both(shape=shape)


def _wide_softmax() -> Case:
    shares = scaled(1 / 65536, zero_points=(-32768,))
    return _usual(GOOD["SOFTMAX"], INT8).output(dtype=INT16, quantization=shares)


def _computed_weights() -> Case:
    return replace(DENSE, inputs=(DENSE.inputs[0], fm("weights", 5, 12), DENSE.inputs[2]))


def _computed_matrix() -> Case:
    return replace(DENSE, inputs=(DENSE.inputs[0], fm("weights", 5, 12), None))


def _strided(kind: str, stride: int) -> Case:
    side = -(-24 // stride)
    case = GOOD[kind].input(0, shape=(1, 24, 24, 4)).option(stride_h=stride, stride_w=stride)
    return case.option(padding=0).output(shape=(1, side, side, case.outputs[0].shape[3]))


def _pool(kind: str, window: int, stride: int, padding: int) -> Case:
    side = -(-24 // stride) if padding == 0 else (24 - window) // stride + 1
    case = GOOD[kind].input(0, shape=(1, 24, 24, 4)).output(shape=(1, side, side, 4))
    return case.option(
        filter_height=window,
        filter_width=window,
        stride_h=stride,
        stride_w=stride,
        padding=padding,
    )


def _tiled(times: tuple[int, ...], *shape: int) -> Case:
    case = GOOD["TILE"].input(0, shape=shape).input(1, values=times)
    return case.output(shape=tuple(a * b for a, b in zip(shape, times, strict=True)))


def _reversed(axis: int) -> Case:
    return GOOD["REVERSE_V2"].input(1, values=(axis,))


def _stepped(begin: tuple[int, ...], end: tuple[int, ...], steps: tuple[int, ...]) -> Case:
    made = tuple(len(range(*part)) for part in zip(begin, end, steps, strict=True))
    case = GOOD["STRIDED_SLICE"].option(begin_mask=0, end_mask=0)
    case = case.input(1, values=begin).input(2, values=end).input(3, values=steps)
    return case.output(shape=made)


def _from_end_to_start(axis: int) -> Case:
    """As Keras writes it: `x[:, ::-1]`."""
    case = GOOD["STRIDED_SLICE"]
    shape = case.inputs[0].shape
    steps = tuple(-1 if at == axis else 1 for at in range(len(shape)))
    for at, numbers in enumerate(((0,) * len(shape), (0,) * len(shape), steps), 1):
        case = case.input(at, values=numbers)
    return case.option(begin_mask=15, end_mask=15).output(shape=shape)


def _matrices(left: tuple[int, ...], right: tuple[int, ...], **fields: bool) -> Case:
    rows = left[-1] if fields.get("adj_x") else left[-2]
    columns = right[-2] if fields.get("adj_y") else right[-1]
    case = GOOD["BATCH_MATMUL"].input(0, shape=left).input(1, shape=right).option(**fields)
    return case.output(shape=(*left[:-2], rows, columns))


def _spread(kind: str, one: tuple[int, ...], other: tuple[int, ...]) -> Case:
    made = np.broadcast_shapes(one, other)
    return GOOD[kind].input(0, shape=one).input(1, shape=other).output(shape=made)


def _columns(kind: str, rows: int, stride: int = 1) -> Case:
    """A window along the only column of 200 rows."""
    weights = (6, rows, 1, 4) if kind == "CONV_2D" else (1, rows, 1, 4)
    case = GOOD[kind].input(0, shape=(1, 200, 1, 4)).input(1, shape=weights)
    case = case.option(padding=1, stride_h=stride, stride_w=1)
    return case.output(shape=(1, (200 - rows) // stride + 1, 1, 6 if kind == "CONV_2D" else 4))


def _seen_whole(batch: int) -> Case:
    """A window of all 70 rows and 3 columns."""
    case = CONV.input(0, shape=(batch, 70, 3, 4)).input(1, shape=(6, 70, 3, 4))
    return case.option(padding=1).output(shape=(batch, 1, 1, 6))


def _argmax(depth: int, axis: int = 3) -> Case:
    case = GOOD["ARG_MAX"].input(0, shape=(1, 4, 6, depth)).input(1, values=axis)
    shape = [1, 4, 6, depth]
    del shape[axis]
    return case.output(shape=tuple(shape))


def _converted(given: DType, made: DType) -> Case:
    return GOOD["QUANTIZE"].input(0, dtype=given).output(dtype=made)


def _squares(kind: str, shape: tuple[int, ...], made: tuple[int, ...]) -> Case:
    name = "DepthToSpace" if kind == "DEPTH_TO_SPACE" else "SpaceToDepth"
    return Case(kind, (fm("x", *shape),), (fm("y", *made),), options(name, block_size=2))


def _gathered(axis: int) -> Case:
    shape = [1, 4, 6, 8]
    shape[axis] = 3
    return Case(
        "GATHER",
        (fm("x", 1, 4, 6, 8), const("picks", (3, 0, 2))),
        (fm("y", *shape),),
        options("Gather", axis=axis, batch_dims=0),
    )


def _spread_to() -> Case:
    return Case(
        "BROADCAST_TO", (fm("x", 1, 1, 1, 8), const("shape", (1, 4, 6, 8))), (fm("y", 1, 4, 6, 8),)
    )


_SPECIAL: tuple[tuple[str, Case], ...] = (
    ("no bias", CONV.without(2)),
    (
        "a scale for each filter",
        CONV.input(1, quantization=scaled(*(0.5,) * 6, zero_points=(0,) * 6)),
    ),
    ("three groups", CONV.input(0, shape=(1, 5, 7, 12))),
    ("a stride of 4, SAME", _strided("CONV_2D", 4)),
    ("int16 with a 32-bit bias", _of_type(CONV, INT16).input(2, dtype=INT32)),
    (
        "int16 with a 32-bit bias that the options name",
        _of_type(CONV, INT16).input(2, dtype=INT32).option(quantized_bias_type=2),
    ),
    ("sums beyond 32 bits in steps of the output", CONV.output(quantization=scaled(1e-6))),
    (
        "a dilation of 3",
        CONV.option(dilation_h_factor=3, dilation_w_factor=3, padding=0).output(shape=(1, 5, 7, 6)),
    ),
    ("a kernel as large as the picture", _seen_whole(1)),
    ("a kernel as large as each of 3 pictures", _seen_whole(3)),
    ("80 rows of one column", _columns("CONV_2D", 80)),
    ("160 rows of one column, a stride of 10", _columns("CONV_2D", 160, 10)),
    ("80 rows of one column", _columns("DEPTHWISE_CONV_2D", 80)),
    ("a multiplier of 2", _multiplied(4, 2)),
    ("a multiplier of 3, int16", _multiplied(4, 3, INT16)),
    ("a multiplier of 6 over 128 channels", _multiplied(128, 6)),
    ("one channel gives four", _multiplied(1, 4)),
    ("a stride of 4, SAME", _strided("DEPTHWISE_CONV_2D", 4)),
    (
        "rows of three dimensions",
        DENSE.input(0, shape=(1, 7, 12)).output(shape=(1, 7, 5)).option(keep_num_dims=True),
    ),
    ("computed weights", _computed_weights()),
    ("computed weights and no bias", _computed_matrix()),
    ("an output of int16", DENSE.output(dtype=INT16)),
    (
        "strides of 1x2",
        GOOD["TRANSPOSE_CONV"]
        .input(0, values=(1, 4, 12, 6))
        .option(stride_h=1)
        .output(shape=(1, 4, 12, 6)),
    ),
    (
        "strides of 2x1 along one column",
        GOOD["TRANSPOSE_CONV"]
        .input(0, values=(1, 8, 1, 6))
        .input(1, shape=(6, 4, 1, 8))
        .input(2, shape=(1, 4, 1, 8))
        .option(stride_w=1)
        .output(shape=(1, 8, 1, 6)),
    ),
    (
        "strides of 3",
        GOOD["TRANSPOSE_CONV"]
        .input(0, values=(1, 12, 18, 6))
        .option(stride_h=3, stride_w=3)
        .output(shape=(1, 12, 18, 6)),
    ),
    ("65,535 pixels", _softmax(1, 255, 257, 4)),
    ("65,536 pixels", _softmax(1, 256, 256, 4)),
    ("a matrix of 70,000 rows", _softmax(70_000, 5)),
    ("229,376 pixels", _softmax(1, 448, 512, 3)),
    ("int8 to int16", _wide_softmax()),
    ("rows and columns", turned((0, 2, 1, 3), 1, 4, 6, 8)),
    ("channels first", turned((0, 3, 1, 2), 1, 4, 6, 8)),
    ("channels last", turned((0, 2, 3, 1), 1, 4, 6, 8)),
    ("134,400 rows of 2 columns", turned((0, 2, 1), 1, 134_400, 2)),
    ("channels first of 80x16,800", turned((0, 2, 1), 1, 16_800, 80)),
    ("the rows last, of 4x16x8400", turned((0, 2, 3, 1), 1, 4, 16, 8400)),
    ("backwards, of 4x16x8400", turned((0, 3, 2, 1), 1, 4, 16, 8400)),
    ("channels and columns of long rows", turned((0, 1, 3, 2), 1, 4, 70_000, 2)),
    ("five dimensions", turned((0, 1, 3, 2, 4), 1, 2, 4, 6, 8)),
    ("the batch changes places", turned((1, 0, 3, 2), 3, 4, 6, 8)),
    ("32 bits", turned((0, 2, 1, 3), 1, 4, 6, 8).both(dtype=INT32, quantization=scaled(1.0))),
    ("five dimensions, the last", _joined((1, 2, 4, 6, 3), (1, 2, 4, 6, 5), axis=4)),
    ("five dimensions, the middle", _joined((1, 2, 3, 6, 8), (1, 2, 4, 6, 8), axis=2)),
    ("a batch along the first axis", _joined((2, 4, 6, 8), (3, 4, 6, 8), axis=0)),
    ("other scales", CONCAT.input(0, quantization=scaled(0.25))),
    ("32 bits", CONCAT.input(0, dtype=INT32).input(1, dtype=INT32).output(dtype=INT32)),
    ("a matrix", GOOD["ADD"].input(0, shape=(6, 8)).input(1, shape=(6, 8)).output(shape=(6, 8))),
    ("columns spread over rows", _spread("ADD", (1, 4, 1, 8), (1, 1, 6, 8))),
    ("a batch spread", _spread("ADD", (3, 4, 6, 8), (1, 1, 1, 8))),
    ("a batch and a batch of one", _spread("MUL", (3, 4, 6, 8), (1, 4, 6, 8))),
    ("columns spread over rows", _spread("MUL", (1, 4, 1, 8), (1, 1, 6, 8))),
    ("rows of channels less columns", _spread("SUB", (1, 4, 1, 8), (1, 1, 6, 1))),
    ("columns less rows of channels", _spread("SQUARED_DIFFERENCE", (1, 1, 6, 1), (1, 4, 1, 8))),
    ("every other of four dimensions spread", _spread("ADD", (1, 3, 4, 5, 6), (1, 1, 4, 1, 6))),
    ("a batch of 16", _spread("SUB", (16, 4, 6, 8), (16, 4, 6, 8))),
    ("32 bits", _of_type(GOOD["ADD"], INT32)),
    ("32 bits", _of_type(GOOD["MUL"], INT32)),
    *(
        ("32 bits without a scale", _unscaled(GOOD[kind], INT32))
        for kind in ("ADD", "SUB", "MUL", "NEG", "SUM", "MIRROR_PAD")
    ),
    ("no scale", _unscaled(GOOD["PAD"], INT8)),
    ("int16 without a scale", _unscaled(GOOD["PAD"], INT16)),
    ("no scale", _unscaled(GOOD["PADV2"], INT8)),
    ("no scale", _unscaled(GOOD["ARG_MAX"], INT8)),
    ("an output of int16", GOOD["MUL"].output(dtype=INT16)),
    ("other scales", GOOD["MAXIMUM"].input(0, quantization=scaled(0.25))),
    (
        "a slope for each channel",
        replace(
            GOOD["PRELU"],
            inputs=(
                GOOD["PRELU"].inputs[0],
                const("slope", np.arange(8).reshape(1, 1, 8), INT8, HALF),
            ),
        ),
    ),
    ("int8 to int16", _converted(INT8, INT16)),
    ("int16 to int8", _converted(INT16, INT8)),
    ("int8 to uint8", _converted(INT8, UINT8)),
    ("int8 to int32", _converted(INT8, INT32)),
    ("int16 to int32", _converted(INT16, INT32)),
    ("int32 to int8", _converted(INT32, INT8)),
    ("the depth alone", reduced(GOOD["MEAN"], (3,), 1, 4, 6, 8)),
    ("the depth of a large picture", reduced(GOOD["MEAN"], (3,), 1, 300, 300, 8)),
    ("the depth and the rows", reduced(GOOD["MEAN"], (1, 3), 1, 4, 6, 8)),
    ("everything", reduced(GOOD["MEAN"], (1, 2, 3), 1, 4, 6, 8)),
    ("a depth of 5000", reduced(GOOD["MEAN"], (3,), 1, 1, 6, 5000)),
    ("five dimensions", reduced(GOOD["MEAN"], (2, 3), 1, 2, 4, 6, 8)),
    ("the batch too", reduced(GOOD["MEAN"], (0,), 3, 4, 6, 8)),
    ("the depth and the rows", reduced(GOOD["SUM"], (1, 3), 1, 4, 6, 8)),
    ("a batch of one", reduced(GOOD["REDUCE_MAX"].option(keep_dims=False), (0,), 1, 4, 6, 8)),
    ("everything", reduced(GOOD["REDUCE_MAX"].option(keep_dims=False), (1, 2, 3), 1, 4, 6, 8)),
    ("a depth of 5000", reduced(GOOD["REDUCE_MAX"].option(keep_dims=False), (3,), 1, 4, 6, 5000)),
    (
        "a window of 300x300",
        reduced(GOOD["REDUCE_MAX"].option(keep_dims=False), (1, 2), 1, 300, 300, 8),
    ),
    ("a depth of 127", _argmax(127)),
    ("a depth of 1000", _argmax(1000)),
    ("along the rows", _argmax(8, axis=1)),
    ("int64", GOOD["ARG_MAX"].output(dtype=DType.INT64).option(output_type=4)),
    ("half pixels by 2", _resized(BILINEAR, (4, 6), (8, 12), half_pixel_centers=True)),
    ("half pixels by 4", _resized(BILINEAR, (4, 6), (16, 24), half_pixel_centers=True)),
    ("half pixels by 8", _resized(BILINEAR, (4, 6), (32, 48), half_pixel_centers=True)),
    ("by 3", _resized(BILINEAR, (4, 6), (12, 18))),
    ("by 2 and 4", _resized(BILINEAR, (4, 6), (8, 24))),
    ("by 8", _resized(BILINEAR, (4, 6), (32, 48))),
    ("corners by 4", _resized(BILINEAR, (4, 6), (13, 21), align_corners=True)),
    ("to half", _resized(BILINEAR, (4, 6), (2, 3))),
    ("to 7x9", _resized(BILINEAR, (4, 6), (7, 9))),
    ("half pixels by 2", _resized(NEAREST, (4, 6), (8, 12), half_pixel_centers=True)),
    ("half pixels by 4", _resized(NEAREST, (4, 6), (16, 24), half_pixel_centers=True)),
    ("by 3", _resized(NEAREST, (4, 6), (12, 18))),
    ("by 8", _resized(NEAREST, (4, 6), (32, 48))),
    ("by 2 and 4", _resized(NEAREST, (4, 6), (8, 24))),
    ("to half", _resized(NEAREST, (4, 6), (2, 3))),
    ("to 7x9", _resized(NEAREST, (4, 6), (7, 9))),
    ("8x8, SAME", _pool("AVERAGE_POOL_2D", 8, 1, 0)),
    (
        "12x12 that touch, SAME",
        GOOD["AVERAGE_POOL_2D"]
        .input(0, shape=(1, 36, 24, 8))
        .option(padding=0, filter_height=12, filter_width=12, stride_h=12, stride_w=12)
        .output(shape=(1, 3, 2, 8)),
    ),
    ("9x9, SAME", _pool("AVERAGE_POOL_2D", 9, 1, 0)),
    ("a stride of 4", _pool("AVERAGE_POOL_2D", 2, 4, 1)),
    ("9x9, SAME", _pool("MAX_POOL_2D", 9, 1, 0)),
    ("a stride of 4, SAME", _pool("MAX_POOL_2D", 5, 4, 0)),
    ("repeated depth", _tiled((1, 1, 1, 2), 1, 4, 6, 8)),
    ("a batch is made", _tiled((3, 1, 1, 1), 1, 4, 6, 8)),
    ("five dimensions", _tiled((1, 1, 2, 1, 2), 1, 2, 4, 6, 8)),
    ("the depth", _reversed(3)),
    ("columns", _reversed(2)),
    ("steps over the depth", _stepped((0, 0, 0, 0), (1, 4, 6, 8), (1, 1, 1, 2))),
    ("steps of 3", _stepped((0, 0, 0, 0), (1, 4, 6, 8), (1, 3, 3, 1))),
    ("backwards", _stepped((0, 3, 0, 0), (1, -1, 6, 8), (1, -1, 1, 1))),
    ("rows from end to start", _from_end_to_start(1)),
    ("columns from end to start", _from_end_to_start(2)),
    ("depth from end to start", _from_end_to_start(3)),
    (
        "five dimensions",
        replace(
            _stepped((0, 0, 1, 0, 0), (1, 2, 4, 6, 8), (1, 1, 1, 1, 1)),
            inputs=(
                fm("x", 1, 2, 4, 6, 8),
                *_stepped((0, 0, 1, 0, 0), (1, 2, 4, 6, 8), (1,) * 5).inputs[1:],
            ),
        ),
    ),
    (
        "five dimensions",
        replace(
            GOOD["SLICE"].output(shape=(1, 2, 2, 4, 8)),
            inputs=(
                fm("x", 1, 2, 4, 6, 8),
                const("begin", (0, 0, 1, 2, 0)),
                const("size", (1, 2, 2, 4, 8)),
            ),
        ),
    ),
    ("a transposed right", _matrices((1, 2, 5, 7), (1, 2, 3, 7), adj_y=True)),
    ("a transposed left", _matrices((1, 2, 7, 5), (1, 2, 7, 3), adj_x=True)),
    ("8 heads of 64x64", _matrices((1, 8, 64, 64), (1, 8, 64, 64))),
    ("16 heads of 256x64", _matrices((1, 16, 256, 64), (1, 16, 64, 256))),
    ("five dimensions", _matrices((1, 2, 2, 5, 7), (1, 2, 2, 7, 3))),
    ("a matrix for all batches", _matrices((4, 5, 7), (1, 7, 3))),
    ("the depth", padded(GOOD["PAD"], ((0, 0), (0, 0), (0, 0), (2, 3)))),
    ("a batch is made", padded(GOOD["PAD"], ((0, 1), (0, 0), (0, 0), (0, 0)))),
    (
        "five dimensions",
        replace(
            padded(
                GOOD["PAD"].input(0, shape=(1, 2, 4, 6, 8)),
                ((0, 0), (0, 0), (1, 1), (1, 1), (0, 0)),
            )
        ),
    ),
    ("the depth", padded(GOOD["MIRROR_PAD"], ((0, 0), (0, 0), (0, 0), (2, 3)))),
    ("rows and depth", padded(GOOD["MIRROR_PAD"], ((0, 0), (2, 1), (0, 0), (2, 3)))),
    ("columns and depth", padded(GOOD["MIRROR_PAD"], ((0, 0), (0, 0), (1, 2), (2, 3)))),
    ("rows, columns and depth", padded(GOOD["MIRROR_PAD"], ((0, 0), (1, 1), (1, 2), (2, 3)))),
    (
        "five dimensions",
        Case(
            "PACK",
            (fm("a", 1, 4, 6, 8), fm("b", 1, 4, 6, 8)),
            (fm("y", 1, 2, 4, 6, 8),),
            options("Pack", axis=1, values_count=2),
        ),
    ),
    (
        "five dimensions",
        Case(
            "UNPACK",
            (fm("x", 1, 2, 4, 6, 8),),
            (fm("a", 1, 4, 6, 8), fm("b", 1, 4, 6, 8)),
            options("Unpack", axis=1, num=2),
        ),
    ),
    (
        "five dimensions",
        Case(
            "SPLIT",
            (const("axis", 1), fm("x", 1, 2, 4, 6, 8)),
            (fm("a", 1, 1, 4, 6, 8), fm("b", 1, 1, 4, 6, 8)),
            options("Split", num_splits=2),
        ),
    ),
    ("32 bits", _of_type(GOOD["RESHAPE"], INT32)),
    ("32 bits", _of_type(GOOD["SLICE"], INT32)),
    (
        "tiny scales",
        replace(
            GOOD["UNIDIRECTIONAL_SEQUENCE_LSTM"],
            inputs=tuple(
                changed(t, quantization=scaled(3e-35))
                if t is not None and t.name == "weights"
                else t
                for t in GOOD["UNIDIRECTIONAL_SEQUENCE_LSTM"].inputs
            ),
        ),
    ),
    (
        "a batch of 3",
        replace(
            GOOD["UNIDIRECTIONAL_SEQUENCE_LSTM"].input(0, shape=(3, 2, 3)).output(shape=(3, 2, 4)),
            inputs=tuple(
                changed(t, shape=(3, 4)) if t is not None and t.is_variable else t
                for t in GOOD["UNIDIRECTIONAL_SEQUENCE_LSTM"].input(0, shape=(3, 2, 3)).inputs
            ),
        ),
    ),
    (_PLAIN, _squares("DEPTH_TO_SPACE", (1, 4, 6, 8), (1, 8, 12, 2))),
    (_PLAIN, _squares("SPACE_TO_DEPTH", (1, 4, 6, 8), (1, 2, 3, 32))),
    ("the depth", _gathered(3)),
    ("rows", _gathered(1)),
    (_PLAIN, _spread_to()),
    (_PLAIN, unary("CAST").output(dtype=INT32)),
    (_PLAIN, unary("DEQUANTIZE").output(dtype=DType.FLOAT32, quantization=None)),
    (_PLAIN, binary("DIV", options("Div"))),
    (_PLAIN, unary("SQRT")),
    (
        _PLAIN,
        unary("L2_NORMALIZATION", table=options("L2Norm")).output(quantization=scaled(1 / 128)),
    ),
    (_PLAIN, unary("LOG_SOFTMAX").output(quantization=scaled(16 / 256, zero_points=(127,)))),
    ("as greater of two", binary("GREATER").output(dtype=DType.BOOL, quantization=None)),
)


def _named(variants: Iterator[Variant]) -> dict[str, Variant]:
    return {each.name: each for each in variants}


VARIANTS = _named(iter((*_derived(), *(Variant(what, case) for what, case in _SPECIAL))))
"""By kind and what is special."""
