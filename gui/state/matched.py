"""What the filter of the operators and the rules that are on find, for all views."""

from __future__ import annotations

from collections.abc import Callable

from core.api.comparisons import Comparison
from gui.document.answer import Answer
from gui.document.document import Document
from gui.present.operators.matches import Coloured, coloured_of
from gui.present.operators.order import Filter
from gui.present.operators.rules import Rules

_Asked = tuple[Document, Answer, Comparison | None, Filter, Rules]


class Matched:
    """A part of the store; matches are worked out when they are drawn, and once for all views."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self.filter, self.rules = Filter(), Rules()
        self._asked: _Asked | None = None
        self._found: Coloured | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is looked for."""
        return self.filter.is_empty and not self.rules.on

    def show(self, wanted: Filter) -> None:
        """Have all but what a filter finds fade."""
        is_same = wanted.is_empty and self.filter.is_empty
        self.filter = wanted
        if not is_same:
            self._announce()

    def colour(self, rules: Rules) -> None:
        """Have what rules find in their colours; without a filter all else fades."""
        self.rules = rules
        self._announce()

    def of(
        self, document: Document, answer: Answer, compared: Comparison | None
    ) -> Coloured | None:
        """What is found of an answer; None where nothing is looked for."""
        asked = document, answer, compared, self.filter, self.rules
        known = self._asked
        is_known = known is not None and all(
            one is other for one, other in zip(asked, known, strict=True)
        )
        if not is_known:
            self._asked, self._found = asked, coloured_of(*asked)
        return self._found
