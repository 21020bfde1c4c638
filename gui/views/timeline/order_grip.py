"""Dragging the selected operator along its lane, to run before or after another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal

from core.base.frozen import NamedTuple
from core.base.ids import NpuOpId
from core.ir.trace import NOTHING
from gui.document.decisions import Deed
from gui.items.grip import Handle
from gui.items.rects_item import Hit
from gui.present.edits.deeds import Asked, Obstacle, moved_to
from gui.present.edits.subjects import free_ops, run_order
from gui.present.timeline.data import TimelineData
from gui.state.store import Store
from gui.views.timeline.lanes import SLICES, LanesCanvas
from gui.widgets.foresight import Foresight
from gui.widgets.held_overlay import HeldOverlay

_MOST_LIT = 400


class _Held(NamedTuple):
    """The operator that is dragged, and where it was."""

    op: NpuOpId
    start: QPointF
    box: QRectF
    lit: tuple[QRectF, ...]


class OrderGrip(QObject):
    """Takes hold of the selected operator; over another one it is let go before or after it."""

    decided = Signal(object)
    """The `Deed` that it comes to."""

    def __init__(
        self, lanes: LanesCanvas, store: Store, asked: Callable[[], Asked | Obstacle]
    ) -> None:
        super().__init__(lanes)
        self._lanes, self._asked = lanes, asked
        self.data: TimelineData | None = None
        """What is drawn; None where nothing of it can be decided."""
        self.overlay = HeldOverlay(lanes.viewport())
        self._foresight = Foresight(store, self.overlay)
        self._held: _Held | None = None

    def take(self, start: QPointF, now: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        """Take hold of a slice of the operator that is selected, and of no other."""
        del now, modifiers
        asked, hit = self._asked(), self._lanes.hit_in_scene(start)
        op = self._op_of(asked, hit)
        if self.data is None or isinstance(asked, str) or hit is None or op is None:
            return False
        (box,) = self._boxes(self._lanes.slices.rects.key == hit.key) or (QRectF(),)
        free = np.array(sorted(free_ops(asked.answer, op)), dtype=np.int64)
        keys = self._lanes.slices.rects.key
        is_lit = (keys >= 0) & np.isin(self.data.trace.op[np.maximum(keys, 0)], free)
        self._held = _Held(op, start, box, self._boxes(is_lit))
        return True

    def offered(self, hit: Hit | None, modifiers: Qt.KeyboardModifier) -> Handle | None:
        """The operator that is selected can be moved along its lane."""
        del modifiers
        if self._op_of(self._asked(), hit) is None:
            return None
        told = "Drag it along its lane, to run before or after another."
        return Handle(told, Qt.CursorShape.SizeHorCursor)

    def _op_of(self, asked: Asked | Obstacle, hit: Hit | None) -> NpuOpId | None:
        """The operator of a slice, where that is the one that is selected."""
        if self.data is None or isinstance(asked, str) or hit is None:
            return None
        if hit.layer != SLICES or hit.key < 0 or hit.items != 1:
            return None
        op = int(self.data.trace.op[hit.key])
        return NpuOpId(op) if op != NOTHING and asked.selection.ops == (op,) else None

    def move(self, now: QPointF) -> None:
        """Show before or after whom it would run, or what keeps it from that."""
        if self._held is None:
            return
        made = self._deed(now)
        hint = "drop it on one that is lit, to run before or after it"
        if made is not None:
            hint = made.label if isinstance(made, Deed) else made
        moved = self._held.box.translated(now.x() - self._held.start.x(), 0.0)
        self.overlay.show_held(
            hint,
            moved,
            QPointF(self._lanes.mapFromScene(now)),
            origin=self._held.box,
            lit=self._held.lit,
            is_good=isinstance(made, Deed),
        )
        self._foresight.hold(made if isinstance(made, Deed) else None)

    def drop(self, now: QPointF) -> None:
        """Ask for it, where that can be."""
        made = self._deed(now)
        self.abort()
        if isinstance(made, Deed):
            self.decided.emit(made)

    def abort(self) -> None:
        """Hold nothing."""
        self._held = None
        self._foresight.hold(None)
        self.overlay.hide()

    def _deed(self, now: QPointF) -> Deed | Obstacle | None:
        """What letting go here comes to; None over nothing else."""
        asked, hit, held = self._asked(), self._lanes.hit_in_scene(now), self._held
        if isinstance(asked, str) or hit is None or held is None or self.data is None:
            return None
        order = run_order(asked.answer)
        others = [order.index(op) for op in _ops_of(self.data, hit) if op != held.op]
        if not others:
            return None
        own = order.index(held.op)
        is_before = min(others) < own
        other = order[min(others) if is_before else max(others)]
        return moved_to(asked, held.op, other, is_before=is_before)

    def _boxes(self, chosen: np.ndarray) -> tuple[QRectF, ...]:
        """Rectangles of slices in pixels, of those that are in sight."""
        rects, seen = self._lanes.slices.rects, self._lanes.box.x_range
        is_seen = (rects.right >= seen.start) & (rects.left <= seen.end)
        return tuple(
            QRectF(
                self._pixel(rects.left[at], rects.bottom[at]),
                self._pixel(rects.right[at], rects.top[at]),
            ).normalized()
            for at in np.flatnonzero(chosen & is_seen)[:_MOST_LIT]
        )

    def _pixel(self, x: float, y: float) -> QPointF:
        scene = self._lanes.box.mapViewToScene(QPointF(float(x), float(y)))
        return QPointF(self._lanes.mapFromScene(scene))


def _ops_of(data: TimelineData, hit: Hit) -> tuple[NpuOpId, ...]:
    """The operator of a slice, or those of a cascade that is one bar."""
    if hit.layer != SLICES:
        return ()
    if hit.key < 0:
        return data.cascades[-1 - hit.key].ops
    op = int(data.trace.op[hit.key])
    return () if op == NOTHING else (NpuOpId(op),)
