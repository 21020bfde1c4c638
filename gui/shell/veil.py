"""Dims a view whose answer is to an older question, but not for a blink."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.document.changes import ChangeSet
from gui.document.job import JobPhase
from gui.present.fitting import fitted
from gui.state.store import Store
from gui.widgets.patient_view import PatientView

PATIENCE_MS = 200
"""Answers that come sooner are shown without dimming in between: that would only flicker."""

_DIMNESS = 150


class Veil(QWidget):
    """A sheet over a view, through which the old answer shines."""

    def __init__(self, store: Store, view: PatientView) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self.text = ""
        self._is_wanted = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        view.installEventFilter(self)
        view.caught_up.connect(self._leave)

    def cover(self, text: str) -> None:
        """Lie over the view with a text; all below is painted again for each time it is drawn."""
        if self._is_wanted and self.text == text and not self.isHidden():
            return
        self.text, self._is_wanted = text, True
        self.setGeometry(self._view.rect())
        self.raise_()
        self.show()
        self.update()

    def lift(self) -> None:
        """Go as soon as the view shows what it was covered for."""
        self._is_wanted = False
        self._leave()

    def _leave(self) -> None:
        if not self._is_wanted and not self._view.is_behind:
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as the view."""
        if event.type() is QEvent.Type.Resize and watched is self._view:
            self.setGeometry(self._view.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """A veil in the window's colour, and the text on a plate."""
        del event
        theme = self._store.theme
        painter = QPainter(self)
        colour = QColor(theme.base)
        colour.setAlpha(_DIMNESS)
        painter.fillRect(self.rect(), colour)
        metrics = self.fontMetrics()
        margin = metrics.height() // 2
        text = fitted(self.text, self.width() - 4 * margin, metrics.horizontalAdvance)
        plate = QRect(0, 0, metrics.horizontalAdvance(text) + 2 * margin, metrics.height() + margin)
        plate.moveCenter(self.rect().center())
        painter.fillRect(plate, QColor(theme.text))
        painter.setPen(QColor(theme.base))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)
        painter.end()


class Veils(QObject):
    """Covers all views that can wait, together, while the answer is not to what is asked."""

    def __init__(self, store: Store, views: Iterable[QWidget], parent: QObject) -> None:
        # It goes with the window: a timer that outlives the views would cover what is no more.
        super().__init__(parent)
        self._store = store
        self._veils = tuple(Veil(store, view) for view in views if isinstance(view, PatientView))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PATIENCE_MS)
        self._timer.timeout.connect(self._cover)
        store.changed.connect(self._on_changed)

    @property
    def are_down(self) -> bool:
        """Whether the views are covered."""
        return any(not veil.isHidden() for veil in self._veils)

    def _on_changed(self, changes: ChangeSet) -> None:
        del changes
        # Without any answer a view says so itself, and there is nothing old to dim.
        if self._store.is_current or self._store.answer is None:
            self._timer.stop()
            for veil in self._veils:
                veil.lift()
        elif self.are_down:
            self._cover()
        elif not self._timer.isActive():
            self._timer.start()

    def _cover(self) -> None:
        has_failed = self._store.job.phase is JobPhase.FAILED
        text = "Not what is asked for: no schedule" if has_failed else "Computing..."
        for veil in self._veils:
            veil.cover(text)
