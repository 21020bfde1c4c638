"""Hands on the picture of a cascade: scissors between two stages, and the edge of a stripe."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent

from gui.present.cascades.picture import CascadeInfo
from gui.views.cascades.picture import Picture
from gui.widgets.held_overlay import HeldOverlay

_REACH_PX = 4.0
_LEAST_STRIPE_PX = 6.0
"""Edges of narrower stripes cannot be told apart."""


class PictureHands(QObject):
    """Watches the mouse over a picture; what it does not want goes on to the picture."""

    cut_asked = Signal(int)
    """The position of a stage: the cascade is to end before it."""
    height_asked = Signal(int, int)
    """The position of a stage, and the rows of its stripes."""

    def __init__(
        self,
        picture: Picture,
        cascade: Callable[[], CascadeInfo | None],
        heights: Callable[[int], Sequence[int]],
        told: Callable[[int, int], str],
        foresee: Callable[[int | None, int | None], object],
    ) -> None:
        """`heights` has the rows of stripes that a stage can have, `told` what rings then take;
        `foresee` hears of the stage that is held and of its rows, None where it is to be cut."""
        super().__init__(picture)
        self._picture, self._cascade, self._heights = picture, cascade, heights
        self._told, self._foresee = told, foresee
        self.overlay = HeldOverlay(picture)
        self._border: int | None = None
        self._stage: int | None = None
        self._rows = 0
        self._is_forsaken = False
        """What was held has been put back; until the next press nothing is meant by the drag."""
        picture.setMouseTracking(True)
        picture.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what is meant for an edge or a border."""
        del watched
        if isinstance(event, QMouseEvent):
            return self._on_mouse(event)
        if isinstance(event, QContextMenuEvent):
            # The press that put back what was held asks for no menu.
            return self._is_forsaken and event.reason() is QContextMenuEvent.Reason.Mouse
        if event.type() is QEvent.Type.Leave and not self._is_held:
            self._hide()
        if self._is_held and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.KeyPress:
                self._put_back()
            event.accept()
            return True
        return False

    @property
    def _is_held(self) -> bool:
        return self._stage is not None or self._border is not None

    def _on_mouse(self, event: QMouseEvent) -> bool:
        position = event.position()
        match event.type():
            case QEvent.Type.MouseMove if self._stage is not None:
                self._pull(position)
                return True
            case QEvent.Type.MouseMove if self._is_forsaken and event.buttons():
                return True
            case QEvent.Type.MouseMove:
                self._show_cursor(position)
                return self._border is not None
            case QEvent.Type.MouseButtonPress:
                return self._press(event)
            case QEvent.Type.MouseButtonRelease:
                return self._release(position)
            case _:
                return False

    def _press(self, event: QMouseEvent) -> bool:
        if self._is_held:
            # Another button puts back what is held.
            self._put_back()
            return True
        self._is_forsaken = False
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        self._stage = self.edge_at(event.position())
        self._border = self.border_at(event.position()) if self._stage is None else None
        if self._stage is not None:
            self._pull(event.position())
        return self._is_held

    def _release(self, position: QPointF) -> bool:
        stage, border, rows = self._stage, self._border, self._rows
        self._let_go()
        cascade = self._cascade()
        if stage is not None and cascade is not None:
            if rows != cascade.stages[stage].stripe_rows:
                self.height_asked.emit(stage, rows)
            return True
        if border is not None and self.border_at(position) == border:
            self.cut_asked.emit(border)
        return border is not None

    def _put_back(self) -> None:
        self._let_go()
        self._is_forsaken = True

    def _let_go(self) -> None:
        self._stage, self._border = None, None
        self._hide()

    def _hide(self) -> None:
        self._foresee(None, None)
        self.overlay.hide()

    def _show_cursor(self, position: QPointF) -> None:
        stage = self.edge_at(position)
        if stage is not None:
            self._picture.setCursor(Qt.CursorShape.SplitHCursor)
            self._foresee(None, None)
            self._show_edge(stage, position)
            return
        border = self.border_at(position)
        if border is None:
            self._picture.unsetCursor()
            self._hide()
            return
        self._picture.setCursor(Qt.CursorShape.SplitVCursor)
        box = self._picture.geometry_now().box(border)
        line = QRectF(box.left(), box.top() - 1, box.width(), 2)
        self.overlay.show_held("✂ click: the cascade ends here", line, position)
        self._foresee(border, None)

    def _show_edge(self, stage: int, position: QPointF) -> None:
        """Show that the end of a stripe can be moved."""
        cascade, strip = self._cascade(), self._picture.geometry_now().strip(stage)
        if cascade is None:
            return
        info = cascade.stages[stage]
        at = strip.left() + strip.width() * info.stripe_rows / max(info.rows, 1)
        line = QRectF(at - 1, strip.top(), 2, strip.height())
        self.overlay.show_held("↔ drag: stripes of more or fewer rows", line, position)

    def border_at(self, position: QPointF) -> int | None:
        """The stage that begins at a place, where another comes before it."""
        cascade, geometry = self._cascade(), self._picture.geometry_now()
        if cascade is None:
            return None
        return next(
            (
                stage
                for stage in range(1, len(cascade.stages))
                if abs(geometry.box(stage).top() - position.y()) <= _REACH_PX
            ),
            None,
        )

    def edge_at(self, position: QPointF) -> int | None:
        """The stage whose first stripe ends at a place."""
        cascade, geometry = self._cascade(), self._picture.geometry_now()
        if cascade is None:
            return None
        for stage, info in enumerate(cascade.stages):
            strip = geometry.strip(stage)
            width = strip.width() * info.stripe_rows / max(info.rows, 1)
            is_near = abs(strip.left() + width - position.x()) <= _REACH_PX
            is_beside = strip.top() <= position.y() <= strip.bottom()
            if is_near and is_beside and width >= _LEAST_STRIPE_PX:
                return stage
        return None

    def _pull(self, position: QPointF) -> None:
        """Show the legal height that is nearest to the pointer."""
        cascade, stage = self._cascade(), self._stage
        if cascade is None or stage is None:
            return
        info, strip = cascade.stages[stage], self._picture.geometry_now().strip(stage)
        wanted = (position.x() - strip.left()) / max(strip.width(), 1.0) * info.rows
        legal = self._heights(stage) or (info.stripe_rows,)
        self._rows = min(legal, key=lambda rows: (abs(rows - wanted), rows))
        width = strip.width() * self._rows / max(info.rows, 1)
        box = QRectF(strip.left(), strip.top(), width, strip.height())
        before = strip.width() * info.stripe_rows / max(info.rows, 1)
        stripes = -(-info.rows // self._rows)
        rings = self._told(stage, self._rows)
        told = f"{self._rows} rows a stripe: {stripes} stripes (now {info.stripe_rows})"
        self.overlay.show_held(
            f"{told}; {rings}" if rings else told,
            box,
            position,
            origin=QRectF(strip.left(), strip.top(), before, strip.height()),
            is_good=self._rows != info.stripe_rows,
        )
        is_other = self._rows != info.stripe_rows
        self._foresee(stage if is_other else None, self._rows)
