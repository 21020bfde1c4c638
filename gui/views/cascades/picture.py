"""The picture of a cascade after one of its steps: rows, what is read of them, and rings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.base.ids import NpuOpId
from gui.document.display import ByteUnit
from gui.items.brushes import brush_of, lines_of
from gui.items.pins_item import draw_pin, pin_px
from gui.items.ratio import ratio_of
from gui.present.cascades.picture import ELSEWHERE, CascadeInfo, Stage
from gui.present.cascades.play import (
    Arc,
    Frame,
    RingState,
    Rows,
    StageState,
    ring_text,
    ring_texts,
    rows_text,
    stage_text,
)
from gui.present.edits.rows import State
from gui.present.fitting import fitted
from gui.theme.tones import LIGHT, Ink, Theme, Tone
from gui.views.cascades.geometry import Geometry

_HOLE = 0.56
"""Of the radius."""
_ROOM = 0.9
_MOST_LINES = 40
"""Rows are told apart by lines in rings of at most so many."""
_LEAST_STRIPE_PX = 4
"""Stripes are told apart by lines where they are at least so wide."""
_READ_ALPHA = 70
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class RingPainter:
    """Draws rings with a painter and a theme."""

    def __init__(self, painter: QPainter, theme: Theme) -> None:
        self._painter = painter
        self._theme = theme
        self._ratio = ratio_of(painter)

    def draw(self, ring: RingState, square: QRectF) -> None:
        """Draw a ring into a square."""
        painter, theme = self._painter, self._theme
        outer = square.adjusted(4.5, 4.5, -4.5, -4.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        everything = Arc(0, ring.height)
        self._fill(outer, ring.height, everything, QBrush(QColor(theme.alternate)))
        self._fill(outer, ring.height, ring.arc(ring.held), self._brush(Tone.ROLLING))
        self._fill(outer, ring.height, ring.arc(ring.written), self._brush(Tone.COMPUTE))
        if ring.height <= _MOST_LINES:
            self._lines(outer, ring.height)
        painter.setPen(QPen(QColor(theme.faint_text), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(outer)
        painter.drawEllipse(_hole(outer))
        self._read(outer, ring)
        self._number(outer, ring)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _brush(self, tone: Tone) -> QBrush:
        return brush_of(self._theme.inks[tone], self._ratio)

    def _fill(self, outer: QRectF, height: int, arc: Arc, brush: QBrush) -> None:
        if arc.length <= 0 or height <= 0:
            return
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(brush)
        self._painter.drawPath(_sector(outer, height, arc))

    def _lines(self, outer: QRectF, height: int) -> None:
        self._painter.setPen(QPen(QColor(self._theme.base), 1))
        for row in range(height if height > 1 else 0):
            path = _sector(outer, height, Arc(row, 0))
            self._painter.drawLine(path.elementAt(0), path.elementAt(1))

    def _read(self, outer: QRectF, ring: RingState) -> None:
        """An arc around the rows that are read."""
        if not ring.read.number:
            return
        arc = ring.arc(ring.read)
        self._painter.setPen(QPen(QColor(self._theme.accent), 3, c=Qt.PenCapStyle.FlatCap))
        start, length = _degrees(ring.height, arc)
        around = outer.adjusted(-2.5, -2.5, 2.5, 2.5)
        self._painter.drawArc(around, round(start * 16), round(length * 16))

    def _number(self, outer: QRectF, ring: RingState) -> None:
        """How many rows are held, where that fits into the hole."""
        text = f"{ring.held.number}/{ring.height}"
        if self._painter.fontMetrics().horizontalAdvance(text) <= _hole(outer).width() * _ROOM:
            self._painter.setPen(QColor(self._theme.text))
            self._painter.drawText(outer, Qt.AlignmentFlag.AlignCenter, text)


def _hole(outer: QRectF) -> QRectF:
    inset = outer.width() * (1.0 - _HOLE) / 2
    return outer.adjusted(inset, inset, -inset, -inset)


def _degrees(height: int, arc: Arc) -> tuple[float, float]:
    """Start and length as Qt counts them: from three o'clock, against the clock."""
    return 90.0 - 360.0 * arc.first / height, -360.0 * arc.length / height


def _sector(outer: QRectF, height: int, arc: Arc) -> QPainterPath:
    start, length = _degrees(height, arc)
    hole = _hole(outer)
    path = QPainterPath()
    path.arcMoveTo(hole, start)
    inner: QPointF = path.currentPosition()
    path.arcMoveTo(outer, start)
    edge: QPointF = path.currentPosition()
    path = QPainterPath(inner)
    path.lineTo(edge)
    path.arcTo(outer, start, length)
    path.arcTo(hole, start + length, -length)
    path.closeSubpath()
    return path


class Picture(QWidget):
    """Operators from the top to the bottom; each hands rows down through a ring."""

    stage_clicked = Signal(int)
    """Position of an operator."""
    stage_activated = Signal()
    """What is picked was double-clicked."""
    ring_clicked = Signal(int)
    """Position of the operator that writes the rolling buffer."""

    asked = Signal(str)
    """A key was pressed, by the name of what it does."""

    KEYS: ClassVar[Mapping[Qt.Key, str]] = {
        Qt.Key.Key_Left: "step_back",
        Qt.Key.Key_Right: "step_forward",
        Qt.Key.Key_Space: "play_or_pause",
        Qt.Key.Key_Home: "first",
        Qt.Key.Key_End: "last",
    }

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cascade: CascadeInfo | None = None
        self._frame: Frame | None = None
        self._selected: int | None = None
        self._pins: Mapping[NpuOpId, State] = {}
        self._unit = ByteUnit.KIB
        self._theme: Theme = LIGHT
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Cascade, stripe by stripe")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)

    def set_cascade(self, cascade: CascadeInfo | None) -> None:
        self._cascade, self._frame = cascade, None
        geometry = self.geometry_now()
        self.setMinimumSize(QSize(round(geometry.least_width), round(geometry.least_height)))
        self.update()

    def set_frame(self, frame: Frame | None) -> None:
        """Draw another step."""
        self._frame = frame
        self.update()

    def set_selected(self, stage: int | None) -> None:
        """Mark an operator."""
        self._selected = stage
        self.update()

    def set_pins(self, pins: Mapping[NpuOpId, State]) -> None:
        """Mark operators that are decided about."""
        self._pins = pins
        self.update()

    def set_display(self, theme: Theme, unit: ByteUnit) -> None:
        """Draw in other colours, and write sizes in another unit."""
        self._theme, self._unit = theme, unit
        self.update()

    def geometry_now(self) -> Geometry:
        """Where everything is."""
        stages = 0 if self._cascade is None else len(self._cascade.stages)
        return Geometry.of(self.fontMetrics(), self.size(), stages)

    def running_box(self) -> QRectF:
        """The row of the operator that runs."""
        return QRectF() if self._frame is None else self.geometry_now().box(self._frame.running)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick an operator or a ring; a second press soon after shows it elsewhere too."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pick(event.position())
            if event.type() is QEvent.Type.MouseButtonDblClick:
                self.stage_activated.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Pick what the menu will be about; the view around opens it."""
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            self._pick(QPointF(event.pos()))
        event.ignore()

    def _pick(self, position: QPointF) -> None:
        geometry = self.geometry_now()
        stage = geometry.stage_at(position)
        if stage is None or self._cascade is None:
            return
        has_ring = self._cascade.stages[stage].buffer is not None
        if has_ring and geometry.ring(stage).contains(position):
            self.ring_clicked.emit(stage)
        else:
            self.stage_clicked.emit(stage)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for what the key does; the scroll area would take it otherwise."""
        name = self.KEYS.get(Qt.Key(event.key()))
        if name is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        else:
            self.asked.emit(name)

    def event(self, event: QEvent) -> bool:
        """Tell what is under a pointer that rests."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return bool(super().event(event))

    def tip_at(self, point: QPointF) -> str:
        """What is at a point, in words."""
        geometry, frame = self.geometry_now(), self._frame
        place = geometry.stage_at(point)
        if place is None or self._cascade is None or frame is None:
            return ""
        stage = self._cascade.stages[place]
        ring = next((ring for ring in frame.rings if ring.stage == place), None)
        if ring is not None and point.x() >= geometry.ring(place).left():
            held = rows_text(ring.held)
            return f"{stage.buffer_name}\n{ring_text(ring, self._unit)}\nholds {held}"
        return f"{stage.title}\n{stage.facts}\n{stage_text(stage, frame.stages[place])}"

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the input, and all operators below it."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._theme.base))
        cascade, frame = self._cascade, self._frame
        if cascade is not None and frame is not None:
            geometry = self.geometry_now()
            self._input(painter, geometry, cascade)
            for place, stage in enumerate(cascade.stages):
                if geometry.box(place).toAlignedRect().intersects(event.rect()):
                    self._stage(painter, geometry, place, stage, frame.stages[place])
            self._reading(painter, geometry, cascade, frame)
            rings = RingPainter(painter, self._theme)
            for ring in frame.rings:
                rings.draw(ring, geometry.ring(ring.stage))
                if geometry.has_texts:
                    texts = ("rolling buffer", *ring_texts(ring, self._unit))
                    self._texts(painter, geometry.ring_text(ring.stage), texts)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(self._theme.accent))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _input(self, painter: QPainter, geometry: Geometry, cascade: CascadeInfo) -> None:
        texts = (cascade.input_name, f"input of {cascade.input_rows:,} rows")
        self._texts(painter, geometry.label(-1), texts)
        self._strip(painter, geometry, -1, Rows(0, cascade.input_rows), cascade.input_rows)

    def _stage(
        self,
        painter: QPainter,
        geometry: Geometry,
        place: int,
        stage: Stage,
        state: StageState,
    ) -> None:
        theme, box = self._theme, geometry.box(place)
        if state.is_running:
            painter.fillRect(box, QColor(theme.alternate))
        if place == self._selected:
            painter.fillRect(QRectF(0, box.top(), 4, box.height()), QColor(theme.accent))
        painter.setPen(QColor(theme.grid))
        painter.drawLine(box.topLeft(), box.topRight())
        texts = (stage.title, stage.facts, stage_text(stage, state))
        self._texts(painter, geometry.label(place), texts)
        self._strip(painter, geometry, place, Rows(0, state.made), stage.rows)
        if state.makes.number:
            _fill(painter, geometry.rows(place, state.makes, stage.rows), theme.inks[Tone.COMPUTE])
        _stripes(painter, geometry.strip(place), stage, theme)
        if stage.op in self._pins:
            corner = box.topLeft() + QPointF(1.5 * pin_px(), 1.5 * pin_px())
            draw_pin(painter, corner, self._pins[stage.op], theme)

    def _strip(
        self, painter: QPainter, geometry: Geometry, place: int, made: Rows, rows: int
    ) -> None:
        strip = geometry.strip(place)
        painter.fillRect(strip, QColor(self._theme.alternate))
        _fill(painter, geometry.rows(place, made, rows), self._theme.inks[Tone.USED])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QColor(self._theme.faint_text))
        painter.drawRect(strip)

    def _reading(
        self, painter: QPainter, geometry: Geometry, cascade: CascadeInfo, frame: Frame
    ) -> None:
        """From the rows that are read down to those that are made of them, for each input."""
        running = cascade.stages[frame.running]
        made = geometry.rows(frame.running, frame.stages[frame.running].makes, running.rows)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        for above in {*running.reads} - {ELSEWHERE}:
            of = cascade.input_rows if above < 0 else cascade.stages[above].rows
            if frame.reads.number:
                _funnel(painter, self._theme, geometry.rows(above, frame.reads, of), made)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _texts(self, painter: QPainter, box: QRectF, texts: tuple[str, ...]) -> None:
        """Lines of text below each other, the first the most important."""
        metrics = self.fontMetrics()
        line = metrics.height()
        top = box.center().y() - line * len(texts) / 2
        for number, text in enumerate(texts):
            painter.setPen(QColor(self._theme.text if number == 0 else self._theme.faint_text))
            shown = fitted(text, box.width(), metrics.horizontalAdvance)
            area = QRectF(box.left(), top + number * line, box.width(), line)
            painter.drawText(area, _LEFT, shown)


def _funnel(painter: QPainter, theme: Theme, read: QRectF, made: QRectF) -> None:
    """From rows that are read down to those that are made of them."""
    colour = QColor(theme.accent)
    painter.setPen(QPen(colour, 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(read)
    colour.setAlpha(_READ_ALPHA)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    corners = (read.bottomLeft(), read.bottomRight(), made.topRight(), made.topLeft())
    painter.drawPolygon(QPolygonF(list(corners)))


def _fill(painter: QPainter, box: QRectF, ink: Ink) -> None:
    painter.fillRect(box, QColor(ink.colour))
    painter.fillRect(box, lines_of(ink.text, ink.pattern, ratio_of(painter)))


def _stripes(painter: QPainter, strip: QRectF, stage: Stage, theme: Theme) -> None:
    """Lines between stripes, where they are not too narrow."""
    width = strip.width() * stage.stripe_rows / max(stage.rows, 1)
    if width < _LEAST_STRIPE_PX:
        return
    painter.setPen(QColor(theme.base))
    for number in range(1, stage.stripes):
        x = round(strip.left() + number * width)
        painter.drawLine(QPointF(x, strip.top() + 1), QPointF(x, strip.bottom() - 1))
