"""The dialog that asks what is to be swept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.api import sweeps
from core.base.errors import CoreError
from core.base.forms import Form
from core.base.frozen import NamedTuple
from core.base.outputs import Output, demand_outputs
from core.base.sentences import capitalised
from core.ir.knob import Value
from core.target.config import Catalogue
from gui.document.document import Document
from gui.document.inputs import inputs_of
from gui.document.swept import SweepOrder
from gui.present import units
from gui.present.runs.making import SUFFIX, Wanted, knobs_swept, obstacle, order_of
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme
from gui.widgets.check_list import CheckList
from gui.widgets.file_list import FileList

_COLUMNS = (("accelerator",), ("system_config",), ("memory_mode", "strategy"), ("search", "engine"))
_LETTERS = 44
_QUIET_MS = 150
"""Cells are counted when nobody has changed anything for so long."""


class Start(NamedTuple):
    """What the form shows at first."""

    document: Document
    catalogue: Catalogue
    chosen: Mapping[str, tuple[Any, ...]]
    """Values of knobs that are chosen at first."""
    limits: str
    path: Path


class SweepDialog(QDialog):
    """Says how many cells there will be, and asks for them."""

    asked = Signal(object)
    """A `SweepOrder`."""

    def __init__(self, start: Start, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Make a sweep")
        self._document, self._theme = start.document, theme
        self.limits = QLineEdit(start.limits)
        self.limits.setToolTip(
            "Sizes, ranges such as 64K:1M:32K, or default for that of the memory mode,"
            " with commas between"
        )
        boards = [
            Value(f"{units.size(board.sram_bytes)}  {board.title}", board.name, board.source)
            for board in sweeps.BOARDS
        ]
        self.boards = CheckList("Memory of boards", boards)
        self.lists = {
            knob.name: CheckList(
                capitalised(knob.title), knob.choices(start.catalogue), start.chosen[knob.name]
            )
            for knob in knobs_swept()
        }
        self.models = FileList("Further models", "Models (*.tflite);;All (*)")
        self.cluster = QLineEdit()
        self.file, self.browse = QLineEdit(str(start.path)), QPushButton("Browse...")
        self.count = QLabel()
        self.count.setWordWrap(True)
        self.count.setAccessibleName("How many cells there will be")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = buttons.addButton("Make", QDialogButtonBox.ButtonRole.AcceptRole)
        self.go.setDefault(True)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_QUIET_MS)
        self._lay_out(buttons)
        self._timer.timeout.connect(self.tell)
        for line in (self.limits, self.file, self.cluster):
            line.textChanged.connect(self._timer.start)
        self.models.changed.connect(self._timer.start)
        for chosen in (self.boards, *self.lists.values()):
            chosen.changed.connect(self._timer.start)
        self.browse.clicked.connect(self._browse)
        self.go.clicked.connect(self._go)
        buttons.rejected.connect(self.reject)
        self.tell()

    def _lay_out(self, buttons: QDialogButtonBox) -> None:
        model = self._document.model
        self.file.setMinimumWidth(self.fontMetrics().averageCharWidth() * _LETTERS)
        self.limits.setAccessibleName("Limits")
        self.file.setAccessibleName("File")
        self.cluster.setAccessibleName("Dask scheduler")
        self.cluster.setPlaceholderText("none: this machine's cores compute")
        self.cluster.setToolTip(
            "The address of a scheduler, such as tcp://10.0.0.1:8786, whose workers compute;"
            " or local, for a cluster of this machine's own"
        )
        top = QFormLayout()
        arrange(top, between=Gap.MEDIUM)
        top.addRow("Model", QLabel(model.name if model else ""))
        top.addRow("And", self.models)
        top.addRow("Limits", self.limits)
        top.addRow("Of boards", self.boards)
        lists = QHBoxLayout()
        arrange(lists, between=Gap.MEDIUM)
        for names in _COLUMNS:
            column = QVBoxLayout()
            arrange(column, between=Gap.MEDIUM)
            for name in names:
                title = QLabel(self.lists[name].accessibleName())
                title.setBuddy(self.lists[name])
                column.addWidget(title)
                column.addWidget(self.lists[name], int(len(names) == 1))
            column.addStretch(int(len(names) > 1))
            lists.addLayout(column)
        file = QHBoxLayout()
        arrange(file, between=Gap.MEDIUM)
        file.addWidget(self.file, 1)
        file.addWidget(self.browse)
        bottom = QFormLayout()
        arrange(bottom, between=Gap.MEDIUM)
        bottom.addRow("File", file)
        bottom.addRow("Dask", self.cluster)
        column = QVBoxLayout(self)
        arrange(column, Gap.LARGE, Gap.MEDIUM)
        column.addLayout(top)
        column.addLayout(lists)
        column.addLayout(bottom)
        column.addWidget(self.count)
        column.addWidget(buttons)

    @property
    def wanted(self) -> Wanted:
        """What the form says."""
        return Wanted(
            limits=self.limits.text(),
            boards=self.boards.values,
            values={name: chosen.values for name, chosen in self.lists.items()},
            path=self.file.text().strip(),
            models=self.models.paths,
            cluster=self.cluster.text().strip(),
        )

    def tell(self) -> None:
        """Say how many cells there will be, or what stands in the way."""
        text, is_bad = obstacle(self._document, self.wanted)
        self._say(text, is_bad=is_bad)
        self.go.setEnabled(not is_bad)

    def _say(self, text: str, *, is_bad: bool) -> None:
        self.count.setText(text)
        colour = self._theme.danger if is_bad else self._theme.text
        self.count.setStyleSheet(f"color: {colour};")

    def _go(self) -> None:
        try:
            order = order_of(self._document, self.wanted)
            demand_order(order)
        except CoreError as error:
            self._say(str(error), is_bad=True)
            return
        self.asked.emit(order)
        self.accept()

    def _browse(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self,
            "Where the sweep goes",
            self.file.text(),
            f"Sweeps (*{SUFFIX});;All (*)",
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if path:
            self.file.setText(path if Path(path).suffix else path + SUFFIX)


def demand_order(order: SweepOrder) -> None:
    """Refuse a file that cannot be written, and one that would be lost."""
    document = Document(settings=order.base)
    inputs = (*order.models, *inputs_of(document, None))
    demand_outputs([Output(path=order.path, form=Form.SWEEP)], inputs)
