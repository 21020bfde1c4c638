"""UNIDIRECTIONAL_SEQUENCE_LSTM, unrolled: one step after the other, and one batch after the other.

    x[t], h, c -> step -> h', c'      becomes, for each of the four gates g,

    x[t] -> FULLY_CONNECTED -> a,  h -> FULLY_CONNECTED -> b,  sigmoid or tanh of a + b -> g

    and then                          c * forget + input * cell -> c'
                                      tanh(c') * output -> h',  h' -> copy -> y[t]

Sums of all gates have one scale, and weights have scales of their own for each channel: where
operators may be fewer, one product makes the sums of all gates, that of the input for several steps
at once, and one sum and curve the three gates that are sigmoids. Where memory is saved, each gate
is opened when it is asked for, so that least is live.

The states h and c outlive an inference. Each new value is a feature map of its own for its readers,
and has the bytes of the network's variable; where operators may be fewer and memory is not saved,
only the last one has.
Where time is the first axis, a step does all batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.frozen import Changing, Frozen, field, replace
from core.base.geometry import Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import Activation, ActivationKind, LinearReason, OpKind, Quant, View, Weights
from core.lower.draft import quant_of
from core.lower.rewrites.convolution import zero_bias
from core.lower.rewrites.copying import along, copy_into
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
GATES = (INPUT, FORGET, CELL, OUTPUT)
"""The four gates in the order of the operator's inputs."""
CURVES = {INPUT: SIGMOID, FORGET: SIGMOID, OUTPUT: SIGMOID, CELL: TANH}
"""Those of one curve are beside each other."""


class _Curve(Frozen, kw_only=False):
    """Gates beside each other that are one curve of their sums."""

    gates: tuple[str, ...]
    activation: Activation
    first: int
    """Of their channels among those of the products."""


class _Products(Frozen, kw_only=False):
    """What every step does for some of the gates."""

    curves: tuple[_Curve, ...]
    of_input: Weights
    of_state: Weights

    @property
    def label(self) -> str:
        """What it makes, for names."""
        return "gates" if len(self.curves) > 1 else self.curves[0].gates[0]

    @property
    def gates(self) -> frozenset[str]:
        """Which gates it opens."""
        return frozenset(gate for curve in self.curves for gate in curve.gates)


class _Moment(Frozen, kw_only=False):
    """One step of one batch, or of all batches together."""

    time: int
    batch: int
    rows: int
    """Batches that are computed at once."""
    place: Shape4
    """Where the step is in the input and in the output."""
    is_last: bool
    """What it leaves is kept for the next inference."""

    @property
    def label(self) -> str:
        """A suffix for names."""
        return f"#{self.batch}.{self.time}"


class _States(Frozen, kw_only=False):
    """What one step leaves for the next."""

    output: View
    cell: View


class _Gates(Changing):
    """The gates of one step, which are opened as they are asked for."""

    scope: Scope
    moment: _Moment
    products: Sequence[_Products]
    features: View
    from_input: Mapping[str, View]
    """What the input comes to, where that is made already, by what products make."""
    state: View
    opened: dict[str, View] = field(default_factory=dict)

    def __getitem__(self, gate: str) -> View:
        if gate not in self.opened:
            makers = (each for each in self.products if gate in each.gates)
            self.opened.update(_emit_gates(self, next(makers)))
        return self.opened[gate]


def lower(scope: Scope) -> None:
    """Lower UNIDIRECTIONAL_SEQUENCE_LSTM."""
    products, at_once = _products(scope), _moments_at_once(scope)
    for moments in _sequences(scope):
        states = _initial(scope, moments[0])
        for start in range(0, len(moments), at_once):
            some = moments[start : start + at_once]
            features, sums = _features(scope, some), {}
            if not _is_in_turn(scope):
                sums = {each.label: _input_sums(scope, some, features, each) for each in products}
            for number, moment in enumerate(some):
                own = {label: views[number] for label, views in sums.items()}
                gates = _Gates(scope, moment, products, features, own, states.output)
                states = _emit_step(gates, states)
                # The output is the state as it is stored, whatever its own scale says.
                made = replace(states.output, quant=scope.ofm.quant)
                copy_into(scope, made, scope.ofm, moment.place, f"out{moment.label}")


def _is_in_turn(scope: Scope) -> bool:
    """Whether one gate is opened after the other."""
    return scope.freedoms.fewer_operators and scope.saves_memory


def _moments_at_once(scope: Scope) -> int:
    """Moments of which the input is multiplied at once, so that weights are read once for them;
    what is made of these takes no more bytes than a sequence of the input."""
    if not scope.freedoms.fewer_operators or _is_in_turn(scope):
        return 1
    _, first, second, features = scope.ifm.shape
    steps = first if _is_by_time(scope) else second
    taken = steps * features * scope.dtype(scope.ifm).size_bytes
    made = len(GATES) * scope.input(CELL_STATE).shape.c * DType.INT16.size_bytes
    return max(taken // made, 1)


def _products(scope: Scope) -> list[_Products]:
    """One for all gates, or else one for each of them."""
    if not scope.freedoms.fewer_operators or _is_in_turn(scope):
        return [_product(scope, _Curve((gate,), CURVES[gate], 0)) for gate in GATES]
    cells = scope.input(CELL_STATE).shape.c
    sigmoids = tuple(gate for gate, curve in CURVES.items() if curve is SIGMOID)
    of_cell = _Curve((CELL,), TANH, cells * len(sigmoids))
    return [_product(scope, _Curve(sigmoids, SIGMOID, 0), of_cell)]


def _product(scope: Scope, *curves: _Curve) -> _Products:
    gates = [GATES.index(gate) for curve in curves for gate in curve.gates]
    no_bias, biases = [None] * len(gates), [FIRST_BIAS + gate for gate in gates]
    return _Products(
        curves=curves,
        of_input=_weights(scope, [FIRST_INPUT_WEIGHTS + gate for gate in gates], biases),
        of_state=_weights(scope, [FIRST_RECURRENT_WEIGHTS + gate for gate in gates], no_bias),
    )


def _sequences(scope: Scope) -> Iterator[list[_Moment]]:
    """Moments that follow one another; sequences do not depend on each other."""
    _, first, second, _ = scope.ifm.shape
    if _is_by_time(scope):
        yield [_Moment(t, 0, second, Shape4(0, t, 0, 0), t == first - 1) for t in range(first)]
        return
    for batch in range(first):
        yield [_Moment(t, batch, 1, Shape4(0, batch, t, 0), t == second - 1) for t in range(second)]


def _is_by_time(scope: Scope) -> bool:
    return scope.op.options.flag("time_major")


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


def _features(scope: Scope, moments: Sequence[_Moment]) -> View:
    """What some moments, which follow each other, have of the input."""
    first, ifm = moments[0], scope.ifm
    steps, rows = (len(moments), first.rows) if _is_by_time(scope) else (1, len(moments))
    extent = ifm.shape.with_hw(steps, rows)
    part = scope.temporary(f"x{first.label}", extent, scope.dtype(ifm), ifm.quant)
    return scope.emit_slice(replace(ifm, offset=first.place, extent=extent), part)


def _input_sums(
    scope: Scope, moments: Sequence[_Moment], features: View, product: _Products
) -> list[View]:
    """What the input comes to in each moment."""
    first = moments[0]
    sums = _emit_product(scope, features, product.of_input, f"{product.label}{first.label}_x")
    if len(moments) == 1:
        return [sums]
    axis = 1 if _is_by_time(scope) else 2
    extent = sums.shape.with_hw(1, first.rows)
    return [
        replace(sums, offset=along(axis, number), extent=extent) for number in range(len(moments))
    ]


def _emit_step(gates: _Gates, states: _States) -> _States:
    scope, moment = gates.scope, gates.moment
    if not _is_in_turn(scope):
        for gate in GATES:
            gates[gate]
    cell = _emit_cell(scope, moment, states.cell, gates)
    return _States(output=_emit_output(scope, moment, cell, gates), cell=cell)


def _emit_gates(gates: _Gates, product: _Products) -> Iterator[tuple[str, View]]:
    scope, moment = gates.scope, gates.moment
    from_input = gates.from_input.get(product.label)
    if from_input is None:
        [from_input] = _input_sums(scope, [moment], gates.features, product)
    name = f"{product.label}{moment.label}_h"
    from_state = _emit_product(scope, gates.state, product.of_state, name)
    cells = scope.input(CELL_STATE).shape.c
    for curve in product.curves:
        name = f"{'_'.join(curve.gates)}{moment.label}"
        depth = cells * len(curve.gates)
        made = scope.temporary(name, from_state.shape.with_depth(depth), DType.INT16, GATE)
        scope.emit(
            OpKind.ADD,
            _channels(from_input, curve.first, depth),
            made,
            name,
            ifm2=_channels(from_state, curve.first, depth),
            activation=curve.activation,
        )
        for place, gate in enumerate(curve.gates):
            yield gate, _channels(made, cells * place, cells)


def _channels(view: View, first: int, depth: int) -> View:
    """Some channels of what a view touches."""
    if depth == view.shape.c:
        return view
    offset = view.start.plus(along(3, first))
    return replace(view, offset=offset, extent=view.touched.with_depth(depth))


def _weights(scope: Scope, indices: Sequence[int], biases: Sequence[int | None]) -> Weights:
    """Those of several gates, one after the other, each with the scale of its tensor."""
    arrays, scales, starts = [], [], []
    for index, bias in zip(indices, biases, strict=True):
        tensor, array = scope.op.input(index), values(scope.op.input(index))
        if tensor is None or tensor.quantization is None or array is None:
            raise InternalError(f"'{scope.op.name}' has no quantised weights at input {index}")
        outputs, depth = array.shape
        start = None if bias is None else values(scope.op.input(bias))
        arrays.append(array.reshape(outputs, 1, 1, depth))
        scales += tensor.quantization.scales * outputs
        starts.append(zero_bias(scope, outputs).array if start is None else start)
    return Weights(
        values=ConstData.of(np.concatenate(arrays)),
        scales=tuple(scales),
        zero_points=(0,),
        bias=ConstData.of(np.concatenate(starts)),
    )


def _emit_product(scope: Scope, ifm: View, weights: Weights, name: str) -> View:
    made = ifm.touched.with_depth(weights.values.shape[0])
    ofm = scope.temporary(name, made, DType.INT16, GATE_SUM)
    if made.h > 1:
        return scope.emit(OpKind.CONV_2D, ifm, ofm, name, weights=weights)
    product = matrix_product(ifm, ofm, weights)
    scope.emit(product.kind, product.ifm, product.ofm, name, weights=weights)
    return ofm


def _emit_cell(scope: Scope, moment: _Moment, state: View, gates: _Gates) -> View:
    forget, label = gates[FORGET], moment.label
    scale, unit = scaling_of(state).scale, scaling_of(forget).scale
    shape = forget.touched
    kept = scope.temporary(f"kept{label}", shape, DType.INT16, state.quant)
    keeps = product_factor(scale, unit, scale)
    scope.emit(OpKind.MUL, state, kept, f"kept{label}", ifm2=forget, scaling=keeps)
    added = scope.temporary(f"added{label}", shape, DType.INT16, state.quant)
    adds = product_factor(unit, unit, scale)
    scope.emit(OpKind.MUL, gates[CELL], added, f"added{label}", ifm2=gates[INPUT], scaling=adds)
    clip = scope.op.options.real("cell_clip")
    clamp = Activation(kind=ActivationKind.CLAMP, minimum=-clip, maximum=clip) if clip else None
    name, ofm = f"cell_state{label}", _new_state(scope, moment, CELL_STATE)
    return scope.emit(OpKind.ADD, kept, ofm, name, ifm2=added, activation=clamp, scaling=NO_SCALING)


def _emit_output(scope: Scope, moment: _Moment, cell: View, gates: _Gates) -> View:
    squashed = scope.temporary(f"tanh{moment.label}", cell.touched, DType.INT16, GATE)
    scope.emit(OpKind.AVERAGE_POOL, cell, squashed, f"tanh{moment.label}", activation=TANH)
    gate = gates[OUTPUT]
    hidden = quant_of(scope.op.intermediates[HIDDEN])
    if hidden is None or hidden.scale is None:
        raise InternalError(f"'{scope.op.name}' has no scale for its hidden state")
    unit = scaling_of(gate).scale
    scaling = product_factor(unit, unit, hidden.scale)
    name, ofm = f"output_state{moment.label}", _new_state(scope, moment, OUTPUT_STATE)
    # What makes a second input runs first: the output gate is not opened before the cell is done.
    first, second = (gate, squashed) if _is_in_turn(scope) else (squashed, gate)
    return scope.emit(OpKind.MUL, first, ofm, name, ifm2=second, scaling=scaling)


def _new_state(scope: Scope, moment: _Moment, index: int) -> View:
    """A value of a state, which the last one leaves where the network keeps it."""
    whole, name = scope.input(index), f"state{index}{moment.label}"
    if scope.freedoms.fewer_operators and not (moment.is_last or _is_in_turn(scope)):
        shape = whole.shape.with_hw(1, moment.rows)
        return scope.temporary(name, shape, scope.dtype(whole), whole.quant)
    fm = scope.draft.new_fm(
        f"{scope.op.name}_{name}",
        scope.draft.feature_maps[whole.fm].shape,
        scope.dtype(whole),
        whole.quant,
        storage=whole.fm,
    )
    scope.draft.must_be_linear(fm, LinearReason.VARIABLE)
    return _rows_of(replace(whole, fm=fm), moment)
