"""Dragging ranges and ghosts over the map: a preview while they are held, a decision at the end."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal

from core.base.frozen import NamedTuple
from core.base.sentences import capitalised
from gui.document.decisions import Deed
from gui.items.canvas import Canvas
from gui.items.grip import Handle
from gui.items.rects_item import Hit
from gui.present.memory.moves import (
    Held,
    Preview,
    held_ghost,
    held_range,
    moved_in_or_out,
    moved_to,
)
from gui.views.memory.map_pane import GHOSTS, MapPane
from gui.views.memory.shown import Shown
from gui.widgets.foresight import Foresight

_UP_AND_DOWN = Qt.CursorShape.SizeVerCursor
_BY_ALT = "with Alt, or after G, drag it to another address"


class Hands(NamedTuple):
    """What a grip knows of what is decided."""

    shown: Callable[[], Shown | None]
    deed: Callable[[Held, Preview], Deed | None]
    """What letting go comes to."""


class MapGrip(QObject):
    """Takes hold of feature maps: up and down moves them in or out, with Alt to an address."""

    dropped = Signal(object, object)
    """A `Held`, and the `Preview` that was shown last, which asks for something."""

    def __init__(self, pane: MapPane, canvas: Canvas, foresight: Foresight, hands: Hands) -> None:
        super().__init__(pane)
        self._pane, self._canvas, self._foresight = pane, canvas, foresight
        self._overlay = foresight.overlay
        self._shown, self._deed = hands
        self._held: Held | None = None
        self.preview: Preview | None = None
        """What letting go would ask for."""
        self._is_address = False
        self._start = QPointF()

    def take(self, start: QPointF, now: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        """Take hold of a map; without Alt only where the drag begins upwards or downwards."""
        self._is_address = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        way = now - start
        if not (self._is_address or abs(way.y()) > abs(way.x())):
            return False
        self._held = self._holdable(self._canvas.hit_in_scene(start), is_address=self._is_address)
        self._start = start
        return self._held is not None

    def offered(self, hit: Hit | None, modifiers: Qt.KeyboardModifier) -> Handle | None:
        """Which way the map under the pointer can be moved."""
        if modifiers & Qt.KeyboardModifier.AltModifier:
            held = self._holdable(hit, is_address=True)
            return None if held is None else Handle("Drag it to another address.", _UP_AND_DOWN)
        can_move = self._holdable(hit, is_address=False)
        if can_move is not None:
            way = "below the limit, to keep it" if can_move.is_ghost else "up, out of this memory"
            there = "." if can_move.is_ghost else f"; {_BY_ALT}."
            return Handle(f"Drag it {way}{there}", _UP_AND_DOWN)
        held = self._holdable(hit, is_address=True)
        return None if held is None else Handle(f"{capitalised(_BY_ALT)}.")

    def _holdable(self, hit: Hit | None, *, is_address: bool) -> Held | None:
        """What can be moved of what is under the pointer, to an address or in and out."""
        shown = self._shown()
        if shown is None or hit is None or hit.items > 1:
            return None
        if shown.answer.scheduled.compiled_by is not None:
            return None
        if hit.layer == GHOSTS:
            fm = shown.ghosts[hit.key].evicted.fms[0]
            name = shown.answer.scheduled.run.graph.titles.map(fm)
            return None if is_address else held_ghost(shown.ghosts, hit.key, name)
        if is_address:
            return held_range(shown.drawn, hit.key, can_move_out=False)
        can_move_out = shown.answer.scheduled.target.is_spilling
        return held_range(shown.drawn, hit.key, can_move_out=True) if can_move_out else None

    def move(self, now: QPointF) -> None:
        """Show what would come of letting go here."""
        shown, held = self._shown(), self._held
        if shown is None or held is None:
            return
        pointer = self._in_pane(now)
        preview = self._preview(shown, held, pointer)
        box = self._box(shown, held, preview, pointer)
        origin = self._range_box(shown, held.key) if not held.is_ghost else QRectF()
        blocked = tuple(self._range_box(shown, key) for key in preview.blocked)
        box = box.intersected(QRectF(self._pane.canvas.geometry()))
        self.preview = preview
        self._overlay.show_held(
            preview.hint,
            box,
            pointer,
            origin=origin,
            blocked=blocked,
            is_good=preview.move is not None,
        )
        self._foresight.hold(self._deed(held, preview))

    def drop(self, now: QPointF) -> None:
        """Ask for what was shown, if that is something."""
        self.move(now)
        held, preview = self._held, self.preview
        self.abort()
        if held is not None and preview is not None and preview.move is not None:
            self.dropped.emit(held, preview)

    def abort(self) -> None:
        """Hold nothing."""
        self._held = None
        self.preview = None
        self._foresight.hold(None)
        self._overlay.hide()

    def _preview(self, shown: Shown, held: Held, pointer: QPointF) -> Preview:
        height = self._height_at(pointer)
        if self._is_address:
            lifted = height - self._height_at(self._in_pane(self._start))
            return moved_to(shown.drawn, held, held.address + lifted)
        return moved_in_or_out(shown.drawn, held, height)

    def _in_pane(self, scene: QPointF) -> QPointF:
        return QPointF(self._canvas.mapTo(self._pane, self._canvas.mapFromScene(scene)))

    def _height_at(self, pointer: QPointF) -> float:
        """Bytes from address 0 on up to a place of the pane."""
        canvas = self._pane.canvas
        inside = canvas.mapFrom(self._pane, pointer.toPoint())
        return float(canvas.box.mapSceneToView(QPointF(canvas.mapToScene(inside))).y())

    def _box(self, shown: Shown, held: Held, preview: Preview, pointer: QPointF) -> QRectF:
        edges = shown.drawn.edges
        left, right = float(edges[held.start_time]), float(edges[held.end_time + 1])
        if preview.address is not None:
            bottom = float(preview.address)
        else:
            bottom = self._height_at(pointer) - held.size_bytes / 2
        return self._pane.box_of(left, right, bottom, bottom + held.size_bytes)

    def _range_box(self, shown: Shown, key: int) -> QRectF:
        rects = shown.drawn.rects
        return self._pane.box_of(
            float(rects.left[key]),
            float(rects.right[key]),
            float(rects.bottom[key]),
            float(rects.top[key]),
        )
