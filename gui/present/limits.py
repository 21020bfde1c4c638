"""Limits of fast storage along a slider, and where the schedule is known to change; no Qt."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

from core.base.frozen import Frozen, NamedTuple, replace
from gui.document.answer import Answer
from gui.document.display import ByteUnit
from gui.document.document import Document
from gui.present.runs.best import front_answered
from gui.present.units import KIB, count, size

STEPS = 1000
"""Positions of the slider."""
LOWEST_BYTES = 4 * KIB
_LEAST_HIGHEST_BYTES = 2 * LOWEST_BYTES
_STEPS_IN_OCTAVE = 64
_CLIFF = 0.01
_UNKNOWN_BYTES = 1024 * KIB
"""The end of the slider as long as nobody knows what a network takes."""


class LimitScale(Frozen):
    """A logarithmic scale in whole KiB."""

    highest_bytes: int
    lowest_bytes: int = LOWEST_BYTES

    def position(self, size_bytes: int) -> int:
        """Where a limit is on the slider; at an end where it is beyond."""
        return round(STEPS * self.share(size_bytes))

    def share(self, size_bytes: int) -> float:
        """How far along a limit is: 0 to 1."""
        within = min(max(size_bytes, self.lowest_bytes), self.highest_bytes)
        return math.log(within / self.lowest_bytes) / self._octaves

    def size_bytes(self, position: int) -> int:
        """The limit at a position of the slider."""
        if position >= STEPS:
            return self.highest_bytes
        exact = self.lowest_bytes * math.exp(self._octaves * max(position, 0) / STEPS)
        return self._within(round(exact / KIB) * KIB)

    def stepped(self, size_bytes: int, steps: int) -> int:
        """A limit some steps up or down, a step being one in 64 of what it is, or one KiB."""
        within = min(max(size_bytes, self.lowest_bytes), self.highest_bytes)
        for _ in range(abs(steps)):
            # Downwards from a power of two, the step is already the smaller one.
            below = within - 1 if steps < 0 else within
            octave = 1 << (below.bit_length() - 1)
            step = max(octave // _STEPS_IN_OCTAVE, KIB)
            within = (within // step + 1) * step if steps > 0 else below // step * step
            within = self._within(within)
        return within

    @property
    def _octaves(self) -> float:
        return math.log(self.highest_bytes / self.lowest_bytes)

    def _within(self, size_bytes: int) -> int:
        return min(max(size_bytes, self.lowest_bytes), self.highest_bytes)


def scale_for(answer: Answer | None) -> LimitScale:
    """From a few KiB to what everything needs."""
    needed = answer.unlimited_bytes if answer else 0
    highest = -(-(needed or _UNKNOWN_BYTES) // KIB) * KIB
    return LimitScale(highest_bytes=max(highest, _LEAST_HIGHEST_BYTES))


class Trial(NamedTuple):
    """A limit that was tried."""

    limit_bytes: int
    cycles: float


class Mark(NamedTuple):
    """A limit from which on the schedule is another than for the next lower one that was tried."""

    limit_bytes: int
    cycles: float
    below: Trial
    is_best: bool
    """None that was tried takes fewer cycles, and no lower limit as few."""

    def text(self, unit: ByteUnit = ByteUnit.KIB) -> str:
        """What changes here."""
        best = "; the fewest so far" if self.is_best else ""
        return (
            f"{size(self.limit_bytes, unit)}: {count(self.cycles)} cycles{best}"
            f" ({count(self.below.cycles)} at {size(self.below.limit_bytes, unit)})"
        )


class Trials:
    """Limits that were tried, and the cycles that they led to, all else equal."""

    def __init__(self) -> None:
        self._tried: dict[Document, dict[int, float]] = {}

    def note(self, answer: Answer) -> None:
        """Remember an answer's limit and cycles; a compiled model has none that was asked for."""
        scheduled = answer.scheduled
        if scheduled.compiled_by is not None or answer.together is not None:
            # What other models leave is no limit that was asked for.
            return
        limit = scheduled.target.fast_limit_bytes
        document = _without_limit(answer.document)
        if front_answered(answer) is not None:
            # It answers every limit: whatever was said of one before may be worse by now.
            front = scheduled.schedule.front
            self._tried[document] = {point.peak_bytes: point.cycles for point in front}
            return
        tried = self._tried.setdefault(document, {})
        tried[limit] = scheduled.total.total_cycles

    def tried(self, document: Document) -> tuple[Trial, ...]:
        """What was tried for a document with whatever limit, in the order of limits."""
        found: Mapping[int, float] = self._tried.get(_without_limit(document), {})
        return tuple(Trial(limit, found[limit]) for limit in sorted(found))

    def marks(self, document: Document) -> tuple[Mark, ...]:
        """Where cycles change from one limit that was tried to the next."""
        tried = self.tried(document)
        best = min(tried, key=lambda trial: (trial.cycles, trial.limit_bytes), default=None)
        return tuple(
            Mark(trial.limit_bytes, trial.cycles, below, is_best=trial == best)
            for below, trial in itertools.pairwise(tried)
            if abs(trial.cycles - below.cycles) > _least_cliff(document) * trial.cycles
        )


def _least_cliff(document: Document) -> float:
    """The part of the cycles from which on a change is marked: a front has many small ones."""
    return _CLIFF if document.settings.options.is_best else 0.0


def _without_limit(document: Document) -> Document:
    return document.with_settings(replace(document.settings, limit_bytes=None))
