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

from core.base.dtype import DType
from core.base.frozen import NamedTuple
from core.base.ids import TensorId
from core.ir.network import Tensor
from core.lower.slicing import integers
from core.lower.source import SourceGraph, SourceOp

Given = tuple["Bounds", ...]
_AS_STORED = frozenset({DType.INT32, DType.INT64})
"""Types in which elements are computed as they are; shorter ones are brought to a scale."""
_Made = Callable[[SourceOp, Given], "Bounds | None"]


class Bounds(NamedTuple):
    """The least and the greatest value that an element can have."""

    least: int
    most: int

    def are_within(self, dtype: DType) -> bool:
        """Whether every such value can be stored."""
        least, most = dtype.limits
        return least <= self.least and self.most <= most


def known_bounds(graph: SourceGraph) -> Mapping[TensorId, Bounds]:
    """Of all tensors about which something is known."""
    known: dict[TensorId, Bounds] = {}
    for op in graph.ops:
        for tensor_id, tensor in zip(op.operator.outputs, op.outputs, strict=True):
            made = computed_bounds(op, known) if tensor.dtype in _AS_STORED else None
            if made is not None and made.are_within(tensor.dtype):
                known[tensor_id] = made
    return known


def computed_bounds(op: SourceOp, known: Mapping[TensorId, Bounds]) -> Bounds | None:
    """What an operator of whole numbers gives before it is stored; None where nothing says."""
    rule = _RULES.get(op.kind)
    if rule is None or op.activation != "NONE" or None in op.inputs:
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


def _of_two(rule: Callable[[Bounds, Bounds], Bounds | None]) -> _Made:
    def made(_: SourceOp, given: Given) -> Bounds | None:
        return rule(*given) if len(given) == 2 else None

    return made


def _sum(one: Bounds, other: Bounds) -> Bounds:
    return Bounds(one.least + other.least, one.most + other.most)


def _difference(one: Bounds, other: Bounds) -> Bounds:
    return Bounds(one.least - other.most, one.most - other.least)


def _product(one: Bounds, other: Bounds) -> Bounds:
    return _around(a * b for a in one for b in other)


def _quotient(one: Bounds, other: Bounds) -> Bounds | None:
    return _around(a // b for a in one for b in other) if other.least > 0 else None


def _rest(_: Bounds, other: Bounds) -> Bounds | None:
    return Bounds(0, other.most - 1) if other.least > 0 else None


def _least(one: Bounds, other: Bounds) -> Bounds:
    return Bounds(*map(min, one, other))


def _greatest(one: Bounds, other: Bounds) -> Bounds:
    return Bounds(*map(max, one, other))


def _joined(_: SourceOp, given: Given) -> Bounds | None:
    return _around(end for bounds in given for end in bounds) if given else None


def _moved(op: SourceOp, given: Given) -> Bounds | None:
    place = op.roles.ifm or 0
    return given[place] if place < len(given) else None


def _cast(op: SourceOp, given: Given) -> Bounds | None:
    is_whole = op.ifm is not None and (op.ifm.dtype.is_integer or op.ifm.dtype is DType.BOOL)
    return given[0] if is_whole else None


def _around(ends: Iterable[int]) -> Bounds:
    values = tuple(ends)
    return Bounds(min(values), max(values))


_RULES: Mapping[str, _Made] = MappingProxyType(
    {
        "ADD": _of_two(_sum),
        "ARG_MAX": _position,
        "ARG_MIN": _position,
        "CAST": _cast,
        "CONCATENATION": _joined,
        "FLOOR_DIV": _of_two(_quotient),
        "FLOOR_MOD": _of_two(_rest),
        "MAXIMUM": _of_two(_greatest),
        "MINIMUM": _of_two(_least),
        "MUL": _of_two(_product),
        "PACK": _joined,
        "SUB": _of_two(_difference),
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
