"""A list whose values can each be chosen or not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListWidgetItem, QWidget

from core.ir.knob import Value
from gui.widgets.name_list import NameList

_MOST_ROWS = 9
_LEAST_LETTERS = 14


class CheckList(NameList):
    """As high as its rows; Space and a click choose one more, or one less."""

    changed = Signal()

    def __init__(
        self,
        name: str,
        choices: Sequence[Value],
        chosen: Collection[Any] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(name, parent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        # Boxes are as dark as a list in the dark, and would not be seen on it.
        self.viewport().setAutoFillBackground(False)
        self._choices = tuple(choices)
        for choice in self._choices:
            item = QListWidgetItem(choice.text)
            item.setToolTip(choice.meaning or choice.text)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(_state(is_chosen=choice.value in chosen))
            self.addItem(item)
        if self._choices:
            self.setCurrentRow(0)
        self.itemChanged.connect(lambda _: self.changed.emit())

    @property
    def values(self) -> tuple[Any, ...]:
        """What is chosen, in the order of the list."""
        return tuple(
            choice.value
            for row, choice in enumerate(self._choices)
            if self.item(row).checkState() is Qt.CheckState.Checked
        )

    def choose(self, values: Collection[Any]) -> None:
        """Choose these, and no others."""
        for row, choice in enumerate(self._choices):
            self.item(row).setCheckState(_state(is_chosen=choice.value in values))

    def sizeHint(self) -> QSize:
        """As many rows as there are, within reason."""
        rows = min(max(len(self._choices), 1), _MOST_ROWS)
        height = rows * max(self.sizeHintForRow(0), self.fontMetrics().height())
        width = max(
            self.sizeHintForColumn(0), self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        )
        frame = 2 * self.frameWidth()
        return QSize(width + frame + 2 * self.fontMetrics().height(), height + frame)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


def _state(*, is_chosen: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked
