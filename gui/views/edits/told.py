"""What became of the edits that are picked, in a sentence, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.present.edits.rows import EditRow
from gui.present.why.edits import WayOffer
from gui.theme.scale import Gap, arrange
from gui.widgets.ways_box import WaysBox

_ORDER = "The order is for you to read: where edits contradict each other, none wins by its place"


class Told(QWidget):
    """Below the table: all that its columns may have no room for, and buttons."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setAccessibleName("What became of what is picked")
        self.ways = WaysBox()
        self.let_decide = QPushButton("Let the search decide")
        self.let_decide.setAccessibleName("Remove the edits that are picked")
        self.let_decide.setToolTip("Remove what is picked (Del); undo brings it back")
        self.earlier, self.later = QPushButton("Up"), QPushButton("Down")
        for button, name in ((self.earlier, "up"), (self.later, "down")):
            button.setAccessibleName(f"Move what is picked {name}")
            keys = f"Ctrl+Shift+{name.capitalize()}"
            button.setToolTip(f"Move what is picked {name} ({keys}, or drag it). {_ORDER}")
        foot = QHBoxLayout()
        arrange(foot, between=Gap.MEDIUM)
        foot.addWidget(self.let_decide)
        foot.addStretch(1)
        foot.addWidget(self.earlier)
        foot.addWidget(self.later)
        lines = QVBoxLayout(self)
        arrange(lines)
        lines.addWidget(self.sentence)
        lines.addWidget(self.ways)
        lines.addLayout(foot)
        self.hide()

    def show_rows(self, rows: Sequence[EditRow], offers: Sequence[WayOffer]) -> None:
        """Tell what is picked; nothing is seen where nothing is."""
        self.setVisible(bool(rows))
        self.sentence.setText(" ".join(f"{row.number}: {row.tip}" for row in rows[:1]))
        self.ways.show_offers(offers)
