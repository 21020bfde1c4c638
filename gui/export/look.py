"""How the user has set a view: what is zoomed to, chosen, sorted; so that a picture shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QScrollBar,
    QSlider,
    QTabBar,
    QWidget,
)

from gui.export.orders import Look
from gui.items.layer_plot import LayerPlot
from gui.items.ranges import Range

Kind = TypeVar("Kind", bound=QWidget)


class _Part(NamedTuple):
    """A kind of part: how it is read, and how it is set as if the user had done it."""

    name: str
    kind: type[QWidget]
    read: Callable[[Any], Any]
    set: Callable[[Any, Any], None]


def look_of(view: QWidget) -> Look:
    """How a view is set."""
    return Look(
        tuple(
            (part.name, place, part.read(widget))
            for part in _PARTS
            for place, widget in enumerate(_found(view, part.kind))
        )
    )


def take_look(view: QWidget, look: Look) -> None:
    """Set a view of the same kind alike; parts that it does not have are left out."""
    for part in _PARTS:
        # What was set before may have made other parts come and go.
        widgets = _found(view, part.kind)
        for name, place, value in look.settings:
            if name == part.name and place < len(widgets) and part.read(widgets[place]) != value:
                part.set(widgets[place], value)


def _found(view: QWidget, kind: type[Kind]) -> list[Kind]:
    return list(view.findChildren(kind))


def _choose(combo: QComboBox, index: int) -> None:
    if 0 <= index < combo.count():
        combo.setCurrentIndex(index)
        combo.activated.emit(index)


def _press(button: QAbstractButton, is_on: bool) -> None:  # noqa: FBT001 - a value
    if button.isCheckable() and button.isChecked() != is_on:
        button.click()


def _shown(plot: LayerPlot) -> tuple[Range, Range]:
    return plot.box.x_range, plot.box.y_range


def _show(plot: LayerPlot, ranges: tuple[Range, Range]) -> None:
    plot.box.show(*ranges)


def _header(header: QHeaderView) -> bytes:
    return bytes(header.saveState().data())


def _restore(header: QHeaderView, state: bytes) -> None:
    header.restoreState(state)


# In this order: what is chosen first decides what there is to zoom to.
_PARTS = (
    _Part("tab", QTabBar, QTabBar.currentIndex, QTabBar.setCurrentIndex),
    _Part("combo", QComboBox, QComboBox.currentIndex, _choose),
    _Part("button", QAbstractButton, QAbstractButton.isChecked, _press),
    _Part("line", QLineEdit, QLineEdit.text, QLineEdit.setText),
    _Part("header", QHeaderView, _header, _restore),
    _Part("slider", QSlider, QSlider.value, QSlider.setValue),
    _Part("plot", LayerPlot, _shown, _show),
    _Part("scroll", QScrollBar, QScrollBar.value, QScrollBar.setValue),
)
