"""How far a sweep is that is being made here, with what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from gui.document.swept import Making
from gui.present.runs.making import progress_text
from gui.theme.scale import arrange
from gui.widgets.elided_label import ElidedLabel

_BAR_LETTERS = 24


class MakingRow(QWidget):
    """A bar, a sentence and two buttons; nothing is seen of it while nothing is made."""

    command_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.bar = QProgressBar()
        self.bar.setAccessibleName("How far the sweep is")
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(self.fontMetrics().averageCharWidth() * _BAR_LETTERS)
        self.text = ElidedLabel("How far the sweep is, in words")
        self.pause, self.stop = QPushButton("Pause"), QPushButton("Stop")
        self.pause.setToolTip("Begin no cell any more; what is begun comes to its end")
        self.stop.setToolTip("Give the rest up: what was computed is kept")
        line = QHBoxLayout(self)
        arrange(line)
        line.addWidget(self.bar)
        line.addWidget(self.text, 1)
        for button, command in ((self.pause, "pause_sweep"), (self.stop, "stop_sweep")):
            name = f"schedule.{command}"
            button.clicked.connect(lambda _=False, name=name: self.command_asked.emit(name))
            line.addWidget(button)
        self.show_making(None)

    def show_making(self, making: Making | None) -> None:
        """Say how far it is."""
        self.setVisible(making is not None)
        if making is None:
            return
        self.bar.setRange(0, making.cells)
        self.bar.setValue(making.done)
        self.text.show_text(progress_text(making))
        self.pause.setText("Go on" if making.is_paused else "Pause")
        for button in (self.pause, self.stop):
            button.setAccessibleName(f"{button.text()}: the sweep")
