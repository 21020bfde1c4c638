"""Operators that the next one takes over.

PAD -> CONV_2D (VALID)       becomes   CONV_2D with padding of its own
x -> MUL c -> MAXIMUM x      becomes   a leaky relu (or ABS, for c = -1) of x
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from core.base.dtype import DType
from core.base.geometry import Kernel, Padding
from core.base.ids import OpRef, TensorId
from core.lower.draft import quant_of
from core.lower.source import SourceGraph, SourceOp, values

_TAKES_PADDING = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D"})

_Makers = Mapping[TensorId, SourceOp]
"""What the NPU makes each tensor with; of what the CPU makes, nothing can be taken for granted."""


@dataclass(frozen=True, slots=True)
class Absorbed:
    """Which operator takes over which, and the operators that are left with nothing to do."""

    by: dict[OpRef, SourceOp]
    without_work: frozenset[OpRef]


def find_absorbed(graph: SourceGraph, on_cpu: Collection[OpRef]) -> Absorbed:
    """All pairs of a subgraph."""
    by: dict[OpRef, SourceOp] = {}
    makers = {made: op for made, op in graph.producers.items() if op.ref not in on_cpu}
    for op in graph.ops:
        if op.ref in on_cpu:
            continue
        taken = _pad_before(makers, op) or _product_before(graph, makers, op)
        if taken is not None:
            by[op.ref] = taken
    return Absorbed(by, frozenset(_idle(graph, by)))


def _idle(graph: SourceGraph, by: dict[OpRef, SourceOp]) -> list[OpRef]:
    """Operators that every reader of their output has taken over."""
    return [
        taken.ref
        for taken in {op.ref: op for op in by.values()}.values()
        if taken.operator.outputs[0] not in graph.outputs
        and all(
            reader.ref in by and by[reader.ref] is taken
            for reader in graph.consumers[taken.operator.outputs[0]]
        )
    ]


def pad_amounts(pad: SourceOp) -> tuple[Padding, int, int]:
    """Rows and columns that a PAD adds, and channels before and after."""
    amounts = values(pad.input(1))
    rows = [[0, 0]] * 4 if amounts is None else np.asarray(amounts).astype(int).tolist()
    (top, bottom), (left, right), (near, far) = rows[-3:]
    return Padding(top=top, left=left, bottom=bottom, right=right), near, far


def _pad_before(makers: _Makers, op: SourceOp) -> SourceOp | None:
    if op.kind not in _TAKES_PADDING or op.window.is_same:
        return None
    pad = _maker(makers, op.input_id(0))
    if pad is None or pad.kind not in {"PAD", "PADV2"} or pad.ifm is None:
        return None
    origin = quant_of(pad.ifm)
    if pad.ifm.dtype is not pad.ofm.dtype or origin is None or origin != quant_of(pad.ofm):
        return None
    value = values(pad.input(2)) if pad.kind == "PADV2" else None
    if value is not None and int(np.asarray(value).reshape(-1)[0]) != origin.zero_point:
        return None
    padding, near, far = pad_amounts(pad)
    if near or far or not _hardware_can_pad(op, padding):
        return None
    return pad


def _hardware_can_pad(op: SourceOp, padding: Padding) -> bool:
    kernel = op.window.kernel
    sides = (
        (padding.top, kernel.dilated_h),
        (padding.bottom, kernel.dilated_h),
        (padding.left, kernel.dilated_w),
        (padding.right, kernel.dilated_w),
    )
    if any(amount > window // 2 for amount, window in sides):
        return False
    if not _starts_on_a_step(padding, kernel):
        return False
    if op.kind == "AVERAGE_POOL_2D" and kernel.stride_w <= 3:
        return all(amount in (0, window // 2) for amount, window in sides)
    return True


def _starts_on_a_step(padding: Padding, kernel: Kernel) -> bool:
    """Whether the hardware, which starts in the padding, comes to the same rows and columns."""
    return all(
        amount == window // 2 or window // 2 <= stride or amount % stride == 0
        for amount, window, stride in (
            (padding.top, kernel.dilated_h, kernel.stride_h),
            (padding.left, kernel.dilated_w, kernel.stride_w),
        )
    )


def _product_before(graph: SourceGraph, makers: _Makers, op: SourceOp) -> SourceOp | None:
    """The MUL of x and a scalar constant whose result a MAXIMUM compares with x."""
    if op.kind != "MAXIMUM" or op.ifm is None:
        return None
    inputs = op.operator.inputs[:2]
    for index, tensor in enumerate(inputs):
        product, other = _maker(makers, tensor), inputs[1 - index]
        if product is None or product.kind != "MUL" or other not in product.operator.inputs:
            continue
        if _is_plain_product(graph, product, other) and _same_scaling(op, product):
            return product
    return None


def _is_plain_product(graph: SourceGraph, product: SourceOp, shared: TensorId | None) -> bool:
    return (
        scalar_slope(product, shared) is not None
        and graph.uses(product.operator.outputs[0]) == 1
        and product.activation == "NONE"
    )


def scalar_slope(product: SourceOp, shared: TensorId | None) -> float | None:
    """The real number that a MUL of x and a scalar constant multiplies by."""
    for tensor_id, tensor in zip(product.operator.inputs, product.inputs, strict=True):
        array, quant = values(tensor), quant_of(tensor)
        if tensor is None or tensor_id == shared or tensor.shape != () or array is None:
            continue
        if quant is not None and quant.scale is not None:
            return (int(array) - quant.zero_point) * quant.scale
    return None


def _same_scaling(op: SourceOp, product: SourceOp) -> bool:
    ifm = op.ifm
    return (
        ifm is not None
        and ifm.dtype in (DType.INT8, DType.UINT8)
        and ifm.dtype is op.ofm.dtype
        and quant_of(ifm) == quant_of(op.ofm) == quant_of(product.ofm)
    )


def _maker(makers: _Makers, tensor: TensorId | None) -> SourceOp | None:
    return None if tensor is None else makers.get(tensor)
