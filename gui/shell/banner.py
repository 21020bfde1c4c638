"""A line across the top of the window for what went wrong; it can be copied and put away."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from gui.document.changes import ChangeSet, Part
from gui.document.job import JobPhase
from gui.state.store import Store


class Banner(QFrame):
    """Shows why there is no answer, or why a file cannot be opened."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.setObjectName("banner")
        self.setAccessibleName("Message")
        self.label = QLabel()
        self.label.setAccessibleName("Message")
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._button = QToolButton()
        self._button.setText("Put away")
        self._button.setAccessibleName("Put the message away")
        self._button.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.addWidget(self.label, 1)
        row.addWidget(self._button)
        self._told: object = None
        self._is_about_answer = False
        self.hide()
        store.changed.connect(self._on_changed)
        self._dress()

    def tell(self, message: str) -> None:
        """Show a message until it is put away, or a model is opened."""
        self._is_about_answer = False
        self.label.setText(message)
        self.show()

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.DISPLAY):
            self._dress()
        if not changes.has(Part.JOB, Part.ANSWER):
            return
        job = self._store.job
        if job.phase is JobPhase.FAILED and job.failure is not None:
            if job.failure is not self._told:
                self._told = job.failure
                self.tell(job.failure.message)
                self._is_about_answer = True
        elif self._store.is_current and self._is_about_answer:
            self.hide()

    def _dress(self) -> None:
        theme = self._store.theme
        self.setStyleSheet(
            f"#banner {{ background: {theme.base}; border-left: 6px solid {theme.danger};"
            f" border-bottom: 1px solid {theme.grid}; }}"
            f" #banner QLabel {{ color: {theme.danger}; }}"
        )
