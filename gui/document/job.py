"""What the worker is doing."""

from __future__ import annotations

import enum

from core.base.frozen import Frozen
from gui.document.answer import Failure


class JobPhase(enum.Enum):
    """Where a question to the compiler stands."""

    IDLE = "idle"
    WAITING = "waiting"
    """A change was made; the worker is asked when no other follows."""
    RUNNING = "running"
    FAILED = "failed"


class JobState(Frozen):
    """The question that is being answered."""

    phase: JobPhase = JobPhase.IDLE
    stage: str = ""
    done: int = 0
    total: int = 0
    failure: Failure | None = None
    """Why the last question has no answer."""

    @property
    def is_busy(self) -> bool:
        """Whether an answer is waited for."""
        return self.phase in {JobPhase.WAITING, JobPhase.RUNNING}
