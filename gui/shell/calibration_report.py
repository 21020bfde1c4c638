"""What a calibration has found, inside its dialog."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gui.present.calibration.found import HEADERS, Fit
from gui.theme.scale import Gap, Type, arrange, make_hint, set_type
from gui.theme.tones import Theme
from gui.widgets.fit_plot import FitPlot
from gui.widgets.listing_table import ListingTable

_NOTHING = "none"
_TABLE_LINES = 9


class CalibrationReport(QWidget):
    """A verdict, the table of measurements beside their plot, and what became of each figure."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.heading, self.errors = QLabel(), QLabel()
        set_type(self.heading, Type.TITLE)
        self.table, self.plot = ListingTable("Measurements"), FitPlot(theme)
        self.fitted, self.left = QLabel(), QLabel()
        for label, name in (
            (self.heading, "Verdict"),
            (self.errors, "Errors"),
            (self.fitted, "Figures that were found"),
            (self.left, "Figures that are left as assumed"),
        ):
            label.setAccessibleName(name)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        make_hint(self.left)
        self._lay_out()

    def _lay_out(self) -> None:
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(header.ResizeMode.ResizeToContents)
        self.table.setFixedHeight(self.fontMetrics().lineSpacing() * _TABLE_LINES)
        figures = QVBoxLayout()
        arrange(figures, between=Gap.MEDIUM)
        for label in (self.fitted, self.left):
            head = QLabel(label.accessibleName())
            set_type(head, Type.HEADING)
            column = QVBoxLayout()
            arrange(column)
            column.addWidget(head)
            column.addWidget(label)
            figures.addLayout(column)
        figures.addStretch(1)
        below = QHBoxLayout()
        arrange(below, between=Gap.LARGE)
        below.addLayout(figures, 1)
        below.addWidget(self.plot, 1)
        lines = QVBoxLayout(self)
        arrange(lines, between=Gap.MEDIUM)
        lines.addWidget(self.heading)
        lines.addWidget(self.errors)
        lines.addWidget(self.table)
        lines.addLayout(below, 1)

    def show_fit(self, fit: Fit) -> None:
        """Show another fit."""
        self.heading.setText(fit.heading)
        colour = self._theme.text if fit.holds else self._theme.danger
        self.heading.setStyleSheet(f"color: {colour};")
        self.errors.setText("\n".join(fit.sentences))
        self.table.show_listing(HEADERS, fit.rows)
        # What is left of the width is for names, which lose their middle where that is not enough.
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(0, header.ResizeMode.Stretch)
        self.plot.show_spots(fit.spots, fit.ends)
        self.fitted.setText("\n".join(fit.fitted) or _NOTHING)
        self.left.setText("\n".join(fit.left) or _NOTHING)
