"""Rules that several families of operators share."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.dtype import DType
from core.ir.network import Tensor
from core.lower.legality.rule import Rule, listed, shapes_of, shown, types_of
from core.lower.slicing import integers
from core.lower.source import SourceOp

_JOINS_ALL_INPUTS = frozenset({"CONCATENATION", "PACK"})
_SECOND_INPUT_IS_A_PARAMETER = frozenset({"TRANSPOSE", "MIRROR_PAD"})


def operands(op: SourceOp) -> tuple[Tensor, ...]:
    """The activations that an operator reads: neither weights nor parameters."""
    if op.kind in _JOINS_ALL_INPUTS:
        return tuple(tensor for tensor in op.inputs if tensor is not None)
    second = None if op.kind in _SECOND_INPUT_IS_A_PARAMETER else op.ifm2
    return tuple(tensor for tensor in (op.ifm, second) if tensor is not None)


def touched(op: SourceOp) -> tuple[Tensor, ...]:
    """Every tensor whose elements the NPU reads or writes, but for biases."""
    weights = () if op.weights is None else (op.weights,)
    return (*operands(op), *weights, *op.outputs)


def ifm_of(op: SourceOp) -> Tensor:
    """The tensor that an operator works on, once it is known to have one."""
    if op.ifm is None:
        raise LookupError(f"{op.kind} '{op.name}' has no input to work on")
    return op.ifm


def scaling_of(tensor: Tensor | None) -> tuple[tuple[float, ...], tuple[int, ...]] | None:
    """Scales and zero points of a quantised tensor."""
    if tensor is None or tensor.quantization is None or not tensor.quantization.scales:
        return None
    return tensor.quantization.scales, tensor.quantization.zero_points or (0,)


def scaling_text(tensor: Tensor) -> str:
    """A tensor with its scale and zero point."""
    scaling = scaling_of(tensor)
    if scaling is None:
        return f"'{tensor.name}' has no scale"
    (scale, *_), (zero_point, *_) = scaling
    return f"'{tensor.name}' has scale {scale:g} and zero point {zero_point}"


def takes_inputs(least: int, most: int | None = None, *, optional: Sequence[int] = ()) -> Rule:
    """As many inputs as the operator needs, none of them left out but those that may be."""
    top = least if most is None else most

    def check(op: SourceOp) -> str | None:
        if not least <= len(op.inputs) <= top:
            return f"{len(op.inputs)} inputs"
        absent = [
            index
            for index, tensor in enumerate(op.inputs)
            if tensor is None and index not in optional
        ]
        return f"input {absent[0]} is left out" if absent else None

    count = f"{least}" if top == least else f"{least} to {top}"
    return Rule(text="The operator has its inputs", accepted=f"{count} inputs", check=check)


def takes_some_inputs() -> Rule:
    """One input or more, none of them left out."""

    def check(op: SourceOp) -> str | None:
        if not op.inputs:
            return "no inputs"
        absent = [index for index, tensor in enumerate(op.inputs) if tensor is None]
        return f"input {absent[0]} is left out" if absent else None

    return Rule(text="The operator has its inputs", accepted="one input or more", check=check)


def has_rank(rank: int, *, weights: bool = False) -> Rule:
    """Input and output of one number of dimensions, and weights too if asked."""

    def check(op: SourceOp) -> str | None:
        tensors = (op.ifm, op.weights, op.ofm) if weights else (op.ifm, op.ofm)
        wrong = [t for t in tensors if t is None or len(t.shape) != rank]
        return shapes_of(wrong) or "a tensor is left out" if wrong else None

    which = "Input, weights and output" if weights else "Input and output"
    return Rule(
        text=f"{which} have the dimensions that the operator is defined for",
        accepted=f"{rank} dimensions",
        check=check,
    )


def input_type(*accepted: DType) -> Rule:
    """An input of one of some element types."""

    def check(op: SourceOp) -> str | None:
        ifm = ifm_of(op)
        return None if ifm.dtype in accepted else types_of([ifm])

    names = listed(dtype.name.lower() for dtype in accepted)
    return Rule(text="The input has a suitable element type", accepted=names, check=check)


def output_type(*accepted: DType) -> Rule:
    """An output of one of some element types."""

    def check(op: SourceOp) -> str | None:
        return None if op.ofm.dtype in accepted else types_of([op.ofm])

    names = listed(dtype.name.lower() for dtype in accepted)
    return Rule(text="The output has a suitable element type", accepted=names, check=check)


def constant_integers(text: str, *indices: int) -> Rule:
    """Parameters that are known before execution."""

    def check(op: SourceOp) -> str | None:
        unknown = [t for index in indices if integers(t := op.input(index)) is None]
        names = ", ".join(f"'{t.name}'" for t in unknown if t is not None)
        return f"{names or 'nothing'} is computed at run time" if unknown else None

    return Rule(text=text, accepted="constant integers", check=check)


def _other_type(op: SourceOp) -> str | None:
    tensors = (*operands(op)[:1], *op.outputs)
    return None if len({t.dtype for t in tensors}) == 1 else types_of(tensors)


SAME_TYPE = Rule(
    text="Input and output have one element type",
    accepted="the input's type for every output",
    check=_other_type,
)


def _other_type_among_inputs(op: SourceOp) -> str | None:
    tensors = operands(op)
    return None if len({t.dtype for t in tensors}) == 1 else types_of(tensors)


SAME_INPUT_TYPES = Rule(
    text="All inputs have one element type",
    accepted="the first input's type for every input",
    check=_other_type_among_inputs,
)


def _other_shape(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    return None if ifm.shape == op.ofm.shape else shapes_of((ifm, op.ofm))


SAME_SHAPE = Rule(
    text="Input and output have one shape",
    accepted="the input's shape for the output",
    check=_other_shape,
)


def _other_scaling(op: SourceOp) -> str | None:
    expected = scaling_of(op.ofm)
    differing = [t for t in (*operands(op), *op.outputs[1:]) if scaling_of(t) != expected]
    if not differing:
        return None
    return "; ".join(scaling_text(tensor) for tensor in (*differing, op.ofm))


_CURVES_OF_BYTES = {"LOGISTIC": (1 / 256, 0), "SOFTMAX": (1 / 256, 0), "TANH": (1 / 128, 128)}
"""Scales and zero points that the reference gives outputs of uint8, whatever the file says."""


def _other_shares(op: SourceOp) -> str | None:
    (scale, *_), (point, *_) = scaling_of(op.ofm) or ((0.0,), (0,))
    is_other = op.ofm.dtype is DType.UINT8 and (scale, point) != _CURVES_OF_BYTES[op.kind]
    return scaling_text(op.ofm) if is_other else None


STORES_SHARES = Rule(
    text="A curve of unsigned bytes is stored as the reference stores it",
    accepted="scale 1/256 and zero point 0; for TANH 1/128 and 128",
    check=_other_shares,
)


SAME_SCALING = Rule(
    text="Inputs and outputs have one scale and zero point",
    accepted="the output's scale and zero point for every input, and other outputs",
    check=_other_scaling,
)


def _other_elements(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    return None if ifm.elements == op.ofm.elements else shapes_of((ifm, op.ofm))


SAME_ELEMENTS = Rule(
    text="Input and output have as many elements",
    accepted="an output with the input's number of elements",
    check=_other_elements,
)


def axis_within(axis: int, rank: int) -> int | None:
    """An axis counted from the start; None where the tensor has no such axis."""
    return axis % rank if -rank <= axis < rank else None


def axis_text(axis: int, tensor: Tensor) -> str:
    """An axis beside the shape that it is of."""
    return f"axis {axis} of {shown(tensor.shape)}"
