"""What edits cost against what was shown, and the way to have the rest searched anew."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from core.base.frozen import replace
from gui.present.edits.rows import around_text, followed_tip
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.widgets.elided_label import ElidedLabel

_LINES = 2


class PriceLine(QWidget):
    """A sentence and a button; out of sight where nothing stays as it was shown."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.text = ElidedLabel("What the edits cost against what was shown")
        # In a low panel a text that wraps as it likes would lose its last lines.
        self.text.set_lines(_LINES)
        self.anew = QPushButton("Search the rest anew")
        self.anew.setAccessibleName("Search the rest anew")
        self.anew.setToolTip("Decide all anew that edits leave open; one step of undo leads back")
        self.anew.clicked.connect(self.search_rest_anew)
        line = QHBoxLayout(self)
        arrange(line, between=Gap.MEDIUM)
        line.addWidget(self.text, 1)
        line.addWidget(self.anew)

    def show_now(self) -> None:
        """Show what edits cost now."""
        store = self._store
        told = around_text(store.document, store.answer)
        self.text.show_text(told)
        self.text.setToolTip("\n".join(filter(None, (told, followed_tip(store.answer)))))
        self.setVisible(bool(told))

    def search_rest_anew(self) -> None:
        """Have all that edits leave open searched anew, which may change all of the picture."""
        document = self._store.document
        if document.around is not None:
            self._store.edit(replace(document, around=None), "Search the rest anew")
