"""A line of text that gives up letters of names where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.present.fitting import fitted

_LEAST_LETTERS = 6


class ElidedLabel(QWidget):
    """Shows what fits of a text; the tool tip shows all of it."""

    def __init__(
        self, name: str, parent: QWidget | None = None, *, letters: int = _LEAST_LETTERS
    ) -> None:
        """Have room for so many letters at least."""
        super().__init__(parent)
        self._text = ""
        self._letters = letters
        self._keep_room()
        self._name = name
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The whole text."""
        return self._text

    def show_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setToolTip(text)
            self.setAccessibleDescription(text)
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        """As wide as the text."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._text), metrics.height())

    def changeEvent(self, event: QEvent) -> None:
        """Letters may be larger."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._keep_room()

    def _keep_room(self) -> None:
        metrics = self.fontMetrics()
        self.setMinimumSize(metrics.averageCharWidth() * self._letters, metrics.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what fits: all figures, and of names the beginning and the end."""
        del event
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        shown = fitted(self._text, self.width(), self.fontMetrics().horizontalAdvance)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self.rect(), align, shown)
