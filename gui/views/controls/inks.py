"""Colours of the panel's texts."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel, QWidget


def paint_text(widget: QWidget, colour: str) -> None:
    """Give a widget's text a colour."""
    palette = widget.palette()
    palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
    widget.setPalette(palette)


class Note(QLabel):
    """A line or two that are there only when they have something to say."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setWordWrap(True)
        self.hide()

    def say(self, text: str) -> None:
        """Say something; an empty text takes no room."""
        self.setText(text)
        self.setVisible(bool(text))
