"""A proof with a user's own inputs: how far it is, and what came of it."""

from __future__ import annotations

import enum
import math
from pathlib import Path

from core.api.operator_errors import ErrorFigures, Fault, OperatorError
from core.api.proof import Verification
from core.api.schedules import Scheduled
from core.base.digest import digest
from core.base.frozen import Frozen
from core.base.memo import of_the_very


class Against(enum.Enum):
    """What operators are held against."""

    KERNELS = "compiled, from integer kernels"
    REAL = "quantised, from real numbers"
    START = "quantised, from real numbers from the start"

    def figures(self, error: OperatorError) -> ErrorFigures | None:
        """How far an operator is off; None where nobody knows."""
        match self:
            case Against.KERNELS:
                return error.integer
            case Against.REAL:
                return error.alone
            case Against.START:
                return error.real


class Proving(Frozen):
    """How far a proof is."""

    data: str
    """The file or folder with the inputs."""
    stage: str = "starting"
    done: int = 0
    total: int = 0


class Proof(Frozen):
    """What came of executing the model that a schedule is compiled to."""

    data: str
    schedule_digest: str
    """Of what was compiled."""
    found: Verification

    @property
    def name(self) -> str:
        """The file or folder with the inputs, without its place."""
        return Path(self.data).name

    @property
    def worst(self) -> Against:
        """What operators are to be held against first: whatever tells whose fault it is."""
        is_ours = self.found.fault is Fault.COMPILER
        return Against.KERNELS if is_ours else Against.REAL

    @property
    def is_finite(self) -> bool:
        """Whether JSON can hold all of its numbers."""
        figures = [error.integer for error in self.found.operators]
        figures += [each for error in self.found.operators for each in (error.alone, error.real)]
        told = [number for each in figures if each for number in (each.largest, each.mean)]
        return all(map(math.isfinite, (*told, *(each.largest for each in self.found.outputs))))

    def is_of(self, scheduled: Scheduled) -> bool:
        """Whether the same model would be compiled of a schedule."""
        return self.schedule_digest == digest_of(scheduled)


@of_the_very(2)
def digest_of(scheduled: Scheduled) -> str:
    """Of all of a schedule that its compiled model follows from."""
    return digest((scheduled.graph, scheduled.schedule, scheduled.layout))
