"""The line at the foot of the window: what the worker does, and what came out."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton, QWidget

from gui.document.changes import ChangeSet, Part
from gui.document.job import JobPhase
from gui.present.edits.rows import State, edit_rows, tally_of
from gui.present.runs.best import growth_obstacle
from gui.present.status import stage_of, status_of
from gui.shell.veil import PATIENCE_MS
from gui.state.store import Store
from gui.theme.scale import Gap, Type, pad, set_type


class StatusBar(QStatusBar):
    """Progress with a way to stop it at the left, the verdict at the right."""

    def __init__(
        self,
        store: Store,
        cancel: QAction,
        edits: QAction,
        growth: QAction,
        parent: QWidget | None = None,
    ) -> None:
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
        self.addWidget(self.stage)
        self.addWidget(self.progress)
        self.addWidget(self.cancel)
        self.edits = QToolButton()
        self.edits.setAutoRaise(True)
        self.edits.setAccessibleName("What became of the edits")
        self.edits.clicked.connect(edits.trigger)
        self.addPermanentWidget(self.edits)
        self.search = self._figure("Who searched, and what that gained")
        self.growth = QToolButton()
        self.growth.setAutoRaise(True)
        self.growth.setDefaultAction(growth)
        self.growth.setAccessibleName("Whether the search goes on")
        self.addPermanentWidget(self.growth)
        self.verdict = self._figure("Verdict")
        set_type(self.verdict, Type.HEADING)
        self.peak = self._figure("Peak of fast storage")
        self.cycles = self._figure("Cycles of an inference")
        self.time = self._figure("Time of an inference")
        # What is over before anyone can read it is not shown.
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE_MS)
        self._patience.timeout.connect(self._show_job)
        store.changed.connect(self._on_changed)
        self._hide_job()
        self._show_answer()
        self._show_edits()

    def _figure(self, name: str) -> QLabel:
        label = QLabel()
        label.setAccessibleName(name)
        pad(label, Gap.MEDIUM)
        self.addPermanentWidget(label)
        return label

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.JOB):
            self._on_job()
        has_ended = changes.has(Part.JOB) and self._store.job.phase is JobPhase.FAILED
        follows = (Part.ANSWER, Part.PRICES, Part.DOCUMENT, Part.DISPLAY, Part.GROWTH)
        if has_ended or changes.has(*follows):
            self._show_answer()
            self._show_edits()

    def _on_job(self) -> None:
        if self._store.job.phase not in (JobPhase.WAITING, JobPhase.RUNNING):
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

    def _show_answer(self) -> None:
        answer, theme = self._store.answer, self._store.theme
        self.growth.setVisible(not growth_obstacle(answer))
        if answer is None:
            for label in (self.search, self.verdict, self.peak, self.cycles, self.time):
                label.setText("")
            return
        is_current = self._store.is_current
        status = status_of(
            answer,
            self._store.display,
            is_stopped=self._store.growth.is_stopped,
            is_live=is_current and self._store.job.phase is not JobPhase.FAILED,
        )
        self.search.setText(status.search)
        self.search.setToolTip(status.search_details)
        self.verdict.setText(status.verdict)
        self.peak.setText(status.peak)
        self.cycles.setText(status.cycles)
        self.cycles.setToolTip(status.cycles_details)
        self.time.setText(status.time)
        colour = theme.good if status.is_within else theme.danger
        for label in (self.search, self.peak, self.cycles, self.time):
            label.setStyleSheet("" if is_current else f"color: {theme.faint_text};")
        self.verdict.setStyleSheet(f"color: {colour if is_current else theme.faint_text};")

    def _show_edits(self) -> None:
        """How many edits there are of each kind, where there are any."""
        store, theme = self._store, self._store.theme
        rows = edit_rows(store.document, store.answer)
        tally = tally_of(rows, is_ignoring=store.document.ignores_edits)
        self.edits.setText(tally.text)
        self.edits.setToolTip(f"{tally.text}\nClick to see each of them")
        self.edits.setVisible(bool(rows))
        colour = {
            State.REFUSED: theme.danger,
            State.ORPHAN: theme.warning,
            State.CHANGED: theme.warning,
            State.HONOURED: theme.good,
        }.get(tally.worst or State.OFF, theme.faint_text)
        self.edits.setStyleSheet(f"color: {colour};")
