"""What the filter of the operators finds, for all views."""

from __future__ import annotations

from collections.abc import Callable

from core.api.comparisons import Comparison
from gui.document.answer import Answer
from gui.document.document import Document
from gui.present.operators.matches import Matches, matches_of
from gui.present.operators.order import Filter

_Asked = tuple[Document, Answer, Comparison | None, Filter]


class Matched:
    """A part of the store; matches are worked out when they are drawn, and once for all views."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self.filter = Filter()
        self._asked: _Asked | None = None
        self._found: Matches | None = None

    def show(self, wanted: Filter) -> None:
        """Have all but what a filter finds fade."""
        is_same = wanted.is_empty and self.filter.is_empty
        self.filter = wanted
        if not is_same:
            self._announce()

    def of(self, document: Document, answer: Answer, compared: Comparison | None) -> Matches | None:
        """What is found of an answer; None where nothing is filtered."""
        asked = document, answer, compared, self.filter
        known = self._asked
        is_known = known is not None and all(
            one is other for one, other in zip(asked, known, strict=True)
        )
        if not is_known:
            self._asked, self._found = asked, matches_of(*asked)
        return self._found
