"""Labels in rectangles: drawn where they fit, shortened where they nearly do."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QStaticText

PADDING_PX = 4
_STEP_PX = 8
"""Widths are rounded to this, so that few shortened texts are remembered."""
_MOST_REMEMBERED = 4096
_FEWEST_LETTERS = 5


class Labels:
    """Texts of one font, laid out once."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self._metrics = QFontMetrics(font)
        self._widths: dict[str, int] = {}
        self._shortened: dict[tuple[str, int], str] = {}
        self._laid_out: dict[str, QStaticText] = {}

    @property
    def height(self) -> int:
        """A line's height."""
        return self._metrics.height()

    @property
    def least_width(self) -> int:
        """Narrower rectangles have no label."""
        return self._metrics.averageCharWidth() * _FEWEST_LETTERS + 2 * PADDING_PX

    def width(self, text: str) -> int:
        """A text's width."""
        known = self._widths.get(text)
        if known is None:
            known = self._widths[text] = self._metrics.horizontalAdvance(text)
        return known

    def fitted(self, text: str, width: float) -> str:
        """The text, or its beginning, for a width; empty where not enough of it would be seen."""
        if self.width(text) <= width:
            return text
        room = int(width) // _STEP_PX * _STEP_PX
        known = self._shortened.get((text, room))
        if known is None:
            self._forget_if_many()
            # Names that are paths differ at both ends.
            is_path = "/" in text
            side = Qt.TextElideMode.ElideMiddle if is_path else Qt.TextElideMode.ElideRight
            known = self._metrics.elidedText(text, side, room)
            known = "" if len(known) < _FEWEST_LETTERS else known
            self._shortened[text, room] = known
        return known

    def draw(self, painter: QPainter, text: str, box: QRectF, plate: QColor | None) -> None:
        """Write a text at the left of a box, half way up; on a plate where a pattern would show."""
        shown = self.fitted(text, box.width() - 2 * PADDING_PX)
        if not shown:
            return
        left = round(box.left() + PADDING_PX)
        top = round(box.center().y() - self.height / 2)
        if plate is not None:
            painter.fillRect(
                QRectF(left - 2, top, self.width(shown) + 4, self.height).intersected(box), plate
            )
        laid_out = self._laid_out.get(shown)
        if laid_out is None:
            laid_out = self._laid_out[shown] = QStaticText(shown)
            laid_out.setTextFormat(Qt.TextFormat.PlainText)
            laid_out.prepare(font=self.font)
        painter.drawStaticText(left, top, laid_out)

    def _forget_if_many(self) -> None:
        if len(self._shortened) + len(self._laid_out) > _MOST_REMEMBERED:
            self._shortened.clear()
            self._laid_out.clear()
            self._widths.clear()
