"""What is compared: A, and how the answer that is shown differs from it."""

from __future__ import annotations

from collections.abc import Callable

from core.api.comparisons import Comparison
from core.api.schedules import Scheduled
from gui.document.answer import Answer
from gui.document.kept import Kept


class Compared:
    """A part of the store; who works comparisons out hears of A, and hands them in."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self.kept: Kept | None = None
        """A, where something is kept."""
        self.latest: Comparison | None = None
        """The last comparison with A; it may be of an older answer."""
        self.before: Answer | None = None
        """All of A, as soon as it is worked out; a schedule as JSON has no times to draw."""
        self.failure = ""
        """Why A cannot be compared."""
        self._scheduled: Scheduled | None = None
        """What it was compared with: the same whatever follows an answer."""

    def keep(self, kept: Kept | None) -> None:
        """Compare with this from now on, or with nothing."""
        self.kept, self.latest, self.failure, self._scheduled = kept, None, "", None
        self.before = None
        self._announce()

    def tell(
        self,
        answer: Answer,
        found: Comparison | None,
        failure: str = "",
        before: Answer | None = None,
    ) -> None:
        """How an answer differs from A, or why that cannot be said."""
        self.latest, self.failure, self._scheduled = found, failure, answer.scheduled
        self.before = before
        self._announce()

    def is_told(self, answer: Answer) -> bool:
        """Whether it is known how this answer differs from A, or why that cannot be said."""
        return answer.scheduled is self._scheduled

    def of(self, answer: Answer | None) -> Comparison | None:
        """How this answer differs from A; None until that is known."""
        return self.latest if answer is not None and self.is_told(answer) else None
