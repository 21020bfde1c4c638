"""A plot of layers of rectangles: what is at the pointer, what it tells, who has the focus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QStatusTipEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from gui.items.axes import PlainAxis
from gui.items.grip import Handle
from gui.items.hands_box import HandsBox
from gui.items.ranges import Limits, Range
from gui.items.rects_item import Hit, RectsItem
from gui.theme.tones import LIGHT, Theme

_SIDES = ("left", "bottom", "top", "right")
_CORNER_PX = 6


class _QuietPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """No widget around it acts on a press or a release that was meant for it."""

    def __init__(self, box: HandsBox, **options: Any) -> None:
        self.box = box
        self._is_menu_swallowed = False
        self._handle: Handle | None = None
        """What is offered to the pointer now."""
        super().__init__(viewBox=box, **options)
        # The ground is of one colour; kept as pixels, it would be pixels in every file too.
        self.setCacheMode(self.CacheModeFlag.CacheNone)

    @property
    def is_holding(self) -> bool:
        """Whether something is dragged that can be put back."""
        return self.box.is_gripped

    def give_up(self) -> None:
        """Put it back; the rest of the drag moves nothing."""
        self.box.let_go()

    def _offered(self, hit: Hit | None, modifiers: Qt.KeyboardModifier) -> Handle | None:
        return None if self.box.grip is None else self.box.grip.offered(hit, modifiers)

    def _offer(self, handle: Handle | None) -> None:
        """Let the pointer say what can be dragged, and the foot of the window how."""
        if handle == self._handle:
            return
        self._handle = handle
        if handle is None or handle.cursor is None:
            self.viewport().unsetCursor()
        else:
            self.viewport().setCursor(handle.cursor)
        QCoreApplication.sendEvent(self, QStatusTipEvent("" if handle is None else handle.told))

    def event(self, event: QEvent) -> bool:
        """Esc puts back what is held, before it means anything else."""
        # Other events come while a plot is taken apart, when it has no box any more.
        if isinstance(event, QKeyEvent) and _is_escape(event) and self.is_holding:
            if event.type() == QEvent.Type.KeyPress:
                self.give_up()
            event.accept()
            return True
        return bool(super().event(event))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take it; the right button puts back what is held, and opens no menu then."""
        is_right = event.button() == Qt.MouseButton.RightButton
        self._is_menu_swallowed = self.is_holding
        if is_right and self.is_holding:
            self.give_up()
        elif not (is_right or self.is_holding):
            # Of the right button a menu would get the release, for which the scene would wait.
            super().mousePressEvent(event)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take it."""
        super().mouseReleaseEvent(event)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Take it."""
        super().mouseDoubleClickEvent(event)
        event.accept()


class LayerPlot(_QuietPlot):
    """A plot without a menu; layers are asked from the last to the first what is at a point."""

    picked = Signal(object)
    """A `Hit` was clicked, or None: the empty ground, or Esc."""
    activated = Signal(object)
    """A `Hit` was double-clicked."""
    hovered = Signal(object)
    """The pointer is over another `Hit`, or None."""
    span_dragged = Signal(float, float, bool)
    """With Shift: from where to where along x, and whether the button was let go."""
    menu_hit = Signal(object)
    """A `Hit` whose menu is about to open."""
    view_changed = Signal()
    """Another part is shown."""

    def __init__(
        self,
        name: str,
        axes: Mapping[str, PlainAxis] | None = None,
        *,
        moves_y: bool = False,
        zooms_both: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        self._theme = LIGHT
        self._layers: list[RectsItem] = []
        self._describe: Callable[[Hit], str] | None = None
        self._shown_hover: tuple[Hit | None, bool] = (None, False)
        """What is outlined, and whether with a handle."""
        self._corner = ""
        given = dict(axes or {})
        # Those that are hidden are ours too: pyqtgraph's work at each move all the same.
        all_axes = {side: given.get(side) or PlainAxis(side) for side in _SIDES}
        box = HandsBox(moves_y=moves_y, zooms_both=zooms_both)
        super().__init__(box, parent=parent, axisItems=all_axes)
        self.setMenuEnabled(False)
        self.hideButtons()
        for side in _SIDES:
            self.showAxis(side, show=side in given)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.box.clicked.connect(self._click)
        self.box.span_dragged.connect(self.span_dragged)
        self.box.sigRangeChanged.connect(self._tell_view)

    def add_layer(self, layer: RectsItem) -> None:
        """Draw rectangles, above those of earlier layers."""
        layer.setZValue(len(self._layers))
        self._layers.append(layer)
        layer.set_theme(self._theme)
        self.addItem(layer, ignoreBounds=True)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours; layers and axes too."""
        self._theme = theme
        self.setBackground(theme.base)
        for layer in self._layers:
            layer.set_theme(theme)
        for side in _SIDES:
            axis = self.getAxis(side)
            if isinstance(axis, PlainAxis):
                axis.set_theme(theme)
        self.viewport().update()

    def set_bounds(
        self,
        along_x: Range,
        along_y: Range,
        least_x: float = 16.0,
        least_y: float = 1.0,
        margin_y: float = 0.0,
    ) -> None:
        """Say what there is to see, and how little of it may fill the view; shows nothing else."""
        self.box.set_limits(Limits(along_x, least_x), Limits(along_y, least_y, margin_y))
        self.box.show(self.box.x_range, self.box.y_range)

    def set_corner(self, text: str) -> None:
        """Write something between the left and the bottom axis, such as a unit."""
        if text != self._corner:
            self._corner = text
            self.viewport().update()

    def set_describer(self, describe: Callable[[Hit], str]) -> None:
        """Say what the tip at the pointer tells; several merged ones may be `Hit.items`."""
        self._describe = describe

    def describe_selection(self, text: str) -> None:
        """Tell those who cannot see the canvas what is selected."""
        self.setAccessibleDescription(text)

    def hit_at(self, position: QPointF) -> Hit | None:
        """What is drawn at a pixel of the viewport."""
        return self.hit_in_scene(QPointF(self.mapToScene(position.toPoint())))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Outline what is under the pointer."""
        super().mouseMoveEvent(event)
        if event.buttons() == Qt.MouseButton.NoButton:
            hit = self.hit_at(event.position())
            self._offer(self._offered(hit, event.modifiers()))
            self._hover(hit)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Tell what the menu will be about; the view around opens it."""
        if self._is_menu_swallowed:
            self._is_menu_swallowed = False
            event.accept()
            return
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            hit = self.hit_at(QPointF(event.pos()))
            if hit is not None:
                self.menu_hit.emit(hit)
        event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer."""
        super().leaveEvent(event)
        self._offer(None)
        self._hover(None)

    def viewportEvent(self, event: QEvent) -> bool:
        """Tell what is under a pointer that rests."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return bool(super().viewportEvent(event))

    def tip_at(self, position: QPointF) -> str:
        """What the tip at a pixel of the viewport tells, with what can be dragged there."""
        hit = self.hit_at(position)
        if hit is None or self._describe is None:
            return ""
        handle = self._offered(hit, Qt.KeyboardModifier.NoModifier)
        return "\n".join(filter(None, (self._describe(hit), handle.told if handle else "")))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Show who has the keys, and what stands in the corner."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        if self._corner:
            area = self.box.sceneBoundingRect()
            below = self.viewport().height() - area.bottom()
            corner = QRectF(0.0, area.bottom(), area.left() - _CORNER_PX, below)
            painter.setPen(QColor(self._theme.faint_text))
            painter.drawText(
                corner,
                int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom),
                self._corner,
            )
        if self.hasFocus():
            painter.setPen(QColor(self._theme.accent))
            painter.drawRect(QRectF(self.viewport().rect()).adjusted(0, 0, -1, -1))
        painter.end()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Draw the frame."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the frame away."""
        super().focusOutEvent(event)
        self.viewport().update()

    def hit_in_scene(self, scene: QPointF) -> Hit | None:
        """What is drawn at a place of the scene."""
        if not self.box.sceneBoundingRect().contains(scene):
            return None
        point = self.box.mapSceneToView(scene)
        for layer in reversed(self._layers):
            found = layer.hit(point.x(), point.y()) if layer.isVisible() else None
            if found is not None:
                return found
        return None

    def _click(self, scene: QPointF, is_double: bool) -> None:  # noqa: FBT001 - a signal's
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        hit = self.hit_in_scene(scene)
        if not is_double:
            self.picked.emit(hit)
        elif hit is not None:
            self.activated.emit(hit)

    def _hover(self, hit: Hit | None) -> None:
        handle = self._handle
        has_handle = handle is not None and handle.cursor is not None
        if (hit, has_handle) == self._shown_hover:
            return
        self._shown_hover = hit, has_handle
        for layer in self._layers:
            is_its = hit is not None and hit.layer == layer.name
            layer.set_hovered(hit if is_its else None, has_handle=is_its and has_handle)
        self.hovered.emit(hit)

    def _tell_view(self) -> None:
        self.view_changed.emit()


def _is_escape(event: QKeyEvent) -> bool:
    is_asked = event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
    return is_asked and event.key() == Qt.Key.Key_Escape
