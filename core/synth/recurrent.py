"""The long short-term memory layer in integers: 8-bit activations, a 16-bit cell state."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.frozen import Frozen
from core.ir.network import Quantization
from core.synth.activations import fused
from core.synth.draws import Array, Integers
from core.synth.graph import Constant, Graph, Lookup, Result, Scratch, Value, table
from core.synth.ranges import coarse, exact, single

_GATES = ("input", "forget", "cell", "output")
_CELL = exact(2.0**-12, 0)
"""A cell state of 16 bits reaches from -8 to 8; the format asks for a power of two."""


class _Gate(Frozen):
    """Integer weights of a gate for the input and for the state, their scales, and biases."""

    label: str
    from_input: Integers
    from_state: Integers
    input_scale: float
    state_scale: float
    biases: Array

    def of(self, given: Array, state: Array) -> Array:
        """What goes into the gate's activation."""
        reached = given @ self.from_input.T * self.input_scale
        remembered = state @ self.from_state.T * self.state_scale
        return np.asarray(reached + remembered + self.biases, np.float64)


class Recurrent(Graph):
    """Builder of a recurrent layer."""

    def lstm(self, steps: Value, units: int) -> Value:
        """UNIDIRECTIONAL_SEQUENCE_LSTM over (batch, time, features)."""
        if self.dtype_of(steps) is not DType.INT8:
            raise InternalError("the integer LSTM exists for 8 signed bits only")
        gates = [self._gate(label, steps, units) for label in _GATES]
        states = tuple(_unrolled(sample, gates) for sample in self.samples(steps))
        state = Quantization(scales=(single(1.0 / 127.0),), zero_points=(0,))
        batch = steps.shape[0]
        kernels = [_stored(gate, "from_input") for gate in gates]
        loops = [_stored(gate, "from_state") for gate in gates]
        biases = [_biases(gate, steps) for gate in gates]
        hidden = Scratch(
            label="hidden_state",
            dtype=DType.INT8,
            shape=(batch, units),
            quantization=state,
            is_variable=True,
        )
        cell = Scratch(
            label="cell_state",
            dtype=DType.INT16,
            shape=(batch, units),
            quantization=_CELL,
            is_variable=True,
        )
        nones = [None] * 4
        operands = [
            steps, *kernels, *loops, *nones[:3], *biases, None, None, hidden, cell, *nones,
        ]  # fmt: skip
        between = [
            Scratch(label=f"{label}_intermediate", dtype=DType.FLOAT32, shape=(0,))
            for label in _GATES
        ]
        between.append(
            Scratch(label="hidden_scale", dtype=DType.INT8, shape=(0,), quantization=state)
        )
        fields = fused("TANH") | {"cell_clip": 7.5, "proj_clip": 0.0, "time_major": False}
        options = table("UnidirectionalSequenceLSTMOptions", fields)
        result = Result(samples=states, dtype=DType.INT8, fixed=state)
        return self.emit("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, (result,), options, between)[0]

    def _gate(self, label: str, steps: Value, units: int) -> _Gate:
        depth = steps.shape[2]
        rows = np.concatenate([sample.reshape(-1, depth) for sample in self.samples(steps)])
        from_input = self.draws.clustered((units, depth), 0)
        spread = max(float((rows @ from_input.T).std()), 1e-3)
        return _Gate(
            label=label,
            from_input=from_input,
            from_state=self.draws.clustered((units, units), 0),
            input_scale=single(coarse(1.0 / spread)),
            state_scale=single(coarse(1.0 / (60.0 * units**0.5))),
            biases=np.rint(self.draws.uniform((units,), -0.5, 0.8) * 1024.0) / 1024.0,
        )


def _unrolled(sample: Array, gates: list[_Gate]) -> Array:
    """Hidden states of all steps of one sample."""
    units = gates[0].biases.shape[0]
    hidden = np.zeros((sample.shape[0], units))
    cell = np.zeros_like(hidden)
    states = []
    for at in range(sample.shape[1]):
        opened, kept, fresh, shown = (gate.of(sample[:, at], hidden) for gate in gates)
        cell = _sigmoid(kept) * cell + _sigmoid(opened) * np.tanh(fresh)
        cell = np.clip(cell, -7.5, 7.5)
        hidden = _sigmoid(shown) * np.tanh(cell)
        states.append(hidden)
    return np.stack(states, axis=1)


def _sigmoid(values: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-values)), np.float64)


def _stored(gate: _Gate, which: str) -> Constant:
    is_input = which == "from_input"
    stored = (gate.from_input if is_input else gate.from_state).astype(np.int8)
    scale = gate.input_scale if is_input else gate.state_scale
    parameters = Quantization(scales=(scale,), zero_points=(0,))
    label = f"{gate.label}_{which}"
    return Constant(label=label, dtype=DType.INT8, make=lambda _: (stored, parameters))


def _biases(gate: _Gate, source: Value) -> Constant:
    def make(lookup: Lookup) -> tuple[Integers, Quantization]:
        step = single(lookup(source).scales[0] * gate.input_scale)
        stored = np.rint(gate.biases / step).astype("<i4")
        return stored, Quantization(scales=(step,), zero_points=(0,))

    return Constant(label=f"{gate.label}_bias", dtype=DType.INT32, make=make)
