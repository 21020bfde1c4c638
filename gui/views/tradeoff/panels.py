"""Small multiples of a sweep, drawn straight in pixels; tells which cell is pointed at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.api.sweeps import Cell
from gui.present.runs.tradeoff import Panel
from gui.theme.tones import LIGHT, Theme
from gui.views.tradeoff.pencil import MARGIN_LETTERS, Pencil, point_of

_LEAST_LETTERS = 44
"""Of a panel's width."""
_ROWS = 13
"""Lines of text in a panel's height, without its legend."""
_REACH_LINES = 1.0


class Place(NamedTuple):
    """A cell where it is drawn."""

    at: QPointF
    cell: Cell


class PanelsWidget(QWidget):
    """Draws panels side by side; the pointer and keys go from cell to cell."""

    pointed = Signal(object)
    """The cell that is pointed at, or None."""
    picked = Signal(object)
    """The cell that is wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Sweep over the limit")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self._panels: tuple[Panel, ...] = ()
        self._theme: Theme = LIGHT
        self._at: Cell | None = None

    def show_panels(self, panels: Sequence[Panel]) -> None:
        """Draw others."""
        self._panels, self._at = tuple(panels), None
        self.updateGeometry()
        self.setMinimumHeight(self.heightForWidth(self.width()))
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    @property
    def current(self) -> Cell | None:
        """The cell that keys or the pointer have gone to."""
        return self._at

    def places(self) -> tuple[Place, ...]:
        """All cells where they are drawn, line by line."""
        return tuple(
            Place(point_of(area, spot), spot.cell)
            for panel, area in zip(self._panels, self._areas(), strict=True)
            for line in panel.lines
            for spot in line.spots
        )

    def sizeHint(self) -> QSize:
        return QSize(self._letter * _LEAST_LETTERS, self.heightForWidth(self.width()))

    def heightForWidth(self, width: int) -> int:
        """As high as all rows of panels."""
        columns = self._columns(width)
        rows = -(-len(self._panels) // columns)
        return round(rows * self._panel_height)

    def resizeEvent(self, event: object) -> None:
        del event
        self.setMinimumHeight(self.heightForWidth(self.width()))

    @property
    def _letter(self) -> int:
        return self.fontMetrics().averageCharWidth()

    @property
    def _line_height(self) -> int:
        return self.fontMetrics().height()

    @property
    def _panel_height(self) -> float:
        legend = max((len(panel.lines) for panel in self._panels), default=0)
        return float(self._line_height * (_ROWS + legend))

    def _columns(self, width: int) -> int:
        most = max(1, width // (self._letter * _LEAST_LETTERS))
        return max(1, min(most, len(self._panels)))

    def _areas(self) -> Iterator[QRectF]:
        """Where lines are drawn in each panel, inside its axes."""
        columns = self._columns(self.width())
        width, line = self.width() / columns, self._line_height
        for number in range(len(self._panels)):
            row, column = divmod(number, columns)
            yield QRectF(
                column * width + MARGIN_LETTERS * self._letter,
                row * self._panel_height + 2 * line,
                max(width - (MARGIN_LETTERS + 3) * self._letter, 1.0),
                float(line * (_ROWS - 4)),
            )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw all panels; there are few lines, and no more cells than can be told apart."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.base))
        pencil = Pencil(painter, self._theme, self.fontMetrics())
        for panel, area in zip(self._panels, self._areas(), strict=True):
            pencil.draw_frame(panel, area)
            for number, line in enumerate(panel.lines):
                pencil.draw_line(line, number, area)
                pencil.draw_name(line, number, area)
        self._draw_pointed(painter)

    def _draw_pointed(self, painter: QPainter) -> None:
        if self._at is None:
            return
        painter.setPen(QPen(QColor(self._theme.text), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for place in self.places():
            if place.cell is self._at:
                painter.drawEllipse(place.at, 6.0, 6.0)

    # Pointing.

    def go(self, cell: Cell | None) -> None:
        """Point at a cell."""
        if cell is not self._at:
            self._at = cell
            self.pointed.emit(cell)
            self.update()

    def cell_at(self, at: QPointF) -> Cell | None:
        """The cell that is drawn nearest to a place, where that is near."""
        reach = self._line_height * _REACH_LINES
        near = min(self.places(), key=lambda place: _distance(place.at, at), default=None)
        return near.cell if near is not None and _distance(near.at, at) <= reach else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.go(self.cell_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click with the left button wants the cell."""
        cell = self.cell_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and cell is not None:
            self.go(cell)
            self.picked.emit(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right go to other limits, Enter takes what is pointed at."""
        key = event.key()
        cells = [place.cell for place in self.places()]
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and cells:
            step = 1 if key == Qt.Key.Key_Right else -1
            at = next(
                (n for n, cell in enumerate(cells) if cell is self._at), -1 if step > 0 else 0
            )
            self.go(cells[(at + step) % len(cells)])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._at is not None:
            self.picked.emit(self._at)
        else:
            super().keyPressEvent(event)


def _distance(one: QPointF, other: QPointF) -> float:
    return (one - other).manhattanLength()
