"""Dragging the bar of a cascade onto its neighbour, to run both as one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal

from core.base.ids import NpuOpId
from core.ir.trace import NOTHING
from gui.document.decisions import Deed
from gui.items.grip import Handle
from gui.items.rects_item import Hit
from gui.present.edits.deeds import Obstacle
from gui.present.timeline.data import TimelineData
from gui.state.store import Store
from gui.views.timeline.lanes import CASCADES, SLICES, LanesCanvas
from gui.widgets.foresight import Foresight
from gui.widgets.held_overlay import HeldOverlay

Ops = tuple[NpuOpId, ...]


class CascadeGrip(QObject):
    """Takes hold of cascades; what they are let go over is to run with them."""

    dropped = Signal(object)
    """The operators that are to run in one cascade, in no order."""

    def __init__(
        self, lanes: LanesCanvas, store: Store, deed: Callable[[Ops], Deed | Obstacle]
    ) -> None:
        """`deed` has operators run in one cascade with all that has to be in it."""
        super().__init__(lanes)
        self._lanes, self._deed = lanes, deed
        self.data: TimelineData | None = None
        """What is drawn; None where nothing of it can be decided."""
        self.overlay = HeldOverlay(lanes.viewport())
        self._foresight = Foresight(store, self.overlay)
        self._held: int | None = None
        self._start = QPointF()

    def take(self, start: QPointF, now: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        """Take hold of the bar of a cascade."""
        del now
        hit = self._lanes.hit_in_scene(start)
        if hit is None or self.offered(hit, modifiers) is None:
            return False
        self._held, self._start = hit.key, start
        return True

    def offered(self, hit: Hit | None, modifiers: Qt.KeyboardModifier) -> Handle | None:
        """The bar of a cascade can be moved onto another."""
        del modifiers
        is_bar = hit is not None and hit.layer == CASCADES and hit.items == 1
        if self.data is None or not is_bar:
            return None
        told = "Drag it onto its neighbour, to run both as one cascade."
        return Handle(told, Qt.CursorShape.OpenHandCursor)

    def move(self, now: QPointF) -> None:
        """Show with whom it would run."""
        if self._held is None or self.data is None:
            return
        box = self._bar(self._held)
        moved = box.translated(now.x() - self._start.x(), 0.0)
        ops = self._ops_under(now)
        made = self._deed(ops) if ops else "drop it on its neighbour to run both in one cascade"
        is_good = isinstance(made, Deed)
        hint = made.label if isinstance(made, Deed) else made
        self.overlay.show_held(hint, moved, self._pixel(now), origin=box, is_good=is_good)
        self._foresight.hold(made if isinstance(made, Deed) else None)

    def drop(self, now: QPointF) -> None:
        """Ask for it, where there is somebody to run with."""
        ops = self._ops_under(now)
        self.abort()
        if ops:
            self.dropped.emit(ops)

    def abort(self) -> None:
        """Hold nothing."""
        self._held = None
        self._foresight.hold(None)
        self.overlay.hide()

    def _ops_under(self, now: QPointF) -> Ops:
        """Those of the cascade that is held and of what is below the pointer; none if the same."""
        hit, data = self._lanes.hit_in_scene(now), self.data
        if data is None or self._held is None or hit is None:
            return ()
        own, others = data.cascades[self._held].ops, _ops_of(data, hit)
        return () if not others or set(others) <= set(own) else (*own, *others)

    def _bar(self, place: int) -> QRectF:
        rects = self._lanes.cascades.rects
        at = int((rects.key == place).argmax())
        corners = ((rects.left[at], rects.bottom[at]), (rects.right[at], rects.top[at]))
        first, last = (
            self._pixel(self._lanes.box.mapViewToScene(QPointF(float(x), float(y))))
            for x, y in corners
        )
        return QRectF(first, last).normalized()

    def _pixel(self, scene: QPointF) -> QPointF:
        return QPointF(self._lanes.mapFromScene(scene))


def _ops_of(data: TimelineData, hit: Hit) -> tuple[NpuOpId, ...]:
    if hit.layer == CASCADES:
        return data.cascades[hit.key].ops
    if hit.layer != SLICES or hit.key < 0:
        return ()
    op = int(data.trace.op[hit.key])
    place = NOTHING if op == NOTHING else int(data.cascade_of_op[op])
    if place != NOTHING:
        return data.cascades[place].ops
    return () if op == NOTHING else (NpuOpId(op),)
