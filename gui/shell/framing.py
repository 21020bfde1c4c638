"""What a double click means in every view."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QWidget

from gui.items.canvas import Canvas
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.roofline.view import RooflineView
from gui.views.timeline.view import TimelineView
from gui.widgets.patient_view import PatientView


class Framing:
    """Listens to all views: what was double-clicked in one is shown large in all pictures."""

    def __init__(self, views: Iterable[QWidget]) -> None:
        self._views = tuple(view for view in views if isinstance(view, PatientView))
        for view in self._views:
            view.frame_asked.connect(self.frame)

    def frame(self) -> None:
        """Show what is selected large, wherever it is drawn and in sight."""
        for view in self._views:
            for canvas in _canvases(view) if view.isVisible() else ():
                canvas.frame_selected()


def _canvases(view: QWidget) -> tuple[Canvas, ...]:
    """Where a view draws what can be selected."""
    if isinstance(view, TimelineView):
        return (view.stage.lanes,)
    if isinstance(view, MemoryView):
        return view.pane.canvas, view.pane.lane
    return (view.canvas,) if isinstance(view, NetworkView | RooflineView) else ()
