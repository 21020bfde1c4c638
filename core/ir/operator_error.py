"""How far a compiled model's operators are from references, on inputs that a user has given."""

from __future__ import annotations

import enum

from core.base.frozen import Frozen
from core.base.ids import NpuOpId


class ErrorFigures(Frozen):
    """Differences of elements, in steps of their quantisation."""

    elements: int
    differing: int
    """That are off; from real numbers, by more than one step."""
    largest: float
    mean: float
    """Of all elements."""

    def and_of(self, other: ErrorFigures) -> ErrorFigures:
        """Those of both."""
        elements = self.elements + other.elements
        total = self.mean * self.elements + other.mean * other.elements
        return ErrorFigures(
            elements=elements,
            differing=self.differing + other.differing,
            largest=max(self.largest, other.largest),
            mean=total / elements if elements else 0.0,
        )


class Span(Frozen):
    """From when to when an operator runs, in cycles from the start of an inference."""

    begin_cycles: int
    end_cycles: int


class OperatorError(Frozen):
    """An operator of the original, over all inputs."""

    number: int
    """In the original's file."""
    kind: str
    name: str
    is_on_cpu: bool
    integer: ErrorFigures | None
    """What the compiled model has, from what integer kernels make of the same inputs of the
    operator; None where it cannot be seen, because operators were fused."""
    alone: ErrorFigures | None
    """What integer kernels make, from what real numbers would give of the same inputs of the
    operator; None where it cannot be computed so."""
    real: ErrorFigures | None
    """The same, from a network that computes with real numbers from the first operator on."""
    span: Span | None = None
    """None on the CPU, and where its output cannot be seen."""
    npu_ops: tuple[NpuOpId, ...] = ()
    """Operators of the compiled model that make its output, as they are numbered where the model is
    read back."""


class Fault(enum.Enum):
    """Whose fault it is that results are not what they should be."""

    COMPILER = "compiler"
    """An operator of a stream is not what the integer kernels make of its inputs."""
    RUNTIME = "runtime"
    """The compiled model is right, and what was given as a device's outputs is not."""
    QUANTISER = "quantiser"
    """The compiled model is right, and the original is far from real numbers itself."""
    NOBODY = "nobody"
