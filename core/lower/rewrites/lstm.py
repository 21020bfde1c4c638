"""UNIDIRECTIONAL_SEQUENCE_LSTM, unrolled: one step after the other, and one batch after the other.

    x[t], h, c -> step -> h', c'      becomes, for each of the four gates g,

    x[t] -> FULLY_CONNECTED -> a,  h -> FULLY_CONNECTED -> b,  sigmoid or tanh of a + b -> g

    and then                          c * forget + input * cell -> c'
                                      tanh(c') * output -> h',  h' -> copy -> y[t]

The states h and c outlive an inference. Each new value is a feature map of its own for its readers,
and has the bytes of the network's variable. Where time is the first axis, a step does all batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.frozen import Frozen, replace
from core.base.geometry import Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import Activation, ActivationKind, LinearReason, OpKind, Quant, View, Weights
from core.lower.draft import quant_of
from core.lower.rewrites.convolution import zero_bias
from core.lower.rewrites.copying import copy_into
from core.lower.rewrites.fully_connected import matrix_product
from core.lower.scaling import NO_SCALING, product_factor, scaling_of
from core.lower.scope import Scope
from core.lower.source import values

FIRST_INPUT_WEIGHTS, FIRST_RECURRENT_WEIGHTS, FIRST_BIAS = 1, 5, 12
"""Positions among the inputs of what belongs to the first of the four gates."""

OUTPUT_STATE, CELL_STATE = 18, 19
HIDDEN = 4
"""Position among the intermediates of what gives the new output state its scale."""

GATE_SUM = Quant(scale=2.0**-12)
GATE = Quant(scale=2.0**-15)
"""Scales that the reference fixes: Q3.12 into an activation, and Q0.15 out of it."""

SIGMOID = Activation(kind=ActivationKind.SIGMOID, minimum=11 * 2.0**-15, maximum=32757 * 2.0**-15)
"""The hardware comes nearer to 0 and 1 than the reference's table does, and is held back."""

TANH = Activation(kind=ActivationKind.TANH)


INPUT, FORGET, CELL, OUTPUT = "input", "forget", "cell", "output"
GATES = {INPUT: SIGMOID, FORGET: SIGMOID, CELL: TANH, OUTPUT: SIGMOID}
"""The four gates in the order of the operator's inputs."""


class _Gate(Frozen, kw_only=False):
    """What every step does for one of the gates."""

    label: str
    activation: Activation
    of_input: Weights
    of_state: Weights


class _Moment(Frozen, kw_only=False):
    """One step of one batch, or of all batches together."""

    time: int
    batch: int
    rows: int
    """Batches that are computed at once."""
    place: Shape4
    """Where the step is in the input and in the output."""

    @property
    def label(self) -> str:
        """A suffix for names."""
        return f"#{self.batch}.{self.time}"


class _States(Frozen, kw_only=False):
    """What one step leaves for the next."""

    output: View
    cell: View


def lower(scope: Scope) -> None:
    """Lower UNIDIRECTIONAL_SEQUENCE_LSTM."""
    gates = _gates(scope)
    for moments in _sequences(scope):
        states = _initial(scope, moments[0])
        for moment in moments:
            states = _emit_step(scope, moment, gates, states)
            # The output is the state as it is stored, whatever its own scale says.
            made = replace(states.output, quant=scope.ofm.quant)
            copy_into(scope, made, scope.ofm, moment.place, f"out{moment.label}")


def _gates(scope: Scope) -> list[_Gate]:
    return [
        _Gate(
            label,
            activation,
            _weights(scope, FIRST_INPUT_WEIGHTS + n, values(scope.op.input(FIRST_BIAS + n))),
            _weights(scope, FIRST_RECURRENT_WEIGHTS + n, None),
        )
        for n, (label, activation) in enumerate(GATES.items())
    ]


def _sequences(scope: Scope) -> Iterator[list[_Moment]]:
    """Moments that follow one another; sequences do not depend on each other."""
    _, first, second, _ = scope.ifm.shape
    if scope.op.options.flag("time_major"):
        yield [_Moment(t, 0, second, Shape4(0, t, 0, 0)) for t in range(first)]
        return
    for batch in range(first):
        yield [_Moment(t, batch, 1, Shape4(0, batch, t, 0)) for t in range(second)]


def _initial(scope: Scope, moment: _Moment) -> _States:
    return _States(
        output=_rows_of(scope.input(OUTPUT_STATE), moment),
        cell=_rows_of(scope.input(CELL_STATE), moment),
    )


def _rows_of(state: View, moment: _Moment) -> View:
    """The rows of a state that belong to a moment."""
    if state.shape.w == moment.rows:
        return state
    extent = state.shape.with_hw(1, moment.rows)
    return replace(state, offset=Shape4(0, 0, moment.batch, 0), extent=extent)


def _emit_step(scope: Scope, moment: _Moment, gates: list[_Gate], states: _States) -> _States:
    features = _features(scope, moment)
    opened = {
        gate.label: _emit_gate(scope, moment, gate, features, states.output) for gate in gates
    }
    cell = _emit_cell(scope, moment, states.cell, opened)
    return _States(output=_emit_output(scope, moment, cell, opened[OUTPUT]), cell=cell)


def _features(scope: Scope, moment: _Moment) -> View:
    ifm = scope.ifm
    extent = ifm.shape.with_hw(1, moment.rows)
    part = scope.temporary(f"x{moment.label}", extent, scope.dtype(ifm), ifm.quant)
    return scope.emit_slice(replace(ifm, offset=moment.place, extent=extent), part)


def _emit_gate(scope: Scope, moment: _Moment, gate: _Gate, features: View, state: View) -> View:
    name = f"{gate.label}{moment.label}"
    from_input = _emit_product(scope, moment, features, gate.of_input, f"{name}_x")
    from_state = _emit_product(scope, moment, state, gate.of_state, f"{name}_h")
    ofm = scope.temporary(name, from_input.shape, DType.INT16, GATE)
    return scope.emit(
        OpKind.ADD, from_input, ofm, name, ifm2=from_state, activation=gate.activation
    )


def _weights(scope: Scope, index: int, bias: npt.NDArray[Any] | None) -> Weights:
    tensor, array = scope.op.input(index), values(scope.op.input(index))
    if tensor is None or tensor.quantization is None or array is None:
        raise InternalError(f"'{scope.op.name}' has no quantised weights at input {index}")
    outputs, depth = array.shape
    return Weights(
        values=ConstData.of(array.reshape(outputs, 1, 1, depth)),
        scales=tensor.quantization.scales,
        zero_points=tensor.quantization.zero_points or (0,),
        bias=zero_bias(scope, outputs) if bias is None else ConstData.of(bias),
    )


def _emit_product(scope: Scope, moment: _Moment, ifm: View, weights: Weights, name: str) -> View:
    shape = Shape4(1, 1, moment.rows, weights.values.shape[0])
    ofm = scope.temporary(name, shape, DType.INT16, GATE_SUM)
    product = matrix_product(ifm, ofm, weights)
    scope.emit(product.kind, product.ifm, product.ofm, name, weights=weights)
    return ofm


def _emit_cell(scope: Scope, moment: _Moment, state: View, gates: dict[str, View]) -> View:
    scale, unit = scaling_of(state).scale, scaling_of(gates[INPUT]).scale
    shape, label = gates[INPUT].shape, moment.label
    kept = scope.temporary(f"kept{label}", shape, DType.INT16, state.quant)
    keeps = product_factor(scale, unit, scale)
    scope.emit(OpKind.MUL, state, kept, f"kept{label}", ifm2=gates[FORGET], scaling=keeps)
    added = scope.temporary(f"added{label}", shape, DType.INT16, state.quant)
    adds = product_factor(unit, unit, scale)
    scope.emit(OpKind.MUL, gates[CELL], added, f"added{label}", ifm2=gates[INPUT], scaling=adds)
    clip = scope.op.options.real("cell_clip")
    clamp = Activation(kind=ActivationKind.CLAMP, minimum=-clip, maximum=clip) if clip else None
    name, ofm = f"cell_state{label}", _new_state(scope, moment, CELL_STATE)
    return scope.emit(OpKind.ADD, kept, ofm, name, ifm2=added, activation=clamp, scaling=NO_SCALING)


def _emit_output(scope: Scope, moment: _Moment, cell: View, gate: View) -> View:
    squashed = scope.temporary(f"tanh{moment.label}", gate.shape, DType.INT16, GATE)
    scope.emit(OpKind.AVERAGE_POOL, cell, squashed, f"tanh{moment.label}", activation=TANH)
    hidden = quant_of(scope.op.intermediates[HIDDEN])
    if hidden is None or hidden.scale is None:
        raise InternalError(f"'{scope.op.name}' has no scale for its hidden state")
    unit = scaling_of(gate).scale
    scaling = product_factor(unit, unit, hidden.scale)
    name, ofm = f"output_state{moment.label}", _new_state(scope, moment, OUTPUT_STATE)
    return scope.emit(OpKind.MUL, squashed, ofm, name, ifm2=gate, scaling=scaling)


def _new_state(scope: Scope, moment: _Moment, index: int) -> View:
    """A value that is written where the network keeps a state."""
    whole = scope.input(index)
    fm = scope.draft.new_fm(
        f"{scope.op.name}_state{index}{moment.label}",
        scope.draft.feature_maps[whole.fm].shape,
        scope.dtype(whole),
        whole.quant,
        storage=whole.fm,
    )
    scope.draft.must_be_linear(fm, LinearReason.VARIABLE)
    return _rows_of(replace(whole, fm=fm), moment)
