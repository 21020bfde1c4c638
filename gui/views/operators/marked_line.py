"""A line over the table while a stretch of time is marked: it filters, and a click shows all."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from gui.document.answer import Answer
from gui.present.timeline.spans import rows_in
from gui.present.timeline.text import scale_of
from gui.state.store import Store
from gui.views.operators.model import OperatorsModel


class MarkedLine(QPushButton):
    """Says that what runs outside of the marked stretch is left out."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self.setAccessibleName("Show operators outside of the marked stretch too")
        self.setToolTip("Marked in the timeline with Shift and a drag; a click shows all")
        self.clicked.connect(lambda: store.mark_span(None))
        self.hide()

    def show_span(self, answer: Answer, model: OperatorsModel) -> None:
        """Leave out what does not run in the marked stretch, and say so."""
        span, table = self._store.selected_span, model.table
        self.setVisible(span is not None)
        if span is None or table is None:
            if model.is_in_span is not None:
                model.set_span(None)
            return
        model.set_span(rows_in(table, answer.analysis.trace, span))
        scale = scale_of(answer, self._store.display)
        self.setText(f"Only what runs in the marked {scale.time(span.cycles)}: show all")
