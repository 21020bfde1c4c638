"""What is held while it is dragged, drawn over a view: where it was, where it would be, and why."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.present.fitting import fitted
from gui.theme.tones import LIGHT, Theme

_FILL_ALPHA = 70
_PAD_PX = 6
_AWAY_PX = 14
_NOWHERE = QRectF()


class HeldOverlay(QWidget):
    """Covers its parent; the mouse does not feel it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._covered = parent
        self._theme: Theme = LIGHT
        self.hint, self.told = "", ""
        self._box, self._origin = QRectF(), QRectF()
        self._blocked: tuple[QRectF, ...] = ()
        self.lit: tuple[QRectF, ...] = ()
        self._pointer = QPointF()
        self._is_good = False
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme

    def show_held(
        self,
        hint: str,
        box: QRectF,
        pointer: QPointF,
        *,
        origin: QRectF = _NOWHERE,
        blocked: tuple[QRectF, ...] = (),
        lit: tuple[QRectF, ...] = (),
        is_good: bool = True,
    ) -> None:
        """Draw it here; `is_good` says whether letting go would ask for something, and `lit` are
        places where it would."""
        self.hint, self._box, self._origin = hint, box, origin
        self._blocked, self._pointer = blocked, pointer
        self.lit = lit
        self._is_good = is_good and not blocked
        self.setGeometry(self._covered.rect())
        self.show()
        self.raise_()
        self.update()

    def tell(self, told: str) -> None:
        """Say below the hint what letting go would come to, once that is known."""
        if told != self.told:
            self.told = told
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The old place, the new one, where it could be, what is in the way, and a sentence."""
        del event
        painter, theme = QPainter(self), self._theme
        painter.setPen(QPen(QColor(theme.text), 1, Qt.PenStyle.DashLine))
        painter.drawRect(self._origin)
        painter.setPen(QPen(QColor(theme.accent), 2))
        for box in self.lit:
            painter.drawRect(box)
        for box in self._blocked:
            painter.fillRect(box, QBrush(QColor(theme.danger), Qt.BrushStyle.BDiagPattern))
            painter.setPen(QPen(QColor(theme.danger), 2))
            painter.drawRect(box)
        colour = QColor(theme.accent if self._is_good else theme.faint_text)
        painter.setPen(QPen(colour, 2))
        painter.drawRect(self._box)
        colour.setAlpha(_FILL_ALPHA)
        painter.fillRect(self._box, colour)
        self._write(painter)
        painter.end()

    def _write(self, painter: QPainter) -> None:
        metrics = self.fontMetrics()
        lines = [line for line in (self.hint, self.told) if line]
        width = min(max(map(metrics.horizontalAdvance, lines)) + 2 * _PAD_PX, self.width())
        height = metrics.height() * len(lines) + _PAD_PX
        left = min(max(self._pointer.x() + _AWAY_PX, 0.0), self.width() - width)
        top = min(max(self._pointer.y() + _AWAY_PX, 0.0), self.height() - height)
        plate = QRectF(left, top, width, height)
        painter.fillRect(plate, QColor(self._theme.base))
        painter.setPen(QColor(self._theme.accent))
        painter.drawRect(plate)
        painter.setPen(QColor(self._theme.text))
        room = round(width) - _PAD_PX
        shown = (fitted(line, room, metrics.horizontalAdvance) for line in lines)
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, "\n".join(shown))
