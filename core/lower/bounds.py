"""Between which whole numbers the elements of tensors are, as far as their makers tell.

    x -> ARG_MAX over 2304 -> i      0 to 2303
    i -> FLOOR_DIV 48 -> row         0 to 47
    row -> MUL 48 -> first           0 to 2256
    i, first -> SUB -> column        -2256 to 2303

Whatever leaves a type goes round, and is then as unknown as what no maker here bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from core.base.dtype import DType
from core.base.ids import TensorId
from core.ir.network import Tensor
from core.lower.slicing import integers
from core.lower.source import SourceGraph, SourceOp

Given = tuple["Bounds", ...]


class Bounds(NamedTuple):
    """The least and the greatest value that an element can have."""

    least: int
    most: int

    def are_within(self, dtype: DType) -> bool:
        """Whether every such value can be stored."""
        least, most = dtype.limits
        return least <= self.least and self.most <= most


def computed_bounds(graph: SourceGraph, op: SourceOp) -> Bounds | None:
    """What an operator of whole numbers gives before it is stored; None where nothing says."""
    known: dict[TensorId, Bounds] = {}
    for maker in graph.ops:
        if maker.ref == op.ref:
            break
        for tensor_id, tensor in zip(maker.operator.outputs, maker.outputs, strict=True):
            made = _made(maker, known) if tensor.dtype.is_integer else None
            if made is not None and made.are_within(tensor.dtype):
                known[tensor_id] = made
    return _made(op, known)


def _made(op: SourceOp, known: Mapping[TensorId, Bounds]) -> Bounds | None:
    rule = _RULES.get(op.kind)
    if rule is None or op.activation != "NONE":
        return None
    given = tuple(
        _given(tensor, known.get(tensor_id))
        for tensor, tensor_id in zip(op.inputs, op.operator.inputs, strict=True)
        if tensor is not None and tensor_id is not None
    )
    return rule(op, given)


def _given(tensor: Tensor, known: Bounds | None) -> Bounds:
    if tensor.data is not None and tensor.dtype.is_integer and tensor.data.array.size:
        array = tensor.data.array
        return Bounds(int(array.min()), int(array.max()))
    if known is None and tensor.dtype is DType.BOOL:
        return Bounds(0, 1)
    return known or Bounds(*tensor.dtype.limits)


def _position(op: SourceOp, _: Given) -> Bounds | None:
    ifm, axes = op.ifm, integers(op.input(1))
    if ifm is None or not ifm.shape or axes is None or len(axes) != 1:
        return None
    return Bounds(0, max(ifm.shape[axes[0]] - 1, 0)) if _is_axis(axes[0], ifm) else None


def _is_axis(axis: int, tensor: Tensor) -> bool:
    return -len(tensor.shape) <= axis < len(tensor.shape)


def _sum(_: SourceOp, given: Given) -> Bounds | None:
    one, other = given[:2]
    return Bounds(one.least + other.least, one.most + other.most)


def _difference(_: SourceOp, given: Given) -> Bounds | None:
    one, other = given[:2]
    return Bounds(one.least - other.most, one.most - other.least)


def _product(_: SourceOp, given: Given) -> Bounds | None:
    one, other = given[:2]
    return _around(a * b for a in one for b in other)


def _quotient(_: SourceOp, given: Given) -> Bounds | None:
    one, other = given[:2]
    return _around(a // b for a in one for b in other) if other.least > 0 else None


def _rest(_: SourceOp, given: Given) -> Bounds | None:
    other = given[1]
    return Bounds(0, other.most - 1) if other.least > 0 else None


def _least(_: SourceOp, given: Given) -> Bounds | None:
    return Bounds(*(min(ends) for ends in zip(*given[:2], strict=True)))


def _greatest(_: SourceOp, given: Given) -> Bounds | None:
    return Bounds(*(max(ends) for ends in zip(*given[:2], strict=True)))


def _joined(_: SourceOp, given: Given) -> Bounds | None:
    return _around(end for bounds in given for end in bounds)


def _moved(op: SourceOp, given: Given) -> Bounds | None:
    return given[op.roles.ifm or 0]


def _cast(op: SourceOp, given: Given) -> Bounds | None:
    is_whole = op.ifm is not None and (op.ifm.dtype.is_integer or op.ifm.dtype is DType.BOOL)
    return given[0] if is_whole else None


def _around(ends: Iterable[int]) -> Bounds:
    values = tuple(ends)
    return Bounds(min(values), max(values))


_RULES: Mapping[str, Callable[[SourceOp, Given], Bounds | None]] = MappingProxyType(
    {
        "ADD": _sum,
        "ARG_MAX": _position,
        "ARG_MIN": _position,
        "CAST": _cast,
        "CONCATENATION": _joined,
        "FLOOR_DIV": _quotient,
        "FLOOR_MOD": _rest,
        "MAXIMUM": _greatest,
        "MINIMUM": _least,
        "MUL": _product,
        "PACK": _joined,
        "SUB": _difference,
        **dict.fromkeys(
            (
                *("BROADCAST_TO", "EXPAND_DIMS", "GATHER", "GATHER_ND", "RESHAPE", "REVERSE_V2"),
                *("SLICE", "SPLIT", "SPLIT_V", "SQUEEZE", "STRIDED_SLICE", "TILE", "TRANSPOSE"),
                "UNPACK",
            ),
            _moved,
        ),
    }
)
