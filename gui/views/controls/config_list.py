"""The configuration files that are read besides the presets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme
from gui.views.controls.inks import Note, paint_text
from gui.widgets.name_list import NameList

_MOST_LINES = 4


class ConfigList(QWidget):
    """Paths, the last of which is read last; files can be added and removed."""

    asked = Signal(tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._paths: tuple[str, ...] = ()
        self.list = _List("config files")
        self.add_button = QPushButton("Add...")
        self.add_button.setAccessibleName("add a config file")
        self.remove_button = QPushButton("Remove")
        self.remove_button.setAccessibleName("remove the chosen config file")
        self.error = Note("config files, refused")
        self._label = QLabel("Config files")
        self._label.setBuddy(self.add_button)
        head = QHBoxLayout()
        arrange(head, between=Gap.MEDIUM)
        head.addWidget(self._label, 1)
        head.addWidget(self.add_button)
        head.addWidget(self.remove_button)
        lines = QVBoxLayout(self)
        arrange(lines)
        lines.addLayout(head)
        lines.addWidget(self.list)
        lines.addWidget(self.error)
        self.add_button.clicked.connect(self.choose)
        self.remove_button.clicked.connect(self.remove_chosen)
        self.list.delete_pressed.connect(self.remove_chosen)

    def show_paths(self, paths: Sequence[str]) -> None:
        """Show the files that are asked for."""
        if self._paths != tuple(paths):
            self._paths = tuple(paths)
            self.list.clear()
            for path in self._paths:
                item = QListWidgetItem(Path(path).name)
                item.setToolTip(path)
                self.list.addItem(item)
            self.list.setCurrentRow(len(self._paths) - 1)
        self.list.setVisible(bool(self._paths))
        self.remove_button.setEnabled(bool(self._paths))
        shown = min(max(len(self._paths), 1), _MOST_LINES)
        row = max(self.list.sizeHintForRow(0), self.fontMetrics().height())
        self.list.setFixedHeight(shown * row + 2 * self.list.frameWidth())

    def add(self, paths: Sequence[str]) -> None:
        """Ask for more files; one that is there already is read last from now on."""
        kept = tuple(path for path in self._paths if path not in paths)
        self.asked.emit((*kept, *paths))

    def choose(self) -> None:
        """Let the user choose more files."""
        paths, _ = QFileDialog.getOpenFileNames(
            self,
            "Add config files",
            "",
            "Config files and projects (*.ini *.cbuild-mlops.yml);;All (*)",
        )
        if paths:
            self.add(paths)

    def remove_chosen(self) -> None:
        """Ask for all files but the chosen one."""
        row = self.list.currentRow()
        if 0 <= row < len(self._paths):
            self.asked.emit((*self._paths[:row], *self._paths[row + 1 :]))

    def set_theme(self, theme: Theme) -> None:
        paint_text(self._label, theme.faint_text)
        paint_text(self.error, theme.danger)


class _List(NameList):
    delete_pressed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete removes what is chosen."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)
