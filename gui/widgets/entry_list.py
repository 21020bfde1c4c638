"""A list of models, each with what was measured of it, which is written beside the list."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import CoreError
from core.base.files import read_bytes
from gui.present.calibration.asked import Entry
from gui.theme.scale import Gap, arrange
from gui.widgets.name_list import NameList

_KEY = Qt.ItemDataRole.UserRole
_LINES = 7
_MODELS = "Models and compiled files (*.tflite *.tosa *.pte);;All (*)"
_LOGS = "Logs and tables (*.log *.txt *.csv *.json);;All (*)"
_HINT = (
    "Paste what the board or the driver printed of one inference, a table of cycles by operator,"
    " or the figure itself, such as 405608 or 3.67ms@400MHz."
)


class EntryList(QWidget):
    """The models at the left, and the log of the one that is picked at the right."""

    changed = Signal()
    refused = Signal(str)
    """Why a log cannot be read."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names = NameList("Models that were measured")
        self.log = QPlainTextEdit()
        self.log.setAccessibleName("What was measured of the model")
        self.log.setPlaceholderText(_HINT)
        self.log.setTabChangesFocus(True)
        height = self.fontMetrics().lineSpacing() * _LINES
        self.names.setFixedHeight(height)
        self.log.setFixedHeight(height)
        self.more, self.less = QPushButton("Add files..."), QPushButton("Remove")
        self.load = QPushButton("Load a log...")
        for button in (self.more, self.less, self.load):
            button.setAutoDefault(False)
        self._lay_out()
        self.more.clicked.connect(self._ask_models)
        self.less.clicked.connect(self._remove)
        self.load.clicked.connect(self._ask_log)
        self.names.currentRowChanged.connect(self._show)
        self.log.textChanged.connect(self._written)
        self._show()

    def _lay_out(self) -> None:
        columns = QHBoxLayout(self)
        arrange(columns, between=Gap.LARGE)
        for title, field, buttons in (
            ("Models and compiled files", self.names, (self.more, self.less)),
            ("Measured of the one that is picked", self.log, (self.load,)),
        ):
            label = QLabel(title)
            label.setBuddy(field)
            line = QHBoxLayout()
            arrange(line, between=Gap.MEDIUM)
            for button in buttons:
                line.addWidget(button)
            line.addStretch(1)
            column = QVBoxLayout()
            arrange(column)
            column.addWidget(label)
            column.addWidget(field)
            column.addLayout(line)
            columns.addLayout(column, 1)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All of them, in their order."""
        return tuple(self._entry(row) for row in range(self.names.count()))

    def add(self, entries: Iterable[Entry]) -> None:
        """Have these too, and pick the last; one model can be measured more than once."""
        for entry in entries:
            item = QListWidgetItem()
            self.names.addItem(item)
            self._put(self.names.count() - 1, entry)
        self.names.setCurrentRow(self.names.count() - 1)
        self.changed.emit()

    def take_log(self, path: str) -> None:
        """Have a file as the log of the model that is picked."""
        row = self.names.currentRow()
        try:
            text = read_bytes(Path(path)).decode("utf-8-sig", errors="replace")
        except CoreError as error:
            self.refused.emit(str(error))
            return
        self._put(row, self._entry(row)._replace(log=text, source=path))
        self._show()
        self.changed.emit()

    def _entry(self, row: int) -> Entry:
        return Entry(*self.names.item(row).data(_KEY))

    def _put(self, row: int, entry: Entry) -> None:
        item = self.names.item(row)
        item.setData(_KEY, tuple(entry))
        item.setText(entry.title)
        item.setToolTip(entry.model)

    def _show(self, *_: object) -> None:
        """Show the log of the model that is picked."""
        row = self.names.currentRow()
        is_picked = row >= 0
        for widget in (self.log, self.load, self.less):
            widget.setEnabled(is_picked)
        with QSignalBlocker(self.log):
            self.log.setPlainText(self._entry(row).log if is_picked else "")

    def _written(self) -> None:
        row = self.names.currentRow()
        if row >= 0:
            self._put(row, self._entry(row)._replace(log=self.log.toPlainText(), source=""))
            self.changed.emit()

    def _remove(self) -> None:
        self.names.takeItem(self.names.currentRow())
        self._show()
        self.changed.emit()

    def _ask_models(self) -> None:
        paths, _ = QFileDialog.getOpenFileNames(self, "Add what was measured", "", _MODELS)
        if paths:
            self.add(Entry(model=path) for path in paths)

    def _ask_log(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Load a log", "", _LOGS)
        if path:
            self.take_log(path)
