"""What is compared, beside the tools: A, B, the difference, swap, close."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from gui.document.changes import ChangeSet, Part
from gui.present.runs.comparison import strip_of
from gui.shell.actions import Actions
from gui.shell.banner import DeedButton
from gui.state.store import Store
from gui.theme.scale import Gap, Type, arrange, set_type
from gui.widgets.elided_label import ElidedLabel


class CompareStrip(QFrame):
    """Is there while something is kept as A."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.setObjectName("compare")
        self.setAccessibleName("Comparison")
        self.a, self.b = ElidedLabel("A"), ElidedLabel("B")
        self.change = QLabel()
        self.change.setAccessibleName("What B has more than A")
        self.change.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        set_type(self.change, Type.HEADING)
        self._row = QHBoxLayout(self)
        arrange(self._row, (Gap.MEDIUM, Gap.NONE), Gap.MEDIUM)
        for label, share in ((self.a, 1), (self.b, 1), (self.change, 0)):
            self._row.addWidget(label, share)
        self.buttons: tuple[DeedButton, ...] = ()
        # Its room stays when it goes, so that nothing moves.
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        self.hide()
        store.changed.connect(self._on_changed)

    def set_actions(self, actions: Actions) -> None:
        """Offer what can be done about the comparison."""
        self.buttons = tuple(
            DeedButton(actions[name], label)
            for name, label in (
                ("compare.show", "Show"),
                ("compare.swap", "Swap"),
                ("compare.close", "Close"),
            )
        )
        for button in self.buttons:
            self._row.addWidget(button)

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.COMPARISON, Part.ANSWER, Part.DISPLAY):
            self._show()

    def _show(self) -> None:
        store = self._store
        kept = store.compared.kept
        self.setVisible(kept is not None)
        if kept is None:
            return
        document = store.document if store.answer is None else store.answer.document
        told = strip_of(kept, document, store.compared.latest, store.display)
        self.a.show_text(f"A: {told.a}")
        self.b.show_text(f"B: {told.b}")
        self.change.setText("cannot be compared" if store.compared.failure else told.change)
        self.change.setToolTip(store.compared.failure or told.tip)
        theme = store.theme
        self.setStyleSheet(
            f"#compare {{ background: {theme.base}; border: none;"
            f" border-left: 6px solid {theme.accent}; }}"
        )
