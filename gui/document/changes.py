"""What changed in the store: one value for each signal."""

from __future__ import annotations

import enum

from core.base.frozen import NamedTuple


class Part(enum.Enum):
    """A part of what all views show."""

    DOCUMENT = "document"
    ANSWER = "answer"
    PRICES = "prices"
    """What follows an answer: its range, what edits cost, ways out; all else is as it was."""
    COMPARISON = "comparison"
    """What is kept as A, and how the answer differs from it."""
    NOTES = "notes"
    """What the user has to say of the network."""
    RUNS = "runs"
    """What was asked and answered so far."""
    TRIALS = "trials"
    """What choices would come to that somebody looks at."""
    BETTER = "better"
    """What the search has found and waits to be shown."""
    JOB = "job"
    GROWTH = "growth"
    """Whether the best search goes on by itself."""
    SELECTION = "selection"
    SPAN = "span"
    """The range of cycles that is selected or shown."""
    MATCHED = "matched"
    """What the filter of the operators finds."""
    PLAYED = "played"
    """The step of a cascade that is played."""
    DISPLAY = "display"
    """Theme and units."""
    PROOF = "proof"
    """What executing the compiled model on a user's own inputs has shown."""
    SWEEP = "sweep"
    """The cells that are shown over the limit."""


class ChangeSet(NamedTuple):
    """Which parts changed, and who changed them: a view can skip its own echo."""

    parts: frozenset[Part]
    initiator: str = ""

    def has(self, *parts: Part) -> bool:
        """Whether any of these changed."""
        return not self.parts.isdisjoint(parts)
