"""A line of text, or a few, that gives up letters of names where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.present.fitting import fitted
from gui.theme.fonts import lines_px

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
        self._lines = 1
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

    def set_lines(self, lines: int) -> None:
        """Have room for so many lines, between words."""
        self._lines = lines
        self._keep_room()
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as the text."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._text), lines_px(metrics, self._lines))

    def changeEvent(self, event: QEvent) -> None:
        """Letters may be larger."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._keep_room()

    def _keep_room(self) -> None:
        metrics = self.fontMetrics()
        width = metrics.averageCharWidth() * self._letters
        self.setMinimumSize(width, lines_px(metrics, self._lines))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what fits: all figures, and of names the beginning and the end."""
        del event
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        shown = fitted(self._text, self.width() * self._lines, self._needed)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self.rect(), int(align | self._wrap), shown)

    @property
    def _wrap(self) -> Qt.TextFlag:
        return Qt.TextFlag.TextWordWrap if self._lines > 1 else Qt.TextFlag.TextSingleLine

    def _needed(self, text: str) -> int:
        """How wide a text is; in lines, as wide as all that it takes."""
        if self._lines == 1:
            return self.fontMetrics().horizontalAdvance(text)
        box = self.fontMetrics().boundingRect(
            0, 0, self.width(), self.height() * self._lines, int(self._wrap), text
        )
        is_whole = box.width() <= self.width() and box.height() <= self.height()
        return 0 if is_whole else self.width() * self._lines + 1
