"""Widgets that are really in sight: painted, and with the sizes that layouts give them."""

from __future__ import annotations

from typing import Any, TypeVar

from PySide6.QtWidgets import QWidget

Kind = TypeVar("Kind", bound=QWidget)


def exposed(qtbot: Any, widget: Kind, width: int, height: int) -> Kind:
    """The widget, shown in this size and closed after the test."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget
