"""A list of files, with buttons that add some and take some away."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.theme.scale import Gap, arrange
from gui.widgets.name_list import NameList

_ROWS = 3


class _Names(NameList):
    """A list that is a few rows high."""

    def sizeHint(self) -> QSize:
        """As wide as it would be, and as high as some rows."""
        row = self.fontMetrics().height() + 2
        return QSize(super().sizeHint().width(), _ROWS * row + 2 * self.frameWidth())


class FileList(QWidget):
    """Names of files, each with its whole path under the pointer; Delete takes some away."""

    changed = Signal()

    def __init__(self, name: str, known: str, parent: QWidget | None = None) -> None:
        """What the files are, and which ones a dialog offers."""
        super().__init__(parent)
        self._title, self._known = f"Add {name.lower()}", known
        self.names = _Names(name)
        self.names.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.names.setSizeAdjustPolicy(NameList.SizeAdjustPolicy.AdjustIgnored)
        self.names.setMaximumHeight(self.names.sizeHint().height())
        self.more, self.less = QPushButton("Add..."), QPushButton("Remove")
        self.more.setAccessibleName(self._title)
        self.less.setAccessibleName(f"Remove {name.lower()}")
        self.less.setShortcut(Qt.Key.Key_Delete)
        for button in (self.more, self.less):
            button.setAutoDefault(False)
        buttons = QVBoxLayout()
        arrange(buttons, between=Gap.MEDIUM)
        buttons.addWidget(self.more)
        buttons.addWidget(self.less)
        buttons.addStretch(1)
        row = QHBoxLayout(self)
        arrange(row, between=Gap.MEDIUM)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.names, 1)
        row.addLayout(buttons)
        self.more.clicked.connect(self._ask)
        self.less.clicked.connect(self._remove)
        self.names.itemSelectionChanged.connect(self._tell)
        self._tell()

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them, in their order."""
        return tuple(
            self.names.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.names.count())
        )

    def add(self, paths: Iterable[str]) -> None:
        """Have these too; what is there already stays where it is."""
        for path in dict.fromkeys(paths):
            if path in self.paths:
                continue
            item = QListWidgetItem(Path(path).name)
            item.setToolTip(path)
            item.setData(Qt.ItemDataRole.UserRole, path)
            self.names.addItem(item)
        self.changed.emit()

    def _ask(self) -> None:
        paths, _ = QFileDialog.getOpenFileNames(self, self._title, "", self._known)
        if paths:
            self.add(paths)

    def _remove(self) -> None:
        for item in self.names.selectedItems():
            self.names.takeItem(self.names.row(item))
        self._tell()
        self.changed.emit()

    def _tell(self) -> None:
        self.less.setEnabled(bool(self.names.selectedItems()))
