"""Rules for every operator; a few kinds are exempt from some of them."""

from __future__ import annotations

import math

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.ir.network import NO_OPTIONS, Tensor
from core.lower.legality.common import operands, scaling_of, scaling_text, touched
from core.lower.legality.rule import AnyRule, LimitRule, Rule, listed, shapes_of, types_of
from core.lower.source import SourceOp
from core.target.limits import OperatorLimits

LEAST_SCALE = float(np.finfo(np.float32).tiny)
GREATEST_SCALE = float(np.finfo(np.float32).max)

TAKES_SCALARS = frozenset(
    {
        *("ADD", "SUB", "MUL", "MINIMUM", "MAXIMUM"),
        *("SPLIT", "SPLIT_V", "MEAN", "EXPAND_DIMS", "QUANTIZE", "ARG_MAX"),
        *("SUM", "REDUCE_MAX", "REDUCE_MIN", "REVERSE_V2", "PADV2"),
    }
)
TAKES_BATCHES = frozenset(
    {
        *("FULLY_CONNECTED", "SOFTMAX", "RESHAPE", "SQUEEZE", "BATCH_MATMUL"),
    }
)
TAKES_WEIGHTS_PER_AXIS = frozenset(
    {"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED"}
)
TAKES_MANY_DIMENSIONS = frozenset(
    {"RESHAPE", "SQUEEZE", "EXPAND_DIMS", "TRANSPOSE", "TILE", "FULLY_CONNECTED"}
)
"""The bytes of a tensor are all that these know of it, in whatever dimensions, or its rows."""
KEEP_ELEMENTS = frozenset({"RESHAPE", "SQUEEZE", "EXPAND_DIMS", "TRANSPOSE"})
"""They write what they read, in whatever width and with or without a scale, where that is free."""
PADS = frozenset({"PAD", "PADV2"})
_ONLY_MOVE_ELEMENTS = frozenset({"ARG_MAX", "MIRROR_PAD", *PADS, *KEEP_ELEMENTS})
"""They need no quantisation: what they make has the scale of what they take, or none."""
COMPUTE_AS_STORED = frozenset({"ADD", "SUB", "MUL"})
"""Which do with 32 bits as these are stored, whatever their scales; `whole.py` has their rule."""

_OPTIONS = {
    **dict.fromkeys(("ADD", "SUB", "MUL", "CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"), ""),
    **dict.fromkeys(("FULLY_CONNECTED", "AVERAGE_POOL_2D", "MAX_POOL_2D", "CONCATENATION"), ""),
    **dict.fromkeys(("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "SOFTMAX", "MEAN"), ""),
    **dict.fromkeys(("UNIDIRECTIONAL_SEQUENCE_LSTM", "STRIDED_SLICE", "SPLIT", "SPLIT_V"), ""),
    **dict.fromkeys(("PACK", "UNPACK", "ARG_MAX", "LEAKY_RELU", "MIRROR_PAD"), ""),
    **dict.fromkeys(("SUM", "REDUCE_MAX", "REDUCE_MIN", "BATCH_MATMUL"), ""),
    "SQUEEZE": "squeeze_dims",
}
"""Operators whose options must be there, with the one that the file must not leave out."""


def generic_rules(kind: str) -> tuple[AnyRule, ...]:
    """The rules of this file that hold for a kind of operator."""
    exempt: dict[AnyRule, bool] = {
        _HAS_OPTIONS: kind not in _OPTIONS,
        _NO_UNKNOWN_SCALAR: kind == "QUANTIZE",
        _NO_SCALAR_INPUT: kind in TAKES_SCALARS,
        IS_QUANTISED: kind in _ONLY_MOVE_ELEMENTS | COMPUTE_AS_STORED,
        _BYTES_ARE_QUANTISED: kind not in COMPUTE_AS_STORED,
        _HAS_ELEMENT_TYPE: kind == "ARG_MAX",
        IS_NOT_INT32: kind in {"ARG_MAX", "MIRROR_PAD"} | KEEP_ELEMENTS | COMPUTE_AS_STORED,
        _HAS_ONE_BATCH: kind in TAKES_BATCHES,
        HAS_FEW_DIMENSIONS: kind in TAKES_MANY_DIMENSIONS,
    }
    return tuple(rule for rule in _ALL if not exempt.get(rule, False))


def _missing_options(op: SourceOp) -> str | None:
    if op.options is NO_OPTIONS:
        return "no options"
    needed = _OPTIONS[op.kind]
    return f"no {needed}" if needed and op.option(needed) is None else None


_HAS_OPTIONS = Rule(
    text="The file gives the operator's options",
    accepted="options of the operator's own kind",
    check=_missing_options,
)


def _unknown_scalar(op: SourceOp, _: OperatorLimits) -> str | None:
    for tensor in (*op.inputs, *op.outputs):
        if tensor is not None and tensor.shape == () and tensor.data is None:
            return f"'{tensor.name}' has no shape"
    return None


_NO_UNKNOWN_SCALAR = LimitRule(
    text="Every tensor that is computed has a shape",
    accepted=lambda limits: f"1 to {limits.most_dimensions} dimensions",
    check=_unknown_scalar,
)


def _scalar_input(op: SourceOp) -> str | None:
    scalars = [t for t in op.inputs if t is not None and t.shape == ()]
    return f"'{scalars[0].name}' is a scalar" if scalars else None


_NO_SCALAR_INPUT = Rule(
    text="Inputs have dimensions",
    accepted=f"scalars only for {listed(TAKES_SCALARS)}",
    check=_scalar_input,
)


def _too_many_dimensions(op: SourceOp, limits: OperatorLimits) -> str | None:
    given = [tensor for tensor in (*op.inputs, *op.outputs) if tensor is not None]
    return shapes_of(t for t in given if len(t.shape) > limits.most_dimensions) or None


HAS_FEW_DIMENSIONS = LimitRule(
    text="No tensor has too many dimensions",
    accepted=lambda limits: f"up to {limits.most_dimensions} dimensions",
    check=_too_many_dimensions,
)


def _not_quantised(op: SourceOp) -> str | None:
    plain = [tensor.name for tensor in touched(op) if scaling_of(tensor) is None]
    return f"'{plain[0]}' is not quantised" if plain else None


IS_QUANTISED = Rule(
    text="Inputs, weights and outputs are quantised",
    accepted="tensors with a scale and a zero point",
    check=_not_quantised,
)


def _bytes_not_quantised(op: SourceOp) -> str | None:
    is_whole = all(tensor.dtype is DType.INT32 for tensor in touched(op))
    return None if is_whole else _not_quantised(op)


_BYTES_ARE_QUANTISED = replace(IS_QUANTISED, check=_bytes_not_quantised)


def _unusable_scale(op: SourceOp) -> str | None:
    for tensor in touched(op):
        scales = () if tensor.quantization is None else tensor.quantization.scales
        if not all(math.isfinite(scale) for scale in scales):
            return f"'{tensor.name}' has a scale that is not finite"
        odd = [scale for scale in _scales(tensor) if scale <= 0]
        if odd:
            return f"'{tensor.name}' has scale {odd[0]:g}"
    return None


_HAS_USABLE_SCALES = Rule(
    text="Scales are finite, and above zero",
    accepted=f"more than 0, up to {GREATEST_SCALE:g}",
    check=_unusable_scale,
)


def _scales(tensor: Tensor) -> tuple[float, ...]:
    quantization = tensor.quantization
    return () if quantization is None or not tensor.dtype.is_integer else quantization.scales


def _scale_out_of_range(op: SourceOp) -> str | None:
    made = _scales(op.ofm)
    if any(scale < LEAST_SCALE for scale in made):
        return scaling_text(op.ofm)
    given = () if op.ifm is None else _scales(op.ifm)
    if made and given and max(given) / min(made) > GREATEST_SCALE:
        return f"'{op.name}' divides {max(given):g} by {min(made):g}"
    return None


_HAS_SCALES_IN_RANGE = Rule(
    text="The output's scale, and the input's divided by it, are ordinary 32-bit reals",
    accepted=f"{LEAST_SCALE:g} to {GREATEST_SCALE:g}",
    check=_scale_out_of_range,
)


def _zero_point_out_of_range(op: SourceOp) -> str | None:
    for tensor in touched(op):
        quantization = tensor.quantization
        if quantization is None or not tensor.dtype.is_integer:
            continue
        low, high = tensor.dtype.limits
        if not all(low <= point <= high for point in quantization.zero_points):
            return f"{scaling_text(tensor)}, but holds {low} to {high}"
    return None


_HAS_POSSIBLE_ZERO_POINTS = Rule(
    text="Zero points can be stored",
    accepted="a value of the tensor's element type",
    check=_zero_point_out_of_range,
)


def _other_element_type(op: SourceOp, limits: OperatorLimits) -> str | None:
    return types_of(t for t in touched(op) if t.dtype not in limits.element_types) or None


_HAS_ELEMENT_TYPE = LimitRule(
    text="Elements are of a type that the NPU has",
    accepted=lambda limits: listed(dtype.name.lower() for dtype in limits.element_types),
    check=_other_element_type,
)


def _int32_elements(op: SourceOp) -> str | None:
    return types_of(t for t in touched(op) if t.dtype is DType.INT32) or None


IS_NOT_INT32 = Rule(
    # The reference computes with those of 32 bits as they are stored, and goes round at the ends.
    text="Elements have 8 or 16 bits",
    accepted="8 or 16 bits; 32 bits only where elements are moved, or found by ARG_MAX",
    check=_int32_elements,
)


def _dimension_out_of_range(op: SourceOp, limits: OperatorLimits) -> str | None:
    most = limits.greatest_dimension
    wrong = [t for t in touched(op) if not all(1 <= dim <= most for dim in t.shape)]
    return shapes_of(wrong) or None


_HAS_POSSIBLE_DIMENSIONS = LimitRule(
    text="Every dimension fits the NPU's counters",
    accepted=lambda limits: f"1 to {limits.greatest_dimension} for each dimension",
    check=_dimension_out_of_range,
)


def _scaled_per_axis(op: SourceOp) -> str | None:
    for tensor in touched(op):
        quantization = tensor.quantization
        is_exempt = op.kind in TAKES_WEIGHTS_PER_AXIS and tensor is op.weights
        if quantization is not None and quantization.is_per_axis and not is_exempt:
            return f"'{tensor.name}' has {len(quantization.scales)} scales"
    return None


_IS_SCALED_PER_TENSOR = Rule(
    text="One scale serves the whole tensor",
    accepted=f"several scales only for the weights of {listed(TAKES_WEIGHTS_PER_AXIS)}",
    check=_scaled_per_axis,
)


def _several_batches(op: SourceOp) -> str | None:
    return shapes_of(t for t in operands(op) if Shape4.of(t.shape).n != 1) or None


_HAS_ONE_BATCH = Rule(
    text="The batch holds one picture",
    accepted="1 for the first of four dimensions",
    check=_several_batches,
)


_WITH_CURVES = frozenset({"UNIDIRECTIONAL_SEQUENCE_LSTM"})
"""Of others the reference kernels leave out a curve that is fused, and clamp alone."""


def _other_activation(op: SourceOp, limits: OperatorLimits) -> str | None:
    is_left_out = op.activation == "TANH" and op.kind not in _WITH_CURVES
    is_applied = op.activation in limits.fused_activations and not is_left_out
    return None if is_applied else op.activation


_HAS_FUSIBLE_ACTIVATION = LimitRule(
    text="The fused activation is one that the NPU applies",
    accepted=lambda limits: f"{listed(limits.fused_activations)}; TANH in an LSTM alone",
    check=_other_activation,
)


_ALL: tuple[AnyRule, ...] = (
    _HAS_OPTIONS,
    _NO_UNKNOWN_SCALAR,
    _NO_SCALAR_INPUT,
    HAS_FEW_DIMENSIONS,
    IS_QUANTISED,
    _BYTES_ARE_QUANTISED,
    _HAS_USABLE_SCALES,
    _HAS_SCALES_IN_RANGE,
    _HAS_POSSIBLE_ZERO_POINTS,
    _HAS_ELEMENT_TYPE,
    IS_NOT_INT32,
    _HAS_POSSIBLE_DIMENSIONS,
    _IS_SCALED_PER_TENSOR,
    _HAS_ONE_BATCH,
    _HAS_FUSIBLE_ACTIVATION,
)
