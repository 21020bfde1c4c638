"""A light on one panel: all others are dimmed, so that it is seen what is told of."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QRegion
from PySide6.QtWidgets import QWidget

_DIM_ALPHA = 120
_FRAME_PX = 3
_MOVED = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)


class Spotlight(QWidget):
    """Lies over all panels, and leaves the pointer to them."""

    def __init__(self, panels: QWidget) -> None:
        super().__init__(panels)
        self._panels = panels
        self._target: QWidget | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        panels.installEventFilter(self)
        self.hide()

    @property
    def lit(self) -> QRect:
        """What is not dimmed."""
        target = self._target
        if target is None or not target.isVisible():
            return QRect()
        return QRect(target.mapTo(self._panels, QPoint(0, 0)), target.size())

    def point_at(self, target: QWidget | None) -> None:
        """Light another part of the panels, or none."""
        if self._target is not None:
            self._target.removeEventFilter(self)
        self._target = target
        if target is not None:
            target.installEventFilter(self)
        self._lie_over()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay over the panels, and on the part, wherever that goes."""
        del watched
        if event.type() in _MOVED:
            self._lie_over()
        return False

    def _lie_over(self) -> None:
        self.setGeometry(self._panels.rect())
        self.setVisible(not self.lit.isEmpty())
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Dim all but the part, and draw a frame around it."""
        painter = QPainter(self)
        lit = self.lit
        painter.setClipRegion(QRegion(event.rect()).subtracted(QRegion(lit)))
        painter.fillRect(self.rect(), QColor(0, 0, 0, _DIM_ALPHA))
        painter.setClipping(False)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Highlight), _FRAME_PX))
        inset = _FRAME_PX // 2
        painter.drawRect(lit.adjusted(inset, inset, -inset - 1, -inset - 1))
        painter.end()
