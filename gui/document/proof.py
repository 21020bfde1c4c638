"""A proof with a user's own inputs: how far it is, and what came of it."""

from __future__ import annotations

import enum
from pathlib import Path

from core.api.operator_errors import ErrorFigures, Fault, OperatorError
from core.api.proof import Verification
from core.api.schedules import Scheduled
from core.base.frozen import Frozen


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


class Proof(Frozen, eq=False):
    """What came of executing the model that a schedule is compiled to."""

    data: str
    scheduled: Scheduled
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

    def is_of(self, scheduled: Scheduled) -> bool:
        """Whether the same model would be compiled of a schedule."""
        own = self.scheduled
        return own is scheduled or (
            own.graph == scheduled.graph
            and own.schedule == scheduled.schedule
            and own.layout == scheduled.layout
        )
