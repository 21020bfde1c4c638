"""Remembers what was shown, and shows it again: Alt+Left and Alt+Right as in a browser."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QWindow
from PySide6.QtWidgets import QApplication, QWidget

from gui.document.changes import ChangeSet, Part
from gui.document.trail import Sight, Trail, without_quiet
from gui.shell.panels import Panels
from gui.state.store import Store
from gui.widgets.patient_view import PatientView

QUIET_MS = 400
"""What changes faster is one step, as while the wheel turns."""
_BY_HAND = (
    QEvent.Type.MouseButtonRelease,
    # Whoever has chosen in a menu, which is a window that never has the focus, moves on.
    QEvent.Type.MouseMove,
    QEvent.Type.KeyRelease,
    QEvent.Type.Wheel,
)


class Sights(QObject):
    """Looks at the window when the user's hands rest; what answers move is no step."""

    def __init__(
        self,
        store: Store,
        panels: Panels,
        views: Mapping[str, QWidget],
        qt: QApplication,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._store, self._panels = store, panels
        self._views = {n: view for n, view in views.items() if isinstance(view, PatientView)}
        self._trail: Trail | None = None
        self._model = ""
        self._is_renewed = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(QUIET_MS)
        self._timer.timeout.connect(self.look)
        store.changed.connect(self._on_changed)
        qt.focusWindowChanged.connect(self._watch_hands)
        self._watch_hands(qt.focusWindow())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notice that the user has done something."""
        del watched
        if event.type() in _BY_HAND and not _is_dragging(event):
            self._timer.start()
        return False

    @property
    def has_past(self) -> bool:
        """Whether there is something to go back to."""
        return self._trail is not None and bool(self._trail.past)

    @property
    def has_future(self) -> bool:
        """Whether something was gone back from."""
        return self._trail is not None and bool(self._trail.future)

    def look(self) -> None:
        """Look at the window, and remember a step where it shows something else."""
        if self._store.answer is None:
            return
        seen = self._sight()
        if self._trail is None:
            self._trail = Trail(present=seen)
        elif self._is_renewed:
            self._trail = self._trail.renewed(seen)
        else:
            self._trail = self._trail.seen(seen)
        self._is_renewed = False

    def back(self) -> None:
        """Show what was shown before."""
        self.look()
        if self._trail is not None and self._trail.past:
            self._turn_to(self._trail.back())

    def forward(self) -> None:
        """Show again what was gone back from."""
        self.look()
        if self._trail is not None and self._trail.future:
            self._turn_to(self._trail.forward())

    def _turn_to(self, trail: Trail) -> None:
        before, wanted = self._sight(), trail.present
        if before.panels != wanted.panels:
            self._panels.use_layout(wanted.layout)
        for name, look in wanted.looks.items():
            if before.looks.get(name) != look:
                self._views[name].show_look(look)
        self._store.mark_span(wanted.span)
        self._trail = trail
        # What is shown may be held to limits that have changed since.
        self._is_renewed = True
        self._timer.start()

    def _on_changed(self, changes: ChangeSet) -> None:
        model = self._store.document.model
        path = "" if model is None else model.path
        if path != self._model:
            self._model, self._trail = path, None
        if changes.has(Part.ANSWER, Part.DOCUMENT, Part.DISPLAY):
            self._is_renewed = True
            self._timer.start()

    def _watch_hands(self, window: QWindow | None) -> None:
        # All that hands do comes to a window first. To be asked about each event of each widget
        # takes a fifth of all that the app does.
        if window is not None:
            window.installEventFilter(self)

    def _sight(self) -> Sight:
        return Sight(
            looks={name: without_quiet(view.look()) for name, view in self._views.items()},
            span=self._store.selected_span,
            panels=tuple(name for name, view in self._views.items() if view.isVisible()),
            layout=self._panels.encoded_layout(),
        )


def _is_dragging(event: QEvent) -> bool:
    return isinstance(event, QMouseEvent) and event.buttons() != Qt.MouseButton.NoButton
