"""What is asked of an export: a form whose lines depend on what is to be made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from core.api.reports import Quantity
from core.base.forms import Form
from core.base.frozen import NamedTuple
from core.base.outputs import Output
from gui.document.wares import FORMS, Pictured, Ware, file_name
from gui.export.orders import LEAST_SIDE, MOST_SCALE, MOST_SIDE, THEME_NAMES, PictureRequest
from gui.theme.scale import Gap, arrange
from gui.widgets.drop_down import DropDown

_FILE_LETTERS = 56


class Start(NamedTuple):
    """What the form shows at first."""

    ware: Ware
    wares: tuple[Ware, ...]
    """What there is to make."""
    model: str
    folder: Path
    views: Mapping[str, Pictured]
    view: str
    size: tuple[int, int]
    theme: str


class ExportForm(QWidget):
    """The lines; the name of the file follows them until somebody types another."""

    changed = Signal()

    def __init__(self, start: Start) -> None:
        super().__init__()
        self._model = start.model
        self.ware, self.view = DropDown("What to export"), DropDown("View")
        self.quantity, self.form = DropDown("Figure"), DropDown("Format")
        self.theme, self.scale = DropDown("Theme"), DropDown("Scale")
        self.width_box, self.height_box = _side("Width"), _side("Height")
        self.verifies = QCheckBox("Verify before writing")
        self.misfit = QLabel()
        self.file, self.browse = QLineEdit(), QPushButton("Browse...")
        self._rows = QFormLayout(self)
        arrange(self._rows, between=Gap.MEDIUM)
        self._fill(start)
        self._lay_out()
        self._suggested = ""
        self._folder = start.folder
        self._follow()
        self._suggest()
        self.ware.currentIndexChanged.connect(self._ware_chosen)
        self.form.currentIndexChanged.connect(self._form_chosen)
        self.view.currentIndexChanged.connect(self._suggest)
        self.quantity.currentIndexChanged.connect(self._suggest)
        self.file.textChanged.connect(self.changed)
        self.browse.clicked.connect(self._browse)

    def _fill(self, start: Start) -> None:
        for ware in start.wares:
            self.ware.addItem(ware.value, ware)
        self.ware.setCurrentIndex(start.wares.index(start.ware))
        for name, view in start.views.items():
            self.view.addItem(view.title, name)
        self.view.setCurrentIndex(max(self.view.findData(start.view), 0))
        for quantity in Quantity:
            self.quantity.addItem(quantity.value.replace("-", " ").capitalize(), quantity)
        for name in THEME_NAMES:
            self.theme.addItem(name.capitalize(), name)
        self.theme.setCurrentIndex(max(self.theme.findData(start.theme), 0))
        for scale in range(1, MOST_SCALE + 1):
            self.scale.addItem(f"{scale}x", scale)
        self.scale.setToolTip("Pixels for each one of the size: texts become as many times finer")
        self.verifies.setChecked(True)
        self.verifies.setToolTip(
            "Executes the compiled model, and compares what it computes with the original"
        )
        for box, side in zip((self.width_box, self.height_box), start.size, strict=True):
            box.setValue(side)

    def _lay_out(self) -> None:
        size = _row(self.width_box, QLabel("by"), self.height_box, QLabel("at"), self.scale)
        size.setAccessibleName("Size")
        self.file.setMinimumWidth(self.fontMetrics().averageCharWidth() * _FILE_LETTERS)
        lines = {
            "What": self.ware,
            "View": self.view,
            "Figure": self.quantity,
            "Format": self.form,
            "Size": size,
            "Theme": self.theme,
            "": self.verifies,
            "Limit": self.misfit,
            "File": _row(self.file, self.browse),
        }
        for title, widget in lines.items():
            self._rows.addRow(title, widget)
        self.file.setAccessibleName("File")
        self.misfit.setAccessibleName("Limit")
        self._size = size

    # What is chosen.

    @property
    def chosen_ware(self) -> Ware:
        """What is to be made."""
        return Ware(self.ware.currentData())

    @property
    def chosen_form(self) -> Form:
        """Its format."""
        return FORMS[self.chosen_ware][max(self.form.currentIndex(), 0)]

    @property
    def chosen_quantity(self) -> Quantity:
        """What node data tell."""
        return Quantity(self.quantity.currentData())

    @property
    def path(self) -> str:
        """Where it goes; empty where nobody says."""
        text = self.file.text().strip()
        return str(Path(self._folder, Path(text).expanduser())) if text else ""

    @property
    def output(self) -> Output:
        """The file that is written."""
        return Output(path=Path(self.path), form=self.chosen_form)

    @property
    def picture(self) -> PictureRequest:
        """How a picture is to be drawn."""
        return PictureRequest(
            view=str(self.view.currentData()),
            width=self.width_box.value(),
            height=self.height_box.value(),
            scale=int(self.scale.currentData()) if self.chosen_form is Form.PNG else 1,
            theme=str(self.theme.currentData()),
            form=self.chosen_form,
        )

    # What follows from it.

    def show_misfit(self, text: str) -> None:
        """Say before a model is exported that it does not fit; nothing where it does."""
        if text != self.misfit.text():
            self.misfit.setText(text)
            self._show_lines()

    def _ware_chosen(self) -> None:
        self._follow()
        self._suggest()

    def _form_chosen(self) -> None:
        self._show_lines()
        self._suggest()

    def _follow(self) -> None:
        """Offer the formats of what is to be made."""
        with QSignalBlocker(self.form):
            self.form.clear()
            self.form.addItems([form.title for form in FORMS[self.chosen_ware]])
        self._show_lines()

    def _show_lines(self) -> None:
        ware, form = self.chosen_ware, self.chosen_form
        shown = {
            self.view: ware is Ware.PICTURE,
            self.quantity: ware is Ware.NODES,
            self.form: len(FORMS[ware]) > 1,
            self._size: ware is Ware.PICTURE,
            self.theme: ware is Ware.PICTURE,
            self.verifies: ware is Ware.MODEL,
            self.misfit: ware is Ware.MODEL and bool(self.misfit.text()),
        }
        for widget, is_shown in shown.items():
            self._rows.setRowVisible(widget, is_shown)
        self.scale.setEnabled(form is Form.PNG)
        self.changed.emit()

    def _suggest(self) -> None:
        """Name the file; of a name that somebody typed only the ending changes."""
        is_nodes = self.chosen_ware is Ware.NODES
        part = self.chosen_quantity.value if is_nodes else str(self.view.currentData())
        name = file_name(self._model, self.chosen_ware, self.chosen_form, part)
        typed = self.file.text().strip()
        if typed in ("", self._suggested):
            self._suggested = str(self._folder / name)
            self.file.setText(self._suggested)
        else:
            self.file.setText(str(Path(typed).with_suffix(self.chosen_form.suffix)))

    def _browse(self) -> None:
        form = self.chosen_form
        path, _ = QFileDialog.getSaveFileName(
            self,
            f"Export {self.chosen_ware.value.lower()}",
            self.path,
            f"{form.title} (*{form.suffix});;All (*)",
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if path:
            self.file.setText(path if Path(path).suffix else path + form.suffix)


def _side(name: str) -> QSpinBox:
    box = QSpinBox()
    box.setRange(LEAST_SIDE, MOST_SIDE)
    box.setSingleStep(20)
    box.setSuffix(" px")
    box.setAccessibleName(name)
    return box


def _row(*widgets: QWidget) -> QWidget:
    """Widgets side by side; a line to type in takes what room there is."""
    row = QWidget()
    line = QHBoxLayout(row)
    arrange(line)
    for widget in widgets:
        line.addWidget(widget, int(isinstance(widget, QLineEdit)))
    if not any(isinstance(widget, QLineEdit) for widget in widgets):
        line.addStretch(1)
    return row
