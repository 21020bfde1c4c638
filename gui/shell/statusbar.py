"""The line at the foot of the window: what the worker does, and a way to stop it."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton, QWidget

from gui.document.changes import ChangeSet, Part
from gui.present.status import stage_of
from gui.shell.veil import PATIENCE_MS
from gui.state.store import Store
from gui.widgets.elided_label import ElidedLabel


class Aside(QToolButton):
    """How far something is that goes on out of sight, and the way back to it."""

    def __init__(self, what: str, tip: str) -> None:
        super().__init__()
        self._what = what
        self.setAccessibleName(f"{what} that goes on")
        self.setToolTip(tip)

    def tell(self, told: str) -> None:
        """Tell how far it is; nothing where there is nothing out of sight."""
        self.setText(f"{self._what}: {told}")
        self.setVisible(bool(told))


class StatusBar(QStatusBar):
    """Progress, once it takes a while, and what can be done with what is under the pointer; what
    came out is in the headline."""

    def __init__(self, store: Store, cancel: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.setSizeGripEnabled(False)
        self.stage = QLabel()
        self.stage.setAccessibleName("What the compiler is doing")
        self.progress = QProgressBar()
        self.progress.setAccessibleName("Progress")
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(12 * self.fontMetrics().averageCharWidth())
        self.progress.setMaximumHeight(self.fontMetrics().height())
        self.cancel = QToolButton()
        self.cancel.setDefaultAction(cancel)
        self.cancel.setAccessibleName("Cancel")
        # As high without progress: else all views are laid out anew whenever there is some.
        self.setMinimumHeight(self.cancel.sizeHint().height())
        self.addWidget(self.stage)
        self.addWidget(self.progress)
        self.addWidget(self.cancel)
        self.hint = ElidedLabel("What can be done here")
        self.addWidget(self.hint, 1)
        # What is over before anyone can read it is not shown.
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self._show_job)
        store.changed.connect(self._on_changed)
        self._hide_job()

    def add_aside(self, what: str, tip: str) -> Aside:
        """A place at the end for what may go on out of sight."""
        aside = Aside(what, tip)
        self.addPermanentWidget(aside)
        aside.tell("")
        return aside

    def _on_changed(self, changes: ChangeSet) -> None:
        if not changes.has(Part.JOB):
            return
        if not self._store.job.is_busy:
            self._patience.stop()
            self._hide_job()
        elif self.progress.isVisibleTo(self):
            self._show_job()
        elif not self._patience.isActive():
            self._patience.start()

    def _hide_job(self) -> None:
        self.stage.setText("")
        self.progress.hide()
        self.cancel.hide()

    def _show_job(self) -> None:
        job = self._store.job
        self.stage.setText(stage_of(job))
        # Qt's bar paints each value at once, and with it all of the window that waits for its turn.
        self.progress.setUpdatesEnabled(False)
        self.progress.setRange(0, job.total)
        self.progress.setValue(job.done)
        self.progress.setUpdatesEnabled(True)
        self.progress.show()
        self.cancel.show()
