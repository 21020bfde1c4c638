"""A cut through a memory as a bar: what is live on top of each other, gaps, and what is free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from core.base.frozen import NamedTuple
from gui.document.display import ByteUnit
from gui.items.brushes import lines_of, veil_of
from gui.items.ratio import ratio_of
from gui.present import units
from gui.present.memory.cut import Cut
from gui.present.rects import Lit
from gui.theme.tones import LIGHT, Theme, Tone

_LETTERS = 7
_MARGIN_PX = 2.0


class Segment(NamedTuple):
    """A part of the bar."""

    box: QRectF
    key: int
    text: str


class StackBar(QWidget):
    """The cut in order of addresses; each contributor can be clicked."""

    picked = Signal(int)
    """The key of a contributor."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cut: Cut | None = None
        self._names: Sequence[str] = ()
        self._limit_bytes: int | None = None
        self._top_bytes = 1
        self._unit = ByteUnit.KIB
        self._selected = frozenset[int]()
        self._lit: Lit | None = None
        self._theme: Theme = LIGHT
        self.setFixedWidth(self.fontMetrics().averageCharWidth() * _LETTERS)

    def set_cut(
        self,
        cut: Cut | None,
        names: Sequence[str],
        limit_bytes: int | None,
        top_bytes: int,
        unit: ByteUnit,
    ) -> None:
        """Show another cut, from address 0 to the top; the names of all ranges are given."""
        self._names = names
        self._cut, self._limit_bytes, self._top_bytes = cut, limit_bytes, max(top_bytes, 1)
        self._unit = unit
        self.update()

    def set_selected(self, keys: Iterable[int]) -> None:
        """Outline contributors."""
        self._selected = frozenset(keys)
        self.update()

    def set_lit(self, lit: Lit | None) -> None:
        """Let fade what is not looked at; nothing without that."""
        self._lit = lit
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def segments(self) -> Iterator[Segment]:
        """All contributors with their boxes."""
        if self._cut is None:
            return
        for part in self._cut.contributors:
            first = part.range.placement.address
            share = units.share(part.size_bytes / max(self._cut.live_bytes, 1))
            size = units.size_exact(part.size_bytes, self._unit)
            text = f"{self._names[part.key]}\n{size}, {share}"
            yield Segment(self._box(first, part.range.end_address), part.key, text)

    def _box(self, first: float, end: float) -> QRectF:
        height = self.height() - 2 * _MARGIN_PX
        scale = height / self._top_bytes
        top, bottom = (round(_MARGIN_PX + height - value * scale) for value in (end, first))
        return QRectF(1, top, self.width() - 2, max(bottom - top, 1))

    def _at(self, point: QPointF) -> Segment | None:
        return next((part for part in self.segments() if part.box.contains(point)), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick what is clicked."""
        found = self._at(event.position())
        if found is not None and event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(found.key)

    def event(self, event: QEvent) -> bool:
        """Tell what is under a pointer that rests."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return bool(super().event(event))

    def tip_at(self, point: QPointF) -> str:
        """What is at a point, in words."""
        found = self._at(point)
        return found.text if found else ""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw contributors, what of them is padding, and the limit."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._theme.base))
        if self._cut is None:
            painter.end()
            return
        for part in self._cut.contributors:
            first, end = part.range.placement.address, part.range.end_address
            is_lit = self._lit is None or part.key in self._lit.keys
            painter.setOpacity(1.0 if is_lit else 1.0 - self._theme.faded)
            self._fill(painter, first, end, part.range.tone, part.key)
            used = first + part.range.real_bytes
            if self._box(used, end).height() > 2:
                self._fill(painter, used, end, Tone.PADDING)
            if self._limit_bytes is not None and end > self._limit_bytes:
                over = veil_of(self._theme.inks[Tone.OVER], ratio_of(painter))
                painter.fillRect(self._box(max(first, self._limit_bytes), end), over)
        painter.setOpacity(1.0)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for segment in self.segments():
            if segment.key in self._selected:
                painter.setPen(QPen(QColor(self._theme.accent), 2))
                painter.drawRect(segment.box.adjusted(1, 1, -1, -1))
        painter.setPen(QColor(self._theme.grid))
        painter.drawRect(self._box(0, self._top_bytes))
        if self._limit_bytes is not None and self._limit_bytes <= self._top_bytes:
            y = self._box(self._limit_bytes, self._limit_bytes).top()
            painter.setPen(QPen(QColor(self._theme.danger), 2))
            painter.drawLine(QPointF(0, y), QPointF(self.width(), y))
        painter.end()

    def _fill(
        self, painter: QPainter, first: float, end: float, tone: Tone, key: int | None = None
    ) -> None:
        """Draw what has a key in the colour of the rule that found it."""
        box = self._box(first, end)
        gap = 1 if box.height() > 3 else 0
        rule = None if self._lit is None or key is None else self._lit.tones.get(key)
        ink = self._theme.inks[tone] if rule is None else self._theme.found(rule, tone)
        area = box.adjusted(0, 0, 0, -gap)
        painter.fillRect(area, QColor(ink.colour))
        painter.fillRect(area, lines_of(ink.text, ink.pattern, ratio_of(painter)))
