"""UNIDIRECTIONAL_SEQUENCE_LSTM with the hardware's curves: all else is as in LiteRT's kernel.

The sums that go into a gate are in Q3.12, and what comes out of one is in Q0.15.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.fixedpoint import (
    Ints,
    Multiplier,
    multiply_by_quantized_multiplier,
    quantise_scale,
)
from core.base.frozen import NamedTuple
from core.base.ids import TensorId
from core.ir.network import Operator, Subgraph, Tensor
from core.pipeline.proof.hardware_fully_connected import centred, scale, zero_point
from core.simulate.curves import sigmoid, tanh

Array = npt.NDArray[Any]

_INPUT_WEIGHTS, _STATE_WEIGHTS, _BIASES = 1, 5, 12
"""Positions among the inputs of what belongs to the first of the four gates."""
_HIDDEN_STATE, _CELL_STATE = 18, 19
_HIDDEN_SCALE = 4
"""Position among the intermediates."""
_SUM_SCALE, _GATE_SCALE = 2.0**-12, 2.0**-15
_UNITS_PER_SUM = 3
"""The curves take a value in units of 1 / 12288."""
_GATE_LIMITS = 11, 32757
"""Where the reference's sigmoid ends."""


class _Gate(NamedTuple):
    """What a gate makes of the input, and of the state."""

    of_input: _Product
    of_state: _Product

    def sum(self, features: Ints, hidden: Ints) -> Ints:
        return self.of_input.of(features) + self.of_state.of(hidden)


class _Product(NamedTuple):
    """A product with weights, in Q3.12."""

    weights: Ints
    biases: Ints | int
    factor: Multiplier

    def of(self, values: Ints) -> Ints:
        sums = values @ self.weights.T + self.biases
        return _narrow(multiply_by_quantized_multiplier(sums, *self.factor))


def lstm(graph: Subgraph, op: Operator, given: Mapping[TensorId, Array]) -> dict[TensorId, Array]:
    """The output, and the states that are left for the next inference."""
    cells = _Cells.of(graph, op, given)
    features = centred(_tensor(graph, op, 0), given[_number(op, 0)])
    is_time_major = op.own_options.flag("time_major")
    steps = features if is_time_major else np.swapaxes(features, 0, 1)
    hidden, cell = given[_number(op, _HIDDEN_STATE)], given[_number(op, _CELL_STATE)]
    states, zero = (hidden.astype(np.int64), cell.astype(np.int64)), cells.hidden_zero
    shown = []
    for step in steps:
        states = cells.next(step, states[0] - zero, states[1])
        shown.append(states[0])
    made = np.stack(shown, axis=0 if is_time_major else 1)
    return {
        op.outputs[0]: _stored(graph.tensors[op.outputs[0]], made),
        _number(op, _HIDDEN_STATE): states[0].astype(hidden.dtype),
        _number(op, _CELL_STATE): states[1].astype(cell.dtype),
    }


class _Cells(NamedTuple):
    """Everything that does not change from step to step."""

    gates: tuple[_Gate, ...]
    """Input, forget, cell, output."""
    cell_scale: float
    hidden_scale: float
    hidden_zero: int
    clip: int

    @classmethod
    def of(cls, graph: Subgraph, op: Operator, given: Mapping[TensorId, Array]) -> _Cells:
        hidden = graph.tensors[_known(op.intermediates[_HIDDEN_SCALE])]
        cell = _tensor(graph, op, _CELL_STATE)
        clip = op.own_options.real("cell_clip")
        return cls(
            gates=tuple(_gate(graph, op, given, number) for number in range(4)),
            cell_scale=scale(cell),
            hidden_scale=scale(hidden),
            hidden_zero=zero_point(hidden),
            clip=round(clip / scale(cell)) if clip else DType.INT16.limits[1] + 1,
        )

    def next(self, features: Ints, hidden: Ints, cell: Ints) -> tuple[Ints, Ints]:
        """The states after one more step."""
        sums = [gate.sum(features, hidden) * _UNITS_PER_SUM for gate in self.gates]
        opened, kept, shown = (
            np.clip(sigmoid(sums[number]), *_GATE_LIMITS) for number in (0, 1, 3)
        )
        fresh = tanh(sums[2])
        old = _product(cell, kept, _GATE_SCALE)
        new = _product(fresh, opened, _GATE_SCALE**2 / self.cell_scale)
        cell = np.clip(_narrow(old + new), -self.clip, self.clip)
        units = quantise_scale(self.cell_scale / _SUM_SCALE * _UNITS_PER_SUM)
        curve = tanh(multiply_by_quantized_multiplier(cell, *units))
        made = _product(curve, shown, _GATE_SCALE**2 / self.hidden_scale) + self.hidden_zero
        return np.clip(made, *DType.INT8.limits), cell


def _gate(graph: Subgraph, op: Operator, given: Mapping[TensorId, Array], number: int) -> _Gate:
    biases = given[_number(op, _BIASES + number)].astype(np.int64)
    features, hidden = _tensor(graph, op, 0), _tensor(graph, op, _HIDDEN_STATE)

    def product(first: int, source: Tensor, added: Ints | int) -> _Product:
        weights = _tensor(graph, op, first + number)
        product_scale = float(np.float32(scale(source)) * np.float32(scale(weights)))
        factor = quantise_scale(product_scale / _SUM_SCALE)
        return _Product(centred(weights, given[_number(op, first + number)]), added, factor)

    return _Gate(product(_INPUT_WEIGHTS, features, biases), product(_STATE_WEIGHTS, hidden, 0))


def _product(one: Ints, other: Ints, factor: float) -> Ints:
    made: Ints = multiply_by_quantized_multiplier(one * other, *quantise_scale(factor))
    return _narrow(made)


def _narrow(values: Ints) -> Ints:
    return np.clip(values, *DType.INT16.limits)


def _stored(tensor: Tensor, values: Ints) -> Array:
    return values.astype(np.dtype(tensor.dtype.numpy)).reshape(tensor.shape)


def _number(op: Operator, position: int) -> TensorId:
    return _known(op.inputs[position])


def _known(number: TensorId | None) -> TensorId:
    assert number is not None
    return number


def _tensor(graph: Subgraph, op: Operator, position: int) -> Tensor:
    return graph.tensors[_number(op, position)]
