"""What the proof of a compiled model says: output by output, and what the simulator objects to."""

from __future__ import annotations

from core.base.frozen import Frozen, replace
from core.ir.operator_error import Fault, OperatorError
from core.pipeline.proof.known_differences import KnownDifference
from core.report.words import counted

_MOST_FAULTS = 8
"""That are told one by one."""


class OutputVerdict(Frozen):
    """One output of the compiled model beside the original's, for the input where it is worst."""

    name: str
    role: str = "output"
    """What it is to its reader: an output, or what a custom operator is given."""
    elements: int
    inputs: int
    """How many were tried."""
    is_computed: bool = True
    """The simulation came to its end."""
    differing: int = 0
    largest: float = 0.0
    """Difference of an element, in steps of its quantisation where it has such."""
    known: tuple[KnownDifference, ...] = ()
    """What is known of operators on the way to it, if exactly that is the whole difference."""
    where: str = ""
    """The first operator that differs, as far as it can be told."""

    @property
    def is_equal(self) -> bool:
        """Whether each element is what the original computes."""
        return self.is_computed and self.differing == 0

    @property
    def holds(self) -> bool:
        """Whether it is equal, or exactly what the hardware is known to make of it."""
        return self.is_computed and (self.differing == 0 or bool(self.known))

    @property
    def sentence(self) -> str:
        """All of it in one line."""
        head = f"{self.role} '{self.name}': "
        if not self.is_computed:
            return f"{head}could not be computed"
        if self.is_equal:
            each = "1 input" if self.inputs == 1 else f"each of {self.inputs} inputs"
            return f"{head}equal, {self.elements} elements for {each}"
        worst = f" for the worst of {self.inputs} inputs" if self.inputs > 1 else ""
        told = (
            f"{self.differing} of {self.elements} elements differ, by up to {self.largest:g}{worst}"
        )
        if not self.holds:
            return f"{head}{told}; {self.where}" if self.where else f"{head}{told}"
        reasons = "; ".join(str(item) for item in self.known)
        return f"{head}holds: {told}, exactly as the hardware computes it ({reasons})"


class Verification(Frozen):
    """Whether a compiled model computes what its original computes."""

    outputs: tuple[OutputVerdict, ...]
    faults: tuple[str, ...]
    """What no compiled model should have: in its interface, and what the simulator found."""
    notes: tuple[str, ...] = ()
    """What the proof does not cover."""
    operators: tuple[OperatorError, ...] = ()
    """Of inputs that a user has given."""
    device: tuple[str, ...] = ()
    """How a device's outputs differ, where these were given."""
    fault: Fault | None = None
    """Of inputs that a user has given: who is to blame."""

    def beside(self, other: Verification, title: str) -> Verification:
        """This one, and what is found of another subgraph."""
        faults = (f"{title}: {fault}" for fault in other.faults)
        return replace(
            self,
            outputs=(*self.outputs, *other.outputs),
            faults=(*self.faults, *faults),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
        )

    @property
    def holds(self) -> bool:
        """Whether the compiled model can be handed over."""
        return not self.faults and all(output.holds for output in self.outputs)

    def sentences(self) -> tuple[str, ...]:
        """One line for each output and each finding, and one for all."""
        left = len(self.faults) - _MOST_FAULTS
        more = (f"finding: {left} more",) if left > 0 else ()
        return (
            *(output.sentence for output in self.outputs),
            *(f"finding: {fault}" for fault in self.faults[:_MOST_FAULTS]),
            *more,
            *self.notes,
            *self.device,
            self._summary,
        )

    @property
    def _summary(self) -> str:
        head = "holds" if self.holds else "does not hold"
        counts = counted(len(self.outputs), "output"), counted(len(self.faults), "finding")
        return f"{head}: {', '.join(counts)}"
