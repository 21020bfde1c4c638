"""The error of each operator on a user's own inputs, and whose fault it is.

The compiled model is held against integer kernels on what it has itself for an operator's inputs;
these kernels against real numbers, operator by operator on the same inputs, and from the first
operator on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from core.base.frozen import Changing, field, later
from core.base.ids import TensorId
from core.ir.network import Network
from core.ir.operator_error import ErrorFigures, Fault, OperatorError
from core.pipeline.proof.layer_outputs import Difference, Shown
from core.pipeline.proof.litert import Array, Values
from core.pipeline.proof.real_network import RealNetwork, is_scaled, real_operator, real_values
from core.pipeline.proof.spans import places_of
from core.pipeline.proof.trial import Trial, Watched

_Key = TypeVar("_Key", int, TensorId)
FAR_STEPS = 8.0
"""On average, from where on outputs are far from what real numbers give."""


def operator_errors(trial: Trial) -> tuple[OperatorError, ...]:
    """Every operator that has outputs, in order of execution."""
    network = trial.original
    survey = _Survey(network)
    for watched in trial.watched():
        survey.take(watched)
    ops, tensors = network.main.operators, network.main.tensors
    places = places_of(trial.model.program, survey.shown)
    return tuple(
        OperatorError(
            number=trial.numbers[at],
            kind=op.title,
            name=tensors[op.outputs[0]].name,
            is_on_cpu=trial.is_on_cpu(op),
            integer=survey.integer.get(at),
            alone=survey.alone.get(at),
            real=survey.real.get(at),
            span=places[at].span if at in places else None,
            npu_ops=places[at].npu_ops if at in places else (),
        )
        for at, op in enumerate(ops)
        if op.outputs
    )


def fault_of(
    errors: Iterable[OperatorError],
    outputs: Sequence[TensorId],
    network: Network,
    *,
    holds: bool,
    is_device_right: bool,
) -> Fault:
    """Whose fault it is, where anything is not as it should be."""
    if not holds:
        return Fault.COMPILER
    if not is_device_right:
        return Fault.RUNTIME
    names = {network.main.tensors[at].name for at in outputs}
    shown = (each.real for each in errors if each.name in names)
    is_far = any(each is not None and each.mean > FAR_STEPS for each in shown)
    return Fault.QUANTISER if is_far else Fault.NOBODY


def unlike_device(
    network: Network, made: Iterable[Values], device: Iterable[Mapping[TensorId, Array]]
) -> tuple[str, ...]:
    """What was given as a device's outputs, beside what the compiled model makes."""
    found: dict[TensorId, ErrorFigures] = {}
    for own, theirs in zip(made, device, strict=True):
        for at, values in theirs.items():
            if at in own:
                _add(found, at, Difference.between(own[at], values))
    return tuple(
        f"output '{network.main.tensors[at].name}' as it was given: {figures.differing} of"
        f" {figures.elements} elements differ from what the compiled model makes, by up to"
        f" {figures.largest:g}"
        for at, figures in found.items()
        if figures.differing
    )


def _add(found: dict[_Key, ErrorFigures], key: _Key, difference: Difference) -> None:
    figures = ErrorFigures(
        elements=difference.elements,
        differing=difference.differing,
        largest=difference.largest,
        mean=difference.mean,
    )
    found[key] = found[key].and_of(figures) if key in found else figures


class _Survey(Changing):
    """What all inferences have shown so far."""

    network: Network
    integer: dict[int, ErrorFigures] = field(default_factory=dict)
    alone: dict[int, ErrorFigures] = field(default_factory=dict)
    real: dict[int, ErrorFigures] = field(default_factory=dict)
    shown: dict[int, Shown] = field(default_factory=dict)
    """Where in the compiled model each operator's output is."""
    _whole: RealNetwork | None = later()
    _single: dict[int, RealNetwork] = later()

    def __post_init__(self) -> None:
        ops = self.network.main.operators
        each = {at: real_operator(self.network, op) for at, op in enumerate(ops)}
        self._single = {at: real for at, real in each.items() if real is not None}
        self._whole = RealNetwork.of(self.network)

    def take(self, watched: Watched) -> None:
        """One inference more."""
        self.shown = dict(watched.findings.found) | self.shown
        for at, difference in watched.findings.differences.items():
            _add(self.integer, at, difference)
        stored = watched.reference
        whole = {} if self._whole is None else self._whole.run(stored)
        for at, op in enumerate(self.network.main.operators):
            out = op.outputs[0] if op.outputs else None
            if out is None or out not in stored:
                continue
            single = self._single.get(at)
            alone = {} if single is None else single.run(stored)
            for found, real in ((self.alone, alone.get(out)), (self.real, whole.get(out))):
                off = None if real is None else self._from_real(out, stored[out], real)
                if off is not None:
                    _add(found, at, off)

    def _from_real(self, out: TensorId, stored: Array, real: Array) -> Difference | None:
        """In steps of the output's quantisation; None where it has none."""
        tensor = self.network.main.tensors[out]
        scaling = tensor.quantization
        if stored.size != real.size or scaling is None or not is_scaled(tensor):
            return None
        own = real_values(tensor, stored).astype(np.float64)
        gaps = np.abs(own.reshape(-1) - real.reshape(-1)) / max(scaling.scales)
        if not np.isfinite(gaps).all():
            return None
        largest, mean = (float(gaps.max()), float(gaps.mean())) if gaps.size else (0.0, 0.0)
        return Difference(gaps.size, int((gaps > 1).sum()), largest, mean)
