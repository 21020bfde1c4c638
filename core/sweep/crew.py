"""Who computes the cells of a sweep: workers here or on other machines, behind one door."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

from core.base.frozen import Frozen
from core.sweep.work import Batch, Found

Seat = Hashable
"""One worker, as the crew names it."""


class Fate(enum.Enum):
    """What a batch that was not finished has met."""

    FAILED = "failed"
    """It may be its own fault, so that its cells are tried alone."""
    LOST = "lost"
    """It is not, and is sent again as it was."""


class Certificates(Frozen):
    """Files by which a cluster and who asks it know each other."""

    authorities: Path
    """Those whose signature a scheduler has to have."""
    own: Path
    key: Path


class Crew(Protocol):
    """Workers that come and go."""

    @property
    def batch_s(self) -> float:
        """Seconds of work that a batch is to have: many against what it costs to send and keep
        one, few for those who wait or interrupt."""

    def seats(self) -> Sequence[Seat]:
        """Those that are there, at least one; an OptionError where nobody is left."""

    def submit(self, seat: Seat, batch: Batch) -> Future[tuple[Found, ...]]:
        """Have a worker compute a batch; another may do it in its place."""

    def fate(self, error: BaseException) -> Fate:
        """What an error of such a future says; an OptionError where all is over."""

    def stop(self) -> None:
        """Let all go at once, whatever they are at."""
