"""UNIDIRECTIONAL_SEQUENCE_LSTM, unrolled over time.

    x, state -> LSTM -> y      becomes, for each step in time,

        each gate          two FULLY_CONNECTEDs of input and output state, ADD with its activation
        the cell state     MUL by the forget gate, MUL of input and cell gate, ADD
        the output state   tanh of the cell state, MUL by the output gate, copied into y

The states outlive a run: a new state is a new feature map in the bytes of the old one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.fixedpoint import elementwise_mul_scale
from core.base.geometry import Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import (
    Activation,
    ActivationKind,
    ExplicitScaling,
    OpKind,
    Quant,
    View,
    Weights,
)
from core.lower.draft import quant_of
from core.lower.rewrites.convolution import emit_convolution
from core.lower.rewrites.copying import copy_into
from core.lower.rewrites.fully_connected import matrix_product
from core.lower.scope import Scope
from core.lower.source import values

OUTPUT_STATE, CELL_STATE = 18, 19
"""Positions of the states among the operator's inputs."""

HIDDEN = 4
"""Position of the hidden state's quantisation among the intermediates."""

INPUT_WEIGHTS, RECURRENT_WEIGHTS, BIASES = 1, 5, 12
"""Positions of the first gate's tensors; the others follow in the order of `GATES`."""

INPUT_GATE, FORGET_GATE, CELL_GATE, OUTPUT_GATE = range(4)

GATE_INPUT = Quant(scale=2.0**-12, zero_point=0)
"""Three integer bits, as the reference kernels' sigmoid and tanh take them."""

FRACTION = Quant(scale=2.0**-15, zero_point=0)

_WHY_LINEAR = "it is written into the bytes of a variable"

# The reference's sigmoid comes from a table whose ends are these; the hardware's reaches further.
# They are given in steps of 0x3000, in which the hardware's sigmoid and tanh read their input.
_LEAST_SIGMOID, _GREATEST_SIGMOID = 11 / 0x3000, 32757 / 0x3000


@dataclass(frozen=True, slots=True)
class _States:
    """Where the states are read, as the feature maps that hold them now."""

    output: View
    cell: View


def lower(scope: Scope) -> None:
    """Lower UNIDIRECTIONAL_SEQUENCE_LSTM."""
    is_time_major = scope.op.options.flag("time_major")
    tensor = scope.op.ifm
    if tensor is None:
        raise InternalError(f"'{scope.op.name}' has no input")
    first, second, _ = tensor.shape
    if is_time_major:
        _unroll(scope, times=first, batch=None)
        return
    for batch in range(first):
        _unroll(scope, times=second, batch=batch)


def _unroll(scope: Scope, times: int, batch: int | None) -> None:
    """All steps of one batch, or of all batches at once where time is the first axis."""
    states = _States(_initial(scope, OUTPUT_STATE, batch), _initial(scope, CELL_STATE, batch))
    for time in range(times):
        name = f"{batch or 0}.{time}"
        states = _step(scope, name, _feature(scope, time, batch), states, batch)
        part = _place(time, batch)
        copy_into(scope, states.output, scope.ofm, part, f"output{name}")


def _place(time: int, batch: int | None) -> Shape4:
    """Where the input and output of one step lie."""
    return Shape4(0, time, 0, 0) if batch is None else Shape4(0, batch, time, 0)


def _feature(scope: Scope, time: int, batch: int | None) -> View:
    ifm = scope.ifm
    rows = ifm.shape.w if batch is None else 1
    extent = Shape4(1, 1, rows, ifm.shape.c)
    part = replace(ifm, offset=_place(time, batch), extent=extent)
    made = scope.temporary(
        f"feature{batch or 0}.{time}", (rows, ifm.shape.c), scope.dtype(ifm), ifm.quant
    )
    return scope.emit_slice(part, made)


def _initial(scope: Scope, index: int, batch: int | None) -> View:
    """A state before the first step; of several batches, the one that is asked for."""
    state = scope.input(index)
    return _row(state, batch)


def _row(state: View, batch: int | None) -> View:
    """One batch of a state, which is the whole of it where there is no other."""
    if batch is None or state.shape.w == 1:
        return state
    extent = Shape4(1, 1, 1, state.shape.c)
    return replace(state, offset=Shape4(0, 0, batch, 0), extent=extent)


def _step(scope: Scope, name: str, feature: View, states: _States, batch: int | None) -> _States:
    gates = [
        _gate(scope, gate, f"gate{gate}_{name}", feature, states.output)
        for gate in (INPUT_GATE, FORGET_GATE, CELL_GATE)
    ]
    cell = _cell_state(scope, name, states.cell, gates, batch)
    output_gate = _gate(scope, OUTPUT_GATE, f"gate{OUTPUT_GATE}_{name}", feature, states.output)
    return _States(_output_state(scope, name, cell, output_gate, batch), cell)


def _gate(scope: Scope, gate: int, name: str, feature: View, state: View) -> View:
    given = _product(scope, f"{name}_input", feature, INPUT_WEIGHTS + gate, BIASES + gate)
    recurrent = _product(scope, f"{name}_state", state, RECURRENT_WEIGHTS + gate, None)
    made = scope.temporary(name, _rows(given), DType.INT16, FRACTION)
    return scope.emit(
        OpKind.ADD,
        replace(given, shape=_rows(given)),
        made,
        name,
        ifm2=replace(recurrent, shape=_rows(recurrent)),
        activation=_gate_activation(gate),
    )


def _rows(view: View) -> Shape4:
    """The shape of a matrix, however a product may have arranged its rows."""
    return Shape4(1, 1, view.shape.h * view.shape.w, view.shape.c)


def _gate_activation(gate: int) -> Activation:
    if gate == CELL_GATE:
        return Activation(kind=ActivationKind.TANH, minimum=-1.0, maximum=1.0)
    return Activation(
        kind=ActivationKind.SIGMOID, minimum=_LEAST_SIGMOID, maximum=_GREATEST_SIGMOID
    )


def _product(scope: Scope, name: str, ifm: View, weights: int, bias: int | None) -> View:
    gate = _gate_weights(scope, weights, bias)
    rows = ifm.touched.elements // ifm.touched.c
    made = scope.temporary(name, (rows, gate.values.shape[0]), DType.INT16, GATE_INPUT)
    product = matrix_product(ifm, made, gate)
    emit_convolution(scope, product, name)
    return product.ofm


def _gate_weights(scope: Scope, index: int, bias: int | None) -> Weights:
    tensor, stored = scope.op.input(index), values(scope.op.input(index))
    if tensor is None or tensor.quantization is None or stored is None:
        raise InternalError(f"'{scope.op.name}' lacks the weights at input {index}")
    outputs, depth = stored.shape
    given = values(scope.op.input(bias))
    is_wide = scope.dtype(scope.ifm) is DType.INT16
    zeros = np.zeros(outputs, np.int64 if is_wide else np.int32)
    return Weights(
        values=ConstData.of(stored.reshape(outputs, 1, 1, depth)),
        scales=tensor.quantization.scales,
        zero_points=tensor.quantization.zero_points or (0,),
        bias=ConstData.of(zeros if given is None else given),
    )


def _cell_state(scope: Scope, name: str, state: View, gates: list[View], batch: int | None) -> View:
    input_gate, forget_gate, cell_gate = gates
    quant = state.quant
    scale = _scale(quant)
    kept = _scaled_product(
        scope, f"kept{name}", (state, forget_gate), quant, (scale, FRACTION.scale or 1.0, scale)
    )
    fraction = FRACTION.scale or 1.0
    added = _scaled_product(
        scope, f"added{name}", (cell_gate, input_gate), quant, (fraction, fraction, scale)
    )
    clip = scope.op.options.real("cell_clip")
    clamp = Activation(kind=ActivationKind.CLAMP, minimum=-clip, maximum=clip) if clip else None
    made = _new_state(scope, CELL_STATE, f"cell{name}", batch)
    scope.emit(
        OpKind.ADD,
        kept,
        made,
        f"cell{name}",
        ifm2=added,
        activation=clamp,
        scaling=ExplicitScaling(multiplier=1, shift=0),
    )
    return _row(_whole(made), batch)


def _scaled_product(
    scope: Scope,
    name: str,
    inputs: tuple[View, View],
    quant: Quant | None,
    scales: tuple[float, float, float],
) -> View:
    first, second = inputs
    made = scope.temporary(name, first.touched, DType.INT16, quant)
    return scope.emit(OpKind.MUL, first, made, name, ifm2=second, scaling=_product_scaling(*scales))


def _output_state(scope: Scope, name: str, cell: View, gate: View, batch: int | None) -> View:
    squashed = scope.temporary(f"tanh{name}", cell.touched, DType.INT16, FRACTION)
    tanh = Activation(kind=ActivationKind.TANH, minimum=-1.0, maximum=1.0)
    scope.emit(OpKind.AVERAGE_POOL, cell, squashed, f"tanh{name}", activation=tanh)
    hidden = scope.op.intermediates[HIDDEN]
    fraction = FRACTION.scale or 1.0
    made = _new_state(scope, OUTPUT_STATE, f"state{name}", batch)
    scope.emit(
        OpKind.MUL,
        squashed,
        made,
        f"state{name}",
        ifm2=gate,
        scaling=_product_scaling(fraction, fraction, _scale(quant_of(hidden))),
    )
    return _row(_whole(made), batch)


def _new_state(scope: Scope, index: int, name: str, batch: int | None) -> View:
    """A feature map in the bytes of a state; of several batches, one row is written."""
    state = scope.input(index)
    dtype = scope.dtype(state)
    tensor = scope.op.input(index)
    shape = (1, 1) if tensor is None else tensor.shape
    fm = scope.draft.new_fm(f"{scope.op.name}_{name}", shape, dtype, state.quant, storage=state.fm)
    scope.draft.must_be_linear(fm, _WHY_LINEAR)
    return _row(scope.draft.view(fm), batch)


def _whole(view: View) -> View:
    return replace(view, offset=None, extent=None)


def _product_scaling(first: float, second: float, result: float) -> ExplicitScaling:
    factor = elementwise_mul_scale(first, second, result)
    return ExplicitScaling(multiplier=factor.multiplier, shift=factor.shift)


def _scale(quant: Quant | None) -> float:
    return 1.0 if quant is None or quant.scale is None else quant.scale
