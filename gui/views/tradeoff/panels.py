"""Small multiples of a sweep, drawn straight in pixels; tells which cell is pointed at."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.api.sweeps import Cell
from gui.present.runs.tradeoff import Panel, same
from gui.theme.tones import LIGHT, Theme
from gui.views.tradeoff.grid import Grid, Place
from gui.views.tradeoff.pencil import Pencil


class PanelsWidget(QWidget):
    """Draws panels side by side; the pointer and keys go from cell to cell."""

    pointed = Signal(object)
    """The cell that is pointed at, or None."""
    picked = Signal(object)
    """The cell that is wanted."""
    kept = Signal(object)
    """The cell that is to be compared with from now on."""
    gone_to = Signal(QPointF)
    """Where the cell is that keys went to, which may be out of sight."""

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
        """Draw others; the cell that is pointed at stays, where it is there again."""
        before, self._panels = self._at, tuple(panels)
        cells = (spot.cell for panel in panels for line in panel.lines for spot in line.spots)
        self._at = next((cell for cell in cells if before is not None and same(cell, before)), None)
        self.updateGeometry()
        self.setMinimumHeight(self.grid.least_height)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    @property
    def current(self) -> Cell | None:
        """The cell that keys or the pointer have gone to."""
        return self._at

    @property
    def grid(self) -> Grid:
        """Where everything is."""
        return Grid(self._panels, self.fontMetrics(), self.width(), self.height())

    def places(self) -> tuple[Place, ...]:
        """All cells where they are drawn, line by line."""
        return tuple(self.grid.places)

    def sizeHint(self) -> QSize:
        return QSize(self.grid.least_width, self.grid.least_height)

    def resizeEvent(self, event: object) -> None:
        del event
        self.setMinimumHeight(self.grid.least_height)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw all panels; there are few lines, and no more cells than can be told apart."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.base))
        pencil = Pencil(painter, self._theme, self.fontMetrics())
        for panel, area in zip(self._panels, self.grid.areas, strict=True):
            pencil.draw_frame(panel, area)
            for number, line in enumerate(panel.lines):
                pencil.draw_line(line, number, area)
                pencil.draw_name(line, number, area)
            pencil.draw_flags(panel, area)
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

    def event(self, event: QEvent) -> bool:
        """A tool tip says what is flagged, or what limit a line is and where that is told."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.grid.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.go(self.grid.cell_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click with the left button wants the cell; with Ctrl it is to be A."""
        cell = self.grid.cell_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and cell is not None:
            self.go(cell)
            is_kept = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            (self.kept if is_kept else self.picked).emit(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right go to other limits, Enter takes what is pointed at."""
        key = event.key()
        places = self.places()
        cells = [place.cell for place in places]
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and cells:
            step = 1 if key == Qt.Key.Key_Right else -1
            at = next(
                (n for n, cell in enumerate(cells) if cell is self._at), -1 if step > 0 else 0
            )
            number = (at + step) % len(cells)
            self.go(cells[number])
            self.gone_to.emit(places[number].at)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._at is not None:
            self.picked.emit(self._at)
        else:
            super().keyPressEvent(event)
