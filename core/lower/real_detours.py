"""What a file computes in real numbers of one byte alone is looked up in a table.

x -> DEQUANTIZE -> NEG -> QUANTIZE -> y     becomes     x -> QUANTIZE, with what it makes -> y

Converters leave the integers for operators that have no kernel for bytes, as the NEG of each layer
normalisation; on the CPU each would part two command streams. The entries are what the reference
kernels make of each of the 256 values, step by step in single precision. Only steps count that
every machine rounds alike: no exponentials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.fixedpoint import quantised
from core.base.frozen import replace
from core.base.ids import TensorId
from core.ir.network import Table, Tensor
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.draft import quant_of
from core.lower.source import SourceGraph, SourceOp, values
from core.lower.source_joins import Joined

_FIRST, _LAST = "DEQUANTIZE", "QUANTIZE"
_BYTES = frozenset({DType.INT8, DType.UINT8})
_ENTRIES = "EntriesOptions"
"""Options of no file: of a QUANTIZE that looks up what it makes."""
_MOST_STEPS = 64
_MOST = float(1 << 30)
"""Beyond it, what the reference makes of a real number is not defined."""

Reals = npt.NDArray[np.float32]
_UNARY: Mapping[str, Callable[[Reals], Reals]] = {
    "ABS": np.abs,
    "NEG": np.negative,
    "RELU": lambda x: np.maximum(x, np.float32(0)),
    "RELU6": lambda x: np.clip(x, np.float32(0), np.float32(6)),
    "RSQRT": lambda x: np.reciprocal(np.sqrt(x)),
    "SQRT": np.sqrt,
    "SQUARE": lambda x: x * x,
}
_BINARY: Mapping[str, Callable[[Reals, Reals], Reals]] = {
    "ADD": np.add,
    "DIV": np.divide,
    "MAXIMUM": np.maximum,
    "MINIMUM": np.minimum,
    "MUL": np.multiply,
    "SUB": np.subtract,
}
_FUSED: Mapping[str, Callable[[Reals], Reals]] = {
    "NONE": lambda x: x,
    "RELU": _UNARY["RELU"],
    "RELU6": _UNARY["RELU6"],
    "RELU_N1_TO_1": lambda x: np.clip(x, np.float32(-1), np.float32(1)),
}
_KINDS = frozenset({_FIRST, *_UNARY, *_BINARY})


def joined_detours(graph: SourceGraph) -> Iterator[Joined]:
    """One operator for each way from bytes to real numbers and back."""
    for last in (op for op in graph.ops if op.kind == _LAST and len(op.outputs) == 1):
        steps = _steps(graph, last)
        entries = None if steps is None else _entries(steps, last)
        if steps is None or entries is None:
            continue
        operator = replace(
            last.operator,
            inputs=steps[0].operator.inputs,
            options=Table(kind=_ENTRIES, fields=(("entries", entries.tobytes()),)),
        )
        yield Joined(operator, _tried(steps, last))


def entries_of(op: SourceOp) -> npt.NDArray[np.int8 | np.uint8] | None:
    """What such an operator makes of each value; None where it is a QUANTIZE of the file."""
    options = op.operator.options
    if options is None or options.kind != _ENTRIES:
        return None
    entries = options.get("entries")
    assert isinstance(entries, bytes)
    return np.frombuffer(entries, op.ofm.dtype.numpy)


def _steps(graph: SourceGraph, last: SourceOp) -> list[SourceOp] | None:
    """The operators from the bytes on, in their order, where there is nothing but them."""
    steps, given = list[SourceOp](), last.input_id(0)
    while not steps or steps[-1].kind != _FIRST:
        # A file may claim that an operator reads what it makes.
        op = None if len(steps) > _MOST_STEPS else graph.maker(given, _KINDS)
        if op is None or len(op.outputs) != 1 or op.ofm.dtype is not DType.FLOAT32:
            return None
        given = op.input_id(0) if op.kind in (_FIRST, *_UNARY) else _changing(op)
        if given is None or op.ofm.shape != last.ofm.shape:
            return None
        steps.append(op)
    return steps[::-1]


def _changing(op: SourceOp) -> TensorId | None:
    """The one input of two that is not known; the other is a single number."""
    pairs = zip(op.operator.inputs, op.inputs, strict=True)
    changing = [given for given, tensor in pairs if _number(tensor) is None]
    return changing[0] if len(op.inputs) == 2 and len(changing) == 1 else None


def _number(tensor: Tensor | None) -> Reals | None:
    array = values(tensor)
    if tensor is None or array is None or array.size != 1 or tensor.dtype is not DType.FLOAT32:
        return None
    return array.reshape(())


def _entries(steps: Sequence[SourceOp], last: SourceOp) -> npt.NDArray[np.int8 | np.uint8] | None:
    """What is made of each value that can be stored, where that is defined for all of them."""
    given, made = steps[0].ifm, last.ofm
    if given is None or given.dtype not in _BYTES or given.dtype is not made.dtype:
        return None
    before, after = quant_of(given), quant_of(made)
    if before is None or after is None or not before.scale or not after.scale:
        return None
    low, high = given.dtype.limits
    stored = np.arange(low, high + 1, dtype=np.int64) - before.zero_point
    reals = np.float32(before.scale) * stored.astype(np.float32)
    with np.errstate(all="ignore"):
        for op in steps[1:]:
            computed = _computed(op, reals)
            if computed is None:
                return None
            reals = computed
        is_defined = (np.abs(reals / np.float32(after.scale)) < _MOST).all()
    if not is_defined:
        return None
    entries = quantised(reals, after.scale, after.zero_point, (low, high))
    return entries.astype(made.dtype.numpy)


def _computed(op: SourceOp, reals: Reals) -> Reals | None:
    if op.kind in _UNARY:
        return _UNARY[op.kind](reals)
    operands = [reals if (number := _number(tensor)) is None else number for tensor in op.inputs]
    finish = _FUSED.get(op.activation)
    return None if finish is None else finish(_BINARY[op.kind](*operands))


def _tried(steps: Sequence[SourceOp], last: SourceOp) -> RewriteTried:
    """Without it, each real number is written and read four bytes at a time."""
    elements = math.prod(last.ofm.shape)
    return RewriteTried(
        rewrite=Rewrite.LOOKED_UP,
        sources=(last.ref, *(op.ref for op in reversed(steps))),
        measure=Measure.MOVED_BYTES,
        figure_without=(2 + 2 * DType.FLOAT32.size_bytes * len(steps)) * elements,
        figure_with=2 * elements,
        reason=RewriteReason.CHEAPER,
    )
