"""A list of names, each of which loses letters where there is no room, and never a figure."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QWidget

from gui.widgets.fitted_cells import FittedCells


class NameList(QListWidget):
    """Nobody has to scroll aside to read an end; what is not whole is in the tip of its row."""

    def __init__(self, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setItemDelegate(FittedCells(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
