"""All steps of a cascade at once: which operator runs in each, and where we are."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.present.cascades.play import Film
from gui.theme.tones import LIGHT, Theme, Tone

_ROW_PX = 6
_MOST_LINES = 6.0


class FilmStrip(QWidget):
    """A row for each operator, a column for each step; a click goes to a step."""

    sought = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._film: Film | None = None
        self._position = 0
        self._image: QImage | None = None
        self._theme: Theme = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("All steps in order of execution: a row for each operator")

    def set_film(self, film: Film | None) -> None:
        """Show another cascade."""
        self._film, self._image = film, None
        self.updateGeometry()
        self.update()

    def set_position(self, position: int) -> None:
        """Mark another step."""
        self._position = position
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme, self._image = theme, None
        self.update()

    def sizeHint(self) -> QSize:
        """High enough to tell operators apart, if they are not too many."""
        rows = 0 if self._film is None else len(self._film.cascade.stages)
        most = self.fontMetrics().height() * _MOST_LINES
        return QSize(100, round(min(rows * _ROW_PX, most)) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The picture is made for a width."""
        super().resizeEvent(event)
        self._image = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to a step."""
        self._seek(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on to another while dragging."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._seek(event)

    def _seek(self, event: QMouseEvent) -> None:
        if self._film is not None and self._film.length:
            step = int(event.position().x() * self._film.length / max(self.width(), 1))
            self.sought.emit(min(max(step, 0), self._film.length - 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the steps, and a line at the one that is shown."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._theme.base))
        if self._film is not None and self._film.length:
            if self._image is None:
                self._image = self._made()
            painter.drawImage(QRectF(self.rect()), self._image)
            x = (self._position + 0.5) * self.width() / self._film.length
            painter.setPen(QPen(QColor(self._theme.text), 1))
            painter.drawLine(QPointF(round(x), 0), QPointF(round(x), self.height()))
        painter.setPen(QColor(self._theme.grid))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _made(self) -> QImage:
        """One pixel for each operator and step, or as many steps as there are pixels."""
        assert self._film is not None
        rows, steps = len(self._film.cascade.stages), self._film.length
        columns = min(steps, max(self.width(), 1))
        pixels = np.full((rows, columns), QColor(self._theme.base).rgb(), dtype=np.uint32)
        places = np.arange(steps) * columns // steps
        pixels[self._film.running, places] = QColor(self._theme.inks[Tone.COMPUTE].colour).rgb()
        image = QImage(pixels.data, columns, rows, columns * 4, QImage.Format.Format_RGB32)
        return image.copy()
