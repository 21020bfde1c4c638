"""A drop-down list that offers values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from core.ir.knob import Value
from gui.widgets.drop_down import DropDown

_LEAST_LETTERS = 10


class ChoiceBox(DropDown):
    """Says which value the user has chosen."""

    chosen = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_LEAST_LETTERS)
        self._choices: tuple[Value, ...] = ()
        self.activated.connect(self._on_activated)

    def show_choices(self, choices: Sequence[Value], value: Any) -> None:
        """Offer these, with one of them chosen; nobody is told."""
        with QSignalBlocker(self):
            if self._choices != tuple(choices):
                self._choices = tuple(choices)
                self.clear()
                for place, choice in enumerate(self._choices):
                    self.addItem(choice.text)
                    self.setItemData(place, choice.meaning, Qt.ItemDataRole.ToolTipRole)
            self.setCurrentIndex(self._place(value))
        meaning = self.currentData(Qt.ItemDataRole.ToolTipRole)
        self.setToolTip(f"{self.currentText()}: {meaning}" if meaning else self.currentText())

    @property
    def value(self) -> Any:
        """What is chosen."""
        return self._choices[self.currentIndex()].value

    def _place(self, value: Any) -> int:
        places = (place for place, choice in enumerate(self._choices) if choice.value == value)
        return next(places, -1)

    def _on_activated(self, index: int) -> None:
        self.chosen.emit(self._choices[index].value)
