"""A canvas of the timeline: it leaves most keys to the view, and shows the marked stretch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent

from gui.document.display import Span
from gui.items.axes import PlainAxis
from gui.items.canvas import Canvas
from gui.theme.tones import Theme

_SPAN_ALPHA = 45
_ABOVE_ALL = 100
_PLAYED_PX = 2
_STILL_HELD, _LET_GO = False, True


class KeyedCanvas(Canvas):
    """Asks the view by the name of a method; the view answers for both canvases."""

    asked = Signal(str)
    """A method of the view that a key stands for."""
    span_moved = Signal(float, float, bool)
    """A handle of the marked stretch was dragged; at last, whether it was let go."""

    VIEW_KEYS: ClassVar[Mapping[Qt.Key, str]] = {
        Qt.Key.Key_Period: "select_next",
        Qt.Key.Key_Comma: "select_previous",
        Qt.Key.Key_BracketLeft: "follow_producer",
        Qt.Key.Key_BracketRight: "follow_consumer",
        Qt.Key.Key_F: "frame_selection",
        Qt.Key.Key_E: "fold_selection",
        Qt.Key.Key_Escape: "clear",
    }

    def __init__(self, name: str, axes: Mapping[str, PlainAxis], *, moves_y: bool = False) -> None:
        super().__init__(name, axes, moves_y=moves_y)
        self._span = pg.LinearRegionItem(movable=False)
        self._span.setZValue(_ABOVE_ALL)
        for line in self._span.lines:
            line.setMovable(True)
        self._span.hide()
        self.addItem(self._span, ignoreBounds=True)
        self.played = pg.InfiniteLine(movable=False)
        """Where the step of a cascade is that is played elsewhere."""
        self.played.setZValue(_ABOVE_ALL)
        self.played.hide()
        self.addItem(self.played, ignoreBounds=True)
        self.moment = pg.InfiniteLine(movable=False)
        """Where memory is cut."""
        self.moment.setZValue(_ABOVE_ALL)
        self.moment.hide()
        self.addItem(self.moment, ignoreBounds=True)
        self._is_own_move = False
        self._span.sigRegionChanged.connect(self._tell_moving)
        self._span.sigRegionChangeFinished.connect(self._tell_moved)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask the view, or move."""
        name = self.VIEW_KEYS.get(Qt.Key(event.key()))
        if name is None or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().keyPressEvent(event)
            return
        self.asked.emit(name)
        event.accept()

    def show_span(self, span: Span | None) -> None:
        """Draw the marked stretch, or none."""
        self._is_own_move = True
        if span is not None:
            self._span.setRegion((span.start_cycle, span.end_cycle))
        self._span.setVisible(span is not None)
        self._is_own_move = False

    def show_played(self, span: Span | None) -> None:
        """Draw a line through the middle of the step that is played, or none."""
        if span is not None:
            self.played.setValue((span.start_cycle + span.end_cycle) / 2)
        self.played.setVisible(span is not None)

    def show_moment(self, cycle: float | None) -> None:
        """Draw a line at a cycle, or none."""
        if cycle is not None:
            self.moment.setValue(cycle)
        self.moment.setVisible(cycle is not None)

    @property
    def span_lines(self) -> tuple[float, float]:
        """Where the handles of the marked stretch are."""
        start, end = self._span.getRegion()
        return float(start), float(end)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        colour = QColor(theme.accent)
        self.played.setPen(colour, width=_PLAYED_PX)
        self.moment.setPen(colour)
        for line in self._span.lines:
            line.setPen(colour)
            line.setHoverPen(QColor(theme.text), width=3)
        colour.setAlpha(_SPAN_ALPHA)
        self._span.setBrush(colour)

    def _tell_moving(self) -> None:
        if not self._is_own_move:
            self.span_moved.emit(*self.span_lines, _STILL_HELD)

    def _tell_moved(self) -> None:
        if not self._is_own_move:
            self.span_moved.emit(*self.span_lines, _LET_GO)
