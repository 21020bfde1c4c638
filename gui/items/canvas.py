"""A canvas with the hands that all of them share: wheel, drag, click, hover and keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from gui.items.axes import PlainAxis
from gui.items.flags_item import FlagsItem
from gui.items.layer_plot import LayerPlot
from gui.items.ranges import padded
from gui.items.rects_item import Hit

_ZOOM_A_KEY = 1.5
_PAN_A_KEY = 0.15
_SAME = 1e-6
_NO_KEY_MODIFIER = Qt.KeyboardModifier.NoModifier | Qt.KeyboardModifier.KeypadModifier


class Canvas(LayerPlot):
    """Layers of rectangles, and the keys that move over them.

    Say with `set_bounds` what there is; the view never leaves it. The wheel zooms x at the
    pointer (y with Ctrl where `moves_y`; both at once where `zooms_both`), dragging pans, Shift
    and dragging tells `span_dragged`, a double click frames what was hit. Keys are in `KEYS`, and
    each is a public method, so that commands can call it too.
    """

    KEYS: ClassVar[Mapping[Qt.Key, str]] = {
        Qt.Key.Key_W: "zoom_in",
        Qt.Key.Key_S: "zoom_out",
        Qt.Key.Key_A: "pan_left",
        Qt.Key.Key_D: "pan_right",
        Qt.Key.Key_Plus: "zoom_in",
        Qt.Key.Key_Minus: "zoom_out",
        Qt.Key.Key_Left: "pan_left",
        Qt.Key.Key_Right: "pan_right",
        Qt.Key.Key_Up: "pan_up",
        Qt.Key.Key_Down: "pan_down",
        Qt.Key.Key_F: "frame_selection",
        Qt.Key.Key_Escape: "clear_selection",
        Qt.Key.Key_Space: "ask_to_play",
    }
    """Keys without modifiers, and the method of each."""

    play_asked = Signal()
    """What runs over time is to be played in slow motion, or to stop."""

    def __init__(
        self,
        name: str,
        axes: Mapping[str, PlainAxis] | None = None,
        *,
        moves_y: bool = False,
        zooms_both: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(name, axes, moves_y=moves_y, zooms_both=zooms_both, parent=parent)
        self._flags: FlagsItem | None = None
        self.activated.connect(self._frame_hit)

    def add_flags(self, flags: FlagsItem) -> None:
        """Draw flags above all else, and tell what they say."""
        self._flags = flags
        self.addItem(flags, ignoreBounds=True)

    def tip_at(self, position: QPointF) -> str:
        """What the tip at a pixel of the viewport tells: of a flag all of its text."""
        scene = self.mapToScene(position.toPoint())
        flag = None if self._flags is None else self._flags.flag_at(scene)
        return super().tip_at(position) if flag is None else flag.text

    def ask_to_play(self) -> None:
        """Whoever has a player starts or stops it."""
        self.play_asked.emit()

    def zoom_in(self) -> None:
        self.box.zoom(1 / _ZOOM_A_KEY, self._middle())

    def zoom_out(self) -> None:
        self.box.zoom(_ZOOM_A_KEY, self._middle())

    def pan_left(self) -> None:
        self.box.pan(-_PAN_A_KEY * self.box.x_range.length)

    def pan_right(self) -> None:
        self.box.pan(_PAN_A_KEY * self.box.x_range.length)

    def pan_up(self) -> None:
        """Move upwards."""
        self.box.pan(0.0, (-1 if self.box.yInverted() else 1) * self._pan_y())

    def pan_down(self) -> None:
        """Move downwards."""
        self.box.pan(0.0, (1 if self.box.yInverted() else -1) * self._pan_y())

    def show_all(self) -> None:
        """Show everything."""
        self.box.show_all()

    def frame(self, start: float, end: float) -> None:
        """Show a stretch of x, with some room around it."""
        self.box.show(padded(start, end))

    def frame_selected(self) -> None:
        """Show what is selected, if anything is."""
        extents = [extent for layer in self._layers if (extent := layer.selected_extent())]
        if extents:
            self.frame(min(start for start, _ in extents), max(end for _, end in extents))

    def frame_selection(self) -> None:
        """Show what is selected; everything where that is shown already, or nothing is selected."""
        before = self.box.x_range
        self.frame_selected()
        now = self.box.x_range
        if max(abs(now.start - before.start), abs(now.end - before.end)) <= _SAME * before.length:
            self.show_all()

    def clear_selection(self) -> None:
        """Select nothing."""
        self.picked.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do what the table of keys says."""
        name = self.KEYS.get(Qt.Key(event.key()))
        if name is None or event.modifiers() & ~_NO_KEY_MODIFIER:
            event.ignore()
            return
        getattr(self, name)()
        event.accept()

    def _frame_hit(self, hit: Hit) -> None:
        layer = next(layer for layer in self._layers if layer.name == hit.layer)
        extent = layer.extent_of((hit.key,))
        if extent is not None:
            self.frame(extent[0], extent[1])

    def _middle(self) -> QPointF:
        shown = self.box.viewRect().center()
        return QPointF(shown.x(), shown.y())

    def _pan_y(self) -> float:
        return _PAN_A_KEY * self.box.y_range.length
