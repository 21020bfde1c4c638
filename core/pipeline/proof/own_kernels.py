"""Operators that are computed without LiteRT, plain and slow, by what their kernels are said to do.

LiteRT refuses an SVDF without RELU, and makes other values where states have 8 bits, for a cause
that is not known here: of those there is no oracle. Where states have 16 bits, this makes the same
as it, bit by bit.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.fixedpoint import multiply_by_quantized_multiplier, quantise_scale
from core.base.frozen import NamedTuple
from core.base.ids import TensorId
from core.ir.network import Operator, Subgraph, Tensor
from core.pipeline.proof.known_differences import Rule
from core.pipeline.proof.litert import Array, Values

_MATRICES = 2
_WHOLE_BITS = 31
"""Of a factor of one."""
_STATE = 4
"""Place of the state among the inputs of an SVDF."""


def own_kernel(graph: Subgraph, op: Operator) -> Rule | None:
    """What computes an operator here; None where LiteRT does."""
    if op.kind != "SVDF" or op.inputs[0] is None:
        return None
    return _svdf if graph.tensors[op.inputs[0]].dtype is DType.INT8 else None


class _Svdf(NamedTuple):
    """The tensors of an SVDF."""

    ifm: Tensor
    features: Tensor
    times: Tensor
    state: Tensor
    ofm: Tensor

    @property
    def fits(self) -> bool:
        """Whether rows and columns are as many as what they are multiplied with."""
        matrices = (self.ifm, self.features, self.times, self.ofm)
        if any(len(tensor.shape) != _MATRICES for tensor in matrices):
            return False
        (batch, depth), (filters, columns) = self.ifm.shape, self.features.shape
        memory, units = self.times.shape[1], self.ofm.shape[1]
        return (
            columns == depth
            and self.times.shape[0] == filters
            and self.state.elements == batch * filters * memory
            and self.ofm.shape[0] == batch
            and filters % max(units, 1) == 0
        )


def _svdf(graph: Subgraph, op: Operator, given: Values) -> Mapping[TensorId, Array]:
    """Filters over features are kept for some inferences, and filters over time go over these."""
    numbers = (*op.inputs[:3], *op.inputs[_STATE : _STATE + 1], *op.outputs)
    at = [number for number in numbers if number is not None]
    if len(at) != len(_Svdf._fields):
        raise InputError(f"SVDF has {len(at)} of its {len(_Svdf._fields)} tensors")
    tensors = _Svdf(*(graph.tensors[number] for number in at))
    if not tensors.fits:
        raise InputError(f"SVDF '{tensors.ofm.name}' has weights of other shapes than its input")
    ifm, features, times, state = (given[number].astype(np.int64) for number in at[:4])
    (filters, memory), units = tensors.times.shape, tensors.ofm.shape[1]
    zero = _zero(tensors.state)
    newest = _scaled(
        (ifm - _zero(tensors.ifm)) @ features.T,
        (tensors.ifm, tensors.features),
        tensors.state,
    )
    held = np.roll(state.reshape(-1, filters, memory), -1, axis=2)
    held[..., -1] = np.clip(newest, *tensors.state.dtype.limits) + zero
    held = held.astype(tensors.state.dtype.numpy)
    sums = ((held.astype(np.int64) - zero) * times).sum(axis=2)
    sums = sums.reshape(-1, units, filters // units).sum(axis=2) + _bias(op, given)
    made = _scaled(sums, (tensors.state, tensors.times), tensors.ofm) + _zero(tensors.ofm)
    return {
        at[-1]: np.clip(made, *tensors.ofm.dtype.limits).astype(tensors.ofm.dtype.numpy),
        at[-2]: held.reshape(tensors.state.shape),
    }


def _bias(op: Operator, given: Values) -> Array | int:
    number = op.inputs[3]
    return 0 if number is None else given[number].astype(np.int64)


def _scaled(sums: Array, factors: tuple[Tensor, Tensor], made: Tensor) -> Array:
    """Sums of products at the scale of what they become, found in single precision.

    The kernel shifts in 32 bits where the factor is above one, and what leaves these wraps around.
    """
    first, second, target = (np.float32(_scale(tensor)) for tensor in (*factors, made))
    multiplier, shift = quantise_scale(float(first * second / target))
    left = min(max(_WHOLE_BITS - shift, 0), _WHOLE_BITS)
    wrapped = (sums << left).astype(np.int32).astype(np.int64)
    return np.asarray(
        multiply_by_quantized_multiplier(wrapped, multiplier, max(shift, _WHOLE_BITS))
    )


def _scale(tensor: Tensor) -> float:
    scale, _ = tensor.one_scale
    if scale is None or not scale > 0:
        raise InputError(f"'{tensor.name}' has not one scale above 0")
    return scale


def _zero(tensor: Tensor) -> int:
    return tensor.one_scale[1]
