"""Drawing a box on the empty ground of the map with Alt: bytes that are left alone for others."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, Qt, Signal

from gui.document.decisions import Deed
from gui.items.grip import Handle
from gui.items.rects_item import Hit
from gui.present.memory.reserves import Reserve, can_reserve, reserve_of, reserve_text
from gui.views.memory.map_pane import MapPane
from gui.views.memory.shown import Shown
from gui.widgets.foresight import Foresight


class ReserveGrip(QObject):
    """As wide as the operators while which they are left alone, and as high as the bytes."""

    dropped = Signal(object)
    """A `Reserve`."""

    def __init__(
        self,
        pane: MapPane,
        foresight: Foresight,
        shown: Callable[[], Shown | None],
        deed: Callable[[Reserve], Deed | None],
    ) -> None:
        super().__init__(pane)
        self._pane, self._foresight, self._overlay = pane, foresight, foresight.overlay
        self._shown, self._deed = shown, deed
        self._start: QPointF | None = None

    def take(self, start: QPointF, now: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        """Begin a box where nothing lies."""
        del now
        canvas = self._pane.canvas
        if self.offered(canvas.hit_in_scene(start), modifiers) is None:
            return False
        self._start = canvas.box.mapSceneToView(start)
        return True

    def offered(self, hit: Hit | None, modifiers: Qt.KeyboardModifier) -> Handle | None:
        """A box can be drawn where nothing lies."""
        shown = self._shown()
        is_free = bool(modifiers & Qt.KeyboardModifier.AltModifier) and hit is None
        if shown is None or not is_free or not can_reserve(shown.answer, shown.drawn):
            return None
        return Handle("Draw a box of bytes that are left alone.", Qt.CursorShape.CrossCursor)

    def move(self, now: QPointF) -> None:
        """Show the operators and the bytes that the box has."""
        shown, start, canvas = self._shown(), self._start, self._pane.canvas
        if shown is None or start is None:
            return
        place, found = canvas.box.mapSceneToView(now), self._reserve(now)
        edges = shown.drawn.edges
        left, right = sorted((start.x(), place.x()))
        if found is not None:
            left, right = float(edges[found.start_time]), float(edges[found.end_time + 1])
        hint = "draw a box: as wide as some operators, as high as the bytes that others need"
        self._overlay.show_held(
            hint if found is None else reserve_text(shown.answer, found),
            self._pane.box_of(left, right, *sorted((start.y(), place.y()))),
            QPointF(canvas.mapTo(self._pane, canvas.mapFromScene(now))),
            is_good=found is not None,
        )
        self._foresight.hold(None if found is None else self._deed(found))

    def drop(self, now: QPointF) -> None:
        """Ask for it."""
        found = self._reserve(now)
        self.abort()
        if found is not None:
            self.dropped.emit(found)

    def abort(self) -> None:
        """Hold nothing."""
        self._start = None
        self._foresight.hold(None)
        self._overlay.hide()

    def _reserve(self, now: QPointF) -> Reserve | None:
        shown, start = self._shown(), self._start
        if shown is None or start is None:
            return None
        place = self._pane.canvas.box.mapSceneToView(now)
        return reserve_of(shown.answer, shown.drawn, (start.x(), place.x()), (start.y(), place.y()))
