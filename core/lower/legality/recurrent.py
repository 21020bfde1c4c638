"""Rules for UNIDIRECTIONAL_SEQUENCE_LSTM, by the places that its inputs have in the file format."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from core.base.dtype import DType
from core.ir.network import Tensor
from core.lower.legality.common import (
    SAME_TYPE,
    has_rank,
    ifm_of,
    input_type,
    scaling_of,
    scaling_text,
    takes_inputs,
)
from core.lower.legality.factors import Scaled, fits, reach_of, scale_of
from core.lower.legality.rule import Rule, shapes_of, types_of
from core.lower.source import SourceOp, values

INPUT_COUNT = 24
INTERMEDIATE_COUNT = 5
GATES = ("input", "forget", "cell", "output")
INPUT_WEIGHTS = range(1, 5)
RECURRENT_WEIGHTS = range(5, 9)
PEEPHOLES = range(9, 12)
BIASES = range(12, 16)
PROJECTION = range(16, 18)
STATES = range(18, 20)
NORMALISATION = range(20, 24)
_INPUT_GATE = (1, 5)
_SUM_STEP = 1 / (1 << 12)
"""Of the reference's sums of gates."""
_STATE_SCALING = 4
"""Place of the hidden state's scale among the intermediate tensors."""


def _tensors(op: SourceOp, places: Iterable[int]) -> tuple[Tensor | None, ...]:
    return tuple(op.input(place) for place in places)


def _given(op: SourceOp, places: Iterable[int]) -> tuple[Tensor, ...]:
    return tuple(tensor for tensor in _tensors(op, places) if tensor is not None)


def _other_intermediates(op: SourceOp) -> str | None:
    count = len(op.intermediates)
    return None if count == INTERMEDIATE_COUNT else f"{count} intermediate tensors"


_HAS_INTERMEDIATES = Rule(
    text="The file gives the scales inside the cell",
    accepted=f"{INTERMEDIATE_COUNT} intermediate tensors",
    check=_other_intermediates,
)


def _lost_states(op: SourceOp) -> str | None:
    for place in STATES:
        state = op.input(place)
        if state is None:
            return f"input {place} is left out"
        if not state.is_variable:
            return f"'{state.name}' is not a variable"
    return None


_KEEPS_STATES = Rule(
    text="States outlive a run", accepted="variables for both states", check=_lost_states
)


def _shared_gate(op: SourceOp) -> str | None:
    own = _tensors(op, _INPUT_GATE)
    others = [op.input(p) for p in (*INPUT_WEIGHTS, *RECURRENT_WEIGHTS) if p not in _INPUT_GATE]
    is_shared = own == (None, None) and None not in others
    return "no weights for the input gate" if is_shared else None


_HAS_OWN_INPUT_GATE = Rule(
    text="The input gate is not derived from the forget gate",
    accepted="weights for all four gates",
    check=_shared_gate,
)


def _without(what: str, places: range) -> Rule:
    def check(op: SourceOp) -> str | None:
        given = _given(op, places)
        return f"'{given[0].name}'" if given else None

    inputs = f"inputs {places[0]} to {places[-1]} left out"
    return Rule(text=f"The cell has no {what}", accepted=inputs, check=check)


def _missing(what: str, places: Iterable[int]) -> Rule:
    wanted = tuple(places)

    def check(op: SourceOp) -> str | None:
        missing = [place for place in wanted if op.input(place) is None]
        return f"input {missing[0]} is left out" if missing else None

    return Rule(text=f"Every gate has its {what}", accepted=f"{what} for four gates", check=check)


def _not_a_matrix(op: SourceOp) -> str | None:
    flat = [t for t in _given(op, (*INPUT_WEIGHTS, *RECURRENT_WEIGHTS)) if len(t.shape) != 2]
    return shapes_of(flat) or None


_WEIGHTS_ARE_MATRICES = Rule(
    text="The weights of each gate are a matrix", accepted="2 dimensions", check=_not_a_matrix
)


def _misfitting_shapes(op: SourceOp) -> str | None:
    given, made = ifm_of(op).shape, op.ofm.shape
    cells, features = made[2], given[2]
    batches = given[1] if op.options.flag("time_major") else given[0]
    expected = {
        **dict.fromkeys(INPUT_WEIGHTS, (cells, features)),
        **dict.fromkeys(RECURRENT_WEIGHTS, (cells, cells)),
        **dict.fromkeys(BIASES, (cells,)),
        **dict.fromkeys(STATES, (batches, cells)),
    }
    wrong = [
        t for p, shape in expected.items() if (t := op.input(p)) is not None and t.shape != shape
    ]
    return shapes_of(wrong if given[:2] == made[:2] else (ifm_of(op), op.ofm, *wrong)) or None


_SHAPES_FIT = Rule(
    text="Weights, biases and states fit input and output",
    accepted="as many rows as the output has channels, as many columns as what they multiply",
    check=_misfitting_shapes,
)


def _computed_parameters(op: SourceOp) -> str | None:
    for tensor in _given(op, (*INPUT_WEIGHTS, *RECURRENT_WEIGHTS, *BIASES)):
        array = values(tensor)
        if array is None or array.shape != tensor.shape:
            return f"'{tensor.name}' is computed at run time"
    return None


_PARAMETERS_ARE_KNOWN = Rule(
    text="Weights and biases are known beforehand",
    accepted="constants",
    check=_computed_parameters,
)


def _other_parameter_types(op: SourceOp) -> str | None:
    weights = _given(op, (*INPUT_WEIGHTS, *RECURRENT_WEIGHTS))
    wrong = [t for t in weights if t.dtype is not DType.INT8]
    wrong += [t for t in _given(op, BIASES) if t.dtype is not op.sum_type]
    return types_of(wrong) or None


_PARAMETERS_HAVE_TYPES = Rule(
    text="Weights have 8 bits, biases the type that interpreters read",
    accepted="int8 weights; int32 biases for an int8 input, int64 for int16",
    check=_other_parameter_types,
)


def _other_state_types(op: SourceOp) -> str | None:
    hidden, cell = op.input(STATES[0]), op.input(STATES[1])
    fits = hidden is not None and hidden.dtype is ifm_of(op).dtype
    if fits and cell is not None and cell.dtype is DType.INT16:
        return None
    return types_of((hidden, cell))


_STATES_HAVE_TYPES = Rule(
    text="The cell's state has 16 bits, the hidden state those of the input",
    accepted="int16, and the input's type",
    check=_other_state_types,
)


def _unscaled(op: SourceOp) -> str | None:
    places = (*INPUT_WEIGHTS, *RECURRENT_WEIGHTS, *STATES)
    hidden = op.intermediates[_STATE_SCALING]
    plain = [t.name for t in _given(op, places) if not _has_one_scale(t)]
    if plain or hidden is None or not _has_one_scale(hidden):
        return f"'{plain[0] if plain else op.name}' has no scale inside"
    return None


def _has_one_scale(tensor: Tensor) -> bool:
    scaling = scaling_of(tensor)
    return scaling is not None and len(scaling[0]) == 1 and 0 < scaling[0][0] < math.inf


_EVERYTHING_IS_SCALED = Rule(
    text="Weights, states and what lies between are quantised",
    accepted="one scale above 0 for each",
    check=_unscaled,
)


def _off_centre(op: SourceOp) -> str | None:
    weights = _given(op, (*INPUT_WEIGHTS, *RECURRENT_WEIGHTS))
    off = [t for t in weights if any((scaling_of(t) or ((), ()))[1])]
    return scaling_text(off[0]) if off else None


_WEIGHTS_ARE_SYMMETRIC = Rule(
    text="Weights of gates are symmetric", accepted="zero points of 0", check=_off_centre
)


def _gate_sums(op: SourceOp) -> Scaled:
    """What each gate makes of the input, with its bias, and of the hidden state."""
    ifm, hidden = ifm_of(op), op.input(STATES[0])
    for number in range(len(GATES)):
        bias = values(op.input(BIASES[number]))
        for weights, source, start in (
            (op.input(INPUT_WEIGHTS[number]), ifm, bias),
            (op.input(RECURRENT_WEIGHTS[number]), hidden, None),
        ):
            array = values(weights)
            if array is not None and source is not None:
                sums = np.abs(array.astype(np.int64)).sum(axis=1) * reach_of(source)
                sums += 0 if start is None else np.abs(start.astype(np.int64))
                factor = scale_of(source) * scale_of(weights) / _SUM_STEP
                yield int(sums.max(initial=0)), factor


INPUTS = {"UNIDIRECTIONAL_SEQUENCE_LSTM": takes_inputs(INPUT_COUNT, optional=range(1, INPUT_COUNT))}
SPECIFIC: dict[str, tuple[Rule, ...]] = {
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (
        input_type(DType.INT8, DType.INT16),
        SAME_TYPE,
        has_rank(3),
        _HAS_INTERMEDIATES,
        _KEEPS_STATES,
        _HAS_OWN_INPUT_GATE,
        _without("peephole", PEEPHOLES),
        _without("projection", PROJECTION),
        _without("normalisation", NORMALISATION),
        _missing("weights", (*INPUT_WEIGHTS, *RECURRENT_WEIGHTS)),
        _missing("biases", BIASES),
        _WEIGHTS_ARE_MATRICES,
        _SHAPES_FIT,
        _PARAMETERS_ARE_KNOWN,
        _PARAMETERS_HAVE_TYPES,
        _STATES_HAVE_TYPES,
        _EVERYTHING_IS_SCALED,
        _WEIGHTS_ARE_SYMMETRIC,
        fits(_gate_sums),
    ),
}
