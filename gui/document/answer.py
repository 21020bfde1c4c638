"""What the compiler answered to a document."""

from __future__ import annotations

import enum

from core.api.measurements import Measured
from core.api.schedules import Analysis, Scheduled, Spread, analyse
from core.api.together import Together
from core.base.frozen import Frozen
from core.ir.settings import Settings
from gui.document.document import Document


class Answer(Frozen, eq=False):
    """A schedule, and what was asked; two answers are the same only if they are one."""

    number: int
    """Answers count up."""
    document: Document
    """What was asked."""
    scheduled: Scheduled
    analysis: Analysis
    seconds: float
    """How long the compiler took."""
    unlimited_bytes: int = 0
    """Fast storage that would be taken if nothing limited it; 0 where that is not known."""
    measured: Measured | None = None
    """What was measured of its operators, where the user has imported that."""
    together: Together | None = None
    """Where other models in the same device lie, if there are any."""
    spread: Spread | None = None
    """What it would take with somewhat other memories; it comes after the answer."""

    @classmethod
    def of(cls, scheduled: Scheduled, document: Document | None = None) -> Answer:
        """A schedule as views take it, where nobody asked for it in the window."""
        settings = Settings.of(scheduled.target, scheduled.options)
        return cls(
            number=0,
            document=document or Document(settings=settings),
            scheduled=scheduled,
            analysis=analyse(scheduled),
            seconds=0.0,
        )

    @property
    def awaits_spread(self) -> bool:
        """Whether that is still to come; of a compiled model it is not known."""
        return self.spread is None and self.scheduled.compiled_by is None


class FailureKind(enum.Enum):
    """Whose turn it is after a failure."""

    REFUSED = "refused"
    """What was asked for cannot be had."""
    CANCELLED = "cancelled"
    ENDED = "ended"
    """The process that should have answered is gone."""
    FAULT = "fault"
    """Something of ours is wrong."""


class Failure(Frozen):
    """Why there is no answer, in one line that a user can act on."""

    document: Document
    message: str
    kind: FailureKind = FailureKind.REFUSED
    trace: str = ""
    """Of a fault: where it happened."""
